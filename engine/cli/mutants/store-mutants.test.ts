import { describe, expect, it } from "vitest";
import { matches } from "./plant.ts";
import { playStoreCase, STORE_CASES } from "./store-cases.ts";
import { STORE_MUTANTS } from "./store-catalogue.ts";

describe("the store's catalogue", () => {
  it("has thirty mutants at least, each with a name of its own", () => {
    expect(new Set(STORE_MUTANTS.map(({ name }) => name)).size).toBe(STORE_MUTANTS.length);
    expect(STORE_MUTANTS.length).toBeGreaterThanOrEqual(30);
  });

  for (const mutant of STORE_MUTANTS)
    it(`${mutant.name}: changes exactly one place`, () => {
      expect(matches(mutant)).toBe(1);
    });

  it("every case catches something", () => {
    expect(STORE_CASES.filter((name) => STORE_MUTANTS.every(({ meant }) => meant !== name))).toEqual([]);
  });
});

describe("a case of the store", () => {
  for (const name of STORE_CASES)
    it(`${name}: finds nothing wrong without a mutant`, () => {
      expect(playStoreCase(name)).toBeNull();
    });
});
