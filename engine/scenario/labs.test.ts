/** A lab in a run: shown, gone back in, and gone on from a checkpoint like any other. */
import { describe, expect, it } from "vitest";
import { SECOND } from "../base/units.ts";
import { LAB_STORIES } from "../labs/stories/index.ts";
import { tellStory } from "../labs/story.ts";
import { LAB_KIT } from "../labs/world.ts";
import { labRunConfig } from "./labs.ts";
import { Run } from "./run.ts";
import { SYSTEMS_KIT } from "./systems.ts";

/** Each for something that a checkpoint has to keep. */
const chosen = [
  "three-clients-mended",
  "pause-open-write",
  "failover-forgets",
  "mutex-queue",
  "cut-off-zookeeper-mended",
  "servers-away-mended",
  "lost-reply-zookeeper-mended",
  "redlock-majority-forgets-durable",
  "old-leader-3.4",
  "unlock-again",
  "closed-channel-published",
];

/** The first of each program: all programs keep locals, and all client libraries calls and watches. */
const ofEachProgram = new Map(LAB_STORIES.toReversed().map(({ id, lab }) => [`${lab.system} ${lab.variant}`, id]));
const stories = new Set([...chosen, ...ofEachProgram.values()]);

describe("a lab in a run", () => {
  it.each(LAB_STORIES.filter(({ id }) => stories.has(id)).map((story) => [story.id, story] as const))(
    "%s replays from its commands to the same view and hash, and so does going on from a checkpoint",
    async (_id, story) => {
      const told = tellStory(story, LAB_KIT);
      const spec = { seed: story.seed, config: labRunConfig(story.lab) };
      const run = new Run(spec, told.commands, 500, SYSTEMS_KIT);
      const end = story.lab.warmUp + story.endsAt * SECOND;
      await run.advance(end);
      const { hash } = run;
      expect(run.keyframe().lab).toEqual(told.view);
      for (const at of [(story.endsAt * SECOND) / 2, 3 * SECOND]) {
        run.seek(story.lab.warmUp + at);
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        await run.advance(end);
        expect(run.hash).toBe(hash);
        expect(run.keyframe().lab).toEqual(told.view);
      }
    },
  );
});
