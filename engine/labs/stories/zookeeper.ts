/** Stories of ZooKeeper's lock (scenarios 3, 4, 7, 11, 12). */
import { SECOND } from "../../base/units.ts";
import { DEFAULT_PARAMS, type LabClientSpec, type LabConfig } from "../config.ts";
import type { LockParams } from "../program.ts";
import type { LabStory } from "../story.ts";
import { A, at, B, C, STEP_TIME, WARM_UP, who } from "./fair.ts";

function zk(
  variant: "published" | "mended" | "herd",
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

const SIXTY = { work: 60 * SECOND };
const TIMED_OUT = [who(0, SIXTY), who(1), who(2)];

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
  {
    id: "pause-zookeeper",
    lab: zk("mended", [who(0, { work: 80 * SECOND, writes: [1_900_000] }), who(1, SIXTY)], {}, true),
    seed: 1,
    steps: [
      {
        when: { step: "write", client: A, from: 1.5 },
        deed: { do: "command", command: { type: "pause", process: A } },
      },
      at(60, { type: "resume", process: A }),
    ],
    endsAt: 70,
    expect: [
      { says: "believes", client: B, within: [30, 32.3] },
      { says: "overlap", clients: [A, B], from: [30, 32.3], to: [60, 61.5] },
      // It hears of the end of its session when it is connected again.
      { says: "stops", client: A, within: [60, 61.5] },
      { says: "refused", client: A, count: 1 },
      { says: "value-of", client: B },
      { says: "lost-updates", count: 0 },
    ],
  },
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
      endsAt: 40,
      expect: [
        { says: "no-overlap" },
        { says: "tokens-rise" },
        { says: "notifications", count: variant === "mended" ? 49 : 2_401 },
      ],
    }),
  ),
];
