/** A cursor has a line in every language. */
import { describe, expect, it } from "vitest";
import { programNamed } from "../systems.ts";
import { LANGUAGES, listingOf, SOURCES } from "./index.ts";

const cases = Object.keys(SOURCES).flatMap((program) => LANGUAGES.map((language) => [program, language] as const));

describe("listings", () => {
  it.each(cases)("%s in %s has a line for each step, and no line for a step that is not", (program, language) => {
    const lines = listingOf(program, language);
    const named = new Set(lines.flatMap(({ steps }) => steps));
    const steps = Object.keys(programNamed(program).steps);
    expect([...named].toSorted()).toEqual(steps.toSorted());
    expect(lines.some(({ differs, note }) => differs && note !== null)).toBe(true);
  });
});
