/** Stories of locks in Redis (scenarios 3, 4, 13, 14, 15). */
import { MS, SECOND } from "../../base/units.ts";
import type { ProcessId } from "../../sim/command.ts";
import { DEFAULT_PARAMS, type LabClientSpec, type LabConfig } from "../config.ts";
import type { HandOrder } from "../program.ts";
import type { LabStory } from "../story.ts";
import type { StoryStep } from "../story.ts";
import { WALL_AT_START } from "../systems.ts";
import { A, at, B, C, doing, seconds, STEP_TIME, WARM_UP, who } from "./fair.ts";

/** The calendar at the start of a story, in milliseconds. */
const WALL_MS = (WALL_AT_START + WARM_UP) / MS;
const N1 = "n1" as ProcessId;
const N2 = "n2" as ProcessId;
const N3 = "n3" as ProcessId;
const N4 = "n4" as ProcessId;
const N5 = "n5" as ProcessId;

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

/** Links of a tenth of a millisecond, for a story that is told in milliseconds. */
function quickLinks(clients: readonly ProcessId[]): readonly StoryStep[] {
  const quality = { latencyMin: 100, latencyMax: 100, lossPerMillion: 0, duplicatePerMillion: 0, reorderPerMillion: 0 };
  return clients.flatMap((client) => [
    at(0, { type: "link", link: { from: client, to: N1 }, quality }),
    at(0, { type: "link", link: { from: N1, to: client }, quality }),
  ]);
}

/**
 * A took it at 1 until 2, and died. B and C have both read that, B's GETSET runs before C's: C loses, and has still moved
 * what B's value says. C looks again at 2.15, 2.35, … 3.15, 3.35.
 */
function loserOverwrites(variant: "published" | "mended"): LabStory {
  const clients = [who(0.9999, LONG), who(2.0992, { work: 450_000 }), who(2.1492, { retry: 199_300 })];
  return {
    id: `loser-overwrites-${variant}`,
    lab: redis("redis-timestamp", variant, clients, { ttl: 1 * SECOND }),
    seed: 1,
    steps: [
      ...quickLinks([A, B, C]),
      {
        when: { step: "expire", client: A, from: 0.9 },
        deed: { do: "command", command: { type: "crash", process: A } },
      },
      doing(2.05, { do: "keep", message: { from: B, words: "GETSET" }, until: 2.15 }),
    ],
    endsAt: 4,
    expect: [
      { says: "learned", client: B, name: "shown", value: String(WALL_MS + 2_000), within: [2.1, 2.101] },
      { says: "learned", client: C, name: "shown", value: String(WALL_MS + 2_000), within: [2.15, 2.151] },
      { says: "learned", client: B, name: "mine", value: String(WALL_MS + 3_100), within: [2.1, 2.101] },
      { says: "learned", client: C, name: "mine", value: String(WALL_MS + 3_150), within: [2.15, 2.151] },
      { says: "believes", client: B, within: [2.15, 2.152] },
      { says: "stops", client: B, within: [2.6, 2.602] },
      { says: "holders", clients: [A, B, C] },
      ...(variant === "published"
        ? ([{ says: "believes", client: C, within: [2.75, 2.753] }] as const)
        : ([
            // What the key says: its own GETSET of before.
            { says: "learned", client: C, name: "shown", value: String(WALL_MS + 3_150), within: [2.35, 2.352] },
            { says: "believes", client: C, within: [3.35, 3.353] },
            { says: "without-holder", within: [0.75, 0.81] },
          ] as const)),
      { says: "no-overlap" },
    ],
  };
}

/** B takes over from A and dies before its own EXPIRE: GETSET has taken away what A had set. */
const NO_EXPIRY: LabStory = {
  id: "getset-drops-ttl",
  lab: redis(
    "redis-timestamp",
    "published",
    [who(0, LONG), who(0.9, LONG), who(0, { orders: [ask(0.5), ask(2)] }, { program: "redis-by-hand" })],
    { ttl: 1 * SECOND },
  ),
  seed: 1,
  steps: [
    // A's own safety net is set longer, by hand, so that the key is there to be taken over.
    { when: { step: "expire", client: B, from: 0.9 }, deed: { do: "command", command: { type: "crash", process: B } } },
  ],
  endsAt: 4,
  expect: [{ says: "knows", client: C, name: "2", value: "-1" }],
};

