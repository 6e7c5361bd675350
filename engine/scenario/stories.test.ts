/** Each story told both ways, and what must hold of the switches themselves. */
import { describe, expect, it } from "vitest";
import { MS, SECOND } from "../base/units.ts";
import { RAFT_RULES } from "../raft/broken.ts";
import { BROKEN_RULES } from "../sim/command.ts";
import { DEFAULT_CONFIG } from "./config.ts";
import { Run } from "./run.ts";
import { recordStory, STORIES } from "./stories.ts";
import { commandsOf, isDone, tellStory } from "./stories/story.ts";

describe.each(STORIES)("$id", (story) => {
  it("without the rule: the check meant for it finds it, and the harm is seen", async () => {
    const run = await tellStory(story, "broken");
    expect(run.keyframe().violation?.rule ?? null).toBe(story.expect.violation);
    expect(isDone(story.expect.harm, run)).toBe(true);
    expect(run.commands).toHaveLength(story.commands.length);
  });

  it("with the rule: the same commands break nothing, and there is no harm", async () => {
    const run = await tellStory(story, "kept");
    expect(run.keyframe().violation).toBeNull();
    expect(isDone(story.expect.harm, run)).toBe(false);
    expect(run.commands).toHaveLength(story.commands.length);
  });

  it("as a recording: opened at the start it comes to the same hash, also from a checkpoint on the way", async () => {
    const told = await tellStory(story, "broken");
    const { spec, commands } = await recordStory(story, "broken");
    const opened = new Run(spec, commands, 20);
    opened.replay(0, 0);
    // A violation of a rule that nobody switched off stops it once.
    for (let i = 0; i < 2; i += 1) await opened.advance(story.endsAt);
    expect(opened.hash).toBe(told.hash);
    opened.seek(story.endsAt / 2);
    for (let i = 0; i < 2; i += 1) await opened.advance(story.endsAt);
    expect(opened.hash).toBe(told.hash);
  });

  it("is short, begins with its settings, and tells its commands in order of time", () => {
    expect(story.endsAt).toBeLessThanOrEqual(5 * SECOND);
    const [first] = story.commands;
    expect(first?.command).toMatchObject({
      type: "settings",
      settings: { broken: story.rule === null ? [] : [story.rule] },
    });
    expect(commandsOf(story, "kept")[0]?.command).toMatchObject({ settings: { broken: [] } });
    const times = story.commands.map(({ at }) => at);
    expect(times).toEqual([...times].sort((a, b) => a - b));
  });
});

it("every rule that can be switched off has its story, and is Raft's or the replica's", () => {
  const told = STORIES.flatMap(({ rule }) => (rule === null ? [] : [rule]));
  expect([...told].sort()).toEqual([...BROKEN_RULES].sort());
  expect([...Object.keys(RAFT_RULES), "answer-before-fsync"].sort()).toEqual([...BROKEN_RULES].sort());
});

describe("switches", () => {
  const settings = { preVote: false, checkQuorum: true, readOnly: "safe" } as const;

  it.each(BROKEN_RULES)(
    "%s: off and on again before the members start, it is as if it had never been off",
    async (rule) => {
      const hashOf = async (broken: (typeof BROKEN_RULES)[number][]) => {
        const run = new Run({ seed: 18, config: DEFAULT_CONFIG });
        run.command({ type: "settings", settings: { ...settings, broken } });
        run.command({ type: "settings", settings: { ...settings, broken: [] } });
        await run.advance(1 * SECOND);
        const { members } = run.keyframe();
        return members?.map(({ timer, ...member }) => member);
      };
      expect(await hashOf([rule])).toEqual(await hashOf([]));
    },
  );

  it("the election timeout is drawn anew when that rule is back", async () => {
    const run = new Run({ seed: 18, config: { ...DEFAULT_CONFIG, members: 5 } });
    const timeouts = () =>
      new Set(run.keyframe().members?.map(({ timer }) => (timer?.firesAt ?? 0) - (timer?.setAt ?? 0)));
    await run.advance(10 * MS);
    expect(timeouts().size).toBeGreaterThan(1);
  });
});
