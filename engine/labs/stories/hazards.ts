/**
 * Hazards that the fifteen scenarios leave open: answers that are lost, places in the queue that outlive their owner, keys
 * that are written again, leaders that come back late.
 */
import { MS, SECOND } from "../../base/units.ts";
import type { ProcessId } from "../../sim/command.ts";
import { DEFAULT_PARAMS, type LabClientSpec, type LabConfig } from "../config.ts";
import type { LabStory } from "../story.ts";
import { A, at, B, C, doing, fairLab, STEP_TIME, WARM_UP, who } from "./fair.ts";

const N1 = "n1" as ProcessId;
const N2 = "n2" as ProcessId;
const N3 = "n3" as ProcessId;
const LONG = { work: 40 * SECOND };

export function labOf(
  system: LabConfig["system"],
  variant: string,
  clients: readonly LabClientSpec[],
  params: Partial<LabConfig["params"]>,
  more: Partial<LabConfig> = {},
): LabConfig {
  const { servers = 3 } = more;
  return {
    system,
    variant,
    lock: "lock",
    servers,
    fenced: false,
    params: { ...DEFAULT_PARAMS, lock: "lock", servers, ...params },
    clients,
    stepTime: STEP_TIME,
    warmUp: WARM_UP,
    ...more,
  };
}

const TXN = { ttl: 5 * SECOND, beatFirst: 0, beatEvery: 1 * SECOND, retry: 1 * SECOND };
const MUTEX = { ttl: 10 * SECOND, beatFirst: 0, beatEvery: 3_333_333 };
const ZOOKEEPER = { ttl: 30 * SECOND, beatFirst: null };
const REDIS = { ttl: 10 * SECOND, beatFirst: null, retry: 200 * MS };

// ── the answer to the asking is lost ──

const lostAnswer = (words: string) => doing(0, { do: "lose", message: { from: A, words, answer: true } });

/** A's put is done, and it is never told. */
function lostPut(variant: "published" | "mended"): LabStory {
  return {
    id: `lost-reply-fair-${variant}`,
    lab: fairLab(variant, [who(0), who(1)]),
    seed: 1,
    steps: [lostAnswer("KV/Put")],
    endsAt: 60,
    expect:
      variant === "published"
        ? [
            // Its own key is the first of the list, and it watches that.
            { says: "never-believes", client: A },
            { says: "never-believes", client: B },
            { says: "state", client: A, state: "waiting" },
            { says: "really-holds", client: A },
          ]
        : [
            { says: "state", client: A, state: "gave-up", within: [10, 10.3] },
            { says: "believes", client: B, within: [10, 10.4] },
            { says: "no-overlap" },
          ],
  };
}

/** A's server dies when it has made A's node and before it says so. */
function lostCreate(variant: "published" | "mended"): LabStory {
  return {
    id: `lost-reply-zookeeper-${variant}`,
    lab: labOf("zookeeper", variant, [who(0, {}, { server: 1 }), who(1, {}, { server: 2 })], ZOOKEEPER),
    seed: 1,
    steps: [
      {
        when: { step: "create", client: A, from: 0 },
        deed: { do: "lose", message: { from: A, words: "create", answer: true } },
      },
      at(0.2, { type: "crash", process: N2 }),
      at(1, { type: "restart", process: N2 }),
    ],
    endsAt: 60,
    expect:
      variant === "published"
        ? [
            // It waits for the node that it made first, and nobody else knows of that one.
            { says: "never-believes", client: A },
            { says: "never-believes", client: B },
            { says: "state", client: A, state: "waiting" },
            { says: "holders", clients: [null] },
          ]
        : [
            { says: "believes", client: A, within: [1, 3] },
            { says: "believes", client: B, within: [7, 9.2] },
            { says: "holders", clients: [A, B] },
            { says: "no-overlap" },
          ],
  };
}

