import { describe, expect, it } from "vitest";
import { present } from "../base/assert.ts";
import { SECOND } from "../base/units.ts";
import { LAB_STORIES } from "./stories/index.ts";
import { tellStory } from "./story.ts";
import { LAB_KIT } from "./world.ts";

function primariesIn(id: string): readonly (readonly [string, number, number | null])[] {
  const story = present(
    LAB_STORIES.find((each) => each.id === id),
    id,
  );
  const { primaries, startsAt } = tellStory(story, LAB_KIT).view;
  const seconds = (at: number): number => Math.round((at - startsAt) / SECOND);
  return primaries.map(({ server, from, to }) => [server, seconds(from), to === null ? null : seconds(to)]);
}

describe("who was primary when", () => {
  it("ends with the crash of one, and begins anew with the replica that takes its place", () => {
    const story = primariesIn("failover-forgets");
    expect(story.map(([server]) => server)).toEqual(["n1", "n2"]);
    expect(story[0]?.[2]).toBe(2); // it crashed after 1.5 s
    expect(story[1]?.[2]).toBeNull();
  });
  it("is all of them at once for servers that stand alone", () => {
    const story = primariesIn("redlock-at-once");
    expect(story.map(([server]) => server)).toEqual(["n1", "n2", "n3", "n4", "n5"]);
    expect(story.every(([, , to]) => to === null)).toBe(true);
  });
  it("is nobody where members elect a leader", () => {
    expect(primariesIn("holder-dies-fair")).toEqual([]);
  });
});
