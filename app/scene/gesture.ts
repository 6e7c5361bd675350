/**
 * What a path drawn on the stage means. Pure: the stage draws the path and carries the meaning out.
 */
import { type Command, type LinkEnds, linkKey, type ProcessId } from "../../engine/index.ts";
import { type Pair, type Place, type Point, pairsOf } from "./geometry.ts";
import { closedLoop, crossedLinks, lassoGroups } from "./paths.ts";

export type Meaning =
  | { readonly is: "nothing" }
  | { readonly is: "split"; readonly inside: readonly ProcessId[]; readonly outside: readonly ProcessId[] }
  | { readonly is: "cut" | "mend"; readonly pairs: readonly Pair[] };

const CLOSE_REACH = 36;

const bothWays = (pairs: readonly Pair[]): readonly LinkEnds[] =>
  pairs.flatMap(({ a, b }) => [
    { from: a as ProcessId, to: b as ProcessId },
    { from: b as ProcessId, to: a as ProcessId },
  ]);

export function meaningOf(
  path: readonly Point[],
  members: readonly ProcessId[],
  places: ReadonlyMap<string, Place>,
  cuts: ReadonlySet<string>,
): Meaning {
  const loop = closedLoop(path, CLOSE_REACH);
  const groups = loop === null ? null : lassoGroups(loop, members, places);
  if (groups !== null)
    return { is: "split", inside: groups[0] as readonly ProcessId[], outside: groups[1] as readonly ProcessId[] };
  const pairs = crossedLinks(path, pairsOf(members), places);
  if (pairs.length === 0) return { is: "nothing" };
  const allCut = bothWays(pairs).every((link) => cuts.has(linkKey(link)));
  return { is: allCut ? "mend" : "cut", pairs };
}

export function commandOf(meaning: Meaning): Command | null {
  switch (meaning.is) {
    case "nothing":
      return null;
    case "split":
      return { type: "partition", groups: [meaning.inside, meaning.outside] };
    default:
      return { type: meaning.is, links: bothWays(meaning.pairs) };
  }
}

/** Every link of one member, both ways, to those of `others`. */
export function linksOf(id: ProcessId, others: readonly ProcessId[]): readonly LinkEnds[] {
  return bothWays(others.filter((other) => other !== id).map((other) => ({ a: id, b: other })));
}