const LOST_REPLIES: readonly LabStory[] = [
  lostPut("published"),
  lostPut("mended"),
  {
    // It asks again, with the same key: it has it already.
    id: "lost-reply-mutex",
    lab: labOf("etcd-mutex", "3.5", [who(0), who(1)], MUTEX),
    seed: 1,
    steps: [lostAnswer("KV/Txn")],
    endsAt: 25,
    expect: [
      { says: "believes", client: A, within: [10, 10.2] },
      { says: "believes", client: B, within: [16, 16.4] },
      { says: "holders", clients: [A, B] },
      { says: "no-overlap" },
    ],
  },
  {
    // Its own token is in its way until the time of that is over.
    id: "lost-reply-redis",
    lab: labOf("redis-token", "published", [who(0), who(1)], REDIS, { servers: 1 }),
    seed: 1,
    steps: [lostAnswer("SET")],
    endsAt: 25,
    expect: [
      { says: "loses", client: A, within: [10, 10.1] },
      { says: "without-holder", within: [0, 0.3] },
      { says: "no-overlap" },
    ],
  },
  lostCreate("published"),
  lostCreate("mended"),
];

// ── the answer to the giving back is lost ──

const LOST_RELEASES: readonly LabStory[] = [
  {
    // The number in the node's name is of one grant: whoever asks twice to delete it deletes nothing else.
    id: "lost-release-zookeeper",
    lab: labOf("zookeeper", "mended", [who(0, {}, { server: 1 }), who(1, {}, { server: 2 })], ZOOKEEPER),
    seed: 1,
    steps: [
      doing(3, { do: "lose", message: { from: A, words: "delete", answer: true } }),
      at(6.2, { type: "crash", process: N2 }),
      at(8, { type: "restart", process: N2 }),
    ],
    endsAt: 20,
    expect: [
      { says: "believes", client: B, within: [6, 6.4] },
      { says: "state", client: A, state: "done" },
      { says: "stops", client: B, within: [12, 12.4] },
      { says: "holders", clients: [A, B] },
      { says: "no-overlap" },
    ],
  },
];

// ── who gave up, and whose place stays ──

function abandoned(variant: "published" | "mended"): LabStory {
  return {
    id: `abandoned-${variant}`,
    lab: fairLab(variant, [who(0), who(1, { limit: 3 * SECOND }), who(2)]),
    seed: 1,
    steps: [],
    endsAt: 60,
    expect: [
      { says: "state", client: B, state: "gave-up", within: [4, 4.3] },
      { says: "never-believes", client: B },
      { says: "no-overlap" },
      ...(variant === "published"
        ? ([
            // Its timer still renews the lease: the lock is with one that does not want it.
            { says: "never-believes", client: C },
            { says: "holders", clients: [A, B] },
            { says: "really-holds", client: B },
          ] as const)
        : ([
            { says: "woken", client: C, within: [4, 4.3] },
            { says: "believes", client: C, within: [6, 6.4] },
            { says: "holders", clients: [A, C] },
          ] as const)),
    ],
  };
}

// ── a key that is written again ──

/** A notes in its own key what it does, at 3; C comes at 4. */
function noted(variant: "published" | "mended"): LabStory {
  return {
    id: `noted-in-key-${variant}`,
    lab: fairLab(
      variant,
      [who(0, { work: 20 * SECOND, writes: [3 * SECOND] }), who(1, { work: 10 * SECOND }), who(4)],
      {
        variant: `${variant}-noting`,
        params: { ...DEFAULT_PARAMS, writes: [], ownDeadline: variant === "mended" },
      },
    ),
    seed: 1,
    steps: [],
    endsAt: 45,
    expect:
      variant === "published"
        ? [
            { says: "woken", client: B, within: [3, 3.3] },
            { says: "knows", client: B, name: "woken", value: "PUT", within: [3, 3.3] },
            { says: "overlap", clients: [A, B], from: [3, 3.3], to: [13, 13.4], why: "not-first" },
            // By mod revision A stands last: C waits for it, and believes when B deletes nothing that concerns it.
            { says: "out-of-turn", count: 1 },
          ]
        : [
            { says: "woken", client: B, within: [20, 20.3] },
            { says: "believes", client: B, within: [20, 20.4] },
            { says: "believes", client: C, within: [30, 30.5] },
            { says: "told", what: "PUT", count: 0 },
            { says: "no-overlap" },
          ],
  };
}

// ── the channel of renewals closes ──

