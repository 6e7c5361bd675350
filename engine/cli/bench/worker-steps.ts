/**
 * How many strictly ordered steps a second the coordinator drives over a worker for each member.
 *
 * A second coordinator is started in the page from the very program that the page started its own from, and spoken to in
 * Comlink's words. Nearly every event of the world is one step that is awaited before the next.
 */
import { DEFAULT_CONFIG } from "../../scenario/config.ts";
import { type Measured, median, spread } from "./benchmark.ts";
import type { Stand } from "./browser.ts";

/** Keeps the program of the page's workers, which the page has as a blob. */
const KEEP_PROGRAM = `{
  const make = URL.createObjectURL.bind(URL);
  URL.createObjectURL = (blob) => {
    globalThis.workerProgram ??= blob;
    return make(blob);
  };
}`;

const SLICES = 7;
const SLICE_MS = 2_000;

interface Moment {
  readonly placement: string;
  readonly delta: { readonly n: number; readonly at: number };
}

export async function measureWorkerSteps({ site, newPage }: Stand): Promise<Measured> {
  const { page } = await newPage();
  await page.addInitScript(KEEP_PROGRAM);
  await page.goto(`${site.address}?autoplay=0`);
  await page.waitForFunction(() => (globalThis as { workerProgram?: Blob }).workerProgram);
  const slices = await page.evaluate(
    async ({ spec, count, ms }) => {
      const program = (globalThis as { workerProgram?: Blob }).workerProgram as Blob;
      const worker = new Worker(URL.createObjectURL(program), { name: "coordinator" });
      let calls = 0;
      const call = (name: string, ...values: unknown[]): Promise<Moment> =>
        new Promise((resolve, reject) => {
          const id = `call ${(calls += 1)}`;
          const onMessage = ({ data }: MessageEvent<{ id: string; type: string; value: Moment }>): void => {
            if (data.id !== id) return;
            worker.removeEventListener("message", onMessage);
            if (data.type === "RAW") resolve(data.value);
            else reject(new Error(JSON.stringify(data.value)));
          };
          worker.addEventListener("message", onMessage);
          const argumentList = values.map((value) => ({ type: "RAW", value }));
          worker.postMessage({ id, type: "APPLY", path: [name], argumentList });
        });
      await call("open", "bench", spec, [], null);
      // The first moments run in the coordinator's thread, until the members' threads are up.
      let warm: Moment;
      const patience = performance.now() + 10_000;
      do warm = await call("advance", "bench", Number.MAX_SAFE_INTEGER, 100);
      while (warm.placement !== "workers" && performance.now() < patience);
      await call("advance", "bench", Number.MAX_SAFE_INTEGER, 1_000);
      const found: { steps: number; ms: number; placement: string }[] = [];
      for (let i = 0; i < count; i += 1) {
        const before = await call("advance", "bench", 0, 0);
        const began = performance.now();
        const after = await call("advance", "bench", Number.MAX_SAFE_INTEGER, ms);
        found.push({
          steps: after.delta.n - before.delta.n,
          ms: performance.now() - began,
          placement: after.placement,
        });
      }
      worker.terminate();
      return found;
    },
    { spec: { seed: 7, config: DEFAULT_CONFIG }, count: SLICES, ms: SLICE_MS },
  );
  if (slices.some(({ placement }) => placement !== "workers")) throw new Error("the members are not in workers");
  const rates = slices.map(({ steps, ms }) => (steps / ms) * 1_000);
  return { value: median(rates), note: `5 members in ${slices[0]?.placement}; ${spread(rates)}` };
}
