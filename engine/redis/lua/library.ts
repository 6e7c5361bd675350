/**
 * The library that Redis 7 gives to scripts: base functions, string, table, math. There is no io, no os, no print; no
 * coroutines here. `math.random` is the script's own generator, the same each time, as in Redis.
 */
import { type Rng, rngFor } from "../../base/rng.ts";
import { formatG } from "../numbers.ts";
import { isFunction, joinable, type Machine, numberText, STRING_MAX, toNumber } from "./machine.ts";
import { compile } from "./parser.ts";
import { find, type Match, PatternError } from "./patterns.ts";
import { LuaError, type LuaFunction, LuaSyntaxError, LuaTable, type LuaValue, truthy, typeName } from "./value.ts";

type Native = (args: Arguments) => readonly LuaValue[];

/** A call's arguments, and the errors for wrong ones. */
export class Arguments {
  readonly machine: Machine;
  readonly name: string;
  readonly values: readonly LuaValue[];

  constructor(machine: Machine, name: string, values: readonly LuaValue[]) {
    this.machine = machine;
    this.name = name;
    this.values = values;
  }

  bad(i: number, why: string): never {
    return this.machine.fail(`bad argument #${i + 1} to '${this.name}' (${why})`);
  }
  #wrong(i: number, wanted: string): never {
    const got = i < this.values.length ? typeName(this.values[i]) : "no value";
    return this.bad(i, `${wanted} expected, got ${got}`);
  }
  any(i: number): LuaValue {
    return i < this.values.length ? this.values[i] : this.bad(i, "value expected");
  }
  text(i: number, otherwise?: string): string {
    if (this.values[i] === undefined && otherwise !== undefined) return otherwise;
    return joinable(this.values[i]) ?? this.#wrong(i, "string");
  }
  number(i: number, otherwise?: number): number {
    if (this.values[i] === undefined && otherwise !== undefined) return otherwise;
    return toNumber(this.values[i]) ?? this.#wrong(i, "number");
  }
  whole(i: number, otherwise?: number): number {
    return Math.trunc(this.number(i, otherwise));
  }
  table(i: number): LuaTable {
    const value = this.values[i];
    return value instanceof LuaTable ? value : this.#wrong(i, "table");
  }
}

/** A table of functions. */
export function library(machine: Machine, functions: Readonly<Record<string, Native>>): LuaTable {
  const table = new LuaTable();
  for (const [name, native] of Object.entries(functions)) table.set(name, nativeFunction(machine, name, native));
  return table;
}

function nativeFunction(machine: Machine, name: string, native: Native): LuaFunction {
  return {
    kind: "function",
    native: true,
    call: (values) => {
      machine.step(machine.line);
      return native(new Arguments(machine, name, values));
    },
  };
}

/** Fills the globals of a machine. */
export function installLibrary(machine: Machine): void {
  const { globals } = machine;
  for (const [name, value] of library(machine, baseFunctions(machine)).rest) globals.set(name, value);
  for (const [name, native] of Object.entries(stringFunctions(machine)))
    machine.strings.set(name, nativeFunction(machine, name, native));
  machine.strings.set("__index", machine.strings);
  globals.set("string", machine.strings);
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
  return joinable(value) ?? String(value);
}

/** Redis shows an address, which no script can rely on. */
export function opaque(value: LuaTable | LuaFunction): string {
  return `${typeName(value)}: 0x0000000000000000`;
}

/** What `pcall` gives of an error: Redis hands over the text alone of an error reply. */
function caught(value: LuaValue): LuaValue {
  const text = value instanceof LuaTable ? value.get("err") : undefined;
  return typeof text === "string" ? text : value;
}

