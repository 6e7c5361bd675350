/** `cjson`, as far as lock scripts use it: encode and decode of plain values. */
import { utf8Encode } from "../../base/bytes.ts";
import { arrayToBytes, bytesToText } from "../bytes.ts";
import { library } from "./arguments.ts";
import { type Machine, numberText } from "./machine.ts";
import { type LuaFunction, LuaTable, type LuaValue, typeName } from "./value.ts";

const DEPTH_MAX = 100;

/** JSON's null: a value that is not nil, so that a list may hold it. */
const NULL: LuaFunction = { kind: "function", call: () => [] };

export function installCjson(machine: Machine): void {
  const cjson = library(machine, {
    encode: (args) => [encode(args.any(0), machine, 0)],
    decode: (args) => {
      let parsed: unknown;
      try {
        parsed = JSON.parse(bytesToText(args.text(0)));
      } catch {
        machine.fail("Expected value but found invalid token at character 1");
      }
      return [decode(parsed)];
    },
  });
  cjson.set("null", NULL);
  machine.globals.set("cjson", cjson);
}

function encode(value: LuaValue, machine: Machine, depth: number): string {
  machine.step(machine.line);
  if (depth > DEPTH_MAX) machine.fail("Cannot serialise, excessive depth (101)");
  if (value === undefined || value === NULL) return "null";
  if (typeof value === "boolean") return String(value);
  if (typeof value === "number") {
    if (!Number.isFinite(value)) machine.fail("Cannot serialise number: must not be NaN or Inf");
    return numberText(value);
  }
  if (typeof value === "string") return quoted(value);
  if (!(value instanceof LuaTable)) return machine.fail(`Cannot serialise ${typeName(value)}: type not supported`);
  const keys = value.keys();
  if (keys.length > 0 && keys.every((key) => typeof key === "number" && Number.isInteger(key) && key > 0)) {
    const length = Math.max(...(keys as number[]));
    if (length > 2 * keys.length + 10) machine.fail("Cannot serialise table: excessively sparse array");
    return `[${Array.from({ length }, (_, i) => encode(value.get(i + 1), machine, depth + 1)).join(",")}]`;
  }
  const fields = keys.map((key) => {
    const name = typeof key === "number" ? numberText(key) : key;
    if (typeof name !== "string") return machine.fail("Cannot serialise table: table key must be a number or string");
    return `${quoted(name)}:${encode(value.get(key), machine, depth + 1)}`;
  });
  return `{${fields.join(",")}}`;
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

function decode(value: unknown): LuaValue {
  if (value === null) return NULL;
  if (typeof value === "boolean" || typeof value === "number") return value;
  if (typeof value === "string") return arrayToBytes(utf8Encode(value));
  const table = new LuaTable();
  if (Array.isArray(value)) table.items = value.map(decode);
  else for (const [key, one] of Object.entries(value as object)) table.set(arrayToBytes(utf8Encode(key)), decode(one));
  return table;
}
