/** Sorted sets: fair locks queue in one by time, semaphores count their holders in one. */
import { arg, type Call, command, type CommandSpec } from "../call.ts";
import { compareBytes, lower } from "../bytes.ts";
import { double, formatDouble, integer, toDouble } from "../numbers.ts";
import { array, bulk, bulks, EMPTY, int, NIL, NIL_ARRAY, Refused, type Reply, SYNTAX } from "../reply.ts";
import { drawn } from "./hashes.ts";
import { scanWithin } from "./keys.ts";
import { span } from "./lists.ts";
import { store } from "./store.ts";

export type Row = readonly [member: string, score: number];

const NAN = "ERR resulting score is not a number (NaN)";
const BAD_RANGE = "ERR min or max is not a float";
const BAD_LEX = "ERR min or max not valid string range item";

/** By score, then by the member's bytes. */
type WithKeys = Pick<Call, "keys">;

function rows({ keys }: WithKeys, key: string): Row[] {
  const scores = keys.readAs(key, "zset")?.scores;
  return scores === undefined ? [] : ordered([...scores]);
}

export function ordered(found: readonly Row[]): Row[] {
  return found.toSorted(([a, x], [b, y]) => (x === y ? compareBytes(a, b) : x < y ? -1 : 1));
}

export function answer(found: readonly Row[], withScores: boolean): Reply {
  return bulks(found.flatMap(([member, score]) => (withScores ? [member, formatDouble(score)] : [member])));
}

function zadd(call: Call): Reply {
  const { keys, args } = call;
  const key = arg(call, 1);
  const words = new Set<string>();
  let at = 2;
  while (at < args.length && ["nx", "xx", "gt", "lt", "ch", "incr"].includes(lower(arg(call, at)))) {
    words.add(lower(arg(call, at)));
    at += 1;
  }
  const rest = args.slice(at);
  if (rest.length === 0 || rest.length % 2 !== 0) throw new Refused(SYNTAX);
  if (words.has("nx") && words.has("xx"))
    throw new Refused("ERR XX and NX options at the same time are not compatible");
  if ((words.has("gt") && (words.has("lt") || words.has("nx"))) || (words.has("lt") && words.has("nx")))
    throw new Refused("ERR GT, LT, and/or NX options at the same time are not compatible");
  if (words.has("incr") && rest.length > 2)
    throw new Refused("ERR INCR option supports a single increment-element pair");
  const wanted: Row[] = [];
  for (let i = 0; i < rest.length; i += 2) wanted.push([rest[i + 1] as string, double(rest[i] as string)]);
  const existing = keys.peekAs(key, "zset");
  if (existing === null && words.has("xx")) return words.has("incr") ? NIL : int(0);
  return addRows(call, key, wanted, words, existing?.scores);
}

function addRows(
  { keys }: Call,
  key: string,
  wanted: readonly Row[],
  words: ReadonlySet<string>,
  before: ReadonlyMap<string, number> | undefined,
): Reply {
  const changes = new Map<string, number>();
  let [added, updated] = [0, 0];
  let result: number | null = null;
  for (const [member, score] of wanted) {
    const old = changes.get(member) ?? before?.get(member);
    if (old === undefined ? words.has("xx") : words.has("nx")) continue;
    const next = words.has("incr") ? (old ?? 0) + score : score;
    if (Number.isNaN(next)) throw new Refused(NAN);
    if (old !== undefined && ((words.has("gt") && next <= old) || (words.has("lt") && next >= old))) continue;
    result = next;
    if (old === next) continue;
    changes.set(member, next);
    if (old === undefined) added += 1;
    else updated += 1;
  }
  if (changes.size > 0) {
    const { scores } = keys.edit(key, "zset");
    for (const [member, score] of changes) scores.set(member, score);
    keys.changed("z", words.has("incr") ? "zincr" : "zadd", key);
  }
  if (words.has("incr")) return result === null ? NIL : bulk(formatDouble(result));
  return int(words.has("ch") ? added + updated : added);
}

