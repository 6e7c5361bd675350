/**
 * What a run needs to know of the system that its members run: how its world is made up, how a process is built from its
 * spec, and what is folded for the page besides members, logs and messages.
 *
 * The first page shows Raft with a register on it, and must not carry the programs of all other systems: it is given
 * `REGISTER_KIT`; `systems.ts` has the kit that knows all of them.
 */
import type { Build } from "../sim/process.ts";
import type { World, WorldConfig } from "../sim/world.ts";
import type { DiskView } from "../trace/disk-view.ts";
import { build, worldConfig } from "./build.ts";
import type { RunConfig, RunSpec } from "./config.ts";
import { describeRegister } from "./fold/describe.ts";
import type { Parts, PartStates } from "./fold/parts.ts";
import type { LabSteps } from "./lab-steps.ts";
import type { RecordedStory } from "./stories/story.ts";

export interface Kit {
  readonly build: Build;
  readonly world: (spec: RunSpec) => WorldConfig;
  /** @param states where other folds of the same config left off; null at the start of a run */
  readonly parts: (config: RunConfig, states: PartStates | null) => Parts;
  /** What lies on the members' disks; null where nobody looks. */
  readonly disks: ((world: World) => readonly DiskView[]) | null;
  /** Counts what one can step to in a lock lab; null where there is none. */
  readonly labSteps: (config: RunConfig) => LabSteps | null;
  /** Tells a lock story by its id, and records it; null where there are none. */
  readonly recordLabStory: ((id: string) => RecordedStory) | null;
}

const REGISTER_PARTS: Parts = { describe: describeRegister, note: null, etcd: null, lab: null };

export const REGISTER_KIT: Kit = {
  build,
  world: worldConfig,
  parts: () => REGISTER_PARTS,
  disks: null,
  labSteps: () => null,
  recordLabStory: null,
};
