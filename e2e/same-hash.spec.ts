/**
 * One run, three ways: in Node in one thread, in Chromium with a worker for each member while the machine is busy, and in
 * Chromium in one thread. Sixty virtual seconds of crashes, pauses, splits, losses and writes end in the same hash.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { decodeLink, encodeLink } from "../app/player/link.ts";

import { isProcessId } from "../app/store/ids.ts";
import { type Rng, rngFor } from "../engine/base/rng.ts";
import {
  type Command,
  DEFAULT_CONFIG,
  MS,
  type ProcessId,
  type Recorded,
  type RunSpec,
  SECOND,
} from "../engine/index.ts";
import { REGISTER_KIT } from "../engine/scenario/kit.ts";
import { createCoordinator } from "../engine/worker/coordinator.ts";
import { hashIn, pause, shareLink, virtualTime } from "./cluster.ts";
import { expect, test } from "./harness.ts";

const SPEC: RunSpec = { seed: 1_789, config: { ...DEFAULT_CONFIG, clients: 2 } };
const SPAN = 60 * SECOND;
const MEMBERS = ["n1", "n2", "n3", "n4", "n5"].filter(isProcessId);
const CLIENTS = ["c1", "c2"].filter(isProcessId);

test("sixty virtual seconds of chaos: Node, five workers on a busy machine, one thread", async ({ page, context }) => {
  test.setTimeout(240_000);
  const commands = await chaos();
  expect(commands.length).toBeGreaterThan(100);
  const start = await encodeLink({ spec: SPEC, commands, at: 0, n: 0, hash: "0".repeat(16), view: { speed: 10 } });
  if (!start.ok) throw new Error(start.problem.why);

  // With workers: the page plays the recorded commands as their time comes.
  const busy = [keepBusy(), keepBusy()];
  let played: string;
  try {
    await page.goto(`/#${start.value}`);
    await page.getByRole("button", { name: "Play", exact: true }).click();
    await expect.poll(() => virtualTime(page), { timeout: 200_000 }).toBeGreaterThan(SPAN / SECOND);
    await pause(page);
    await page.getByRole("tab", { name: "Cluster" }).click();
    await expect(page.getByText("one Web Worker for each member")).toBeVisible();
    played = await shareLink(page);
  } finally {
    for (const child of busy) child.kill();
  }

  const run = await decodeLink(played);
  if (!run.ok) throw new Error(run.problem.why);
  expect(run.value.commands).toHaveLength(commands.length);

  const inNode = await createCoordinator(REGISTER_KIT, null).open("node", SPEC, commands, {
    n: run.value.n,
    at: run.value.at,
  });
  expect(run.value.hash).toBe(inNode.hash);

  const other = await context.newPage();
  await other.goto(played);
  await expect.poll(() => virtualTime(other)).toBeGreaterThan(SPAN / SECOND);
  expect(hashIn(await shareLink(other))).toBe(inNode.hash);
});

/** Plays the run in this thread, with a command every so often; those that make no sense then are not recorded. */
async function chaos(): Promise<readonly Recorded[]> {
  const coordinator = createCoordinator(REGISTER_KIT, null);
  const rng = rngFor(SPEC.seed, "chaos");
  await coordinator.open("chaos", SPEC, [], null);
  let at = 0;
  while (at < SPAN) {
    at += rng.between(50 * MS, 400 * MS);
    await coordinator.advance("chaos", at, Number.POSITIVE_INFINITY);
    await coordinator.dispatch("chaos", someCommand(rng, at));
  }
  return (await coordinator.recording("chaos")).commands;
}

function someCommand(rng: Rng, at: number): Command {
  const process = oneOf(rng, MEMBERS);
  switch (rng.below(10)) {
    case 0:
      return { type: "crash", process };
    case 1:
    case 2:
      return { type: "restart", process };
    case 3:
      return { type: "pause", process };
    case 4:
      return { type: "resume", process };
    case 5:
      return {
        type: "partition",
        groups: [MEMBERS.filter((id) => id === process), MEMBERS.filter((id) => id !== process)],
      };
    case 6:
      return { type: "heal" };
    case 7:
      return {
        type: "network",
        quality: { ...DEFAULT_CONFIG.network, lossPerMillion: rng.below(100_000), reorderPerMillion: 50_000 },
      };
    default:
      return { type: "write", client: oneOf(rng, CLIENTS), member: null, value: `at ${at}` };
  }
}

function oneOf(rng: Rng, ids: readonly ProcessId[]): ProcessId {
  const id = ids[rng.below(ids.length)];
  if (id === undefined) throw new Error("nothing to choose from");
  return id;
}

/** A process that takes a core for itself. */
function keepBusy(): ChildProcess {
  return spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" });
}
