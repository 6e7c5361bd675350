/** An election, and what else is built of leases and watches: discovery, configuration, monitoring, a leader for a job. */
import { SECOND } from "../../base/units.ts";
import type { ProcessId } from "../../sim/command.ts";
import { DEFAULT_PARAMS, type LabClientSpec, type LabConfig } from "../config.ts";
import type { HandOrder, LockParams } from "../program.ts";
import type { LabStory } from "../story.ts";
import { A, at, B, C, seconds, STEP_TIME, WARM_UP, who } from "./fair.ts";

const D = "c4" as ProcessId;
const SERVERS = ["n1", "n2", "n3"] as ProcessId[];
const OBSERVE = { program: "etcd-uses-observe" };

function lab(
  system: "etcd-election" | "etcd-uses",
  variant: string,
  clients: readonly LabClientSpec[],
  params: Partial<LockParams>,
): LabConfig {
  return {
    system,
    variant,
    lock: "/use",
    servers: 3,
    fenced: system === "etcd-election",
    params: { ...DEFAULT_PARAMS, lock: "/use", beatFirst: 0, ...params },
    clients,
    stepTime: STEP_TIME,
    warmUp: WARM_UP,
  };
}

function put(when: number, value: string): HandOrder {
  return { at: seconds(when), request: { type: "call", method: "KV/Put", body: { key: "/use/limit", value } } };
}

const TEN = { ttl: 10 * SECOND, beatEvery: 3_333_333 };

export const USE_STORIES: readonly LabStory[] = [
  {
    id: "election-queue",
    lab: lab("etcd-election", "published", [who(0), who(0.1), who(0.2), who(0, {}, OBSERVE)], TEN),
    seed: 1,
    steps: [],
    endsAt: 20,
    expect: [
      { says: "holders", clients: [A, B, C] },
      { says: "no-overlap" },
      { says: "tokens-rise" },
      { says: "knows", client: D, name: "seen", value: null },
    ],
  },
  {
    id: "leader-for-a-job",
    lab: lab(
      "etcd-election",
      "published",
      [who(0, { work: 60 * SECOND }), who(0.1, { work: 60 * SECOND }), who(0.2), who(0, {}, OBSERVE)],
      TEN,
    ),
    seed: 1,
    steps: [at(5, { type: "crash", process: A })],
    endsAt: 20,
    expect: [
      // Last renewed at 3.3.
      { says: "believes", client: B, within: [13.3, 14.3] },
      { says: "no-overlap" },
      { says: "holders", clients: [A, B] },
      { says: "knows", client: D, name: "seen", value: "c2 c3" },
    ],
  },
  {
    // Cut off for 40 s, with a lease of 30: the key comes back with a new lease.
    id: "service-discovery",
    lab: lab("etcd-uses", "register", [who(0), who(0.5), who(1, {}, OBSERVE)], {
      ttl: 30 * SECOND,
      beatEvery: 10 * SECOND,
    }),
    seed: 1,
    steps: [at(5, { type: "partition", groups: [[A], [...SERVERS, B, C]] }), at(45, { type: "heal" })],
    endsAt: 60,
    expect: [
      { says: "told", what: "DELETE", count: 1 },
      { says: "told", what: "PUT", count: 1 },
      { says: "knows", client: A, name: "registered", value: "2" },
      { says: "knows", client: B, name: "registered", value: "1" },
      { says: "knows", client: C, name: "seen", value: "c1 c2" },
      { says: "leases", at: 40, count: 1 },
      { says: "leases", at: 59, count: 2 },
    ],
  },
  {
    id: "configuration",
    lab: lab(
      "etcd-uses",
      "observe",
      [who(0), who(3), who(0, { orders: [put(1, "10"), put(5, "20")] }, { program: "etcd-by-hand" })],
      {},
    ),
    seed: 1,
    steps: [],
    endsAt: 8,
    expect: [
      { says: "notifications", client: A, count: 2 },
      { says: "notifications", client: B, count: 1 },
      { says: "knows", client: A, name: "seen", value: "20" },
      { says: "knows", client: B, name: "seen", value: "20" },
    ],
  },
  {
    id: "monitoring",
    lab: lab("etcd-uses", "register", [who(0), who(0.1), who(1, {}, OBSERVE)], { ttl: 3 * SECOND, beatEvery: SECOND }),
    seed: 1,
    steps: [at(5, { type: "crash", process: A })],
    endsAt: 12,
    expect: [
      { says: "told", what: "DELETE", count: 1 },
      { says: "knows", client: C, name: "seen", value: "c2" },
    ],
  },
];
