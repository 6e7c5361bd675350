import { describe, expect, it } from "vitest";
import { highlightLines } from "./highlight.ts";

const GO = `resp, err := kv.Put(ctx, "/lock/<id>", "")\nif err != nil { /* a\nb */ return }`;

describe("highlighted code", () => {
  it("keeps every character, line by line, also those that HTML escapes", () => {
    const lines = highlightLines(GO, "go").map((tokens) => tokens.map(({ text }) => text).join(""));
    expect(lines.join("\n")).toBe(GO);
  });

  it("tells a keyword and a string from the rest, and a comment goes on over lines", () => {
    const lines = highlightLines(GO, "go");
    expect(lines[0]).toContainEqual({ text: '"/lock/<id>"', kind: "string" });
    expect(lines[1]).toContainEqual({ text: "if", kind: "keyword" });
    expect(lines[2]?.[0]).toEqual({ text: "b */", kind: "comment" });
  });

  it("leaves a language that it does not know as it is", () => {
    expect(highlightLines("a\nb", "pseudo")).toEqual([[{ text: "a", kind: null }], [{ text: "b", kind: null }]]);
  });
});
