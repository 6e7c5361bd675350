import { beforeAll, describe, expect, it } from "vitest";
import type { Phrase, TextKey } from "./dictionary.ts";
import { en } from "./en.ts";
import { joinParts, type Language, languageOf, loadLang, pickLang } from "./language.ts";
import { zh } from "./zh.ts";

const forms = (phrase: Phrase): readonly string[] => (typeof phrase === "string" ? [phrase] : Object.values(phrase));
const names = (phrase: Phrase): readonly string[] =>
  [
    ...new Set(forms(phrase).flatMap((form) => [...form.matchAll(/\{(\w+)\}/gu)].map((match) => match[1] ?? ""))),
  ].sort();

describe("the dictionaries", () => {
  it("have the same keys", () => {
    expect(Object.keys(zh).sort()).toEqual(Object.keys(en).sort());
  });
  it("use the same figures in each sentence", () => {
    for (const key of Object.keys(en) as TextKey[]) {
      const wanted = names(en[key]).filter((name) => name !== "count" || names(zh[key]).includes("count"));
      expect([key, names(zh[key])]).toEqual([key, wanted]);
    }
  });
  it("leave nothing untranslated", () => {
    // Names that both languages share.
    const shared =
      /^(?:app\.(?:name|subject\.(?:raft|etcd))|member\.fsync|cluster\.timing\.etcd|key\.(?:shift|alt|enter|tab)|embed\.code)$/u;
    const wordless = (phrase: Phrase): boolean => !/[a-z]/iu.test((forms(phrase)[0] ?? "").replaceAll(/\{\w+\}/gu, ""));
    for (const key of Object.keys(en) as TextKey[]) {
      if (shared.test(key) || wordless(en[key])) continue;
      expect([key, forms(zh[key])[0]]).not.toEqual([key, forms(en[key])[0]]);
    }
  });
});

beforeAll(async () => {
  await loadLang("en");
  await loadLang("zh-CN");
});

describe("a sentence", () => {
  let english: Language;
  beforeAll(() => {
    english = languageOf("en");
  });

  it("has its figures put in", () => {
    expect(english.text("head.leads", { leader: "n3", term: 4 })).toBe("n3 leads term 4");
    expect(languageOf("zh-CN").text("head.leads", { leader: "n3", term: 4 })).toBe("n3 是任期 4 的领导者");
  });
  it("follows the number", () => {
    expect(english.text("stage.cuts", { count: 1 })).toBe("Cuts 1 link");
    expect(english.text("stage.cuts", { count: 3 })).toBe("Cuts 3 links");
  });
  it("of a note carries its reason, with the places of entries in words", () => {
    const figures = { process: "n3", for: "n2", term: 4, rule: "log-up-to-date", theirs: "2/9", ours: "3/7" };
    expect(english.sayText("note", "vote-refused", figures)).toBe(
      "n3 refuses n2 its vote in term 4: that log ends at term 2, index 9, behind its own at term 3, index 7 (§5.4.1).",
    );
  });
  it("says nothing where a log holds no entry", () => {
    const figures = { process: "n6", from: "n5", index: 1, rule: "log-matching", prev: "1/1", ours: "0/1" };
    expect(english.sayText("note", "append-refused", figures)).toContain("there its log has nothing (§5.3)");
  });
  it("falls back to the plain wording when figures are missing", () => {
    expect(english.sayText("note", "voted", { process: "n1", for: "n2", term: 3 })).toBe("n1 votes for n2 in term 3.");
    expect(
      english.sayText("note", "vote-refused", {
        process: "n1",
        for: "n2",
        term: 3,
        rule: "one-vote-a-term",
        vote: null,
      }),
    ).toContain("it has already given its vote");
  });
  it("for something that the dictionary does not know still says its name", () => {
    expect(english.sayText("note", "levitated", { process: "n1" })).toBe("n1: levitated");
    expect(english.sayText("note", "levitated", {})).toBe("levitated");
    expect(english.sayText("rule", "gravity", {})).toBe("gravity");
    expect(languageOf("zh-CN").sayText("refusal", "gravity", {})).toContain("gravity");
  });
  it("keeps its figures apart from its words", () => {
    const parts = english.say("note", "paused", { process: "n4" });
    expect(parts[0]).toEqual({ name: "process", value: "n4" });
    expect(joinParts(parts)).toBe("n4 is paused: it neither hears nor answers.");
  });
});

describe("figures", () => {
  it("of time keep their places", () => {
    expect(languageOf("en").seconds(9_412_000)).toBe("9.412 s");
    expect(languageOf("en").millis(150_000)).toBe("150 ms");
  });
  it("of chance are percentages", () => {
    expect(languageOf("en").percent(5_000)).toBe("0.5%");
  });
});

describe("the language", () => {
  it("is the first wanted one that we speak", () => {
    expect(pickLang([null, "fr", "zh-Hans-SG", "en"])).toBe("zh-CN");
    expect(pickLang(["auto", "en-GB"])).toBe("en");
    expect(pickLang(["fr"])).toBe("en");
  });
});
