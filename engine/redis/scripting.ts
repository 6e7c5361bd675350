/**
 * EVAL and its like: scripts by their SHA-1, the `redis` table that they see, and the conversions of values both ways.
 *
 * A script runs at one instant and alone. Replicas and the file are told what it did, not the script (Redis 7 knows no
 * other way). What Redis 7.0 words for a script that fails is kept to the letter.
 */
import { present } from "../base/assert.ts";
import { lower } from "./bytes.ts";
import { formatDouble } from "./numbers.ts";
import { array, bulk, error, int, NIL, type Reply, status } from "./reply.ts";
import { library } from "./lua/arguments.ts";
import { installBit } from "./lua/bit.ts";
import { installCjson } from "./lua/cjson.ts";
import { installLibrary, opaque } from "./lua/library.ts";
import { toInt64 } from "./lua/strings.ts";
import { isFunction, joinable, Machine } from "./lua/machine.ts";
import { installMsgpack } from "./lua/msgpack.ts";
import { compile } from "./lua/parser.ts";
import { type JsonSettings, jsonSettings } from "./lua/json-settings.ts";
import { RANDOM_START, type RandomState } from "./lua/random.ts";
import { installStruct } from "./lua/struct.ts";
import { LuaError, type LuaFunction, LuaSyntaxError, LuaTable, type LuaValue } from "./lua/value.ts";
import { sha1 } from "../base/sha1.ts";

const CHUNK = "user_script";
const NESTED_MAX = 100;

export interface ScriptHost {
  /** Carries out a command for the script; one that says of itself that it does not write may not. */
  call(args: readonly string[], isReadOnly: boolean): Reply;
  /** Whether a command is known and has as many arguments as it needs; the error otherwise. */
  checkCommand(args: readonly string[]): string | null;
}

/** A script that was read. */
type Program =
  | { readonly main: LuaFunction; readonly isReadOnly: boolean }
  /** The error's whole text. */
  | { readonly failure: string };

/** What lasts from script to script, and so is the server's. */
export interface ScriptState {
  /** Where `math.random` stands. */
  readonly random: RandomState;
  /** What scripts have set of `cjson`. */
  readonly json: JsonSettings;
}

export const SCRIPT_START: ScriptState = { random: RANDOM_START, json: jsonSettings() };

/** More than any lab has; then those that were read first are read again. */
const PROGRAMS_MAX = 500;

/**
 * Lua with Redis's library, and the scripts that were read: each is read once. None of it is a server's state: whatever
 * is asked of it, a new one would answer the same: what lasts is handed in and out.
 */
export class ScriptEngine {
  readonly #machine = new Machine(CHUNK, new LuaTable(), new LuaTable());
  readonly #programs = new Map<string, Program>();
  readonly #running: Running = { host: null, isReadOnly: false, resp: 2 };

