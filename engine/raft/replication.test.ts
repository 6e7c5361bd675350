import { describe, expect, it } from "vitest";
import {
  accept,
  appended,
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
  N4,
  conf,
  settle,
} from "./testing.ts";
import { RaftPanic } from "./events.ts";
import type { Peer } from "./peer.ts";
import { createPeer } from "./peer.ts";
import type { AppendEntries, Message, NodeId, Snapshot } from "./types.ts";

function append(rest: Partial<AppendEntries> = {}): AppendEntries {
  return {
    type: "AppendEntries",
    from: N2,
    to: N1,
    term: 2,
    prev: { term: 0, index: 0 },
    entries: [],
    leaderCommit: 0,
    ...rest,
  };
}

function appendsTo(to: string, messages: readonly Message[]): readonly AppendEntries[] {
  return messages.filter((sent): sent is AppendEntries => sent.type === "AppendEntries" && sent.to === to);
}

/** A leader whose log begins behind 3, refused by N3, which lacks it all; its host has a snapshot up to `index`. */
function compactedTo(index: number): { readonly peer: Peer; readonly snapshot: Snapshot } {
  const snapshot = { last: { term: 1, index }, conf: conf([N1, N2, N3]), data: new Uint8Array(0) };
  const peer = leader({ snapshot: () => snapshot });
  appended(peer, "a", "b");
  settle(peer);
  peer.step(message(accept(N2, N1, 1, 3)));
  settle(peer);
  peer.compact(3);
  peer.step({ type: "unreachable", peer: N3 });
  const hint = { term: 0, index: 0 };
  peer.step(message({ type: "AppendEntriesReply", from: N3, to: N1, term: 1, rejected: true, index: 1, hint }));
  return { peer, snapshot };
}

describe("a follower", () => {
  it("§5.3: refuses an append behind an entry that it lacks, and says where the logs may agree", () => {
    const peer = follower({ restored: { entries: log(1, 1) } });
    peer.step(message(append({ prev: { term: 2, index: 5 } })));
    expect(peer.ready()?.persist?.then).toMatchObject([{ rejected: true, index: 5, hint: { term: 1, index: 2 } }]);
  });

  it("§5.3: passes over its entries of newer terms in one round", () => {
    const peer = follower({ restored: { entries: log(1, 3, 3, 3), hardState: { term: 3, vote: null, commit: 0 } } });
    peer.step(message(append({ term: 4, prev: { term: 2, index: 4 } })));
    expect(peer.ready()?.persist?.then).toMatchObject([{ rejected: true, hint: { term: 1, index: 1 } }]);
  });

  it("Figure 2: replaces what conflicts and keeps what does not", () => {
    const peer = follower({ restored: { entries: log(1, 1, 1) } });
    const entries = [entry({ term: 1, index: 2 }), entry({ term: 2, index: 3 })];
    peer.step(message(append({ prev: { term: 1, index: 1 }, entries })));
    expect(peer.ready()?.persist).toMatchObject({
      entries: [{ term: 2, index: 3 }],
      then: [{ rejected: false, index: 3 }],
    });
    expect(peer.lastIndex).toBe(3);
  });

  it("Figure 2: an append that arrives late cuts nothing off", () => {
    const peer = follower({ restored: { entries: log(1, 1, 1) } });
    peer.step(message(append({ prev: { term: 1, index: 1 }, entries: [entry({ term: 1, index: 2 })] })));
    expect(peer.lastIndex).toBe(3);
    expect(peer.ready()?.persist?.then).toMatchObject([{ index: 2 }]);
  });

  it("Figure 2: commits no further than the append vouches for", () => {
    const peer = follower({ restored: { entries: log(1, 1, 1) } });
    peer.step(message(append({ prev: { term: 1, index: 1 }, leaderCommit: 3 })));
    expect(peer.commit).toBe(1);
  });

  it("thesis §10.2.1: acknowledges an append only from inside its write", () => {
    const peer = follower();
    peer.step(message(append({ entries: [entry({ term: 2, index: 1 })] })));
    const ready = peer.ready();
    expect(ready?.send).toEqual([]);
    expect(ready?.persist).toMatchObject({ entries: [{ index: 1 }], mustSync: true, then: [{ index: 1 }] });
  });

  it("etcd: with asynchronous storage applies only what is durable", () => {
    const peer = follower({ asyncStorage: true });
    peer.step(message(append({ entries: [entry({ term: 2, index: 1 })], leaderCommit: 1 })));
    const ready = peer.ready();
    expect(ready?.apply).toEqual([]);
    if (ready?.persist) peer.advance({ type: "persisted", ...ready.persist });
    expect(peer.ready()?.apply).toMatchObject([{ index: 1 }]);
  });

  it("etcd: a report about a write of an older term vouches for nothing, even if the same entry stands there again", () => {
    const peer = follower();
    const take = (term: number, from: NodeId, entryTerm: number, leaderCommit: number) => {
      const entries = [entry({ term: entryTerm, index: 1 })];
      peer.step(message(append({ term, from, entries, leaderCommit })));
      return peer.ready()?.persist;
    };
    const [first, second, third] = [take(2, N2, 2, 0), take(3, N3, 3, 0), take(4, N2, 2, 1)];
    if (first) peer.advance({ type: "persisted", ...first });
    expect(peer.ready()).toBeNull(); // the second write is still to come, and will overwrite it
    for (const write of [second, third]) if (write) peer.advance({ type: "persisted", ...write });
    expect(peer.ready()?.apply).toMatchObject([{ term: 2, index: 1 }]);
  });

  it("etcd: a report about entries that were replaced vouches for nothing", () => {
    const peer = follower();
    peer.step(message(append({ term: 2, entries: [entry({ term: 2, index: 1 })] })));
    const write = peer.ready()?.persist;
    peer.step(message(append({ term: 3, from: N3, entries: [entry({ term: 3, index: 1 })], leaderCommit: 1 })));
    const next = peer.ready()?.persist;
    if (write) peer.advance({ type: "persisted", ...write });
    expect(peer.ready()).toBeNull(); // nothing may be applied yet
    if (next) peer.advance({ type: "persisted", ...next });
    expect(peer.ready()?.apply).toMatchObject([{ term: 3, index: 1 }]);
  });
});

