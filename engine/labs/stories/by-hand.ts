/** Stories in which somebody looks, puts or compacts by hand, and those of the Lock service (scenarios 5, 6, 8, 9, 10). */
import { SECOND } from "../../base/units.ts";
import { NO_LEASE } from "../../etcd/api/ids.ts";
import type { ProcessId } from "../../sim/command.ts";
import type { LabClientSpec, LabConfig } from "../config.ts";
import { LAST_REVISION } from "../programs/by-hand.ts";
import { prefixEnd } from "../programs/etcd-fair.ts";
import type { LabStory } from "../story.ts";
import { A, at, B, C, doing, fairLab, seconds, who } from "./fair.ts";
import { call, hand, LEASE, LOCK } from "./hand.ts";
import { serviceLab as service } from "./service.ts";

const D = "c4" as ProcessId;
const E = "c5" as ProcessId;
const N1 = "n1" as ProcessId;
const N2 = "n2" as ProcessId;
const N3 = "n3" as ProcessId;
const LONG = { work: 40 * SECOND };
/** A seed with which n1 wins the first election of three members. */
const LEADER_IS_N1 = 5;

const PREFIX = "/lock/mylock/";
const READ = { key: PREFIX, rangeEnd: prefixEnd(PREFIX) };

const SERVICE = { program: "etcd-mutex-service" };

function expiredInService(compat: "3.4" | "3.5"): LabStory {
  const clients = [
    who(0, { work: 20 * SECOND }, SERVICE),
    who(0.1, { ttl: 5 * SECOND, beatFirst: null }, SERVICE),
    who(0.2, {}, SERVICE),
  ];
  return {
    id: `service-expired-${compat}`,
    lab: service(clients, compat),
    seed: 1,
    steps: [],
    endsAt: 25,
    expect:
      compat === "3.4"
        ? [
            { says: "leases", at: 5, count: 3 },
            { says: "leases", at: 5.9, count: 2 },
            { says: "believes", client: B, within: [20, 20.3] },
            { says: "believes", client: C, within: [20, 20.3] },
            // Of the answer's header.
            { says: "know-the-same", clients: [B, C], name: "revision" },
            { says: "overlap", clients: [B, C], from: [20, 20.3], why: "lease-ended" },
          ]
        : [
            { says: "never-believes", client: B },
            { says: "state", client: B, state: "gave-up", within: [20, 20.3] },
            { says: "knows", client: B, name: "error", value: "mutex: session is expired" },
            { says: "believes", client: C, within: [20, 20.3] },
            { says: "no-overlap" },
          ],
  };
}

function foreignKey(id: string, lab: LabConfig): LabStory {
  const put = call(0, "KV/Put", { key: `${lab.lock}/foreign`, value: "by hand", lease: NO_LEASE });
  return {
    id,
    lab: { ...lab, clients: [hand([put]), ...lab.clients] },
    seed: 1,
    steps: [],
    endsAt: 60,
    expect: [
      { says: "never-believes", client: B },
      { says: "never-believes", client: C },
      { says: "holders", clients: [null] },
    ],
  };
}

