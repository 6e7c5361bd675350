/** Reads JSON as lua-cjson does, with its errors and with what it lets pass: numbers as C's strtod takes them. */
import { utf8Encode } from "../../base/bytes.ts";
import { arrayToBytes } from "../bytes.ts";
import type { JsonSettings } from "./json-settings.ts";
import type { Machine } from "./machine.ts";
import { LuaTable, type LuaValue, NULL } from "./value.ts";

type Token =
  | { readonly type: "T_STRING"; readonly text: string; readonly at: number }
  | { readonly type: "T_NUMBER"; readonly value: number; readonly at: number }
  | { readonly type: "T_BOOLEAN"; readonly value: boolean; readonly at: number }
  | { readonly type: "T_ERROR"; readonly why: string; readonly at: number }
  | { readonly type: PlainToken; readonly at: number };
type PlainToken =
  | "T_OBJ_BEGIN"
  | "T_OBJ_END"
  | "T_ARR_BEGIN"
  | "T_ARR_END"
  | "T_NULL"
  | "T_COLON"
  | "T_COMMA"
  | "T_END";

const MARKS: Readonly<Record<string, PlainToken>> = {
  "{": "T_OBJ_BEGIN",
  "}": "T_OBJ_END",
  "[": "T_ARR_BEGIN",
  "]": "T_ARR_END",
  ":": "T_COLON",
  ",": "T_COMMA",
  "\0": "T_END",
};
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

export function decodeJson(text: string, machine: Machine, settings: JsonSettings): LuaValue {
  if (text.length >= 2 && (text[0] === "\0" || text[1] === "\0"))
    machine.fail("JSON parser does not support UTF-16 or UTF-32");
  return new Reader(text, machine, settings).whole();
}

class Reader {
  readonly #text: string;
  readonly #machine: Machine;
  readonly #settings: JsonSettings;
  #at = 0;
  #depth = 0;

  constructor(text: string, machine: Machine, settings: JsonSettings) {
    this.#text = text;
    this.#machine = machine;
    this.#settings = settings;
  }

  whole(): LuaValue {
    const value = this.#value(this.#next());
    const end = this.#next();
    return end.type === "T_END" ? value : this.#unexpected("the end", end);
  }

