import { beforeAll, describe, expect, it } from "vitest";
import { type LogView, type Note, type ProcessId, type Reign, RULES, type ViolationView } from "../../engine/index.ts";
import { languageOf, loadLang } from "../i18n/language.ts";
import { breachWords } from "./breach.ts";
import { cellState, cursorAt } from "./log-grid.ts";
import { latestNotes } from "./note-line.tsx";
import { frameOf } from "./share-dialog.tsx";
import { bandsOf, spanFor, ticksFor } from "./timeline-scale.ts";
import { writeStage } from "./write-stage.ts";

const S = 1_000_000;
const log = (firstIndex: number, ...terms: readonly number[]): LogView => ({
  firstIndex,
  cells: terms.map((term) => ({ term, kind: "write", label: "x" })),
});

describe("how far a write has come on a member", () => {
  const entry = { term: 2, index: 3 };
  it("goes from nothing over uncommitted and committed to applied", () => {
    expect(writeStage(null, { commit: 0, applied: 0 }, log(1))).toBe("none");
    expect(writeStage(entry, { commit: 0, applied: 0 }, log(1, 1, 1))).toBe("none");
    expect(writeStage(entry, { commit: 2, applied: 2 }, log(1, 1, 1, 2))).toBe("appended");
    expect(writeStage(entry, { commit: 3, applied: 2 }, log(1, 1, 1, 2))).toBe("committed");
    expect(writeStage(entry, { commit: 3, applied: 3 }, log(1, 1, 1, 2))).toBe("applied");
  });
  it("is lost where another term's entry stands in its place", () => {
    expect(writeStage(entry, { commit: 3, applied: 3 }, log(1, 1, 1, 3))).toBe("lost");
  });
  it("is applied where it was compacted away", () => {
    expect(writeStage(entry, { commit: 9, applied: 9 }, log(8, 2, 2))).toBe("applied");
  });
});

describe("the timeline", () => {
  const reign = (term: number, from: number, to: number | null): Reign => ({
    leader: "n1" as ProcessId,
    term,
    from,
    to,
  });
  it("spans a round time with a little room, and stands still in between", () => {
    expect(spanFor(0)).toBe(2 * S);
    expect(spanFor(1.9 * S)).toBe(2 * S);
    expect(spanFor(2.1 * S)).toBe(5 * S);
    expect(spanFor(48 * S)).toBe(50 * S);
  });
  it("has round ticks that fit", () => {
    expect(ticksFor(2 * S, 900, 90)).toHaveLength(11);
    expect(ticksFor(10 * S, 400, 90).at(-1)).toBe(10 * S);
  });
  it("shows a reign that goes on until now", () => {
    expect(bandsOf([reign(1, 0, S), reign(2, 2 * S, null)], 5 * S, 1_000)).toMatchObject([
      { term: 1, to: S, current: false },
      { term: 2, to: 5 * S, current: true },
    ]);
  });
  it("draws many short reigns as one band", () => {
    const many = Array.from({ length: 100 }, (_, i) => reign(i + 1, i * 100, i * 100 + 90));
    expect(bandsOf(many, S, 10_000).length).toBeLessThan(10);
  });
});

describe("the log's grid", () => {
  const shape = { members: ["n1", "n2"] as ProcessId[], scale: 1 };
  it("finds the cell under a point, scrolled or not", () => {
    expect(cursorAt(40, 25, 0, shape)).toEqual({ row: 0, index: 1 });
    expect(cursorAt(40, 60, 230, shape)).toEqual({ row: 1, index: 11 });
    expect(cursorAt(10, 25, 0, shape)).toBeNull();
    expect(cursorAt(40, 500, 0, shape)).toBeNull();
  });
  it("tells an entry's state by the marks of its member", () => {
    const marks = { applied: 1, commit: 2, durable: 3 };
    expect([1, 2, 3, 4].map((index) => cellState(marks, index))).toEqual([
      "applied",
      "committed",
      "durable",
      "volatile",
    ]);
  });
});

describe("what just happened", () => {
  const note = (event: number, what: string): Note => ({ event, at: event, process: null, what, figures: {} });
  it("is the latest that matters", () => {
    const notes = [note(1, "crashed"), note(2, "voted"), note(3, "applied"), note(4, "appended")];
    expect(latestNotes(notes, 2).map(({ what }) => what)).toEqual(["voted", "crashed"]);
  });
});

describe("the frame to embed", () => {
  it("shows the single-file page beside ours, and may run scripts only", () => {
    const frame = frameOf("https://example.org/lab/index.html#s=1.abc", "Raft");
    expect(frame).toContain('src="https://example.org/lab/embed.html#s=1.abc"');
    expect(frame).toContain('sandbox="allow-scripts"');
  });
});

describe("a sentence", () => {
  beforeAll(() => loadLang("en"));
  it("of a broken rule names what it was judged by, whichever figures there are", () => {
    const say = (rule: string, figures: ViolationView["figures"], process: string | null = null): string =>
      breachWords(languageOf("en"), { rule, event: 1, at: 0, process: process as ProcessId | null, figures });
    expect(say("election-safety", { term: 2, leaders: ["n1", "n3"] })).toBe("term 2 has two leaders, n1, n3.");
    expect(say("leader-completeness", { term: 2, leader: "n3", committed: "1/4" })).toContain("term 1, index 4");
    expect(say("leader-completeness", { term: 2, index: 4, base: 0 }, "n3")).toBe(
      "the log of n3, a leader, lacks an entry that was committed before.",
    );
    for (const rule of Object.keys(RULES)) expect([rule, say(rule, {}, "n1")[0]]).not.toEqual([rule, undefined]);
  });
});
