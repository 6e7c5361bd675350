import fc from "fast-check";
import { expect, it } from "vitest";
import { Clock } from "./clock.ts";

it("awake time stands still while the process is paused, monotonic time does not", () => {
  const clock = Clock.started(0, 1_000);
  clock.pause(100);
  clock.resume(400);
  expect(clock.stamp(500)).toEqual({ mono: 500, wall: 1_500, awake: 200 });
});

it("a jump moves the calendar only", () => {
  const clock = Clock.started(0, 0);
  clock.jump(-7);
  expect(clock.stamp(10)).toEqual({ mono: 10, wall: 3, awake: 10 });
});

it("never goes back when its drift changes, and finds the first instant of any awake time", () => {
  const drift = fc.record({
    after: fc.integer({ min: 0, max: 5_000_000 }),
    ppm: fc.integer({ min: -500_000, max: 500_000 }),
  });
  fc.assert(
    fc.property(fc.array(drift, { maxLength: 6 }), fc.integer({ min: 0, max: 10_000_000 }), (drifts, ahead) => {
      const clock = Clock.started(0, 0);
      let at = 0;
      let mono = 0;
      for (const { after, ppm } of drifts) {
        at += after;
        expect(clock.mono(at)).toBeGreaterThanOrEqual(mono);
        mono = clock.mono(at);
        clock.drift(at, ppm);
        expect(clock.mono(at)).toBe(mono);
      }
      const target = clock.stamp(at).awake + ahead;
      const instant = clock.instantOf(target);
      expect(clock.stamp(instant).awake).toBeGreaterThanOrEqual(target);
      const early = instant > at ? clock.stamp(instant - 1).awake : Number.NEGATIVE_INFINITY;
      expect(early).toBeLessThan(target);
    }),
  );
});
