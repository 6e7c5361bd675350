import { describe, expect, it } from "vitest";
import { present } from "../base/assert.ts";
import { SECOND } from "../base/units.ts";
import type { LabDelta, LabView } from "../trace/lab-view.ts";
import { LabFold } from "./fold.ts";
import { LAB_STORIES } from "./stories/index.ts";
import { type LabStory, tellStory } from "./story.ts";
import { LAB_KIT } from "./world.ts";

function storyOf(id: string): LabStory {
  return present(
    LAB_STORIES.find((each) => each.id === id),
    id,
  );
}

function primariesIn(id: string): readonly (readonly [string, number, number | null])[] {
  const { primaries, startsAt } = tellStory(storyOf(id), LAB_KIT).view;
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

describe("what changed", () => {
  const applied = (view: LabView, { clients = [], ...rest }: LabDelta): LabView => {
    const changed = new Map(clients.map((client) => [client.id, client]));
    return { ...view, ...rest, clients: view.clients.map((client) => changed.get(client.id) ?? client) };
  };

  it.each(["pause-fenced-write", "failover-forgets", "waiter-dies-zookeeper-published"])(
    "adds up to the whole: %s",
    (id) => {
      const story = storyOf(id);
      const fold = new LabFold(story.lab);
      let view = fold.keyframe();
      let clientsTold = 0;
      let tellings = 0;
      tellStory(story, LAB_KIT, (event) => {
        fold.add(event);
        const delta = fold.delta();
        if (delta === null) return;
        tellings += 1;
        clientsTold += delta.clients?.length ?? 0;
        view = applied(view, delta);
      });
      expect(view).toEqual(fold.keyframe());
      // An event concerns one client; all of them each time would be many more.
      expect(clientsTold).toBeLessThan((tellings * story.lab.clients.length) / 2);
    },
  );

  it("is everything for one that was never told anything", () => {
    const story = storyOf("pause-fenced-write");
    expect(new LabFold(story.lab).delta()).toEqual(new LabFold(story.lab).keyframe());
  });
});
