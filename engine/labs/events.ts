/**
 * What every lock program tells, whatever the system: where it stands, what it knows, and what it believes. Checks and
 * the lock view read these, and never a program's own state.
 */
import type { Micros } from "../base/units.ts";
import type { ProcessId } from "../sim/command.ts";

export type LabState =
  | "not-started"
  | "acquiring"
  | "waiting"
  | "working"
  | "releasing"
  | "done"
  | "gave-up"
  | "failed";

/** What a thread's step waits for; null when it is about to run. `held`: somebody holds the client back. */
export type Waits = "answer" | "event" | "time" | "held" | null;

export type LabEvent =
  /** A thread has come to a step; `step` null: it has ended. */
  | { readonly type: "program-step"; readonly thread: string; readonly step: string | null; readonly waits: Waits }
  /** `value` null: it knows it no more. */
  | { readonly type: "program-knows"; readonly name: string; readonly value: string | null }
  | { readonly type: "program-state"; readonly state: LabState }
  | { readonly type: "program-failed"; readonly error: string }
  /** What the servers know it by: its key, its node, its token. */
  | { readonly type: "lock-identity"; readonly identity: string | null }
  /** Whom it watches, as the servers know them; `*`: all. */
  | { readonly type: "lock-watches"; readonly identity: string | null }
  | { readonly type: "lock-believes"; readonly holds: boolean; readonly token: string | null }
  /** In how long its own count of its hold ends; null: it keeps none. */
  | { readonly type: "own-deadline"; readonly endsIn: Micros | null }
  /** An event of a watch has come to the program. */
  | { readonly type: "notified"; readonly what: string }
  | { readonly type: "held-back"; readonly on: boolean };

/** What the shared resource tells. */
export type ResourceEvent =
  | {
      readonly type: "resource-wrote";
      readonly client: ProcessId;
      readonly value: string;
      readonly token: string | null;
    }
  | {
      readonly type: "resource-refused";
      readonly client: ProcessId;
      readonly value: string;
      readonly token: string;
      readonly greatest: string;
    }
  | { readonly type: "resource-fence"; readonly on: boolean };
