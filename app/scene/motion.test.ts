import { describe, expect, it } from "vitest";
import { timerLeft } from "./motion.ts";
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

describe("the columns that tails share", () => {
  it("begin at 1 and move on when the longest log outgrows them", () => {
    expect(tailStart([{ lastIndex: 0 }], 7)).toBe(1);
    expect(tailStart([{ lastIndex: 7 }, { lastIndex: 2 }], 7)).toBe(1);
    expect(tailStart([{ lastIndex: 12 }, { lastIndex: 2 }], 7)).toBe(6);
  });
});
