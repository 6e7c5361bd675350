import { describe, expect, it } from "vitest";
import type { RaftEvent } from "./events.ts";
import { conf, configOf, entry, follower, grant, leader, log, message, N1, N2, N3, settle } from "./testing.ts";
import { createPeer } from "./peer.ts";
import type { EntryId, NodeId, RequestVote } from "./types.ts";

function ask(rest: Partial<RequestVote> & { readonly last?: EntryId } = {}): RequestVote {
  const last = { term: 0, index: 0 };
  return { type: "RequestVote", from: N2, to: N1, term: 1, pre: false, transfer: false, last, ...rest };
}

function heartbeat(from: NodeId, term: number) {
  return message({ type: "Heartbeat", from, to: N1, term, leaderCommit: 0, context: null });
}

describe("voting", () => {
  it("§5.2: gives one vote a term, and the same one again", () => {
    const peer = follower();
    peer.step(message(ask({ from: N2 })));
    peer.step(message(ask({ from: N3 })));
    peer.step(message(ask({ from: N2 })));
    expect(peer.ready()?.persist).toMatchObject({
      hardState: { term: 1, vote: N2 },
      mustSync: true,
      then: [
        { to: N2, granted: true },
        { to: N3, granted: false },
        { to: N2, granted: true },
      ],
    });
  });

  it("§5.2: remembers its vote over a restart", () => {
    const peer = follower({ restored: { hardState: { term: 1, vote: N2, commit: 0 } } });
    peer.step(message(ask({ from: N3 })));
    expect(peer.ready()?.persist?.then).toMatchObject([{ to: N3, granted: false }]);
  });

  it("§5.4.1: refuses a candidate whose last entry has an older term, however long its log", () => {
    const events: RaftEvent[] = [];
    const peer = follower({ restored: { entries: log(2) }, emit: (event) => events.push(event) });
    peer.step(message(ask({ term: 3, last: { term: 1, index: 9 } })));
    expect(peer.ready()?.persist?.then).toMatchObject([{ granted: false }]);
    expect(events.find(({ type }) => type === "vote-refused")).toMatchObject({
      why: { rule: "log-up-to-date", theirs: { term: 1, index: 9 }, ours: { term: 2, index: 1 } },
    });
  });

  it("§5.4.1: refuses a candidate whose log of the same last term is shorter", () => {
    const peer = follower({ restored: { entries: log(1, 1) } });
    peer.step(message(ask({ term: 2, last: { term: 1, index: 1 } })));
    expect(peer.ready()?.persist?.then).toMatchObject([{ granted: false }]);
  });

  it("§5.4.1: votes for a shorter log whose last term is newer", () => {
    const peer = follower({ restored: { entries: log(1, 1) } });
    peer.step(message(ask({ term: 3, last: { term: 2, index: 1 } })));
    expect(peer.ready()?.persist?.then).toMatchObject([{ granted: true }]);
  });

  it("thesis §3.8: a vote leaves only from inside the write that records it", () => {
    const peer = follower();
    peer.step(message(ask()));
    const ready = peer.ready();
    expect(ready?.send).toEqual([]);
    expect(ready?.persist).toMatchObject({ hardState: { vote: N2 }, then: [{ type: "RequestVoteReply" }] });
  });

  it("§5.2: a granted vote puts the own election off, a refused one does not", () => {
    const peer = follower({ restored: { entries: log(1) } });
    peer.step(heartbeat(N3, 1));
    peer.tick(5);
    peer.step(message(ask({ term: 2, last: { term: 1, index: 1 } })));
    expect(peer.ticksUntilDue()).toBe(10);
    peer.tick(5);
    peer.step(message(ask({ term: 2, from: N3, last: { term: 1, index: 1 } })));
    expect(peer.ticksUntilDue()).toBe(5);
  });

  it("thesis §9.6: a pre-vote raises no term, binds nobody and is not written down", () => {
    const peer = follower();
    peer.step(message(ask({ pre: true, term: 5, from: N2 })));
    peer.step(message(ask({ pre: true, term: 5, from: N3 })));
    const persist = peer.ready()?.persist;
    expect(persist?.hardState).toBeNull();
    expect(persist?.then).toMatchObject([
      { pre: true, granted: true, term: 5 },
      { pre: true, granted: true, term: 5 },
    ]);
    expect(peer.term).toBe(0);
  });

  it("thesis §4.2.3: with the quorum check, no vote and no new term while the leader was heard from", () => {
    const peer = follower({ checkQuorum: true });
    peer.step(heartbeat(N2, 1));
    settle(peer);
    peer.step(message(ask({ from: N3, term: 9 })));
    expect(peer.term).toBe(1);
    expect(peer.hasReady()).toBe(false);
  });

  it("thesis §3.10: a transfer of leadership is voted for in spite of the lease", () => {
    const peer = follower({ checkQuorum: true });
    peer.step(heartbeat(N2, 1));
    peer.step(message(ask({ from: N3, term: 2, transfer: true })));
    expect(peer.ready()?.persist?.then).toMatchObject([{ to: N3, granted: true, term: 2 }]);
  });
});

