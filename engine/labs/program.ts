/**
 * How a client's program is written: labelled steps over plain state.
 *
 * A step says what it does (`act`) and, when that has come to something, how the locals change and where the thread goes
 * next (`then`). Nothing else runs in between, so a program can be stopped before any step, kept, posted and shown.
 *
 *     ready ── act ──► waiting for an answer, an event, a time ── then ──► ready at the next step, or ended
 *
 * Several threads (the main one, a heartbeat) share the locals.
 */
import type { Micros } from "../base/units.ts";
import type { Rng } from "../base/rng.ts";
import type { ProcessId } from "../sim/command.ts";
import type { LabState } from "./events.ts";

/** Names a step within its program. */
export type Label = string;

/** What a program of this folder keeps whatever its system: it is told to the trace whenever it changes. */
export interface CommonLocals {
  readonly state: LabState;
  /** What the servers know it by. */
  readonly identity: string | null;
  /** Whom it watches, as the servers know them. */
  readonly watches: string | null;
  readonly believes: boolean;
  /** Its fencing token. */
  readonly token: string | null;
  /** Until when its hold lasts, by its own monotonic clock; null when it keeps no count. */
  readonly deadline: Micros | null;
}

export const NEW_LOCALS: CommonLocals = {
  state: "not-started",
  identity: null,
  watches: null,
  believes: false,
  token: null,
  deadline: null,
};

/** The client's own clocks and chance, and who it is. */
export interface Here {
  readonly mono: Micros;
  readonly wall: Micros;
  readonly rng: Rng;
  readonly self: ProcessId;
}

/** What a step does. `Request` is the system's own. */
export type Act<Request> =
  /** `timeout` null: it waits as long as it takes. `detached`: its answer is of no interest. */
  | {
      readonly do: "call";
      readonly request: Request;
      readonly timeout?: Micros | null;
      readonly detached?: boolean;
    }
  /** Goes on at once with the watch's number. */
  | { readonly do: "watch"; readonly request: Request }
  /** Waits for the next event of a watch, at most until `until`. */
  | { readonly do: "await"; readonly watch: number; readonly until: Micros | null }
  | { readonly do: "unwatch"; readonly watch: number }
  /** `until` is of the monotonic clock. */
  | { readonly do: "sleep"; readonly until: Micros }
  /** A write to the shared resource. */
  | { readonly do: "write"; readonly value: string; readonly token: string | null }
  | { readonly do: "decide" };

/** What came of it. */
export type Got =
  | { readonly type: "answer"; readonly body: object }
  /** `unknown`: it may have been carried out all the same. */
  | { readonly type: "error"; readonly error: string; readonly unknown: boolean }
  | { readonly type: "watching"; readonly watch: number }
  | { readonly type: "event"; readonly event: object }
  | { readonly type: "time" }
  | { readonly type: "written"; readonly taken: boolean }
  | { readonly type: "done" };

/** Where a thread goes, and what changes on the way. */
export interface Turn<L> {
  /** Null: the thread ends. */
  readonly to: Label | null;
  readonly set?: Partial<L>;
  /** Threads that begin, at their first step. */
  readonly start?: readonly string[];
  readonly stop?: readonly string[];
  /** Other threads that leave what they wait for, and go on at that step. */
  readonly interrupt?: Readonly<Record<string, Label>>;
}

export interface Step<L, Request> {
  readonly act: (locals: L, here: Here) => Act<Request>;
  readonly then: (locals: L, got: Got, here: Here) => Turn<L>;
}

export interface Program<L extends CommonLocals, Request> {
  readonly id: string;
  /** The first step of each thread; `main` begins. */
  readonly threads: Readonly<Record<string, Label>> & { readonly main: Label };
  readonly begin: (params: LockParams, here: Here) => L;
  readonly steps: Readonly<Record<Label, Step<L, Request>>>;
  /** What it knows, by names of its own, in the order in which it learns them. */
  readonly knows: (locals: L) => Readonly<Record<string, string | null>>;
}

/** Steps that only some variants of a program have. */
export function stepsIf<S>(has: boolean, steps: Readonly<Record<Label, S>>): Readonly<Record<Label, S>> {
  return has ? steps : {};
}

export type AnyProgram = Program<CommonLocals, object>;

/** Hides a program's own locals: who runs it hands back what it was given. */
export function anyProgram<L extends CommonLocals, Request extends object>(program: Program<L, Request>): AnyProgram {
  return program as unknown as AnyProgram;
}

/** What a lab's clients are told. Each program uses those that mean something to it. */
export interface LockParams {
  /** The name of the lock. */
  readonly lock: string;
  /** Of the lease, session or key. */
  readonly ttl: Micros;
  readonly work: Micros;
  /** When it writes to the resource, from when it believes. */
  readonly writes: readonly Micros[];
  /** The first renewal, counted from the start, and the time between two. Null: no renewals. */
  readonly beatFirst: Micros | null;
  readonly beatEvery: Micros;
  /** Between two tries. */
  readonly retry: Micros;
  /** How long it waits for its turn at most; null: as long as it takes. */
  readonly limit: Micros | null;
  /** Whether it stops by its own count of its hold. */
  readonly ownDeadline: boolean;
  /** For Redis: WAIT for this many replicas before it believes. */
  readonly replicas: number;
  /** For Redlock: the servers; for others: none. */
  readonly servers: number;
  /** How often the whole is done. */
  readonly rounds: number;
  /** What a client by hand asks, one after the other. */
  readonly orders?: readonly HandOrder[];
}

/** Something that a person asks of a server by hand. */
export interface HandOrder {
  /** From the client's start. */
  readonly at: Micros;
  /** The system's own. */
  readonly request: object;
  readonly timeout?: Micros;
}
