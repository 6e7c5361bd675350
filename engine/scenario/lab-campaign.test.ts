/** A few seeds of the campaign: what is promised holds, and what is not is caught. */
import { describe, expect, it } from "vitest";
import { judgeLab, runLabSeed, shorten } from "./lab-campaign.ts";

const SEEDS = Array.from({ length: 24 }, (_, i) => i + 1);

describe("lab campaign", () => {
  const results = SEEDS.map(runLabSeed);
  it("breaks nothing that a lab promises", () => {
    expect(results.filter(({ broken }) => broken.length > 0)).toEqual([]);
  });
  it("catches locks that promise nothing at it", () => {
    expect(results.some(({ breaches }) => breaches.length > 0)).toBe(true);
  });
  it("a shortened story still breaks the rule, with no more commands", () => {
    const found = results.find(({ breaches, story }) => breaches.length > 0 && story.steps.length > 0);
    const rule = found?.breaches[0]?.rule ?? "exclusion";
    const story = found?.story ?? (results[0] as (typeof results)[0]).story;
    const short = shorten(story, rule);
    expect(short.steps.length).toBeLessThanOrEqual(story.steps.length);
    expect(judgeLab(short).breaches.some((one) => one.rule === rule)).toBe(true);
  });
  // Of ZooKeeper and of the Lock API: their session, or their lease, was over while they asked for something.
  it.each([1338, 944])("of seed %i nobody asks again and again for what cannot be had any more", (seed) => {
    expect(runLabSeed(seed).events).toBeLessThan(20_000);
  });
  it("a seed comes out the same twice", () => {
    expect(runLabSeed(3)).toEqual(results[2]);
  });
});
