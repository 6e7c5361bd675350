/** Lua 5.1's tokens. Errors are worded as Lua words them, with the chunk's name and the line. */
import { LuaSyntaxError } from "./value.ts";

const KEYWORDS = new Set(
  "and break do else elseif end false for function if in local nil not or repeat return then true until while".split(
    " ",
  ),
);
const SYMBOLS = ["...", "..", "==", "~=", "<=", ">=", ..."+-*/%^#<>=(){}[];:,.".split("")];

export interface Token {
  readonly type: "name" | "number" | "string" | "symbol" | "end";
  /** A keyword is a symbol. */
  readonly text: string;
  readonly number: number;
  readonly line: number;
  /** As an error shows it. */
  readonly near: string;
}

const ESCAPES: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

export class Lexer {
  readonly #source: string;
  readonly #chunk: string;
  #at = 0;
  line = 1;

  constructor(source: string, chunk: string) {
    this.#source = source;
    this.#chunk = chunk;
    if (source.startsWith("#")) this.#skipLine();
  }

  fail(message: string, near: string, line = this.line): never {
    throw new LuaSyntaxError(`${this.#chunk}:${line}: ${message} near '${near}'`);
  }

  next(): Token {
    this.#skipBlank();
    const source = this.#source;
    const at = this.#at;
    const char = source[at];
    if (char === undefined) return this.#token("end", "<eof>", "<eof>");
    const word = /[A-Za-z_][A-Za-z0-9_]*/y;
    word.lastIndex = at;
    const name = word.exec(source)?.[0];
    if (name !== undefined) {
      this.#at += name.length;
      return this.#token(KEYWORDS.has(name) ? "symbol" : "name", name, name);
    }
    if (/\d/.test(char) || (char === "." && /\d/.test(source[at + 1] ?? ""))) return this.#number();
    if (char === '"' || char === "'") return this.#quoted(char);
    const level = this.#longLevel();
    if (level !== null) {
      const line = this.line;
      const text = this.#long(level, "string");
      return { type: "string", text, number: 0, line, near: source.slice(at, this.#at) };
    }
    const symbol = SYMBOLS.find((one) => source.startsWith(one, at));
    if (symbol === undefined) return this.#token("symbol", char, char, 1);
    return this.#token("symbol", symbol, symbol, symbol.length);
  }

  #token(type: Token["type"], text: string, near: string, length = 0): Token {
    this.#at += length;
    return { type, text, number: 0, line: this.line, near };
  }

  #skipLine(): void {
    while (this.#at < this.#source.length && this.#source[this.#at] !== "\n") this.#at += 1;
  }

  #skipBlank(): void {
    const source = this.#source;
    for (;;) {
      const char = source[this.#at];
      if (char === "\n") this.line += 1;
      if (char !== undefined && " \t\r\n\f\v".includes(char)) this.#at += 1;
      else if (source.startsWith("--", this.#at)) {
        this.#at += 2;
        const level = this.#longLevel();
        if (level === null) this.#skipLine();
        else this.#long(level, "comment");
      } else return;
    }
  }

  /** How many equals signs a long bracket that opens here has; null when none does. */
  #longLevel(): number | null {
    const bracket = /\[(=*)\[/y;
    bracket.lastIndex = this.#at;
    return bracket.exec(this.#source)?.[1]?.length ?? null;
  }

  #long(level: number, what: string): string {
    const close = `]${"=".repeat(level)}]`;
    const start = this.#at + close.length;
    const end = this.#source.indexOf(close, start);
    if (end < 0) {
      this.line += count(this.#source.slice(start), "\n");
      this.fail(`unfinished long ${what}`, "<eof>");
    }
    const text = this.#source.slice(start, end);
    this.#at = end + close.length;
    this.line += count(text, "\n");
    return text.replace(/^\r?\n/, "");
  }

  #number(): Token {
    // Lua takes all that could belong to a number, and only then looks whether it is one.
    const candidate = /[\d.]+(?:[eE][+-]?)?\w*/y;
    candidate.lastIndex = this.#at;
    const text = candidate.exec(this.#source)?.[0] ?? "";
    if (!/^(0[xX][0-9a-fA-F]+|(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?)$/.test(text)) this.fail("malformed number", text);
    this.#at += text.length;
    return { type: "number", text, number: Number(text), line: this.line, near: text };
  }

  #quoted(quote: string): Token {
    const source = this.#source;
    const start = this.#at;
    let text = "";
    this.#at += 1;
    for (;;) {
      const char = source[this.#at];
      if (char === undefined) this.fail("unfinished string", "<eof>");
      if (char === "\n") this.fail("unfinished string", source.slice(start, this.#at));
      this.#at += 1;
      if (char === quote) break;
      if (char !== "\\") {
        text += char;
        continue;
      }
      const digits = /\d{1,3}/y;
      digits.lastIndex = this.#at;
      const code = digits.exec(source)?.[0];
      if (code !== undefined) {
        if (Number(code) > 255) this.fail("escape sequence too large", quote + text);
        text += String.fromCharCode(Number(code));
        this.#at += code.length;
        continue;
      }
      const escaped = source[this.#at];
      if (escaped === undefined) this.fail("unfinished string", "<eof>");
      if (escaped === "\n") this.line += 1;
      text += ESCAPES[escaped] ?? escaped;
      this.#at += 1;
    }
    return { type: "string", text, number: 0, line: this.line, near: source.slice(start, this.#at) };
  }
}

function count(text: string, char: string): number {
  return text.split(char).length - 1;
}
