import { describe, expect, it } from "vitest";
import { type Peer, PeerConfigInvalid } from "./peer.ts";
import {
  accept,
  appended,
  conf,
  configOf,
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
import { createPeer } from "./peer.ts";

/** A leader without a committed entry of its term, which was asked for a read. */
function askedTooEarly(): Peer {
  const peer = follower();
  peer.step({ type: "campaign" });
  settle(peer);
  peer.step(message(grant(N2, N1, 1)));
  settle(peer);
  peer.step({ type: "read-index", context: "early" });
  return peer;
}

/** Of the heartbeats that are to be sent. */
function contextsOf(peer: Peer): readonly (string | null)[] {
  return peer.ready()?.send.flatMap((sent) => (sent.type === "Heartbeat" ? [sent.context] : [])) ?? [];
}

describe("linearizable reads", () => {
  it("thesis §6.4: answers when a quorum has answered heartbeats that left after the request", () => {
    const peer = leader();
    peer.step({ type: "read-index", context: "r1" });
    expect(peer.ready()).toMatchObject({
      send: [{ type: "Heartbeat", context: "r1" }, { context: "r1" }],
      readStates: [],
    });
    peer.step(message({ type: "HeartbeatReply", from: N2, to: N1, term: 1, context: null }));
    expect(peer.ready()).toBeNull();
    peer.step(message({ type: "HeartbeatReply", from: N2, to: N1, term: 1, context: "r1" }));
    expect(peer.ready()?.readStates).toEqual([{ context: "r1", index: 1 }]);
  });

  it("thesis §6.4: one round proves every request before it", () => {
    const peer = leader();
    peer.step({ type: "read-index", context: "r1" });
    peer.step({ type: "read-index", context: "r2" });
    settle(peer);
    peer.step(message({ type: "HeartbeatReply", from: N2, to: N1, term: 1, context: "r2" }));
    expect(peer.ready()?.readStates.map(({ context }) => context)).toEqual(["r1", "r2"]);
  });

  it("thesis §6.4: waits until an entry of the own term is committed", () => {
    const peer = askedTooEarly();
    expect(peer.ready()).toBeNull();
    peer.step(message(accept(N2, N1, 1, 1)));
    expect(contextsOf(peer)).toEqual(["early", "early"]);
  });

  it("a read that a leader could not serve waits until it leads again, as in etcd", () => {
    const peer = askedTooEarly();
    peer.step(message({ type: "Heartbeat", from: N2, to: N1, term: 2, leaderCommit: 0, context: null }));
    settle(peer);
    peer.step({ type: "campaign" });
    settle(peer);
    peer.step(message(grant(N2, N1, 3)));
    settle(peer);
    peer.step(message(accept(N2, N1, 3, 2)));
    expect(contextsOf(peer)).toEqual(["early", "early"]);
  });

  it("thesis §6.4: a follower passes the request on, and its answer back to the reader", () => {
    const peer = follower();
    peer.step(message({ type: "Heartbeat", from: N2, to: N1, term: 1, leaderCommit: 0, context: null }));
    settle(peer);
    peer.step({ type: "read-index", context: "r" });
    expect(peer.ready()?.send).toEqual([{ type: "ReadIndex", from: N1, to: N2, term: 0, context: "r" }]);
    peer.step(message({ type: "ReadIndexReply", from: N2, to: N1, term: 1, context: "r", index: 4 }));
    expect(peer.ready()?.readStates).toEqual([{ context: "r", index: 4 }]);
  });

  it("thesis §6.4: a leader answers a follower's request with its index", () => {
    const peer = leader();
    peer.step(message({ type: "ReadIndex", from: N3, to: N1, term: 0, context: "r" }));
    settle(peer);
    peer.step(message({ type: "HeartbeatReply", from: N2, to: N1, term: 1, context: "r" }));
    expect(peer.ready()?.send).toEqual([{ type: "ReadIndexReply", from: N1, to: N3, term: 1, context: "r", index: 1 }]);
  });

  it("thesis §6.4.1: with a lease answers at once", () => {
    const peer = leader({ checkQuorum: true, readOnly: "lease-based" });
    peer.step({ type: "read-index", context: "r" });
    expect(peer.ready()?.readStates).toEqual([{ context: "r", index: 1 }]);
  });

  it("thesis §6.4.1: there is no lease without the quorum check", () => {
    expect(() => createPeer(configOf({ readOnly: "lease-based" }))).toThrow(PeerConfigInvalid);
    const peer = leader({ checkQuorum: true });
    peer.setReadOnly("lease-based");
    expect(() => peer.setCheckQuorum(false)).toThrow(PeerConfigInvalid);
  });

  it("§8: a single voter that was restarted waits too: its commit on disk may be old (sim seed 51)", () => {
    const restored = { conf: conf([N1]), hardState: { term: 1, vote: N1, commit: 0 }, entries: log(1) };
    const peer = createPeer(configOf({ restored }));
    peer.step({ type: "campaign" });
    const { persist } = peer.ready() ?? {};
    peer.advance({ type: "persisted", then: [], written: null, ...persist });
    peer.step({ type: "read-index", context: "r1" });
    const ready = peer.ready();
    expect(ready?.readStates).toEqual([]);
    peer.advance({ type: "persisted", then: [], written: null, ...ready?.persist });
    expect(peer.ready()?.readStates).toEqual([{ context: "r1", index: 2 }]);
  });

  it("etcd: a single voter answers by itself", () => {
    const peer = leader({ restored: { conf: conf([N1]) } });
    appended(peer, "a");
    settle(peer);
    peer.step({ type: "read-index", context: "r" });
    expect(peer.ready()?.readStates).toEqual([{ context: "r", index: 2 }]);
  });
});
