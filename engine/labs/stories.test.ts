/** Every lock story comes out as it is told; and what holds of a story for every figure in it. */
import { describe, expect, it } from "vitest";
import { SECOND } from "../base/units.ts";
import type { ProcessId } from "../sim/command.ts";
import type { LabView } from "../trace/lab-view.ts";
import { LAB_STORIES } from "./stories/index.ts";
import { longLease } from "./stories/leaders.ts";
import { cancelled } from "./stories/service.ts";
import { type LabStory, tellStory } from "./story.ts";
import { LAB_KIT } from "./world.ts";

const storyOf = (id: string): LabStory => LAB_STORIES.find((story) => story.id === id) as LabStory;
const knowsOf = (view: LabView, id: string, name: string): string | undefined =>
  view.clients.find((one) => one.id === id)?.knows.find((fact) => fact.name === name)?.value;

/** With so many clients as it has fifty. */
function crowdOf(id: string, count: number): LabStory {
  const story = storyOf(id);
  const known = new Set(Array.from({ length: count }, (_, i) => `c${i + 1}`));
  const steps = story.steps.filter(
    ({ deed }) => deed.do !== "command" || !("client" in deed.command) || known.has(deed.command.client),
  );
  return { ...story, steps, lab: { ...story.lab, clients: story.lab.clients.slice(0, count) }, expect: [] };
}

describe("lock stories", () => {
  it.each(LAB_STORIES.map((story) => [story.id, story] as const))("%s", (_id, story) => {
    expect(tellStory(story, LAB_KIT).broken).toEqual([]);
  });
});

describe("the queue", () => {
  it.each([2, 5, 12])("of %i at ZooKeeper: n - 1 events, or n(n - 1)/2, or (n - 1)², and the same order", (n) => {
    const ids = Array.from({ length: n }, (_, i) => `c${i + 1}` as ProcessId);
    const counts = ["fifty-mended", "fifty-herd-at-once", "fifty-herd"].map((id) => {
      const { view } = tellStory(crowdOf(id, n), LAB_KIT);
      expect(view.overlaps).toEqual([]);
      const holders = view.held.map(({ client }) => client);
      // Those who come one by one come in order; of those who come at once each has some number.
      expect(id === "fifty-herd-at-once" ? new Set(holders) : holders).toEqual(
        id === "fifty-herd-at-once" ? new Set(ids) : ids,
      );
      return view.notifications;
    });
    expect(counts).toEqual([n - 1, (n * (n - 1)) / 2, (n - 1) ** 2]);
  });
  it("none is woken at ZooKeeper while others arrive, when each watches the one before", () => {
    const story = storyOf("fifty-mended");
    const told = tellStory(
      { ...story, expect: [{ says: "told", what: "NodeDeleted", count: 0, until: 9.9 }] },
      LAB_KIT,
    );
    expect(told.broken).toEqual([]);
  });
  it("of the Lock service has keys that are named by the lock and the lease in hex", () => {
    const { view } = tellStory({ ...storyOf("service-queue"), endsAt: 7 }, LAB_KIT);
    // The fifth has not been answered yet.
    for (const { id } of view.clients.slice(0, 4)) {
      const lease = knowsOf(view, id, "lease");
      expect(lease).toMatch(/^[0-9a-f]+$/u);
      expect(knowsOf(view, id, "key")).toBe(`q/${lease}`);
    }
  });
});

describe("a call that is cancelled about the moment of its turn", () => {
  const limits = Array.from({ length: 25 }, (_, i) => 1.9 * SECOND + i * 10_000);
  it.each(limits)("after %i µs leaves the lock with it or with the next, and nothing behind", (limit) => {
    const { view, broken } = tellStory(cancelled(limit), LAB_KIT);
    expect(broken).toEqual([]);
    const [b] = view.believed.filter(({ client }) => client === "c2");
    const [c] = view.believed.filter(({ client }) => client === "c3");
    // B works for one second, when it is answered in time.
    const since = b === undefined ? view.believed[0]?.to : b.to;
    expect((c?.from ?? Number.POSITIVE_INFINITY) - (since ?? 0)).toBeLessThan(0.3 * SECOND);
    expect(view.queue).toEqual([]);
  });
});

describe("a long lease whose leader changes", () => {
  it("each 200 s never ends, checkpoints or not: they come each five minutes of one leader", () => {
    for (const checkpoints of [false, true]) {
      const story = longLease("each-200", checkpoints, 200, [
        { says: "never-believes", client: "c2" as ProcessId },
        { says: "really-holds", client: "c1" as ProcessId },
      ]);
      expect(tellStory({ ...story, endsAt: 1_000 }, LAB_KIT).broken).toEqual([]);
    }
  });
});
