/** Every note in a listing has its sentence, short enough to stand under the line. */
import { describe, expect, it } from "vitest";
import { LANGUAGES, listingOf, SOURCES } from "../../../engine/labs/source/index.ts";
import { enLabNotes } from "../../i18n/en-lab-notes.ts";
import { zhLabNotes } from "../../i18n/zh-lab-notes.ts";

const used = new Set(
  Object.keys(SOURCES).flatMap((program) =>
    LANGUAGES.flatMap((language) => listingOf(program, language).flatMap(({ notes }) => notes)),
  ),
);

describe.each([
  ["English", enLabNotes],
  ["Chinese", zhLabNotes],
] as const)("notes on lines, in %s", (_language, dictionary) => {
  const sentences = new Map(Object.entries(dictionary));
  it("each has a sentence, and each sentence a line", () => {
    expect([...sentences.keys()].toSorted()).toEqual([...used].map((note) => `lab.note.${note}`).toSorted());
  });
  it("none is longer than 90 characters", () => {
    expect([...sentences].filter(([, sentence]) => sentence.length > 90)).toEqual([]);
  });
});
