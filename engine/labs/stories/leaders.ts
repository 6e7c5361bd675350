/** Leases over changes of leaders and members (scenario 5, and further), and renewals that come too late. */
import { SECOND } from "../../base/units.ts";
import { memberOf } from "../../etcd/member/config.ts";
import type { NodeId } from "../../raft/types.ts";
import type { ProcessId } from "../../sim/command.ts";
import { DEFAULT_PARAMS } from "../config.ts";
import type { LabStory } from "../story.ts";
import { A, at, B, fairLab, who } from "./fair.ts";
import { call, hand } from "./hand.ts";
import { labOf } from "./hazards.ts";

const SERVERS: readonly ProcessId[] = ["n1", "n2", "n3"].map((id) => id as ProcessId);
const N2 = "n2" as ProcessId;
const N3 = "n3" as ProcessId;
const LONG = { work: 40 * SECOND };
/** A seed with which n2 leads: the member at which B watches. */
const LEADER_IS_N2 = 7;
/** A seed with which n1 leads. */
const LEADER_IS_N1 = 5;

/**
 * A takes a lease of ten minutes, never renews it and dies. Somebody else is made leader each `every` seconds: each gives
 * the lease what is left of it by the last checkpoint, and all of it where there is none.
 */
export function longLease(id: string, checkpoints: boolean, every: number, expect: LabStory["expect"]): LabStory {
  const params = { ...DEFAULT_PARAMS, ttl: 600 * SECOND, beatFirst: null, ownDeadline: true };
  return {
    id,
    lab: fairLab("mended", [who(0, LONG), who(1, { ...LONG, beatFirst: 1 * SECOND, beatEvery: 200 * SECOND })], {
      params,
      setup: { checkpoints },
    }),
    seed: LEADER_IS_N1,
    steps: [
      at(3, { type: "crash", process: A }),
      ...[N2, N3, N2, N3].flatMap((to, i) => {
        const when = every * (i + 1);
        return when < ENDS_AT ? [at(when, { type: "transfer", to })] : [];
      }),
    ],
    endsAt: ENDS_AT,
    expect,
  };
}

const ENDS_AT = 1_250;

const LINK = { lossPerMillion: 0, duplicatePerMillion: 0, reorderPerMillion: 0 };
const LATE = { ttl: 10 * SECOND, beatFirst: 0, beatEvery: 3_333_333, ...LONG };

/** From 3 on what A sends is on its way for eight seconds: each renewal comes when the lease is over. */
function lateRenewal(ownDeadline: boolean): LabStory {
  const clients = [who(0, { ownDeadline }), who(0.1)];
  const slow = { ...LINK, latencyMin: 8 * SECOND, latencyMax: 8 * SECOND };
  return {
    id: ownDeadline ? "late-renewal-mended" : "late-renewal",
    lab: labOf("etcd-election", "published", clients, { ...LATE, lock: "leader" }, { lock: "leader" }),
    seed: 1,
    steps: SERVERS.map((to) => at(3, { type: "link", link: { from: A, to }, quality: slow })),
    endsAt: 45,
    expect: [
      { says: "believes", client: B, within: [10, 11.2] },
      ...(ownDeadline
        ? ([{ says: "stops", client: A, within: [10, 10.1] }, { says: "no-overlap" }] as const)
        : ([{ says: "overlap", clients: [A, B], from: [10, 11.2], to: [40, 40.3], why: "lease-ended" }] as const)),
    ],
  };
}

/** Its timer hangs after the first renewal. */
function stuckTimer(variant: "published" | "mended"): LabStory {
  const clients = [who(0, { ...LONG, beatEvery: 3_600 * SECOND }), who(1, LONG)];
  return {
    id: `timer-stuck-${variant}`,
    lab: fairLab(variant, clients),
    seed: 1,
    steps: [],
    endsAt: 45,
    expect:
      variant === "published"
        ? [{ says: "overlap", clients: [A, B], from: [16, 16.8], to: [40, 40.3], why: "lease-ended" }]
        : [
            { says: "stops", client: A, within: [15.9, 16.01] },
            { says: "believes", client: B, within: [16, 16.8] },
            { says: "no-overlap" },
          ],
  };
}

export const LEADER_STORIES: readonly LabStory[] = [
  {
    // B's own member is the leader that dies: its watch goes on at another, and misses nothing.
    id: "leader-dies-watched",
    lab: fairLab("mended", [who(0, LONG), who(1)]),
    seed: LEADER_IS_N2,
    steps: [at(9, { type: "crash", process: N2 })],
    endsAt: 48,
    expect: [
      { says: "new-leader", not: N2, within: [10, 13] },
      { says: "leases-extended", count: 2, by: 1 },
      { says: "holders", clients: [A, B] },
      { says: "learned", client: A, name: "renewal", value: "TTL 15", within: [1, 1.1] },
      { says: "stops", client: A, within: [40, 40.5] },
      { says: "believes", client: B, within: [40, 41] },
      { says: "notifications", client: B, count: 1 },
      { says: "no-overlap" },
    ],
  },
  longLease("long-lease", false, 400, [
    { says: "never-believes", client: B },
    { says: "holders", clients: [A] },
    { says: "really-holds", client: A },
  ]),
  longLease("long-lease-checkpoints", true, 400, [
    // At 300 half of it was left, and that is what the leader of 400 gives it, and one second.
    { says: "loses", client: A, within: [700, 703] },
    { says: "believes", client: B, within: [700, 704] },
  ]),
  {
    // While A holds and B waits, n3 leaves the cluster.
    id: "member-leaves",
    lab: fairLab("mended", [
      who(0, { work: 30 * SECOND }, { server: 0 }),
      who(1, {}, { server: 1 }),
      hand(
        [call(5, "Cluster/MemberList", {}), call(8, "Cluster/MemberRemove", { id: memberOf("n3" as NodeId).id })],
        0,
      ),
    ]),
    seed: LEADER_IS_N1,
    steps: [at(12, { type: "crash", process: N3 })],
    endsAt: 40,
    expect: [
      { says: "stops", client: A, within: [30, 30.3] },
      { says: "believes", client: B, within: [30, 30.4] },
      { says: "holders", clients: [A, B] },
      { says: "no-overlap" },
    ],
  },
  lateRenewal(false),
  lateRenewal(true),
  stuckTimer("published"),
  stuckTimer("mended"),
];
