/**
 * The benchmarks of the engine by itself. They run in a Node of their own each, on a bundle made as the product's is:
 * what a loader for development puts around functions would be measured otherwise, and what one left behind.
 */
import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "vite";
import type { Benchmark, Measured } from "./benchmark.ts";
import type { RecordedRun } from "./recordings.ts";

const ENTRY = fileURLToPath(new URL("engine-program.ts", import.meta.url));
const FOLDER = fileURLToPath(new URL("../../../.tmp/bench/", import.meta.url));
const NODE_FLAGS = ["--expose-gc", "--max-old-space-size=3000"];
/**
 * A young generation that holds a whole batch, so that what a batch allocates can be read off the heap. Only for that:
 * it does not fit into a processor's cache, and what is measured by time would run a third slower than in a browser,
 * which has V8's own size.
 */
const LARGE_YOUNG_GENERATION = "--max-semi-space-size=64";

let program: Promise<string> | null = null;

/** Runs one part of the engine's program and gives what it printed. */
export async function runEngineProgram(args: readonly string[], flags: readonly string[] = []): Promise<unknown> {
  program ??= bundle();
  const path = await program;
  const { stdout } = await promisify(execFile)(process.execPath, [...NODE_FLAGS, ...flags, path, ...args], {
    maxBuffer: 64_000_000,
  });
  return JSON.parse(stdout) as unknown;
}

async function bundle(): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: "warn",
    build: {
      write: false,
      target: "es2022",
      rolldownOptions: { input: ENTRY, output: { format: "iife", codeSplitting: false } },
      modulePreload: false,
    },
  });
  if (!("output" in built)) throw new Error("the engine's program was not built");
  mkdirSync(FOLDER, { recursive: true });
  const path = join(FOLDER, "engine.cjs");
  writeFileSync(path, built.output[0].code);
  return path;
}

/** A run to look at in the page, made by the same program. */
export async function recordingOf(name: "crowded" | "busy" | "contending"): Promise<RecordedRun> {
  return (await runEngineProgram(["recording", name])) as RecordedRun;
}

type Row = readonly [name: string, unit: string, budget: number | null, better: Benchmark["better"]];

const SIM = "simulated s/s";

const ROWS: readonly Row[] = [
  ["engine-idle", SIM, 10_000, "higher"],
  ["engine-writes", SIM, 5_000, "higher"],
  ["engine-idle-10k-entries", SIM, 10_000, "higher"],
  ["engine-writes-10k-entries", SIM, 5_000, "higher"],
  ["recorded-idle", SIM, 2_000, "higher"],
  ["recorded-writes", SIM, 2_000, "higher"],
  ["recorded-idle-10k-entries", SIM, 2_000, "higher"],
  ["recorded-writes-10k-entries", SIM, 2_000, "higher"],
  ["recorded-idle-paper-timing", SIM, null, "higher"],
  ["puts", "puts/s", 100_000, "higher"],
  ["etcd-puts", "puts/s", 100_000, "higher"],
  ["puts-at-1m-entries", "times the cost at 1,000", 1.5, "lower"],
  ["put-wal-bytes", "bytes/put/member", null, "lower"],
  ["put-allocated", "bytes/put", null, "lower"],
  ["put-allocations", "objects/put", null, "lower"],
  ["put-retained", "bytes/put", null, "lower"],
  ["store-puts", "puts/s", 200_000, "higher"],
  ["store-reads", "reads/s", 500_000, "higher"],
  ["store-range", "ms", 1, "lower"],
  ["store-watchers", "times the cost with 10", 2, "lower"],
  ["store-checkpoint", "ms", null, "lower"],
  ["store-memory", "bytes/change", null, "lower"],
  ["proposal-coding", "requests/s", null, "higher"],
  ["redis", "commands/s", null, "higher"],
  ["seek", "ms", 50, "lower"],
  ["lab-stories", "ms", 50, "lower"],
  ["lab-stories-worst", "ms", 50, "lower"],
  ["lab-stories-first", "ms", 50, "lower"],
];

export function engineBenchmarks(): readonly Benchmark[] {
  return ROWS.map(([name, unit, budget, better]) => ({
    name,
    unit,
    budget,
    better,
    measure: async () =>
      (await runEngineProgram([name], unit.includes("/put") ? [LARGE_YOUNG_GENERATION] : [])) as Measured,
  }));
}
