/** Stories of locks in Redis (scenarios 3, 4, 13, 14, 15). */
import type { LabStory } from "../story.ts";

export const REDIS_STORIES: readonly LabStory[] = [];
