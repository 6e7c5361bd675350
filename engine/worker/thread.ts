/** What a host and the thread of one process say to each other. A call is answered under its number. */
import type { RngState } from "../base/rng.ts";
import type { StepResult } from "../sim/host.ts";
import type { Input, ProcessSpec, Stamp } from "../sim/process.ts";

export type ToThread =
  | { readonly type: "start"; readonly spec: ProcessSpec; readonly rng: RngState }
  | { readonly type: "restore"; readonly spec: ProcessSpec; readonly checkpoint: unknown }
  | { readonly type: "step"; readonly call: number; readonly inputs: readonly Input[]; readonly stamp: Stamp }
  | { readonly type: "checkpoint"; readonly call: number }
  /** Answers when the thread is up. */
  | { readonly type: "hello"; readonly call: number };

export type FromThread =
  | { readonly type: "stepped"; readonly call: number; readonly result: StepResult }
  | { readonly type: "checkpoint"; readonly call: number; readonly checkpoint: unknown }
  | { readonly type: "hello"; readonly call: number }
  /** The call could not be answered: the thread has a bug, which is as good as a panic. */
  | { readonly type: "failed"; readonly call: number; readonly message: string; readonly stack: string };
