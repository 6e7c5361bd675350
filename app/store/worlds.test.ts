import { expect, it } from "vitest";
import { inPast, leaderId, memberIds } from "./selectors.ts";
import { emptyWorld, forgetWorld, patchWorld, readWorld, worldIn, worldsStore } from "./worlds.ts";

it("two worlds are open at once and do not see each other", () => {
  patchWorld("left", { speed: 10 });
  patchWorld("right", { playing: true });
  expect(readWorld("left")).toMatchObject({ id: "left", speed: 10, playing: false });
  expect(readWorld("right")).toMatchObject({ id: "right", speed: 0.1, playing: true });
  const right = readWorld("right");
  patchWorld("left", { speed: 1 });
  expect(readWorld("right")).toBe(right);
  forgetWorld("left");
  expect(readWorld("left").speed).toBe(0.1);
});

it("a world that is not open yet has an empty view, the same each time", () => {
  const state = worldsStore.getState();
  expect(worldIn(state, "nowhere")).toBe(worldIn(state, "nowhere"));
  expect(memberIds(readWorld("nowhere").view)).toStrictEqual([]);
  expect(leaderId(readWorld("nowhere").view)).toBeNull();
});

it("the past is shown while the view stands before the furthest moment", () => {
  const world = emptyWorld("w");
  expect(inPast(world)).toBe(false);
  expect(inPast({ ...world, headN: 3 })).toBe(true);
  expect(inPast({ ...world, headAt: 3 })).toBe(true);
});
