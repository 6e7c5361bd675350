/**
 * The library that Redis 7 gives to scripts: base functions, string, table, math. There is no io, no os, no print; no
 * coroutines here.
 */
import { type Arguments, library, type Native, nativeFunction } from "./arguments.ts";
import { isFunction, joinable, type Machine, toNumber } from "./machine.ts";
import { compile } from "./parser.ts";
import { stringFunctions, toInt64 } from "./strings.ts";
import { drawn, seeded } from "./random.ts";
import { acos, asin, atan, atan2, cos, exp, log, log10, parts, scaled, sin } from "./transcendental.ts";
import { LuaError, type LuaFunction, LuaSyntaxError, LuaTable, type LuaValue, truthy, typeName } from "./value.ts";

/** Fills the globals of a machine. */
export function installLibrary(machine: Machine): void {
  const { globals } = machine;
  const stringMeta = new LuaTable();
  for (const [name, value] of library(machine, baseFunctions(machine, stringMeta)).rest) globals.set(name, value);
  for (const [name, native] of Object.entries(stringFunctions(machine)))
    machine.strings.set(name, nativeFunction(machine, name, native));
  globals.set("string", machine.strings);
  stringMeta.set("__index", machine.strings);
  stringMeta.readonly = true;
  globals.set("table", library(machine, tableFunctions(machine)));
  const math = library(machine, mathFunctions());
  math.set("huge", Number.POSITIVE_INFINITY);
  math.set("pi", Math.PI);
  globals.set("math", math);
  globals.set("_VERSION", "Lua 5.1");
  globals.set("_G", globals);
}

function tostring(machine: Machine, value: LuaValue): string {
  const handler = machine.metaOf(value, "__tostring");
  if (handler !== undefined) return joinable(machine.call(handler, [value])[0]) ?? "";
  if (value === undefined) return "nil";
  if (value instanceof LuaTable || isFunction(value)) return opaque(value);
  if (typeof value === "object") return "userdata: (nil)";
  return joinable(value) ?? String(value);
}

const GARBAGE_KB = 48;

/** Redis shows an address, which no script can rely on. */
export function opaque(value: LuaTable | LuaFunction): string {
  return `${typeName(value)}: 0x0000000000000000`;
}

/** What `pcall` gives of an error: Redis hands over the text alone of an error reply. */
function caught(value: LuaValue): LuaValue {
  const text = value instanceof LuaTable ? value.get("err") : undefined;
  return typeof text === "string" ? text : value;
}

/** What the library itself writes: refused, it has no place in the script. */
function write(machine: Machine, table: LuaTable, key: LuaValue, value: LuaValue): void {
  if (table.readonly) machine.placeless(() => machine.rawSet(table, key, value));
  else machine.rawSet(table, key, value);
}

/** How Lua names a piece of source in errors, from the name that it was loaded by (luaO_chunkid). */
function chunkId(name: string): string {
  const SHOWN = 60;
  if (name.startsWith("=") || name.startsWith("@")) return name.slice(1, SHOWN);
  const [line = ""] = name.split("\n");
  const room = SHOWN - '[string "..."] '.length;
  return line.length < name.length || line.length > room
    ? `[string "${line.slice(0, room)}..."]`
    : `[string "${line}"]`;
}

function load(machine: Machine, source: string, name: string): readonly LuaValue[] {
  try {
    return [compile(source, chunkId(name), machine)];
  } catch (error) {
    if (error instanceof LuaSyntaxError) return [undefined, error.message];
    throw error;
  }
}

