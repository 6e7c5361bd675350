/** Times as commands give them: seconds or milliseconds, from now or absolute. */
import { int64, INT64_MAX, INT64_MIN } from "../numbers.ts";
import { Refused } from "../reply.ts";

export type TimeUnit = "s" | "ms" | "at-s" | "at-ms";

function invalid(by: string): Refused {
  return new Refused(`ERR invalid expire time in '${by}' command`);
}

/**
 * The instant in ms of wall time, for commands that take only times above 0.
 *
 * @param by the command's name, for its error
 */
export function readTime(text: string, unit: TimeUnit, now: number, by: string): number {
  const value = int64(text);
  if (value <= 0n) throw invalid(by);
  return absolute(value, unit, now, by);
}

/** The same for EXPIRE and its like, which take what is past too. */
export function readAnyTime(text: string, unit: TimeUnit, now: number, by: string): number {
  return absolute(int64(text), unit, now, by);
}

function absolute(value: bigint, unit: TimeUnit, now: number, by: string): number {
  const isSeconds = unit === "s" || unit === "at-s";
  if (isSeconds && (value > INT64_MAX / 1_000n || value < INT64_MIN / 1_000n)) throw invalid(by);
  const ms = isSeconds ? value * 1_000n : value;
  if (unit === "at-s" || unit === "at-ms") return Number(ms);
  if (ms > INT64_MAX - BigInt(now)) throw invalid(by);
  return Number(ms) + now;
}
