/** A cursor has a line in every language, and every program has its text. */
import { describe, expect, it } from "vitest";
import { PROGRAMS, programNamed } from "../systems.ts";
import { LANGUAGES, listingOf, SOURCES } from "./index.ts";

const cases = Object.keys(SOURCES).flatMap((program) => LANGUAGES.map((language) => [program, language] as const));
const paired = cases.filter(([program]) => SOURCES[program]?.other !== null);

describe("listings", () => {
  it("there are of every program, and of no other", () => {
    expect(Object.keys(SOURCES).toSorted()).toEqual(Object.keys(PROGRAMS).toSorted());
  });
  it.each(cases)("%s in %s has a line for each step, and no line for a step that is not", (program, language) => {
    const lines = listingOf(program, language);
    const named = new Set(lines.flatMap(({ steps }) => steps));
    const steps = Object.keys(programNamed(program).steps);
    expect([...named].toSorted()).toEqual(steps.toSorted());
  });
  it.each(cases)("%s in %s is short enough to be read, and of one column", (program, language) => {
    const lines = listingOf(program, language);
    expect(lines.length).toBeLessThanOrEqual(40);
    expect(lines.filter(({ text }) => text.length > 88)).toEqual([]);
  });
  it.each(paired)("%s in %s says at lines that differ what is wrong or mended", (program, language) => {
    const lines = listingOf(program, language);
    expect(lines.some(({ differs, notes }) => differs && notes.length > 0)).toBe(true);
    expect(lines.some(({ differs }) => !differs)).toBe(true);
  });
});
