import { describe, expect, it } from "vitest";
import { RaftPanic } from "./events.ts";
import { createPeer, PeerConfigInvalid } from "./peer.ts";
import {
  accept,
  canonical,
  conf,
  configOf,
  entry,
  follower,
  leader,
  log,
  message,
  N1,
  N2,
  N4,
  settle,
} from "./testing.ts";
import type { Message } from "./types.ts";

const ZERO = { term: 0, index: 0 };
const append = { type: "AppendEntries", from: N2, to: N1, term: 2, prev: ZERO, entries: [], leaderCommit: 0 } as const;

describe("a message that contradicts itself", () => {
  const malformed: Readonly<Record<string, Message>> = {
    "is for somebody else": { ...append, to: N4 },
    "has a negative term": { ...append, term: -1 },
    "has half a term": { ...append, term: 1.5 },
    "has a term that is no number": { ...append, term: Number.NaN },
    "has entries with a gap": { ...append, entries: [entry({ term: 1, index: 2 })] },
    "has entries that fall in term": {
      ...append,
      entries: [entry({ term: 2, index: 1 }), entry({ term: 1, index: 2 })],
    },
    "has an entry of a term that is still to come": { ...append, entries: [entry({ term: 3, index: 1 })] },
    "has an impossible commit": { ...append, leaderCommit: Number.POSITIVE_INFINITY },
    "comes from a leader that is ourselves": { ...append, from: N1 },
    "brings a membership that contradicts itself": {
      type: "InstallSnapshot",
      from: N2,
      to: N1,
      term: 1,
      snapshot: { last: { term: 1, index: 1 }, conf: conf([N1], { learners: [N1] }), data: new Uint8Array(0) },
    },
    "proposes nothing": { type: "ForwardProposal", from: N2, to: N1, term: 0, entries: [] },
    "proposes a change that can't be read": {
      type: "ForwardProposal",
      from: N2,
      to: N1,
      term: 0,
      entries: [{ type: "conf-change-v2", data: Uint8Array.of(8) }],
    },
    "stands with an entry of a later term": {
      type: "RequestVote",
      from: N2,
      to: N1,
      term: 1,
      pre: false,
      transfer: false,
      last: { term: 2, index: 1 },
    },
  };
  for (const [what, bad] of Object.entries(malformed))
    it(`is refused and changes nothing: it ${what}`, () => {
      const peer = follower();
      const before = canonical(peer);
      expect(peer.step(message(bad))).toMatchObject({ error: "malformed-message", why: { rule: "malformed" } });
      expect(canonical(peer)).toEqual(before);
    });
});

describe("a stranger", () => {
  it("etcd: gets no answer taken from it, whatever its term", () => {
    const peer = leader();
    expect(peer.step(message(accept(N4, N1, 9, 1)))).toMatchObject({ error: "peer-not-found" });
    expect(peer).toMatchObject({ role: "leader", term: 1 });
  });

  it("etcd: is followed when it leads: the configuration may not have come this far", () => {
    const peer = follower();
    peer.step(message({ ...append, from: N4 }));
    expect(peer.leader).toBe(N4);
  });
});

describe("what the protocol rules out stops the peer", () => {
  it("a heartbeat that commits what this log has lost", () => {
    const peer = follower();
    const lost = { type: "Heartbeat", from: N2, to: N1, term: 1, leaderCommit: 5, context: null } as const;
    expect(() => peer.step(message(lost))).toThrow(/was the log lost/);
  });

  it("an acknowledgement of entries that were never sent", () => {
    const peer = leader();
    expect(() => peer.step(message(accept(N2, N1, 1, 99)))).toThrow(RaftPanic);
  });

  it("a disk whose log has gaps, or ends before its commit", () => {
    expect(() => follower({ restored: { entries: [entry({ term: 1, index: 2 })] } })).toThrow(RaftPanic);
    expect(() => follower({ restored: { hardState: { term: 1, vote: null, commit: 3 } } })).toThrow(RaftPanic);
  });

  it("a report that entries are applied which were never committed", () => {
    const peer = follower({ restored: { entries: log(1) } });
    expect(() => peer.advance({ type: "applied", entries: log(1) })).toThrow(RaftPanic);
  });

  it("compaction of what is not committed", () => {
    const peer = follower({ restored: { entries: log(1) } });
    expect(() => peer.compact(1)).toThrow(RaftPanic);
  });
});

describe("a config that can't be", () => {
  it("is named", () => {
    expect(() => createPeer(configOf({ heartbeatTicks: 0 }))).toThrow(PeerConfigInvalid);
    expect(() => createPeer(configOf({ electionTicks: 1 }))).toThrow(PeerConfigInvalid);
    expect(() => createPeer(configOf({ electionSpreadTicks: 0 }))).toThrow(PeerConfigInvalid);
    expect(() => createPeer(configOf({ limits: { maxInflightMessages: 0 } }))).toThrow(PeerConfigInvalid);
  });
});

describe("time", () => {
  it("is not taken further than to the next thing that happens", () => {
    const peer = follower();
    expect(() => peer.tick(11)).toThrow(/ticks are taken/);
    expect(() => peer.tick(0)).toThrow(/ticks are taken/);
  });

  it("§5.2: is due for a follower at its timeout, for a leader at its heartbeat", () => {
    expect(follower({ draw: () => 4 }).ticksUntilDue()).toBe(14);
    const peer = leader({ heartbeatTicks: 3 });
    expect(peer.ticksUntilDue()).toBe(3);
    settle(peer);
    peer.tick(2);
    expect(peer.hasReady()).toBe(false);
    peer.tick(1);
    expect(peer.hasReady()).toBe(true);
  });
});