function zincrby(call: Call): Reply {
  const key = arg(call, 1);
  const by = double(arg(call, 2));
  return addRows(call, key, [[arg(call, 3), by]], new Set(["incr"]), call.keys.peekAs(key, "zset")?.scores);
}

function remove({ keys }: WithKeys, key: string, members: readonly string[], event: string): number {
  if (keys.peekAs(key, "zset") === null) return 0;
  const { scores } = keys.edit(key, "zset");
  const removed = members.filter((member) => scores.delete(member)).length;
  if (removed > 0) {
    keys.changed("z", event, key);
    keys.dropIfEmpty(key);
  }
  return removed;
}

interface Bound<T> {
  readonly value: T;
  readonly open: boolean;
}

function scoreBound(text: string): Bound<number> {
  const open = text.startsWith("(");
  const value = toDouble(open ? text.slice(1) : text);
  if (value === null) throw new Refused(BAD_RANGE);
  return { value, open };
}

function byScore(min: string, max: string): (row: Row) => boolean {
  const [low, high] = [scoreBound(min), scoreBound(max)];
  return ([, score]) =>
    (low.open ? score > low.value : score >= low.value) && (high.open ? score < high.value : score <= high.value);
}

/** Null stands for the end that `-` or `+` names. */
function lexBound(text: string): Bound<string> | "-" | "+" {
  if (text === "-" || text === "+") return text;
  if (!/^[[(]/.test(text)) throw new Refused(BAD_LEX);
  return { value: text.slice(1), open: text.startsWith("(") };
}

/** One stretch: where scores differ, members are not in order, and Redis stops at the first that is not in the range. */
function lexRange(all: readonly Row[], min: string, max: string, reverse: boolean): Row[] {
  const { above, below } = byLex(min, max);
  const [first, last] = [all[0], all.at(-1)];
  if (first === undefined || last === undefined || !above(last[0]) || !below(first[0])) return [];
  const rows = reverse ? all.toReversed() : all;
  const [begins, goesOn] = reverse ? [below, above] : [above, below];
  const start = rows.findIndex(([member]) => begins(member));
  const end = rows.findIndex(([member], i) => i >= start && !goesOn(member));
  return start < 0 ? [] : rows.slice(start, end < 0 ? undefined : end);
}

function byLex(min: string, max: string): Readonly<Record<"above" | "below", (member: string) => boolean>> {
  const [low, high] = [lexBound(min), lexBound(max)];
  const above = (member: string): boolean =>
    low === "-" || (low !== "+" && (low.open ? member > low.value : member >= low.value));
  const below = (member: string): boolean =>
    high === "+" || (high !== "-" && (high.open ? member < high.value : member <= high.value));
  return { above, below };
}

interface RangeOptions {
  readonly by: "index" | "score" | "lex";
  readonly reverse: boolean;
  readonly withScores: boolean;
  readonly limit: readonly [offset: number, count: number] | null;
}

function rangeOptions(call: Call, from: number, fixed: Partial<RangeOptions>, mayScore = true): RangeOptions {
  const { args } = call;
  let options: RangeOptions = { by: "index", reverse: false, withScores: false, limit: null, ...fixed };
  for (let i = from; i < args.length; i += 1) {
    const word = lower(arg(call, i));
    const isOpen = fixed.by === undefined;
    if (word === "withscores" && mayScore) options = { ...options, withScores: true };
    else if (word === "limit" && i + 2 < args.length) {
      options = { ...options, limit: [integer(arg(call, i + 1)), integer(arg(call, i + 2))] };
      i += 2;
    } else if (word === "byscore" && isOpen) options = { ...options, by: "score" };
    else if (word === "bylex" && isOpen) options = { ...options, by: "lex" };
    else if (word === "rev" && isOpen) options = { ...options, reverse: true };
    else throw new Refused(SYNTAX);
  }
  if (options.limit !== null && options.by === "index")
    throw new Refused("ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX");
  if (options.withScores && options.by === "lex")
    throw new Refused("ERR syntax error, WITHSCORES not supported in combination with BYLEX");
  return options;
}

/** Of the range whose key is argument `at`. */
function found(call: Call, at: number, options: RangeOptions): readonly Row[] {
  const [first, second] = [arg(call, at + 1), arg(call, at + 2)];
  const key = arg(call, at);
  if (options.by === "index") {
    const [start, stop] = [integer(first), integer(second)];
    const all = rows(call, key);
    if (options.reverse) all.reverse();
    return all.slice(...span(start, stop, all.length));
  }
  const [min, max] = options.reverse ? [second, first] : [first, second];
  const takes = options.by === "score" ? byScore(min, max) : null;
  if (takes === null) byLex(min, max);
  const all = rows(call, key);
  let chosen = takes === null ? lexRange(all, min, max, options.reverse) : all.filter(takes);
  if (takes !== null && options.reverse) chosen.reverse();
  if (options.limit !== null) {
    const [offset, count] = options.limit;
    chosen = offset < 0 ? [] : chosen.slice(offset, count < 0 ? undefined : offset + count);
  }
  return chosen;
}

function range(fixed: Partial<RangeOptions>) {
  return (call: Call): Reply => {
    const options = rangeOptions(call, 4, fixed);
    return answer(found(call, 1, options), options.withScores);
  };
}

function rangestore(call: Call): Reply {
  const options = rangeOptions(call, 5, { withScores: false }, false);
  return store(call, arg(call, 1), found(call, 2, options), "zrangestore");
}

function removeRange(event: string, choose: (call: Call) => (all: readonly Row[]) => readonly Row[]) {
  return (call: Call): Reply => {
    const chosen = choose(call);
    const doomed = chosen(rows(call, arg(call, 1))).map(([member]) => member);
    return int(remove(call, arg(call, 1), doomed, event));
  };
}

function rank(reverse: boolean) {
  return (call: Call): Reply => {
    const all = rows(call, arg(call, 1));
    if (reverse) all.reverse();
    const at = all.findIndex(([member]) => member === arg(call, 2));
    return at < 0 ? NIL : int(at);
  };
}

function pop(most: boolean) {
  return (call: Call): Reply => {
    if (call.args.length > 3) throw new Refused(SYNTAX);
    const count = call.args.length === 3 ? integer(arg(call, 2), "ERR value is out of range, must be positive") : 1;
    if (count < 0) throw new Refused("ERR value is out of range, must be positive");
    const all = rows(call, arg(call, 1));
    if (most) all.reverse();
    const taken = all.slice(0, count);
    if (taken.length === 0) return EMPTY;
    remove(
      call,
      arg(call, 1),
      taken.map(([member]) => member),
      most ? "zpopmax" : "zpopmin",
    );
    return answer(taken, true);
  };
}

/** Takes one from a sorted set, or null: for pops that may wait. */
export function popOneOf(call: WithKeys, key: string, most: boolean): Row | null {
  if (call.keys.peekAs(key, "zset") === null) return null;
  const all = rows(call, key);
  const row = (most ? all.at(-1) : all[0]) ?? null;
  if (row !== null) remove(call, key, [row[0]], most ? "zpopmax" : "zpopmin");
  return row;
}

function mpop(call: Call): Reply {
  const { args } = call;
  const count = integer(arg(call, 1), "ERR numkeys should be greater than 0");
  if (count <= 0) throw new Refused("ERR numkeys should be greater than 0");
  const where = lower(args[2 + count] ?? "");
  if (where !== "min" && where !== "max") throw new Refused(SYNTAX);
  const most = popCount(call, 3 + count);
  for (const key of args.slice(2, 2 + count)) {
    const all = rows(call, key);
    if (all.length === 0) continue;
    if (where === "max") all.reverse();
    const taken = all.slice(0, most);
    const event = where === "max" ? "zpopmax" : "zpopmin";
    remove(
      call,
      key,
      taken.map(([member]) => member),
      event,
    );
    call.rewrite([event.toUpperCase(), key, String(taken.length)]);
    return array([bulk(key), array(taken.map(([member, value]) => bulks([member, formatDouble(value)])))]);
  }
  return NIL_ARRAY;
}

/** `[COUNT n]` from an argument on. */
export function popCount(call: Call, from: number): number {
  let count = 1;
  for (let i = from; i < call.args.length; i += 2) {
    if (i > from || lower(arg(call, i)) !== "count" || call.args[i + 1] === undefined) throw new Refused(SYNTAX);
    count = integer(arg(call, i + 1), "ERR count should be greater than 0");
    if (count <= 0) throw new Refused("ERR count should be greater than 0");
  }
  return count;
}

function randmember(call: Call): Reply {
  const { args } = call;
  const withScores = args.length === 4 && lower(arg(call, 3)) === "withscores";
  const count = args.length > 2 ? integer(arg(call, 2)) : null;
  if (args.length > 4 || (args.length === 4 && !withScores)) throw new Refused(SYNTAX);
  const all = rows(call, arg(call, 1));
  if (count === null) return all.length === 0 ? NIL : bulk(drawn(call, all, 1)[0]?.[0]);
  return answer(drawn(call, all, count), withScores);
}

/** A listpack keeps whole scores as integers, and ZSCAN shows what it finds. */
function scannedScore(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 2 ** 62 ? String(BigInt(value)) : formatDouble(value);
}

function score(call: Call, member: string): Reply {
  const found = call.keys.readAs(arg(call, 1), "zset")?.scores.get(member);
  return found === undefined ? NIL : bulk(formatDouble(found));
}

export const sortedSetCommands: readonly CommandSpec[] = [
  command("zadd", -4, "write", zadd),
  command("zincrby", 4, "write", zincrby),
  command("zrem", -3, "write", (call) => int(remove(call, arg(call, 1), call.args.slice(2), "zrem"))),
  command("zscore", 3, "", (call) => score(call, arg(call, 2))),
  command("zmscore", -3, "", (call) => array(call.args.slice(2).map((member) => score(call, member)))),
  command("zcard", 2, "", (call) => int(rows(call, arg(call, 1)).length)),
  command("zcount", 4, "", (call) => {
    const takes = byScore(arg(call, 2), arg(call, 3));
    return int(rows(call, arg(call, 1)).filter(takes).length);
  }),
  command("zrank", 3, "", rank(false)),
  command("zrevrank", 3, "", rank(true)),
  command("zrange", -4, "", range({})),
  command("zrevrange", -4, "", range({ by: "index", reverse: true })),
  command("zrangebyscore", -4, "", range({ by: "score" })),
  command("zrevrangebyscore", -4, "", range({ by: "score", reverse: true })),
  command("zrangebylex", -4, "", range({ by: "lex" })),
  command(
    "zremrangebyscore",
    4,
    "write",
    removeRange("zremrangebyscore", (call) => {
      const takes = byScore(arg(call, 2), arg(call, 3));
      return (all) => all.filter(takes);
    }),
  ),
  command(
    "zremrangebyrank",
    4,
    "write",
    removeRange("zremrangebyrank", (call) => {
      const [start, stop] = [integer(arg(call, 2)), integer(arg(call, 3))];
      return (all) => all.slice(...span(start, stop, all.length));
    }),
  ),
  command(
    "zremrangebylex",
    4,
    "write",
    removeRange("zremrangebylex", (call) => {
      byLex(arg(call, 2), arg(call, 3));
      return (all) => lexRange(all, arg(call, 2), arg(call, 3), false);
    }),
  ),
  command("zrevrangebylex", -4, "", range({ by: "lex", reverse: true })),
  command("zlexcount", 4, "", (call) => {
    byLex(arg(call, 2), arg(call, 3));
    return int(lexRange(rows(call, arg(call, 1)), arg(call, 2), arg(call, 3), false).length);
  }),
  command("zrangestore", -5, "write", rangestore),
  command("zrandmember", -2, "", randmember),
  command("zmpop", -4, "write", mpop),
  command("zpopmin", -2, "write", pop(false)),
  command("zpopmax", -2, "write", pop(true)),
  command("zscan", -3, "", (call) =>
    scanWithin(
      call,
      rows(call, arg(call, 1)).map(([member, value]) => [member, scannedScore(value)]),
    ),
  ),
];
