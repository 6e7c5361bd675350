/** `sim --system etcd`: random etcd clusters under random faults, and what their clients saw, judged. */
import { SECOND } from "../base/units.ts";
import { runEtcdSeed, type EtcdSeedResult } from "../scenario/etcd-campaign.ts";
import { SYSTEMS_KIT } from "../scenario/systems.ts";
import type { TraceEvent } from "../sim/events.ts";

export interface EtcdSimOptions {
  readonly from: number;
  readonly to: number;
  readonly seconds: number;
  readonly json: boolean;
  readonly listener?: (event: TraceEvent) => void;
  /** The command that repeats one seed. */
  readonly replay: (seed: number) => string;
}

/** @returns the exit code: 1 when a rule was broken */
export function etcdSim({ from, to, seconds, json, listener, replay }: EtcdSimOptions): number {
  const total = {
    seeds: to - from + 1,
    "virtual seconds": 0,
    "events checked": 0,
    "operations judged": 0,
    "of unknown outcome": 0,
    "local reads judged": 0,
    "watch responses judged": 0,
    undecided: 0,
    violations: 0,
  };
  const faults = new Map<string, number>();
  const failed: EtcdSeedResult[] = [];
  for (let seed = from; seed <= to; seed += 1) {
    const length = seconds * SECOND;
    const result = runEtcdSeed(seed, { length, kit: SYSTEMS_KIT, ...(listener === undefined ? {} : { listener }) });
    const { history } = result;
    total["virtual seconds"] += result.at / SECOND;
    total["events checked"] += result.events;
    total["operations judged"] += history.operations;
    total["of unknown outcome"] += history.unknown;
    total["local reads judged"] += history.localReads;
    total["watch responses judged"] += history.watchResponses;
    if (history.store.result === "undecided") total.undecided += 1;
    for (const [name, count] of result.faults) faults.set(name, (faults.get(name) ?? 0) + count);
    if (result.violation === null) continue;
    failed.push(result);
    total.violations += 1;
    if (!json) print(describe(result, replay(seed)));
  }
  if (json) {
    const violations = failed.map(({ seed, violation }) => ({ seed, replay: replay(seed), ...violation }));
    print(JSON.stringify({ ...total, faults: Object.fromEntries(faults), violations }));
  } else {
    for (const [name, value] of Object.entries(total)) row(name, Math.round(value * 10) / 10);
    print("faults");
    for (const [name, count] of [...faults].sort(([a], [b]) => (a < b ? -1 : 1))) row(`  ${name}`, count);
  }
  return failed.length === 0 ? 0 : 1;
}

function describe({ seed, violation, at }: EtcdSeedResult, replay: string): string {
  return [
    `FAILED seed ${seed}: ${violation?.rule ?? ""} (run of ${at} µs)`,
    `  ${JSON.stringify(violation?.figures)}`,
    `  replay: ${replay}`,
  ].join("\n");
}

function row(name: string, value: number): void {
  print(`${name.padEnd(24)}${String(value).padStart(12)}`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
