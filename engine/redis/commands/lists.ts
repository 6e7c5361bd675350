/** Lists: queues of waiters, and of tokens. Those that block are in `blocking.ts`. */
import { arg, type Call, command, type CommandSpec } from "../call.ts";
import { lower } from "../bytes.ts";
import type { Keyspace } from "../keyspace.ts";
import { int64, integer } from "../numbers.ts";
import {
  array,
  bulk,
  bulks,
  EMPTY,
  int,
  NIL,
  NIL_ARRAY,
  NO_SUCH_KEY,
  OK,
  OUT_OF_RANGE,
  Refused,
  type Reply,
  SYNTAX,
} from "../reply.ts";

export type End = "left" | "right";

function push(end: End, onlyExisting: boolean) {
  return (call: Call): Reply => {
    const { keys } = call;
    const key = arg(call, 1);
    if (keys.peekAs(key, "list") === null && onlyExisting) return int(0);
    const { items } = keys.edit(key, "list");
    for (const value of call.args.slice(2)) {
      if (end === "left") items.unshift(value);
      else items.push(value);
    }
    keys.changed("l", end === "left" ? "lpush" : "rpush", key);
    return int(items.length);
  };
}

/** Takes one from a list, tells what happened, and removes the list when it was the last. */
export function popOne(keys: Keyspace, key: string, end: End): string | null {
  if (keys.peekAs(key, "list") === null) return null;
  const { items } = keys.edit(key, "list");
  const value = (end === "left" ? items.shift() : items.pop()) ?? null;
  keys.changed("l", end === "left" ? "lpop" : "rpop", key);
  keys.dropIfEmpty(key);
  return value;
}

function mpop(call: Call): Reply {
  const { keys, args } = call;
  const count = integer(arg(call, 1), "ERR numkeys should be greater than 0");
  if (count <= 0) throw new Refused("ERR numkeys should be greater than 0");
  const end = lower(args[2 + count] ?? "");
  if (end !== "left" && end !== "right") throw new Refused(SYNTAX);
  let most = 1;
  for (let i = 3 + count; i < args.length; i += 2) {
    if (i > 3 + count || lower(arg(call, i)) !== "count" || args[i + 1] === undefined) throw new Refused(SYNTAX);
    most = integer(arg(call, i + 1), "ERR count should be greater than 0");
    if (most <= 0) throw new Refused("ERR count should be greater than 0");
  }
  for (const key of args.slice(2, 2 + count)) {
    if (keys.readAs(key, "list") === null) continue;
    const { items } = keys.edit(key, "list");
    const taken = end === "left" ? items.splice(0, most) : items.splice(Math.max(0, items.length - most)).reverse();
    const name = end === "left" ? "lpop" : "rpop";
    keys.changed("l", name, key);
    keys.dropIfEmpty(key);
    call.rewrite([name.toUpperCase(), key, String(taken.length)]);
    return array([bulk(key), bulks(taken)]);
  }
  return NIL_ARRAY;
}

function pop(end: End) {
  return (call: Call): Reply => {
    const { keys, args } = call;
    const key = arg(call, 1);
    if (args.length === 2) {
      keys.readAs(key, "list");
      return bulk(popOne(keys, key, end));
    }
    if (args.length > 3) throw new Refused(`ERR wrong number of arguments for '${lower(arg(call, 0))}' command`);
    const count = Number(int64(arg(call, 2), "ERR value is out of range, must be positive"));
    if (count < 0) throw new Refused("ERR value is out of range, must be positive");
    if (keys.readAs(key, "list") === null) return NIL_ARRAY;
    if (count === 0) return EMPTY;
    const { items } = keys.edit(key, "list");
    const taken = end === "left" ? items.splice(0, count) : items.splice(-count).reverse();
    keys.changed("l", end === "left" ? "lpop" : "rpop", key);
    keys.dropIfEmpty(key);
    return bulks(taken);
  };
}

function items(call: Call): readonly string[] {
  return call.keys.readAs(arg(call, 1), "list")?.items ?? [];
}

/** Both ends included, from the end when below 0. Empty when start is after stop. */
export function span(start: number, stop: number, length: number): readonly [number, number] {
  const from = Math.max(0, start < 0 ? length + start : start);
  const to = Math.min(length - 1, stop < 0 ? length + stop : stop);
  return from > to || from >= length ? [0, 0] : [from, to + 1];
}

function lrange(call: Call): Reply {
  const [start, stop] = [integer(arg(call, 2)), integer(arg(call, 3))];
  const all = items(call);
  return bulks(all.slice(...span(start, stop, all.length)));
}

function ltrim(call: Call): Reply {
  const { keys } = call;
  const key = arg(call, 1);
  const [start, stop] = [integer(arg(call, 2)), integer(arg(call, 3))];
  if (keys.peekAs(key, "list") === null) return OK;
  const list = keys.edit(key, "list").items;
  const [from, to] = span(start, stop, list.length);
  list.splice(0, list.length, ...list.slice(from, to));
  keys.changed("l", "ltrim", key);
  keys.dropIfEmpty(key);
  return OK;
}

