import { describe, expect, it } from "vitest";
import type { Flight, MemberView, MessageId, ProcessId } from "../../engine/index.ts";
import { restBetween } from "./pace.ts";

const flight = (id: MessageId, part: Partial<Flight>): Flight =>
  ({ id, kind: "heartbeat", lost: null, arrivesAt: 200, heldAt: null, ...part }) as Flight;
const view = (...parts: readonly Partial<Flight>[]) => ({
  at: 100,
  members: new Map<ProcessId, MemberView>(),
  flights: new Map(parts.map((part, i) => [i, flight(i, part)])),
});

describe("the rest between two frames", () => {
  it("is none while something happens, or time runs fast", () => {
    expect(restBetween(view({}, { kind: "vote-request" }), 0.1)).toBe(0);
    expect(restBetween(view({ lost: "loss" }), 0.1)).toBe(0);
    expect(restBetween(view(), 1)).toBe(0);
    expect(restBetween(view(), "max")).toBe(0);
    expect(restBetween({ ...view(), at: 0 }, 0.1)).toBe(0); // nobody waits for the first moment
  });
  it("is longer for heartbeats, and longest where nothing travels", () => {
    const [routine, still] = [restBetween(view({}), 0.1), restBetween(view(), 0.1)];
    expect(routine).toBeGreaterThan(0);
    expect(still).toBeGreaterThan(routine);
    expect(restBetween(view({ kind: "append", heldAt: 50 }, { kind: "append", arrivesAt: null }), 0.1)).toBe(still);
  });
  it("ends when a timer does, so that what it starts is seen from its beginning", () => {
    const timer = { kind: "election", setAt: 0, firesAt: 1_100 };
    const members = new Map([["n1" as ProcessId, { timer } as MemberView]]);
    expect(restBetween({ ...view(), members }, 0.1)).toBe(10);
  });
});
