/** Stories of votes and terms: what makes one leader of many members, and no more than one. */
import { MS } from "../../base/units.ts";
import { DEFAULT_CONFIG } from "../config.ts";
import {
  at,
  breakRule,
  cluster,
  crash,
  heal,
  N1,
  N2,
  N3,
  read,
  restart,
  settle,
  split,
  type Story,
  write,
} from "./story.ts";

/** Every message takes 10 ms and every fsync 2 ms: nothing but their timers tells the members apart. */
const EVEN = {
  network: { ...DEFAULT_CONFIG.network, latencyMin: 10 * MS, latencyMax: 10 * MS },
  disk: { ...DEFAULT_CONFIG.disk, fsyncMin: 2 * MS, fsyncMax: 2 * MS },
};

export const ELECTION_STORIES = [
  {
    id: "second-vote",
    rule: "forget-vote",
    spec: cluster(28),
    commands: [
      breakRule(0, "forget-vote"),
      // n3 is cut off. n1 stands in term 1, has the vote of n2 and leads.
      split(0, [N1, N2], [N3]),
      // n2 crashes right after its vote, before it hears from its leader. Now n1 is the one that is cut off.
      crash(190, N2),
      split(190, [N1], [N2, N3]),
      // n2 is back when the timer of n3 runs out, who has heard nothing of term 1 and stands in it: a second vote?
      restart(200, N2),
    ],
    kept: { broken: [] },
    endsAt: 600 * MS,
    expect: { violation: "one-vote-a-term", harm: { type: "two-leaders-of-a-term" } },
  },
  {
    id: "short-log-wins",
    rule: "vote-without-log-check",
    spec: cluster(10),
    commands: [
      breakRule(0, "vote-without-log-check"),
      // n3 misses a write that n1 and n2 hold, and that the client is told of.
      split(250, [N1, N2], [N3]),
      write(260, "x", N1),
      // The leader is gone and n3 is back: n2 has x, n3 does not, and the timer of n3 runs out first.
      crash(350, N1),
      heal(360),
    ],
    kept: { broken: [] },
    endsAt: 1_500 * MS,
    expect: { violation: "leader-completeness", harm: { type: "lost-write", value: "x" } },
  },
  {
    id: "deposed-leads-on",
    rule: "ignore-higher-term",
    spec: cluster(10),
    commands: [
      // Reads rest on the leader's lease, which lasts as long as a majority answers it.
      breakRule(0, "ignore-higher-term", { readOnly: "lease-based" }),
      write(300, "old", N1),
      // No fault at all: n1 hands over to n2, which leads term 2 and takes a write.
      at(400, { type: "transfer", to: N2 }),
      write(500, "new", N2),
      // Does n1 know that it has handed over?
      read(600, N1),
    ],
    kept: { broken: [] },
    endsAt: 800 * MS,
    expect: { violation: "linearizable-read", harm: { type: "stale-read", value: "old" } },
  },
  {
    id: "all-at-once",
    rule: "same-election-timeouts",
    spec: cluster(10, { members: 5, ...EVEN }),
    commands: [
      breakRule(0, "same-election-timeouts"),
      // Somebody should be there to take it by now.
      write(1_000, "x", null),
    ],
    kept: { broken: [] },
    endsAt: 5_000 * MS,
    expect: { violation: null, harm: { type: "no-leader" } },
  },
  {
    id: "rejoining-member",
    rule: null,
    spec: cluster(10),
    commands: [
      settle(0, { preVote: false, checkQuorum: false }),
      // n3 is cut off: it stands again and again, and its term rises. n1 leads on with n2.
      split(300, [N1, N2], [N3]),
      // It comes back with a term above that of a leader with whom nothing is wrong.
      heal(1_500),
    ],
    kept: { preVote: true },
    endsAt: 2_500 * MS,
    expect: { violation: null, harm: { type: "leader-deposed" } },
  },
] as const satisfies readonly Story[];