/** A is cut off from all servers from 2 on. */
function closedChannel(id: string, variant: string, ownDeadline: boolean, expect: LabStory["expect"]): LabStory {
  const clients = [who(0, { ...LONG, ownDeadline }, { variant }), who(1, LONG, { variant: "retry" })];
  return {
    id,
    lab: labOf("etcd-txn", variant, clients, TXN),
    seed: 1,
    steps: [at(2.5, { type: "partition", groups: [[A], [N1, N2, N3, B]] }), at(20, { type: "heal" })],
    endsAt: 45,
    expect: [{ says: "believes", client: B, within: [7, 9.2] }, ...expect],
  };
}

// ── a leader that was asleep ──

/** n1 leads, sleeps longer than the leases last, and wakes. C comes after that. */
function oldLeader(compat: "3.4" | "3.5"): LabStory {
  const clients = [
    who(0, { work: 60 * SECOND }, { server: 1 }),
    who(1, LONG, { server: 2 }),
    who(31, LONG, { server: 1 }),
  ];
  return {
    id: `old-leader-${compat}`,
    lab: fairLab("mended", clients, { setup: { compat } }),
    seed: 1,
    steps: [at(2, { type: "pause", process: N1 }), at(30, { type: "resume", process: N1 })],
    endsAt: 50,
    expect:
      compat === "3.4"
        ? [
            // Both leases were renewed at the new leader, and are ended all the same.
            { says: "leases", at: 29.9, count: 2 },
            { says: "leases", at: 30.3, count: 0 },
            { says: "loses", client: A, within: [30, 30.3] },
            { says: "state", client: B, state: "gave-up" },
            { says: "overlap", clients: [A, C], from: [31, 31.3], to: [37, 37.3], why: "lease-ended" },
            { says: "learned", client: A, name: "renewal", value: "TTL 0", within: [37, 37.3] },
          ]
        : [
            { says: "leases", at: 30.3, count: 2 },
            { says: "holders", clients: [A] },
            { says: "really-holds", client: A },
            { says: "never-believes", client: B },
            { says: "never-believes", client: C },
          ],
  };
}

/** A dies and is back at once: under another name, as far as the servers know, and so behind itself. */
const GHOSTS: readonly LabStory[] = [
  {
    id: "ghost-fair",
    lab: fairLab("mended", [who(0, { work: 10 * SECOND }), who(1)]),
    seed: 1,
    steps: [at(3, { type: "crash", process: A }), at(4, { type: "restart", process: A })],
    endsAt: 40,
    expect: [
      { says: "believes", client: B, within: [16, 16.8] },
      { says: "believes", client: A, within: [22, 23], nth: 1 },
      { says: "no-overlap" },
    ],
  },
  {
    id: "ghost-zookeeper",
    lab: labOf("zookeeper", "mended", [who(0, { work: 10 * SECOND }), who(1)], ZOOKEEPER),
    seed: 1,
    steps: [at(3, { type: "crash", process: A }), at(4, { type: "restart", process: A })],
    endsAt: 60,
    expect: [
      { says: "believes", client: B, within: [30, 32.3] },
      { says: "believes", client: A, within: [36, 38.6], nth: 1 },
      { says: "no-overlap" },
    ],
  },
];

export const HAZARD_STORIES: readonly LabStory[] = [
  ...LOST_REPLIES,
  ...LOST_RELEASES,
  ...GHOSTS,
  abandoned("published"),
  abandoned("mended"),
  noted("published"),
  noted("mended"),
  closedChannel("closed-channel-published", "published", false, [
    // It falls over the answer that is none, in the middle of its work.
    { says: "state", client: A, state: "failed", within: [7, 8.2] },
    { says: "stops", client: A, within: [7, 8.2] },
  ]),
  closedChannel("closed-channel-unheeded", "retry", false, [
    { says: "overlap", clients: [A, B], from: [7, 9.2], to: [40, 40.3], why: "lease-ended" },
  ]),
  closedChannel("closed-channel-mended", "retry", true, [
    { says: "stops", client: A, within: [7, 7.1] },
    { says: "state", client: A, state: "gave-up" },
    { says: "no-overlap" },
  ]),
  oldLeader("3.4"),
  oldLeader("3.5"),
];
