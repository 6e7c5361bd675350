/**
 * How long a lock story takes to be told, headless, in this thread. A story of more than a minute counts by its minutes,
 * a shorter one as it is.
 *
 * First each is told once, in the order in which they are offered, in a process that has told none: so a person comes to
 * them. Then again, when the engine is warm: after two more rounds V8 has compiled what it is going to compile.
 */
import { LAB_STORIES } from "../../labs/stories/index.ts";
import { type LabStory, tellStory } from "../../labs/story.ts";
import { LAB_KIT } from "../../labs/world.ts";
import { type Measured, median, stopwatch } from "./benchmark.ts";

const WARMING_ROUNDS = 2;
const WARM_ROUNDS = 5;
const SHOWN = 12;

interface Timed {
  readonly id: string;
  readonly first: number;
  readonly warm: number;
}

export function measureLabStories(what: "median" | "worst" | "first"): Measured {
  const first = new Map(LAB_STORIES.map((story) => [story.id, timeOf(story)]));
  const rounds = Array.from(
    { length: what === "first" ? 0 : WARMING_ROUNDS + WARM_ROUNDS },
    () => new Map(LAB_STORIES.map((story) => [story.id, timeOf(story)])),
  ).slice(WARMING_ROUNDS);
  const timed = LAB_STORIES.map(({ id }): Timed => {
    const times = rounds.map((round) => round.get(id) ?? 0);
    return { id, first: first.get(id) ?? 0, warm: times.length === 0 ? 0 : median(times) };
  });
  const figure = ({ first: cold, warm }: Timed): number => (what === "first" ? cold : warm);
  const slowest = timed.toSorted((a, b) => figure(b) - figure(a));
  const over = slowest.filter((one) => figure(one) > 50).length;
  const named = slowest.slice(0, SHOWN).map((one) => `${one.id} ${figure(one).toFixed(0)}`);
  const value = what === "worst" ? Math.max(...timed.map(figure)) : median(timed.map(figure));
  return { value, note: `${timed.length} stories, ${over} over 50; ${named.join(", ")}` };
}

/** Milliseconds for a minute of the story, or for all of a shorter one. */
function timeOf(story: LabStory): number {
  const spent = stopwatch();
  tellStory(story, LAB_KIT);
  return spent() / Math.max(1, story.endsAt / 60);
}
