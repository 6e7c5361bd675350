/** Stories of ZooKeeper's lock (scenarios 3, 4, 7, 11, 12). */
import { SECOND } from "../../base/units.ts";
import type { ProcessId } from "../../sim/command.ts";
import { DEFAULT_PARAMS, type LabClientSpec, type LabConfig } from "../config.ts";
import type { LockParams } from "../program.ts";
import type { LabStory } from "../story.ts";
import { A, at, B, C, STEP_TIME, WARM_UP, who } from "./fair.ts";

function zk(
  variant: "published" | "mended" | "herd" | "no-rewatch" | "by-text" | "takes-found" | "asks-owner",
  clients: readonly LabClientSpec[],
  params: Partial<LockParams> = {},
  fenced = false,
): LabConfig {
  return {
    system: "zookeeper",
    variant,
    lock: "mylock",
    servers: 3,
    fenced,
    params: { ...DEFAULT_PARAMS, lock: "mylock", ttl: 30 * SECOND, beatFirst: null, ...params },
    clients,
    stepTime: STEP_TIME,
    warmUp: WARM_UP,
  };
}

const SERVERS: readonly ProcessId[] = ["n1", "n2", "n3"].map((id) => id as ProcessId);
/** A seed with which the second client tries n2 first. */
const AT_N2 = 1;
const SIXTY = { work: 60 * SECOND };
const TIMED_OUT = [who(0, SIXTY), who(1), who(2)];

/** A counts for itself how long its session lasts: from when it sent what was answered last. */
function pauseZk(id: string, fenced: boolean, pausedAt: "write" | "check"): LabStory {
  const clients = [who(0, { work: 80 * SECOND, writes: [1_900_000], ownDeadline: true }), who(1, SIXTY)];
  return {
    id,
    lab: zk("mended", clients, {}, fenced),
    seed: 1,
    steps: [
      {
        when: { step: pausedAt, client: A, from: 1.5 },
        deed: { do: "command", command: { type: "pause", process: A } },
      },
      at(60, { type: "resume", process: A }),
    ],
    endsAt: 70,
    expect: [
      { says: "loses", client: A, within: [30, 32.2] },
      { says: "believes", client: B, within: [30, 32.3] },
      { says: "writes", client: B, within: [30, 32.4] },
      { says: "overlap", clients: [A, B], from: [30, 32.3], to: [60, 60.3], why: "lease-ended" },
      { says: "stops", client: A, within: [60, 60.3] },
      ...(pausedAt === "check"
        ? ([
            { says: "lost-updates", count: 0 },
            { says: "refused", count: 0 },
            { says: "value-of", client: B },
          ] as const)
        : fenced
          ? ([
              { says: "writes", client: A, within: [60, 60.1] },
              { says: "refused", client: A, count: 1 },
              { says: "lost-updates", count: 0 },
              { says: "value-of", client: B },
            ] as const)
          : ([
              { says: "writes", client: A, within: [60, 60.1] },
              { says: "refused", count: 0 },
              { says: "lost-updates", count: 1 },
              { says: "value-of", client: A },
            ] as const)),
    ],
  };
}

/** A is paused from 2 to 60: as published it never hears that its session is over, or does not listen. */
function sessionLost(variant: "published" | "mended"): LabStory {
  return {
    id: `session-lost-${variant}`,
    lab: zk(
      variant,
      [who(0, { work: 80 * SECOND }), who(1, SIXTY)],
      variant === "published" ? { limit: 100 * SECOND } : {},
    ),
    seed: 1,
    steps: [at(2, { type: "pause", process: A }), at(60, { type: "resume", process: A })],
    endsAt: 90,
    expect: [
      { says: "believes", client: B, within: [30, 32.3] },
      { says: "overlap", clients: [A, B], from: [30, 32.3], to: variant === "published" ? [80, 80.3] : [60, 61.5] },
      // Mended, it is told when it is connected again, and no sooner.
      { says: "stops", client: A, within: variant === "published" ? [80, 80.3] : [60, 61.5] },
    ],
  };
}

