/** Stories of the other locks of etcd, and of leaders and partitions (scenarios 4, 5, 6, 10, 14). */
import { SECOND } from "../../base/units.ts";
import type { ProcessId } from "../../sim/command.ts";
import { DEFAULT_PARAMS, type LabClientSpec, type LabConfig } from "../config.ts";
import type { LabStory } from "../story.ts";
import { A, at, B, C, doing, fairLab, STEP_TIME, WARM_UP, who } from "./fair.ts";

const D = "c4" as ProcessId;
const E = "c5" as ProcessId;
const N1 = "n1" as ProcessId;
const N2 = "n2" as ProcessId;
const N3 = "n3" as ProcessId;
const R1 = "r1" as ProcessId;
const LONG = { work: 40 * SECOND };

function lab(
  system: LabConfig["system"],
  variant: string,
  clients: readonly LabClientSpec[],
  params: Partial<LabConfig["params"]>,
): LabConfig {
  return {
    system,
    variant,
    lock: "lock",
    servers: 3,
    fenced: false,
    params: { ...DEFAULT_PARAMS, lock: "lock", ...params },
    clients,
    stepTime: STEP_TIME,
    warmUp: WARM_UP,
  };
}

const TXN = { ttl: 5 * SECOND, beatFirst: 0, beatEvery: 1 * SECOND, retry: 1 * SECOND };
const MUTEX = { ttl: 10 * SECOND, beatFirst: 0, beatEvery: 3_333_333 };
const QUEUE = { ttl: 60 * SECOND, beatFirst: 0, beatEvery: 20 * SECOND, work: 2 * SECOND };

/** The key of B goes at 5.1, and nobody tells it. */
const GONE: LabStory["expect"] = [
  { says: "leases", at: 5, count: 3 },
  { says: "leases", at: 5.9, count: 2 },
  { says: "woken", client: B, within: [20, 20.3] },
];

function expired(compat: "3.4" | "3.5"): LabStory {
  const clients = [
    who(0, { work: 20 * SECOND }),
    who(0.1, { ttl: 5 * SECOND, beatFirst: null, writes: [500_000] }),
    who(0.2, { writes: [0] }),
  ];
  return {
    id: `expired-waiter-${compat}`,
    lab: { ...lab("etcd-mutex", compat, clients, QUEUE), fenced: compat === "3.4" },
    seed: 1,
    steps: [],
    endsAt: 25,
    expect:
      compat === "3.4"
        ? [
            ...GONE,
            { says: "overlap", clients: [B, C], from: [20, 20.4], why: "lease-ended" },
            { says: "refused", client: B, count: 1 },
            { says: "value-of", client: C },
          ]
        : [
            ...GONE,
            { says: "never-believes", client: B },
            { says: "state", client: B, state: "gave-up", within: [20, 20.4] },
            { says: "knows", client: B, name: "error", value: "mutex: session is expired" },
            { says: "believes", client: C, within: [20, 20.4] },
            { says: "no-overlap" },
          ],
  };
}

function cutOff(variant: "published" | "mended"): LabStory {
  return {
    id: `cut-off-${variant}`,
    lab: fairLab(variant, [who(0, LONG, { server: 0 }), who(1, LONG, { server: 1 })]),
    seed: LEADER_IS_N1,
    steps: [
      at(2, {
        type: "partition",
        groups: [
          [A, N1],
          [N2, N3, B],
        ],
      }),
      at(45, { type: "heal" }),
    ],
    endsAt: 60,
    expect:
      variant === "published"
        ? [
            { says: "believes", client: B, within: [19, 23] },
            { says: "stops", client: A, within: [40, 40.3] },
            { says: "overlap", clients: [A, B], from: [19, 23], to: [40, 40.3], why: "lease-ended" },
          ]
        : [
            { says: "believes", client: B, within: [19, 23] },
            { says: "stops", client: A, within: [15.9, 16.01] },
            { says: "no-overlap" },
          ],
  };
}

/** A seed with which n1 wins the first election of three members. */
const LEADER_IS_N1 = 5;

