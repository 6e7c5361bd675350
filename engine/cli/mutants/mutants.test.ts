import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CASE_NAMES, playCase } from "./cases.ts";
import { MUTANTS } from "./catalogue.ts";
import { matches, plant, runTrial } from "./plant.ts";

describe("the catalogue", () => {
  it("has forty mutants at least, each with a name of its own", () => {
    expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length);
    expect(MUTANTS.length).toBeGreaterThanOrEqual(40);
  });

  for (const mutant of MUTANTS)
    it(`${mutant.name}: changes exactly one place`, () => {
      expect(matches(mutant)).toBe(1);
    });
});

describe("a case", () => {
  for (const name of CASE_NAMES)
    it(`${name}: breaks no rule without a mutant`, () => {
      expect(playCase(name, 1)).toBe(null);
    });
});

describe("a planted mutant", () => {
  let folder = "";
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "lockstep-mutants-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  for (const name of ["answers before the fsync", "counts learners in the quorum (thesis §4.2.1)"])
    it(`${name}: is caught by the check that is meant to`, async () => {
      const mutant = MUTANTS.find((candidate) => candidate.name === name);
      if (mutant === undefined) throw new Error(`there is no mutant ${name}`);
      const program = await plant(mutant, folder, String(MUTANTS.indexOf(mutant)));
      const { meant, stage = null } = mutant;
      const { caughtBy, also } = await runTrial(program, { meant, stage, seeds: 10, transcripts: null });
      expect({ caughtBy, also }).toEqual({ caughtBy: meant[0], also: [] });
    });
});
