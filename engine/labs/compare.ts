/** The same happenings with several locks: what each came to, as rows of a table. */
import type { Micros } from "../base/units.ts";
import type { LabStory } from "./story.ts";
import { tellStory } from "./story.ts";
import type { LabKit } from "./world.ts";

export interface Compared {
  readonly story: string;
  readonly system: string;
  readonly variant: string;
  /** No two believed at once, and no update was lost. */
  readonly isSafe: boolean;
  readonly overlapTime: Micros;
  readonly lostUpdates: number;
  readonly withoutHolder: Micros;
  readonly messages: number;
  readonly notifications: number;
  readonly outOfTurn: number;
}

export function compare(stories: readonly LabStory[], kit: LabKit): readonly Compared[] {
  return stories.map((story) => {
    const { view } = tellStory(story, kit);
    const end = story.lab.warmUp + story.endsAt * 1_000_000;
    const lostUpdates = view.resource?.lostUpdates ?? 0;
    return {
      story: story.id,
      system: view.lab,
      variant: view.variant,
      isSafe: view.overlaps.length === 0 && lostUpdates === 0,
      overlapTime: view.overlaps.reduce((sum, { from, to }) => sum + (to ?? end) - from, 0),
      lostUpdates,
      withoutHolder: view.withoutHolder,
      messages: view.messages,
      notifications: view.notifications,
      outOfTurn: view.outOfTurn,
    };
  });
}
