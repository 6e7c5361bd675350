/**
 * `bench [--json] [--only NAME]… [--long]`: measures what DESIGN.md has a budget for.
 *
 * A benchmark that misses its budget is no failure: it is what the table is for. The exit code is 1 only when one could
 * not be run. Progress goes to standard error.
 */
import { type Benchmark, type Measured, type Result, resultOf, rounded } from "./bench/benchmark.ts";
import { engineBenchmarks } from "./bench/engine.ts";
import { pageBenchmarks } from "./bench/page.ts";
import { UsageError } from "./usage.ts";

interface Options {
  readonly json: boolean;
  /** Takes the hour that a budget speaks of, where a shorter run is extrapolated otherwise. */
  readonly long: boolean;
  readonly only: readonly string[];
}

export async function bench(args: readonly string[]): Promise<number> {
  const { json, long, only } = readOptions(args);
  const all = [...pageBenchmarks(long), ...engineBenchmarks()];
  const unknown = only.filter((name) => all.every((benchmark) => benchmark.name !== name));
  if (unknown.length > 0)
    throw new UsageError(
      `no benchmark ${unknown.join(", ")}; there are: ${all.map((benchmark) => benchmark.name).join(", ")}`,
    );
  const chosen = only.length === 0 ? all : all.filter(({ name }) => only.includes(name));
  const results: Result[] = [];
  const rows: Row[] = [];
  let failed = 0;
  for (const benchmark of chosen) {
    // One after the other: two at a time would measure each other.
    // oxlint-disable-next-line no-await-in-loop
    const measured = await run(benchmark);
    if (measured === null) {
      failed += 1;
      continue;
    }
    results.push(resultOf(benchmark, measured));
    rows.push({ ...resultOf(benchmark, measured), note: measured.note });
  }
  process.stdout.write(json ? `${JSON.stringify(results)}\n` : table(rows));
  return failed === 0 ? 0 : 1;
}

function readOptions(args: readonly string[]): Options {
  const only: string[] = [];
  let json = false;
  let long = false;
  for (let i = 0; i < args.length; i += 1) {
    const arg = args[i];
    const name = args[i + 1];
    if (arg === "--json") json = true;
    else if (arg === "--long") long = true;
    else if (arg === "--only" && name !== undefined) {
      only.push(name);
      i += 1;
    } else throw new UsageError("usage: bench [--json] [--only NAME]… [--long]");
  }
  return { json, long, only };
}

async function run(benchmark: Benchmark): Promise<Measured | null> {
  const { name, unit } = benchmark;
  say(`${name} …`);
  try {
    const measured = await benchmark.measure((line) => say(`  ${line}`));
    say(`  ${rounded(measured.value)} ${unit} (${measured.note})`);
    return measured;
  } catch (error) {
    say(`  FAILED: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    return null;
  }
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

interface Row extends Result {
  readonly note: string;
}

function table(rows: readonly Row[]): string {
  const cells = rows.map(({ name, value, unit, budget, better, ok, note }) => [
    name,
    value.toLocaleString("en-US", { maximumFractionDigits: 3 }),
    unit,
    budget === null ? "" : `${better === "lower" ? "≤" : "≥"} ${budget.toLocaleString("en-US")}`,
    budget === null ? "" : ok ? "ok" : "MISSED",
    note,
  ]);
  const head = ["benchmark", "value", "unit", "budget", "", "measured"];
  const widths = head.map((title, i) => Math.max(...[head, ...cells].map((row) => row[i]?.length ?? 0), title.length));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, i) => (i === 1 || i === 3 ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0)))
      .join("  ")
      .trimEnd();
  return `${[head, ...cells].map(line).join("\n")}\n`;
}
