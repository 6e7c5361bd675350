import { describe, expect, it } from "vitest";
import { flightPoint, flightProgress } from "./flight-point.ts";
import type { Place } from "./geometry.ts";

const from: Place = { x: 0, y: 0, rim: 10 };
const to: Place = { x: 100, y: 0, rim: 20 };
const flight = { sentAt: 1_000, arrivesAt: 3_000, heldAt: null, lost: null };

describe("where a message is", () => {
  it("goes from rim to rim in the time that it takes", () => {
    expect(flightPoint(flight, 1_000, from, to, 0)).toEqual({ x: 10, y: 0, broken: false });
    expect(flightPoint(flight, 2_000, from, to, 0)).toEqual({ x: 45, y: 0, broken: false });
    expect(flightPoint(flight, 3_000, from, to, 0)).toEqual({ x: 80, y: 0, broken: false });
  });
  it("is the same for the same instant, whichever way time runs", () => {
    const forwards = [1_200, 1_900, 2_600].map((now) => flightPoint(flight, now, from, to));
    const backwards = [2_600, 1_900, 1_200].map((now) => flightPoint(flight, now, from, to)).reverse();
    expect(backwards).toEqual(forwards);
  });
  it("keeps to its own side of the link, so that two directions do not meet", () => {
    const there = flightPoint(flight, 2_000, from, to, 5);
    const back = flightPoint(flight, 2_000, to, from, 5);
    expect(Math.sign(there.y)).toBe(-Math.sign(back.y));
  });
  it("is broken half way when it is lost, and goes no further", () => {
    const lost = { ...flight, lost: "loss" as const };
    expect(flightPoint(lost, 1_500, from, to, 0).broken).toBe(false);
    expect(flightPoint(lost, 2_500, from, to, 0)).toEqual({ x: 45, y: 0, broken: true });
  });
  it("stands where it was stopped while it is held, and travels as before when time runs back", () => {
    const held = { ...flight, heldAt: 1_500 };
    expect(flightProgress(held, 9_000)).toBe(0.25);
    expect(flightProgress(held, 1_200)).toBe(0.1);
  });
  it("waits at its sender when nothing carries it", () => {
    expect(flightProgress({ sentAt: 0, arrivesAt: null, heldAt: 0 }, 9_000)).toBe(0);
  });
  it("stays within its way, and has arrived when it takes no time", () => {
    expect(flightProgress(flight, 0)).toBe(0);
    expect(flightProgress(flight, 9_000)).toBe(1);
    expect(flightProgress({ sentAt: 5, arrivesAt: 5, heldAt: null }, 5)).toBe(1);
  });
});
