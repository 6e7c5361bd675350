import { describe, expect, it } from "vitest";
import type { EntryShown } from "../replica/events.ts";
import { Checks } from "./checks.ts";
import { A, B, C, CONF, D, shown, Story } from "./testing.ts";
import { RULES, type RuleName } from "./violation.ts";

const ONE = [shown(1, 1)];

/** For each rule a trace that breaks it, and nothing before it. */
const BAD: Readonly<Record<RuleName, () => Story>> = {
  "election-safety": () =>
    Story.booted()
      .reign(A, B, 1, ONE)
      .role(C, "candidate", 1)
      .write(C, { term: 1, vote: C, commit: 0 }, [])
      .role(C, "leader", 1),
  "leader-append-only": () =>
    Story.booted()
      .reign(A, B, 1, ONE)
      .event(A, { type: "entries-truncated", from: 1, last: ONE[0] ?? shown(1, 1), unstable: "truncated" }),
  "log-matching": () =>
    Story.booted()
      .append(A, shown(1, 1), shown(1, 2))
      .append(B, shown(1, 1, { label: "x" })),
  "leader-completeness": () => {
    const story = Story.booted().reign(A, B, 1, ONE);
    story.role(B, "follower", 2).write(B, { term: 2, vote: C, commit: 0 }, []).grant(B, C, 2);
    return story
      .role(C, "candidate", 2)
      .write(C, { term: 2, vote: C, commit: 0 }, [])
      .ownVote(C, 2)
      .role(C, "leader", 2);
  },
  "state-machine-safety": () => Story.booted().reign(A, B, 1, ONE).append(C, shown(0, 1)).commit(C, 0, 1),
  "commit-own-term": () => {
    const story = Story.booted()
      .append(A, ...ONE)
      .write(A, null, ONE)
      .reign(A, B, 2, []);
    return story
      .append(B, ...ONE)
      .write(B, null, ONE)
      .commit(A, 0, 1);
  },
  "one-vote-a-term": () =>
    Story.booted()
      .write(C, { term: 1, vote: A, commit: 0 }, [])
      .grant(C, A, 1)
      .write(C, { term: 1, vote: B, commit: 0 }, [])
      .grant(C, B, 1),
  "promise-before-fsync": () => Story.booted().write(C, { term: 1, vote: A, commit: 0 }, [], false).grant(C, A, 1),
  "durable-is-kept": () =>
    Story.booted()
      .append(A, ...ONE)
      .write(A, null, ONE)
      .event(A, { type: "crashed", lostBytes: 0 })
      .boot(A),
  "term-goes-back": () => Story.booted().role(A, "follower", 3).role(A, "follower", 2),
  "commit-goes-back": () => Story.booted().reign(A, B, 1, ONE).commit(A, 0, 1),
  "one-leader-commits": () => {
    const odd = { ...CONF, voters: [C, D] };
    const story = Story.booted().boot(D).reign(A, B, 1, ONE).event(C, { type: "conf-switched", conf: odd });
    story
      .append(C, ...ONE)
      .role(C, "candidate", 2)
      .write(C, { term: 2, vote: C, commit: 0 }, [])
      .ownVote(C, 2)
      .write(D, { term: 2, vote: C, commit: 0 }, [])
      .grant(D, C, 2);
    return story.role(C, "leader", 2);
  },
  "quorum-overlap": () => Story.booted().role(A, "candidate", 1).role(A, "leader", 1),
  "only-voters-stand": () => Story.booted().boot(D, {}).role(D, "candidate", 1),
  "configuration-agrees": () => new Story().boot(A).boot(B, {}, { ...CONF, voters: [A, B] }),
  "one-change-at-a-time": () =>
    Story.booted()
      .reign(A, B, 1, ONE)
      .append(A, shown(1, 2, { type: "conf-change" }))
      .append(A, shown(1, 3, { type: "conf-change" })),
  "pre-vote-is-free": () => Story.booted().role(A, "pre-candidate", 1),
  "transfer-to-complete": () =>
    Story.booted().reign(A, B, 1, ONE).event(A, { type: "timeout-now-sent", to: C, after: "request" }),
  "linearizable-read": () =>
    Story.booted()
      .reign(A, B, 1, ONE)
      .event(A, { type: "read-index-asked", context: "r", from: A, index: 0 })
      .event(A, { type: "read-index-confirmed", context: "r", to: A, index: 0 }),
  "acknowledged-write": () =>
    Story.booted()
      .reign(A, B, 1, ONE)
      .append(A, shown(1, 2))
      .event(A, { type: "request-answered", client: "c1", request: 1, index: 2 }),
  "no-panic": () => Story.booted().event(A, { type: "panicked", lostBytes: 0, message: "RaftPanic", stack: "" }),
};

describe("a trace that breaks a rule", () => {
  for (const rule of Object.keys(RULES) as RuleName[])
    it(`${rule}: is found, by name and at its last event`, () => {
      const story = BAD[rule]();
      expect(story.broken).toBe(rule);
      const event = story.checks.violation?.event;
      expect(story.event(A, { type: "woke" }).checks.violation?.event).toBe(event);
    });
});