function baseFunctions(machine: Machine, stringMeta: LuaTable): Record<string, Native> {
  const protectedCall = (
    body: () => readonly LuaValue[],
    handle: (value: LuaValue) => LuaValue,
  ): readonly LuaValue[] => {
    const depth = machine.calls.length;
    const { chunk } = machine;
    try {
      return [true, ...body()];
    } catch (error) {
      if (!(error instanceof LuaError) || machine.steps < 0) throw error;
      machine.calls.length = depth;
      machine.chunk = chunk;
      return [false, handle(error.value)];
    }
  };
  const iterate = (table: LuaTable): LuaFunction => {
    const keys = table.keys();
    let at = 0;
    return nativeFunction(machine, "next", () => {
      for (; at < keys.length; at += 1) {
        const value = table.get(keys[at]);
        if (value !== undefined) return [keys[at++], value];
      }
      return [undefined];
    });
  };
  return {
    assert: (args) => {
      if (truthy(args.any(0))) return args.values;
      return machine.fail(args.text(1, "assertion failed!"));
    },
    error: (args) => {
      const { calls, line, isPlaceless } = machine;
      const [value] = args.values;
      const level = args.whole(1, 1);
      // The outermost one is called by no script.
      const caller = calls.length - (level - 1);
      const at = level === 1 ? machine : level > 1 && caller >= 1 ? calls[caller] : undefined;
      const place = at === undefined || isPlaceless ? "" : `${at.chunk}:${at.line}: `;
      const text = joinable(value);
      throw new LuaError(text !== undefined && level > 0 ? place + text : value, line);
    },
    getmetatable: (args) => {
      const value = args.any(0);
      if (typeof value === "string") return [stringMeta];
      return [value instanceof LuaTable ? (value.meta?.get("__metatable") ?? value.meta ?? undefined) : undefined];
    },
    ipairs: (args) => {
      const table = args.table(0);
      const next = nativeFunction(machine, "next", ({ values }) => {
        const i = (toNumber(values[1]) ?? 0) + 1;
        const value = table.get(i);
        return value === undefined ? [undefined] : [i, value];
      });
      return [next, table, 0];
    },
    loadstring: (args) => {
      const source = args.text(0);
      return load(machine, source, args.text(1, source));
    },
    load: (args) => {
      const pieces = args.any(0);
      if (!isFunction(pieces)) return args.bad(0, `function expected, got ${typeName(pieces)}`);
      let source = "";
      for (;;) {
        const [piece] = machine.call(pieces, []);
        if (piece === undefined || piece === "") return load(machine, source, args.text(1, "=(load)"));
        const text = joinable(piece);
        if (text === undefined) return [undefined, "reader function must return a string"];
        source += text;
      }
    },
    collectgarbage: (args) => {
      const what = args.text(0, "collect");
      // Nothing has to be cleared away here; a number that looks like one of Redis's.
      if (what === "count") return [GARBAGE_KB];
      if (what === "step") return [false];
      const known = ["collect", "stop", "restart", "setpause", "setstepmul"];
      return known.includes(what) ? [0] : args.bad(0, `invalid option '${what}'`);
    },
    gcinfo: () => [GARBAGE_KB, 0],
    next: (args) => {
      const table = args.table(0);
      const keys = table.keys();
      const at = args.values[1] === undefined ? 0 : keys.indexOf(args.values[1]) + 1;
      if (args.values[1] !== undefined && at === 0) machine.placeless(() => machine.fail("invalid key to 'next'"));
      const key = keys[at];
      return key === undefined ? [undefined] : [key, table.get(key)];
    },
    pairs: (args) => [iterate(args.table(0)), args.table(0), undefined],
    pcall: (args) => {
      // Redis's own pcall puts `true` in front first: without a function that is what is called.
      const callee = args.values.length === 0 ? true : args.values[0];
      const call = (): readonly LuaValue[] => machine.call(callee, args.values.slice(1));
      const isScript = isFunction(callee) && callee.native !== true;
      return protectedCall(isScript ? call : () => machine.placeless(call), caught);
    },
    rawequal: (args) => [args.any(0) === args.any(1)],
    rawget: (args) => [args.table(0).get(args.any(1))],
    rawset: (args) => {
      write(machine, args.table(0), args.any(1), args.any(2));
      return [args.table(0)];
    },
    select: (args) => {
      if (args.values[0] === "#") return [args.values.length - 1];
      const n = args.whole(0);
      if (n < 0) return -n >= args.values.length ? args.bad(0, "index out of range") : args.values.slice(n);
      return n === 0 ? args.bad(0, "index out of range") : args.values.slice(n);
    },
    setmetatable: (args) => {
      const table = args.table(0);
      const meta = args.values[1];
      if (args.values.length < 2 || (meta !== undefined && !(meta instanceof LuaTable)))
        args.bad(1, "nil or table expected");
      if (table.readonly) machine.placeless(() => machine.fail("Attempt to modify a readonly table"));
      if (table.meta?.get("__metatable") !== undefined) machine.fail("cannot change a protected metatable");
      table.meta = (meta as LuaTable | undefined) ?? null;
      return [table];
    },
    tonumber: (args) => {
      const value = args.any(0);
      const base = args.whole(1, 10);
      if (base === 10) return [toNumber(value)];
      if (base < 2 || base > 36) args.bad(1, "base out of range");
      return [inBase(args.text(0).trim().toLowerCase(), base)];
    },
    tostring: (args) => [tostring(machine, args.any(0))],
    type: (args) => [typeName(args.any(0))],
    unpack: (args) => {
      const table = args.table(0);
      const [from, to] = [args.whole(1, 1), args.whole(2, table.length)];
      if (to - from > 8_000) machine.fail("too many results to unpack");
      return Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => table.get(from + i));
    },
    xpcall: (args) =>
      protectedCall(
        () => machine.call(args.any(0), []),
        (value) => machine.call(args.any(1), [value])[0],
      ),
  };
}

function inBase(text: string, base: number): number | undefined {
  let value = 0;
  const negative = text.startsWith("-");
  const digits = negative ? text.slice(1) : text;
  if (digits === "") return undefined;
  for (const char of digits) {
    const digit = "0123456789abcdefghijklmnopqrstuvwxyz".indexOf(char);
    if (digit < 0 || digit >= base) return undefined;
    value = value * base + digit;
  }
  // An unsigned number of C: it wraps.
  return negative && value > 0 ? 2 ** 64 - value : value;
}

