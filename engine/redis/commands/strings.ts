/** Strings and counters. */
import { arg, type Call, command, type CommandSpec } from "../call.ts";
import { addLongDouble, isLongDouble } from "../long-double.ts";
import { INT64_MAX, INT64_MIN, int64, integer } from "../numbers.ts";
import {
  bulk,
  bulks,
  int,
  NIL,
  NOT_A_FLOAT,
  NOT_AN_INTEGER,
  OK,
  Refused,
  type Reply,
  SYNTAX,
  wrongArity,
} from "../reply.ts";
import { lower } from "../bytes.ts";
import { readTime, type TimeUnit } from "./time.ts";

const STRING_MAX = 512 * 1_024 * 1_024;
const TOO_LONG = "ERR string exceeds maximum allowed size (proto-max-bulk-len)";
const OVERFLOW = "ERR increment or decrement would overflow";

const TIME_OPTIONS: Readonly<Record<string, TimeUnit>> = { ex: "s", px: "ms", exat: "at-s", pxat: "at-ms" };

interface StringOptions {
  readonly exists: "nx" | "xx" | null;
  readonly get: boolean;
  readonly keep: boolean;
  readonly persist: boolean;
  readonly time: { readonly text: string; readonly unit: TimeUnit } | null;
}

/** The options of SET and GETEX, none against another; of one that comes twice the last counts. */
function readOptions(args: readonly string[], allowed: readonly string[]): StringOptions {
  let exists: "nx" | "xx" | null = null;
  let [get, keep, persist] = [false, false, false];
  let time = null as StringOptions["time"];
  for (let i = 0; i < args.length; i += 1) {
    const word = lower(args[i] as string);
    const unit = TIME_OPTIONS[word];
    const next = args[i + 1];
    if (!allowed.includes(word)) throw new Refused(SYNTAX);
    if ((word === "nx" || word === "xx") && (exists ?? word) === word) exists = word;
    else if (word === "get") get = true;
    else if (word === "keepttl" && time === null && !persist) keep = true;
    else if (word === "persist" && time === null && !keep) persist = true;
    else if (unit !== undefined && next !== undefined && (time?.unit ?? unit) === unit && !keep && !persist) {
      time = { text: next, unit };
      i += 1;
    } else throw new Refused(SYNTAX);
  }
  return { exists, get, keep, persist, time };
}

function text(call: Call, key: string): string | null {
  return call.keys.readAs(key, "string")?.text ?? null;
}

function set(call: Call): Reply {
  const { keys, args } = call;
  const [, key = "", value = ""] = args;
  const options = readOptions(args.slice(3), ["nx", "xx", "get", "keepttl", "ex", "px", "exat", "pxat"]);
  const { exists, get, keep, time } = options;
  const at = time === null ? null : readTime(time.text, time.unit, keys.now, "set");
  const old = get ? bulk(text(call, key)) : null;
  const found = keys.peek(key) !== null;
  if ((exists === "nx" && found) || (exists === "xx" && !found)) return old ?? NIL;
  keys.putText(key, value, at ?? (keep ? keys.expireAt(key) : null));
  keys.dirty += 1;
  keys.notify("$", "set", key);
  if (at !== null) {
    keys.notify("g", "expire", key);
    call.rewrite(["SET", key, value, "PXAT", String(at)]);
  } else if (get || exists !== null) call.rewrite(["SET", key, value, ...(keep ? ["KEEPTTL"] : [])]);
  return old ?? OK;
}

function setWithTime(unit: TimeUnit) {
  return (call: Call): Reply => {
    const { keys } = call;
    const [key, value] = [arg(call, 1), arg(call, 3)];
    const at = readTime(arg(call, 2), unit, keys.now, lower(arg(call, 0)));
    keys.putText(key, value, at);
    keys.dirty += 1;
    keys.notify("$", "set", key);
    keys.notify("g", "expire", key);
    call.rewrite(["SET", key, value, "PXAT", String(at)]);
    return OK;
  };
}

function setnx(call: Call): Reply {
  const { keys } = call;
  const key = arg(call, 1);
  if (keys.peek(key) !== null) return int(0);
  keys.putText(key, arg(call, 2));
  keys.dirty += 1;
  keys.notify("$", "set", key);
  return int(1);
}

function getset(call: Call): Reply {
  const { keys } = call;
  const [key, value] = [arg(call, 1), arg(call, 2)];
  const old = bulk(text(call, key));
  keys.putText(key, value);
  keys.dirty += 1;
  keys.notify("$", "set", key);
  call.rewrite(["SET", key, value]);
  return old;
}

function getdel(call: Call): Reply {
  const { keys } = call;
  const key = arg(call, 1);
  const old = text(call, key);
  if (old === null) return NIL;
  keys.delete(key);
  keys.dirty += 1;
  keys.notify("g", "del", key);
  call.rewrite(["DEL", key]);
  return bulk(old);
}

function getex(call: Call): Reply {
  const { keys, args } = call;
  const key = arg(call, 1);
  const { time, persist } = readOptions(args.slice(2), ["persist", "ex", "px", "exat", "pxat"]);
  const old = text(call, key);
  if (old === null) return NIL;
  const at = time === null ? null : readTime(time.text, time.unit, keys.now, "getex");
  if (at !== null && at <= keys.now && (time?.unit === "at-s" || time?.unit === "at-ms")) {
    keys.delete(key);
    keys.changed("g", "del", key);
    call.rewrite(["DEL", key]);
  } else if (at !== null) {
    keys.setExpiry(key, at);
    keys.changed("g", "expire", key);
    call.rewrite(["PEXPIREAT", key, String(at)]);
  } else if (persist && keys.expireAt(key) !== null) {
    keys.setExpiry(key, null);
    keys.changed("g", "persist", key);
    call.rewrite(["PERSIST", key]);
  }
  return bulk(old);
}

