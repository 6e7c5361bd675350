/** All stories, in the order in which one learns by them: elections, then the log, then who counts. */
import { ELECTION_STORIES } from "./stories/elections.ts";
import { LOG_STORIES } from "./stories/logs.ts";
import { MAJORITY_STORIES } from "./stories/majorities.ts";
import type { Story } from "./stories/story.ts";

export type { Harm, Story, StoryCommand, Telling } from "./stories/story.ts";

const ALL = [...ELECTION_STORIES, ...LOG_STORIES, ...MAJORITY_STORIES] as const;

/** The page has a title and a text for each. */
export type StoryId = (typeof ALL)[number]["id"];

export const STORIES: readonly (Story & { readonly id: StoryId })[] = ALL;
