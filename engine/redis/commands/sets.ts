/** Sets. One of integers only is answered in their order, as Redis's intset is; others in order of insertion. */
import { arg, type Call, command, type CommandSpec } from "../call.ts";
import { integer, toInt64 } from "../numbers.ts";
import { bulk, bulks, int, NIL, Refused, type Reply, SYNTAX } from "../reply.ts";
import { lower } from "../bytes.ts";
import { drawn } from "./hashes.ts";
import { scanWithin } from "./keys.ts";

const INTSET_MAX = 512;

function membersOf({ keys }: Call, key: string): ReadonlySet<string> {
  return keys.readAs(key, "set")?.members ?? new Set();
}

function inOrder(members: Iterable<string>): string[] {
  const all = [...members];
  if (all.length > INTSET_MAX) return all;
  const numbers = all.map(toInt64);
  if (numbers.includes(null)) return all;
  return (numbers as bigint[]).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)).map(String);
}

function sadd(call: Call): Reply {
  const { keys, args } = call;
  const key = arg(call, 1);
  const set = keys.edit(key, "set").members;
  const before = set.size;
  for (const member of args.slice(2)) set.add(member);
  if (set.size > before) keys.changed("s", "sadd", key);
  return int(set.size - before);
}

function removeFrom({ keys }: Call, key: string, members: readonly string[], event: string): number {
  if (keys.peekAs(key, "set") === null) return 0;
  const set = keys.edit(key, "set").members;
  const removed = members.filter((member) => set.delete(member)).length;
  if (removed > 0) {
    keys.changed("s", event, key);
    keys.dropIfEmpty(key);
  }
  return removed;
}

function smove(call: Call): Reply {
  const { keys } = call;
  const [from, to, member] = [arg(call, 1), arg(call, 2), arg(call, 3)];
  keys.peek(from);
  keys.peek(to);
  const source = keys.peekAs(from, "set");
  if (source === null) return int(0);
  keys.peekAs(to, "set");
  if (!source.members.has(member)) return int(0);
  if (from === to) return int(1);
  removeFrom(call, from, [member], "srem");
  const target = keys.edit(to, "set").members;
  if (!target.has(member)) {
    target.add(member);
    keys.changed("s", "sadd", to);
  }
  return int(1);
}

function spop(call: Call): Reply {
  const key = arg(call, 1);
  if (call.args.length > 3) throw new Refused(SYNTAX);
  const count = call.args.length === 3 ? integer(arg(call, 2), "ERR value is out of range, must be positive") : 1;
  if (count < 0) throw new Refused("ERR value is out of range, must be positive");
  const taken = drawn(call, inOrder(membersOf(call, key)), count);
  if (taken.length > 0) {
    removeFrom(call, key, taken, "spop");
    call.rewrite(["SREM", key, ...taken]);
  }
  return call.args.length === 3 ? bulks(taken) : bulk(taken[0]);
}

function srandmember(call: Call): Reply {
  if (call.args.length > 3) throw new Refused(SYNTAX);
  const count = call.args.length === 3 ? integer(arg(call, 2)) : null;
  const all = inOrder(membersOf(call, arg(call, 1)));
  if (count !== null) return bulks(drawn(call, all, count));
  return all.length === 0 ? NIL : bulk(drawn(call, all, 1)[0]);
}

type Combine = (sets: readonly ReadonlySet<string>[]) => string[];

const intersection: Combine = ([first, ...rest]) =>
  [...(first ?? [])].filter((member) => rest.every((set) => set.has(member)));
const union: Combine = (sets) => [...new Set(sets.flatMap((set) => [...set]))];
const difference: Combine = ([first, ...rest]) =>
  [...(first ?? [])].filter((member) => rest.every((set) => !set.has(member)));

function combined(combine: Combine) {
  return (call: Call): Reply => bulks(inOrder(combine(call.args.slice(1).map((key) => membersOf(call, key)))));
}

function stored(combine: Combine, event: string) {
  return (call: Call): Reply => {
    const { keys, args } = call;
    const key = arg(call, 1);
    const members = combine(args.slice(2).map((name) => membersOf(call, name)));
    if (members.length === 0) {
      if (keys.drop(key)) {
        keys.dirty += 1;
        keys.notify("g", "del", key);
      }
      return int(0);
    }
    keys.delete(key);
    for (const member of members) keys.edit(key, "set").members.add(member);
    keys.changed("s", event, key);
    return int(members.length);
  };
}

function sintercard(call: Call): Reply {
  const { args } = call;
  const count = integer(arg(call, 1), "ERR numkeys should be greater than 0");
  if (count <= 0) throw new Refused("ERR numkeys should be greater than 0");
  if (count > args.length - 2) throw new Refused("ERR Number of keys can't be greater than number of args");
  let limit = 0;
  for (let i = 2 + count; i < args.length; i += 2) {
    if (lower(arg(call, i)) !== "limit" || args[i + 1] === undefined) throw new Refused(SYNTAX);
    limit = integer(arg(call, i + 1), "ERR LIMIT can't be negative");
    if (limit < 0) throw new Refused("ERR LIMIT can't be negative");
  }
  const size = intersection(args.slice(2, 2 + count).map((key) => membersOf(call, key))).length;
  return int(limit === 0 ? size : Math.min(limit, size));
}

export const setCommands: readonly CommandSpec[] = [
  command("sadd", -3, "write", sadd),
  command("srem", -3, "write", (call) => int(removeFrom(call, arg(call, 1), call.args.slice(2), "srem"))),
  command("smove", 4, "write", smove),
  command("spop", -2, "write", spop),
  command("srandmember", -2, "", srandmember),
  command("smembers", 2, "", (call) => bulks(inOrder(membersOf(call, arg(call, 1))))),
  command("scard", 2, "", (call) => int(membersOf(call, arg(call, 1)).size)),
  command("sismember", 3, "", (call) => int(membersOf(call, arg(call, 1)).has(arg(call, 2)))),
  command("smismember", -3, "", (call) => {
    const set = membersOf(call, arg(call, 1));
    return { type: "array", items: call.args.slice(2).map((member) => int(set.has(member))) };
  }),
  command("sinter", -2, "", combined(intersection)),
  command("sunion", -2, "", combined(union)),
  command("sdiff", -2, "", combined(difference)),
  command("sinterstore", -3, "write", stored(intersection, "sinterstore")),
  command("sunionstore", -3, "write", stored(union, "sunionstore")),
  command("sdiffstore", -3, "write", stored(difference, "sdiffstore")),
  command("sintercard", -3, "", sintercard),
  command("sscan", -3, "", (call) =>
    scanWithin(
      call,
      inOrder(membersOf(call, arg(call, 1))).map((one) => [one]),
    ),
  ),
];
