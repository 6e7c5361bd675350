/**
 * What a run needs to know of the system that its members run: how its world is made up, how a process is built from its
 * spec, and what is folded for the page besides members, logs and messages.
 *
 * The first page shows Raft with a register on it, and must not carry the programs of all other systems: it is given
 * `REGISTER_KIT`; `systems.ts` has the kit that knows all of them.
 */
import type { Micros } from "../base/units.ts";
import type { Build } from "../sim/process.ts";
import type { TraceEvent } from "../sim/events.ts";
import type { WorldConfig } from "../sim/world.ts";
import type { EtcdDelta } from "../trace/etcd-view.ts";
import type { LabView } from "../trace/lab-view.ts";
import type { Note } from "../trace/view.ts";
import { build, worldConfig } from "./build.ts";
import type { RunConfig, RunSpec } from "./config.ts";
import type { RecordedStory } from "./stories/tell.ts";
import { type DescribeData, describeRegister } from "./fold/describe.ts";

/** One more fold over the trace: what of it changed goes to the page with each delta. */
export interface PartFold<Part> {
  add(traced: TraceEvent): void;
  /** The moment up to which it has seen everything. */
  settle(at: Micros): void;
  /** What changed since the last call; null when nothing did. */
  delta(): Part | null;
  /** Everything, whatever was told before. */
  keyframe(): Part;
  /** Plain data, from which another one goes on. */
  state(): unknown;
}

/** Which a run has depends on its config. */
export interface Parts {
  /** Tells what clients and members, or the services of two members, say to each other. */
  readonly describe: DescribeData;
  /** A note that an event is worth besides those of every cluster; null when nothing has any. */
  readonly note: ((traced: TraceEvent) => { readonly what: string; readonly figures: Note["figures"] } | null) | null;
  readonly etcd: PartFold<EtcdDelta> | null;
  readonly lab: PartFold<LabView> | null;
}

export interface PartStates {
  readonly etcd: unknown;
  readonly lab: unknown;
}

export interface Kit {
  readonly build: Build;
  readonly world: (spec: RunSpec) => WorldConfig;
  /** @param states where other folds of the same config left off; null at the start of a run */
  readonly parts: (config: RunConfig, states: PartStates | null) => Parts;
  /** Tells a lock story by its id, and records it; null where there are none. */
  readonly recordLabStory: ((id: string) => RecordedStory) | null;
}

const REGISTER_PARTS: Parts = { describe: describeRegister, note: null, etcd: null, lab: null };

export const REGISTER_KIT: Kit = { build, world: worldConfig, parts: () => REGISTER_PARTS, recordLabStory: null };
