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
  /** Its name is `lab.compare.<id>`. */
  readonly id: string;
  readonly stories: readonly string[];
}

export const COMPARISONS: readonly Comparison[] = [
  { id: "three-clients", stories: ["three-clients-published", "three-clients-mended", "three-clients-zookeeper"] },
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
  {
    id: "pause",
    stories: [
      "pause-open-write",
      "pause-fenced-write",
      "pause-zookeeper-open",
      "pause-zookeeper",
      "pause-redis-token",
      "pause-redis-counted",
    ],
  },
  {
    id: "pause-check",
    stories: ["pause-open-write", "pause-open-check", "pause-zookeeper-check", "pause-redis-token-check"],
  },
  {
    id: "lost-heartbeat",
    stories: ["lost-heartbeat-published", "lost-heartbeat-heeded", "lost-heartbeat-mended", "third-forgives"],
  },
  {
    id: "timer",
    stories: [
      "timer-stuck-published",
      "timer-stuck-mended",
      "watchdog-stops",
      "watchdog-stops-mended",
      "watchdog-outlives",
    ],
  },
  { id: "late-renewal", stories: ["late-renewal", "late-renewal-mended"] },
  {
    id: "closed-channel",
    stories: ["closed-channel-published", "closed-channel-unheeded", "closed-channel-mended"],
  },
  { id: "neighbour", stories: ["neighbour-published", "neighbour-mended"] },
  { id: "noted-in-key", stories: ["noted-in-key-published", "noted-in-key-mended"] },
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
  {
    id: "abandoned",
    stories: ["abandoned-published", "abandoned-mended", "abandoned-service", "cut-off-waiting"],
  },
  { id: "ghost", stories: ["ghost-fair", "ghost-zookeeper"] },
  {
    id: "lost-reply",
    stories: [
      "lost-reply-fair-published",
      "lost-reply-fair-mended",
      "lost-reply-mutex",
      "lost-reply-zookeeper-published",
      "lost-reply-zookeeper-mended",
      "lost-reply-redis",
    ],
  },
  { id: "cut-off", stories: ["cut-off-published", "cut-off-mended", "cut-off-guarded"] },
  {
    id: "cut-off-zookeeper",
    stories: ["cut-off-zookeeper-published", "cut-off-zookeeper-told-late", "cut-off-zookeeper-mended"],
  },
  { id: "session-lost", stories: ["session-lost-published", "session-lost-mended"] },
  { id: "disconnected", stories: ["disconnected-published", "disconnected-mended", "disconnected-no-rewatch"] },
  { id: "event-before-latch", stories: ["event-before-latch-published", "event-before-latch-mended"] },
  {
    id: "timed-out",
    stories: ["timed-out-wait-published", "timed-out-wait-mended", "timed-out-wait-patient"],
  },
  { id: "servers-away", stories: ["servers-away-published", "servers-away-mended"] },
  { id: "overflow", stories: ["overflow-by-text", "overflow-mended"] },
  { id: "old-session", stories: ["old-session-taken", "old-session-asked"] },
  {
    id: "missed-delete",
    stories: ["missed-delete-published", "missed-delete-mended", "missed-delete-compacted"],
  },
  {
    id: "expired-waiter",
    stories: ["expired-waiter-3.4", "expired-waiter-3.5", "service-expired-3.4", "service-expired-3.5"],
  },
  { id: "expired-candidate", stories: ["election-expired-published", "election-expired-mended"] },
  { id: "discovery", stories: ["discovery-published", "discovery-mended"] },
  { id: "foreign-key", stories: ["foreign-key-published", "foreign-key-mended", "foreign-key-service"] },
  {
    id: "fifty",
    stories: ["fifty-mended", "fifty-herd", "fifty-herd-at-once", "fifty-fair", "fifty-fair-herd"],
  },
  {
    id: "leader-dies",
    stories: ["leader-dies", "leader-dies-watched", "leader-and-holder-die", "member-leaves"],
  },
  { id: "old-leader", stories: ["old-leader-3.4", "old-leader-3.5"] },
  { id: "long-lease", stories: ["long-lease", "long-lease-checkpoints"] },
  { id: "failover", stories: ["failover-forgets", "failover-wait", "redlock-one-forgets", "leader-dies"] },
  {
    id: "majority-forgets",
    stories: [
      "redlock-majority-forgets-published",
      "redlock-majority-forgets-durable",
      "redlock-majority-forgets-late",
      "redlock-one-forgets",
    ],
  },
  {
    id: "clocks",
    stories: ["fast-client-clock", "slow-client-clock", "server-clock-jumps", "wall-clock-jumps", "fast-clock"],
  },
  { id: "late-release", stories: ["late-release-published", "late-release-if-live", "late-release-mended"] },
  { id: "loser-overwrites", stories: ["loser-overwrites-published", "loser-overwrites-mended"] },
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
