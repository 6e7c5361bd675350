/**
 * What a world looks like at one instant: the fold of its trace, and the deltas that carry it to the page.
 *
 * Facts only, no pixels: when a message was sent and when it will arrive, not where it is drawn. Everything is plain
 * data. The fold (`scenario/fold/`) is the only writer; the page mirrors it with `applyDelta`.
 */
import type { Micros } from "../base/units.ts";
import type { EtcdDelta, EtcdView } from "./etcd-view.ts";
import type { LabDelta, LabView } from "./lab-view.ts";
import type { Liveness } from "./liveness.ts";
import type { LinkQuality, MessageId, ProcessId, Settings } from "../sim/command.ts";

export type Role = "follower" | "pre-candidate" | "candidate" | "leader" | "learner";

/** One vote as its candidate has counted it. */
export type Ballot = "asked" | "granted" | "refused";

/** An election or heartbeat timer, for the draining arc: it runs out at `firesAt` unless it is set anew before. */
export interface TimerView {
  readonly kind: "election" | "heartbeat";
  readonly setAt: Micros;
  readonly firesAt: Micros;
}

export interface LogCell {
  readonly term: number;
  /** `no-op`: the entry that a new leader appends; `config`: a membership change. */
  readonly kind: "write" | "no-op" | "config";
  /** What the entry says, short: the value written. Empty for a no-op. */
  readonly label: string;
}

export interface MemberView {
  readonly id: ProcessId;
  /** Counts its starts, from 1. */
  readonly incarnation: number;
  readonly liveness: Liveness;
  readonly panic: { readonly message: string; readonly stack: string } | null;
  readonly role: Role;
  readonly term: number;
  readonly votedFor: ProcessId | null;
  /** Whom it takes for the leader. */
  readonly leader: ProcessId | null;
  /** While it campaigns: each member's answer, itself included. */
  readonly ballots: Readonly<Record<string, Ballot>> | null;
  readonly timer: TimerView | null;
  /** The membership that it counts by; null before it has one. */
  readonly conf: ConfView | null;
  readonly commit: number;
  readonly applied: number;
  /** The last index that its disk holds for certain. */
  readonly durable: number;
  readonly lastIndex: number;
  /** What its state machine holds: the register's value, null before the first write. */
  readonly value: string | null;
  /** As leader: what it knows of each follower. */
  readonly progress: Readonly<Record<string, { readonly match: number; readonly next: number }>> | null;
  /** Fsyncs that were begun and have not ended. */
  readonly fsyncs: number;
  readonly diskBytes: number;
}

/** A configuration; joint while `votersOutgoing` is not empty (thesis §4.3). */
export interface ConfView {
  readonly voters: readonly ProcessId[];
  readonly votersOutgoing: readonly ProcessId[];
  readonly learners: readonly ProcessId[];
  readonly learnersNext: readonly ProcessId[];
}

/** What a message is, for shape, colour and label. Raft's kinds, and what goes between clients and members. */
export type FlightKind =
  | "vote-request"
  | "pre-vote-request"
  | "vote-granted"
  | "vote-refused"
  | "append"
  | "append-ok"
  | "append-refused"
  | "heartbeat"
  | "heartbeat-ok"
  | "snapshot"
  | "timeout-now"
  | "forward"
  | "read-index"
  | "read-index-ok"
  | "connect"
  | "request"
  | "response"
  | "close";

export interface Flight {
  readonly id: MessageId;
  readonly kind: FlightKind;
  readonly from: ProcessId;
  readonly to: ProcessId;
  readonly term: number;
  readonly sentAt: Micros;
  /** When it arrives or, if `lost`, would have: a lost message is drawn until half way. Null if it waits at its sender. */
  readonly arrivesAt: Micros | null;
  /** Since when it stands still, held by hand or by a cut under its connection; null while it moves. */
  readonly heldAt: Micros | null;
  /** Why it will not arrive; null when it will. */
  readonly lost: "cut" | "loss" | "dropped" | "receiver-down" | "closed" | null;
  readonly copyOf: MessageId | null;
  /** The terms of the entries that it carries (an append draws a square for each), at most 8 of them. */
  readonly entryTerms: readonly number[];
  readonly entryCount: number;
  /** A few figures for the label, already named: prev, commit, last, hint, value, error … */
  readonly figures: Readonly<Record<string, string | number>>;
}

/** A client's program as data: where it stands and what it knows. */
export interface ClientView {
  readonly id: ProcessId;
  readonly liveness: Liveness;
  /** The label of the step at which its program stands. */
  readonly step: "idle" | "connect" | "send" | "await" | "back-off";
  readonly member: ProcessId | null;
  /** The writes that it was asked for, oldest first; the last 20. */
  readonly writes: readonly WriteView[];
  /** Likewise the reads. */
  readonly reads: readonly ReadView[];
}

