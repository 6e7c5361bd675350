/** Stories of etcd's fair lock (scenarios 1, 2, 3, 4, 7, 8, 9, 14). */
import { MS, SECOND } from "../../base/units.ts";
import type { Command, ProcessId } from "../../sim/command.ts";
import { DEFAULT_PARAMS, type LabClientSpec, type LabConfig } from "../config.ts";
import type { LockParams } from "../program.ts";
import type { Deed, LabStory, StoryStep } from "../story.ts";

export const A = "c1" as ProcessId;
export const B = "c2" as ProcessId;
export const C = "c3" as ProcessId;

/** A line of a program takes this long. */
export const STEP_TIME = 100;
export const WARM_UP = 5 * SECOND;

export function seconds(s: number): number {
  return Math.round(s * SECOND);
}

export function who(
  startAt: number,
  params: Partial<LockParams> = {},
  more: Partial<LabClientSpec> = {},
): LabClientSpec {
  return { startAt: seconds(startAt), params, ...more };
}

export function at(when: number, command: Command): StoryStep {
  return { when: { at: when }, deed: { do: "command", command } };
}

export function doing(when: number, deed: Deed): StoryStep {
  return { when: { at: when }, deed };
}

/** A lock's own program, by what articles publish or as it was mended. */
export function fairLab(
  variant: "published" | "mended",
  clients: readonly LabClientSpec[],
  more: Partial<LabConfig> = {},
): LabConfig {
  const ownDeadline = variant === "mended";
  return {
    system: "etcd-fair",
    variant,
    lock: "/lock/mylock",
    servers: 3,
    fenced: false,
    params: { ...DEFAULT_PARAMS, ownDeadline },
    clients,
    stepTime: STEP_TIME,
    warmUp: WARM_UP,
    ...more,
  };
}

const THREE = [who(0), who(0.1), who(0.2)];
const LONG = { work: 40 * SECOND };

function three(variant: "published" | "mended"): LabStory {
  return {
    id: `three-clients-${variant}`,
    lab: fairLab(variant, THREE),
    seed: 1,
    steps: [],
    endsAt: 30,
    expect: [
      { says: "believes", client: A, within: [0, 0.4] },
      { says: "believes", client: B, within: [6, 6.4] },
      { says: "believes", client: C, within: [12.1, 12.5] },
      { says: "stops", client: C, within: [18, 19] },
      { says: "no-overlap" },
      { says: "notifications", count: 2 },
      { says: "notifications", client: B, count: 1 },
      { says: "notifications", client: C, count: 1 },
      { says: "told", what: "DELETE", count: 2 },
      { says: "tokens-rise" },
      { says: "lost-updates", count: 0 },
      ...(variant === "published"
        ? ([
            { says: "leases", at: 10, count: 3 },
            { says: "leases", at: 17.5, count: 1 },
            { says: "leases", at: 30, count: 0 },
          ] as const)
        : ([
            { says: "leases", at: 8, count: 2 },
            { says: "leases", at: 20, count: 0 },
          ] as const)),
    ],
  };
}

const THIRD = { beatFirst: 5 * SECOND, beatEvery: 5 * SECOND };

function lostBeat(id: string, lab: LabConfig, when: number, expect: LabStory["expect"]): LabStory {
  const lose = doing(when, { do: "lose", message: { from: A, words: "keep-alive" } });
  return { id, lab, seed: 1, steps: [lose], endsAt: 48, expect };
}

const holder = (variant: "published" | "mended", more: Partial<LockParams> = {}) =>
  fairLab(variant, [who(0, { ...LONG, ...more }), who(1, LONG)]);