function tableFunctions(machine: Machine): Record<string, Native> {
  return {
    concat: (args) => {
      const table = args.table(0);
      const [by, from, to] = [args.text(1, ""), args.whole(2, 1), args.whole(3, table.length)];
      const parts: string[] = [];
      for (let i = from; i <= to; i += 1) {
        machine.step(machine.line);
        const value = joinable(table.get(i));
        parts.push(
          value ?? machine.fail(`invalid value (${typeName(table.get(i))}) at index ${i} in table for 'concat'`),
        );
      }
      return [parts.join(by)];
    },
    getn: (args) => [args.table(0).length],
    insert: (args) => {
      const table = args.table(0);
      const end = table.length + 1;
      if (args.values.length !== 2 && args.values.length !== 3) machine.fail("wrong number of arguments to 'insert'");
      const at = args.values.length === 2 ? end : args.whole(1);
      for (let i = end; i > at; i -= 1) write(machine, table, i, table.get(i - 1));
      write(machine, table, at, args.values.at(-1));
      return [];
    },
    maxn: (args) => [
      Math.max(
        0,
        ...args
          .table(0)
          .keys()
          .filter((key) => typeof key === "number"),
      ),
    ],
    remove: (args) => {
      const table = args.table(0);
      const end = table.length;
      const at = args.whole(1, end);
      if (at < 1 || at > end) return [];
      const value = table.get(at);
      for (let i = at; i < end; i += 1) write(machine, table, i, table.get(i + 1));
      write(machine, table, end, undefined);
      return [value];
    },
    sort: (args) => {
      const table = args.table(0);
      const by = args.values[1];
      const less = (a: LuaValue, b: LuaValue): boolean => {
        machine.step(machine.line);
        return by === undefined
          ? machine.placeless(() => machine.less(a, b, false))
          : truthy(machine.call(by, [a, b])[0]);
      };
      const sorted = Array.from({ length: table.length }, (_, i) => table.get(i + 1)).sort((a, b) =>
        less(a, b) ? -1 : less(b, a) ? 1 : 0,
      );
      for (const [i, value] of sorted.entries()) write(machine, table, i + 1, value);
      return [];
    },
    foreach: (args) => {
      const table = args.table(0);
      const body = args.any(1);
      for (const key of table.keys()) {
        const [result] = machine.call(body, [key, table.get(key)]);
        if (result !== undefined) return [result];
      }
      return [];
    },
    foreachi: (args) => {
      const table = args.table(0);
      const body = args.any(1);
      for (let i = 1; i <= table.length; i += 1) {
        const [result] = machine.call(body, [i, table.get(i)]);
        if (result !== undefined) return [result];
      }
      return [];
    },
    setn: () => machine.fail("'setn' is obsolete"),
  };
}

function mathFunctions(): Record<string, Native> {
  const of =
    (by: (x: number) => number) =>
    (args: Arguments): readonly LuaValue[] => [by(args.number(0))];
  const remainder = (args: Arguments): readonly LuaValue[] => [args.number(0) % args.number(1)];
  const draw = (machine: Machine): number => {
    const { state, value } = drawn(machine.random);
    machine.random = state;
    return value;
  };
  return {
    abs: (args) => [Math.abs(args.number(0))],
    acos: of(acos),
    asin: of(asin),
    atan: of(atan),
    atan2: (args) => [atan2(args.number(0), args.number(1))],
    ceil: (args) => [Math.ceil(args.number(0))],
    floor: (args) => [Math.floor(args.number(0))],
    cos: of(cos),
    cosh: of((x) => (exp(x) + exp(-x)) / 2),
    exp: of(exp),
    deg: (args) => [args.number(0) / (Math.PI / 180)],
    fmod: remainder,
    frexp: (args) => {
      const { part, exponent } = parts(args.number(0));
      return [part, exponent];
    },
    ldexp: (args) => [scaled(args.number(0), args.whole(1))],
    log: of(log),
    log10: of(log10),
    mod: remainder,
    max: (args) => [Math.max(args.number(0), ...args.values.map((_, i) => args.number(i)))],
    min: (args) => [Math.min(args.number(0), ...args.values.map((_, i) => args.number(i)))],
    modf: (args) => {
      const value = args.number(0);
      const whole = Math.trunc(value);
      return [whole, Number.isFinite(value) ? value - whole : 0];
    },
    pow: (args) => [toNumber(args.machine.arithmetic("^", args.number(0), args.number(1), "", ""))],
    random: (args) => {
      if (args.values.length > 2) args.machine.fail("wrong number of arguments");
      const value = draw(args.machine);
      if (args.values.length === 0) return [value];
      const [low, high] = args.values.length === 1 ? [1, args.whole(0)] : [args.whole(0), args.whole(1)];
      if (low > high) args.bad(args.values.length === 1 ? 0 : 1, "interval is empty");
      return [Math.floor(value * (high - low + 1)) + low];
    },
    randomseed: (args) => {
      args.machine.random = seeded(Number(BigInt.asIntN(32, toInt64(args.number(0)))));
      return [];
    },
    rad: (args) => [args.number(0) * (Math.PI / 180)],
    sin: of(sin),
    sinh: of((x) => (exp(x) - exp(-x)) / 2),
    tan: of((x) => sin(x) / cos(x)),
    tanh: of((x) => 1 - 2 / (exp(2 * x) + 1)),
    sqrt: (args) => [Math.sqrt(args.number(0))],
  };
}