function ask(when: number): HandOrder {
  return { at: seconds(when), request: { args: when < 1 ? ["PEXPIRE", "lock", "10000"] : ["TTL", "lock"] } };
}

function setnx(when: number): HandOrder {
  return { at: seconds(when), request: { args: ["SETNX", "lock", "somebody"] } };
}

function clockBehind(): LabStory {
  return {
    id: "slow-client-clock",
    lab: redis("redis-timestamp", "mended", [who(1, LONG), who(1.1, LONG)], { ttl: 1 * SECOND }),
    seed: 1,
    steps: [
      at(0.5, { type: "clock", process: B, driftPpm: 0, jumpUs: -1_500 * MS }),
      {
        when: { step: "expire", client: A, from: 0.9 },
        deed: { do: "command", command: { type: "crash", process: A } },
      },
    ],
    endsAt: 5,
    expect: [{ says: "believes", client: B, within: [3.5, 3.8] }, { says: "no-overlap" }],
  };
}

/** Paused before it looks at its own deadline, it does not write. */
const PAUSE_CHECK: LabStory = {
  id: "pause-redis-token-check",
  lab: redis(
    "redis-token",
    "published",
    [who(0, { ...LONG, writes: [1_900 * MS], ownDeadline: true }), who(1, LONG)],
    TEN,
  ),
  seed: 1,
  steps: [
    { when: { step: "check", client: A, from: 1.5 }, deed: { do: "command", command: { type: "pause", process: A } } },
    at(20, { type: "resume", process: A }),
  ],
  endsAt: 25,
  expect: [
    { says: "believes", client: B, within: [10, 10.3] },
    { says: "stops", client: A, within: [20, 20.3] },
    { says: "lost-updates", count: 0 },
    { says: "value-of", client: B },
  ],
};

/** A took the lock for a second and works longer; B takes over; A comes back late and gives "its" lock back. */
function lateRelease(variant: "published" | "mended" | "if-live"): LabStory {
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
    // Before the time of B is over.
    endsAt: 2,
    expect:
      variant !== "mended"
        ? [
            { says: "overlap", clients: [A, B], from: [1, 1.2], to: [1.2, 1.3], why: "expired" },
            { says: "overlap", clients: [B, C], from: [1.2, 1.3], why: "deleted" },
          ]
        : [
            { says: "overlap", clients: [A, B], from: [1, 1.2], to: [1.2, 1.3], why: "expired" },
            { says: "never-believes", client: C },
            { says: "holders", clients: [A, B] },
            { says: "really-holds", client: B },
          ],
  };
}

function failover(waits: boolean): LabStory {
  const clients = [
    who(1, { work: 10 * SECOND, replicas: waits ? 1 : 0 }),
    // Where A has heeded WAIT and given the lock back, it is not to have it of the dying primary.
    who(waits ? 1.6 : 1.2, { work: 12 * SECOND, writes: [500 * MS] }),
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
      ? [
          { says: "never-believes", client: A },
          { says: "state", client: A, state: "gave-up" },
          { says: "believes", client: B, within: [2, 2.4] },
          { says: "no-overlap" },
        ]
      : [
          { says: "believes", client: A, within: [1, 1.2] },
          { says: "believes", client: B, within: [2, 2.2] },
          { says: "overlap", clients: [A, B], from: [2, 2.2], to: [11, 11.2], why: "forgotten" },
          // Both have the same number, and the fence takes both.
          { says: "same-token", clients: [A, B] },
          { says: "refused", count: 0 },
          { says: "writes-taken", client: A, count: 1 },
          { says: "writes-taken", client: B, count: 1 },
        ],
  };
}

/**
 * A has three of five, for it cannot reach the other two; then one of the three dies and comes back. What it took with it
 * makes the difference: everything; nothing, as each write is on its disk first; or nothing that counts any more, as it
 * stays away for longer than the lock lasts.
 */
