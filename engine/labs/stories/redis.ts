/** Stories of locks in Redis (scenarios 3, 4, 13, 14, 15). */
import { MS, SECOND } from "../../base/units.ts";
import type { ProcessId } from "../../sim/command.ts";
import { DEFAULT_PARAMS, type LabClientSpec, type LabConfig } from "../config.ts";
import type { LabStory } from "../story.ts";
import { A, at, B, STEP_TIME, WARM_UP, who } from "./fair.ts";

const N1 = "n1" as ProcessId;
const N2 = "n2" as ProcessId;

function redis(
  system: LabConfig["system"],
  variant: string,
  clients: readonly LabClientSpec[],
  params: Partial<LabConfig["params"]>,
  servers = 1,
): LabConfig {
  return {
    system,
    variant,
    lock: "lock",
    servers,
    fenced: true,
    params: { ...DEFAULT_PARAMS, lock: "lock", retry: 200 * MS, beatFirst: null, servers, ...params },
    clients,
    stepTime: STEP_TIME,
    warmUp: WARM_UP,
  };
}

const TEN = { ttl: 10 * SECOND };
const LONG = { work: 40 * SECOND };

/** A took the lock for a second and works longer; B takes over; A comes back late and gives "its" lock back. */
function lateRelease(variant: "published" | "mended"): LabStory {
  const clients = [
    who(0, { work: 1_200 * MS }),
    who(1.05, { work: 3 * SECOND }),
    who(1.15, { work: 1 * SECOND, retry: 20 * MS }),
  ];
  return {
    id: `late-release-${variant}`,
    lab: redis("redis-timestamp", variant, clients, { ttl: 1 * SECOND }),
    seed: 1,
    steps: [],
    endsAt: 3,
    expect:
      variant === "published"
        ? [{ says: "overlap", clients: [B, "c3" as ProcessId], from: [1.2, 1.4] }]
        : [{ says: "overlap", clients: [A, B], from: [1, 1.2] }],
  };
}

function failover(waits: boolean): LabStory {
  const clients = [
    who(1, { work: 10 * SECOND, replicas: waits ? 1 : 0 }),
    who(1.2, { work: 12 * SECOND, writes: [500 * MS] }),
  ];
  return {
    id: waits ? "failover-wait" : "failover-forgets",
    lab: redis("redis-token", "counted", clients, TEN, 2),
    seed: 1,
    steps: [
      at(0, {
        type: "cut",
        links: [
          { from: N1, to: N2 },
          { from: N2, to: N1 },
        ],
      }),
      at(1.5, { type: "crash", process: N1 }),
    ],
    endsAt: 15,
    expect: waits
      ? [{ says: "never-believes", client: A }, { says: "no-overlap" }]
      : [
          { says: "believes", client: A, within: [1, 1.2] },
          { says: "believes", client: B, within: [1.9, 2.6] },
          { says: "overlap", clients: [A, B], from: [1.9, 2.6], to: [11, 11.2] },
          // Both have the number 1, and the fence takes both.
          { says: "refused", count: 0 },
        ],
  };
}

export const REDIS_STORIES: readonly LabStory[] = [
  {
    id: "holder-dies-redis-token",
    lab: redis("redis-token", "published", [who(0, LONG), who(1)], TEN),
    seed: 1,
    steps: [at(3, { type: "crash", process: A })],
    endsAt: 15,
    expect: [{ says: "believes", client: B, within: [10, 10.4] }, { says: "no-overlap" }],
  },
  {
    id: "holder-dies-redis-timestamp",
    lab: redis("redis-timestamp", "mended", [who(0, LONG), who(1)], TEN),
    seed: 1,
    steps: [at(3, { type: "crash", process: A })],
    endsAt: 15,
    expect: [{ says: "believes", client: B, within: [10, 10.4] }, { says: "no-overlap" }],
  },
  {
    id: "pause-redis-token",
    lab: redis("redis-token", "published", [who(0, { ...LONG, writes: [1_900 * MS] }), who(1, LONG)], TEN),
    seed: 1,
    steps: [
      {
        when: { step: "write", client: A, from: 1.5 },
        deed: { do: "command", command: { type: "pause", process: A } },
      },
      at(20, { type: "resume", process: A }),
    ],
    endsAt: 25,
    expect: [
      { says: "believes", client: B, within: [10, 10.4] },
      { says: "overlap", clients: [A, B], from: [10, 10.4] },
      // It has no number to refuse by.
      { says: "refused", count: 0 },
      { says: "value-of", client: A },
    ],
  },
  lateRelease("published"),
  lateRelease("mended"),
  {
    id: "fast-client-clock",
    lab: redis("redis-timestamp", "mended", [who(1, LONG), who(1.1, LONG)], { ttl: 1 * SECOND }),
    seed: 1,
    steps: [at(0.5, { type: "clock", process: B, driftPpm: 0, jumpUs: 1_500 * MS })],
    endsAt: 1.9,
    expect: [{ says: "overlap", clients: [A, B], from: [1.1, 1.2] }],
  },
  {
    id: "server-clock-jumps",
    lab: redis("redis-token", "published", [who(0, LONG), who(1)], TEN),
    seed: 1,
    steps: [at(2, { type: "clock", process: N1, driftPpm: 0, jumpUs: 60 * SECOND })],
    endsAt: 5,
    expect: [
      { says: "loses", client: A, within: [2, 2.4] },
      { says: "believes", client: B, within: [2, 2.4] },
      { says: "overlap", clients: [A, B], from: [2, 2.4] },
    ],
  },
  {
    id: "server-clock-back",
    lab: redis("redis-token", "published", [who(0, LONG), who(1)], TEN),
    seed: 1,
    steps: [
      at(2, { type: "clock", process: N1, driftPpm: 0, jumpUs: -60 * SECOND }),
      at(3, { type: "crash", process: A }),
    ],
    endsAt: 72,
    expect: [{ says: "believes", client: B, within: [70, 70.4] }],
  },
  failover(false),
  failover(true),
  {
    id: "redlock-one-forgets",
    lab: redis("redlock", "published", [who(0, { work: 8 * SECOND }), who(2)], TEN, 5),
    seed: 1,
    steps: [at(1, { type: "crash", process: N1 }), at(1.5, { type: "restart", process: N1 })],
    endsAt: 7,
    expect: [
      { says: "believes", client: A, within: [0, 0.3] },
      { says: "never-believes", client: B },
    ],
  },
  {
    id: "redlock-at-once",
    lab: redis("redlock", "published", [who(0, { work: 1 * SECOND }), who(0, { work: 1 * SECOND })], TEN, 5),
    seed: 1,
    steps: [],
    endsAt: 10,
    expect: [
      { says: "no-overlap" },
      { says: "state", client: A, state: "done" },
      { says: "state", client: B, state: "done" },
    ],
  },
];
