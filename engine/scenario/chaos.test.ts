import { describe, expect, it } from "vitest";
import { SECOND } from "../base/units.ts";
import { addCounts, newCounts, runSeed } from "./campaign.ts";
import { ACT_NAMES, chaosRun } from "./chaos.ts";
import { Run } from "./run.ts";

describe("chaos", () => {
  it("is the same run each time, and another one for another seed", () => {
    const run = chaosRun(3, 2);
    expect(chaosRun(3, 2)).toEqual(run);
    expect(chaosRun(4, 2).hash).not.toBe(run.hash);
  });

  it("replays from its recording to the same hash", async () => {
    for (const seed of [1, 2, 3]) {
      const { spec, commands, at, hash } = chaosRun(seed, 3);
      const run = new Run(spec, commands);
      await run.advance(at);
      expect(run.hash).toBe(hash);
    }
  });
});

describe("a campaign", () => {
  it("uses every kind of fault, gets on with its work, and breaks no rule", () => {
    const counts = newCounts();
    for (let seed = 1; seed <= 60; seed += 1) {
      const { violation, counts: more } = runSeed(seed, { length: 4 * SECOND });
      expect({ seed, violation }).toEqual({ seed, violation: null });
      addCounts(counts, more);
    }
    for (const name of ACT_NAMES) expect([name, (counts.faults.get(name) ?? 0) > 0]).toEqual([name, true]);
    expect(counts.elections).toBeGreaterThan(60);
    expect(counts.commits).toBeGreaterThan(1_000);
    expect(counts.writes).toBeGreaterThan(500);
    expect(counts.snapshots).toBeGreaterThan(5);
  });

  it("§7: a member whose snapshot was lost gets another one (seeds that found that it did not)", () => {
    for (const seed of [2046, 2739]) expect(runSeed(seed, { length: 8 * SECOND }).violation).toBe(null);
  });

  it("thesis §4.2.2: a leader that was removed lets others lead (seeds that found that it did not)", () => {
    for (const seed of [90, 125]) expect(runSeed(seed, { length: 8 * SECOND }).violation).toBe(null);
  });

  it("thesis §4.2.3: one that does not know of its removal keeps nobody from leading (seeds where it did)", () => {
    for (const seed of [10_145, 17_023]) expect(runSeed(seed, { length: 10 * SECOND }).violation).toBe(null);
  });
});
