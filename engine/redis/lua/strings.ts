/** Lua's string library, with its patterns and its `format`. */
import { exponential, fixedPoint, formatG } from "../numbers.ts";
import { type Arguments, type Native, nativeFunction } from "./arguments.ts";
import { isFunction, joinable, type Machine, numberText, STRING_MAX } from "./machine.ts";
import { find, type Match, PatternError } from "./patterns.ts";
import { LuaTable, type LuaValue, truthy, typeName } from "./value.ts";

/** From 1, from the end when below 0; as a slice's two ends. */
function slice(text: string, i: number, j: number): string {
  const from = i < 0 ? Math.max(text.length + i, 0) : Math.max(i - 1, 0);
  const to = j < 0 ? text.length + j + 1 : Math.min(j, text.length);
  return from < to ? text.slice(from, to) : "";
}

export function stringFunctions(machine: Machine): Record<string, Native> {
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
  const walk = (args: Arguments): readonly LuaValue[] => {
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
    dump: (args) => {
      const value = args.any(0);
      // A script cannot load what it is given: only that there is something.
      return [isFunction(value) ? "\x1bLuaQ" : args.bad(0, `function expected, got ${typeName(value)}`)];
    },
    find: (args) => search(args, true),
    format: (args) => [format(args)],
    gfind: (args) => walk(args),
    gmatch: (args) => walk(args),
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
        if (width.length > 2 || (digits ?? "").length > 2)
          return args.machine.fail("invalid format (width or precision too long)");
        if (next >= args.values.length) return args.bad(next, "no value");
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
            return padded(String(toUint64(args.number(next))), true);
          case "c": {
            // C's string ends there.
            const code = args.whole(next) & 255;
            return code === 0 ? "" : padded(String.fromCharCode(code), false);
          }
          case "x":
          case "X":
          case "o": {
            const text = toUint64(args.number(next)).toString(kind === "o" ? 8 : 16);
            const sized = text.padStart(precision ?? 1, "0");
            const marked = flags.includes("#") && text !== "0" ? (kind === "o" ? `0${sized}` : `0x${sized}`) : sized;
            return padded(kind === "X" ? marked.toUpperCase() : marked, true);
          }
          case "e":
          case "E": {
            const text = exponential(args.number(next), precision ?? 6).replace(/e([+-])(\d)$/, "e$10$2");
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

/** Cast to 64 bits without a sign: what is too large comes out as 0 there. */
function toUint64(value: number): bigint {
  if (!(value >= 2 ** 63)) return BigInt.asUintN(64, toInt64(value));
  return value < 2 ** 64 ? BigInt(value) : 0n;
}

/** `toFixed` beyond its own range of 1e21. */
function fixed(value: number, digits: number): string {
  if (Math.abs(value) < 1e21) return fixedPoint(value, Math.min(digits, 100));
  return `${BigInt(value)}${digits > 0 ? `.${"0".repeat(digits)}` : ""}`;
}
