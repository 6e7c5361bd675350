import { describe, expect, it } from "vitest";
import { SECOND } from "../base/units.ts";
import { FakeEtcd, FakeStore, type Mistakes, NO_MISTAKES } from "../check/fake-etcd.ts";
import { worldConfig } from "./build.ts";
import { runEtcdSeed } from "./etcd-campaign.ts";
import type { RunSpec } from "./config.ts";
import type { Env } from "../sim/process.ts";

/** One fake member, n1, which keeps its store through crashes; the others are not there. */
function fakeKit(mistakes: Mistakes) {
  const store = new FakeStore();
  return {
    build: (_: unknown, env: Env) => new FakeEtcd(mistakes, store, env),
    world: (spec: RunSpec) => {
      const world = worldConfig(spec);
      const processes = world.processes.map((process) => ({
        ...process,
        present: process.kind === "client" || process.id === "n1",
      }));
      return { ...world, processes };
    },
  };
}

function results(mistakes: Mistakes) {
  return Array.from({ length: 12 }, (_, i) => runEtcdSeed(i + 1, { length: 3 * SECOND, kit: fakeKit(mistakes) }));
}

describe("a campaign's judgement of clients' histories, on a member that is only played", () => {
  it("a store that does one thing after the other passes, whatever the network does", () => {
    const fine = results(NO_MISTAKES);
    expect(fine.flatMap(({ violation }) => violation ?? [])).toEqual([]);
    expect(fine.every(({ history }) => history.store.result === "linearizable")).toBe(true);
    const sum = (of: (typeof fine)[number]["history"], what: "operations" | "localReads" | "watchResponses") =>
      of[what];
    for (const what of ["operations", "localReads", "watchResponses"] as const)
      expect(fine.reduce((total, { history }) => total + sum(history, what), 0)).toBeGreaterThan(20);
  });

  it("stale reads are found", () => {
    const rules = results({ ...NO_MISTAKES, staleReads: 200_000 }).map(({ violation }) => violation?.rule);
    expect(rules).toContain("linearizability");
  });

  it("a write that happens twice is found", () => {
    const rules = results({ ...NO_MISTAKES, doubledWrites: 200_000 }).map(({ violation }) => violation?.rule);
    expect(rules).toContain("linearizability");
  });

  it("events that a watch lost are found", () => {
    const rules = results({ ...NO_MISTAKES, lostEvents: 200_000 }).map(({ violation }) => violation?.rule);
    expect(rules).toContain("watch-guarantees");
  });

  it("the same seed is the same run", () => {
    const [one, two] = [1, 2].map(() => runEtcdSeed(7, { length: 2 * SECOND, kit: fakeKit(NO_MISTAKES) }));
    expect(one).toEqual(two);
  });
});
