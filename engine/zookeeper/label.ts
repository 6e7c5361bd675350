/** Calls in a few words, for people. */
import type { Call } from "./api.ts";

export function callLabel(call: Call): string {
  switch (call.call) {
    case "multi":
      return `multi of ${call.ops.length}`;
    case "setWatches":
    case "closeSession":
    case "whoAmI":
      return call.call;
    case "addAuth":
      return `${call.call} ${call.scheme}`;
    case "getEphemerals":
      return `${call.call} ${call.prefix}`;
    default:
      return `${call.call} ${call.path}`;
  }
}