/** A is cut off from 2 to 60, and runs on. */
function cutOffZk(id: string, variant: "published" | "mended", ownDeadline: boolean): LabStory {
  const clients = [who(0, { work: 50 * SECOND, ownDeadline }), who(1, SIXTY)];
  return {
    id,
    lab: zk(variant, clients, variant === "published" ? { limit: 100 * SECOND } : {}),
    seed: 1,
    steps: [at(2, { type: "partition", groups: [[A], [...SERVERS, B]] }), at(60, { type: "heal" })],
    endsAt: 70,
    expect: [
      { says: "believes", client: B, within: [30, 32.3] },
      ...(ownDeadline
        ? ([
            { says: "stops", client: A, within: [29.9, 30.1] },
            { says: "state", client: A, state: "gave-up" },
            { says: "no-overlap" },
          ] as const)
        : ([
            { says: "stops", client: A, within: [50, 50.3] },
            { says: "overlap", clients: [A, B], from: [30, 32.3], to: [50, 50.3], why: "lease-ended" },
          ] as const)),
    ],
  };
}

/** B waits at n2, which dies at 3. */
function disconnected(id: string, variant: "published" | "mended" | "no-rewatch"): LabStory {
  const clients = [who(0, { work: 10 * SECOND }, { server: 0 }), who(1), who(2, {}, { server: 0 })];
  const limit = variant === "published" ? 100 * SECOND : null;
  return {
    id,
    lab: zk(variant, clients, { limit }),
    seed: AT_N2,
    steps: [at(3, { type: "crash", process: SERVERS[1] as ProcessId })],
    endsAt: 60,
    expect:
      variant === "published"
        ? [
            // That its connection is gone is an event too.
            { says: "knows", client: B, name: "woken", value: "Disconnected" },
            { says: "overlap", clients: [A, B], from: [3, 3.3], to: [9, 9.4], why: "not-first" },
          ]
        : variant === "mended"
          ? [
              { says: "believes", client: B, within: [10, 10.4] },
              { says: "believes", client: C, within: [16, 16.5] },
              { says: "no-overlap" },
            ]
          : [
              // Where it is connected now nobody knows what it waits for.
              { says: "never-believes", client: B },
              { says: "never-believes", client: C },
              { says: "state", client: B, state: "waiting" },
              { says: "really-holds", client: B },
              { says: "told", what: "NodeDeleted", count: 0 },
            ],
  };
}

/** A gives the lock back between B's look and B's latch. */
function beforeLatch(variant: "published" | "mended"): LabStory {
  const step = variant === "published" ? "listen" : "await";
  return {
    id: `event-before-latch-${variant}`,
    lab: zk(variant, [who(0), who(1), who(2, { limit: 100 * SECOND })], { limit: 30 * SECOND }),
    seed: 1,
    steps: [
      {
        when: { step, client: B, from: 1 },
        deed: { do: "command", command: { type: "hold-back", client: B, on: true } },
      },
      at(6.5, { type: "hold-back", client: B, on: false }),
    ],
    endsAt: 60,
    expect:
      variant === "published"
        ? [
            // Nobody comes any more; after half a minute it believes all the same.
            { says: "knows", client: B, name: "woken", value: "timeout" },
            { says: "believes", client: B, within: [36, 37] },
            { says: "holders", clients: [A, B, C] },
          ]
        : [
            { says: "believes", client: B, within: [6.5, 6.8] },
            { says: "believes", client: C, within: [12.5, 13] },
            { says: "no-overlap" },
          ],
  };
}

/** The root has seen 2147483646 nodes: the next numbers are the last two, and then the count begins below 0. */
function overflow(id: string, variant: "mended" | "by-text"): LabStory {
  return {
    id,
    lab: { ...zk(variant, [who(0, { work: 10 * SECOND }), who(1), who(2)]), setup: { sequenceFrom: 2_147_483_646 } },
    seed: 1,
    steps: [],
    endsAt: 40,
    expect:
      variant === "mended"
        ? [
            { says: "holders", clients: [A, B, C] },
            { says: "believes", client: C, within: [16, 16.7] },
            { says: "no-overlap" },
          ]
        : [
            // A minus sorts before every digit.
            { says: "overlap", clients: [A, C], from: [2, 2.3] },
            { says: "out-of-turn", count: 1 },
          ],
  };
}

