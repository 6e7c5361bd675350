import { describe, expect, it } from "vitest";
import type { ConfView, ProcessId } from "../../engine/index.ts";
import { placeIn } from "../store/selectors.ts";
import { change, nextMachine, stepsTo, type Wish } from "./membership.ts";

const ids = (text: string): readonly ProcessId[] => text.split(" ").filter(Boolean) as readonly string[] as ProcessId[];
const conf = (voters: string, outgoing = "", learners = "", next = ""): ConfView => ({
  voters: ids(voters),
  votersOutgoing: ids(outgoing),
  learners: ids(learners),
  learnersNext: ids(next),
});
const wishes = (...pairs: readonly (readonly [string, Wish])[]): ReadonlyMap<ProcessId, Wish> =>
  new Map(pairs.map(([id, wish]) => [id as ProcessId, wish]));

describe("where a member stands in a configuration", () => {
  it("is a voter before any configuration is known", () => {
    expect(placeIn(null, "n1" as ProcessId)).toBe("voter");
  });
  it("is one half only, while the configuration is joint", () => {
    const joint = conf("n1 n2 n4", "n1 n2 n3", "", "n3");
    expect(ids("n1 n3 n4 n5").map((id) => placeIn(joint, id))).toEqual(["voter", "old", "new", "outside"]);
  });
  it("is a learner, or outside", () => {
    expect(ids("n2 n3").map((id) => placeIn(conf("n1", "", "n2"), id))).toEqual(["learner", "outside"]);
  });
});

describe("a change of membership", () => {
  it("takes the first machine that is free", () => {
    expect(nextMachine(ids("n1 n2 n4"))).toBe("n3");
    expect(nextMachine(ids("n1 n2 n3 n4 n5 n6 n7 n8 n9"))).toBeNull();
  });
  it("names only what is to be otherwise", () => {
    const steps = stepsTo(conf("n1 n2 n3", "", "n4"), wishes(["n1", "voter"], ["n3", "outside"], ["n4", "voter"]));
    expect(steps).toEqual([
      { operation: "remove", id: "n3" },
      { operation: "add-voter", id: "n4" },
    ]);
  });
  it("goes through the leader; without steps it leaves a joint configuration", () => {
    expect(change("n2" as ProcessId, [])).toEqual({ type: "membership", member: "n2", transition: "auto", steps: [] });
  });
});