export const OTHER_STORIES: readonly LabStory[] = [
  {
    id: "holder-dies-txn",
    lab: lab("etcd-txn", "retry", [who(0, LONG), who(1)], TXN),
    seed: 1,
    steps: [at(3, { type: "crash", process: A })],
    endsAt: 20,
    expect: [
      { says: "believes", client: B, within: [7, 9.7] },
      { says: "no-overlap" },
      { says: "without-holder", within: [4, 6.7] },
    ],
  },
  {
    id: "holder-dies-txn-published",
    lab: lab("etcd-txn", "published", [who(0, LONG), who(1)], TXN),
    seed: 1,
    steps: [at(3, { type: "crash", process: A })],
    endsAt: 20,
    expect: [
      { says: "never-believes", client: B },
      { says: "state", client: B, state: "gave-up" },
    ],
  },
  {
    id: "holder-dies-mutex",
    lab: lab("etcd-mutex", "3.5", [who(0, LONG), who(1)], MUTEX),
    seed: 1,
    steps: [at(3, { type: "crash", process: A })],
    endsAt: 20,
    expect: [
      { says: "believes", client: B, within: [10, 10.9] },
      { says: "no-overlap" },
      { says: "without-holder", within: [7, 7.9] },
    ],
  },
  {
    id: "txn-herd",
    lab: lab("etcd-txn", "watch", [who(0), who(0.1), who(0.2), who(0.3)], TXN),
    seed: 1,
    steps: [],
    endsAt: 30,
    // Each release wakes all that are left.
    expect: [{ says: "no-overlap" }, { says: "notifications", count: 6 }],
  },
  {
    id: "leader-dies",
    lab: fairLab("mended", [who(0, LONG), who(1)]),
    seed: 2,
    steps: [doing(9, { do: "to-leader", type: "crash" })],
    endsAt: 48,
    expect: [
      { says: "new-leader", within: [10, 13] },
      // One election timeout, for the leases of A and of B.
      { says: "leases-extended", count: 2, by: 1 },
      { says: "holders", clients: [A, B] },
      { says: "stops", client: A, within: [40, 40.5] },
      { says: "believes", client: B, within: [40, 41] },
      { says: "notifications", client: B, count: 1 },
      { says: "no-overlap" },
    ],
  },
  {
    id: "leader-and-holder-die",
    lab: fairLab("mended", [who(0, LONG), who(1)]),
    seed: 1,
    steps: [at(3, { type: "crash", process: A }), doing(9, { do: "to-leader", type: "crash" })],
    endsAt: 48,
    expect: [{ says: "believes", client: B, within: [26, 30] }, { says: "no-overlap" }],
  },
  cutOff("published"),
  cutOff("mended"),
  {
    id: "mutex-queue",
    lab: lab(
      "etcd-mutex",
      "3.5",
      // All at the leader: elsewhere each hand-over has its reads confirmed first, and takes some hundredths longer.
      [0, 0.1, 0.2, 0.3, 0.4].map((start) => who(start, {}, { server: 0 })),
      QUEUE,
    ),
    seed: 1,
    steps: [],
    endsAt: 15,
    expect: [
      { says: "believes", client: A, within: [0, 0.3] },
      { says: "believes", client: B, within: [2, 2.3] },
      { says: "believes", client: C, within: [4, 4.3] },
      { says: "believes", client: D, within: [6, 6.3] },
      { says: "believes", client: E, within: [8, 8.4] },
      { says: "holders", clients: [A, B, C, D, E] },
      { says: "no-overlap" },
      { says: "notifications", count: 4 },
      { says: "told", what: "DELETE", count: 4 },
      { says: "tokens-rise" },
    ],
  },
  expired("3.4"),
  expired("3.5"),
  {
    id: "fast-clock",
    lab: fairLab("mended", [who(0, LONG), who(1, { beatFirst: 5 * SECOND, beatEvery: 5 * SECOND })]),
    seed: 1,
    steps: [doing(0, { do: "leader-clock", driftPpm: 500_000, jumpUs: 0 })],
    endsAt: 20,
    expect: [
      { says: "loses", client: A, within: [11, 11.8] },
      { says: "believes", client: B, within: [11, 11.8] },
      { says: "overlap", clients: [A, B], from: [11, 11.8], to: [13, 13.3] },
    ],
  },
  {
    id: "wall-clock-jumps",
    lab: fairLab("mended", [who(0, LONG), who(1)]),
    seed: 1,
    steps: [
      doing(2, { do: "leader-clock", driftPpm: 0, jumpUs: 3_600 * SECOND }),
      doing(10, { do: "leader-clock", driftPpm: 0, jumpUs: -3_600 * SECOND }),
    ],
    endsAt: 45,
    expect: [
      { says: "stops", client: A, within: [40, 40.3] },
      { says: "believes", client: B, within: [40, 40.4] },
      { says: "no-overlap" },
    ],
  },
  {
    id: "fence-by-hand",
    lab: fairLab("published", [who(0, { ...LONG, writes: [30 * SECOND] }), who(1, LONG)]),
    seed: 1,
    steps: [
      doing(12, { do: "lose", message: { from: A, words: "keep-alive" } }),
      at(20, { type: "fence", process: R1, on: true }),
    ],
    endsAt: 48,
    expect: [
      { says: "refused", client: A, count: 1 },
      { says: "value-of", client: B },
    ],
  },
];
