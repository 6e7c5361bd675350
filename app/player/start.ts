/** From an address to a world that runs: the fragment's link if it opens, else what the parameters ask for. */
import { DEFAULT_CONFIG, type RunSpec } from "../../engine/index.ts";
import type { Parameters } from "./parameters.ts";
import type { Player } from "./player.ts";

export interface Address {
  /** With its question mark, or empty. */
  readonly search: string;
  /** With its hash sign, or empty. */
  readonly hash: string;
}

/** The run of a page that names no seed: always the same one, so that what a first visitor sees is known to be good. */
export const DEFAULT_SEED = 7;

/**
 * Opens the world, and plays it when `autoplay` says so; without that parameter a new run plays if `plays`, and a
 * link's run waits at its moment. What does not validate is reported to the store and left out of account. A reader who
 * was quicker, and asked for another run meanwhile, has that one.
 */
export async function startWorld(player: Player, address: Address, plays = true): Promise<void> {
  const values = await parametersOf(player, address.search);
  if (player.runsAsked > 0) return;
  if (values.speed !== undefined) player.setSpeed(values.speed);
  if (isLink(address.hash)) {
    const problem = await player.loadLink(address.hash);
    if (problem === null) {
      if (values.autoplay === true) player.play();
      return;
    }
    if (player.runsAsked > 1) return;
  }
  const stands = await player.restart(specOf(values, DEFAULT_SEED));
  if (stands && (values.autoplay ?? plays)) player.play();
}

/** What looks at parameters is fetched only where there are some. */
async function parametersOf(player: Player, search: string): Promise<Parameters> {
  if (search.length <= 1) return {};
  const { readParameters } = await import("./parameters.ts");
  const { values, problems } = readParameters(search);
  for (const problem of problems) player.report(problem);
  return values;
}

/** The run that the parameters ask for; `seed` where they name none. */
export function specOf(values: Parameters, seed: number): RunSpec {
  const { members = DEFAULT_CONFIG.members, timing = DEFAULT_CONFIG.timing } = values;
  return { seed: values.seed ?? seed, config: { ...DEFAULT_CONFIG, members, timing } };
}

/** Whether a fragment means to be a link. Other fragments belong to the page. */
export function isLink(hash: string): boolean {
  return /^#(?:.*&)?s=/.test(hash);
}
