/**
 * Go's quoted strings: `%q` writes them, `strconv.Unquote` reads them. On byte strings, as Go does: what is not UTF-8
 * is written byte by byte. (pkg.go.dev/strconv)
 */
import { type Bytes, fromText, runeLength, toText } from "../../api/bytes.ts";

/** `%q` of a text. */
export function quote(text: string): string {
  return quoteBytes(fromText(text));
}

const NAMED: Readonly<Record<string, string>> = {
  "\x07": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  '"': '\\"',
  "\\": "\\\\",
};

/** `%q` of bytes, as text. */
export function quoteBytes(bytes: Bytes): string {
  let out = '"';
  for (let at = 0; at < bytes.length; ) {
    const length = runeLength(bytes, at);
    out += length === 0 ? `\\x${hex(bytes.charCodeAt(at), 2)}` : quoteRune(toText(bytes.slice(at, at + length)));
    at += Math.max(1, length);
  }
  return `${out}"`;
}

function quoteRune(rune: string): string {
  const named = NAMED[rune];
  if (named !== undefined) return named;
  if (rune === " " || /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u.test(rune)) return rune;
  const code = rune.codePointAt(0) as number;
  if (code < 0x20 || code === 0x7f) return `\\x${hex(code, 2)}`;
  return code < 0x10000 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
}

const hex = (n: number, digits: number) => n.toString(16).padStart(digits, "0");

/**
 * A quoted string at the start of `input`, in double quotes with escapes or in back quotes without.
 *
 * @returns the value and what follows it; null when there is none, it does not end, or has an escape that Go lacks
 */
export function scanQuoted(input: Bytes): { readonly value: Bytes; readonly rest: Bytes } | null {
  const found = /^(?:`([^`]*)`|"((?:[^"\\]|\\[^])*)")/.exec(input);
  if (found === null) return null;
  const rest = input.slice(found[0].length);
  if (found[1] !== undefined) return { value: found[1].replaceAll("\r", ""), rest };
  const value = unescape(found[2] as string);
  return value === null ? null : { value, rest };
}

const ESCAPES: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  '"': '"',
};

function unescape(body: Bytes): Bytes | null {
  if (body.includes("\n")) return null;
  let wrong = false;
  const value = body.replace(
    /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})|([^]))/g,
    (_, byte, short, long, octal, letter) => {
      if (byte !== undefined) return String.fromCharCode(Number.parseInt(byte, 16));
      const rune: string | undefined = short ?? long;
      if (rune !== undefined) {
        const code = Number.parseInt(rune, 16);
        if (code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)) return fromText(String.fromCodePoint(code));
      } else if (octal !== undefined) {
        const code = Number.parseInt(octal, 8);
        if (code < 256) return String.fromCharCode(code);
      } else {
        const plain = ESCAPES[letter as string];
        if (plain !== undefined) return plain;
      }
      wrong = true;
      return "";
    },
  );
  return wrong ? null : value;
}