describe("standing for election", () => {
  it("§5.2: after the timeout raises the term, votes for itself in the write, asks the others", () => {
    const peer = follower();
    peer.tick(10);
    const ready = peer.ready();
    expect(ready?.soft).toEqual({ role: "candidate", leader: null });
    expect(ready?.persist).toMatchObject({ hardState: { term: 1, vote: N1 }, then: [{ to: N1, granted: true }] });
    expect(ready?.send.map(({ to }) => to)).toEqual([N2, N3]);
  });

  it("thesis §3.8: the own vote counts only when it is durable", () => {
    const peer = follower();
    peer.step({ type: "campaign" });
    const persist = peer.ready()?.persist;
    peer.step(message(grant(N2, N1, 1)));
    expect(peer.role).toBe("candidate");
    if (persist) peer.advance({ type: "persisted", ...persist });
    expect(peer.role).toBe("leader");
  });

  it("§5.2: two answers of one voter are one vote", () => {
    const peer = createPeer(configOf({ restored: { conf: conf([N1, N2, N3]) } }));
    peer.step({ type: "campaign" });
    peer.step(message(grant(N2, N1, 1)));
    peer.step(message(grant(N2, N1, 1)));
    expect(peer.role).toBe("candidate");
  });

  it("§5.2: a voter's first answer counts, whatever it says later", () => {
    const peer = follower();
    peer.step({ type: "campaign" });
    settle(peer);
    peer.step(message({ type: "RequestVoteReply", from: N2, to: N1, term: 1, pre: false, granted: false }));
    peer.step(message(grant(N2, N1, 1)));
    expect(peer.role).toBe("candidate");
  });

  it("§5.2: a majority of refusals ends the candidacy at the own term", () => {
    const peer = follower();
    peer.step({ type: "campaign" });
    settle(peer);
    for (const from of [N2, N3])
      peer.step(message({ type: "RequestVoteReply", from, to: N1, term: 1, pre: false, granted: false }));
    expect(peer).toMatchObject({ role: "follower", term: 1, leader: null });
  });

  it("§5.2: steps back for the leader of its own term", () => {
    const peer = follower();
    peer.step({ type: "campaign" });
    peer.step(heartbeat(N3, 1));
    expect(peer).toMatchObject({ role: "follower", term: 1, leader: N3 });
  });

  it("§5.1: a higher term ends leadership, whatever carries it", () => {
    const peer = leader();
    peer.step(message({ type: "HeartbeatReply", from: N2, to: N1, term: 7, context: null }));
    expect(peer).toMatchObject({ role: "follower", term: 7, leader: null });
  });

  it("thesis §9.6: asks for pre-votes first, and raises the term only when they are won", () => {
    const peer = follower({ preVote: true });
    peer.tick(10);
    expect(peer).toMatchObject({ role: "pre-candidate", term: 0 });
    settle(peer);
    peer.step(message({ type: "RequestVoteReply", from: N2, to: N1, term: 1, pre: true, granted: true }));
    expect(peer).toMatchObject({ role: "candidate", term: 1 });
  });

  it("§8: a new leader appends an empty entry of its term", () => {
    const peer = follower({ restored: { entries: log(1), hardState: { term: 1, vote: null, commit: 0 } } });
    peer.step({ type: "campaign" });
    settle(peer);
    peer.step(message(grant(N2, N1, 2)));
    expect(peer.ready()?.persist?.entries).toEqual([entry({ term: 2, index: 2 })]);
  });

  it("thesis §4.2.1: a learner does not stand, but votes", () => {
    const peer = follower({ restored: { conf: conf([N2, N3], { learners: [N1] }) } });
    expect(peer.ticksUntilDue()).toBe(Number.POSITIVE_INFINITY);
    peer.step({ type: "campaign" });
    expect(peer.role).toBe("follower");
    peer.step(message(ask()));
    expect(peer.ready()?.persist?.then).toMatchObject([{ granted: true }]);
  });

  it("thesis §6.2: with the quorum check, a leader that hears from nobody steps down after two rounds at most", () => {
    const peer = leader({ checkQuorum: true });
    for (let ticks = 0; ticks < 20; ticks += 1) peer.tick(1);
    expect(peer.role).toBe("follower");
  });

  it("etcd: with pre-vote, tells a leader of an old term about the new one", () => {
    const peer = follower({ preVote: true, restored: { hardState: { term: 5, vote: null, commit: 0 } } });
    peer.step(heartbeat(N2, 3));
    expect(peer.ready()?.persist?.then).toMatchObject([{ type: "AppendEntriesReply", to: N2, term: 5 }]);
  });
});
