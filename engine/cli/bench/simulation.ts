/** How fast virtual time passes: five members and a client, in one thread. */
import { present } from "../../base/assert.ts";
import { MS, SECOND } from "../../base/units.ts";
import { build, clientIds, worldConfig } from "../../scenario/build.ts";
import { DEFAULT_CONFIG, type TimingProfile } from "../../scenario/config.ts";
import { Run } from "../../scenario/run.ts";
import type { Command } from "../../sim/command.ts";
import { InlineHost } from "../../sim/host.ts";
import { World } from "../../sim/world.ts";
import { type Measured, median, spread, stopwatch } from "./benchmark.ts";

interface Setting {
  readonly timing: TimingProfile;
  readonly writesPerS: number;
  /** Written before the clock starts. */
  readonly entries: number;
  /** With the trace, its hash, the fold, checkpoints, and a delta taken for every tenth of a virtual second. */
  readonly recorded: boolean;
}

/** A world that goes on, and counts. */
interface Simulated {
  readonly runTo: (at: number) => Promise<void> | void;
  readonly now: () => number;
  readonly events: () => number;
  readonly write: (value: string) => void;
}

const SEED = 7;
const SLICES = 9;
const SLICE_MS = 400;
const BURST = 50;

export async function measureSimulation({ timing, writesPerS, entries, recorded }: Setting): Promise<Measured> {
  const world = recorded ? recordedWorld(timing) : bareWorld(timing);
  await world.runTo(5 * SECOND);
  for (let written = 0; written < entries; written += BURST) {
    for (let i = 0; i < BURST; i += 1) world.write(`fill ${written + i}`);
    // The client writes one after the other: each burst is given its time.
    // oxlint-disable-next-line no-await-in-loop
    await world.runTo(world.now() + BURST * 150 * MS);
  }
  let writes = 0;
  const step = writesPerS === 0 ? 100 * MS : SECOND / writesPerS;
  const slice = async (): Promise<{ readonly rate: number; readonly events: number }> => {
    const [spent, from, n] = [stopwatch(), world.now(), world.events()];
    while (spent() < SLICE_MS) {
      for (let i = 0; i < 100; i += 1) {
        if (writesPerS > 0) world.write(`value ${(writes += 1)}`);
        // oxlint-disable-next-line no-await-in-loop
        await world.runTo(world.now() + step);
      }
    }
    const ms = spent();
    const simulated = (world.now() - from) / SECOND;
    return { rate: simulated / (ms / 1_000), events: (world.events() - n) / simulated };
  };
  await slice();
  await slice();
  const slices = [];
  // oxlint-disable-next-line no-await-in-loop
  for (let i = 0; i < SLICES; i += 1) slices.push(await slice());
  const rates = slices.map(({ rate }) => rate);
  const events = Math.round(median(slices.map((one) => one.events)));
  return { value: median(rates), note: `${events} events a simulated s; ${spread(rates)}` };
}

function bareWorld(timing: TimingProfile): Simulated {
  const config = { ...DEFAULT_CONFIG, timing };
  const world = new World(worldConfig({ seed: SEED, config }), null);
  const host = new InlineHost(build);
  const client = present(clientIds(config)[0], "a client");
  return {
    runTo: (at) => world.runHere(host, at),
    now: () => world.now,
    events: () => world.n,
    write: (value) => {
      const refusal = world.command({ type: "write", client, member: null, value }, host);
      if (refusal !== null) throw new Error(refusal.rule);
    },
  };
}

function recordedWorld(timing: TimingProfile): Simulated {
  const config = { ...DEFAULT_CONFIG, timing };
  const run = new Run({ seed: SEED, config });
  const client = present(clientIds(config)[0], "a client");
  return {
    runTo: async (at) => {
      await run.advance(at);
      run.delta();
    },
    now: () => run.position.at,
    events: () => run.position.n,
    write: (value) => {
      const command: Command = { type: "write", client, member: null, value };
      const refusal = run.command(command);
      if (refusal !== null) throw new Error(refusal.rule);
    },
  };
}