/**
 * A's only server dies when it has made A's node and before it says so, and is back at 31. At 30.2 A's library gives its
 * session up, by its own clock; a new leader, from 12 on, gives that session its whole time anew.
 */
function oldSession(id: string, variant: "takes-found" | "asks-owner"): LabStory {
  const [n1, n2] = SERVERS as readonly [ProcessId, ProcessId];
  return {
    id,
    lab: zk(variant, [who(0, { work: 20 * SECOND }, { server: 1 }), who(1, { work: 15 * SECOND }, { server: 2 })]),
    seed: 1,
    steps: [
      {
        when: { step: "create", client: A, from: 0 },
        deed: { do: "lose", message: { from: A, words: "create", answer: true } },
      },
      at(0.2, { type: "crash", process: n2 }),
      at(10, { type: "crash", process: n1 }),
      at(10.5, { type: "restart", process: n1 }),
      at(31, { type: "restart", process: n2 }),
    ],
    endsAt: 75,
    expect:
      variant === "takes-found"
        ? [
            { says: "believes", client: A, within: [31, 33.5] },
            { says: "believes", client: B, within: [41, 46] },
            // Its session lives, its node does not: nothing tells it.
            { says: "overlap", clients: [A, B], from: [41, 46], to: [51, 54], why: "lease-ended" },
          ]
        : [
            { says: "believes", client: B, within: [31, 34] },
            { says: "believes", client: A, within: [46, 50] },
            // The first node is A's, and A does not know of it.
            { says: "holders", clients: [null, B, A] },
            { says: "no-overlap" },
          ],
  };
}

/** All servers are down from 0.5 on; B and C come later, and will wait two seconds. */
function serversAway(variant: "published" | "mended"): LabStory {
  return {
    id: `servers-away-${variant}`,
    lab: zk(variant, [who(0), who(1)], { limit: 2 * SECOND }),
    seed: 1,
    steps: SERVERS.map((process) => at(0.5, { type: "crash", process })),
    endsAt: 60,
    expect: [
      { says: "never-believes", client: B },
      variant === "published"
        ? { says: "state", client: B, state: "acquiring" }
        : { says: "state", client: B, state: "gave-up", within: [3, 3.3] },
    ],
  };
}

/** All fifty nodes are there before anybody looks: nobody is woken by one who comes. */
function fiftyAtOnce(): LabStory {
  const clients = Array.from({ length: 50 }, (_, i) => who(0, i === 0 ? { work: 10 * SECOND } : { work: SECOND / 10 }));
  const ids = clients.map((_, i) => `c${i + 1}` as ProcessId);
  return {
    id: "fifty-herd-at-once",
    lab: zk("herd", clients),
    seed: 1,
    steps: [
      ...ids.map((client) => at(0.04, { type: "hold-back", client, on: true })),
      ...ids.map((client) => at(1, { type: "hold-back", client, on: false })),
    ],
    endsAt: 20,
    expect: [{ says: "no-overlap" }, { says: "tokens-rise" }, { says: "notifications", count: 1_225 }],
  };
}

