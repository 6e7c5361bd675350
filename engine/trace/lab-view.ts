/**
 * What a lock lab looks like: the programs of the clients and where each stands, the queue for the lock, who believes
 * that it holds it and who really does, and the resource that the lock protects.
 *
 * The same for every system: what an etcd revision, a ZooKeeper sequence number and a Redis token have in common is
 * that they order the queue and tell an owner.
 */
import type { Micros } from "../base/units.ts";
import type { ProcessId } from "../sim/command.ts";
import type { Liveness } from "./liveness.ts";

/** One flow of control in a client's program: the main one, or a timer's. */
export interface ThreadView {
  readonly name: string;
  /** The label of the step at which it stands; null when it has ended. */
  readonly step: string | null;
  /** When it came there. */
  readonly since: Micros;
  /** What the step waits for; null when it is about to run. `held`: somebody holds the client back. */
  readonly waits: "answer" | "event" | "time" | "held" | null;
}

export interface LabClientView {
  readonly id: ProcessId;
  readonly liveness: Liveness;
  readonly program: string;
  readonly threads: readonly ThreadView[];
  /** `working`: it holds the lock as it thinks, and does what the lock is for. */
  readonly state: "not-started" | "acquiring" | "waiting" | "working" | "releasing" | "done" | "gave-up" | "failed";
  /** What the program knows, in its own names: key, revision, lease, watches. In the order in which it learned them. */
  readonly knows: readonly { readonly name: string; readonly value: string }[];
  readonly believes: boolean;
  /** The fencing token of its grant. */
  readonly token: string | null;
  /** What the servers know it by: its key, its node, its token. */
  readonly identity: string | null;
  /** Until when it thinks that its hold lasts; null when it keeps no such count. */
  readonly deadline: Micros | null;
  /** Held back: its main program stops before its next step. */
  readonly held: boolean;
  /** Why its program failed. */
  readonly error: string | null;
  /** Events that woke it while it waited. */
  readonly notifications: number;
}

/** One place in the queue, as the servers have it. */
export interface QueuePlace {
  readonly identity: string;
  /** Null for a key that no client of this lab made. */
  readonly client: ProcessId | null;
  /** Revision or sequence number: what orders the queue. Null where nothing does (Redis). */
  readonly order: number | null;
  /** Whom its client watches; null when it watches nobody. `*`: all of them (the herd). */
  readonly watches: string | null;
  /** When its lease, session or time runs out unless renewed; null when nothing ends it. */
  readonly expiresAt: Micros | null;
  readonly renewedAt: Micros | null;
  /** What the ring drains: the length of a lease, session or time. */
  readonly span: Micros | null;
}

/** A stretch of time in which a client believed that it held the lock, or really did. */
export interface Hold {
  readonly client: ProcessId | null;
  readonly identity: string | null;
  readonly token: string | null;
  readonly from: Micros;
  /** Null while it lasts. */
  readonly to: Micros | null;
  readonly event: number;
}

/** Two believed at once. */
export interface Overlap {
  readonly first: ProcessId;
  readonly second: ProcessId;
  readonly from: Micros;
  readonly to: Micros | null;
  /** The event with which it began. */
  readonly event: number;
  /** Whose belief was wrong when it began, and why the servers had given the lock away; names a sentence. */
  readonly why: string;
}

export interface ResourceWrite {
  readonly client: ProcessId;
  readonly value: string;
  readonly token: string | null;
  readonly at: Micros;
  readonly event: number;
  readonly taken: boolean;
  /** The greatest token that it had seen, when it refused. */
  readonly greatest: string | null;
  /** It was taken, and wiped out what the one who really held the lock had written. */
  readonly lostUpdate: boolean;
}

export interface ResourceView {
  readonly id: ProcessId;
  /** Whether it refuses tokens smaller than the greatest one seen. */
  readonly fenced: boolean;
  readonly value: string | null;
  readonly writer: ProcessId | null;
  readonly greatest: string | null;
  /** The last ones, oldest first. */
  readonly writes: readonly ResourceWrite[];
  readonly lostUpdates: number;
  readonly refused: number;
}

/** A server that takes no part in Raft or Zab: one of Redis. */
export interface ServerView {
  readonly id: ProcessId;
  readonly role: "primary" | "replica";
}

/** A stretch of time in which a server took writes, as a reign is one of a leader. */
export interface PrimarySpan {
  readonly server: ProcessId;
  readonly from: Micros;
  /** Null while it lasts. */
  readonly to: Micros | null;
}

export interface LabView {
  /** Which lab: `etcd-fair`, `etcd-txn`, `etcd-mutex`, `etcd-election`, `zookeeper`, `redis-timestamp`, `redis-token`, `redlock`, `optimistic` … */
  readonly lab: string;
  readonly variant: string;
  /** When its clients may start: the instants of stories are counted from here. */
  readonly startsAt: Micros;
  /** The name of the lock. */
  readonly lock: string;
  /** Servers that have a role without an election, in order of their start; none where members elect a leader. */
  readonly servers: readonly ServerView[];
  /** Who was primary when, oldest first; the last `HOLDS_SHOWN`. */
  readonly primaries: readonly PrimarySpan[];
  readonly clients: readonly LabClientView[];
  readonly queue: readonly QueuePlace[];
  /** Both oldest first; the last `HOLDS_SHOWN` of each. */
  readonly believed: readonly Hold[];
  readonly held: readonly Hold[];
  readonly overlaps: readonly Overlap[];
  readonly resource: ResourceView | null;
  /** Watch events delivered to waiting clients, all together. */
  readonly notifications: number;
  readonly messages: number;
  /** Time in which somebody wanted the lock and nobody really held it. */
  readonly withoutHolder: Micros;
  /** How the queue was kept: grants that came before an earlier one in the queue. */
  readonly outOfTurn: number;
}

/**
 * What is new in it since it was last told: the fields that changed, and of the clients those that did. A keyframe's has
 * every field and every client.
 */
export type LabDelta = Partial<LabView>;

export const HOLDS_SHOWN = 200;
export const WRITES_SHOWN = 40;