function baseFunctions(machine: Machine): Record<string, Native> {
  const protectedCall = (
    body: () => readonly LuaValue[],
    handle: (value: LuaValue) => LuaValue,
  ): readonly LuaValue[] => {
    const depth = machine.calls.length;
    try {
      return [true, ...body()];
    } catch (error) {
      if (!(error instanceof LuaError) || machine.steps < 0) throw error;
      machine.calls.length = depth;
      return [false, handle(caught(error.value))];
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
      const { calls, chunk, line, isPlaceless } = machine;
      const [value] = args.values;
      const level = args.whole(1, 1);
      // The outermost one is called by no script.
      const caller = calls.length - (level - 1);
      const at = level === 1 ? line : level > 1 && caller >= 1 ? calls[caller] : undefined;
      const place = at === undefined || isPlaceless ? "" : `${chunk}:${at}: `;
      const text = joinable(value);
      throw new LuaError(text !== undefined && level > 0 ? place + text : value, line);
    },
    getmetatable: (args) => {
      const value = args.any(0);
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
      try {
        return [compile(source, args.text(1, `[string "${source.split("\n")[0]}"]`), machine)];
      } catch (error) {
        if (error instanceof LuaSyntaxError) return [undefined, error.message];
        throw error;
      }
    },
    next: (args) => {
      const table = args.table(0);
      const keys = table.keys();
      const at = args.values[1] === undefined ? 0 : keys.indexOf(args.values[1]) + 1;
      const key = keys[at];
      return key === undefined ? [undefined] : [key, table.get(key)];
    },
    pairs: (args) => [iterate(args.table(0)), args.table(0), undefined],
    pcall: (args) => {
      const callee = args.any(0);
      const call = (): readonly LuaValue[] => machine.call(callee, args.values.slice(1));
      const isNative = isFunction(callee) && callee.native === true;
      return protectedCall(isNative ? () => machine.placeless(call) : call, (value) => value);
    },
    rawequal: (args) => [args.any(0) === args.any(1)],
    rawget: (args) => [args.table(0).get(args.any(1))],
    rawset: (args) => {
      machine.rawSet(args.table(0), args.any(1), args.any(2));
      return [args.table(0)];
    },
    select: (args) => {
      if (args.values[0] === "#") return [args.values.length - 1];
      const n = args.whole(0);
      if (n < 0) return args.values.slice(1).slice(n);
      return n === 0 ? args.bad(0, "index out of range") : args.values.slice(n);
    },
    setmetatable: (args) => {
      const table = args.table(0);
      const meta = args.values[1];
      if (meta !== undefined && !(meta instanceof LuaTable)) args.bad(1, "nil or table expected");
      if (table.readonly) machine.fail("Attempt to modify a readonly table");
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

/** From 1, from the end when below 0; as a slice's two ends. */
function slice(text: string, i: number, j: number): string {
  const from = i < 0 ? Math.max(text.length + i, 0) : Math.max(i - 1, 0);
  const to = j < 0 ? text.length + j + 1 : Math.min(j, text.length);
  return from < to ? text.slice(from, to) : "";
}

function stringFunctions(machine: Machine): Record<string, Native> {
  const matched = (text: string, pattern: string, from: number): Match | null => {
    try {
      return find(text, pattern, from);
    } catch (error) {
      if (error instanceof PatternError) return machine.fail(error.message);
      throw error;
    }
  };
  const whole = ({ start, end, captures }: Match, text: string): readonly LuaValue[] =>
    captures.length > 0 ? captures : [text.slice(start, end)];
  const search = (args: Arguments, isFind: boolean): readonly LuaValue[] => {
    const [text, pattern] = [args.text(0), args.text(1)];
    const asked = args.whole(2, 1);
    const init = asked < 0 ? Math.max(text.length + asked, 0) : Math.min(Math.max(asked - 1, 0), text.length);
    if (isFind && (truthy(args.values[3]) || !/[\^$*+?.([%-]/.test(pattern))) {
      const at = text.indexOf(pattern, init);
      return at < 0 ? [undefined] : [at + 1, at + pattern.length];
    }
    const match = matched(text, pattern, init);
    if (match === null) return [undefined];
    return isFind ? [match.start + 1, match.end, ...match.captures] : whole(match, text);
  };
  return {
    byte: (args) => {
      const from = args.whole(1, 1);
      return slice(args.text(0), from, args.whole(2, from))
        .split("")
        .map((char) => char.charCodeAt(0));
    },
    char: (args) => [
      args.values
        .map((_, i) => {
          const code = args.whole(i);
          return code < 0 || code > 255 ? args.bad(i, "invalid value") : String.fromCharCode(code);
        })
        .join(""),
    ],
    find: (args) => search(args, true),
    format: (args) => [format(args)],
    gmatch: (args) => {
      const [text, pattern] = [args.text(0), args.text(1)];
      let at = 0;
      return [
        nativeFunction(machine, "gmatch", () => {
          if (at > text.length) return [undefined];
          const match = matched(text, pattern.replace(/^\^/, "%^"), at);
          if (match === null) {
            at = text.length + 1;
            return [undefined];
          }
          at = match.end > match.start ? match.end : match.end + 1;
          return whole(match, text);
        }),
      ];
    },
    gsub: (args) => gsub(args, matched, whole),
    len: (args) => [args.text(0).length],
    lower: (args) => [args.text(0).replaceAll(/[A-Z]/g, (char) => char.toLowerCase())],
    match: (args) => search(args, false),
    rep: (args) => {
      const [text, n] = [args.text(0), Math.max(0, args.whole(1))];
      if (text.length * n > STRING_MAX) machine.fail("resulting string too large");
      return [text.repeat(n)];
    },
    reverse: (args) => [args.text(0).split("").reverse().join("")],
    sub: (args) => [slice(args.text(0), args.whole(1), args.whole(2, -1))],
    upper: (args) => [args.text(0).replaceAll(/[a-z]/g, (char) => char.toUpperCase())],
  };
}

function gsub(
  args: Arguments,
  matched: (text: string, pattern: string, from: number) => Match | null,
  whole: (match: Match, text: string) => readonly LuaValue[],
): readonly LuaValue[] {
  const { machine } = args;
  const [text, pattern] = [args.text(0), args.text(1)];
  const by = typeof args.values[2] === "number" ? numberText(args.values[2]) : args.values[2];
  const most = args.whole(3, text.length + 1);
  if (typeof by !== "string" && !(by instanceof LuaTable) && !isFunction(by))
    args.bad(2, "string/function/table expected");
  const replacement = (match: Match): string => {
    const all = text.slice(match.start, match.end);
    const values = whole(match, text);
    if (typeof by === "string")
      return by.replaceAll(/%([\s\S]?)/g, (_, mark: string) => {
        if (mark === "0") return all;
        if (!/\d/.test(mark)) return mark;
        const value = values[Number(mark) - 1];
        return value === undefined ? machine.fail(`invalid capture index`) : (joinable(value) ?? "");
      });
    const value = by instanceof LuaTable ? machine.index(by, values[0]) : machine.call(by, values)[0];
    if (!truthy(value)) return all;
    return joinable(value) ?? machine.fail(`invalid replacement value (a ${typeName(value)})`);
  };
  let [out, at, count] = ["", 0, 0];
  while (count < most && at <= text.length) {
    const match = matched(text, pattern, at);
    if (match === null) break;
    machine.step(machine.line);
    count += 1;
    out += text.slice(at, match.start) + replacement(match);
    at = match.end;
    if (match.end === match.start) {
      out += text[at] ?? "";
      at += 1;
    }
    if (out.length > STRING_MAX) machine.fail("resulting string too large");
    if (pattern.startsWith("^")) break;
  }
  return [out + text.slice(at), count];
}

function format(args: Arguments): string {
  let next = 0;
  return args
    .text(0)
    .replaceAll(
      /%([-+ #0]*)(\d*)(?:\.(\d*))?([\s\S]?)/g,
      (_, flags: string, width: string, digits: string | undefined, kind: string) => {
        if (kind === "%" && flags === "" && width === "") return "%";
        next += 1;
        const precision = digits === undefined ? null : Number(digits);
        const padded = (text: string, isNumber: boolean): string => {
          const size = Number(width === "" ? 0 : width);
          if (flags.includes("-")) return text.padEnd(size);
          if (!flags.includes("0") || !isNumber) return text.padStart(size);
          const sign = /^[-+ ]/.exec(text)?.[0] ?? "";
          return sign + text.slice(sign.length).padStart(size - sign.length, "0");
        };
        const signed = (text: string): string =>
          text.startsWith("-") ? text : flags.includes("+") ? `+${text}` : flags.includes(" ") ? ` ${text}` : text;
        switch (kind) {
          case "d":
          case "i": {
            const value = toInt64(args.number(next));
            const size = String(value < 0n ? -value : value).padStart(precision ?? 1, "0");
            return padded(signed(value < 0n ? `-${size}` : size), true);
          }
          case "u":
            return padded(String(BigInt.asUintN(64, toInt64(args.number(next)))), true);
          case "c":
            return padded(String.fromCharCode(args.whole(next) & 255), false);
          case "x":
          case "X":
          case "o": {
            const text = BigInt.asUintN(64, toInt64(args.number(next))).toString(kind === "o" ? 8 : 16);
            const sized = text.padStart(precision ?? 1, "0");
            return padded(kind === "X" ? sized.toUpperCase() : sized, true);
          }
          case "e":
          case "E": {
            const text = args
              .number(next)
              .toExponential(precision ?? 6)
              .replace(/e([+-])(\d)$/, "e$10$2");
            return padded(signed(kind === "E" ? text.toUpperCase() : text), true);
          }
          case "f": {
            const value = args.number(next);
            return padded(signed(Number.isFinite(value) ? fixed(value, precision ?? 6) : numberText(value)), true);
          }
          case "g":
          case "G": {
            const text = formatG(args.number(next), Math.max(1, precision ?? 6));
            return padded(signed(kind === "G" ? text.toUpperCase() : text), true);
          }
          case "q":
            return `"${args
              .text(next)
              .replaceAll(/["\\\n]/g, "\\$&")
              .replaceAll("\r", "\\r")
              .replaceAll("\0", "\\000")}"`;
          case "s": {
            const text = args.text(next);
            return padded(precision === null ? text : text.slice(0, precision), false);
          }
          default:
            return args.machine.fail(`invalid option '%${kind}' to 'format'`);
        }
      },
    );
}

/** A double cast to 64 bits; what does not fit is the least, as x86 has it. */
export function toInt64(value: number): bigint {
  return Number.isNaN(value) || value >= 2 ** 63 || value < -(2 ** 63) ? -(2n ** 63n) : BigInt(Math.trunc(value));
}

/** `toFixed` beyond its own range of 1e21. */
function fixed(value: number, digits: number): string {
  if (Math.abs(value) < 1e21) return value.toFixed(Math.min(digits, 100));
  return `${BigInt(value)}${digits > 0 ? `.${"0".repeat(digits)}` : ""}`;
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
      for (let i = end; i > at; i -= 1) machine.rawSet(table, i, table.get(i - 1));
      machine.rawSet(table, at, args.values.at(-1));
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
      for (let i = at; i < end; i += 1) machine.rawSet(table, i, table.get(i + 1));
      machine.rawSet(table, end, undefined);
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
      for (const [i, value] of sorted.entries()) machine.rawSet(table, i + 1, value);
      return [];
    },
  };
}

/** Without logarithms and angles: their last digit differs between browsers. */
function mathFunctions(): Record<string, Native> {
  let random: Rng = rngFor(0, "math.random");
  return {
    abs: (args) => [Math.abs(args.number(0))],
    ceil: (args) => [Math.ceil(args.number(0))],
    floor: (args) => [Math.floor(args.number(0))],
    fmod: (args) => [args.number(0) % args.number(1)],
    max: (args) => [Math.max(args.number(0), ...args.values.map((_, i) => args.number(i)))],
    min: (args) => [Math.min(args.number(0), ...args.values.map((_, i) => args.number(i)))],
    modf: (args) => {
      const value = args.number(0);
      const whole = Math.trunc(value);
      return [whole, Number.isFinite(value) ? value - whole : 0];
    },
    pow: (args) => [toNumber(args.machine.arithmetic("^", args.number(0), args.number(1), "", ""))],
    random: (args) => {
      if (args.values.length === 0) return [random.below(2 ** 31) / 2 ** 31];
      const [low, high] = args.values.length === 1 ? [1, args.whole(0)] : [args.whole(0), args.whole(1)];
      if (low > high) args.bad(args.values.length === 1 ? 0 : 1, "interval is empty");
      return [low + random.below(Math.min(high - low + 1, 2 ** 32))];
    },
    randomseed: (args) => {
      random = rngFor(Math.abs(args.whole(0)), "math.random");
      return [];
    },
    sqrt: (args) => [Math.sqrt(args.number(0))],
  };
}
