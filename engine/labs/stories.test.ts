/** Every lock story comes out as it is told. */
import { describe, expect, it } from "vitest";
import { LAB_STORIES } from "./stories/index.ts";
import { tellStory } from "./story.ts";
import { LAB_KIT } from "./world.ts";

describe("lock stories", () => {
  it.each(LAB_STORIES.map((story) => [story.id, story] as const))("%s", (_id, story) => {
    expect(tellStory(story, LAB_KIT).broken).toEqual([]);
  });
});
