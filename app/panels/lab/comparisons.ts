/** Which stories tell the same of different systems, or of the same program as published and mended. */
export interface Comparison {
  readonly id: "holder-dies" | "pause" | "fifty" | "lost-heartbeat" | "waiter-dies" | "cut-off" | "failover";
  readonly stories: readonly string[];
}

export const COMPARISONS: readonly Comparison[] = [
  {
    id: "holder-dies",
    stories: [
      "holder-dies-fair",
      "holder-dies-txn",
      "holder-dies-mutex",
      "holder-dies-zookeeper",
      "holder-dies-redis-token",
      "holder-dies-redis-timestamp",
    ],
  },
  {
    id: "pause",
    stories: ["pause-open-write", "pause-fenced-write", "pause-open-check", "pause-zookeeper", "pause-redis-token"],
  },
  {
    id: "lost-heartbeat",
    stories: ["lost-heartbeat-published", "lost-heartbeat-heeded", "lost-heartbeat-mended", "third-forgives"],
  },
  {
    id: "waiter-dies",
    stories: [
      "waiter-dies-published",
      "waiter-dies-published-fenced",
      "waiter-dies-mended",
      "waiter-dies-zookeeper-published",
      "waiter-dies-zookeeper-mended",
    ],
  },
  { id: "cut-off", stories: ["cut-off-published", "cut-off-mended"] },
  { id: "fifty", stories: ["fifty-mended", "fifty-herd"] },
  { id: "failover", stories: ["failover-forgets", "failover-wait", "redlock-one-forgets", "leader-dies"] },
];