describe("a sound trace", () => {
  it("breaks nothing: election, replication, commit, a change of leader, a crash and a recovery", () => {
    const story = Story.booted().reign(A, B, 1, [shown(1, 1), shown(1, 2, { label: "x", request: "n1/1/1" })]);
    story.event(A, { type: "request-received", client: "c1", request: 1, key: "n1/1/1", label: "x" });
    story.event(A, { type: "apply-handed-out", from: 0, to: 2 });
    story.event(A, { type: "command-applied", index: 2, label: "x", summary: "x" });
    story
      .event(A, { type: "request-answered", client: "c1", request: 1, index: 2 })
      .event(A, { type: "applied", from: 0, to: 2 });
    story.event(A, { type: "crashed", lostBytes: 0 });
    story.reign(B, C, 2, [], 0);
    expect(story.broken).toBe(null);
    story.boot(A, { term: 1, vote: A, entries: [shown(1, 1), shown(1, 2, { label: "x", request: "n1/1/1" })] });
    expect(story.checks.violation).toBe(null);
  });

  it("a late acknowledgement may commit after a newer leader is elected: that one has the entry", () => {
    const story = Story.booted()
      .reign(A, B, 1, [])
      .append(A, ...ONE)
      .write(A, null, ONE)
      .append(B, ...ONE)
      .write(B, null, ONE);
    story.accept(B, A, 1, 1).reign(B, C, 2, []).commit(A, 0, 1);
    expect(story.checks.violation).toBe(null);
  });

  it("§5.2: a member that votes twice for the same candidate after a restart gives one vote", () => {
    const story = Story.booted().write(C, { term: 1, vote: A, commit: 0 }, []).grant(C, A, 1);
    story.event(C, { type: "crashed", lostBytes: 0 }).boot(C, { term: 1, vote: A }).grant(C, A, 1);
    expect(story.checks.violation).toBe(null);
  });

  it("§5.2: one that stands and crashes before its own vote is durable may vote for another", () => {
    const story = Story.booted().role(C, "candidate", 1).write(C, { term: 1, vote: C, commit: 0 }, [], false);
    story.event(C, { type: "crashed", lostBytes: 0 }).boot(C).role(C, "follower", 1);
    story.write(C, { term: 1, vote: A, commit: 0 }, []).grant(C, A, 1);
    expect(story.checks.violation).toBe(null);
  });

  it("thesis §3.8: what was written and not synced may be lost, and may be there", () => {
    for (const entries of [[], ONE]) {
      const story = Story.booted()
        .append(A, ...ONE)
        .write(A, null, ONE, false)
        .event(A, { type: "crashed", lostBytes: 0 });
      expect(story.boot(A, { entries }).checks.violation).toBe(null);
    }
  });

  it("thesis §3.8: an acknowledgement may leave with the write of a later leader's entry in its place (sim seed 6708)", () => {
    const acknowledge = (later: EntryShown): Story => {
      const story = Story.booted().append(C, ...ONE, shown(1, 2));
      story.event(C, { type: "entries-truncated", from: 1, last: shown(1, 2), unstable: "replaced" });
      return story.append(C, later).write(C, { term: 2, vote: null, commit: 0 }, [later]).accept(C, A, 1, 2);
    };
    expect(acknowledge(shown(2, 1)).checks.violation).toBe(null);
    expect(acknowledge(shown(1, 1)).broken).toBe("promise-before-fsync");
  });

  it("§8: a restarted client's request has the number of an older one, and each is answered (sim seed 50543)", () => {
    const story = Story.booted().reign(A, B, 1, [
      shown(1, 1, { request: "n1/1/1" }),
      shown(1, 2, { request: "n1/1/2" }),
    ]);
    for (const key of ["n1/1/1", "n1/1/2"])
      story.event(A, { type: "request-received", client: "c1", request: 1, key, label: "" });
    for (const index of [1, 2]) story.event(A, { type: "request-answered", client: "c1", request: 1, index });
    expect(story.checks.violation).toBe(null);
  });

  it("a wiped disk excuses what it forgot", () => {
    const story = Story.booted()
      .append(A, ...ONE)
      .write(A, null, ONE)
      .event(A, { type: "crashed", lostBytes: 0 });
    expect(story.event(A, { type: "wiped" }).boot(A).checks.violation).toBe(null);
  });
});

describe("a joint configuration", () => {
  const joint = { ...CONF, voters: [A, B, D], votersOutgoing: [A, B, C] };
  const inJoint = (): Story => {
    const story = new Story();
    for (const id of [A, B, C, D]) story.boot(id, {}, joint);
    return story;
  };

  it("thesis §4.3: a majority of one half alone does not elect", () => {
    const story = inJoint().role(A, "candidate", 1).write(D, { term: 1, vote: A, commit: 0 }, []).grant(D, A, 1);
    expect(story.role(A, "leader", 1).broken).toBe("quorum-overlap");
  });

  it("thesis §4.3: a majority of one half alone does not commit", () => {
    const story = inJoint()
      .reign(A, B, 1, [])
      .append(A, ...ONE)
      .write(A, null, ONE)
      .append(D, ...ONE)
      .write(D, null, ONE);
    expect(story.commit(A, 0, 1).broken).toBe("quorum-overlap");
  });
});

describe("the state of the checks", () => {
  it("goes on from a checkpoint, however the future went that was left", () => {
    const story = Story.booted().reign(A, B, 1, ONE);
    const state = story.checks.state();
    story.append(A, shown(1, 2, { label: "left" })).write(A, null, [shown(1, 2)]);
    story.checks = new Checks(structuredClone(state));
    story.append(A, shown(1, 2, { label: "taken" })).append(B, shown(1, 2, { label: "taken" }));
    expect(story.checks.violation).toBe(null);
    expect(story.append(C, ...ONE, shown(1, 2, { label: "left" })).broken).toBe("log-matching");
  });
});
