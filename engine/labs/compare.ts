/** The same happenings with several locks: what each came to, as rows of a table. */
import type { Micros } from "../base/units.ts";
import type { LabStory } from "./story.ts";
import { tellStory } from "./story.ts";
import type { LabKit } from "./world.ts";

export interface Compared {
  readonly story: string;
  readonly system: string;
  readonly variant: string;
  /** No two believed at once, and no update was lost. */
  readonly isSafe: boolean;
  readonly overlapTime: Micros;
  readonly lostUpdates: number;
  readonly withoutHolder: Micros;
  readonly messages: number;
  readonly notifications: number;
  readonly outOfTurn: number;
  /** What is left to the client: names a sentence, `lab.duty.<system>`. */
  readonly duty: string;
}

/** Stories that tell the same of different systems, or of one program as published and mended. Ids of stories. */
export interface Comparison {
  readonly id:
    | "holder-dies"
    | "holder-ends"
    | "pause"
    | "pause-check"
    | "lost-heartbeat"
    | "waiter-dies"
    | "cut-off"
    | "missed-delete"
    | "expired-waiter"
    | "foreign-key"
    | "fifty"
    | "failover"
    | "clocks"
    | "late-release";
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
    id: "holder-ends",
    stories: [
      "holder-ends-fair",
      "holder-ends-txn",
      "holder-ends-mutex",
      "holder-ends-zookeeper",
      "holder-ends-redis-token",
      "holder-ends-redis-timestamp",
    ],
  },
  { id: "pause", stories: ["pause-open-write", "pause-fenced-write", "pause-zookeeper", "pause-redis-token"] },
  { id: "pause-check", stories: ["pause-open-write", "pause-open-check", "pause-redis-token-check"] },
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
  { id: "cut-off", stories: ["cut-off-published", "cut-off-mended", "cut-off-guarded"] },
  {
    id: "missed-delete",
    stories: ["missed-delete-published", "missed-delete-mended", "missed-delete-compacted"],
  },
  {
    id: "expired-waiter",
    stories: ["expired-waiter-3.4", "expired-waiter-3.5", "service-expired-3.4", "service-expired-3.5"],
  },
  { id: "foreign-key", stories: ["foreign-key-published", "foreign-key-mended", "foreign-key-service"] },
  { id: "fifty", stories: ["fifty-mended", "fifty-herd", "fifty-fair", "fifty-fair-herd"] },
  { id: "failover", stories: ["failover-forgets", "failover-wait", "redlock-one-forgets", "leader-dies"] },
  {
    id: "clocks",
    stories: ["fast-client-clock", "slow-client-clock", "server-clock-jumps", "wall-clock-jumps", "fast-clock"],
  },
  { id: "late-release", stories: ["late-release-published", "late-release-if-live", "late-release-mended"] },
];

export function compare(stories: readonly LabStory[], kit: LabKit): readonly Compared[] {
  return stories.map((story) => {
    const { view } = tellStory(story, kit);
    const end = story.lab.warmUp + story.endsAt * 1_000_000;
    const lostUpdates = view.resource?.lostUpdates ?? 0;
    return {
      story: story.id,
      system: view.lab,
      variant: view.variant,
      isSafe: view.overlaps.length === 0 && lostUpdates === 0,
      overlapTime: view.overlaps.reduce((sum, { from, to }) => sum + (to ?? end) - from, 0),
      lostUpdates,
      withoutHolder: view.withoutHolder,
      messages: view.messages,
      notifications: view.notifications,
      outOfTurn: view.outOfTurn,
      duty: `lab.duty.${view.lab}`,
    };
  });
}
