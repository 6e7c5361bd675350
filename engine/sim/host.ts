/**
 * Where processes run. A host keeps the processes that are up, hands them their inputs and gives back their effects.
 *
 * `SyncHost` keeps them in the calling thread, with `Out`s that act at once. `AsyncHost` may keep them anywhere and
 * answers with their effects written down.
 */
import { present } from "../base/assert.ts";
import { type Rng, rngFromState, type RngState } from "../base/rng.ts";
import type { ProcessId } from "./command.ts";
import {
  type Build,
  type Effect,
  EffectList,
  type Input,
  type Out,
  type Process,
  type ProcessSpec,
  type Stamp,
} from "./process.ts";

export interface StepResult {
  /** For each input the effects it had; those of the flush stand with the last input. Shorter after an error. */
  readonly effects: readonly (readonly Effect[])[];
  /** What the process threw, if it did: it is then as good as dead. */
  readonly error: { readonly message: string; readonly stack: string } | null;
}

export interface SyncHost {
  start(spec: ProcessSpec, rng: Rng, out: Out): void;
  /** The process is gone at once, with all it knew. */
  stop(id: ProcessId): void;
  get(id: ProcessId): Process;
}

export interface AsyncHost {
  start(spec: ProcessSpec, rng: RngState): void;
  stop(id: ProcessId): void;
  step(id: ProcessId, inputs: readonly Input[], stamp: Stamp): StepResult | Promise<StepResult>;
  checkpoint(id: ProcessId): unknown;
  /** Starts the process where a checkpoint left it. */
  restore(spec: ProcessSpec, checkpoint: unknown): void;
}

/** The processes in this thread. */
export class InlineHost implements SyncHost {
  readonly #build: Build;
  readonly #processes = new Map<ProcessId, Process>();

  constructor(build: Build) {
    this.#build = build;
  }

  start(spec: ProcessSpec, rng: Rng, out: Out): void {
    this.#processes.set(spec.id, this.#build(spec, { id: spec.id, rng, out }));
  }

  restore(spec: ProcessSpec, checkpoint: unknown, out: Out): void {
    const process = this.#build(spec, { id: spec.id, rng: rngFromState(NO_RNG), out });
    process.restore(checkpoint);
    this.#processes.set(spec.id, process);
  }

  stop(id: ProcessId): void {
    this.#processes.delete(id);
  }

  get(id: ProcessId): Process {
    return present(this.#processes.get(id), `process ${id} at its host`);
  }
}

/** A process whose effects are written down: what a host elsewhere keeps for each. */
export class RecordedProcess {
  readonly #list: EffectList;
  readonly #process: Process;

  constructor(build: Build, spec: ProcessSpec, rng: RngState) {
    this.#list = new EffectList();
    this.#process = build(spec, { id: spec.id, rng: rngFromState(rng), out: this.#list });
  }

  step(inputs: readonly Input[], stamp: Stamp): StepResult {
    const effects: Effect[][] = [];
    try {
      for (const [i, input] of inputs.entries()) {
        effects.push(this.#list.effects);
        this.#process.step(input, stamp);
        if (i < inputs.length - 1) this.#list.take();
      }
      this.#process.flush(stamp);
      return { effects, error: null };
    } catch (error) {
      return { effects, error: describeError(error) };
    } finally {
      this.#list.take();
    }
  }

  checkpoint(): unknown {
    return this.#process.checkpoint();
  }

  restore(checkpoint: unknown): void {
    this.#process.restore(checkpoint);
  }
}

/** A generator's state for a process that is restored: its own comes with the checkpoint. */
export const NO_RNG: RngState = [1, 2, 3, 4];

/** A thrown value in words. `stack` may differ between browsers: it is shown, and is never part of a hash. */
export function describeError(error: unknown): { readonly message: string; readonly stack: string } {
  if (error instanceof Error) return { message: `${error.name}: ${error.message}`, stack: error.stack ?? "" };
  return { message: String(error), stack: "" };
}
