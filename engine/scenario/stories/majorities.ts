/** Stories of who counts: changes of membership, learners, and how a leader knows that it may answer. */
import { MS } from "../../base/units.ts";
import { at, breakRule, cluster, heal, N1, N2, N3, N4, N5, read, settle, split, type Story, write } from "./story.ts";

export const MAJORITY_STORIES = [
  {
    id: "two-majorities",
    rule: "change-majority-at-once",
    spec: cluster(10),
    commands: [
      breakRule(0, "change-majority-at-once"),
      // Two machines are to join the three members, both in one change.
      at(250, { type: "spawn", process: N4 }),
      at(250, { type: "spawn", process: N5 }),
      at(300, {
        type: "membership",
        member: N1,
        transition: "auto",
        steps: [
          { operation: "add-voter", id: N4 },
          { operation: "add-voter", id: N5 },
        ],
      }),
      // The leader counts five by now: it is one of three with the new ones. n2 and n3 still count three: they are two.
      split(335, [N1, N4, N5], [N2, N3]),
      write(400, "x", N1),
      // n2 and n3 have elected one of them, too.
      heal(800),
    ],
    kept: { broken: [] },
    endsAt: 1_500 * MS,
    expect: { violation: "leader-completeness", harm: { type: "lost-write", value: "x" } },
  },
  {
    id: "learner-counts",
    rule: "count-learners",
    spec: cluster(10),
    commands: [
      breakRule(0, "count-learners"),
      // A fourth machine joins as a learner.
      at(250, { type: "spawn", process: N4 }),
      at(300, { type: "membership", member: N1, transition: "auto", steps: [{ operation: "add-learner", id: N4 }] }),
      // The leader is left with the learner alone.
      split(500, [N1, N4], [N2, N3]),
      write(510, "x", N1),
      // The two voters on the other side have elected one of them.
      heal(900),
    ],
    kept: { broken: [] },
    endsAt: 1_200 * MS,
    expect: { violation: "quorum-overlap", harm: { type: "lost-write", value: "x" } },
  },
  {
    id: "reads-from-memory",
    rule: "read-without-quorum",
    spec: cluster(10),
    commands: [
      // Without the quorum check n1 takes itself for the leader as long as it hears of no other.
      breakRule(0, "read-without-quorum", { checkQuorum: false }),
      write(300, "old", N1),
      // It is cut off. The others elect n2, which takes a write.
      split(400, [N1], [N2, N3]),
      write(800, "new", N2),
      // The client still reaches n1.
      read(900, N1),
    ],
    kept: { broken: [] },
    endsAt: 1_000 * MS,
    expect: { violation: "linearizable-read", harm: { type: "stale-read", value: "old" } },
  },
  {
    id: "paused-leader",
    rule: null,
    spec: cluster(10),
    commands: [
      settle(0, { readOnly: "lease-based" }),
      write(300, "old", N1),
      // The leader is paused, as by a long garbage collection, and cut off. Its clock stands still; its lease ends.
      at(400, { type: "pause", process: N1 }),
      split(400, [N1], [N2, N3]),
      // The others elect n2, which takes a write.
      write(900, "new", N2),
      // A read reaches n1 while it sleeps. It wakes up, and by its clock the lease is as good as ever.
      read(1_000, N1),
      at(1_050, { type: "resume", process: N1 }),
    ],
    kept: { readOnly: "safe" },
    endsAt: 1_200 * MS,
    expect: { violation: "linearizable-read", harm: { type: "stale-read", value: "old" } },
  },
] as const satisfies readonly Story[];
