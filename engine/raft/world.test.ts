import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonical, type Operation, World, type WorldOptions } from "./testing.ts";

const operations: fc.Arbitrary<readonly Operation[]> = fc.array(fc.tuple(fc.nat(1000), fc.nat(1000), fc.nat(1000)), {
  minLength: 50,
  maxLength: 400,
});

const configs: fc.Arbitrary<NonNullable<WorldOptions["config"]>> = fc.record({
  preVote: fc.boolean(),
  checkQuorum: fc.boolean(),
  stepDownOnRemoval: fc.boolean(),
  limits: fc.record({
    maxInflightMessages: fc.constantFrom(1, 3, 256),
    maxInflightBytes: fc.constantFrom(4, Number.POSITIVE_INFINITY),
    maxMessageBytes: fc.constantFrom(0, 20, Number.POSITIVE_INFINITY),
    maxUncommittedBytes: fc.constantFrom(5, Number.POSITIVE_INFINITY),
    maxCommittedBytesPerReady: fc.constantFrom(1, 30, Number.POSITIVE_INFINITY),
  }),
});

const options: fc.Arbitrary<WorldOptions> = fc.record({
  seed: fc.nat(),
  members: fc.integer({ min: 1, max: 5 }),
  config: configs,
  clone: fc.constant(structuredClone),
});

describe("random worlds", () => {
  it("Figure 3: elections are safe, logs match, leaders are complete, machines agree, under crashes and lost messages", () => {
    let applied = 0;
    let terms = 0;
    fc.assert(
      fc.property(options, operations, (world, steps) => {
        const end = new World(world).run(steps);
        applied += end.appliedCount;
        terms += end.termsLed;
      }),
      { numRuns: 300 },
    );
    expect(applied).toBeGreaterThan(1000); // the worlds do get somewhere
    expect(terms).toBeGreaterThan(100);
  });

  it("a tick of n is n ticks of one, in every role and state", () => {
    fc.assert(
      fc.property(options, operations, (world, steps) => {
        const coalesced = new World(world).run(steps);
        const single = new World({ ...world, singleTicks: true }).run(steps);
        expect(coalesced.peers.map(canonical)).toEqual(single.peers.map(canonical));
        expect(coalesced.events.length).toBe(single.events.length);
      }),
      { numRuns: 100 },
    );
  });

  it("goes on from a checkpoint as if nothing had been", () => {
    fc.assert(
      fc.property(options, operations, fc.integer({ min: 1, max: 9 }), (world, steps, restoreEvery) => {
        const straight = new World(world).run(steps);
        const restored = new World({ ...world, restoreEvery }).run(steps);
        expect(restored.peers.map(canonical)).toEqual(straight.peers.map(canonical));
        expect(restored.events).toEqual(straight.events);
      }),
      { numRuns: 60 },
    );
  });
});
