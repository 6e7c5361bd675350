/**
 * What a follower does with a leader's messages, and with what it passes on to its leader (Figure 2, receivers).
 *
 * `takeAppend`, `takeHeartbeat` and `takeSnapshot` serve a candidate too, after it has become a follower.
 */
import type { Reason } from "./events.ts";
import { ZERO } from "./log.ts";
import { restoreMembers } from "./membership.ts";
import { noteMatch } from "./progress.ts";
import { dropProposal } from "./proposals.ts";
import type { ReadRequest } from "./reads.ts";
import type { PeerState } from "./state.ts";
import { emit, send, sendAfterPersist, setLeader } from "./state.ts";
import type { AppendEntries, EntryId, Heartbeat, Index, InstallSnapshot, NodeId, Proposal, Snapshot } from "./types.ts";

/** Answers with the last entry that is known to match, or says where the logs may agree (§5.3). */
export function takeAppend(peer: PeerState, append: AppendEntries): void {
  const { prev, entries, from } = append;
  const log = peer.log;
  // What is committed matches any leader's log (§5.4.3): nothing to check, and nothing to take.
  if (prev.index < log.commit) return acknowledge(peer, from, log.commit);
  const longEnough = peer.broken.has("append-without-matching") && prev.index <= log.lastIndex;
  if (!log.holds(prev) && !longEnough) return refuseAppend(peer, from, prev);
  const keeps = peer.broken.has("keep-conflicting-entries");
  log.takeAppend(keeps ? entries.filter(({ index }) => index > log.lastIndex) : entries);
  const lastNew = prev.index + entries.length;
  // Only what this append vouches for is committed here: behind it the log may differ (Figure 2 AppendEntries 5).
  log.commitTo(Math.min(append.leaderCommit, lastNew));
  acknowledge(peer, from, lastNew);
}

function acknowledge(peer: PeerState, to: NodeId, index: Index): void {
  sendAfterPersist(peer, {
    type: "AppendEntriesReply",
    from: peer.id,
    to,
    term: peer.term,
    rejected: false,
    index,
    hint: ZERO,
  });
}

function refuseAppend(peer: PeerState, to: NodeId, prev: EntryId): void {
  const log = peer.log;
  if (peer.emit !== null)
    peer.emit({
      type: "append-refused",
      from: to,
      why: {
        rule: "log-matching",
        prev,
        ours: { term: log.termAt(prev.index) ?? 0, index: prev.index },
        last: log.last(),
      },
    });
  // Our entries of a larger term than the leader's at `prev` can't be in its log: pass over them.
  const hint = log.lastIndexWithin(Math.min(prev.index, log.lastIndex), prev.term);
  sendAfterPersist(peer, {
    type: "AppendEntriesReply",
    from: peer.id,
    to,
    term: peer.term,
    rejected: true,
    index: prev.index,
    hint,
  });
}

export function takeHeartbeat(peer: PeerState, heartbeat: Heartbeat): void {
  peer.log.commitTo(heartbeat.leaderCommit);
  send(peer, {
    type: "HeartbeatReply",
    from: peer.id,
    to: heartbeat.from,
    term: peer.term,
    context: heartbeat.context,
  });
}

/** §7, Figure 13. */
export function takeSnapshot(peer: PeerState, message: InstallSnapshot): void {
  acknowledge(peer, message.from, restore(peer, message.snapshot) ? peer.log.lastIndex : peer.log.commit);
}

/** False when the snapshot brings nothing: it is older than the commit, or the log leads up to it already. */
function restore(peer: PeerState, snapshot: Snapshot): boolean {
  const { last, conf } = snapshot;
  const log = peer.log;
  const ignore = (why: Reason): false => {
    if (peer.emit !== null)
      peer.emit({ type: "snapshot-ignored", snapshot: last, commit: log.commit, last: log.last(), why });
    return false;
  };
  if (last.index <= log.commit) return ignore({ rule: "behind-commit", index: last.index, commit: log.commit });
  const members = [conf.voters, conf.learners, conf.votersOutgoing];
  if (!members.some((ids) => ids.includes(peer.id))) return ignore({ rule: "not-in-snapshot-conf", conf });
  if (log.holds(last)) {
    const commit = log.commit;
    log.commitTo(last.index);
    return ignore({ rule: "already-in-log", commit });
  }
  log.restore(snapshot);
  restoreMembers(peer, conf);
  const { own } = peer;
  if (own !== null) noteMatch(own, own.next - 1);
  if (peer.emit !== null)
    peer.emit({ type: "snapshot-restored", snapshot: last, commit: log.commit, last: log.last() });
  return true;
}

/** Only a leader appends: the proposal goes on to it, under its proposer's name. */
export function forwardProposal(peer: PeerState, from: NodeId, entries: readonly Proposal[]): Reason | null {
  const to = peer.leader;
  if (to === null) return dropProposal(peer, { rule: "no-leader" });
  if (peer.settings.disableProposalForwarding) return dropProposal(peer, { rule: "forwarding-off", leader: to });
  emit(peer, { type: "proposal-forwarded", to, count: entries.length });
  send(peer, { type: "ForwardProposal", from, to, term: 0, entries });
  return null;
}

export function forwardTransfer(peer: PeerState, target: NodeId): void {
  if (peer.leader === null)
    return emit(peer, { type: "transfer-dropped", term: peer.term, why: { rule: "no-leader" } });
  send(peer, { type: "ForwardTransfer", from: target, to: peer.leader, term: peer.term });
}

export function forwardRead(peer: PeerState, { context, from }: ReadRequest): void {
  if (peer.leader === null) return dropRead(peer, context, { rule: "no-leader" });
  send(peer, { type: "ReadIndex", from, to: peer.leader, term: 0, context });
}

export function dropRead(peer: PeerState, context: string, why: Reason): void {
  emit(peer, { type: "read-index-dropped", context, term: peer.term, why });
}

/** Somebody knows that the leader is gone: votes may be given at once. The election timer runs on (etcd MsgForgetLeader). */
export function forgetLeader(peer: PeerState): void {
  if (peer.readOnly === "lease-based")
    return emit(peer, { type: "forget-refused", term: peer.term, why: { rule: "lease-based-reads" } });
  if (peer.leader === null) return;
  emit(peer, { type: "leader-forgotten", leader: peer.leader, term: peer.term });
  setLeader(peer, null);
}
