/** What a benchmark is, and the little arithmetic that all of them share. */

/** What was measured, and in what state: the figures that show that the state was reached. */
export interface Measured {
  readonly value: number;
  readonly note: string;
}

export interface Benchmark {
  readonly name: string;
  readonly unit: string;
  /** From DESIGN.md's table; null for a figure that is only reported. */
  readonly budget: number | null;
  readonly better: "lower" | "higher";
  readonly measure: (say: (line: string) => void) => Promise<Measured>;
}

/** One line of the report, as `--json` prints it. */
export interface Result {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly budget: number | null;
  readonly better: "lower" | "higher";
  readonly ok: boolean;
}

export function resultOf({ name, unit, budget, better }: Benchmark, { value }: Measured): Result {
  const ok = budget === null || (better === "lower" ? value <= budget : value >= budget);
  return { name, value: rounded(value), unit, budget, better, ok };
}

/** Four significant digits: no machine repeats more. */
export function rounded(value: number): number {
  return Number(value.toPrecision(4));
}

/**
 * Starts to measure a piece of work of this thread's.
 *
 * @returns milliseconds since then: of the clock on the wall or of processor time, whichever are fewer. The thread took
 *   no more than either: the clock also counts what else ran on the machine, processor time also what the collector's
 *   helper threads did meanwhile.
 */
export function stopwatch(): () => number {
  const [wall, processor] = [performance.now(), process.cpuUsage()];
  return () => {
    const { user, system } = process.cpuUsage(processor);
    return Math.min(performance.now() - wall, (user + system) / 1_000);
  };
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** @param part 0 to 1; between two values the nearer to the middle of the order counts */
export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (sorted.length - 1) * part;
  const below = sorted[Math.floor(at)] ?? Number.NaN;
  const above = sorted[Math.ceil(at)] ?? Number.NaN;
  return below + (above - below) * (at - Math.floor(at));
}

/** Several of them as a note: the spread tells how quiet the machine was. */
export function spread(values: readonly number[], digits = 0): string {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return `${values.length} runs, ${low.toFixed(digits)} to ${high.toFixed(digits)}`;
}
