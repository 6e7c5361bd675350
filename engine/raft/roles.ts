/**
 * Follower, pre-candidate, candidate, leader: the transitions (§5.1, Figure 4; pre-candidate: thesis §9.6).
 */
import { assert, present } from "../base/assert.ts";
import type { Reason } from "./events.ts";
import { becomeReplicate, resetProgress } from "./progress.ts";
import type { PeerState } from "./state.ts";
import { emit, resetElectionTimer, setLeader } from "./state.ts";
import type { NodeId, Role, Term } from "./types.ts";

/** Every transition but that to pre-candidate starts a term's part anew; a new term has given no vote yet. */
function reset(peer: PeerState, term: Term, next: Role): void {
  if (peer.term !== term) {
    peer.term = term;
    peer.vote = null;
  }
  peer.heartbeatElapsed = 0;
  drawElectionTimeout(peer);
  resetElectionTimer(peer);
  if (peer.transferee !== null) abortTransfer(peer, { rule: "role-changed", role: next });
  peer.votes.clear();
  for (const progress of peer.peers)
    resetProgress(progress, progress.id === peer.id ? peer.log.lastIndex : 0, peer.log.lastIndex + 1);
  peer.pendingConfIndex = 0;
  peer.uncommittedBytes = 0;
  peer.pendingReads = [];
}

/** Randomised, so that split votes are rare and resolve (§5.2). */
export function drawElectionTimeout(peer: PeerState): void {
  const { electionTicks, electionSpreadTicks, draw } = peer.settings;
  const spread = peer.broken.has("same-election-timeouts") ? 0 : draw(electionSpreadTicks);
  peer.electionTimeout = electionTicks + spread;
}

function enter(peer: PeerState, role: Role, leader: NodeId | null, why: Reason): void {
  const from = peer.role;
  peer.role = role;
  setLeader(peer, leader);
  if (peer.emit !== null) peer.emit({ type: "role-changed", from, role, term: peer.term, why });
}

export function becomeFollower(peer: PeerState, term: Term, leader: NodeId | null, why: Reason): void {
  reset(peer, term, "follower");
  enter(peer, "follower", leader, why);
}

/** Asks whether an election could be won, before the term is raised for it: nothing durable changes (thesis §9.6). */
export function becomePreCandidate(peer: PeerState, why: Reason): void {
  assert(peer.role !== "leader", "a leader does not campaign");
  peer.votes.clear();
  enter(peer, "pre-candidate", null, why);
}

/** Raises the term and votes for itself (§5.2). */
export function becomeCandidate(peer: PeerState, why: Reason): void {
  assert(peer.role !== "leader", "a leader does not campaign");
  reset(peer, peer.term + 1, "candidate");
  peer.vote = peer.id;
  enter(peer, "candidate", null, why);
}

/**
 * Leads its term. What the log holds may contain an unapplied change of membership anywhere, so that none may be
 * proposed before all of it is applied.
 *
 * @param appendFirst appends the empty entry, by which entries of older terms can be committed (§5.4.2, §8)
 */
export function becomeLeader(peer: PeerState, why: Reason, appendFirst: () => void): void {
  assert(peer.role !== "follower", "a follower has to be elected first");
  const from = peer.role;
  reset(peer, peer.term, "leader");
  peer.role = "leader";
  setLeader(peer, peer.id);
  const own = present(peer.own, "the progress of a leader");
  becomeReplicate(own);
  own.active = true;
  peer.pendingConfIndex = peer.log.lastIndex;
  appendFirst();
  emit(peer, { type: "role-changed", from, role: "leader", term: peer.term, why });
}

export function abortTransfer(peer: PeerState, why: Reason): void {
  if (peer.transferee === null) return;
  emit(peer, { type: "transfer-aborted", to: peer.transferee, term: peer.term, why });
  peer.transferee = null;
}
