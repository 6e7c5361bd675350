import { describe, expect, it } from "vitest";
import type { MemberView, ProcessId } from "../../engine/index.ts";
import { majority } from "../store/conf.ts";
import { headline, reachGroups } from "./headline.ts";

const id = (name: string): ProcessId => name as ProcessId;

function member(name: string, part: Partial<MemberView> = {}): MemberView {
  return {
    id: id(name),
    conf: null,
    incarnation: 1,
    liveness: "running",
    panic: null,
    role: "follower",
    term: 1,
    votedFor: null,
    leader: null,
    ballots: null,
    timer: null,
    commit: 0,
    applied: 0,
    durable: 0,
    lastIndex: 0,
    value: null,
    progress: null,
    fsyncs: 0,
    diskBytes: 0,
    ...part,
  };
}

const cluster = (...members: readonly MemberView[]) => new Map(members.map((one) => [one.id, one]));
const apart = (...pairs: readonly (readonly [string, string])[]): ReadonlySet<string> =>
  new Set(pairs.flatMap(([a, b]) => [`${a}>${b}`, `${b}>${a}`]));

describe("the headline", () => {
  it("names the leader of the highest term", () => {
    const members = cluster(
      member("n1", { role: "leader", term: 2 }),
      member("n2", { role: "leader", term: 3 }),
      member("n3"),
    );
    expect(headline({ members, cuts: new Set() }).standing).toEqual({ is: "leads", leader: "n2", term: 3 });
  });
  it("says when a leader reaches no majority", () => {
    const members = cluster(member("n1", { role: "leader" }), member("n2"), member("n3"));
    const cuts = apart(["n1", "n2"], ["n1", "n3"]);
    const { standing, groups } = headline({ members, cuts });
    expect(standing).toEqual({ is: "alone", leader: "n1", term: 1 });
    expect(groups).toEqual([["n2", "n3"], ["n1"]]);
  });
  it("says why nobody can be elected", () => {
    const down = cluster(member("n1"), member("n2", { liveness: "crashed" }), member("n3", { liveness: "crashed" }));
    expect(headline({ members: down, cuts: new Set() }).standing).toEqual({
      is: "majority-down",
      up: 1,
      members: 3,
      needed: 2,
    });
    const alone = cluster(member("n1"), member("n2"), member("n3"));
    const cuts = apart(["n1", "n2"], ["n1", "n3"], ["n2", "n3"]);
    expect(headline({ members: alone, cuts }).standing).toEqual({ is: "majority-apart", members: 3, needed: 2 });
  });
  it("counts by the leader's configuration: neither learners nor strangers", () => {
    const conf = { voters: [id("n1"), id("n2")], votersOutgoing: [], learners: [id("n3")], learnersNext: [] };
    const members = cluster(
      member("n1", { role: "leader", conf }),
      member("n2", { liveness: "crashed" }),
      member("n3", { conf }),
      member("n4"),
    );
    expect(headline({ members, cuts: new Set() })).toMatchObject({
      standing: { is: "alone", leader: "n1" },
      up: 1,
      members: 2,
      learners: 1,
      joint: null,
    });
  });
  it("wants a majority of both halves of a joint configuration", () => {
    const conf = {
      voters: [id("n1"), id("n4"), id("n5")],
      votersOutgoing: [id("n1"), id("n2"), id("n3")],
      learners: [],
      learnersNext: [],
    };
    const up = [member("n1", { role: "leader", conf }), member("n4", { conf }), member("n5", { conf })];
    const old = [member("n2", { liveness: "crashed" }), member("n3", { liveness: "crashed" })];
    const all = headline({ members: cluster(...up, ...old), cuts: new Set() });
    expect(all.standing.is).toBe("alone");
    expect(all.joint).toEqual({ voters: "n1 n4 n5", outgoing: "n1 n2 n3" });
    const down = [member("n1", { conf, liveness: "crashed" }), ...up.slice(1), ...old];
    expect(headline({ members: cluster(...down), cuts: new Set() }).standing.is).toBe("majority-joint");
    const some = headline({ members: cluster(...up, member("n2"), ...old.slice(1)), cuts: new Set() });
    expect(some.standing.is).toBe("leads");
  });
  it("tells one candidate from several", () => {
    const one = cluster(member("n1", { role: "candidate", term: 4 }), member("n2"), member("n3"));
    expect(headline({ members: one, cuts: new Set() }).standing).toEqual({ is: "campaign", candidate: "n1", term: 4 });
    const two = cluster(member("n1", { role: "candidate" }), member("n2", { role: "candidate" }), member("n3"));
    expect(headline({ members: two, cuts: new Set() }).standing).toEqual({ is: "campaigns", count: 2 });
  });
  it("does not count what a crashed member knew committed", () => {
    const members = cluster(
      member("n1", { commit: 9, liveness: "crashed" }),
      member("n2", { commit: 7 }),
      member("n3"),
    );
    expect(headline({ members, cuts: new Set() }).commit).toBe(7);
  });
  it("takes members for one group when they reach each other through a third", () => {
    expect(reachGroups([id("n1"), id("n2"), id("n3")], apart(["n1", "n3"]))).toEqual([["n1", "n2", "n3"]]);
  });
  it("needs more than half", () => {
    expect([1, 2, 3, 4, 5, 9].map(majority)).toEqual([1, 2, 2, 3, 3, 5]);
  });

  it("servers that elect nobody are told by who takes writes, and by no leader", () => {
    const members = cluster(member("n1", { liveness: "crashed" }), member("n2"), member("n3"));
    const servers = [
      { id: id("n1"), role: "primary" },
      { id: id("n2"), role: "primary" },
      { id: id("n3"), role: "replica" },
    ] as const;
    const { standing } = headline({ members, cuts: new Set(), servers });
    expect(standing).toEqual({ is: "primaries", primaries: ["n2"], replicas: 1 });
  });
});
