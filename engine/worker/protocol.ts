/**
 * What the page may ask of the coordinator worker, through Comlink. Once a frame: `advance`, and a `Delta` comes back.
 * Several worlds can be open at once; each call names its own.
 */
import type { Micros } from "../base/units.ts";
import type { RunSpec } from "../scenario/config.ts";
import type { BreakpointHit } from "../scenario/lab-steps.ts";
import type { StepKind } from "../scenario/run.ts";
import type { Story, Telling } from "../scenario/stories.ts";
import type { RecordedStory } from "../scenario/stories/story.ts";
import type { Command, Recorded, Refusal } from "../sim/command.ts";
import type { DiskView } from "../trace/disk-view.ts";
import type { Delta } from "../trace/view.ts";

export type { BreakpointHit, StepKind };

export type WorldId = string;

/** Where the members run: each in a worker of its own, or all in the coordinator's thread. */
export type Placement = "workers" | "inline";

/** Everything that a run is, and where in it one stands. */
export interface Recording {
  readonly spec: RunSpec;
  /** Those behind the moment too: they are its future. */
  readonly commands: readonly Recorded[];
  /** The moment that is shown. */
  readonly at: Micros;
  readonly n: number;
  /** Sixteen hexadecimal digits over every trace event up to this moment. */
  readonly hash: string;
}

/** How a call left the world. */
export interface Moment {
  readonly delta: Delta;
  readonly hash: string;
  /** The furthest moment that was reached: where "now" is when the past is shown. */
  readonly headAt: Micros;
  readonly headN: number;
  readonly placement: Placement;
  /** False once it is known that workers cannot be had here. */
  readonly workers: boolean;
  /** How many futures were left for others. */
  readonly branches: number;
  /** The breakpoint at which time stopped in this call; null when it did not. */
  readonly brokeAt: BreakpointHit | null;
}

export interface Dispatched {
  /** Why the command was not carried out; null when it was. */
  readonly refused: Refusal | null;
  readonly moment: Moment;
}

export interface Stepped {
  /** False when what was stepped to does not happen within a virtual minute: then nothing has moved. */
  readonly found: boolean;
  readonly moment: Moment;
}

/** A future that was left: how many commands it has, how far it went, where it was left. */
export interface BranchInfo {
  readonly commands: number;
  readonly headAt: Micros;
  readonly forkedAt: Micros;
}

export interface Coordinator {
  /** Starts a world (or one that a recording describes, brought to its moment) and answers with a keyframe. */
  open(
    world: WorldId,
    spec: RunSpec,
    commands: readonly Recorded[],
    moment: { readonly n: number; readonly at: Micros } | null,
  ): Promise<Moment>;
  /** Runs until virtual time `to`, but gives back after about `budgetMs` of wall time, wherever it is then. */
  advance(world: WorldId, to: Micros, budgetMs: number): Promise<Moment>;
  /** Carries out a command at the present moment. In the past it starts a new future; the old one stays as a branch. */
  dispatch(world: WorldId, command: Command): Promise<Dispatched>;
  step(world: WorldId, kind: StepKind): Promise<Stepped>;
  /** Steps of lab programs, by label, at which time stops from now on. */
  setBreakpoints(world: WorldId, labels: readonly string[]): Promise<void>;
  /** The last moment before this one at which `kind` happened; derived again from a checkpoint. */
  stepBack(world: WorldId, kind: StepKind): Promise<Moment>;
  /** Shows any moment of the run, forwards as far as `headAt`. */
  seek(world: WorldId, at: Micros): Promise<Moment>;
  /** Moves the members between workers and the coordinator's own thread. The hash does not change. */
  place(world: WorldId, placement: Placement): Promise<Moment>;
  branches(world: WorldId): Promise<readonly BranchInfo[]>;
  /** Goes to where this branch was left, with its future ahead; the present future becomes the branch. */
  switchBranch(world: WorldId, branch: number): Promise<Moment>;
  recording(world: WorldId): Promise<Recording>;
  /** What lies on the members' disks now: read when it is asked for, so ask a few times a second at most. */
  disks(world: WorldId): Promise<readonly DiskView[]>;
  /** A story as a run that can be opened, with what it breaks or, as the control, without. */
  recordStory(story: Story, telling: Telling): Promise<RecordedStory>;
  /** Likewise a lock story, by its id. */
  recordLabStory(id: string): Promise<RecordedStory>;
  close(world: WorldId): Promise<void>;
}
