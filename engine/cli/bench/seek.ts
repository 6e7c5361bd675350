/** How long it takes to show any moment of a long recording. */
import { present } from "../../base/assert.ts";
import { MS } from "../../base/units.ts";
import { clientIds } from "../../scenario/build.ts";
import { DEFAULT_CONFIG } from "../../scenario/config.ts";
import { Run } from "../../scenario/run.ts";
import { type Measured, median, stopwatch } from "./benchmark.ts";

const EVENTS = 100_000;
const MOMENTS = 60;
const TIMES = 5;

/** The worst of many moments, each the median of several tries; far moments and near ones in turn. */
export async function measureSeek(): Promise<Measured> {
  const run = new Run({ seed: 7, config: DEFAULT_CONFIG });
  const client = present(clientIds(DEFAULT_CONFIG)[0], "a client");
  for (let i = 0; run.position.n < EVENTS; i += 1) {
    run.command({ type: "write", client, member: null, value: `value ${i}` });
    // oxlint-disable-next-line no-await-in-loop
    await run.advance(run.position.at + 100 * MS);
  }
  const end = run.head.at;
  const moments = Array.from({ length: MOMENTS }, (_, i) => Math.floor((end * ((i * 37) % MOMENTS)) / MOMENTS));
  const tries = moments.map((): number[] => []);
  for (let time = 0; time < TIMES; time += 1) {
    for (const [i, moment] of moments.entries()) {
      const spent = stopwatch();
      run.seek(moment);
      run.delta();
      tries[i]?.push(spent());
    }
  }
  const costs = tries.map((one) => median(one));
  const figures = `${run.head.n} events, ${(end / 1_000_000).toFixed(0)} virtual s, ${run.commands.length} commands`;
  return {
    value: Math.max(...costs),
    note: `worst of ${MOMENTS} moments; their median ${median(costs).toFixed(1)} ms; ${figures}`,
  };
}
