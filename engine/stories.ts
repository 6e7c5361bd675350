/** The engine's second door: the stories themselves. A page fetches it when somebody asks for one. */
export { STORIES } from "./scenario/stories.ts";
