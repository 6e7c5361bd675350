import { expect, it } from "vitest";
import { rngFor } from "./rng.ts";
import { Passing } from "./passing.ts";

it("finds what is here, in the order of its numbers, and nothing that has gone", () => {
  const passing = new Passing<string>();
  for (const id of [2, 3, 7]) passing.add(id, `item ${id}`);
  passing.replace(3, "another");
  passing.take(2);
  passing.take(2);
  passing.take(5);
  expect([passing.get(2), passing.get(3), passing.get(5), passing.get(7)]).toEqual([
    undefined,
    "another",
    undefined,
    "item 7",
  ]);
  expect(passing.values()).toEqual(["another", "item 7"]);
  expect(passing.size).toBe(2);
});

it("holds the same as a map, whatever comes and goes", () => {
  const rng = rngFor(1, "passing");
  const passing = new Passing<number>();
  const map = new Map<number, number>();
  for (let id = 1; id <= 2_000; id += 1) {
    passing.add(id, id * 10);
    map.set(id, id * 10);
    // As many go as come, in any order: empty places are closed up again and again.
    while (rng.chance(500_000) || map.size > 60) {
      const gone = id - rng.below(80);
      expect(passing.take(gone)).toBe(map.get(gone));
      map.delete(gone);
    }
    expect(passing.size).toBe(map.size);
  }
  expect(passing.values()).toEqual([...map.values()]);
});