function lrem(call: Call): Reply {
  const { keys } = call;
  const [key, value] = [arg(call, 1), arg(call, 3)];
  const count = integer(arg(call, 2));
  if (keys.peekAs(key, "list") === null) return int(0);
  const list = keys.edit(key, "list").items;
  const places = [...list.keys()].filter((i) => list[i] === value);
  const doomed = new Set(count === 0 ? places : count > 0 ? places.slice(0, count) : places.slice(count));
  if (doomed.size === 0) return int(0);
  list.splice(0, list.length, ...list.filter((_, i) => !doomed.has(i)));
  keys.changed("l", "lrem", key);
  keys.dropIfEmpty(key);
  return int(doomed.size);
}

function lset(call: Call): Reply {
  const { keys } = call;
  const key = arg(call, 1);
  const found = keys.peekAs(key, "list");
  if (found === null) throw new Refused(NO_SUCH_KEY);
  const index = integer(arg(call, 2));
  const at = index < 0 ? found.items.length + index : index;
  if (at < 0 || at >= found.items.length) throw new Refused(OUT_OF_RANGE);
  keys.edit(key, "list").items[at] = arg(call, 3);
  keys.changed("l", "lset", key);
  return OK;
}

function linsert(call: Call): Reply {
  const { keys } = call;
  const key = arg(call, 1);
  const where = lower(arg(call, 2));
  if (where !== "before" && where !== "after") throw new Refused(SYNTAX);
  const found = keys.peekAs(key, "list");
  if (found === null) return int(0);
  const at = found.items.indexOf(arg(call, 3));
  if (at < 0) return int(-1);
  const list = keys.edit(key, "list").items;
  list.splice(where === "before" ? at : at + 1, 0, arg(call, 4));
  keys.changed("l", "linsert", key);
  return int(list.length);
}

function lpos(call: Call): Reply {
  const { args } = call;
  let rank = 1;
  let count: number | null = null;
  let most = 0;
  for (let i = 3; i < args.length; i += 2) {
    const word = lower(arg(call, i));
    const next = args[i + 1];
    if (next === undefined) throw new Refused(SYNTAX);
    if (word === "rank") {
      rank = integer(next);
      if (rank === 0)
        throw new Refused(
          "ERR RANK can't be zero: use 1 to start from the first match, 2 from the second ... or use negative to start from the end of the list",
        );
    } else if (word === "count") {
      count = integer(next, "ERR COUNT can't be negative");
      if (count < 0) throw new Refused("ERR COUNT can't be negative");
    } else if (word === "maxlen") {
      most = integer(next, "ERR MAXLEN can't be negative");
      if (most < 0) throw new Refused("ERR MAXLEN can't be negative");
    } else throw new Refused(SYNTAX);
  }
  const all = items(call);
  let places = [...all.keys()];
  if (rank < 0) places.reverse();
  if (most > 0) places = places.slice(0, most);
  const found = places.filter((i) => all[i] === arg(call, 2)).slice(Math.abs(rank) - 1);
  if (count === null) return found[0] === undefined ? NIL : int(found[0]);
  return array((count === 0 ? found : found.slice(0, count)).map((i) => int(i)));
}

export function endOf(text: string): End {
  const word = lower(text);
  if (word !== "left" && word !== "right") throw new Refused(SYNTAX);
  return word;
}

/** Takes from one list and puts into another, or the same. Null when there is nothing to take. */
export function moveOne(keys: Keyspace, from: string, to: string, take: End, put: End): string | null {
  if (keys.readAs(from, "list") === null) return null;
  keys.peekAs(to, "list");
  const source = keys.edit(from, "list").items;
  const value = (take === "left" ? source.shift() : source.pop()) as string;
  const target = keys.edit(to, "list").items;
  if (put === "left") target.unshift(value);
  else target.push(value);
  keys.changed("l", put === "left" ? "lpush" : "rpush", to);
  keys.changed("l", take === "left" ? "lpop" : "rpop", from);
  keys.dropIfEmpty(from);
  return value;
}

function lmove(call: Call): Reply {
  const [take, put] = [endOf(arg(call, 3)), endOf(arg(call, 4))];
  return bulk(moveOne(call.keys, arg(call, 1), arg(call, 2), take, put));
}

export const listCommands: readonly CommandSpec[] = [
  command("lpush", -3, "write", push("left", false)),
  command("rpush", -3, "write", push("right", false)),
  command("lpushx", -3, "write", push("left", true)),
  command("rpushx", -3, "write", push("right", true)),
  command("lmpop", -4, "write", mpop),
  command("lpop", -2, "write", pop("left")),
  command("rpop", -2, "write", pop("right")),
  command("llen", 2, "", (call) => int(items(call).length)),
  command("lrange", 4, "", lrange),
  command("ltrim", 4, "write", ltrim),
  command("lrem", 4, "write", lrem),
  command("lset", 4, "write", lset),
  command("linsert", 5, "write", linsert),
  command("lpos", -3, "", lpos),
  command("lindex", 3, "", (call) => {
    const all = items(call);
    return all.length === 0 ? NIL : bulk(all.at(integer(arg(call, 2))));
  }),
  command("rpoplpush", 3, "write", (call) => bulk(moveOne(call.keys, arg(call, 1), arg(call, 2), "right", "left"))),
  command("lmove", 5, "write", lmove),
];
