import { describe, expect, it } from "vitest";
import { accept, appended, conf, follower, leader, message, N1, N2, N3, N4, settle } from "./testing.ts";

describe("leadership transfer", () => {
  it("thesis §3.10: tells a target that has everything to stand at once", () => {
    const peer = leader();
    peer.step({ type: "transfer-leadership", to: N2 });
    expect(peer.ready()?.send).toEqual([{ type: "TimeoutNow", from: N1, to: N2, term: 1 }]);
  });

  it("thesis §3.10: lets the target catch up first, and takes no proposals meanwhile", () => {
    const peer = leader();
    appended(peer, "a");
    settle(peer);
    peer.step({ type: "transfer-leadership", to: N2 });
    const refused = peer.step({ type: "propose", proposals: [{ type: "normal", data: new Uint8Array(1) }] });
    expect(refused).toMatchObject({ why: { rule: "transfer-in-progress", to: N2 } });
    settle(peer);
    peer.step(message(accept(N2, N1, 1, 2)));
    expect(settle(peer)).toContainEqual({ type: "TimeoutNow", from: N1, to: N2, term: 1 });
  });

  it("thesis §3.10: gives up after an election timeout", () => {
    const peer = leader();
    peer.step({ type: "transfer-leadership", to: N2 });
    for (let ticks = 0; ticks < 10; ticks += 1) peer.tick(1);
    expect(peer.step({ type: "propose", proposals: [{ type: "normal", data: new Uint8Array(1) }] })).toBeUndefined();
  });

  it("thesis §3.10: the target stands without a pre-vote and says why", () => {
    const peer = follower({ preVote: true });
    peer.step(message({ type: "TimeoutNow", from: N2, to: N1, term: 1 }));
    expect(peer).toMatchObject({ role: "candidate", term: 2 });
    expect(peer.ready()?.send).toMatchObject([{ pre: false, transfer: true }, { transfer: true }]);
  });

  it("thesis §4.2.1: is not made to a learner, to itself or to a stranger", () => {
    const peer = leader({ restored: { conf: conf([N1, N2], { learners: [N3] }) } });
    for (const to of [N1, N3, N4]) peer.step({ type: "transfer-leadership", to });
    expect(peer.hasReady()).toBe(false);
    expect(peer.status().transferee).toBeNull();
  });

  it("etcd: a follower passes the wish on to its leader", () => {
    const peer = follower();
    peer.step(message({ type: "Heartbeat", from: N2, to: N1, term: 1, leaderCommit: 0, context: null }));
    settle(peer);
    peer.step({ type: "transfer-leadership", to: N3 });
    expect(peer.ready()?.send).toEqual([{ type: "ForwardTransfer", from: N3, to: N2, term: 1 }]);
  });
});

describe("forgetting the leader", () => {
  it("etcd: frees the vote of its term for others, and leaves the timer alone", () => {
    const peer = follower({ checkQuorum: true });
    peer.step(message({ type: "Heartbeat", from: N2, to: N1, term: 1, leaderCommit: 0, context: null }));
    peer.tick(4);
    peer.step({ type: "forget-leader" });
    expect(peer.leader).toBeNull();
    expect(peer.ticksUntilDue()).toBe(6);
  });
});