export const BY_HAND_STORIES: readonly LabStory[] = [
  {
    // A lock of the service without a lease of the caller's: the server grants one of its own, and nobody renews it.
    id: "service-no-lease",
    lab: service([hand([call(0, "Lock/Lock", { name: "q", lease: NO_LEASE })]), who(1, {}, SERVICE)]),
    seed: 1,
    steps: [],
    endsAt: 66,
    expect: [
      { says: "believes", client: B, within: [60, 61.7] },
      { says: "leases", at: 50, count: 2 },
      { says: "leases", at: 65.9, count: 0 },
    ],
  },
  foreignKey("foreign-key-published", fairLab("published", [who(1), who(1.1)])),
  foreignKey("foreign-key-mended", fairLab("mended", [who(1), who(1.1)])),
  foreignKey("foreign-key-service", service([who(1, {}, SERVICE), who(1.1, {}, SERVICE)])),
  {
    id: "missed-delete-compacted",
    lab: fairLab("mended", [
      who(0),
      who(5),
      who(5.5),
      hand([call(6.5, "KV/Put", { key: "/other", value: "x" }), call(6.6, "KV/Compact", { revision: LAST_REVISION })]),
    ]),
    seed: 1,
    steps: [doing(5, { do: "keep", message: { from: B, words: "watch-create" }, until: 7 })],
    endsAt: 30,
    expect: [
      { says: "knows", client: D, name: "2", value: "OK" },
      { says: "told", what: "watch-over", count: 1 },
      { says: "believes", client: B, within: [7, 7.3] },
      { says: "believes", client: C, within: [13, 13.4] },
      { says: "no-overlap" },
    ],
  },
  {
    id: "cut-off-guarded",
    lab: fairLab("mended", [
      who(
        0,
        { ...LONG, work: 60 * SECOND, writes: [seconds(1), seconds(30), seconds(46)], ownDeadline: false },
        { server: 0, variant: "guarded" },
      ),
      who(1, { writes: [] }, { server: 1 }),
      hand(
        [
          call(30, "KV/Range", { ...READ, serializable: true }, 5),
          call(30.5, "KV/Range", READ, 5),
          call(55, "KV/Range", { ...READ, serializable: true }, 5),
        ],
        0,
      ),
    ]),
    seed: LEADER_IS_N1,
    steps: [
      at(2, {
        type: "partition",
        groups: [
          [A, C, N1],
          [N2, N3, B],
        ],
      }),
      at(45, { type: "heal" }),
    ],
    endsAt: 60,
    expect: [
      { says: "steps-down", process: N1, within: [2, 4] },
      { says: "new-leader", not: N1, within: [3, 6] },
      { says: "believes", client: B, within: [19, 23] },
      { says: "knows", client: C, name: "1", value: "2 keys" },
      { says: "knows", client: C, name: "2", value: "context deadline exceeded" },
      { says: "knows", client: C, name: "3", value: "0 keys" },
      { says: "knows", client: A, name: "guard", value: "succeeded, no answer, not succeeded" },
    ],
  },
  {
    // All at the leader: elsewhere each hand-over has its reads confirmed first, and takes some hundredths longer.
    id: "service-queue",
    lab: service([0, 0.1, 0.2, 0.3, 0.4].map((start) => who(start, {}, { ...SERVICE, server: 0 }))),
    seed: 1,
    steps: [],
    endsAt: 15,
    expect: [
      { says: "believes", client: A, within: [0, 0.3] },
      { says: "believes", client: B, within: [2, 2.3] },
      { says: "believes", client: C, within: [4, 4.3] },
      { says: "believes", client: D, within: [6, 6.3] },
      { says: "believes", client: E, within: [8, 8.3] },
      { says: "holders", clients: [A, B, C, D, E] },
      { says: "no-overlap" },
    ],
  },
  {
    // c1 is A, who calls twice on one lease; c2 is B.
    id: "service-same-session",
    lab: service([
      hand([
        call(0, "Lease/LeaseGrant", { ttl: 60, id: LEASE }),
        call(0.1, "Lock/Lock", LOCK),
        call(0.5, "Lock/Lock", LOCK),
        call(3, "Lock/Unlock", { key: "q/1234" }),
        call(4, "Lock/Unlock", { key: "q/1234" }),
      ]),
      who(1, {}, SERVICE),
    ]),
    seed: 1,
    steps: [],
    endsAt: 10,
    expect: [
      { says: "knows", client: A, name: "2", value: "q/1234" },
      // At once, as it holds already.
      { says: "knows", client: A, name: "3", value: "q/1234", within: [0.5, 0.6] },
      { says: "believes", client: B, within: [3, 3.3] },
      { says: "knows", client: A, name: "5", value: "OK" },
    ],
  },
  {
    // c1 holds until 2; c2 and c3 wait on one lease.
    id: "service-two-calls",
    lab: service([
      who(0, {}, SERVICE),
      hand([call(0.2, "Lease/LeaseGrant", { ttl: 60, id: LEASE }), call(0.4, "Lock/Lock", LOCK)]),
      hand([call(0.5, "Lock/Lock", LOCK)]),
    ]),
    seed: 1,
    steps: [],
    endsAt: 5,
    expect: [
      { says: "stops", client: A, within: [2, 2.3] },
      { says: "knows", client: B, name: "2", value: "q/1234", within: [2, 2.3] },
      { says: "knows", client: C, name: "1", value: "q/1234", within: [2, 2.3] },
    ],
  },
  expiredInService("3.4"),
  expiredInService("3.5"),
  {
    id: "fifty-fair",
    lab: fairLab("mended", fifty()),
    seed: 1,
    steps: [],
    endsAt: 20,
    expect: [
      { says: "no-overlap" },
      { says: "tokens-rise" },
      { says: "told", what: "DELETE", count: 49 },
      { says: "notifications", count: 49 },
    ],
  },
  {
    id: "fifty-fair-herd",
    lab: { ...fairLab("mended", fifty()), variant: "herd" },
    seed: 1,
    steps: [],
    endsAt: 20,
    expect: [
      { says: "no-overlap" },
      { says: "tokens-rise" },
      { says: "told", what: "PUT", count: 1_176 },
      { says: "told", what: "DELETE", count: 1_225 },
    ],
  },
];

/** The first holds until all have arrived and looked. */
function fifty(): readonly LabClientSpec[] {
  return Array.from({ length: 50 }, (_, i) => who(0.1 * i, { work: i === 0 ? 10 * SECOND : SECOND / 10 }));
}