function mget({ keys, args }: Call): Reply {
  return bulks(
    args.slice(1).map((key) => {
      const value = keys.read(key);
      return value?.type === "string" ? value.text : null;
    }),
  );
}

function pairs(args: readonly string[]): (readonly [string, string])[] {
  if (args.length % 2 === 0) throw new Refused(wrongArity(lower(args[0] as string)));
  const out: [string, string][] = [];
  for (let i = 1; i < args.length; i += 2) out.push([args[i] as string, args[i + 1] as string]);
  return out;
}

function mset({ keys, args }: Call): Reply {
  for (const [key, value] of pairs(args)) {
    keys.putText(key, value);
    keys.dirty += 1;
    keys.notify("$", "set", key);
  }
  return OK;
}

function msetnx(call: Call): Reply {
  if (pairs(call.args).some(([key]) => call.keys.peek(key) !== null)) return int(0);
  mset(call);
  return int(1);
}

function append(call: Call): Reply {
  const { keys } = call;
  const [key, more] = [arg(call, 1), arg(call, 2)];
  const joined = (keys.peekAs(key, "string")?.text ?? "") + more;
  if (joined.length > STRING_MAX) throw new Refused(TOO_LONG);
  keys.putText(key, joined, keys.expireAt(key));
  keys.dirty += 1;
  keys.notify("$", "append", key);
  return int(joined.length);
}

function setrange(call: Call): Reply {
  const { keys } = call;
  const [key, part] = [arg(call, 1), arg(call, 3)];
  const offset = integer(arg(call, 2));
  if (offset < 0) throw new Refused("ERR offset is out of range");
  const old = keys.peekAs(key, "string")?.text ?? "";
  if (part === "") return int(old.length);
  if (offset + part.length > STRING_MAX) throw new Refused(TOO_LONG);
  const next = old.slice(0, offset).padEnd(offset, "\0") + part + old.slice(offset + part.length);
  keys.putText(key, next, keys.expireAt(key));
  keys.dirty += 1;
  keys.notify("$", "setrange", key);
  return int(next.length);
}

function getrange(call: Call): Reply {
  let [start, end] = [integer(arg(call, 2)), integer(arg(call, 3))];
  const value = text(call, arg(call, 1)) ?? "";
  if (start < 0 && end < 0 && start > end) return bulk("");
  if (start < 0) start = Math.max(0, value.length + start);
  if (end < 0) end = Math.max(0, value.length + end);
  end = Math.min(end, value.length - 1);
  return bulk(start > end ? "" : value.slice(start, end + 1));
}

function incrementBy(call: Call, by: bigint): Reply {
  const { keys } = call;
  const key = arg(call, 1);
  const old = int64(keys.peekAs(key, "string")?.text ?? "0");
  const next = old + by;
  if (next > INT64_MAX || next < INT64_MIN) throw new Refused(OVERFLOW);
  keys.putText(key, String(next), keys.expireAt(key));
  keys.dirty += 1;
  keys.notify("$", "incrby", key);
  return int(next);
}

function decrby(call: Call): Reply {
  const by = int64(arg(call, 2));
  if (by === INT64_MIN) throw new Refused("ERR decrement would overflow");
  return incrementBy(call, -by);
}

function incrbyfloat(call: Call): Reply {
  const { keys } = call;
  const [key, by] = [arg(call, 1), arg(call, 2)];
  const old = keys.peekAs(key, "string")?.text ?? "0";
  if (!isLongDouble(old) || !isLongDouble(by)) throw new Refused(NOT_A_FLOAT);
  const sum = addLongDouble(old, by);
  if (typeof sum === "string")
    throw new Refused(sum === "not-finite" ? "ERR increment would produce NaN or Infinity" : NOT_A_FLOAT);
  keys.putText(key, sum.value, keys.expireAt(key));
  keys.dirty += 1;
  keys.notify("$", "incrbyfloat", key);
  call.rewrite(["SET", key, sum.value, "KEEPTTL"]);
  return bulk(sum.value);
}

export const stringCommands: readonly CommandSpec[] = [
  command("get", 2, "", (call) => bulk(text(call, arg(call, 1)))),
  command("set", -3, "write", set),
  command("setnx", 3, "write", setnx),
  command("setex", 4, "write", setWithTime("s")),
  command("psetex", 4, "write", setWithTime("ms")),
  command("getset", 3, "write", getset),
  command("getdel", 2, "write", getdel),
  command("getex", -2, "write", getex),
  command("mget", -2, "", mget),
  command("mset", -3, "write", mset),
  command("msetnx", -3, "write", msetnx),
  command("append", 3, "write", append),
  command("strlen", 2, "", (call) => int((text(call, arg(call, 1)) ?? "").length)),
  command("setrange", 4, "write", setrange),
  command("getrange", 4, "", getrange),
  command("substr", 4, "", getrange),
  command("incr", 2, "write", (call) => incrementBy(call, 1n)),
  command("decr", 2, "write", (call) => incrementBy(call, -1n)),
  command("incrby", 3, "write", (call) => incrementBy(call, int64(arg(call, 2), NOT_AN_INTEGER))),
  command("decrby", 3, "write", decrby),
  command("incrbyfloat", 3, "write", incrbyfloat),
];
