/** The pops that wait: BLPOP, BRPOP, BLMOVE, BRPOPLPUSH, BZPOPMIN, BZPOPMAX. What they do when there is something, and for how long they wait. */
import { lower } from "./bytes.ts";
import { endOf, moveOne, popOne } from "./commands/lists.ts";
import type { Keyspace } from "./keyspace.ts";
import { formatDouble, toDouble } from "./numbers.ts";
import { popOneOf } from "./commands/sorted-sets.ts";
import { bulk, bulks, Refused, type Reply } from "./reply.ts";

/** Seconds; 0: for ever. */
export function blockingTimeout(args: readonly string[]): number {
  const seconds = toDouble(args.at(-1) ?? "");
  if (seconds === null) throw new Refused("ERR timeout is not a float or out of range");
  // What 64 bits of milliseconds cannot hold comes out negative.
  if (seconds < 0 || seconds * 1_000 >= 2 ** 63) throw new Refused("ERR timeout is negative");
  return seconds;
}

export interface Popped {
  readonly reply: Reply;
  /** The command that does the same without waiting: what replicas are told. */
  readonly done: readonly string[];
}

/** Null when there is nothing to take. @throws Refused for a key of another kind */
export function popFrom(keys: Keyspace, args: readonly string[]): Popped | null {
  const name = lower(args[0] ?? "");
  const [, first = "", second = "", third = "", fourth = ""] = args;
  if (name === "blmove" || name === "brpoplpush") {
    const [take, put] = name === "blmove" ? [endOf(third), endOf(fourth)] : (["right", "left"] as const);
    const moved = moveOne(keys, first, second, take, put);
    return moved === null
      ? null
      : { reply: bulk(moved), done: ["LMOVE", first, second, take.toUpperCase(), put.toUpperCase()] };
  }
  if (name === "bzpopmin" || name === "bzpopmax") {
    for (const key of args.slice(1, -1)) {
      const row = popOneOf({ keys }, key, name === "bzpopmax");
      if (row !== null)
        return { reply: bulks([key, row[0], formatDouble(row[1])]), done: [name.slice(1).toUpperCase(), key] };
    }
    return null;
  }
  for (const key of args.slice(1, -1)) {
    const value = popOne(keys, key, name === "blpop" ? "left" : "right");
    if (value !== null) return { reply: bulks([key, value]), done: [name === "blpop" ? "LPOP" : "RPOP", key] };
  }
  return null;
}