  #unexpected(wanted: string, token: Token): never {
    const found = token.type === "T_ERROR" ? token.why : token.type;
    return this.#machine.fail(`Expected ${wanted} but found ${found} at character ${token.at + 1}`);
  }

  #value(token: Token): LuaValue {
    this.#machine.step(this.#machine.line);
    switch (token.type) {
      case "T_STRING":
        return token.text;
      case "T_NUMBER":
      case "T_BOOLEAN":
        return token.value;
      case "T_NULL":
        return NULL;
      case "T_OBJ_BEGIN":
        return this.#deeper(() => this.#object());
      case "T_ARR_BEGIN":
        return this.#deeper(() => this.#array());
      default:
        return this.#unexpected("value", token);
    }
  }

  #deeper(read: () => LuaTable): LuaTable {
    this.#depth += 1;
    if (this.#depth > this.#settings.decodeDepth)
      this.#machine.fail(`Found too many nested data structures (${this.#depth}) at character ${this.#at}`);
    const table = read();
    this.#depth -= 1;
    return table;
  }

  #object(): LuaTable {
    const table = new LuaTable();
    let token = this.#next();
    if (token.type === "T_OBJ_END") return table;
    for (;;) {
      if (token.type !== "T_STRING") return this.#unexpected("object key string", token);
      const key = token.text;
      token = this.#next();
      if (token.type !== "T_COLON") return this.#unexpected("colon", token);
      table.set(key, this.#value(this.#next()));
      token = this.#next();
      if (token.type === "T_OBJ_END") return table;
      if (token.type !== "T_COMMA") return this.#unexpected("comma or object end", token);
      token = this.#next();
    }
  }

  #array(): LuaTable {
    const table = new LuaTable();
    let token = this.#next();
    if (token.type === "T_ARR_END") return table;
    for (let i = 1; ; i += 1) {
      table.set(i, this.#value(token));
      token = this.#next();
      if (token.type === "T_ARR_END") return table;
      if (token.type !== "T_COMMA") return this.#unexpected("comma or array end", token);
      token = this.#next();
    }
  }

  // ── tokens ──

  #next(): Token {
    while (/[ \t\n\r]/.test(this.#text[this.#at] ?? "")) this.#at += 1;
    const at = this.#at;
    const char = this.#text[at] ?? "\0";
    const mark = MARKS[char];
    if (mark !== undefined) {
      if (mark !== "T_END") this.#at += 1;
      return { type: mark, at };
    }
    if (char === '"') return this.#string(at);
    if (/[-\d]/.test(char)) {
      if (this.#settings.decodeInvalid === "off" && this.#isInvalidNumber())
        return { type: "T_ERROR", why: "invalid number", at };
      return this.#number(at);
    }
    for (const [word, token] of [
      ["true", { type: "T_BOOLEAN", value: true, at }],
      ["false", { type: "T_BOOLEAN", value: false, at }],
      ["null", { type: "T_NULL", at }],
    ] as const)
      if (this.#text.startsWith(word, at)) {
        this.#at += word.length;
        return token;
      }
    if (this.#settings.decodeInvalid === "on" && this.#isInvalidNumber()) return this.#number(at);
    return { type: "T_ERROR", why: "invalid token", at };
  }

  /** With a plus or a zero in front, hexadecimal, infinite, or none at all: what JSON itself does not know. */
  #isInvalidNumber(): boolean {
    return /^(\+|-?(0x|0\d|inf|nan))/i.test(this.#text.slice(this.#at, this.#at + 5));
  }

  #number(at: number): Token {
    const number = /[+-]?(?:0x[0-9a-f]+|inf(?:inity)?|nan|(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)/iy;
    number.lastIndex = at;
    const text = number.exec(this.#text)?.[0];
    if (text === undefined) return { type: "T_ERROR", why: "invalid number", at };
    this.#at += text.length;
    const sign = text.startsWith("-") ? -1 : 1;
    const size = text.replace(/^[+-]/, "").toLowerCase();
    const value = size.startsWith("inf") ? Number.POSITIVE_INFINITY : size === "nan" ? Number.NaN : Number(size);
    return { type: "T_NUMBER", value: sign * value, at };
  }

  #string(start: number): Token {
    let text = "";
    this.#at += 1;
    for (;;) {
      const at = this.#at;
      const char = this.#text[at] ?? "\0";
      if (char === "\0") return { type: "T_ERROR", why: "unexpected end of string", at };
      if (char === '"') break;
      if (char !== "\\") {
        text += char;
        this.#at += 1;
        continue;
      }
      const escaped = this.#text[at + 1] ?? "";
      if (escaped === "u") {
        const code = this.#unicode(at);
        if (code === null) return { type: "T_ERROR", why: "invalid unicode escape code", at };
        text += code;
        continue;
      }
      if (ESCAPES[escaped] === undefined) return { type: "T_ERROR", why: "invalid escape code", at };
      text += ESCAPES[escaped];
      this.#at += 2;
    }
    this.#at += 1;
    return { type: "T_STRING", text, at: start };
  }

  /** The UTF-8 bytes of an escape, or of the two that make a pair; null when it is none. */
  #unicode(at: number): string | null {
    const unit = (from: number): number | null => {
      const digits = /^\\u([0-9a-f]{4})/i.exec(this.#text.slice(from, from + 6))?.[1];
      return digits === undefined ? null : Number.parseInt(digits, 16);
    };
    const high = unit(at);
    if (high === null) return null;
    let code = high;
    let length = 6;
    if ((high & 0xf800) === 0xd800) {
      const low = unit(at + 6);
      if ((high & 0x400) !== 0 || low === null || (low & 0xfc00) !== 0xdc00) return null;
      code = 0x10000 + ((high & 0x3ff) << 10) + (low & 0x3ff);
      length = 12;
    }
    this.#at += length;
    return arrayToBytes(utf8Encode(String.fromCodePoint(code)));
  }
}
