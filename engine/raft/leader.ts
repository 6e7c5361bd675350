/**
 * What a leader does with a reply, a report or a request (Figure 2, rules for leaders; etcd stepLeader).
 */
import type { Reason } from "./events.ts";
import { RaftPanic } from "./events.ts";
import type { Progress } from "./progress.ts";
import {
  becomeProbe,
  becomeReplicate,
  commitIsNews,
  freeInflight,
  noteMatch,
  noteRefused,
  viewOf,
} from "./progress.ts";
import { noteHeartbeatAnswer, serveEarlyReads } from "./reading.ts";
import { advanceCommit, broadcastAppend, changeProgress, sendAppend, sendTimeoutNow } from "./replication.ts";
import { abortTransfer, becomeFollower } from "./roles.ts";
import type { PeerState } from "./state.ts";
import { emit, resetElectionTimer } from "./state.ts";
import type { AppendEntriesReply, HeartbeatReply, NodeId } from "./types.ts";

/** A follower took an append, or refused it. */
export function takeAppendReply(peer: PeerState, from: Progress, reply: AppendEntriesReply): void {
  from.active = true;
  if (reply.rejected) return takeRefusal(peer, from, reply);
  if (reply.index > peer.log.lastIndex)
    throw new RaftPanic(
      `${reply.from} acknowledges ${reply.index}, beyond the leader's last entry ${peer.log.lastIndex}`,
    );
  const moved = noteMatch(from, reply.index);
  if (!moved && !(from.match === reply.index && from.state === "probe")) return;
  if (peer.emit !== null) peer.emit({ type: "match-advanced", peer: from.id, match: from.match, next: from.next });
  if (from.state === "probe") {
    changeProgress(peer, from, "replicating", () => becomeReplicate(from));
  } else if (from.state === "replicate") {
    freeInflight(from, reply.index);
  } else if (from.match + 1 >= peer.log.firstIndex) {
    // Whether or not the snapshot arrived: what the follower holds touches our log again.
    changeProgress(peer, from, "recovered", () => {
      becomeProbe(from);
      becomeReplicate(from);
    });
  }
  if (advanceCommit(peer)) {
    serveEarlyReads(peer);
    broadcastAppend(peer);
  } else if (from.id !== peer.id && commitIsNews(from, peer.log.commit)) {
    sendAppend(peer, from, true);
  }
  if (from.id === peer.id) return;
  while (sendAppend(peer, from, false)); // its window has room again
  if (from.id === peer.transferee && from.match === peer.log.lastIndex) {
    emit(peer, { type: "timeout-now-sent", to: from.id, after: "caught-up" });
    sendTimeoutNow(peer, from.id);
  }
}

/** §5.3: go back to where the logs may agree, a term at a time and not an entry at a time. */
function takeRefusal(peer: PeerState, from: Progress, reply: AppendEntriesReply): void {
  const { hint, index } = reply;
  emit(peer, { type: "append-refusal-received", from: from.id, index, hint });
  const mayMatch = hint.term > 0 ? peer.log.lastIndexWithin(hint.index, hint.term).index : hint.index;
  if (!noteRefused(from, index, mayMatch)) return;
  if (peer.emit !== null)
    peer.emit({ type: "progress-changed", peer: from.id, cause: "decreased", before: null, after: viewOf(from) });
  if (from.state === "replicate") changeProgress(peer, from, "probing", () => becomeProbe(from));
  sendAppend(peer, from, true);
}

/** Alive: whatever was lost on the way, one more append may go, even when the window is full. */
export function takeHeartbeatReply(peer: PeerState, from: Progress, reply: HeartbeatReply): void {
  if (from.paused || !from.active)
    changeProgress(peer, from, "heartbeat-answered", () => {
      from.active = true;
      from.paused = false;
    });
  if (from.match < peer.log.lastIndex || from.state === "probe") sendAppend(peer, from, true);
  noteHeartbeatAnswer(peer, reply);
}

/** Appends to it were lost: find out again where it is. */
export function noteUnreachable(peer: PeerState, member: Progress): void {
  changeProgress(peer, member, "unreachable", () => {
    if (member.state === "replicate") becomeProbe(member);
  });
}

/** The snapshot's journey ended. The next append waits for an answer or a heartbeat. */
export function noteSnapshotStatus(peer: PeerState, member: Progress, ok: boolean): void {
  if (member.state !== "snapshot") return;
  changeProgress(peer, member, ok ? "snapshot-succeeded" : "snapshot-failed", () => {
    if (!ok) member.pendingSnapshot = 0;
    becomeProbe(member);
  });
  member.paused = true;
}

/** Hands leadership over, as soon as the target holds all of the log (thesis §3.10). */
export function transferTo(peer: PeerState, target: Progress): void {
  const to = target.id;
  const refuse = (why: Reason): void => emit(peer, { type: "transfer-refused", to, term: peer.term, why });
  if (target.learner) return refuse({ rule: "learner", id: to });
  if (peer.transferee === to) return refuse({ rule: "same-target", to });
  if (peer.transferee !== null) abortTransfer(peer, { rule: "new-target", to });
  if (to === peer.id) return refuse({ rule: "to-self" });
  emit(peer, { type: "transfer-started", to, term: peer.term });
  resetElectionTimer(peer); // it gets one election timeout
  peer.transferee = to;
  if (target.match < peer.log.lastIndex) {
    sendAppend(peer, target, true);
    return;
  }
  emit(peer, { type: "timeout-now-sent", to, after: "request" });
  sendTimeoutNow(peer, to);
}

/** Once in an election timeout: a leader that a quorum does not answer may be cut off, and steps down (thesis §6.2). */
export function checkQuorumActive(peer: PeerState): void {
  const silent = (half: readonly Progress[]): boolean => {
    let active = 0;
    for (const member of half) if (member.active || member.id === peer.id) active += 1;
    return half.length > 0 && active < Math.floor(half.length / 2) + 1;
  };
  if (silent(peer.incoming) || silent(peer.outgoing)) stepDown(peer);
  for (const member of peer.peers) if (member.id !== peer.id) member.active = false;
}

function stepDown(peer: PeerState): void {
  const voters: readonly NodeId[] = peer.peers.filter((member) => !member.learner).map((member) => member.id);
  const active = voters.filter((id) => id === peer.id || peer.progress.get(id)?.active === true);
  const why = { rule: "quorum-inactive", active, voters } as const;
  emit(peer, { type: "step-down", term: peer.term, why });
  becomeFollower(peer, peer.term, null, why);
}
