/** Each story told both ways, and what must hold of the switches themselves. */
import { present } from "../base/assert.ts";
import { describe, expect, it } from "vitest";
import { MS, SECOND } from "../base/units.ts";
import { RAFT_RULES } from "../raft/broken.ts";
import { BROKEN_RULES, type BrokenRule, type ProcessId } from "../sim/command.ts";
import { DEFAULT_CONFIG } from "./config.ts";
import { Run } from "./run.ts";
import { STORIES } from "./stories.ts";
import { commandsOf, type Harm } from "./stories/story.ts";
import { recordStory, tellStory } from "./stories/tell.ts";

/** Whether the harm is to be seen where the run stands. */
function isDone(harm: Harm, run: Run): boolean {
  const { members = [], clients = [], logs = {}, reigns } = run.keyframe();
  const led = reigns?.reigns ?? [];
  switch (harm.type) {
    case "two-leaders-of-a-term":
      return led.some(({ leader, term }) => led.some((other) => other.term === term && other.leader !== leader));
    case "no-leader":
      return led.length === 0;
    case "leader-deposed":
      return led.length > 1;
    case "lost-write": {
      const newest = members.filter(({ role }) => role === "leader").sort((a, b) => b.term - a.term)[0];
      const cells = newest === undefined ? [] : (logs[newest.id]?.cells ?? []);
      const done = clients.some(({ writes }) =>
        writes.some(({ value, outcome }) => value === harm.value && outcome === "done"),
      );
      return done && newest !== undefined && !cells.some(({ label }) => label === harm.value);
    }
    case "machines-differ":
      return members.some((one) => members.some((other) => one.applied === other.applied && one.value !== other.value));
    case "stale-read":
      return clients.some(({ reads, writes }) =>
        reads.some(({ request, outcome, value }) => {
          const before = writes.filter((write) => write.outcome === "done" && write.request < request);
          return outcome === "done" && value === harm.value && before.at(-1)?.value !== value;
        }),
      );
  }
}

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

describe("a switch", () => {
  const usual = { preVote: false, checkQuorum: true, readOnly: "safe" } as const;
  const set = (run: Run, ...broken: BrokenRule[]) =>
    expect(run.command({ type: "settings", settings: { ...usual, broken } })).toBeNull();
  const id = (name: string) => name as ProcessId;

  // That one has a say in when the next draw is.
  const inert = BROKEN_RULES.filter((rule) => rule !== "same-election-timeouts");

  it.each(inert)("%s: off and on again, and everything goes as if it had never been off", async (rule) => {
    const outcome = async (...broken: BrokenRule[]) => {
      const run = new Run({ seed: 18, config: { ...DEFAULT_CONFIG, members: 3 } });
      await run.advance(500 * MS);
      set(run, ...broken);
      set(run);
      run.command({ type: "write", client: id("c1"), member: null, value: "a" });
      await run.advance(1 * SECOND);
      run.command({ type: "crash", process: id("n1") });
      await run.advance(2 * SECOND);
      run.command({ type: "restart", process: id("n1") });
      await run.advance(3 * SECOND);
      const { members, logs, clients, reigns, violation } = run.keyframe();
      return { members, logs, clients, reigns, violation };
    };
    expect(await outcome(rule)).toEqual(await outcome());
  });

  it("holds for a member that starts after it, and for one that a checkpoint brings back", async () => {
    const { spec, commands } = await recordStory(
      present(
        STORIES.find(({ id }) => id === "second-vote"),
        "a story of ours",
      ),
      "broken",
    );
    const run = new Run(spec, commands, 10);
    await run.advance(600 * MS);
    run.seek(210 * MS);
    await run.advance(600 * MS);
    expect(run.keyframe().violation?.rule).toBe("one-vote-a-term");
  });

  it("same-election-timeouts: the timers that run are set alike, and drawn anew when the rule is back", async () => {
    const run = new Run({ seed: 18, config: DEFAULT_CONFIG });
    await run.advance(10 * MS);
    const ends = () => new Set(run.keyframe().members?.map(({ timer }) => Math.round((timer?.firesAt ?? 0) / MS / 2)));
    expect(ends().size).toBeGreaterThan(2);
    set(run, "same-election-timeouts");
    await run.advance(11 * MS);
    expect(ends().size).toBe(1);
    set(run);
    await run.advance(12 * MS);
    expect(ends().size).toBeGreaterThan(2);
  });
});