  constructor() {
    installLibrary(this.#machine);
    installRedis(this.#machine, this.#running);
    installCjson(this.#machine);
    installBit(this.#machine);
    installMsgpack(this.#machine);
    installStruct(this.#machine);
    protect(this.#machine);
  }

  get state(): ScriptState {
    const { random, json } = this.#machine;
    return { random, json: { ...json } };
  }
  set state({ random, json }: ScriptState) {
    Object.assign(this.#machine, { random, json: { ...json } });
  }

  /** @returns null, or the error's whole text */
  check(source: string): string | null {
    const program = this.#program(source);
    return "failure" in program ? program.failure : null;
  }

  run(source: string, keys: readonly string[], args: readonly string[], host: ScriptHost): Reply {
    const machine = this.#machine;
    const program = this.#program(source);
    if ("failure" in program) return error(program.failure);
    machine.begin(CHUNK);
    machine.globals.set("KEYS", tableOf(keys));
    machine.globals.set("ARGV", tableOf(args));
    Object.assign(this.#running, { host, isReadOnly: program.isReadOnly, resp: 2 });
    try {
      return toReply(program.main.call([])[0], 0);
    } catch (failure) {
      if (failure instanceof LuaError) return error(failureText(failure, sha1(source)));
      // The interpreter's own stack is smaller than Lua's.
      if (failure instanceof RangeError)
        return error(failureText(new LuaError("stack overflow", machine.line), sha1(source)));
      throw failure;
    }
  }

  #program(source: string): Program {
    const known = this.#programs.get(source);
    if (known !== undefined) return known;
    const program = this.#read(source);
    if (this.#programs.size >= PROGRAMS_MAX) this.#programs.clear();
    this.#programs.set(source, program);
    return program;
  }

  #read(source: string): Program {
    const shebang = readShebang(source);
    if ("failure" in shebang) return shebang;
    try {
      return { main: compile(shebang.body, CHUNK, this.#machine), isReadOnly: shebang.isReadOnly };
    } catch (failure) {
      if (failure instanceof LuaSyntaxError)
        return { failure: `ERR Error compiling script (new function): ${failure.message}` };
      throw failure;
    }
  }
}

const FLAGS = ["no-writes", "allow-oom", "allow-stale", "no-cluster", "allow-cross-slot-keys"];

/** A first line `#!lua flags=…`, which says what the script does not do. Its end stays, so that lines keep their numbers. */
function readShebang(
  source: string,
): { readonly body: string; readonly isReadOnly: boolean } | { readonly failure: string } {
  if (!source.startsWith("#!")) return { body: source, isReadOnly: false };
  const end = source.indexOf("\n");
  if (end < 0) return { failure: "ERR Invalid script shebang" };
  const [engine = "", ...options] = source.slice(0, end).split(" ");
  if (engine !== "#!lua") return { failure: `ERR Unexpected engine in script shebang: ${engine}` };
  const flags: string[] = [];
  for (const option of options) {
    if (option === "") continue;
    if (!option.startsWith("flags=")) return { failure: `ERR Unknown lua shebang option: ${option}` };
    const list = option.slice("flags=".length);
    if (list !== "") flags.push(...list.split(","));
  }
  const wrong = flags.find((flag) => !FLAGS.includes(flag));
  if (wrong !== undefined) return { failure: `ERR Unexpected flag in script shebang: ${wrong}` };
  return { body: source.slice(end), isReadOnly: flags.includes("no-writes") };
}

/** Of the script that runs. */
interface Running {
  host: ScriptHost | null;
  isReadOnly: boolean;
  /** The protocol whose types its answers have: `redis.setresp`. */
  resp: 2 | 3;
}

function failureText({ value, line }: LuaError, sha: string): string {
  const place = ` script: ${sha}, on @${CHUNK}:${line}.`;
  const text = value instanceof LuaTable ? value.get("err") : value;
  if (value instanceof LuaTable && typeof text === "string") return `${withoutLines(text)}${place}`;
  return `ERR ${withoutLines(plainText(text))}${place}`;
}

function plainText(value: LuaValue): string {
  if (value === undefined) return "nil";
  if (value instanceof LuaTable || isFunction(value)) return opaque(value);
  if (typeof value === "object") return "userdata: (nil)";
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

function installRedis(machine: Machine, running: Running): void {
  const hostOf = (): ScriptHost => present(running.host, "a script that runs has a host");
  const raise = (text: string): never => {
    throw new LuaError(errorTable(text), machine.line);
  };
  const call = (values: readonly LuaValue[]): LuaValue => {
    if (values.length === 0) return errorTable("ERR Please specify at least one argument for this redis lib call");
    const args = values.map(argument);
    if (args.includes(undefined)) return errorTable("ERR Lua redis lib command arguments must be strings or integers");
    const reply = hostOf().call(args as string[], running.isReadOnly);
    if (reply.type === "error") {
      const table = errorTable(reply.value);
      // Redis's own note to itself, which a script can see.
      table.set("ignore_error_stats_update", true);
      return table;
    }
    return running.resp === 3 ? toLua3(lower(args[0] ?? ""), args as string[], reply) : toLua(reply);
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
      const level = args.whole(0);
      if (level < 0 || level > 3) return [raise("ERR Invalid debug level.")];
      return [];
    },
    setresp: ({ values }) => {
      if (values.length !== 1) return [raise("ERR redis.setresp() requires one argument.")];
      if (values[0] !== 2 && values[0] !== 3) return [raise("ERR RESP version must be 2 or 3.")];
      running.resp = values[0];
      return [];
    },
    replicate_commands: () => [true],
    set_repl: ({ values }) => {
      if (values.length !== 1) return [raise("ERR redis.set_repl() requires two arguments.")];
      const [flags] = values;
      const isKnown = typeof flags === "number" && flags >= 0 && flags <= 3;
      return isKnown
        ? []
        : [raise("ERR Invalid replication flags. Use REPL_AOF, REPL_REPLICA, REPL_ALL or REPL_NONE.")];
    },
    acl_check_cmd: ({ values }) => {
      if (values.length === 0) return [raise("ERR Please specify at least one argument for this redis lib call")];
      const args = values.map(argument);
      if (args.includes(undefined)) return [raise("ERR Lua redis lib command arguments must be strings or integers")];
      const problem = hostOf().checkCommand(args as string[]);
      return [problem === null ? true : raise(problem)];
    },
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

const SETS = new Set(["smembers", "sinter", "sunion", "sdiff"]);
const DOUBLES = new Set(["zscore", "zincrby"]);
const MAPS = new Set(["hgetall", "config"]);

/** Likewise after `redis.setresp(3)`: nil is nil, and maps, sets and doubles are tables that say so. */
function toLua3(name: string, args: readonly string[], reply: Reply): LuaValue {
  const wrapped = (kind: "map" | "set" | "double", value: LuaValue): LuaTable => {
    const table = new LuaTable();
    table.set(kind, value);
    return table;
  };
  if (reply.type === "nil" || reply.type === "nilarray") return undefined;
  if (reply.type === "bulk" && DOUBLES.has(name)) return wrapped("double", Number(reply.value));
  if (reply.type !== "array") return toLua(reply);
  const inner = (one: Reply): LuaValue => toLua3("", args, one);
  if (MAPS.has(name)) {
    const map = new LuaTable();
    for (let i = 0; i + 1 < reply.items.length; i += 2)
      map.set(inner(reply.items[i] as Reply), inner(reply.items[i + 1] as Reply));
    return wrapped("map", map);
  }
  if (SETS.has(name)) {
    const set = new LuaTable();
    for (const item of reply.items) set.set(inner(item), true);
    return wrapped("set", set);
  }
  const table = new LuaTable();
  if (/^z.*range/.test(name) && args.some((word) => lower(word) === "withscores")) {
    for (let i = 0; i + 1 < reply.items.length; i += 2) {
      const pair = new LuaTable();
      pair.items = [
        inner(reply.items[i] as Reply),
        wrapped("double", Number((reply.items[i + 1] as Reply & { readonly type: "bulk" }).value)),
      ];
      table.items.push(pair);
    }
    return table;
  }
  table.items = reply.items.map(inner);
  return table;
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
  const map = value.get("map");
  if (map instanceof LuaTable)
    return array(map.keys().flatMap((key) => [toReply(key, depth + 1), toReply(map.get(key), depth + 1)]));
  const set = value.get("set");
  if (set instanceof LuaTable) return array(set.keys().map((key) => toReply(key, depth + 1)));
  const big = value.get("big_number");
  if (typeof big === "string") return bulk(withoutLines(big));
  const verbatim = value.get("verbatim_string");
  const plain = verbatim instanceof LuaTable ? verbatim.get("string") : undefined;
  if (typeof plain === "string") return bulk(plain);
  const items: Reply[] = [];
  for (let i = 1; value.get(i) !== undefined; i += 1) items.push(toReply(value.get(i), depth + 1));
  return array(items);
}

function withoutLines(text: string): string {
  return text.replaceAll(/[\r\n]/g, " ");
}
