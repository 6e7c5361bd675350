/** Commands on keys of any kind: deleting, naming, finding, and their times. */
import { mixString } from "../../base/hash.ts";
import { arg, type Call, command, type CommandSpec } from "../call.ts";
import { lower, untilNul } from "../bytes.ts";
import { globMatches } from "../glob.ts";
import { integer } from "../numbers.ts";
import { array, bulk, bulks, int, NIL, OK, Refused, type Reply, status, SYNTAX } from "../reply.ts";
import { copyOf, type Value } from "../values.ts";
import { readAnyTime, type TimeUnit } from "./time.ts";

function del({ keys, args }: Call): Reply {
  let count = 0;
  for (const key of args.slice(1)) {
    if (!keys.delete(key)) continue;
    keys.dirty += 1;
    keys.notify("g", "del", key);
    count += 1;
  }
  return int(count);
}

function exists({ keys, args }: Call): Reply {
  return int(args.slice(1).filter((key) => keys.read(key) !== null).length);
}

function expire(unit: TimeUnit) {
  return (call: Call): Reply => {
    const { keys } = call;
    const key = arg(call, 1);
    const only = readCondition(call.args.slice(3));
    const at = readAnyTime(arg(call, 2), unit, keys.now, lower(arg(call, 0)));
    if (keys.peek(key) === null) return int(0);
    const old = keys.expireAt(key);
    if (only.has("nx") && old !== null) return int(0);
    if (only.has("xx") && old === null) return int(0);
    if (only.has("gt") && (old === null || at <= old)) return int(0);
    if (only.has("lt") && old !== null && at >= old) return int(0);
    // What comes from the primary, or from the file, is only noted: the deletion follows.
    if (at <= keys.now && keys.expiry === "remove") {
      keys.delete(key);
      keys.dirty += 1;
      keys.notify("g", "del", key);
      call.rewrite(["DEL", key]);
      return int(1);
    }
    keys.setExpiry(key, at);
    keys.changed("g", "expire", key);
    call.rewrite(["PEXPIREAT", key, String(at)]);
    return int(1);
  };
}

function readCondition(words: readonly string[]): ReadonlySet<string> {
  const only = new Set(words.map(lower));
  for (const [i, word] of words.map(lower).entries())
    if (!["nx", "xx", "gt", "lt"].includes(word))
      throw new Refused(`ERR Unsupported option ${untilNul(words[i] as string)}`);
  if (only.has("nx") && only.size > 1)
    throw new Refused("ERR NX and XX, GT or LT options at the same time are not compatible");
  if (only.has("gt") && only.has("lt")) throw new Refused("ERR GT and LT options at the same time are not compatible");
  return only;
}

/** @param show what is answered for a time; -2: no key, -1: no time */
function time(show: (at: number, now: number) => number) {
  return (call: Call): Reply => {
    const { keys } = call;
    const key = arg(call, 1);
    if (keys.read(key) === null) return int(-2);
    const at = keys.expireAt(key);
    return int(at === null ? -1 : show(at, keys.now));
  };
}

const seconds = (ms: number): number => Math.floor((ms + 500) / 1_000);
const left = (at: number, now: number): number => Math.max(0, at - now);

function persist(call: Call): Reply {
  const { keys } = call;
  const key = arg(call, 1);
  if (keys.peek(key) === null || keys.expireAt(key) === null) return int(0);
  keys.setExpiry(key, null);
  keys.changed("g", "persist", key);
  return int(1);
}

function rename(call: Call, onlyNew: boolean): Reply {
  const { keys } = call;
  const [from, to] = [arg(call, 1), arg(call, 2)];
  const value = keys.mustExist(from);
  if (from === to) return onlyNew ? int(0) : OK;
  if (onlyNew && keys.peek(to) !== null) return int(0);
  const at = keys.expireAt(from);
  keys.put(to, value, at);
  keys.delete(from);
  keys.dirty += 1;
  keys.notify("g", "rename_from", from);
  keys.notify("g", "rename_to", to);
  return onlyNew ? int(1) : OK;
}

