/** Which stories tell the same of different systems, or of the same program as published and mended. */
export { COMPARISONS, type Comparison } from "../../../engine/lab-stories.ts";
