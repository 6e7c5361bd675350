/**
 * A lock story: a lab, what is done to it and when, and what must come of it. Plain data: it is told in the page, in the
 * tests and from a link. Its words are under `labstory.<id>`.
 *
 * Instants are virtual seconds of the story.
 */
import { assert } from "../base/assert.ts";
import { type Micros, SECOND } from "../base/units.ts";
import type { Command, MessageId, ProcessId, Recorded } from "../sim/command.ts";
import type { TraceEvent } from "../sim/events.ts";
import type { LabView } from "../trace/lab-view.ts";
import type { LabConfig } from "./config.ts";
import { type Expectation, judge } from "./expectation.ts";
import { LabRun, type MessageMatch } from "./lab-run.ts";
import { StoryFacts } from "./story-facts.ts";
import type { LabKit } from "./world.ts";

/** When something is done: at an instant, or when something has come to pass. */
export type When =
  | { readonly at: number }
  /** The client's thread is about to run this step, for the first time from `from` on. */
  | { readonly step: string; readonly client: ProcessId; readonly from: number };

export type Deed =
  | { readonly do: "command"; readonly command: Command }
  /** To whoever leads then. */
  | { readonly do: "to-leader"; readonly type: "crash" | "pause" | "resume" }
  | { readonly do: "leader-clock"; readonly driftPpm: number; readonly jumpUs: Micros }
  /** The next message of a client in these words, or the next answer to one, is lost, or kept until an instant. */
  | { readonly do: "lose"; readonly message: MessageMatch }
  | { readonly do: "keep"; readonly message: MessageMatch; readonly until: number };

export interface StoryStep {
  readonly when: When;
  readonly deed: Deed;
}

export interface LabStory {
  readonly id: string;
  readonly lab: LabConfig;
  readonly seed: number;
  readonly steps: readonly StoryStep[];
  readonly endsAt: number;
  readonly expect: readonly Expectation[];
}

export interface Told {
  readonly view: LabView;
  readonly commands: readonly Recorded[];
  /** What did not come out, in words for a developer. */
  readonly broken: readonly string[];
  readonly events: number;
}

export function tellStory(story: LabStory, kit: LabKit, listener: ((event: TraceEvent) => void) | null = null): Told {
  const facts = new StoryFacts();
  const run = new LabRun(story.lab, story.seed, kit, (event) => {
    facts.add(event);
    listener?.(event);
  });
  if (story.steps.some(({ deed }) => "message" in deed && deed.message.answer === true)) run.followAnswers();
  const kept: { readonly message: MessageId; readonly until: Micros }[] = [];
  const armed: { readonly message: MessageMatch; readonly until: number | null }[] = [];
  const order = (command: Command): void => {
    const refusal = run.command(command);
    assert(refusal === null, `story ${story.id}: ${command.type} was refused: ${JSON.stringify(refusal)}`);
  };
  const look = (): boolean => {
    for (const [i, { message, until }] of armed.entries()) {
      const found = run.justSent(message);
      if (found === null) continue;
      armed.splice(i, 1);
      order(until === null ? { type: "drop", message: found, swallow: true } : { type: "hold", message: found });
      if (until === null) return false;
      kept.push({ message: found, until: until * SECOND });
      return true;
    }
    return false;
  };
  /** To an instant, letting go on the way what was kept until then. */
  const goTo = (at: Micros): void => {
    for (;;) {
      const due = [...kept].sort((a, b) => a.until - b.until)[0];
      const end = due === undefined ? at : Math.min(at, due.until);
      // What is kept meanwhile may be due before.
      const before = kept.length;
      const stop = armed.length === 0 ? null : look;
      if (run.runTo(Math.max(run.now, end), stop) || kept.length > before) continue;
      if (due === undefined || due.until > at) return;
      kept.splice(kept.indexOf(due), 1);
      order({ type: "release", message: due.message });
    }
  };
  const act = (deed: Deed): void => {
    switch (deed.do) {
      case "command":
        return order(deed.command);
      case "to-leader":
        assert(run.leader !== null, `story ${story.id}: nobody leads`);
        return order({ type: deed.type, process: run.leader });
      case "leader-clock": {
        assert(run.leader !== null, `story ${story.id}: nobody leads`);
        return order({ type: "clock", process: run.leader, driftPpm: deed.driftPpm, jumpUs: deed.jumpUs });
      }
      case "lose":
        armed.push({ message: deed.message, until: null });
        return;
      case "keep":
        armed.push({ message: deed.message, until: deed.until });
    }
  };
  for (const { when, deed } of story.steps) {
    if ("at" in when) goTo(when.at * SECOND);
    else {
      goTo(when.from * SECOND);
      const came = run.runTo(story.endsAt * SECOND, () => {
        look();
        return run.cameTo(when.client, when.step);
      });
      assert(came, `story ${story.id}: ${when.client} never came to ${when.step}`);
    }
    act(deed);
  }
  goTo(story.endsAt * SECOND);
  const view = run.view();
  const broken = story.expect.flatMap((one) => judge(one, view, story.lab.warmUp, facts) ?? []);
  return { view, commands: run.commands, broken, events: run.events };
}
