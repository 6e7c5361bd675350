/**
 * What the screen knows of each world. The player is the only one that writes here; components read through selectors
 * (`selectors.ts`, `use.ts`).
 */
import { createStore } from "zustand/vanilla";
import {
  type Command,
  DEFAULT_CONFIG,
  type Micros,
  type Placement,
  type Refusal,
  type RunSpec,
  type WorldId,
  type BreakpointHit,
} from "../../engine/index.ts";
import { EMPTY_MIRROR, type Mirror } from "./mirror.ts";
import type { Problem } from "./problem.ts";
import { DEFAULT_SPEED, type Speed } from "./speed.ts";

/** A command that was answered with a reason instead of being carried out. */
export interface Refused {
  /** Counts the refusals of this world, so that the same one twice is told twice. */
  readonly serial: number;
  readonly command: Command;
  readonly why: Refusal;
}

export interface WorldState {
  readonly id: WorldId;
  /** `opening` until the first keyframe; `failed` when the engine stands still. */
  readonly status: "opening" | "open" | "failed";
  readonly spec: RunSpec;
  readonly view: Mirror;
  /** The furthest moment reached; the view is in the past when its `n` is smaller. */
  readonly headAt: Micros;
  readonly headN: number;
  readonly hash: string;
  readonly placement: Placement;
  /** Whether workers can be had here at all. */
  readonly workers: boolean;
  /** How many futures were left for others. */
  readonly branches: number;
  /** The breakpoint at which time stopped; null when it goes on, or stopped for another reason. */
  readonly brokeAt: BreakpointHit | null;
  readonly playing: boolean;
  readonly speed: Speed;
  /** The last refusal that was not yet dismissed or overtaken by a command that went through. */
  readonly refused: Refused | null;
  /** Oldest first, none twice. */
  readonly problems: readonly Problem[];
}

export interface Worlds {
  readonly worlds: Readonly<Record<WorldId, WorldState>>;
}

/** The world of a page that shows only one. */
export const MAIN_WORLD: WorldId = "main";

export function emptyWorld(id: WorldId): WorldState {
  return {
    id,
    status: "opening",
    spec: { seed: 0, config: DEFAULT_CONFIG },
    view: EMPTY_MIRROR,
    headAt: 0,
    headN: 0,
    hash: "",
    placement: "workers",
    workers: true,
    branches: 0,
    brokeAt: null,
    playing: false,
    speed: DEFAULT_SPEED,
    refused: null,
    problems: [],
  };
}

export const worldsStore = createStore<Worlds>(() => ({ worlds: {} }));

/** Worlds that nobody opened yet, kept so that a selector over them gives the same answer twice. */
const unopened = new Map<WorldId, WorldState>();

/** The world's state, or an empty one of status `opening` before it is opened. */
export function worldIn(state: Worlds, id: WorldId): WorldState {
  const known = state.worlds[id] ?? unopened.get(id);
  if (known !== undefined) return known;
  const empty = emptyWorld(id);
  unopened.set(id, empty);
  return empty;
}

export function readWorld(id: WorldId): WorldState {
  return worldIn(worldsStore.getState(), id);
}

export function patchWorld(id: WorldId, part: Partial<Omit<WorldState, "id">>): void {
  worldsStore.setState((state) => ({ worlds: { ...state.worlds, [id]: { ...worldIn(state, id), ...part } } }));
}

export function forgetWorld(id: WorldId): void {
  worldsStore.setState((state) => ({
    worlds: Object.fromEntries(Object.entries(state.worlds).filter(([key]) => key !== id)),
  }));
}
