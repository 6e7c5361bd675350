/**
 * Putting a membership in force: when its entry is applied (thesis §4.1 has it earlier, when it is appended; etcd
 * differs and so does this), or when a snapshot brings it.
 */
import { byLengthThenUnits } from "../base/compare.ts";
import type { ConfChange } from "./conf-change.ts";
import { entersJoint, leavesJoint } from "./conf-change.ts";
import type { Members } from "./configuration.ts";
import {
  changeSimply,
  ConfChangeRefused,
  enterJoint,
  isJoint,
  isVoter,
  leaveJoint,
  membersOf,
} from "./configuration.ts";
import { RaftPanic } from "./events.ts";
import type { Progress } from "./progress.ts";
import { newProgress } from "./progress.ts";
import { proposeAsLeader } from "./proposals.ts";
import { advanceCommit, broadcastAppend, sendAppend } from "./replication.ts";
import { abortTransfer, becomeFollower } from "./roles.ts";
import type { PeerState } from "./state.ts";
import { emit } from "./state.ts";
import type { ConfState, NodeId } from "./types.ts";
import { NO_DATA } from "./types.ts";

/** An applied entry changes the membership. */
export function applyConfChange(peer: PeerState, change: ConfChange): ConfState {
  putInForce(peer, changed(peer, change));
  return peer.conf;
}

function changed(peer: PeerState, change: ConfChange): Members {
  const members: Members = { conf: peer.conf, progress: peer.progress };
  const join = joiner(peer);
  try {
    // An empty change with a transition passes the check of proposals; where etcd would stop, it leaves all the same.
    if (leavesJoint(change) || (change.steps.length === 0 && isJoint(peer.conf))) return leaveJoint(members);
    if (peer.broken.has("change-majority-at-once"))
      return changeSimply(members, change.steps, join, Number.POSITIVE_INFINITY);
    if (entersJoint(change)) return enterJoint(members, change.steps, change.transition !== "explicit", join);
    return changeSimply(members, change.steps, join);
  } catch (error) {
    if (error instanceof ConfChangeRefused)
      throw new RaftPanic(`a committed change of membership can't be applied: ${error.rule}`, { cause: error });
    throw error;
  }
}

/** The membership of a snapshot, or of the disk at the start. */
export function restoreMembers(peer: PeerState, conf: ConfState): void {
  putInForce(peer, membersOf(conf, joiner(peer)));
}

/** Who joins is tried first with the end of the log: it may have got it with a snapshot. */
function joiner(peer: PeerState): (id: NodeId) => Progress {
  const next = Math.max(peer.log.lastIndex, 1);
  return (id) => newProgress(id, next, peer.settings.limits);
}

/** Takes over the members and what follows from them, without acting on it. */
export function setMembers(peer: PeerState, members: Members): void {
  peer.conf = members.conf;
  peer.progress = members.progress;
  peer.own = members.progress.get(peer.id) ?? null;
  peer.peers = [...members.progress.values()].sort((a, b) => byLengthThenUnits(a.id, b.id));
  const learners = new Set(members.conf.learners);
  for (const progress of peer.peers) progress.learner = learners.has(progress.id);
  const half = (ids: readonly NodeId[]): Progress[] => peer.peers.filter((progress) => ids.includes(progress.id));
  peer.incoming = half(members.conf.voters);
  peer.outgoing = half(members.conf.votersOutgoing);
}

function putInForce(peer: PeerState, members: Members): void {
  setMembers(peer, members);
  emit(peer, { type: "conf-switched", conf: peer.conf });
  if (peer.role !== "leader") return;
  const { own } = peer;
  if (own === null || own.learner) {
    // It may go on leading until the change is committed under the new quorum, without counting itself (thesis §4.2.2).
    if (peer.settings.stepDownOnRemoval)
      becomeFollower(peer, peer.term, null, { rule: "removed", learner: own?.learner ?? false });
    return;
  }
  // A smaller quorum may have committed more already; a larger one has members to catch up.
  if (advanceCommit(peer)) broadcastAppend(peer);
  else for (const progress of peer.peers) if (progress.id !== peer.id) sendAppend(peer, progress, false);
  if (peer.transferee !== null && !isVoter(peer.conf, peer.transferee))
    abortTransfer(peer, { rule: "target-removed", to: peer.transferee });
}

/**
 * Entries, or a snapshot, are applied. A leader whose joint configuration wants to be left by itself proposes that
 * now, if the entry that entered it is among the applied (thesis §4.3; etcd AutoLeave).
 */
export function appliedTo(peer: PeerState, index: number, bytes: number): void {
  const log = peer.log;
  log.appliedTo(Math.max(index, log.applied), bytes);
  if (!peer.conf.autoLeave || peer.role !== "leader" || log.applied < peer.pendingConfIndex) return;
  const conf = peer.conf;
  const dropped = proposeAsLeader(peer, [{ type: "conf-change-v2", data: NO_DATA }]);
  emit(peer, { type: "auto-leave", conf, dropped });
}
