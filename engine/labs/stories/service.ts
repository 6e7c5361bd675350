/** Stories of etcd's Lock service that scenarios do not tell: calls that are cancelled, cut off, or answered in vain. */
import { MS, SECOND } from "../../base/units.ts";
import type { ProcessId } from "../../sim/command.ts";
import { DEFAULT_PARAMS, type LabClientSpec, type LabConfig } from "../config.ts";
import type { LabStory } from "../story.ts";
import { A, at, B, C, doing, STEP_TIME, WARM_UP, who } from "./fair.ts";
import { call, hand, LEASE, LOCK } from "./hand.ts";

const SERVERS: readonly ProcessId[] = ["n1", "n2", "n3"].map((id) => id as ProcessId);
const LAST = "c50" as ProcessId;

const caller = (startAt: number, params: Partial<LabConfig["params"]> = {}): LabClientSpec =>
  who(startAt, params, { program: "etcd-mutex-service" });

export function serviceLab(clients: readonly LabClientSpec[], compat: "3.4" | "3.5" = "3.5"): LabConfig {
  const params = { ...DEFAULT_PARAMS, lock: "q", ttl: 60 * SECOND, beatFirst: 0, beatEvery: 20 * SECOND };
  return {
    system: "etcd-mutex",
    variant: compat,
    lock: "q",
    servers: 3,
    fenced: false,
    params: { ...params, work: 2 * SECOND },
    clients,
    stepTime: STEP_TIME,
    warmUp: WARM_UP,
  };
}

/** B waits at most until a moment about that of its turn. C must have its own at once, whichever way B's went. */
export function cancelled(limit: number): LabStory {
  return {
    id: "cancelled-at-its-turn",
    lab: serviceLab([caller(0), caller(0.1, { limit, work: 1 * SECOND }), caller(0.2)]),
    seed: 1,
    steps: [],
    endsAt: 10,
    expect: [{ says: "no-overlap" }, { says: "state", client: C, state: "done" }],
  };
}

export const SERVICE_STORIES: readonly LabStory[] = [
  {
    // Its call is cancelled as the lock has just been given to it: the answer is on its way. The key is taken back.
    ...cancelled(1_965 * MS),
    expect: [
      { says: "never-believes", client: B },
      { says: "state", client: B, state: "gave-up" },
      { says: "holders", clients: [A, B, C] },
      { says: "believes", client: C, within: [2, 2.4] },
      { says: "no-overlap" },
    ],
  },
  {
    // The caller's own time is over; the service takes its key back, and nobody waits for it.
    id: "abandoned-service",
    lab: serviceLab([caller(0, { work: 6 * SECOND }), caller(1, { limit: 3 * SECOND }), caller(2)]),
    seed: 1,
    steps: [],
    endsAt: 15,
    expect: [
      { says: "state", client: B, state: "gave-up", within: [4, 4.3] },
      { says: "believes", client: C, within: [6, 6.3] },
      { says: "holders", clients: [A, C] },
      { says: "no-overlap" },
    ],
  },
  {
    id: "fifty-cancelled",
    lab: serviceLab([
      caller(0, { work: 10 * SECOND }),
      ...Array.from({ length: 48 }, (_, i) => caller(0.5 + 0.02 * i, { limit: 3 * SECOND })),
      caller(2),
    ]),
    seed: 1,
    steps: [],
    endsAt: 15,
    expect: [
      { says: "holders", clients: [A, LAST] },
      { says: "believes", client: LAST, within: [10, 10.4] },
      { says: "no-overlap" },
    ],
  },
  {
    // Cut off from all of them while it waits, its call ends with its own time; its key ends with its lease.
    id: "cut-off-waiting",
    lab: serviceLab([
      caller(0, { work: 8 * SECOND }),
      caller(1, { limit: 4 * SECOND, ttl: 10 * SECOND, beatEvery: 3 * SECOND }),
      caller(2),
    ]),
    seed: 1,
    steps: [at(3, { type: "partition", groups: [[B], [...SERVERS, A, C]] })],
    endsAt: 25,
    expect: [
      { says: "state", client: B, state: "gave-up", within: [5, 5.3] },
      { says: "never-believes", client: B },
      // B's lease was granted or renewed at 1.1 and perhaps once more, and lasts for ten seconds.
      { says: "believes", client: C, within: [11, 12] },
      { says: "no-overlap" },
    ],
  },
  {
    // A asks to unlock, is not told, locks again with the same session, and asks once more to unlock.
    id: "unlock-again",
    lab: serviceLab([
      hand([
        call(0, "Lease/LeaseGrant", { ttl: 60, id: LEASE }),
        call(0.1, "Lock/Lock", LOCK),
        call(2, "Lock/Unlock", { key: "q/1234" }, 1),
        call(3.5, "Lock/Lock", LOCK),
        call(5, "Lock/Unlock", { key: "q/1234" }),
      ]),
      caller(4),
    ]),
    seed: 1,
    steps: [doing(1, { do: "lose", message: { from: A, words: "Lock/Unlock", answer: true } })],
    endsAt: 10,
    expect: [
      { says: "learned", client: A, name: "3", value: "no answer", within: [3, 3.1] },
      { says: "learned", client: A, name: "4", value: "q/1234", within: [3.5, 3.6] },
      // It holds by its fourth call; the second "unlock" was meant for the first.
      { says: "learned", client: A, name: "5", value: "OK", within: [5, 5.1] },
      { says: "believes", client: B, within: [5, 5.3] },
    ],
  },
];
