/** Lock labs as runs: from a lab's config to a run's, and from a story to its recording. */
import { present } from "../base/assert.ts";
import { MS } from "../base/units.ts";
import type { LabConfig } from "../labs/config.ts";
import { LAB_STORIES } from "../labs/stories/index.ts";
import { tellStory } from "../labs/story.ts";
import { LAB_KIT } from "../labs/world.ts";
import { DEFAULT_CONFIG, type RunConfig } from "./config.ts";
import type { RecordedStory } from "./stories/story.ts";

/** The run of a lab: what is not the lab's own is as in its world. */
export function labRunConfig(lab: LabConfig): RunConfig {
  return {
    ...DEFAULT_CONFIG,
    lab,
    members: lab.servers,
    clients: 0,
    timing: "etcd",
    preVote: true,
    network: { ...DEFAULT_CONFIG.network, latencyMin: 5 * MS, latencyMax: 5 * MS },
    disk: { fsyncMin: 2 * MS, fsyncMax: 2 * MS, tornWrites: false },
  };
}

export function recordLabStory(id: string): RecordedStory {
  const story = present(
    LAB_STORIES.find((each) => each.id === id),
    `lock story ${id}`,
  );
  const { commands } = tellStory(story, LAB_KIT);
  return { spec: { seed: story.seed, config: labRunConfig(story.lab) }, commands };
}
