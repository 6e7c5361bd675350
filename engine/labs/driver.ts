/** What a lab client needs of a system's client library: calls and watches by number, and what comes of them. */
import type { Micros } from "../base/units.ts";
import type { Input, Stamp } from "../sim/process.ts";

/** Keeps the stamp of the input at hand: the world's own is another one at the next. */
export function keepStamp(kept: Stamp, { mono, wall, awake }: Stamp): void {
  kept.mono = mono;
  kept.wall = wall;
  kept.awake = awake;
}

export type DriverOutcome =
  | { readonly type: "answer"; readonly ticket: number; readonly body: object }
  | { readonly type: "error"; readonly ticket: number; readonly error: string; readonly unknown: boolean }
  | { readonly type: "event"; readonly watch: number; readonly event: object };

export interface Driver {
  /** @param timeout null: as long as it takes */
  call(request: object, timeout: Micros | null): number;
  watch(request: object): number;
  unwatch(watch: number): void;
  /** Nothing more is said of it. */
  forget(ticket: number): void;
  on(input: Input, stamp: Stamp): readonly DriverOutcome[];
  /** What came of things without another input. */
  take(): readonly DriverOutcome[];
  /** Awake time. */
  wakeAt(): Micros | null;
  checkpoint(): unknown;
  restore(checkpoint: unknown): void;
}

/** What comes of most inputs. */
export const NO_OUTCOMES: readonly DriverOutcome[] = [];
