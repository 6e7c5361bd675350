/** All lock stories, in the order in which they are offered. */
import type { LabStory } from "../story.ts";
import { BY_HAND_STORIES } from "./by-hand.ts";
import { FAIR_STORIES } from "./fair.ts";
import { FOUND_STORIES } from "./found.ts";
import { HAZARD_STORIES } from "./hazards.ts";
import { LEADER_STORIES } from "./leaders.ts";
import { ORDERLY_STORIES } from "./orderly.ts";
import { OTHER_STORIES } from "./others.ts";
import { REDIS_STORIES } from "./redis.ts";
import { SERVICE_STORIES } from "./service.ts";
import { USES_STORIES } from "./uses.ts";
import { ZOOKEEPER_STORIES } from "./zookeeper.ts";

export const LAB_STORIES: readonly LabStory[] = [
  ...FAIR_STORIES,
  ...OTHER_STORIES,
  ...REDIS_STORIES,
  ...ZOOKEEPER_STORIES,
  ...USES_STORIES,
  ...BY_HAND_STORIES,
  ...SERVICE_STORIES,
  ...ORDERLY_STORIES,
  ...HAZARD_STORIES,
  ...LEADER_STORIES,
  ...FOUND_STORIES,
];
