/** Stories told: run to their end, and recorded. */
import type { Micros } from "../../base/units.ts";
import { Run } from "../run.ts";
import { commandsOf, type RecordedStory, type Story, type Telling } from "./story.ts";

/** Tells it to the end, in this thread. What makes no sense when its time comes is left out. */
export async function tellStory(story: Story, telling: Telling): Promise<Run> {
  const run = new Run(story.spec);
  for (const { at, command } of commandsOf(story, telling)) {
    // One after the other: that is what a run is.
    // oxlint-disable-next-line no-await-in-loop
    await advanceTo(run, at);
    run.command(command);
  }
  await advanceTo(run, story.endsAt);
  return run;
}

/** A violation of a rule that is kept stops a run once on the way. */
async function advanceTo(run: Run, at: Micros): Promise<void> {
  await run.advance(at);
  if (run.position.at < at) await run.advance(at);
}

export async function recordStory(story: Story, telling: Telling): Promise<RecordedStory> {
  const { spec, commands } = await tellStory(story, telling);
  return { spec, commands };
}
