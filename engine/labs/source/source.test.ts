/** A cursor has a line in every language. */
import { describe, expect, it } from "vitest";
import { programNamed } from "../systems.ts";
import { listingOf, LISTED } from "./index.ts";
import { LANGUAGES } from "./listing.ts";

const cases = LISTED.flatMap((program) => LANGUAGES.map((language) => [program, language] as const));

describe("listings", () => {
  it.each(cases)("%s in %s has a line for each step, and no line for a step that is not", (program, language) => {
    const lines = listingOf(program, language) ?? [];
    const named = new Set(lines.flatMap(({ steps }) => steps));
    const steps = Object.keys(programNamed(program).steps);
    expect([...named].toSorted()).toEqual(steps.toSorted());
    expect(lines.some(({ text }) => text.includes(" @ "))).toBe(false);
  });
});
