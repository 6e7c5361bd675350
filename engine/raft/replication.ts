/**
 * What a leader does to bring every log to its own, and to find out what is committed (§5.3, §5.4.2).
 */
import type { ProgressCause, Reason } from "./events.ts";
import { RaftPanic } from "./events.ts";
import { NO_ENTRIES, ZERO } from "./log.ts";
import type { Progress } from "./progress.ts";
import { becomeSnapshot, isPaused, noteSent, viewOf, windowFull } from "./progress.ts";
import { committedIndex, jointCommittedIndex } from "./quorum.ts";
import { payloadBytes } from "./size.ts";
import type { PeerState } from "./state.ts";
import { emit, send, sendAfterPersist } from "./state.ts";
import type { Entry, Index, NodeId, Proposal } from "./types.ts";

/** Changes a progress and tells the trace what it is then. */
export function changeProgress(peer: PeerState, progress: Progress, cause: ProgressCause, change: () => void): void {
  if (peer.emit === null) return change();
  const before = cause === "recovered" ? viewOf(progress) : null;
  change();
  peer.emit({ type: "progress-changed", peer: progress.id, cause, before, after: viewOf(progress) });
}

/**
 * Appends what was proposed, with the leader's term, and acknowledges it to itself like any member: by a message that
 * counts when the write is durable (thesis §10.2.1, writing to the leader's disk in parallel).
 *
 * @returns null, or why nothing was appended
 */
export function appendOwn(peer: PeerState, proposals: readonly Proposal[]): Reason | null {
  const bytes = payloadBytes(proposals);
  const limit = peer.settings.limits.maxUncommittedBytes;
  // A proposal is let in whatever its size if nothing else is uncommitted, and empty entries always are.
  if (peer.uncommittedBytes > 0 && bytes > 0 && peer.uncommittedBytes + bytes > limit)
    return { rule: "uncommitted-limit", bytes, uncommitted: peer.uncommittedBytes, limit };
  peer.uncommittedBytes += bytes;
  const entries: Entry[] = [];
  let index = peer.log.lastIndex;
  for (const { type, data, refused } of proposals) {
    index += 1;
    const entry = { term: peer.term, index, type, data };
    entries.push(refused === true ? { ...entry, refused } : entry);
  }
  peer.log.append(entries);
  sendAfterPersist(peer, {
    type: "AppendEntriesReply",
    from: peer.id,
    to: peer.id,
    term: peer.term,
    rejected: false,
    index,
    hint: ZERO,
  });
  return null;
}

/** Sends each other member what it lacks, or an empty append that carries the commit. */
export function broadcastAppend(peer: PeerState): void {
  for (const progress of peer.peers) if (progress.id !== peer.id) sendAppend(peer, progress, true);
}

/**
 * Sends one append, as flow control allows; a snapshot if what comes before it was compacted away (§7).
 *
 * @param evenEmpty an append without entries is worth sending: it carries the commit, or probes
 * @returns whether something was sent
 */
export function sendAppend(peer: PeerState, to: Progress, evenEmpty: boolean): boolean {
  if (isPaused(to)) return false;
  const log = peer.log;
  const prevIndex = to.next - 1;
  const prevTerm = log.termAt(prevIndex);
  if (prevTerm === null) return sendSnapshot(peer, to);
  const entries =
    to.next > log.lastIndex || (to.state === "replicate" && windowFull(to))
      ? NO_ENTRIES
      : log.entriesFrom(to.next, peer.settings.limits.maxMessageBytes);
  if (entries.length === 0 && !evenEmpty) return false;
  send(peer, {
    type: "AppendEntries",
    from: peer.id,
    to: to.id,
    term: peer.term,
    prev: { term: prevTerm, index: prevIndex },
    entries,
    leaderCommit: log.commit,
  });
  noteSent(to, entries.length, payloadBytes(entries));
  to.sentCommit = log.commit;
  return true;
}

function sendSnapshot(peer: PeerState, to: Progress): boolean {
  if (!to.active) {
    emit(peer, { type: "snapshot-not-sent", to: to.id, why: { rule: "not-recently-active" } });
    return false;
  }
  const snapshot = peer.settings.snapshot();
  if (snapshot === null) {
    emit(peer, { type: "snapshot-not-sent", to: to.id, why: { rule: "snapshot-unavailable" } });
    return false;
  }
  // One that ends before the log begins is sent all the same: the host may have a newer one when it is asked again.
  if (snapshot.last.index === 0) throw new RaftPanic("the snapshot to be sent is empty");
  const before = viewOf(to);
  becomeSnapshot(to, snapshot.last.index);
  if (peer.emit !== null)
    peer.emit({
      type: "snapshot-sent",
      to: to.id,
      snapshot: { term: snapshot.last.term, index: snapshot.last.index },
      firstIndex: peer.log.firstIndex,
      commit: peer.log.commit,
      before,
      after: viewOf(to),
    });
  send(peer, { type: "InstallSnapshot", from: peer.id, to: to.id, term: peer.term, snapshot });
  return true;
}

/** Never tells a member of a commit beyond what it is known to hold: behind that, its log may differ. */
export function broadcastHeartbeat(peer: PeerState, context: string | null): void {
  const commit = peer.log.commit;
  for (const progress of peer.peers) {
    if (progress.id === peer.id) continue;
    const leaderCommit = progress.match < commit ? progress.match : commit;
    send(peer, { type: "Heartbeat", from: peer.id, to: progress.id, term: peer.term, leaderCommit, context });
    progress.sentCommit = leaderCommit;
  }
}

/**
 * Commits what a quorum of both halves holds, if its entry is of the leader's own term; older entries are committed
 * with it, never by counting (§5.4.2, Figure 8).
 *
 * @returns whether the commit moved
 */
export function advanceCommit(peer: PeerState): boolean {
  const index = agreedIndex(peer);
  if (index <= peer.log.commit) return false;
  if (peer.log.termAt(index) !== peer.term && !peer.broken.has("commit-old-term-by-counting")) return false;
  peer.log.commitTo(index);
  return true;
}

/** How far enough members hold the log. */
function agreedIndex(peer: PeerState): Index {
  const { broken, incoming, outgoing } = peer;
  if (broken.has("commit-without-majority")) return peer.own?.match ?? 0;
  if (broken.has("count-learners")) {
    const learners = peer.peers.filter(({ learner }) => learner);
    return Math.min(
      committedIndex([...incoming, ...learners], incoming.length),
      committedIndex([...outgoing, ...learners], outgoing.length),
    );
  }
  return jointCommittedIndex(incoming, outgoing);
}

export function committedInOwnTerm(peer: PeerState): boolean {
  return peer.log.termAt(peer.log.commit) === peer.term;
}

export function sendTimeoutNow(peer: PeerState, to: NodeId): void {
  send(peer, { type: "TimeoutNow", from: peer.id, to, term: peer.term });
}
