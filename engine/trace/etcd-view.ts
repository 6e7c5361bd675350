/**
 * What an etcd cluster looks like: its keyspace with all that happened to each key, its leases, its watches, and the way
 * of each request. Facts from the trace, as the rest of the view.
 *
 * The keyspace is that of the member that has applied most (DESIGN.md, "really holds"); what each single member has is in
 * `members`. Keys and values are text for people: bytes that are not UTF-8 are escaped.
 */
import type { Micros } from "../base/units.ts";
import type { ProcessId } from "../sim/command.ts";

/** One change of a key: a put, or the tombstone of a delete. */
export interface KeyChange {
  readonly type: "put" | "delete";
  /** The main revision at which it happened; `sub` orders the changes of one transaction. */
  readonly revision: number;
  readonly sub: number;
  readonly at: Micros;
  /** The value put, cut to `VALUE_SHOWN` characters; empty for a delete. */
  readonly value: string;
  /** Counts the puts of a generation from 1; 0 for a delete. */
  readonly version: number;
  /** Where the generation began; 0 for a delete. */
  readonly createRevision: number;
  /** Hexadecimal; null without one. */
  readonly lease: string | null;
  /** Who asked for it; null for what a lease's end did, or is not known. */
  readonly client: ProcessId | null;
}

export const VALUE_SHOWN = 80;
/** A view keeps this many keys (the ones that changed last), and this many changes of each. */
export const KEYS_SHOWN = 300;
export const CHANGES_SHOWN = 40;

export interface KeyView {
  readonly id: string;
  /** Oldest first; those that compaction took are gone. */
  readonly changes: readonly KeyChange[];
  /** Whether older changes were left out though they are not compacted. */
  readonly cut: boolean;
}

export interface LeaseView {
  /** Hexadecimal, as etcdctl shows it. */
  readonly id: string;
  /** Seconds. */
  readonly ttl: number;
  readonly grantedTo: ProcessId | null;
  /** When the leader will find it expired, if nobody renews; null while no leader counts. */
  readonly expiresAt: Micros | null;
  /** The start of what the ring drains: the last grant, renewal or extension. */
  readonly renewedAt: Micros;
  /** What set its time last. */
  readonly by: "grant" | "keep-alive" | "leader-change" | "checkpoint";
  readonly renewals: number;
  readonly keys: readonly string[];
  readonly state: "alive" | "expiring" | "revoked" | "expired";
  /** When it ended; null while it lives. Ended leases stay for a while, to be seen. */
  readonly endedAt: Micros | null;
}

export interface Delivered {
  readonly type: "put" | "delete";
  readonly key: string;
  readonly revision: number;
  /** When the member sent it. */
  readonly at: Micros;
}

export const DELIVERED_SHOWN = 30;

export interface WatchView {
  /** Connection, call and watch id. */
  readonly id: string;
  readonly client: ProcessId;
  readonly member: ProcessId;
  readonly watchId: number;
  /** What is watched, for people: a key, a prefix with *, a range [a, b). */
  readonly target: string;
  readonly startRevision: number;
  readonly since: Micros;
  /** `unsynced`: it catches up with the past. `slow`: its client does not keep up, and the stream is full (etcd's victims). */
  readonly state: "synced" | "unsynced" | "slow" | "cancelled";
  readonly why: string | null;
  readonly delivered: readonly Delivered[];
  readonly deliveredCount: number;
}

/**
 * A request's way: `received` by a member, `forwarded` to the leader, `proposed` into its log, `durable` in the WAL of
 * a member, `committed`, `applied` on a member, `confirmed` (a read's round of heartbeats), `answered`; `refused` and
 * `lost` end it otherwise.
 */
export type RequestStage =
  | "received"
  | "forwarded"
  | "proposed"
  | "durable"
  | "committed"
  | "applied"
  | "confirmed"
  | "answered"
  | "refused"
  | "lost";

export interface RequestStep {
  readonly stage: RequestStage;
  readonly at: Micros;
  readonly process: ProcessId;
  /** The trace event, to go to. */
  readonly event: number;
}

export interface RequestView {
  /** Client, connection and number. */
  readonly id: string;
  readonly client: ProcessId;
  readonly member: ProcessId;
  /** etcd's name of the call: KV/Put, Lease/LeaseGrant … */
  readonly method: string;
  /** What it asks, short: put k=v. */
  readonly label: string;
  readonly sentAt: Micros;
  readonly steps: readonly RequestStep[];
  /** Its place in the log; null for what needs none. */
  readonly entry: { readonly term: number; readonly index: number } | null;
  readonly outcome: "pending" | "done" | "failed" | "unknown";
  /** etcd's text of an error; the header's revision of an answer. */
  readonly error: string | null;
  readonly revision: number | null;
}

export const REQUESTS_SHOWN = 60;

/** What one member has of the store. */
export interface EtcdMemberView {
  readonly id: ProcessId;
  readonly revision: number;
  readonly compactRevision: number;
  readonly keys: number;
  /** Bytes. */
  readonly dbSize: number;
  readonly dbSizeInUse: number;
  readonly alarms: readonly string[];
  readonly watchers: number;
  readonly isLearner: boolean;
}

/** A line on a console's screen; the last one of a stream may not be whole yet. */
export interface ConsoleLine {
  /** Counts the lines from 0: older ones are cut off in front. */
  readonly n: number;
  /** What the person entered: `typed` at the prompt, `input` for the command that runs. */
  readonly stream: "typed" | "input" | "stdout" | "stderr";
  readonly text: string;
}

export interface ConsoleView {
  readonly id: ProcessId;
  readonly lines: readonly ConsoleLine[];
  /** Whether a command is in the foreground. */
  readonly busy: boolean;
  /** The exit code of the last command; null before the first. */
  readonly code: number | null;
}

export const CONSOLE_LINES_SHOWN = 400;

export interface EtcdView {
  readonly revision: number;
  /** -1 before the first. */
  readonly compactRevision: number;
  readonly keys: ReadonlyMap<string, KeyView>;
  readonly leases: ReadonlyMap<string, LeaseView>;
  readonly watches: ReadonlyMap<string, WatchView>;
  /** Newest last. */
  readonly requests: ReadonlyMap<string, RequestView>;
  readonly members: ReadonlyMap<ProcessId, EtcdMemberView>;
  /** Null where there is none. */
  readonly console: ConsoleView | null;
}

/** What changed of it. With `whole` the receiver forgets what it had. */
export interface EtcdDelta {
  readonly whole: boolean;
  readonly revision: number;
  readonly compactRevision: number;
  readonly keys?: readonly KeyView[];
  readonly keysGone?: readonly string[];
  readonly leases?: readonly LeaseView[];
  readonly leasesGone?: readonly string[];
  readonly watches?: readonly WatchView[];
  readonly watchesGone?: readonly string[];
  readonly requests?: readonly RequestView[];
  readonly requestsGone?: readonly string[];
  readonly members?: readonly EtcdMemberView[];
  readonly membersGone?: readonly ProcessId[];
  readonly console?: ConsoleView;
}
