/**
 * Reads that wait for proof that the leader still leads (thesis §6.4; etcd readOnly).
 *
 * A request notes the commit index of its moment and travels with the next heartbeats as their context. A quorum of
 * answers proves leadership for it and for every request before it.
 */
import type { Index, NodeId } from "./types.ts";

export interface ReadRequest {
  readonly context: string;
  /** Who asked: the peer itself, or a follower that forwarded. */
  readonly from: NodeId;
}

export interface PendingRead extends ReadRequest {
  readonly index: Index;
  /** Who answered a heartbeat of this context, the leader itself included. */
  readonly acks: Map<NodeId, boolean>;
}

/** Oldest first. A context that waits already is not asked a second time. */
export function addRead(queue: PendingRead[], { context, from }: ReadRequest, index: Index, self: NodeId): boolean {
  if (queue.some((read) => read.context === context)) return false;
  const acks = new Map<NodeId, boolean>();
  acks.set(self, true);
  queue.push({ context, from, index, acks });
  return true;
}

export function acknowledgeRead(queue: readonly PendingRead[], context: string, from: NodeId): PendingRead | null {
  const read = queue.find((waiting) => waiting.context === context);
  if (read === undefined) return null;
  read.acks.set(from, true);
  return read;
}

/** The proven read and all before it leave the queue. */
export function takeReadsUpTo(queue: PendingRead[], read: PendingRead): readonly PendingRead[] {
  return queue.splice(0, queue.indexOf(read) + 1);
}