function pause(fenced: boolean, ownDeadline: boolean, pausedAt: "write" | "check"): LabStory {
  const writes = { work: 40 * SECOND, writes: [1_900 * MS] };
  return {
    id: `pause-${fenced ? "fenced" : "open"}-${pausedAt}`,
    lab: fairLab(ownDeadline ? "mended" : "published", [who(0, writes), who(1)], { fenced }),
    seed: 1,
    steps: [
      {
        when: { step: pausedAt, client: A, from: 1.5 },
        deed: { do: "command", command: { type: "pause", process: A } },
      },
      at(20, { type: "resume", process: A }),
    ],
    endsAt: 30,
    expect: [
      { says: "loses", client: A, within: [16, 16.7] },
      { says: "believes", client: B, within: [16, 16.9] },
      { says: "writes", client: B, within: [16, 16.9] },
      { says: "overlap", clients: [A, B], from: [16, 16.9], to: [20, 20.3], why: "lease-ended" },
      { says: "stops", client: A, within: [20, 20.3] },
      // Which is sent on waking, overdue; unless its own deadline was looked at before.
      ...(pausedAt === "write"
        ? ([{ says: "learned", client: A, name: "renewal", value: "TTL 0", within: [20, 20.3] }] as const)
        : []),
      ...(pausedAt === "check"
        ? ([
            { says: "lost-updates", count: 0 },
            { says: "refused", count: 0 },
            { says: "value-of", client: B },
          ] as const)
        : fenced
          ? ([
              { says: "refused", client: A, count: 1 },
              { says: "writes", client: A, within: [20, 20.1] },
              { says: "lost-updates", count: 0 },
              { says: "value-of", client: B },
            ] as const)
          : ([
              { says: "writes", client: A, within: [20, 20.1] },
              { says: "refused", count: 0 },
              { says: "lost-updates", count: 1 },
              { says: "value-of", client: A },
            ] as const)),
    ],
  };
}

const MIDDLE = [who(0, { work: 20 * SECOND, writes: [0, 18 * SECOND] }), who(0.1), who(0.2, { work: 10 * SECOND })];

function middle(variant: "published" | "mended", fenced: boolean): LabStory {
  return {
    id: `waiter-dies-${variant}${fenced ? "-fenced" : ""}`,
    lab: fairLab(variant, MIDDLE, { fenced }),
    seed: 1,
    steps: [at(3, { type: "crash", process: B })],
    endsAt: 40,
    expect:
      variant === "published"
        ? [
            { says: "woken", client: C, within: [16.1, 16.9] },
            { says: "overlap", clients: [A, C], from: [16.1, 16.9], to: [20, 20.4], why: "not-first" },
            { says: "notifications", count: 1 },
            { says: "out-of-turn", count: 1 },
            ...(fenced ? ([{ says: "refused", client: A, count: 1 }] as const) : []),
          ]
        : [
            { says: "no-overlap" },
            { says: "woken", client: C, within: [16.1, 16.9] },
            { says: "woken", client: C, within: [20, 20.3], nth: 1 },
            { says: "believes", client: C, within: [20.1, 20.4] },
            { says: "notifications", count: 2 },
            { says: "out-of-turn", count: 0 },
          ],
  };
}

const MISSED = [who(0), who(5), who(5.5)];

function missed(variant: "published" | "mended"): LabStory {
  return {
    id: `missed-delete-${variant}`,
    lab: fairLab(variant, MISSED),
    seed: 1,
    steps: [doing(5, { do: "keep", message: { from: B, words: "watch-create" }, until: 7 })],
    endsAt: variant === "published" ? 120 : 30,
    expect:
      variant === "published"
        ? [
            { says: "never-believes", client: B },
            { says: "never-believes", client: C },
            { says: "state", client: B, state: "waiting" },
            { says: "state", client: C, state: "waiting" },
            { says: "told", what: "DELETE", count: 0 },
            // It holds and does not know; its key and that of C live on.
            { says: "holders", clients: [A, B] },
            { says: "really-holds", client: B },
            { says: "leases", at: 119, count: 2 },
          ]
        : [
            { says: "woken", client: B, within: [7, 7.3] },
            { says: "believes", client: B, within: [7, 7.3] },
            { says: "believes", client: C, within: [13, 13.4] },
            { says: "no-overlap" },
          ],
  };
}