export const ZOOKEEPER_STORIES: readonly LabStory[] = [
  {
    id: "three-clients-zookeeper",
    lab: zk("mended", [who(0), who(0.1), who(0.2)]),
    seed: 1,
    steps: [],
    endsAt: 25,
    expect: [
      { says: "believes", client: A, within: [0, 0.4] },
      { says: "believes", client: B, within: [6, 6.5] },
      { says: "believes", client: C, within: [12, 12.8] },
      { says: "no-overlap" },
      { says: "notifications", count: 2 },
      { says: "tokens-rise" },
    ],
  },
  {
    id: "holder-dies-zookeeper",
    lab: zk("mended", [who(0, SIXTY), who(1)]),
    seed: 1,
    steps: [at(3, { type: "crash", process: A })],
    endsAt: 36,
    expect: [
      { says: "loses", client: A, within: [30, 32.2] },
      { says: "believes", client: B, within: [30, 32.3] },
      { says: "no-overlap" },
      { says: "without-holder", within: [27, 29.3] },
    ],
  },
  pauseZk("pause-zookeeper", true, "write"),
  pauseZk("pause-zookeeper-open", false, "write"),
  pauseZk("pause-zookeeper-check", false, "check"),
  {
    id: "waiter-dies-zookeeper-published",
    lab: zk("published", [who(0, SIXTY), who(0.1), who(0.2)], { limit: 100 * SECOND }),
    seed: 1,
    steps: [at(3, { type: "crash", process: B })],
    endsAt: 45,
    expect: [
      { says: "woken", client: C, within: [30, 32.3] },
      { says: "overlap", clients: [A, C], from: [30, 32.3], why: "not-first" },
      { says: "holders", clients: [A] },
    ],
  },
  {
    id: "waiter-dies-zookeeper-mended",
    lab: zk("mended", [who(0, SIXTY), who(0.1), who(0.2)]),
    seed: 1,
    steps: [at(3, { type: "crash", process: B })],
    endsAt: 66,
    expect: [
      { says: "no-overlap" },
      { says: "woken", client: C, within: [30, 32.3] },
      { says: "believes", client: C, within: [60, 60.6] },
      { says: "notifications", count: 2 },
      { says: "out-of-turn", count: 0 },
    ],
  },
  {
    id: "timed-out-wait-published",
    lab: zk("published", TIMED_OUT, { limit: 30 * SECOND }),
    seed: 1,
    steps: [],
    endsAt: 45,
    expect: [
      { says: "believes", client: B, within: [31, 32] },
      { says: "believes", client: C, within: [32, 33] },
      { says: "overlap", clients: [A, B], from: [31, 32], to: [37, 38], why: "not-first" },
      { says: "overlap", clients: [A, C], from: [32, 33], why: "not-first" },
      { says: "overlap", clients: [B, C], from: [32, 33] },
      { says: "out-of-turn", count: 2 },
      { says: "holders", clients: [A] },
      { says: "really-holds", client: A },
      { says: "stops", client: B, within: [37, 38] },
    ],
  },
  {
    id: "timed-out-wait-mended",
    lab: zk("mended", TIMED_OUT, { limit: 30 * SECOND }),
    seed: 1,
    steps: [],
    endsAt: 45,
    expect: [
      { says: "state", client: B, state: "gave-up", within: [31, 31.3] },
      // B's node goes: C is woken, looks, and watches A for what is left of its limit.
      { says: "woken", client: C, within: [31, 31.4] },
      { says: "state", client: C, state: "gave-up", within: [32, 32.3] },
      { says: "never-believes", client: B },
      { says: "never-believes", client: C },
      { says: "no-overlap" },
    ],
  },
  {
    id: "timed-out-wait-patient",
    lab: zk("mended", TIMED_OUT),
    seed: 1,
    steps: [],
    endsAt: 75,
    expect: [
      { says: "believes", client: B, within: [60, 60.4] },
      { says: "believes", client: C, within: [66, 66.6] },
      { says: "holders", clients: [A, B, C] },
      { says: "no-overlap" },
    ],
  },
  ...(["mended", "herd"] as const).map(
    (variant): LabStory => ({
      id: `fifty-${variant}`,
      // The first holds until all have arrived and looked.
      lab: zk(
        variant,
        Array.from({ length: 50 }, (_, i) => who(0.1 * i, i === 0 ? { work: 10 * SECOND } : { work: SECOND / 10 })),
      ),
      seed: 1,
      steps: [],
      endsAt: 20,
      expect: [
        { says: "no-overlap" },
        { says: "tokens-rise" },
        { says: "notifications", count: variant === "mended" ? 49 : 2_401 },
      ],
    }),
  ),
  fiftyAtOnce(),
  sessionLost("published"),
  sessionLost("mended"),
  cutOffZk("cut-off-zookeeper-published", "published", false),
  cutOffZk("cut-off-zookeeper-told-late", "mended", false),
  cutOffZk("cut-off-zookeeper-mended", "mended", true),
  disconnected("disconnected-published", "published"),
  disconnected("disconnected-mended", "mended"),
  disconnected("disconnected-no-rewatch", "no-rewatch"),
  beforeLatch("published"),
  beforeLatch("mended"),
  overflow("overflow-mended", "mended"),
  overflow("overflow-by-text", "by-text"),
  oldSession("old-session-taken", "takes-found"),
  oldSession("old-session-asked", "asks-owner"),
  serversAway("published"),
  serversAway("mended"),
];
