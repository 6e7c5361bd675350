/** Every story and comparison has its words in both languages; and what a story is made of may stand in a link. */
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { COMPARISONS, LAB_STORIES, labRunConfig } from "../../../engine/lab-stories.ts";
import { LAB_VARIANTS } from "../../../engine/labs/config.ts";
import { en } from "../../i18n/en.ts";
import { zh } from "../../i18n/zh.ts";
import { CommandSchema, ConfigSchema } from "../../player/schema.ts";

const storyKeys = LAB_STORIES.flatMap(({ id }) => [`labstory.${id}`, `labstory.${id}.about`]);

describe.each([
  ["English", en],
  ["Chinese", zh],
] as const)("the words of lock stories, in %s", (_language, dictionary) => {
  const keys = Object.keys(dictionary);
  it("each story has a name and a sentence", () => {
    expect(keys.filter((key) => key.startsWith("labstory.")).toSorted()).toEqual(storyKeys.toSorted());
  });
  it("each comparison has a name", () => {
    const named = new Set(keys);
    expect(COMPARISONS.filter(({ id }) => !named.has(`lab.compare.${id}`))).toEqual([]);
  });
  it("each variant of a program has a name, except versions", () => {
    const named = new Set(keys);
    const variants = new Set(Object.values(LAB_VARIANTS).flat());
    expect([...variants].filter((one) => !/^[0-9.]+$/u.test(one) && !named.has(`lab.variant.${one}`))).toEqual([]);
  });
});

describe("what a story is made of", () => {
  it("a link may hold each lab, and each command", () => {
    for (const { id, lab, steps } of LAB_STORIES) {
      expect([id, v.safeParse(ConfigSchema, labRunConfig(lab)).issues]).toEqual([id, undefined]);
      const refused = steps.filter(
        ({ deed }) => deed.do === "command" && !v.safeParse(CommandSchema, deed.command).success,
      );
      expect([id, refused]).toEqual([id, []]);
    }
  });
});