/** c1 is D, of the neighbour's lock; c2 is A. */
function neighbour(variant: "published" | "mended"): LabStory {
  return {
    id: `neighbour-${variant}`,
    lab: fairLab(variant, [who(0, { lock: "/lock/mylock2", work: 10 * SECOND }), who(1)]),
    seed: 1,
    steps: [],
    endsAt: 20,
    expect: [
      { says: "believes", client: A, within: [0, 0.3] },
      { says: "stops", client: A, within: [10, 10.4] },
      { says: "believes", client: B, within: variant === "published" ? [10, 10.4] : [1, 1.3] },
      { says: "notifications", client: A, count: 0 },
    ],
  };
}

export const FAIR_STORIES: readonly LabStory[] = [
  three("published"),
  three("mended"),
  {
    id: "no-heartbeat",
    lab: fairLab("published", THREE, { params: { ...DEFAULT_PARAMS, beatFirst: null } }),
    seed: 1,
    steps: [],
    endsAt: 30,
    expect: [
      { says: "loses", client: C, within: [15.2, 15.9] },
      { says: "stops", client: C, within: [18, 18.6] },
      { says: "knows", client: C, name: "woken", value: "deleted nothing" },
    ],
  },
  lostBeat("lost-heartbeat-published", holder("published"), 12, [
    { says: "loses", client: A, within: [16, 16.7] },
    { says: "believes", client: B, within: [16, 16.8] },
    { says: "overlap", clients: [A, B], from: [16, 16.8], to: [40, 40.3], why: "lease-ended" },
    { says: "stops", client: A, within: [40, 40.3] },
    { says: "knows", client: A, name: "woken", value: "deleted nothing" },
  ]),
  lostBeat("lost-heartbeat-heeded", holder("mended", { ownDeadline: false }), 12, [
    { says: "believes", client: B, within: [16, 16.8] },
    { says: "overlap", clients: [A, B], from: [16, 16.8], to: [25, 25.3] },
    { says: "knows", client: A, name: "renewal", value: "TTL 0", within: [25, 25.3] },
    { says: "stops", client: A, within: [25, 25.3] },
  ]),
  {
    // The servers have renewed it, and only the answer is lost: it stops by its own count, and gives the lock back.
    id: "lost-heartbeat-answered",
    lab: holder("mended"),
    seed: 1,
    steps: [doing(12, { do: "lose", message: { from: A, words: "keep-alive", answer: true } })],
    endsAt: 40,
    expect: [
      { says: "stops", client: A, within: [15.9, 16.01] },
      { says: "loses", client: A, within: [16, 16.3] },
      { says: "believes", client: B, within: [16, 16.4] },
      { says: "no-overlap" },
    ],
  },
  lostBeat("lost-heartbeat-mended", holder("mended"), 12, [
    { says: "stops", client: A, within: [15.9, 16.01] },
    { says: "believes", client: B, within: [15.9, 16.8] },
    { says: "no-overlap" },
  ]),
  lostBeat("third-forgives", holder("mended", THIRD), 9, [
    { says: "stops", client: A, within: [40, 40.3] },
    { says: "believes", client: B, within: [40, 40.4] },
    { says: "no-overlap" },
  ]),
  pause(false, true, "write"),
  pause(true, true, "write"),
  pause(false, true, "check"),
  {
    id: "holder-dies-fair",
    lab: holder("mended"),
    seed: 1,
    steps: [at(3, { type: "crash", process: A })],
    endsAt: 30,
    expect: [
      { says: "believes", client: B, within: [16, 16.8] },
      { says: "no-overlap" },
      { says: "without-holder", within: [13, 13.9] },
    ],
  },
  middle("published", false),
  middle("published", true),
  middle("mended", false),
  missed("published"),
  missed("mended"),
  neighbour("published"),
  neighbour("mended"),
];