function copy(call: Call): Reply {
  const { keys, args } = call;
  const [from, to] = [arg(call, 1), arg(call, 2)];
  let replace = false;
  let db = keys.selected;
  for (let i = 3; i < args.length; i += 1) {
    const word = lower(arg(call, i));
    if (word === "replace") replace = true;
    else if (word === "db" && i + 1 < args.length) db = readDb(arg(call, (i += 1)));
    else throw new Refused(SYNTAX);
  }
  if (from === to && db === keys.selected) throw new Refused("ERR source and destination objects are the same");
  const value = keys.read(from);
  if (value === null) return int(0);
  const at = keys.expireAt(from);
  const home = keys.selected;
  keys.selected = db;
  const done = replace || keys.peek(to) === null;
  if (done) {
    keys.put(to, copyOf(value, 0), at);
    keys.dirty += 1;
    keys.notify("g", "copy_to", to);
  }
  keys.selected = home;
  return int(done);
}

function move(call: Call): Reply {
  const { keys } = call;
  const [key, db] = [arg(call, 1), readDb(arg(call, 2))];
  const home = keys.selected;
  if (db === home) throw new Refused("ERR source and destination objects are the same");
  const value = keys.peek(key);
  if (value === null) return int(0);
  const at = keys.expireAt(key);
  keys.selected = db;
  const isFree = keys.peek(key) === null;
  if (isFree) keys.put(key, value, at);
  keys.selected = home;
  if (!isFree) return int(0);
  keys.delete(key);
  keys.dirty += 1;
  keys.notify("g", "move_from", key);
  keys.selected = db;
  keys.notify("g", "move_to", key);
  keys.selected = home;
  return int(1);
}

function swapDb(call: Call): Reply {
  const [first, second] = [
    integer(arg(call, 1), "ERR invalid first DB index"),
    integer(arg(call, 2), "ERR invalid second DB index"),
  ];
  call.keys.swap(readDb(String(first)), readDb(String(second)));
  call.keys.dirty += 1;
  return OK;
}

export function readDb(text: string): number {
  const db = integer(text);
  if (db < 0 || db > 15) throw new Refused("ERR DB index is out of range");
  return db;
}

/** In the order of a hash of the key, so that a walk with cursors meets each key that stays. */
function inHashOrder(names: readonly string[]): { readonly name: string; readonly hash: number }[] {
  return names
    .map((name) => ({ name, hash: (mixString(1, name) >>> 0) + 1 }))
    .sort((a, b) => a.hash - b.hash || (a.name < b.name ? -1 : 1));
}

interface ScanOptions {
  readonly match: string | null;
  readonly count: number;
  readonly type: string | null;
}

function scanOptions(args: readonly string[], withType: boolean): ScanOptions {
  let [match, type]: [string | null, string | null] = [null, null];
  let count = 10;
  for (let i = 0; i < args.length; i += 2) {
    const word = lower(args[i] as string);
    const next = args[i + 1];
    if (next === undefined) throw new Refused(SYNTAX);
    if (word === "match") match = next;
    else if (word === "count") {
      count = integer(next);
      if (count < 1) throw new Refused(SYNTAX);
    } else if (word === "type" && withType) type = lower(next);
    else throw new Refused(SYNTAX);
  }
  return { match, count, type };
}

/** One step of a walk: names from the cursor on, `count` of them and all that share the last one's hash. */
function walk(
  names: readonly string[],
  cursor: string,
  count: number,
): { readonly next: string; readonly names: string[] } {
  const ordered = inHashOrder(names).filter(({ hash }) => hash >= Number(cursor));
  const end = ordered[Math.max(count, 1)]?.hash;
  const taken = ordered.filter(({ hash }, i) => i < count || hash === ordered[count - 1]?.hash);
  const following = ordered[taken.length]?.hash;
  return {
    next: end === undefined || following === undefined ? "0" : String(following),
    names: taken.map(({ name }) => name),
  };
}

function cursorOf(text: string): string {
  if (!/^-?\d{1,20}$/.test(text)) throw new Refused("ERR invalid cursor");
  // A negative one wraps to something greater than every hash.
  return text.startsWith("-") ? "Infinity" : text;
}

function scan(call: Call): Reply {
  const { keys } = call;
  const cursor = cursorOf(arg(call, 1));
  const { match, count, type } = scanOptions(call.args.slice(2), true);
  const { next, names } = walk(keys.allKeys(), cursor, count);
  const found = names.filter(
    (name) =>
      (match === null || globMatches(match, name)) &&
      (type === null || keys.peek(name)?.type === type) &&
      keys.peek(name) !== null,
  );
  return array([bulk(next), bulks(found)]);
}