function majorityForgets(how: "published" | "durable" | "late"): LabStory {
  const isPublished = how === "published";
  const lab = redis("redlock", "published", [who(0, LONG), who(2, LONG)], { ...TEN, retry: 1 * SECOND }, 5);
  return {
    id: `redlock-majority-forgets-${how}`,
    lab: how === "durable" ? { ...lab, setup: { durable: true } } : lab,
    seed: 1,
    steps: [
      at(0, {
        type: "partition",
        groups: [
          [A, N1, N2, N3],
          [B, N4, N5],
        ],
      }),
      at(1, { type: "crash", process: N3 }),
      at(1.4, { type: "heal" }),
      at(how === "late" ? 12 : 1.5, { type: "restart", process: N3 }),
    ],
    endsAt: 13,
    expect: [
      { says: "learned", client: A, name: "granted", value: "3/5", within: [0, 0.3] },
      { says: "believes", client: A, within: [0, 0.4] },
      isPublished
        ? { says: "overlap", clients: [A, B], from: [2, 2.4], why: "forgotten" }
        : { says: "believes", client: B, within: [10, 11] },
    ],
  };
}

/** Each can ask two of the five servers, and one is down: both give back what they got, and try again later. */
const SPLIT: LabStory = {
  id: "redlock-split",
  lab: redis("redlock", "published", [who(0, { work: 1 * SECOND }), who(0, { work: 1 * SECOND })], TEN, 5),
  seed: 1,
  steps: [at(0, { type: "partition", groups: [[A, N1, N2], [B, N4, N5], [N3]] }), at(2, { type: "heal" })],
  endsAt: 12,
  expect: [
    { says: "learned", client: A, name: "granted", value: "2/5", within: [0, 0.5] },
    { says: "learned", client: B, name: "granted", value: "2/5", within: [0, 0.5] },
    { says: "without-holder", within: [2, 3.5] },
    { says: "state", client: A, state: "done" },
    { says: "state", client: B, state: "done" },
    { says: "no-overlap" },
  ],
};

/** A's work hangs, and its timer does not know. */
const WATCHDOG_OF_THE_DEAD: LabStory = {
  id: "watchdog-outlives",
  lab: redis("redis-token", "published", [who(0), who(1)], { ...TEN, beatFirst: 3 * SECOND, beatEvery: 3 * SECOND }),
  seed: 1,
  steps: [at(2, { type: "hold-back", client: A, on: true })],
  endsAt: 60,
  expect: [
    { says: "never-believes", client: B },
    { says: "holders", clients: [A] },
    { says: "really-holds", client: A },
  ],
};

/** A's timer is gone and its work is not: as when the thread of the watchdog has died. */
function watchdogStops(heeded: boolean): LabStory {
  const clients = [who(0, { ...LONG, ownDeadline: heeded, beatFirst: null }), who(1, LONG)];
  return {
    id: heeded ? "watchdog-stops-mended" : "watchdog-stops",
    lab: redis("redis-token", "published", clients, TEN),
    seed: 1,
    steps: [],
    endsAt: 45,
    expect: [
      { says: "believes", client: B, within: [10, 10.3] },
      ...(heeded
        ? ([{ says: "stops", client: A, within: [9.9, 10.1] }, { says: "no-overlap" }] as const)
        : ([{ says: "overlap", clients: [A, B], from: [10, 10.3], to: [40, 40.2], why: "expired" }] as const)),
    ],
  };
}

/** As `pause-redis-token`, with the number that is counted beside the lock, and a resource that looks at it. */
const PAUSE_COUNTED: LabStory = {
  id: "pause-redis-counted",
  lab: redis("redis-token", "counted", [who(0, { ...LONG, writes: [1_900 * MS] }), who(1, LONG)], TEN),
  seed: 1,
  steps: [
    { when: { step: "write", client: A, from: 1.5 }, deed: { do: "command", command: { type: "pause", process: A } } },
    at(20, { type: "resume", process: A }),
  ],
  endsAt: 25,
  expect: [
    { says: "overlap", clients: [A, B], from: [10, 10.3] },
    { says: "writes", client: A, within: [20, 20.1] },
    { says: "refused", client: A, count: 1 },
    { says: "lost-updates", count: 0 },
    { says: "value-of", client: B },
  ],
};