describe("a leader", () => {
  it("§5.3: commits what a majority holds, and says so at once", () => {
    const peer = leader();
    appended(peer, "a");
    settle(peer);
    peer.step(message(accept(N2, N1, peer.term, 2)));
    expect(peer.commit).toBe(2);
    expect(peer.ready()?.send).toMatchObject([
      { to: N2, leaderCommit: 2 },
      { to: N3, leaderCommit: 2 },
    ]);
  });

  it("§5.4.2, Figure 8: commits no entry of an older term by counting", () => {
    const restored = { entries: log(1, 1), hardState: { term: 1, vote: null, commit: 0 } };
    const peer = follower({ restored });
    peer.step({ type: "campaign" });
    settle(peer);
    peer.step(message(grant(N2, N1, 2)));
    settle(peer);
    peer.step(message(accept(N2, N1, 2, 2)));
    peer.step(message(accept(N3, N1, 2, 2)));
    expect(peer.commit).toBe(0);
    peer.step(message(accept(N2, N1, 2, 3)));
    expect(peer.commit).toBe(3);
  });

  it("thesis §10.2.1: counts itself only when its own write is durable", () => {
    const peer = leader();
    appended(peer, "a");
    const write = peer.ready()?.persist;
    peer.step(message(accept(N2, N1, peer.term, 2)));
    expect(peer.commit).toBe(1);
    if (write) peer.advance({ type: "persisted", ...write });
    expect(peer.commit).toBe(2);
  });

  it("§5.3: after a refusal goes back a term at a time", () => {
    const restored = { entries: log(1, 1, 1, 4, 4), hardState: { term: 4, vote: null, commit: 0 } };
    const peer = follower({ restored });
    peer.step({ type: "campaign" });
    settle(peer);
    peer.step(message(grant(N2, N1, 5)));
    settle(peer);
    const hint = { term: 3, index: 5 };
    peer.step(message({ type: "AppendEntriesReply", from: N2, to: N1, term: 5, rejected: true, index: 5, hint }));
    expect(appendsTo(N2, settle(peer))).toMatchObject([{ prev: { term: 1, index: 3 } }]);
  });

  it("etcd: probes with one append a round until it knows where a follower is", () => {
    const peer = leader({ restored: { conf: conf([N1, N2, N3, N4]) } });
    peer.step({ type: "unreachable", peer: N2 });
    appended(peer, "a", "b");
    expect(appendsTo(N2, settle(peer))).toMatchObject([{ entries: [{ index: 2 }] }]);
    peer.step(message(accept(N2, N1, peer.term, 2)));
    expect(appendsTo(N2, settle(peer))).toMatchObject([{ entries: [{ index: 3 }] }]);
  });

  it("etcd: a refusal of what was acknowledged since is stale", () => {
    const peer = leader();
    appended(peer, "a", "b");
    settle(peer);
    peer.step(message(accept(N2, N1, 1, 3)));
    settle(peer);
    const hint = { term: 0, index: 0 };
    peer.step(message({ type: "AppendEntriesReply", from: N2, to: N1, term: 1, rejected: true, index: 1, hint }));
    expect(peer.hasReady()).toBe(false);
    expect(peer.progress()[1]?.progress).toMatchObject({ state: "replicate", match: 3, next: 4 });
  });

  it("etcd: sends no snapshot to a follower that is silent", () => {
    const snapshot = { last: { term: 1, index: 2 }, conf: conf([N1, N2, N3]), data: new Uint8Array(0) };
    const peer = leader({ checkQuorum: true, snapshot: () => snapshot });
    appended(peer, "a");
    settle(peer);
    peer.step(message(accept(N2, N1, 1, 2)));
    settle(peer);
    peer.compact(2);
    for (let ticks = 0; ticks < 10; ticks += 1) peer.tick(1);
    settle(peer);
    peer.step({ type: "unreachable", peer: N3 });
    appended(peer, "b");
    expect(settle(peer).filter(({ to }) => to === N3)).toEqual([]);
    peer.step(message({ type: "HeartbeatReply", from: N3, to: N1, term: 1, context: null }));
    expect(settle(peer)).toMatchObject([{ type: "InstallSnapshot", to: N3 }]);
  });

  it("etcd: stops at the window's count of appends, and goes on when one is acknowledged", () => {
    const peer = leader({ limits: { maxInflightMessages: 2 } });
    appended(peer, "a", "b", "c");
    expect(appendsTo(N2, settle(peer))).toHaveLength(2);
    peer.step(message(accept(N2, N1, peer.term, 2)));
    expect(appendsTo(N2, settle(peer)).flatMap(({ entries }) => entries)).toMatchObject([{ index: 4 }]);
  });

  it("etcd: stops at the window's bytes", () => {
    const peer = leader({ limits: { maxInflightBytes: 5 } });
    appended(peer, "aaa", "bbb", "ccc");
    expect(appendsTo(N2, settle(peer))).toHaveLength(2);
  });

  it("etcd: sends no more than the message size at once, but one entry always", () => {
    const peer = leader({ limits: { maxMessageBytes: 1 } });
    peer.step({ type: "propose", proposals: [1, 2, 3].map(() => ({ type: "normal", data: new Uint8Array(9) })) });
    expect(appendsTo(N2, settle(peer)).map(({ entries }) => entries.length)).toEqual([1]);
  });

  it("etcd: drops proposals when too much is uncommitted, and takes them again after", () => {
    const peer = leader({ limits: { maxUncommittedBytes: 4 } });
    appended(peer, "aaa");
    const refused = peer.step({ type: "propose", proposals: [{ type: "normal", data: new Uint8Array(2) }] });
    expect(refused).toMatchObject({ error: "proposal-dropped", why: { rule: "uncommitted-limit", uncommitted: 3 } });
    settle(peer);
    peer.step(message(accept(N2, N1, peer.term, 2)));
    settle(peer);
    expect(peer.step({ type: "propose", proposals: [{ type: "normal", data: new Uint8Array(2) }] })).toBeUndefined();
  });

  it("etcd: hands out no more committed bytes than the limit until they are applied, but one entry always", () => {
    const peer = leader({ limits: { maxCommittedBytesPerReady: 1 } });
    appended(peer, "a", "b");
    const write = peer.ready()?.persist;
    if (write) peer.advance({ type: "persisted", ...write });
    peer.step(message(accept(N2, N1, peer.term, 3)));
    const first = peer.ready();
    expect(first?.apply).toHaveLength(1);
    expect(peer.ready()).toBeNull();
    peer.advance({ type: "applied", entries: first?.apply ?? [] });
    expect(peer.ready()?.apply).toHaveLength(1);
  });

  it("etcd: a heartbeat never commits beyond what the follower is known to hold", () => {
    const peer = leader();
    appended(peer, "a");
    settle(peer);
    peer.step(message(accept(N2, N1, peer.term, 2)));
    settle(peer);
    peer.tick(1);
    expect(peer.ready()?.send).toMatchObject([
      { to: N2, leaderCommit: 2 },
      { to: N3, leaderCommit: 1 },
    ]);
  });

  it("§7: sends a snapshot when what a follower needs is compacted away", () => {
    const { peer, snapshot } = compactedTo(3);
    expect(settle(peer)).toMatchObject([{ type: "InstallSnapshot", to: N3, snapshot }]);
    expect(peer.progress()[2]?.progress).toMatchObject({ state: "snapshot", pendingSnapshot: 3 });
    peer.step({ type: "snapshot-status", peer: N3, ok: false });
    expect(peer.progress()[2]?.progress).toMatchObject({ state: "probe", next: 2, paused: true });
  });

  it("etcd: sends the host's snapshot even if it ends before the log begins, but never an empty one", () => {
    const { peer, snapshot } = compactedTo(2);
    expect(settle(peer)).toMatchObject([{ type: "InstallSnapshot", to: N3, snapshot }]);
    expect(peer.progress()[2]?.progress).toMatchObject({ state: "snapshot", pendingSnapshot: 2 });
    expect(() => compactedTo(0)).toThrow(RaftPanic);
  });

  it("§8: a follower forwards a proposal, and drops it when it knows no leader", () => {
    const peer = follower();
    const propose = { type: "propose", proposals: [{ type: "normal", data: new Uint8Array(1) }] } as const;
    expect(peer.step(propose)).toMatchObject({ error: "proposal-dropped", why: { rule: "no-leader" } });
    peer.step(message(append()));
    expect(peer.step(propose)).toBeUndefined();
    expect(peer.ready()?.send).toMatchObject([{ type: "ForwardProposal", from: N1, to: N2, term: 0 }]);
  });
});

describe("sync mode", () => {
  it("etcd: applies in the Ready that hands out the write, which its host does first", () => {
    const peer = createPeer(configOf({ asyncStorage: false, restored: { conf: conf([N1]) } }));
    peer.step({ type: "campaign" });
    settle(peer);
    expect(peer).toMatchObject({ role: "leader", commit: 1, applied: 1 });
  });
});