/** HSCAN, SSCAN and ZSCAN: small collections come whole, as Redis does with listpacks and intsets. */
export function scanWithin(call: Call, all: readonly (readonly [string, ...string[]])[]): Reply {
  const cursor = cursorOf(arg(call, 2));
  if (all.length === 0) return array([bulk("0"), array([])]);
  const { match, count } = scanOptions(call.args.slice(3), false);
  const byName = new Map(all.map((row) => [row[0], row]));
  const { next, names } =
    all.length <= 128 ? { next: "0", names: [...byName.keys()] } : walk([...byName.keys()], cursor, count);
  const found = names.filter((name) => match === null || globMatches(match, name));
  return array([bulk(next), bulks(found.flatMap((name) => byName.get(name) ?? []))]);
}

function encodingOf(value: Value): string {
  const isSmall = (texts: Iterable<string>, count: number): boolean =>
    count <= 128 && [...texts].every(({ length }) => length <= 64);
  switch (value.type) {
    case "string":
      return /^(0|-?[1-9]\d{0,18})$/.test(value.text) ? "int" : value.text.length <= 44 ? "embstr" : "raw";
    case "hash":
      return isSmall([...value.fields].flat(), value.fields.size) ? "listpack" : "hashtable";
    case "list":
      return "quicklist";
    case "set":
      return [...value.members].every((one) => /^(0|-?[1-9]\d{0,18})$/.test(one)) && value.members.size <= 512
        ? "intset"
        : "hashtable";
    case "zset":
      return isSmall(value.scores.keys(), value.scores.size) ? "listpack" : "skiplist";
  }
}

function object(call: Call): Reply {
  const what = lower(arg(call, 1));
  const value = call.keys.peek(arg(call, 2));
  if (value === null) return NIL;
  if (what === "encoding") return bulk(encodingOf(value));
  return int(what === "refcount" ? 1 : 0);
}

function flush(all: boolean) {
  return ({ keys, args }: Call): Reply => {
    const mode = args[1] === undefined ? "sync" : lower(args[1]);
    if (args.length > 2 || (mode !== "sync" && mode !== "async")) throw new Refused(SYNTAX);
    keys.flush(all);
    keys.dirty += 1;
    return OK;
  };
}

function randomKey({ keys, rng }: Call): Reply {
  const names = keys.visibleKeys();
  return names.length === 0 ? NIL : bulk(names[rng.below(names.length)]);
}

export const keyCommands: readonly CommandSpec[] = [
  command("del", -2, "write", del),
  command("unlink", -2, "write", del),
  command("exists", -2, "", exists),
  command("touch", -2, "", exists),
  command("expire", -3, "write", expire("s")),
  command("pexpire", -3, "write", expire("ms")),
  command("expireat", -3, "write", expire("at-s")),
  command("pexpireat", -3, "write", expire("at-ms")),
  command("persist", 2, "write", persist),
  command(
    "ttl",
    2,
    "",
    time((at, now) => seconds(left(at, now))),
  ),
  command("pttl", 2, "", time(left)),
  command("expiretime", 2, "", time(seconds)),
  command(
    "pexpiretime",
    2,
    "",
    time((at) => at),
  ),
  command("type", 2, "", (call) => status(call.keys.peek(arg(call, 1))?.type ?? "none")),
  command("keys", 2, "", (call) => bulks(call.keys.visibleKeys().filter((key) => globMatches(arg(call, 1), key)))),
  command("scan", -2, "", scan),
  command("rename", 3, "write", (call) => rename(call, false)),
  command("renamenx", 3, "write", (call) => rename(call, true)),
  command("move", 3, "write", move),
  command("swapdb", 3, "write", swapDb),
  command("copy", -3, "write", copy),
  command("randomkey", 1, "", randomKey),
  command("dbsize", 1, "", ({ keys }) => int(keys.size)),
  command("flushall", -1, "write", flush(true)),
  command("flushdb", -1, "write", flush(false)),
];

export const objectSubcommands: readonly CommandSpec[] = [
  command("encoding", 3, "", object),
  command("refcount", 3, "", object),
  command("freq", 3, "", object),
  command("idletime", 3, "", object),
];
