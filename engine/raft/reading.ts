/**
 * Linearizable reads without writing to the log (thesis §6.4; lease-based: §6.4.1).
 *
 * "safe": the leader notes its commit index and proves by a round of heartbeats that nobody else leads. "lease-based":
 * it trusts that a quorum which it heard from within the election timeout elects nobody else, which is only as good as
 * the clocks.
 */
import type { PendingRead, ReadRequest } from "./reads.ts";
import { acknowledgeRead, addRead, takeReadsUpTo } from "./reads.ts";
import { jointVoteResult } from "./quorum.ts";
import { broadcastHeartbeat, committedInOwnTerm } from "./replication.ts";
import type { PeerState } from "./state.ts";
import { emit, send } from "./state.ts";
import type { HeartbeatReply, Index } from "./types.ts";

/** A leader is asked. Until an entry of its own term is committed it does not know what is (§8, §5.4.2). */
export function askReadAsLeader(peer: PeerState, request: ReadRequest): void {
  if (!committedInOwnTerm(peer)) {
    emit(peer, {
      type: "read-index-waits",
      context: request.context,
      from: request.from,
      why: { rule: "commit-own-term-first", term: peer.term, commit: peer.log.commit },
    });
    peer.earlyReads.push(request);
    return;
  }
  serveRead(peer, request);
}

/** Nobody else can lead. (etcd answers then even before the own term's first commit: after a restart that may be old.) */
function isAlone({ incoming, outgoing }: PeerState): boolean {
  return outgoing.length === 0 && incoming.length === 1;
}

function serveRead(peer: PeerState, request: ReadRequest): void {
  const index = peer.log.commit;
  if (isAlone(peer)) return confirm(peer, request, index);
  emit(peer, { type: "read-index-asked", context: request.context, from: request.from, index });
  if (peer.readOnly === "lease-based" || peer.broken.has("read-without-quorum")) return confirm(peer, request, index);
  if (addRead(peer.pendingReads, request, index, peer.id)) broadcastHeartbeat(peer, request.context);
}

/** The first commit of the own term has come. */
export function serveEarlyReads(peer: PeerState): void {
  if (peer.earlyReads.length === 0 || !committedInOwnTerm(peer)) return;
  const requests = peer.earlyReads;
  peer.earlyReads = [];
  for (const request of requests) serveRead(peer, request);
}

/** The context for the next heartbeats: the newest read, which proves the older ones with it. */
export function heartbeatContext(peer: PeerState): string | null {
  return peer.pendingReads.length === 0 ? null : (peer.pendingReads.at(-1)?.context ?? null);
}

export function noteHeartbeatAnswer(peer: PeerState, reply: HeartbeatReply): void {
  if (reply.context === null) return;
  const read: PendingRead | null = acknowledgeRead(peer.pendingReads, reply.context, reply.from);
  if (read === null || jointVoteResult(peer.conf.voters, peer.conf.votersOutgoing, read.acks) !== "won") return;
  for (const proven of takeReadsUpTo(peer.pendingReads, read)) confirm(peer, proven, proven.index);
}

function confirm(peer: PeerState, request: ReadRequest, index: Index): void {
  const { context, from } = request;
  emit(peer, { type: "read-index-confirmed", context, to: from, index });
  if (from === peer.id) peer.readStates.push({ context, index });
  else send(peer, { type: "ReadIndexReply", from: peer.id, to: from, term: peer.term, context, index });
}
