/**
 * What a peer takes in, what it asks for, what it is made from: the shapes at the border of the Raft core.
 *
 * A peer is pure. It has no clock (it is ticked), no disk (it says what to write and is told when that is durable), no
 * network (it says what to send) and no randomness of its own (`draw`). One input is handled at a time; what is to be
 * done about it is taken with `ready()`, after one input or after a batch of them, which is group commit.
 */
import type { BrokenRules } from "./broken.ts";
import type { ConfChange } from "./conf-change.ts";
import type { Emit, Reason } from "./events.ts";
import type {
  Ack,
  ConfState,
  Entry,
  EntryId,
  HardState,
  Index,
  Message,
  NodeId,
  Proposal,
  Role,
  Snapshot,
  Term,
} from "./types.ts";

/** What a peer starts from: all zero and empty for a new one, else what its disk held. */
export interface Restored {
  readonly hardState: HardState | null;
  /** The membership as of `applied`. */
  readonly conf: ConfState;
  /** The entry just before `entries`: 0/0, or the last one that a snapshot covers. */
  readonly base: EntryId;
  readonly entries: readonly Entry[];
  /** How far the state machine is; never below `base`. */
  readonly applied: Index;
}

/** Sizes in bytes of the protobuf encoding, as etcd counts them; Infinity where there is no limit. */
export interface Limits {
  /** Entries of one append (MaxSizePerMsg). One entry always passes. */
  readonly maxMessageBytes: number;
  /** Appends on their way to one follower (MaxInflightMsgs, MaxInflightBytes). */
  readonly maxInflightMessages: number;
  readonly maxInflightBytes: number;
  /** Data of the leader's uncommitted entries; beyond it proposals are dropped (MaxUncommittedEntriesSize). */
  readonly maxUncommittedBytes: number;
  /** Entries handed out and not reported applied (MaxCommittedSizePerReady). One entry always passes. */
  readonly maxCommittedBytesPerReady: number;
}

/** How a leader makes sure that it still leads before it answers a read (thesis §6.4, §6.4.1). */
export type ReadOnlyMode = "safe" | "lease-based";

export interface PeerConfig {
  readonly id: NodeId;
  readonly restored: Restored;
  /** The least election timeout; also the lease, the term of a quorum check and of a transfer. */
  readonly electionTicks: number;
  /** The timeout is drawn from [electionTicks, electionTicks + electionSpreadTicks - 1]; electionTicks when left out. */
  readonly electionSpreadTicks?: number;
  readonly heartbeatTicks: number;
  readonly preVote?: boolean;
  readonly checkQuorum?: boolean;
  readonly readOnly?: ReadOnlyMode;
  readonly stepDownOnRemoval?: boolean;
  readonly disableProposalForwarding?: boolean;
  readonly disableConfChangeValidation?: boolean;
  readonly limits?: Partial<Limits>;
  /** Rules that are switched off; none when left out. */
  readonly broken?: BrokenRules;
  /** Writes and applies are reported when they are done, and several may be outstanding; otherwise each Ready in turn. */
  readonly asyncStorage: boolean;
  /** An integer of [0, n), from the host's generator. */
  readonly draw: (n: number) => number;
  /** The newest snapshot of the state machine, for a follower that needs one; null when there is none now. */
  readonly snapshot: () => Snapshot | null;
  readonly emit: Emit | null;
}

export type Input =
  | { readonly type: "message"; readonly message: Message }
  /** MsgHup: stand for election now. */
  | { readonly type: "campaign" }
  | { readonly type: "propose"; readonly proposals: readonly Proposal[] }
  /** In etcd's new form; an old-style one is proposed with `confChangeProposal(change, "conf-change")`. */
  | { readonly type: "propose-conf-change"; readonly change: ConfChange }
  /** Asks for an index that a linearizable read has to wait for; `context`, unique in the cluster, names its answer. */
  | { readonly type: "read-index"; readonly context: string }
  | { readonly type: "transfer-leadership"; readonly to: NodeId }
  | { readonly type: "forget-leader" }
  /** The network could not deliver to this peer. */
  | { readonly type: "unreachable"; readonly peer: NodeId }
  /** Whether a snapshot sent to this peer arrived. */
  | { readonly type: "snapshot-status"; readonly peer: NodeId; readonly ok: boolean };

/** An input that was not taken; the peer is unchanged. */
export type StepError =
  | { readonly error: "proposal-dropped"; readonly why: Reason }
  | { readonly error: "peer-not-found"; readonly why: Reason }
  | { readonly error: "malformed-message"; readonly why: Reason };

/** What is known without asking the log; it need not survive (etcd SoftState). */
export interface SoftState {
  readonly leader: NodeId | null;
  readonly role: Role;
}

/** A report that a write is durable (MsgStorageAppendResp). */
export interface Written {
  readonly term: Term;
  /** The last entry of the log when the write was asked for; null if the log had nothing unstable. */
  readonly last: EntryId | null;
  readonly snapshot: Snapshot | null;
}

/**
 * One write. `then` is etcd's msgsAfterAppend made a shape: a vote or an acknowledgement can only leave from inside the
 * write it rests on (thesis §3.8). Writes are durable in the order in which they are handed out, also those that have
 * nothing to write and are there for their `then` alone.
 */
export interface Persist {
  readonly hardState: HardState | null;
  readonly entries: readonly Entry[];
  readonly snapshot: Snapshot | null;
  /** False when only the commit moved: losing that costs nothing. */
  readonly mustSync: boolean;
  /** Leave when the write is durable: those for others through the network, those for the peer itself in `advance`. */
  readonly then: readonly Ack[];
  readonly written: Written | null;
}

/** The answer to a read-index request: serve the read when the state machine has applied `index`. */
export interface ReadState {
  readonly context: string;
  readonly index: Index;
}

/** Everything but acknowledgements: these may leave at once, also before the write beside them is durable. */
export type Sendable = Exclude<Message, Ack>;

export interface Ready {
  /** Null when unchanged since the last Ready. */
  readonly soft: SoftState | null;
  readonly persist: Persist | null;
  readonly send: readonly Sendable[];
  /** Committed entries; with async storage only those that are durable here. */
  readonly apply: readonly Entry[];
  readonly readStates: readonly ReadState[];
}

export type Done =
  /** A `Persist` is durable: `{ type: "persisted", ...persist }`. Acks for others are left alone here. */
  | { readonly type: "persisted"; readonly then: readonly Ack[]; readonly written: Written | null }
  /** Entries of a Ready's `apply` are applied: `{ type: "applied", entries: ready.apply }`. */
  | { readonly type: "applied"; readonly entries: readonly Entry[] };

export interface PeerStatus {
  readonly id: NodeId;
  readonly role: Role;
  readonly term: Term;
  readonly vote: NodeId | null;
  readonly leader: NodeId | null;
  readonly commit: Index;
  readonly applied: Index;
  readonly firstIndex: Index;
  readonly last: EntryId;
  readonly transferee: NodeId | null;
  readonly conf: ConfState;
}
