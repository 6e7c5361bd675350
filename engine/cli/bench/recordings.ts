/** Runs to be looked at in the page, brought there by a link. */
import { present } from "../../base/assert.ts";
import { MS, SECOND } from "../../base/units.ts";
import { clientIds } from "../../scenario/build.ts";
import { DEFAULT_CONFIG, type RunConfig, type RunSpec } from "../../scenario/config.ts";
import { recordLabStory } from "../../scenario/labs.ts";
import { Run } from "../../scenario/run.ts";
import { SYSTEMS_KIT } from "../../scenario/systems.ts";
import type { LinkQuality, ProcessId, Recorded } from "../../sim/command.ts";

/** As a link carries it; what follows the moment is carried out when its time comes. */
export interface RecordedRun {
  readonly spec: RunSpec;
  readonly commands: readonly Recorded[];
  readonly n: number;
  readonly at: number;
  readonly hash: string;
  readonly note: string;
}

export async function makeRecording(name: string): Promise<RecordedRun> {
  if (name === "crowded") return await crowded();
  if (name === "busy") return await busy();
  if (name === "contending") return await contending();
  throw new Error(`no such recording: ${name}`);
}

/** A link takes 10,000 commands; some are for the network. */
const WRITES = 9_900;
const BURST = 100;
const LATENCY: LinkQuality = {
  latencyMin: 1 * MS,
  latencyMax: 3 * MS,
  lossPerMillion: 0,
  duplicatePerMillion: 0,
  reorderPerMillion: 0,
};

/** Nine members whose logs have some 10,000 entries, and then so long a way between them that hundreds of messages fly. */
async function crowded(): Promise<RecordedRun> {
  const config: RunConfig = {
    ...DEFAULT_CONFIG,
    members: 9,
    timing: "wide",
    checkQuorum: false,
    network: LATENCY,
    disk: { ...DEFAULT_CONFIG.disk, fsyncMin: 500, fsyncMax: 1_000 },
  };
  const run = new Run({ seed: 7, config });
  await run.advance(2 * SECOND);
  await writeAll(run, WRITES);
  // Little by little: heartbeats go on arriving, and the leader stays.
  for (let extra = 20 * MS; extra <= 1_700 * MS; extra += 20 * MS) {
    const quality = { ...LATENCY, latencyMin: extra, latencyMax: extra + 20 * MS };
    present(run.command({ type: "network", quality }) === null ? quality : null, "latency can be set");
    // oxlint-disable-next-line no-await-in-loop
    await run.advance(run.position.at + 60 * MS);
  }
  await run.advance(run.position.at + 4 * SECOND);
  const { delta, members } = look(run);
  const { n, at } = run.position;
  const last = Math.max(...members.map(({ lastIndex }) => lastIndex));
  const leaders = members.filter(({ role }) => role === "leader").length;
  const cells = Object.values(delta.logs ?? {}).reduce((sum, log) => sum + log.cells.length, 0);
  const note = `${delta.flights?.length} messages in flight, ${cells} log cells held, last index ${last}, ${leaders} leader`;
  return { spec: run.spec, commands: run.commands, n, at, hash: run.hash, note };
}

/** Five members, and writes without end: bursts as large as a client takes, for as long as a link can tell. */
async function busy(): Promise<RecordedRun> {
  const run = new Run({ seed: 7, config: DEFAULT_CONFIG });
  await run.advance(2 * SECOND);
  const { n, at } = run.position;
  const { hash } = run;
  await writeAll(run, WRITES);
  const note = `${run.commands.length} writes over ${Math.round(run.position.at / SECOND)} virtual s`;
  return { spec: run.spec, commands: run.commands, n, at, hash, note };
}

/** How long before its first client a lock story is shown. */
const LEAD = 300 * MS;

/** Fifty clients that come for one lock within seconds, each waking all who wait when it lets go; the story lies ahead. */
async function contending(): Promise<RecordedRun> {
  const { spec, commands } = recordLabStory("fifty-herd");
  const lab = present(spec.config.lab, "the story's lab");
  const run = new Run(spec, commands, undefined, SYSTEMS_KIT);
  await run.advance(lab.warmUp - LEAD);
  const { n, at } = run.position;
  const note = `${lab.clients.length} clients of one ${lab.system} lock, from ${LEAD / MS} ms before the first comes`;
  return { spec, commands, n, at, hash: run.hash, note };
}

/** Bursts at one moment each: they deflate to next to nothing. */
async function writeAll(run: Run, writes: number): Promise<void> {
  const client: ProcessId = present(clientIds(run.spec.config)[0], "a client");
  for (let written = 0; written < writes; written += BURST) {
    for (let i = 0; i < BURST; i += 1) run.command({ type: "write", client, member: null, value: "v" });
    const before = run.position.at;
    // The next burst comes when this one is through.
    do {
      // oxlint-disable-next-line no-await-in-loop
      await run.advance(run.position.at + 200 * MS);
      if (run.position.at - before > 60 * SECOND) throw new Error("the client is stuck");
    } while (look(run).clients.some(({ step }) => step !== "idle"));
  }
}

/** The whole picture: a seek to where the run stands gives a keyframe. */
function look(run: Run) {
  run.seek(run.position.at);
  const delta = run.delta();
  return { delta, members: delta.members ?? [], clients: delta.clients ?? [] };
}
