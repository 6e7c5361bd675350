/**
 * EVAL and its like: scripts by their SHA-1, the `redis` table that they see, and the conversions of values both ways.
 *
 * A script runs at one instant and alone. Replicas and the file are told what it did, not the script (Redis 7 knows no
 * other way). What Redis 7.0 words for a script that fails is kept to the letter.
 */
import { formatDouble } from "./numbers.ts";
import { array, bulk, error, int, NIL, type Reply, status } from "./reply.ts";
import { library } from "./lua/arguments.ts";
import { installLibrary, opaque } from "./lua/library.ts";
import { toInt64 } from "./lua/strings.ts";
import { joinable, Machine } from "./lua/machine.ts";
import { compile } from "./lua/parser.ts";
import { LuaError, LuaSyntaxError, LuaTable, type LuaValue } from "./lua/value.ts";
import { sha1 } from "./sha1.ts";
import { installCjson } from "./lua/cjson.ts";

const CHUNK = "user_script";
const NESTED_MAX = 100;

export interface ScriptHost {
  /** Carries out a command for the script. */
  call(args: readonly string[]): Reply;
  log(level: number, text: string): void;
}

/** @returns null, or the error's whole text */
export function checkScript(source: string): string | null {
  try {
    compile(source, CHUNK, new Machine(CHUNK, new LuaTable(), new LuaTable()));
    return null;
  } catch (failure) {
    if (failure instanceof LuaSyntaxError) return `ERR Error compiling script (new function): ${failure.message}`;
    throw failure;
  }
}

export function runScript(source: string, keys: readonly string[], args: readonly string[], host: ScriptHost): Reply {
  const machine = new Machine(CHUNK, new LuaTable(), new LuaTable());
  installLibrary(machine);
  installRedis(machine, host);
  installCjson(machine);
  machine.globals.set("KEYS", tableOf(keys));
  machine.globals.set("ARGV", tableOf(args));
  protect(machine);
  try {
    const main = compile(source, CHUNK, machine);
    return toReply(main.call([])[0], 0);
  } catch (failure) {
    if (failure instanceof LuaSyntaxError)
      return error(`ERR Error compiling script (new function): ${failure.message}`);
    if (failure instanceof LuaError) return error(failureText(failure, sha1(source)));
    // The interpreter's own stack is smaller than Lua's.
    if (failure instanceof RangeError)
      return error(failureText(new LuaError("stack overflow", machine.line), sha1(source)));
    throw failure;
  }
}

function failureText({ value, line }: LuaError, sha: string): string {
  const place = ` script: ${sha}, on @${CHUNK}:${line}.`;
  const text = value instanceof LuaTable ? value.get("err") : value;
  if (value instanceof LuaTable && typeof text === "string") return `${withoutLines(text)}${place}`;
  return `ERR ${withoutLines(plainText(text))}${place}`;
}

function plainText(value: LuaValue): string {
  if (value === undefined) return "nil";
  if (typeof value === "object") return opaque(value);
  return joinable(value) ?? String(value);
}

/** Globals are Redis's: reading one that is not there, and writing any, is an error. */
function protect(machine: Machine): void {
  const { globals } = machine;
  const meta = library(machine, {
    __index: (args) => args.machine.fail(`Script attempted to access nonexistent global variable '${args.text(1)}'`),
  });
  globals.meta = meta;
  globals.readonly = true;
  for (const value of globals.rest.values()) if (value instanceof LuaTable) value.readonly = true;
  for (const name of ["KEYS", "ARGV"]) (globals.rest.get(name) as LuaTable).readonly = false;
}

function tableOf(texts: readonly string[]): LuaTable {
  const table = new LuaTable();
  table.items = [...texts];
  return table;
}

function errorTable(text: string): LuaTable {
  const table = new LuaTable();
  table.set("err", text);
  return table;
}

