/** `cjson`: JSON, as Redis has it (lua-cjson 2.1.0), with its settings, which last from script to script. */
import { type Arguments, library } from "./arguments.ts";
import { decodeJson } from "./json-reader.ts";
import { type JsonSettings, jsonSettings } from "./json-settings.ts";
import type { Machine } from "./machine.ts";
import { LuaTable, type LuaValue, NULL, typeName } from "./value.ts";
import { formatG } from "../numbers.ts";

export function installCjson(machine: Machine): void {
  machine.globals.set(
    "cjson",
    cjsonTable(machine, () => machine.json),
  );
}

function cjsonTable(machine: Machine, settings: () => JsonSettings): LuaTable {
  const whole = (args: Arguments, i: number, least: number, most: number, now: number): number => {
    if (args.values[i] === undefined) return now;
    const value = args.whole(i);
    return value < least || value > most ? args.bad(i, `expected integer between ${least} and ${most}`) : value;
  };
  const choice = <T extends string>(args: Arguments, i: number, options: readonly T[], now: T): T => {
    const value = args.values[i];
    if (value === undefined) return now;
    if (typeof value === "boolean") return (value ? "on" : "off") as T;
    const text = args.text(i);
    return options.find((option) => option === text) ?? args.bad(i, `invalid option '${text}'`);
  };
  const few = (args: Arguments, most: number): void => {
    if (args.values.length > most) args.bad(most, "found too many arguments");
  };
  const shown = (option: string): LuaValue => (option === "on" ? true : option === "off" ? false : option);
  const DEPTH_LIMIT = 0x7fffffff;
  const ON_OFF = ["off", "on"] as const;
  const cjson = library(machine, {
    encode: (args) => {
      if (args.values.length !== 1) args.bad(0, "expected 1 argument");
      return [encode(args.values[0], machine, settings(), 0)];
    },
    decode: (args) => {
      if (args.values.length !== 1) args.bad(0, "expected 1 argument");
      return [decodeJson(args.text(0), machine, settings())];
    },
    encode_sparse_array: (args) => {
      few(args, 3);
      const now = settings();
      now.sparseConvert = choice(args, 0, ON_OFF, now.sparseConvert ? "on" : "off") === "on";
      now.sparseRatio = whole(args, 1, 0, DEPTH_LIMIT, now.sparseRatio);
      now.sparseSafe = whole(args, 2, 0, DEPTH_LIMIT, now.sparseSafe);
      return [now.sparseConvert, now.sparseRatio, now.sparseSafe];
    },
    encode_max_depth: (args) => {
      few(args, 1);
      settings().encodeDepth = whole(args, 0, 1, DEPTH_LIMIT, settings().encodeDepth);
      return [settings().encodeDepth];
    },
    decode_max_depth: (args) => {
      few(args, 1);
      settings().decodeDepth = whole(args, 0, 1, DEPTH_LIMIT, settings().decodeDepth);
      return [settings().decodeDepth];
    },
    encode_number_precision: (args) => {
      few(args, 1);
      settings().precision = whole(args, 0, 1, 14, settings().precision);
      return [settings().precision];
    },
    encode_keep_buffer: (args) => {
      few(args, 1);
      settings().keepBuffer = choice(args, 0, ON_OFF, settings().keepBuffer ? "on" : "off") === "on";
      return [settings().keepBuffer];
    },
    encode_invalid_numbers: (args) => {
      few(args, 1);
      settings().encodeInvalid = choice(args, 0, ["off", "on", "null"], settings().encodeInvalid);
      return [shown(settings().encodeInvalid)];
    },
    decode_invalid_numbers: (args) => {
      few(args, 1);
      settings().decodeInvalid = choice(args, 0, ON_OFF, settings().decodeInvalid);
      return [shown(settings().decodeInvalid)];
    },
    new: () => {
      const own = jsonSettings();
      return [cjsonTable(machine, () => own)];
    },
  });
  cjson.set("null", NULL);
  cjson.set("_NAME", "cjson");
  cjson.set("_VERSION", "2.1.0");
  return cjson;
}

function encode(value: LuaValue, machine: Machine, settings: JsonSettings, depth: number): string {
  machine.step(machine.line);
  if (value === undefined || value === NULL) return "null";
  if (typeof value === "boolean") return String(value);
  if (typeof value === "number") return numberJson(value, machine, settings);
  if (typeof value === "string") return quoted(value);
  if (!(value instanceof LuaTable)) return refused(machine, value, "type not supported");
  if (depth >= settings.encodeDepth) return machine.fail(`Cannot serialise, excessive nesting (${depth + 1})`);
  const keys = value.keys();
  const length = arrayLength(keys);
  if (length > 0 && !isSparse(machine, length, keys.length, settings)) {
    const items = Array.from({ length }, (_, i) => encode(value.get(i + 1), machine, settings, depth + 1));
    return `[${items.join(",")}]`;
  }
  const fields = keys.map((key) => {
    const name = typeof key === "number" ? numberJson(key, machine, settings) : key;
    if (typeof name !== "string") return refused(machine, key, "table key must be a number or string");
    const text = typeof key === "number" ? `"${name}"` : quoted(name);
    return `${text}:${encode(value.get(key), machine, settings, depth + 1)}`;
  });
  return `{${fields.join(",")}}`;
}

const refused = (machine: Machine, value: LuaValue, why: string): never =>
  machine.fail(`Cannot serialise ${typeName(value)}: ${why}`);

/** The largest key when all are whole and above 0; else -1. */
function arrayLength(keys: readonly LuaValue[]): number {
  let most = 0;
  for (const key of keys) {
    if (typeof key !== "number" || !Number.isInteger(key) || key < 1) return -1;
    most = Math.max(most, key);
  }
  return most;
}

function isSparse(machine: Machine, length: number, count: number, settings: JsonSettings): boolean {
  const { sparseRatio, sparseSafe, sparseConvert } = settings;
  if (sparseRatio === 0 || length <= count * sparseRatio || length <= sparseSafe) return false;
  if (!sparseConvert) machine.fail("Cannot serialise table: excessively sparse array");
  return true;
}

function numberJson(value: number, machine: Machine, { encodeInvalid, precision }: JsonSettings): string {
  if (!Number.isFinite(value)) {
    if (encodeInvalid === "off") return refused(machine, value, "must not be NaN or Inf");
    if (encodeInvalid === "null") return "null";
    return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
  }
  return formatG(value, precision);
}

const SHORT: Readonly<Record<string, string>> = {
  '"': '\\"',
  "\\": "\\\\",
  "/": "\\/",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
};

function quoted(text: string): string {
  const escaped = text.replaceAll(/["\\/]|\p{Cc}/gu, (char) => {
    const code = char.charCodeAt(0);
    // Beyond ASCII a control character is a byte of something longer.
    return SHORT[char] ?? (code > 0x7f ? char : `\\u${code.toString(16).padStart(4, "0")}`);
  });
  return `"${escaped}"`;
}
