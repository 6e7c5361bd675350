/**
 * `sim --seeds A..B [--seconds N] [--system register|etcd | --labs] [--json] [--trace]`: random clusters (or lock
 * labs) under random faults, with every check on.
 *
 * Nothing is kept from one seed to the next but counts, so it runs for hours as for seconds. Ends with 1 when a rule
 * was broken; what broke is shown with the command that replays it, and its recording is written to a file.
 */
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RULES, type Violation } from "../check/violation.ts";
import { SECOND } from "../base/units.ts";
import { addCounts, type Counts, newCounts, runSeed, type SeedResult } from "../scenario/campaign.ts";
import { ACT_NAMES } from "../scenario/chaos.ts";
import type { AnyEvent } from "../scenario/events.ts";
import type { TraceEvent } from "../sim/events.ts";
import { etcdSim } from "./sim-etcd.ts";
import { labSim } from "./sim-labs.ts";
import { UsageError } from "./usage.ts";

const USAGE = "usage: sim --seeds A..B [--seconds N] [--system register|etcd | --labs] [--json] [--trace]";
const SECONDS = 8;

interface Options {
  readonly from: number;
  readonly to: number;
  readonly seconds: number;
  readonly json: boolean;
  readonly trace: boolean;
  readonly labs: boolean;
  readonly system: "register" | "etcd";
}

export async function sim(args: readonly string[]): Promise<number> {
  const options = parse(args);
  if (options.labs) return labSim(options);
  if (options.system === "etcd") {
    const listener = options.trace
      ? { listener: (event: TraceEvent) => printEvent(event as TraceEvent<AnyEvent>) }
      : {};
    return etcdSim({ ...options, ...listener, replay: (seed) => replay(seed, options) });
  }
  const counts = newCounts();
  const failed: SeedResult[] = [];
  const began = process.hrtime.bigint();
  let virtual = 0;
  for (let seed = options.from; seed <= options.to; seed += 1) {
    const result = runSeed(seed, {
      length: options.seconds * SECOND,
      ...(options.trace ? { listener: printEvent } : {}),
    });
    virtual += result.at;
    addCounts(counts, result.counts);
    if (result.violation === null) continue;
    failed.push(result);
    if (!options.json) print(describe(result, options));
  }
  const seconds = Number(process.hrtime.bigint() - began) / 1e9;
  if (options.json) print(JSON.stringify(summary(options, counts, failed, virtual)));
  else printCounts(options, counts, failed.length, virtual, seconds);
  return failed.length === 0 ? 0 : 1;
}

function parse(args: readonly string[]): Options {
  const rest = [...args];
  const options = {
    from: 1,
    to: 100,
    seconds: SECONDS,
    json: false,
    trace: false,
    labs: false,
    system: "register" as Options["system"],
  };
  for (let name = rest.shift(); name !== undefined; name = rest.shift()) {
    if (name === "--json") options.json = true;
    else if (name === "--labs") options.labs = true;
    else if (name === "--trace") options.trace = true;
    else if (name === "--system") options.system = system(rest.shift());
    else if (name === "--seeds") [options.from, options.to] = range(rest.shift());
    else if (name === "--seconds") options.seconds = positive(rest.shift());
    else throw new UsageError(USAGE);
  }
  return options;
}

function system(text: string | undefined): Options["system"] {
  if (text !== "register" && text !== "etcd") throw new UsageError(USAGE);
  return text;
}

function range(text: string | undefined): [number, number] {
  const [, from, to] = /^(\d+)(?:\.\.(\d+))?$/.exec(text ?? "") ?? [];
  const [first, last] = [Number(from), Number(to ?? from)];
  if (from === undefined || !Number.isSafeInteger(last) || first > last) throw new UsageError(USAGE);
  return [first, last];
}

function positive(text: string | undefined): number {
  const value = Number(text);
  if (!(value > 0)) throw new UsageError(USAGE);
  return value;
}

function summary(options: Options, counts: Counts, failed: readonly SeedResult[], virtual: number): object {
  const { faults, ...rest } = counts;
  return {
    seeds: [options.from, options.to],
    virtualSeconds: virtual / SECOND,
    ...rest,
    faults: Object.fromEntries(faults),
    violations: failed.map(({ seed, violation }) => ({ seed, replay: replay(seed, options), ...violation })),
  };
}

function printCounts(options: Options, counts: Counts, failed: number, virtual: number, seconds: number): void {
  const row = (name: string, value: number | string): void => print(`${name.padEnd(22)}${String(value).padStart(12)}`);
  row("seeds", options.to - options.from + 1);
  row("virtual seconds", (virtual / SECOND).toFixed(1));
  row("seconds", seconds.toFixed(1));
  row("events checked", counts.events);
  row("elections", counts.elections);
  row("entries committed", counts.commits);
  row("writes acknowledged", counts.writes);
  row("snapshots installed", counts.snapshots);
  print("faults");
  for (const name of ACT_NAMES) row(`  ${name}`, counts.faults.get(name) ?? 0);
  row("violations", failed);
}

function describe(result: SeedResult, options: Options): string {
  const { seed, violation } = result;
  if (violation === null) return "";
  const path = join(tmpdir(), `lockstep-seed-${seed}.json`);
  const { spec, commands, n, at } = result;
  writeFileSync(path, JSON.stringify({ spec, commands, n, at }));
  const { rule, event, at: when, process: who, figures } = violation;
  return [
    `FAILED seed ${seed}: ${rule} (${sourceOf(violation)})`,
    `  event ${event} at ${when} µs${who === null ? "" : ` in ${who}`}: ${JSON.stringify(figures)}`,
    `  replay: ${replay(seed, options)}`,
    `  recording: ${path}`,
  ].join("\n");
}

function sourceOf(violation: Violation | { readonly rule: "liveness" }): string {
  return violation.rule === "liveness" ? "the cluster must get on once all is well" : RULES[violation.rule];
}

function replay(seed: number, { seconds, system: of }: Options): string {
  const length = seconds === SECONDS ? "" : ` --seconds ${seconds}`;
  const which = of === "register" ? "" : ` --system ${of}`;
  return `npm run sim --${which} --seeds ${seed}..${seed}${length} --trace`;
}

function printEvent({ id, cause, at, process: who, incarnation, event }: TraceEvent<AnyEvent>): void {
  const { type, ...rest } = event;
  const seconds = (at / SECOND).toFixed(6).padStart(11);
  print(`${String(id).padStart(7)} ${seconds} ${who ?? "-"}/${incarnation} ${type} <${cause} ${JSON.stringify(rest)}`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