export interface ReadView {
  readonly request: number;
  readonly serializable: boolean;
  readonly member: ProcessId | null;
  readonly askedAt: Micros;
  readonly outcome: "pending" | "done" | "refused" | "unknown";
  /** What was read, once done; null is a register that nobody wrote. */
  readonly value: string | null;
  readonly why: string | null;
}

export interface WriteView {
  readonly request: number;
  readonly value: string;
  readonly member: ProcessId | null;
  readonly askedAt: Micros;
  /** `unknown`: the client gave up waiting, and the write may still happen. */
  readonly outcome: "pending" | "done" | "refused" | "unknown";
  readonly why: string | null;
  /** Where it stands in the log, once some leader appended it. */
  readonly entry: { readonly term: number; readonly index: number } | null;
}

/** One line of what happened, for the line under the stage and for the timeline. */
export interface Note {
  /** The id of the trace event that it tells of. */
  readonly event: number;
  readonly at: Micros;
  readonly process: ProcessId | null;
  /** The name of a sentence, the same in every language. */
  readonly what: string;
  readonly figures: Readonly<Record<string, string | number | null>>;
}

/** A term's leader in time, for the timeline; `to` is null while it leads. */
export interface Reign {
  readonly leader: ProcessId;
  readonly term: number;
  readonly from: Micros;
  readonly to: Micros | null;
}

/** A rule that was broken: which, by what event, and the figures that it was judged by. */
export interface ViolationView {
  readonly rule: string;
  readonly event: number;
  readonly at: Micros;
  readonly process: ProcessId | null;
  readonly figures: Readonly<Record<string, number | string | null | readonly string[]>>;
}

export interface View {
  readonly at: Micros;
  /** World events processed so far: the moment's name in links and commands. */
  readonly n: number;
  readonly members: ReadonlyMap<ProcessId, MemberView>;
  /** For each member its log's cells; the first stands for index `firstIndex`. */
  readonly logs: ReadonlyMap<ProcessId, LogView>;
  readonly clients: ReadonlyMap<ProcessId, ClientView>;
  readonly flights: ReadonlyMap<MessageId, Flight>;
  /** Directions that are cut, as `linkKey` names them. */
  readonly cuts: ReadonlySet<string>;
  readonly network: LinkQuality;
  readonly settings: Settings;
  /** The first rule that was broken; null while all hold. */
  readonly violation: ViolationView | null;
  readonly reigns: readonly Reign[];
  /** The latest notes, oldest first, at most `NOTES_KEPT`. */
  readonly notes: readonly Note[];
  /** Those among all notes that tell of a fault or its end, at most `FAULTS_KEPT`. */
  readonly faults: readonly Note[];
  /** Null unless the members run etcd. */
  readonly etcd: EtcdView | null;
  /** Null unless the run is a lock lab. */
  readonly lab: LabView | null;
}

export interface LogView {
  readonly firstIndex: number;
  /** At most `LOG_WINDOW` cells: older ones are cut off in front. */
  readonly cells: readonly LogCell[];
}

export const LOG_WINDOW = 512;
/** A view keeps this many notes, and this many faults. */
export const NOTES_KEPT = 200;
export const FAULTS_KEPT = 500;

/** Cells from index `from` on replace what stood there and behind it. */
export interface LogChange {
  readonly from: number;
  readonly firstIndex: number;
  readonly cells: readonly LogCell[];
}

/**
 * What changed since the last delta. Absent parts did not change. With `whole` set it is a keyframe: the receiver
 * forgets everything before it takes the parts.
 */
export interface Delta {
  readonly whole: boolean;
  readonly at: Micros;
  readonly n: number;
  readonly members?: readonly MemberView[];
  readonly gone?: readonly ProcessId[];
  readonly logs?: Readonly<Record<string, LogChange>>;
  readonly clients?: readonly ClientView[];
  readonly flights?: readonly Flight[];
  readonly landed?: readonly MessageId[];
  readonly cuts?: readonly string[];
  readonly network?: LinkQuality;
  readonly settings?: Settings;
  readonly violation?: ViolationView | null;
  /** All reigns from this position on. */
  readonly reigns?: { readonly from: number; readonly reigns: readonly Reign[] };
  readonly notes?: readonly Note[];
  readonly faults?: readonly Note[];
  readonly etcd?: EtcdDelta;
  readonly lab?: LabDelta;
}
