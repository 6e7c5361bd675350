/**
 * What `engine.ts` bundles and runs: one benchmark or one recording, named on the command line; prints it as JSON.
 * It imports nothing of Node's, so that it is bundled like the product.
 */
import type { Measured } from "./benchmark.ts";
import { measureEtcdPuts, measurePutCost, measurePutMemory, measurePuts } from "./puts.ts";
import { measureLabStories } from "./lab-stories.ts";
import { makeRecording } from "./recordings.ts";
import { measureRedis } from "./redis.ts";
import { measureSeek } from "./seek.ts";
import { measureSimulation } from "./simulation.ts";
import {
  measureProposalCoding,
  measureStoreCheckpoint,
  measureStoreMemory,
  measureStorePuts,
  measureStoreRange,
  measureStoreReads,
  measureStoreWatchers,
} from "./store.ts";

const BENCHMARKS: Readonly<Record<string, () => Measured | Promise<Measured>>> = {
  "engine-idle": () => measureSimulation({ timing: "etcd", writesPerS: 0, entries: 0, recorded: false }),
  "engine-writes": () => measureSimulation({ timing: "etcd", writesPerS: 10, entries: 0, recorded: false }),
  "engine-idle-10k-entries": () =>
    measureSimulation({ timing: "etcd", writesPerS: 0, entries: 10_000, recorded: false }),
  "engine-writes-10k-entries": () =>
    measureSimulation({ timing: "etcd", writesPerS: 10, entries: 10_000, recorded: false }),
  "recorded-idle": () => measureSimulation({ timing: "etcd", writesPerS: 0, entries: 0, recorded: true }),
  "recorded-writes": () => measureSimulation({ timing: "etcd", writesPerS: 10, entries: 0, recorded: true }),
  "recorded-idle-10k-entries": () =>
    measureSimulation({ timing: "etcd", writesPerS: 0, entries: 10_000, recorded: true }),
  "recorded-writes-10k-entries": () =>
    measureSimulation({ timing: "etcd", writesPerS: 10, entries: 10_000, recorded: true }),
  "recorded-idle-paper-timing": () => measureSimulation({ timing: "paper", writesPerS: 0, entries: 0, recorded: true }),
  puts: measurePuts,
  "etcd-puts": measureEtcdPuts,
  "puts-at-1m-entries": measurePutCost,
  "put-wal-bytes": async () => (await measurePutMemory()).wal,
  "put-allocated": async () => (await measurePutMemory()).allocated,
  "put-allocations": async () => (await measurePutMemory()).allocations,
  "put-retained": async () => (await measurePutMemory()).retained,
  "store-puts": measureStorePuts,
  "store-reads": measureStoreReads,
  "store-range": measureStoreRange,
  "store-watchers": measureStoreWatchers,
  "store-checkpoint": measureStoreCheckpoint,
  "store-memory": measureStoreMemory,
  "proposal-coding": measureProposalCoding,
  redis: measureRedis,
  seek: measureSeek,
  "lab-stories": () => measureLabStories("median"),
  "lab-stories-worst": () => measureLabStories("worst"),
  "lab-stories-first": () => measureLabStories("first"),
};

async function main([name, argument]: readonly string[]): Promise<unknown> {
  if (name === "recording") return await makeRecording(argument ?? "");
  const benchmark = name === undefined ? undefined : BENCHMARKS[name];
  if (benchmark === undefined) throw new Error(`no such benchmark: ${name}`);
  return await benchmark();
}

void main(process.argv.slice(2)).then((result) => process.stdout.write(JSON.stringify(result)));
