/**
 * What a replica runs above its log: a deterministic state that the log's commands change, and what is offered to
 * clients on top of it.
 *
 * etcd's member and ZooKeeper's server are such services; the register (`register.ts`) is the smallest. The replicated
 * part (`snapshot`) is changed by `apply` and `confApplied` alone: services that are told the same in the same order are
 * in the same state. Everything else (who is connected, what waits) is one member's own, gone when it crashes.
 *
 * A service is called by its replica and calls its `ServiceHost`; neither waits. What is asked of the host is named by a
 * ticket, and a service keeps plain data by ticket, so that a checkpoint holds all that is under way.
 */
import type { Rng } from "../base/rng.ts";
import type { Micros } from "../base/units.ts";
import type { ConfChange } from "../raft/conf-change.ts";
import type { ProgressView, Reason } from "../raft/events.ts";
import type { PeerStatus } from "../raft/peer.ts";

import type { ConfState, EntryId, Index, NodeId, Term } from "../raft/types.ts";
import type { ProcessId } from "../sim/command.ts";
import type { ConnectionId, Stamp } from "../sim/process.ts";
import type { Command } from "./command.ts";
import type { Origin } from "./envelope.ts";
import type { RequestKey } from "./events.ts";

/** Names what a service asked of its host; unique in one incarnation of a member, from 1 up. */
export type Ticket = number;

/** Where a committed entry stands, and whether it is one that this member proposed since it started. */
export interface Applied {
  readonly entry: EntryId;
  /** What `propose` gave for it; null when another member, or an earlier life of this one, proposed it. */
  readonly ticket: Ticket | null;
  /** Who proposed it; null of a change of membership that no service proposed. */
  readonly origin: Origin | null;
}

export interface ServiceHost {
  readonly id: NodeId;
  /** Counts this member's starts. */
  readonly incarnation: number;
  /**
   * Puts a command into the log; its bytes are copied. What is proposed at one instant is proposed as one. In the end comes `apply` with this
   * ticket, or `refused`; or nothing, when it was lost on its way to the leader or with it.
   */
  propose(command: Uint8Array): Ticket;
  /** Likewise a change of membership: `confApplied` or `refused`. `context` is the service's own. */
  proposeConfChange(change: ConfChange): Ticket;
  /**
   * Asks for a linearizable read: `readable` comes when this member has applied all that was committed when it was
   * asked. Asked again by the replica while no answer comes. Null when there is no leader to ask.
   */
  readIndex(): Ticket | null;
  /** What this ticket was for is no longer wanted; nothing more is said of it. */
  forget(ticket: Ticket): void;
  /** How a proposal of this member is named in the record. */
  keyOf(ticket: Ticket): RequestKey;
  /** Asks the leader to hand over to this member. */
  transferTo(to: NodeId): void;
  /** To the service of another member: a datagram. */
  send(to: NodeId, data: unknown): void;
  transmit(connection: ConnectionId, data: unknown): void;
  close(connection: ConnectionId): void;
  /** `woke` comes when this member's awake time reaches `awake`; replaces what was asked before. */
  wakeAt(awake: Micros | null): void;
  /** The last entry that was applied here. */
  readonly applied: EntryId;
  /** The last that is known to be committed. */
  readonly commit: Index;
  readonly term: Term;
  status(): PeerStatus;
  /** As leader: what it knows of each member. Empty otherwise. */
  progress(): readonly { readonly id: NodeId; readonly progress: ProgressView }[];
  /** Entries of the log up to the applied one may be forgotten, as if the snapshot count had been reached. */
  takeSnapshot(): void;
  /** Draws are part of the member's state. */
  readonly rng: Rng;
  /** Null when nobody listens. */
  readonly emit: ((event: object) => void) | null;
}

export interface Service {
  /** Before anything else, after `restore` if the disk held a snapshot, or after `resume`. */
  start(host: ServiceHost): void;
  accepted(connection: ConnectionId, from: ProcessId): void;
  received(connection: ConnectionId, data: unknown, stamp: Stamp): void;
  closed(connection: ConnectionId): void;
  /** From the service of another member. */
  message(from: NodeId, data: unknown, stamp: Stamp): void;

  /** Applies one committed command. */
  apply(command: Command, applied: Applied, stamp: Stamp): void;
  /** Whether a committed change of membership is against the service's own rules: then it changes nothing in Raft. */
  vetoes?(change: ConfChange): boolean;
  /** A change of membership has taken effect; `conf` is what holds now. */
  confApplied(change: ConfChange, conf: ConfState, applied: Applied, stamp: Stamp): void;
  readable(ticket: Ticket, stamp: Stamp): void;
  /** What the ticket names was not done, and will not be. */
  refused(ticket: Ticket, why: Reason, stamp: Stamp): void;
  /** Its member's role, or the leader that it knows of, is another. */
  roleChanged(status: PeerStatus, stamp: Stamp): void;
  woke(stamp: Stamp): void;

  /** A few characters that tell a command in a picture of the log. */
  label(command: Command): string;
  /** The state in a few characters, for a picture of the member; null when there is nothing yet. */
  summary(): string | null;
  /** The replicated part, equal on all members that have applied as much. */
  snapshot(): Uint8Array;
  restore(snapshot: Uint8Array): void;
  /** All of it, cheap, as plain data that can be posted. */
  checkpoint(): unknown;
  resume(checkpoint: unknown): void;
}
