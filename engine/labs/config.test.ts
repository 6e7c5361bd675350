/** What a lab may be made of. */
import { describe, expect, it } from "vitest";
import { SECOND } from "../base/units.ts";
import { checkLab, type LabConfig, paramsOf, PROGRAM_IDS } from "./config.ts";
import { LAB_STORIES } from "./stories/index.ts";
import { PROGRAMS } from "./systems.ts";

const LAB = (LAB_STORIES[0] as { readonly lab: LabConfig }).lab;

describe("a lab's config", () => {
  it("knows the ids of all programs, and no other", () => {
    expect([...PROGRAM_IDS].toSorted()).toEqual(Object.keys(PROGRAMS).toSorted());
  });
  it.each(LAB_STORIES.map(({ id, lab }) => [id, lab] as const))("of story %s is allowed", (_id, lab) => {
    expect(checkLab(lab)).toBeNull();
  });
  it("is refused with the program that there is not", () => {
    expect(checkLab({ ...LAB, variant: "perfect" })).toEqual({ field: "program", program: "etcd-fair-perfect" });
    const clients = [{ startAt: 0, variant: "perfect" }];
    expect(checkLab({ ...LAB, clients })).toEqual({ field: "program", program: "etcd-fair-perfect" });
  });
  it("is refused with the figure that is outside its range", () => {
    expect(checkLab({ ...LAB, params: { ...LAB.params, ttl: 0 } })).toEqual({
      field: "ttl",
      given: 0,
      min: 1_000,
      max: 3_600 * SECOND,
    });
    expect(checkLab({ ...LAB, params: { ...LAB.params, writes: [0, -1] } })).toMatchObject({
      field: "writes",
      given: -1,
    });
    expect(checkLab({ ...LAB, clients: [] })).toMatchObject({ field: "clients", given: 0, min: 1, max: 50 });
  });
  it("tells each client how many servers there are, whatever its parameters say", () => {
    expect(paramsOf({ ...LAB, servers: 3, params: { ...LAB.params, servers: 5 } }, 0).servers).toBe(3);
  });
});
