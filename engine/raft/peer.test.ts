import { describe, expect, it } from "vitest";
import type { RaftEvent } from "./events.ts";
import { createPeer, restorePeer } from "./peer.ts";
import {
  accept,
  appended,
  canonical,
  configOf,
  entry,
  follower,
  grant,
  leader,
  log,
  message,
  N1,
  N2,
  N3,
  settle,
} from "./testing.ts";

function heartbeat(term: number, from = N2) {
  return message({ type: "Heartbeat", from, to: N1, term, leaderCommit: 0, context: null });
}

describe("a Ready", () => {
  it("is null when there is nothing to do, and what was handed out does not come again", () => {
    const peer = leader();
    expect([peer.hasReady(), peer.ready()]).toEqual([false, null]);
    appended(peer, "a");
    expect(peer.ready()?.persist?.entries).toHaveLength(1);
    expect([peer.hasReady(), peer.ready()]).toEqual([false, null]);
  });

  it("etcd MustSync: a commit alone need not be synced, a term, a vote or an entry must", () => {
    const peer = follower({ restored: { entries: log(1), hardState: { term: 1, vote: null, commit: 0 } } });
    peer.step(message({ type: "Heartbeat", from: N2, to: N1, term: 1, leaderCommit: 1, context: null }));
    expect(peer.ready()?.persist).toMatchObject({ hardState: { commit: 1 }, mustSync: false });
    peer.step(heartbeat(2));
    expect(peer.ready()?.persist).toMatchObject({ hardState: { term: 2 }, mustSync: true });
  });

  it("etcd: several writes may be under way, and are reported in their order", () => {
    const peer = leader();
    appended(peer, "a");
    const first = peer.ready()?.persist;
    appended(peer, "b");
    const second = peer.ready()?.persist;
    expect([first?.entries, second?.entries]).toMatchObject([[{ index: 2 }], [{ index: 3 }]]);
    peer.step(message(accept(N2, N1, 1, 3)));
    if (first) peer.advance({ type: "persisted", ...first });
    expect(peer.commit).toBe(2);
    if (second) peer.advance({ type: "persisted", ...second });
    expect(peer.commit).toBe(3);
  });

  it("batches: one write and one answer each for a batch of appends", () => {
    const peer = follower();
    for (const index of [1, 2, 3]) {
      const prev = { term: index === 1 ? 0 : 1, index: index - 1 };
      const entries = [entry({ term: 1, index })];
      peer.step(message({ type: "AppendEntries", from: N2, to: N1, term: 1, prev, entries, leaderCommit: 0 }));
    }
    const persist = peer.ready()?.persist;
    expect(persist?.entries).toHaveLength(3);
    expect(persist?.then.map((ack) => (ack.type === "AppendEntriesReply" ? ack.index : null))).toEqual([1, 2, 3]);
  });
});

describe("switches of a running peer", () => {
  it("thesis §9.6: pre-vote holds from the next election on", () => {
    const peer = follower();
    peer.setPreVote(true);
    peer.tick(10);
    expect(peer.role).toBe("pre-candidate");
  });

  it("thesis §6.2: the quorum check holds from the next election timeout on", () => {
    const peer = leader();
    for (let ticks = 0; ticks < 30; ticks += 1) peer.tick(1);
    expect(peer.role).toBe("leader");
    peer.setCheckQuorum(true);
    for (let ticks = 0; ticks < 20; ticks += 1) peer.tick(1);
    expect(peer.role).toBe("follower");
  });

  it("survive in a checkpoint", () => {
    const peer = follower();
    peer.setCheckQuorum(true);
    peer.setReadOnly("lease-based");
    const restored = restorePeer(configOf(), structuredClone(peer.checkpoint()));
    expect(canonical(restored)).toEqual(canonical(peer));
    expect(canonical(restored)).toMatchObject({ checkQuorum: true, readOnly: "lease-based" });
  });
});

describe("a checkpoint", () => {
  it("holds what is in the outboxes and on its way", () => {
    const peer = leader({ limits: { maxInflightMessages: 2 } });
    appended(peer, "a", "b", "c");
    peer.step({ type: "read-index", context: "r" });
    const restored = restorePeer(configOf({ limits: { maxInflightMessages: 2 } }), structuredClone(peer.checkpoint()));
    expect(settle(restored)).toEqual(settle(peer));
    expect(restored.progress()).toEqual(peer.progress());
  });
});

function record(): { readonly events: RaftEvent[]; readonly emit: (event: RaftEvent) => void } {
  const events: RaftEvent[] = [];
  return { events, emit: (event) => events.push(event) };
}

describe("events", () => {
  it("tell why a role changed, each time", () => {
    const { events, emit } = record();
    const peer = createPeer(configOf({ emit }));
    peer.tick(10);
    settle(peer);
    peer.step(message(grant(N2, N1, 1)));
    peer.step(heartbeat(2, N3));
    const roles = events.flatMap((event) => (event.type === "role-changed" ? [[event.role, event.why.rule]] : []));
    expect(roles).toEqual([
      ["follower", "started"],
      ["candidate", "election-timeout"],
      ["leader", "votes-won"],
      ["follower", "higher-term"],
    ]);
  });

  it("give each voter's answer with a tally", () => {
    const { events, emit } = record();
    const peer = createPeer(configOf({ emit }));
    peer.step({ type: "campaign" });
    settle(peer);
    const [tally] = events.filter((event) => event.type === "votes-tallied");
    expect(tally).toMatchObject({
      granted: 1,
      refused: 0,
      answers: [
        { id: N1, granted: true },
        { id: N2, granted: null },
        { id: N3, granted: null },
      ],
    });
  });

  it("tell of the leader that is known, and that it is lost", () => {
    const { events, emit } = record();
    const peer = createPeer(configOf({ emit }));
    peer.step(heartbeat(1));
    peer.tick(10);
    const leaders = events.flatMap((event) => (event.type === "leader-changed" ? [event.leader] : []));
    expect(leaders).toEqual([N2, null]);
  });

  it("make no difference to the run, whether somebody listens or not", () => {
    const { events, emit } = record();
    const loud = leader({ emit });
    const quiet = leader();
    const count = events.length;
    for (const peer of [loud, quiet]) {
      appended(peer, "a");
      peer.step(message(accept(N2, N1, 1, 2)));
      settle(peer);
    }
    expect(events.length).toBeGreaterThan(count);
    expect(canonical(loud)).toEqual(canonical(quiet));
  });
});
