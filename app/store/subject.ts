/** What a run is about, which decides the page that shows it. */
import type { WorldState } from "./worlds.ts";

export type Subject = "raft" | "etcd" | "labs";

export function subjectOf({ spec: { config } }: WorldState): Subject {
  if (config.lab !== undefined) return "labs";
  return (config.system ?? "register") === "register" ? "raft" : "etcd";
}
