/**
 * Time, in ticks (§5.2; etcd tickElection, tickHeartbeat).
 *
 * Ticks that do nothing need not be delivered one by one: `ticksUntilDue` says how many may be taken at once, so that
 * an idle cluster costs a step for each heartbeat and none for a tick.
 */
import { standForElection } from "./elections.ts";
import { checkQuorumActive } from "./leader.ts";
import { heartbeatContext } from "./reading.ts";
import { broadcastHeartbeat } from "./replication.ts";
import { abortTransfer } from "./roles.ts";
import type { PeerState } from "./state.ts";
import { isPromotable, resetElectionTimer } from "./state.ts";

/** Infinity for one that can't stand for election: nothing it does depends on time. Its timer runs all the same. */
export function ticksUntilDue(peer: PeerState): number {
  const { electionTicks, heartbeatTicks } = peer.settings;
  if (peer.role === "leader")
    return Math.max(1, Math.min(electionTicks - peer.electionElapsed, heartbeatTicks - peer.heartbeatElapsed));
  return isPromotable(peer) ? Math.max(1, peer.electionTimeout - peer.electionElapsed) : Number.POSITIVE_INFINITY;
}

export function tick(peer: PeerState, ticks: number): void {
  peer.electionElapsed += ticks;
  if (peer.role === "leader") return tickLeader(peer, ticks);
  if (peer.electionElapsed < peer.electionTimeout || !isPromotable(peer)) return;
  const waited = peer.electionElapsed;
  resetElectionTimer(peer);
  standForElection(peer, { rule: "election-timeout", ticks: waited });
}

function tickLeader(peer: PeerState, ticks: number): void {
  peer.heartbeatElapsed += ticks;
  if (peer.electionElapsed >= peer.settings.electionTicks) {
    peer.electionElapsed = 0;
    if (peer.checkQuorum) checkQuorumActive(peer);
    if (peer.transferee !== null) abortTransfer(peer, { rule: "transfer-timeout" });
    if (peer.role !== "leader") return;
  }
  if (peer.heartbeatElapsed < peer.settings.heartbeatTicks) return;
  peer.heartbeatElapsed = 0;
  if (peer.emit !== null) peer.emit({ type: "heartbeat-timer-reset", timeoutTicks: peer.settings.heartbeatTicks });
  broadcastHeartbeat(peer, heartbeatContext(peer));
}
