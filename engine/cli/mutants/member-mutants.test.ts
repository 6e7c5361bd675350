import { describe, expect, it } from "vitest";
import { MEMBER_CASES, playMemberCase } from "./member-cases.ts";
import { MEMBER_MUTANTS } from "./member-catalogue.ts";
import { matches } from "./plant.ts";

describe("the member's catalogue", () => {
  it("has twenty mutants at least, each with a name of its own", () => {
    expect(new Set(MEMBER_MUTANTS.map(({ name }) => name)).size).toBe(MEMBER_MUTANTS.length);
    expect(MEMBER_MUTANTS.length).toBeGreaterThanOrEqual(20);
  });

  for (const mutant of MEMBER_MUTANTS)
    it(`${mutant.name}: changes exactly one place`, () => {
      expect(matches(mutant)).toBe(1);
    });

  it("every case catches something", () => {
    expect(MEMBER_CASES.filter((name) => MEMBER_MUTANTS.every(({ meant }) => meant !== name))).toEqual([]);
  });
});

describe("a case of the member", () => {
  for (const name of MEMBER_CASES)
    it(`${name}: finds nothing wrong without a mutant`, () => {
      expect(playMemberCase(name)).toBeNull();
    });
});
