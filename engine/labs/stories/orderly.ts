/** An orderly end frees the lock at once, in every system (scenario 4, 6); a leader that dies changes no place (5). */
import { MS, SECOND } from "../../base/units.ts";
import { DEFAULT_PARAMS, type LabConfig } from "../config.ts";
import type { LockParams } from "../program.ts";
import type { LabStory } from "../story.ts";
import { A, B, STEP_TIME, WARM_UP, who } from "./fair.ts";

interface System {
  readonly name: string;
  readonly system: LabConfig["system"];
  readonly variant: string;
  readonly servers: number;
  readonly params: Partial<LockParams>;
  /** How much later than the end another may come to know. */
  readonly poll: number;
}

const REDIS = { ttl: 10 * SECOND, beatFirst: null, retry: 200 * MS };

const SYSTEMS: readonly System[] = [
  { name: "fair", system: "etcd-fair", variant: "mended", servers: 3, params: { ownDeadline: true }, poll: 0 },
  {
    name: "txn",
    system: "etcd-txn",
    variant: "watch",
    servers: 3,
    params: { ttl: 5 * SECOND, beatFirst: 0, beatEvery: 1 * SECOND },
    poll: 0,
  },
  {
    name: "mutex",
    system: "etcd-mutex",
    variant: "3.5",
    servers: 3,
    params: { ttl: 10 * SECOND, beatFirst: 0, beatEvery: 3_333_333 },
    poll: 0,
  },
  {
    name: "zookeeper",
    system: "zookeeper",
    variant: "mended",
    servers: 3,
    params: { ttl: 30 * SECOND, beatFirst: null },
    poll: 0,
  },
  { name: "redis-timestamp", system: "redis-timestamp", variant: "mended", servers: 1, params: REDIS, poll: 0.25 },
  { name: "redis-token", system: "redis-token", variant: "published", servers: 1, params: REDIS, poll: 0.25 },
];

export const ORDERLY_STORIES: readonly LabStory[] = SYSTEMS.map(
  ({ name, system, variant, servers, params, poll }): LabStory => ({
    id: `holder-ends-${name}`,
    lab: {
      system,
      variant,
      lock: "lock",
      servers,
      fenced: false,
      params: { ...DEFAULT_PARAMS, lock: "lock", servers, ...params },
      clients: [who(0, { work: 2_900 * MS }), who(1)],
      stepTime: STEP_TIME,
      warmUp: WARM_UP,
    },
    seed: 1,
    steps: [],
    endsAt: 10,
    expect: [
      { says: "believes", client: A, within: [0, 0.3] },
      { says: "believes", client: B, within: [2.9, 3.3 + poll] },
      { says: "no-overlap" },
      { says: "without-holder", within: [0, 0.4 + poll] },
    ],
  }),
);
