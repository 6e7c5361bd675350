/** Stories of the log: when an entry is committed, and what a follower may take. */
import { MS } from "../../base/units.ts";
import { DEFAULT_CONFIG } from "../config.ts";
import { at, breakRule, cluster, crash, heal, N1, N2, N3, restart, split, type Story, write } from "./story.ts";

/** Its fsync takes long enough to crash in between. */
const SLOW_DISK = { fsyncMin: 300 * MS, fsyncMax: 300 * MS, tornWrites: false };

export const LOG_STORIES = [
  {
    id: "promise-in-memory",
    rule: "answer-before-fsync",
    spec: cluster(10),
    commands: [
      breakRule(300, "answer-before-fsync"),
      // The leader n1 and n2, whose disk is slow, are the majority that there is.
      at(310, { type: "disk", process: N2, quality: SLOW_DISK }),
      split(310, [N1, N2], [N3]),
      write(320, "x", N1),
      // Both crash, before x is on the disk of n2.
      crash(400, N1),
      crash(400, N2),
      // n2 comes back, its disk as quick as before. With n3 it is a majority again.
      at(420, { type: "disk", process: N2, quality: DEFAULT_CONFIG.disk }),
      restart(420, N2),
      heal(420),
    ],
    kept: { broken: [] },
    endsAt: 800 * MS,
    expect: { violation: "promise-before-fsync", harm: { type: "lost-write", value: "x" } },
  },
  {
    id: "leader-alone",
    rule: "commit-without-majority",
    spec: cluster(10),
    commands: [
      breakRule(240, "commit-without-majority"),
      // The leader is cut off, and is asked to write.
      split(250, [N1], [N2, N3]),
      write(260, "x", N1),
      // The others have elected n2, which never heard of x. n1 comes back.
      heal(600),
    ],
    kept: { broken: [] },
    endsAt: 1_000 * MS,
    expect: { violation: "quorum-overlap", harm: { type: "lost-write", value: "x" } },
  },
  {
    // Figure 8 of the paper, with three members.
    id: "figure-8",
    rule: "commit-old-term-by-counting",
    spec: cluster(235),
    commands: [
      breakRule(250, "commit-old-term-by-counting"),
      // (a) n1 leads term 1 and appends x, alone; then it crashes.
      split(260, [N1], [N2, N3]),
      write(260, "x", N1),
      crash(330, N1),
      // (b) n3 votes for n2 in term 2. Before it hears more of it, the way there is cut: n2 appends y, alone.
      at(420, { type: "cut", links: [{ from: N2, to: N3 }] }),
      write(440, "y", N2),
      // (c) n2 crashes and n1 is back. It leads again, by the vote of n3, and gives it x: a majority holds x.
      crash(500, N2),
      heal(510),
      restart(510, N1),
      // (d) n1 crashes and n2 is back. Its y is of a newer term than x.
      crash(950, N1),
      restart(950, N2),
    ],
    kept: { broken: [] },
    endsAt: 1_500 * MS,
    expect: { violation: "commit-own-term", harm: { type: "machines-differ" } },
  },
  {
    id: "wrong-place",
    rule: "append-without-matching",
    spec: cluster(27),
    commands: [
      breakRule(0, "append-without-matching"),
      // The leader is cut off and appends x at index 2. At index 2 the others have what n2 begins its term with.
      split(250, [N1], [N2, N3]),
      write(260, "x", N1),
      // n2 crashes and n1 is back: n3 leads and sends what stands behind index 2.
      crash(600, N2),
      heal(600),
    ],
    kept: { broken: [] },
    endsAt: 1_000 * MS,
    expect: { violation: "log-matching", harm: { type: "machines-differ" } },
  },
  {
    id: "stubborn-entry",
    rule: "keep-conflicting-entries",
    spec: cluster(10),
    commands: [
      breakRule(0, "keep-conflicting-entries"),
      // The leader is cut off and appends x at index 2. At index 2 the others have what n2 begins its term with.
      split(250, [N1], [N2, N3]),
      write(260, "x", N1),
      // n1 is back, and n2 sends it the entry of index 2.
      heal(600),
    ],
    kept: { broken: [] },
    endsAt: 900 * MS,
    expect: { violation: "state-machine-safety", harm: { type: "machines-differ" } },
  },
] as const satisfies readonly Story[];
