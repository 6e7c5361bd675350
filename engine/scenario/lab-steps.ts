/**
 * Counts what one can step to in a lock lab: the steps of each client's program, and the changes of who believes that it
 * holds the lock; and notices when a program comes to a step that has a breakpoint.
 *
 * It reads the neutral events that every lock program emits (labs/events.ts) by their names alone, so that a run without
 * labs need not carry them.
 */
import type { TraceEvent } from "../sim/events.ts";
import type { ProcessId } from "../sim/command.ts";

/** A program that has come to a step with a breakpoint. */
export interface BreakpointHit {
  readonly client: ProcessId;
  readonly step: string;
  readonly event: number;
}

/** `step:` and a client's id, or `step:*`: a step of that client's program, of anybody's. `lock`: who believes to hold it. */
export type LabStepKind = "lock" | `step:${string}`;

interface ProgramStep {
  readonly type: "program-step";
  readonly step: string | null;
  readonly waits: string | null;
}

export class LabSteps {
  readonly #steps = new Map<string, number>();
  #all = 0;
  #locks = 0;
  #hit: BreakpointHit | null = null;
  /** Labels of steps. */
  breakpoints: ReadonlySet<string> = new Set();

  /** Tells, from now on, whether somebody has begun or ceased to believe, or that client's program has made a step. */
  happens(kind: LabStepKind): () => boolean {
    if (kind === "lock") {
      const locks = this.#locks;
      return () => this.#locks > locks;
    }
    const client = kind.slice("step:".length);
    const steps = this.#stepsOf(client);
    return () => this.#stepsOf(client) > steps;
  }

  /** How many steps a client has come to; `*`: all clients together. */
  #stepsOf(client: string): number {
    return client === "*" ? this.#all : (this.#steps.get(client) ?? 0);
  }

  add({ id, process, event }: TraceEvent): void {
    const { type } = event as { readonly type: string };
    if (type === "lock-believes") this.#locks += 1;
    if (type !== "program-step" || process === null) return;
    const { step, waits } = event as ProgramStep;
    // A step is come to once; that it then waits is told besides.
    if (step === null || waits !== null) return;
    this.#all += 1;
    this.#steps.set(process, this.#stepsOf(process) + 1);
    if (this.#hit === null && this.breakpoints.has(step)) this.#hit = { client: process, step, event: id };
  }

  /** The first breakpoint that was come to since the last call. */
  takeHit(): BreakpointHit | null {
    const hit = this.#hit;
    this.#hit = null;
    return hit;
  }
}
