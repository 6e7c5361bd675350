/** Stories of elections, and of what leases and watches are for besides locks. */
import { SECOND } from "../../base/units.ts";
import type { ProcessId } from "../../sim/command.ts";
import { DEFAULT_PARAMS, type LabClientSpec, type LabConfig } from "../config.ts";
import type { LockParams } from "../program.ts";
import type { LabStory } from "../story.ts";
import { A, at, B, C, doing, STEP_TIME, WARM_UP, who } from "./fair.ts";

const D = "c4" as ProcessId;
const SERVERS: readonly ProcessId[] = ["n1", "n2", "n3"].map((id) => id as ProcessId);
const ELECTION = { ttl: 10 * SECOND, beatFirst: 0, beatEvery: 3_333_333, work: 40 * SECOND };
const SERVICE = { ttl: 30 * SECOND, beatFirst: 10 * SECOND, beatEvery: 10 * SECOND, work: 300 * SECOND };

function lab(
  system: "etcd-election" | "etcd-uses",
  variant: string,
  lock: string,
  clients: readonly LabClientSpec[],
  params: Partial<LockParams>,
): LabConfig {
  return {
    system,
    variant,
    lock,
    servers: 3,
    fenced: false,
    params: { ...DEFAULT_PARAMS, lock, ...params },
    clients,
    stepTime: STEP_TIME,
    warmUp: WARM_UP,
  };
}

const following = (start: number): LabClientSpec => ({ ...who(start), variant: "follower" });

function expired(variant: "published" | "mended"): LabStory {
  const clients = [
    who(0, { work: 20 * SECOND }),
    who(0.1, { ttl: 5 * SECOND, beatFirst: null, writes: [500_000], work: 2 * SECOND }),
    who(0.2, { writes: [0] }),
  ];
  return {
    id: `election-expired-${variant}`,
    lab: { ...lab("etcd-election", variant, "leader", clients, { ...ELECTION, ttl: 60 * SECOND }), fenced: true },
    seed: 1,
    steps: [],
    endsAt: 25,
    expect:
      variant === "published"
        ? [
            { says: "overlap", clients: [B, C], from: [20, 20.4] },
            { says: "refused", client: B, count: 1 },
            { says: "lost-updates", count: 0 },
          ]
        : [
            { says: "never-believes", client: B },
            { says: "state", client: B, state: "gave-up" },
            { says: "believes", client: C, within: [20, 20.4] },
            { says: "no-overlap" },
          ],
  };
}

function discovery(variant: "published" | "mended"): LabStory {
  const others = [...SERVERS, B, C];
  return {
    id: `discovery-${variant}`,
    lab: lab("etcd-uses", variant, "/services/web", [who(0), who(0.1), following(1)], SERVICE),
    seed: 1,
    // The last renewal that is answered is A's at 20: its lease ends at 50, and it is cut off until 65.
    steps: [at(25, { type: "partition", groups: [[A], others] }), at(65, { type: "heal" })],
    endsAt: 90,
    expect:
      variant === "published"
        ? [
            { says: "told", what: "DELETE", count: 1 },
            { says: "told", what: "PUT", count: 0 },
            { says: "knows", client: C, name: "known", value: "c2=c2:80" },
            { says: "knows", client: A, name: "registered", value: "1" },
            { says: "state", client: A, state: "working" },
          ]
        : [
            { says: "told", what: "DELETE", count: 1 },
            { says: "told", what: "PUT", count: 1 },
            { says: "knows", client: C, name: "known", value: "c2=c2:80 c1=c1:80" },
            { says: "knows", client: A, name: "registered", value: "2" },
            { says: "leases", at: 60, count: 1 },
            { says: "leases", at: 90, count: 2 },
          ],
  };
}

export const USES_STORIES: readonly LabStory[] = [
  {
    id: "election-leader-dies",
    lab: lab(
      "etcd-election",
      "published",
      "leader",
      [who(0), who(0.1), who(0.2), { ...who(0.5), variant: "observer" }],
      ELECTION,
    ),
    seed: 1,
    steps: [at(3, { type: "crash", process: A })],
    endsAt: 20,
    expect: [
      { says: "believes", client: A, within: [0, 0.3] },
      // A's last renewal was at 0 or 3.3: its key goes within a second after ten more.
      { says: "believes", client: B, within: [10, 11.2] },
      { says: "never-believes", client: C },
      { says: "knows", client: D, name: "leader", value: "c2" },
      { says: "knows", client: D, name: "seen", value: "2" },
      { says: "notifications", client: C, count: 0 },
      { says: "no-overlap" },
    ],
  },
  {
    id: "election-resigns",
    lab: lab(
      "etcd-election",
      "published",
      "leader",
      [who(0), who(0.1), who(0.2), { ...who(0.5), variant: "observer" }],
      { ...ELECTION, work: 3 * SECOND },
    ),
    seed: 1,
    steps: [],
    endsAt: 12,
    expect: [
      { says: "believes", client: B, within: [3, 3.4] },
      { says: "believes", client: C, within: [6, 6.7] },
      { says: "knows", client: D, name: "leader", value: null },
      { says: "knows", client: D, name: "seen", value: "3" },
      { says: "no-overlap" },
      { says: "tokens-rise" },
    ],
  },
  expired("published"),
  expired("mended"),
  {
    id: "job-two-leaders",
    lab: {
      ...lab(
        "etcd-election",
        "published",
        "job",
        [who(0, { writes: [0, 20 * SECOND] }), who(0.1, { writes: [0] })],
        ELECTION,
      ),
      fenced: true,
    },
    seed: 1,
    steps: [at(5, { type: "pause", process: A }), at(25, { type: "resume", process: A })],
    endsAt: 35,
    expect: [
      { says: "believes", client: B, within: [13.3, 15.2] },
      { says: "overlap", clients: [A, B], from: [13.3, 15.2] },
      { says: "refused", client: A, count: 1 },
      { says: "value-of", client: B },
      { says: "lost-updates", count: 0 },
    ],
  },
  discovery("published"),
  discovery("mended"),
  {
    id: "configuration",
    lab: lab(
      "etcd-uses",
      "follower",
      "/config/web",
      [{ ...who(1, { work: 4 * SECOND, rounds: 5 }), variant: "publisher" }, following(0), following(0.1)],
      {},
    ),
    seed: 1,
    // C is away while three versions are published, and is told of each afterwards.
    steps: [at(6, { type: "partition", groups: [[C], [...SERVERS, A, B]] }), at(18, { type: "heal" })],
    endsAt: 30,
    expect: [
      { says: "knows", client: A, name: "version", value: "v5" },
      { says: "knows", client: B, name: "known", value: "config=v5" },
      { says: "knows", client: C, name: "known", value: "config=v5" },
      { says: "notifications", client: B, count: 5 },
      { says: "notifications", client: C, count: 5 },
    ],
  },
  {
    id: "monitoring",
    lab: lab("etcd-uses", "published", "/alive", [who(0), who(0.1), following(1)], {
      ...SERVICE,
      ttl: 15 * SECOND,
      beatFirst: 1 * SECOND,
      beatEvery: 12 * SECOND,
    }),
    seed: 1,
    steps: [doing(12, { do: "lose", message: { from: A, words: "keep-alive" } })],
    endsAt: 24,
    expect: [
      { says: "notifications", client: C, count: 1 },
      { says: "knows", client: C, name: "lost", value: "c1" },
      { says: "knows", client: C, name: "known", value: "c2=c2:80" },
      { says: "leases", at: 15.9, count: 2 },
      { says: "leases", at: 17.1, count: 1 },
      { says: "state", client: A, state: "working" },
    ],
  },
];
