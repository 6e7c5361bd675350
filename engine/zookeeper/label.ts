/** Calls in a few words, for people. */
import type { Call } from "./api.ts";

export function callLabel(call: Call): string {
  switch (call.call) {
    case "multi":
      return `multi of ${call.ops.length}`;
    case "setWatches":
    case "closeSession":
      return call.call;
    case "getEphemerals":
      return `${call.call} ${call.prefix}`;
    default:
      return `${call.call} ${call.path}`;
  }
}
