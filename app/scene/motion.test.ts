import { describe, expect, it } from "vitest";
import { layoutStage } from "./geometry.ts";
import { looksTheSame, timerLeft } from "./motion.ts";
import { tailStart } from "./tails.ts";

describe("what is left of a timer", () => {
  it("drains from one to nothing", () => {
    const timer = { setAt: 100, firesAt: 300 };
    expect([0, 100, 150, 300, 400].map((now) => timerLeft(timer, now))).toEqual([1, 1, 0.75, 0, 0]);
  });
  it("is nothing when it was set for now", () => {
    expect(timerLeft({ setAt: 5, firesAt: 5 }, 5)).toBe(0);
  });
});

describe("a frame that would show nothing new", () => {
  const layout = layoutStage(["n1", "n2", "n3"], [], 900, 560);
  const view = { flights: new Map(), members: new Map() };
  const drawn = { ...view, now: 0, pointedAt: null };
  it("is left out, and any other is not", () => {
    expect(looksTheSame(null, view, 0, null, layout)).toBe(false);
    expect(looksTheSame(drawn, view, 5_000, null, layout)).toBe(true);
    expect(looksTheSame(drawn, { ...view, flights: new Map() }, 0, null, layout)).toBe(false);
    expect(looksTheSame(drawn, view, 0, 7, layout)).toBe(false);
  });
});

describe("the columns that tails share", () => {
  it("begin at 1 and move on when the longest log outgrows them", () => {
    expect(tailStart([{ lastIndex: 0 }], 7)).toBe(1);
    expect(tailStart([{ lastIndex: 7 }, { lastIndex: 2 }], 7)).toBe(1);
    expect(tailStart([{ lastIndex: 12 }, { lastIndex: 2 }], 7)).toBe(6);
  });
});
