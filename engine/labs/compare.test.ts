/** The same happenings with several locks, as a table. */
import { describe, expect, it } from "vitest";
import { compare, COMPARISONS } from "./compare.ts";
import { LAB_STORIES } from "./stories/index.ts";
import { LAB_KIT } from "./world.ts";

const storiesOf = (id: string) => {
  const ids = COMPARISONS.find((one) => one.id === id)?.stories ?? [];
  return ids.flatMap((story) => LAB_STORIES.filter((one) => one.id === story));
};

describe("comparisons", () => {
  it("name stories that there are, two at least", () => {
    const known = new Set(LAB_STORIES.map(({ id }) => id));
    for (const { stories } of COMPARISONS) {
      expect(stories.filter((id) => !known.has(id))).toEqual([]);
      expect(stories.length).toBeGreaterThanOrEqual(2);
    }
  });
  it("when the holder dies, all are safe, and each is without a holder for as long as its time to live", () => {
    const rows = compare(storiesOf("holder-dies"), LAB_KIT);
    expect(rows.every(({ isSafe }) => isSafe)).toBe(true);
    const within = (system: string, from: number, to: number): void => {
      const without = (rows.find((row) => row.system === system)?.withoutHolder ?? 0) / 1_000_000;
      expect(without).toBeGreaterThanOrEqual(from);
      expect(without).toBeLessThanOrEqual(to);
    };
    within("etcd-fair", 13, 13.9);
    within("etcd-txn", 4, 6.7);
    within("etcd-mutex", 7, 7.9);
    within("zookeeper", 27, 29.3);
    within("redis-token", 7, 7.3);
    within("redis-timestamp", 7, 7.3);
  });
  it("when it ends in order, nobody waits for a time to live", () => {
    for (const { withoutHolder, isSafe } of compare(storiesOf("holder-ends"), LAB_KIT)) {
      expect(isSafe).toBe(true);
      expect(withoutHolder).toBeLessThan(700_000);
    }
  });
  it("a pause breaks every lock, and a fence keeps the update", () => {
    const rows = compare(storiesOf("pause"), LAB_KIT);
    expect(rows.map(({ story, isSafe, lostUpdates }) => [story, isSafe, lostUpdates])).toEqual([
      ["pause-open-write", false, 1],
      ["pause-fenced-write", false, 0],
      ["pause-zookeeper-open", false, 1],
      ["pause-zookeeper", false, 0],
      ["pause-redis-token", false, 1],
      ["pause-redis-counted", false, 0],
    ]);
  });
});
