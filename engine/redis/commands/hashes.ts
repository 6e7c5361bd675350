/** Hashes: reentrant locks count their holder in one. */
import { arg, type Call, command, type CommandSpec } from "../call.ts";
import { addLongDouble, isLongDouble } from "../long-double.ts";
import { INT64_MAX, INT64_MIN, int64, integer, toInt64 } from "../numbers.ts";
import { array, bulk, bulks, EMPTY, int, NIL, OK, Refused, type Reply, SYNTAX, wrongArity } from "../reply.ts";
import { lower } from "../bytes.ts";
import { scanWithin } from "./keys.ts";

const NONE: ReadonlyMap<string, string> = new Map();

function fields(call: Call): ReadonlyMap<string, string> {
  return call.keys.readAs(arg(call, 1), "hash")?.fields ?? NONE;
}

function hset(call: Call): Reply {
  const { keys, args } = call;
  const name = lower(arg(call, 0));
  if (args.length % 2 !== 0) throw new Refused(wrongArity(name));
  const key = arg(call, 1);
  const hash = keys.edit(key, "hash").fields;
  const before = hash.size;
  for (let i = 2; i < args.length; i += 2) hash.set(arg(call, i), arg(call, i + 1));
  keys.changed("h", "hset", key);
  return name === "hmset" ? OK : int(hash.size - before);
}

function hsetnx(call: Call): Reply {
  const { keys } = call;
  const key = arg(call, 1);
  if (keys.peekAs(key, "hash")?.fields.has(arg(call, 2))) return int(0);
  keys.edit(key, "hash").fields.set(arg(call, 2), arg(call, 3));
  keys.changed("h", "hset", key);
  return int(1);
}

function hdel(call: Call): Reply {
  const { keys, args } = call;
  const key = arg(call, 1);
  if (keys.peekAs(key, "hash") === null) return int(0);
  const hash = keys.edit(key, "hash").fields;
  const removed = args.slice(2).filter((field) => hash.delete(field)).length;
  if (removed > 0) {
    keys.changed("h", "hdel", key);
    keys.dropIfEmpty(key);
  }
  return int(removed);
}

function hincrby(call: Call): Reply {
  const { keys } = call;
  const [key, field] = [arg(call, 1), arg(call, 2)];
  const by = int64(arg(call, 3));
  const old = toInt64(keys.peekAs(key, "hash")?.fields.get(field) ?? "0");
  if (old === null) throw new Refused("ERR hash value is not an integer");
  const next = old + by;
  if (next > INT64_MAX || next < INT64_MIN) throw new Refused("ERR increment or decrement would overflow");
  keys.edit(key, "hash").fields.set(field, String(next));
  keys.changed("h", "hincrby", key);
  return int(next);
}

function hincrbyfloat(call: Call): Reply {
  const { keys } = call;
  const [key, field, by] = [arg(call, 1), arg(call, 2), arg(call, 3)];
  if (!isLongDouble(by)) throw new Refused("ERR value is not a valid float");
  if (/inf/i.test(by)) throw new Refused("ERR value is NaN or Infinity");
  const old = keys.peekAs(key, "hash")?.fields.get(field) ?? "0";
  if (!isLongDouble(old)) throw new Refused("ERR hash value is not a float");
  const sum = addLongDouble(old, by);
  if (typeof sum === "string") throw new Refused("ERR increment would produce NaN or Infinity");
  keys.edit(key, "hash").fields.set(field, sum.value);
  keys.changed("h", "hincrbyfloat", key);
  call.rewrite(["HSET", key, field, sum.value]);
  return bulk(sum.value);
}

function hrandfield(call: Call): Reply {
  const count = call.args.length === 2 ? null : integer(arg(call, 2));
  const withValues = call.args.length === 4 && lower(arg(call, 3)) === "withvalues";
  if (call.args.length > 3 && !withValues) throw new Refused(SYNTAX);
  const all = [...fields(call)];
  if (count === null) return all.length === 0 ? NIL : bulk(all[call.rng.below(all.length)]?.[0]);
  const some = drawn(call, all, count);
  return some.length === 0 ? EMPTY : bulks(some.flatMap(([field, value]) => (withValues ? [field, value] : [field])));
}

/** `count` of them, each at most once; below 0: that many, any as often as it comes. */
export function drawn<T>({ rng }: Call, all: readonly T[], count: number): T[] {
  if (all.length === 0) return [];
  if (count < 0) return Array.from({ length: -count }, () => all[rng.below(all.length)] as T);
  const rest = [...all];
  if (count >= rest.length) return rest;
  return Array.from({ length: count }, () => rest.splice(rng.below(rest.length), 1)[0] as T);
}

export const hashCommands: readonly CommandSpec[] = [
  command("hset", -4, "write", hset),
  command("hmset", -4, "write", hset),
  command("hsetnx", 4, "write", hsetnx),
  command("hget", 3, "", (call) => bulk(fields(call).get(arg(call, 2)))),
  command("hmget", -3, "", (call) => {
    const hash = fields(call);
    return bulks(call.args.slice(2).map((field) => hash.get(field)));
  }),
  command("hdel", -3, "write", hdel),
  command("hexists", 3, "", (call) => int(fields(call).has(arg(call, 2)))),
  command("hlen", 2, "", (call) => int(fields(call).size)),
  command("hstrlen", 3, "", (call) => int((fields(call).get(arg(call, 2)) ?? "").length)),
  command("hkeys", 2, "", (call) => bulks([...fields(call).keys()])),
  command("hvals", 2, "", (call) => bulks([...fields(call).values()])),
  command("hgetall", 2, "", (call) => array([...fields(call)].flat().map(bulk))),
  command("hincrby", 4, "write", hincrby),
  command("hincrbyfloat", 4, "write", hincrbyfloat),
  command("hrandfield", -2, "", hrandfield),
  command("hscan", -3, "", (call) => scanWithin(call, [...fields(call)])),
];
