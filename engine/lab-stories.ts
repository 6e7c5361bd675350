/** The door to the lock labs, which a page fetches when it shows one. */
export {
  checkLab,
  DEFAULT_PARAMS,
  LAB_CLIENTS_MAX,
  LAB_SYSTEMS,
  LAB_VARIANTS,
  type LabClientSpec,
  type LabConfig,
  programOf,
  RESOURCE,
} from "./labs/config.ts";
export { type Compared, COMPARISONS, type Comparison } from "./labs/compare.ts";
export type { LabStory } from "./labs/story.ts";
export { LAB_STORIES } from "./labs/stories/index.ts";
export { labRunConfig } from "./scenario/labs.ts";
export { LANGUAGES, type ListingLanguage, type ListingLine, listingOf } from "./labs/source/index.ts";