export const REDIS_STORIES: readonly LabStory[] = [
  PAUSE_COUNTED,
  majorityForgets("published"),
  majorityForgets("durable"),
  majorityForgets("late"),
  SPLIT,
  WATCHDOG_OF_THE_DEAD,
  watchdogStops(false),
  watchdogStops(true),
  {
    // SETNX, and its client dies before the EXPIRE that should have followed.
    id: "no-expiry",
    lab: redis(
      "redis-token",
      "published",
      [
        who(0, { orders: [setnx(0.5)] }, { program: "redis-by-hand" }),
        who(1),
        who(0, { orders: [ask(50)] }, { program: "redis-by-hand" }),
      ],
      TEN,
    ),
    seed: 1,
    steps: [at(1, { type: "crash", process: A })],
    endsAt: 60,
    expect: [
      { says: "never-believes", client: B },
      { says: "knows", client: C, name: "1", value: "-1" },
      { says: "without-holder", within: [0, 0.2] },
    ],
  },
  {
    id: "holder-dies-redis-token",
    lab: redis("redis-token", "published", [who(0, LONG), who(1)], TEN),
    seed: 1,
    steps: [at(3, { type: "crash", process: A })],
    endsAt: 15,
    expect: [
      { says: "believes", client: B, within: [10, 10.3] },
      { says: "no-overlap" },
      { says: "without-holder", within: [7, 7.3] },
    ],
  },
  {
    id: "holder-dies-redis-timestamp",
    lab: redis("redis-timestamp", "mended", [who(0, LONG), who(1)], TEN),
    seed: 1,
    steps: [at(3, { type: "crash", process: A })],
    endsAt: 15,
    expect: [
      { says: "believes", client: B, within: [10, 10.3] },
      { says: "no-overlap" },
      { says: "without-holder", within: [7, 7.3] },
    ],
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
      { says: "believes", client: B, within: [10, 10.3] },
      { says: "loses", client: A, within: [10, 10.1] },
      { says: "overlap", clients: [A, B], from: [10, 10.3], why: "expired" },
      // It has no number to refuse by.
      { says: "writes", client: A, within: [20, 20.1] },
      { says: "refused", count: 0 },
      { says: "lost-updates", count: 1 },
      { says: "value-of", client: A },
    ],
  },
  lateRelease("published"),
  lateRelease("if-live"),
  lateRelease("mended"),
  loserOverwrites("published"),
  loserOverwrites("mended"),
  NO_EXPIRY,
  clockBehind(),
  PAUSE_CHECK,
  {
    id: "fast-client-clock",
    lab: redis("redis-timestamp", "mended", [who(0.9999, { ...LONG, ownDeadline: true }), who(1.1, LONG)], {
      ttl: 1 * SECOND,
    }),
    seed: 1,
    steps: [at(0.5, { type: "clock", process: B, driftPpm: 0, jumpUs: 1_500 * MS })],
    endsAt: 2.5,
    expect: [
      { says: "overlap", clients: [A, B], from: [1.1, 1.2], to: [2, 2.1] },
      { says: "learned", client: B, name: "shown", value: String(WALL_MS + 2_000), within: [1.1, 1.2] },
    ],
  },
  {
    // A counts for itself how long it may trust its lock: ten seconds, by a clock that did not jump.
    id: "server-clock-jumps",
    lab: redis("redis-token", "published", [who(0, { ...LONG, ownDeadline: true }), who(1, LONG)], TEN),
    seed: 1,
    steps: [at(2, { type: "clock", process: N1, driftPpm: 0, jumpUs: 60 * SECOND })],
    endsAt: 12,
    expect: [
      { says: "loses", client: A, within: [2, 2.2] },
      { says: "believes", client: B, within: [2, 2.2] },
      { says: "overlap", clients: [A, B], from: [2, 2.2], to: [10, 10.1], why: "expired" },
      { says: "stops", client: A, within: [10, 10.1] },
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
    expect: [{ says: "believes", client: B, within: [70, 70.3] }],
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
      { says: "learned", client: B, name: "granted", value: "1/5", within: [2, 2.3] },
      { says: "never-believes", client: B },
      { says: "holders", clients: [A] },
      { says: "really-holds", client: A },
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