function installRedis(machine: Machine, host: ScriptHost): void {
  const raise = (text: string): never => {
    throw new LuaError(errorTable(text), machine.line);
  };
  const call = (values: readonly LuaValue[]): LuaValue => {
    if (values.length === 0) return errorTable("ERR Please specify at least one argument for this redis lib call");
    const args = values.map(argument);
    if (args.includes(undefined)) return errorTable("ERR Lua redis lib command arguments must be strings or integers");
    return toLua(host.call(args as string[]));
  };
  const single = (values: readonly LuaValue[], field: "ok" | "err"): LuaTable => {
    const [text] = values;
    if (values.length !== 1 || typeof text !== "string") return errorTable("ERR wrong number or type of arguments");
    const table = new LuaTable();
    table.set(field, field === "ok" ? text : withCode(text));
    return table;
  };
  const redis = library(machine, {
    call: ({ values }) => {
      const result = call(values);
      const text = result instanceof LuaTable ? result.get("err") : undefined;
      return [typeof text === "string" ? raise(text) : result];
    },
    pcall: ({ values }) => [call(values)],
    error_reply: ({ values }) => [single(values, "err")],
    status_reply: ({ values }) => [single(values, "ok")],
    sha1hex: ({ values }) => {
      if (values.length !== 1) return [raise("ERR wrong number of arguments")];
      return [sha1(joinable(values[0]) ?? "")];
    },
    log: (args) => {
      if (args.values.length < 2) return [raise("ERR redis.log() requires two arguments or more.")];
      if (typeof args.values[0] !== "number") return [raise("ERR First argument must be a number (log level).")];
      host.log(
        args.whole(0),
        args.values
          .slice(1)
          .map((value) => joinable(value) ?? "")
          .join(" "),
      );
      return [];
    },
    setresp: ({ values }) => {
      if (values.length !== 1) return [raise("ERR redis.setresp() requires one argument.")];
      return values[0] === 2 || values[0] === 3 ? [] : [raise("ERR RESP version must be 2 or 3.")];
    },
    replicate_commands: () => [true],
    set_repl: () => [],
    breakpoint: () => [false],
    debug: () => [],
  });
  for (const [name, level] of [...LEVELS.entries()].map(([i, one]) => [one, i] as const)) redis.set(name, level);
  for (const [name, value] of Object.entries({
    REPL_NONE: 0,
    REPL_AOF: 1,
    REPL_SLAVE: 2,
    REPL_REPLICA: 2,
    REPL_ALL: 3,
  }))
    redis.set(name, value);
  redis.set("REDIS_VERSION", "7.0.15");
  redis.set("REDIS_VERSION_NUM", 0x07000f);
  machine.globals.set("redis", redis);
}

const LEVELS = ["LOG_DEBUG", "LOG_VERBOSE", "LOG_NOTICE", "LOG_WARNING"];

/** An error without a code in front gets the general one. */
function withCode(text: string): string {
  if (text.startsWith("-")) return withCode(text.slice(1));
  return text.includes(" ") ? text : `ERR ${text}`;
}

function argument(value: LuaValue): string | undefined {
  return typeof value === "number" ? formatDouble(value) : typeof value === "string" ? value : undefined;
}

/** A reply as a script sees it: nil is false, a status or an error a table. */
export function toLua(reply: Reply): LuaValue {
  switch (reply.type) {
    case "int":
      return reply.value;
    case "bulk":
      return reply.value;
    case "nil":
    case "nilarray":
      return false;
    case "error":
      return errorTable(reply.value);
    case "status": {
      const table = new LuaTable();
      table.set("ok", reply.value);
      return table;
    }
    case "array": {
      const table = new LuaTable();
      table.items = reply.items.map(toLua);
      return table;
    }
  }
}

/** What a script returns as a reply: numbers lose their fraction, a list ends at its first nil. */
export function toReply(value: LuaValue, depth: number): Reply {
  if (typeof value === "string") return bulk(value);
  if (typeof value === "number") return int(toInt64(value));
  if (typeof value === "boolean") return value ? int(1) : NIL;
  if (!(value instanceof LuaTable)) return NIL;
  if (depth > NESTED_MAX) return error("ERR reached lua stack limit");
  const failure = value.get("err");
  if (typeof failure === "string") return error(withoutLines(failure));
  const fine = value.get("ok");
  if (typeof fine === "string") return status(withoutLines(fine));
  const number = value.get("double");
  if (typeof number === "number") return bulk(formatDouble(number));
  const items: Reply[] = [];
  for (let i = 1; value.get(i) !== undefined; i += 1) items.push(toReply(value.get(i), depth + 1));
  return array(items);
}

function withoutLines(text: string): string {
  return text.replaceAll(/[\r\n]/g, " ");
}
