/**
 * A story: a few commands to a small cluster, that show what a rule is for. Plain data; its prose is in the page's
 * dictionaries, under `story.<id>` and `story.<id>.about`.
 *
 * It is told twice. Its first command switches something off, or another way than is safe; told so, harm is done. In
 * the control that one command is given with what `kept` says, all the others stay, and no harm is done.
 */
import { assert } from "../../base/assert.ts";
import { MS, type Micros } from "../../base/units.ts";
import type { RuleName } from "../../check/violation.ts";
import type { BrokenRule, Command, ProcessId, Recorded, Settings } from "../../sim/command.ts";
import { DEFAULT_CONFIG, type RunConfig, type RunSpec } from "../config.ts";

/** What anybody who looks at the cluster can see went wrong, whether or not a check caught its cause. */
export type Harm =
  | { readonly type: "two-leaders-of-a-term" }
  /** All the time, and though a majority runs and reaches each other. */
  | { readonly type: "no-leader" }
  /** A leader that nothing was wrong with did not stay the only one. */
  | { readonly type: "leader-deposed" }
  /** A client was told that this is written, and the newest leader has never heard of it. */
  | { readonly type: "lost-write"; readonly value: string }
  /** Two machines that have applied as many entries hold different values. */
  | { readonly type: "machines-differ" }
  /** A client read this, after another value was written and confirmed. */
  | { readonly type: "stale-read"; readonly value: string };

/** The start of a recording: a run that is opened with it, at its beginning, tells the story by itself. */
export interface RecordedStory {
  readonly spec: RunSpec;
  readonly commands: readonly Recorded[];
}

export interface StoryCommand {
  readonly at: Micros;
  readonly command: Command;
}

export interface Story {
  readonly id: string;
  /** The broken rule that it is about; null when it compares two ways to run, both of which are offered. */
  readonly rule: BrokenRule | null;
  readonly spec: RunSpec;
  /** In order of time. The first is a `settings`. */
  readonly commands: readonly StoryCommand[];
  /** What the control's settings have instead. */
  readonly kept: Partial<Settings>;
  readonly endsAt: Micros;
  readonly expect: {
    /** The first rule that the checks find broken; null when it is none of theirs (`harm` is still seen). */
    readonly violation: RuleName | null;
    readonly harm: Harm;
  };
}

export type Telling = "broken" | "kept";

/** The story as it is told one way or the other. */
export function commandsOf({ commands, kept }: Story, telling: Telling): readonly StoryCommand[] {
  const [first, ...rest] = commands;
  assert(first?.command.type === "settings", "a story begins with settings");
  if (telling === "broken") return commands;
  return [{ at: first.at, command: { type: "settings", settings: { ...first.command.settings, ...kept } } }, ...rest];
}

// ── what stories are put together from ──

export const N1 = "n1" as ProcessId;
export const N2 = "n2" as ProcessId;
export const N3 = "n3" as ProcessId;
export const N4 = "n4" as ProcessId;
export const N5 = "n5" as ProcessId;
const C1 = "c1" as ProcessId;

/** Three members, one client, the paper's timing. */
export function cluster(seed: number, config: Partial<RunConfig> = {}): RunSpec {
  return { seed, config: { ...DEFAULT_CONFIG, members: 3, ...config } };
}

/** `at` in milliseconds of virtual time. */
export function at(ms: number, command: Command): StoryCommand {
  return { at: ms * MS, command };
}

const USUAL: Settings = { preVote: false, checkQuorum: true, readOnly: "safe", broken: [] };

/** The first command of a story: from `ms` on the members run as usual, but for this. */
export function settle(ms: number, settings: Partial<Settings>): StoryCommand {
  return at(ms, { type: "settings", settings: { ...USUAL, ...settings } });
}

export function breakRule(ms: number, rule: BrokenRule, settings: Partial<Settings> = {}): StoryCommand {
  return settle(ms, { ...settings, broken: [rule] });
}

export function write(ms: number, value: string, member: ProcessId | null): StoryCommand {
  return at(ms, { type: "write", client: C1, member, value });
}

export function read(ms: number, member: ProcessId): StoryCommand {
  return at(ms, { type: "read", client: C1, member, serializable: false });
}

export function split(ms: number, ...groups: (readonly ProcessId[])[]): StoryCommand {
  return at(ms, { type: "partition", groups });
}

export function heal(ms: number): StoryCommand {
  return at(ms, { type: "heal" });
}

export function crash(ms: number, process: ProcessId): StoryCommand {
  return at(ms, { type: "crash", process });
}

export function restart(ms: number, process: ProcessId): StoryCommand {
  return at(ms, { type: "restart", process });
}
