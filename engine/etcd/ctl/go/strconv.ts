/**
 * Go's strconv and time.ParseDuration, as far as flags and arguments of etcdctl go through them: what is accepted, and
 * the text of the error when it is not. A value that does not fit 64 bits is out of range. (pkg.go.dev/strconv)
 */
import { quote } from "./quote.ts";

/** A value, or Go's text of what is wrong with it. */
export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: string };

const good = <T>(value: T): Parsed<T> => ({ ok: true, value });

function bad(func: string, text: string, why: "invalid syntax" | "value out of range"): Parsed<never> {
  return { ok: false, error: `strconv.${func}: parsing ${quote(text)}: ${why}` };
}

const DIGITS: Readonly<Record<number, RegExp>> = { 2: /^[01]+$/, 8: /^[0-7]+$/, 10: /^[0-9]+$/, 16: /^[0-9a-fA-F]+$/ };
const PREFIXES: Readonly<Record<number, string>> = { 2: "0b", 8: "0o", 10: "", 16: "0x" };

/** The magnitude, null when the digits are none of the base. Base 0 reads a prefix (0x, 0o, 0b, 0) and underscores. */
function magnitude(digits: string, base: 0 | 10 | 16): bigint | null {
  let radix: number = base;
  let rest = digits;
  if (base === 0) {
    const prefix = /^0([xXbBoO]?)/.exec(digits);
    const letter = prefix === null ? "" : (prefix[1] as string).toLowerCase();
    if (prefix === null || digits === "0") radix = 10;
    else radix = letter === "x" ? 16 : letter === "b" ? 2 : 8;
    if (prefix !== null && digits !== "0") rest = digits.slice(letter === "" ? 1 : 2);
    if (rest.includes("_")) {
      const underscored = prefix !== null && digits !== "0" ? /^_?[0-9a-fA-F]+(_[0-9a-fA-F]+)*$/ : /^[0-9]+(_[0-9]+)*$/;
      if (!underscored.test(rest)) return null;
      rest = rest.replaceAll("_", "");
    }
  }
  const allowed = DIGITS[radix];
  if (allowed === undefined || !allowed.test(rest)) return null;
  return BigInt(`${PREFIXES[radix] as string}${rest}`);
}

/** A signed integer of 64 bits, as a decimal string. */
export function parseInt64(text: string, base: 0 | 10 | 16): Parsed<string> {
  const parts = /^([+-]?)(.*)$/s.exec(text) as RegExpExecArray;
  const size = magnitude(parts[2] as string, base);
  if (size === null) return bad("ParseInt", text, "invalid syntax");
  const value = parts[1] === "-" ? -size : size;
  return BigInt.asIntN(64, value) === value ? good(value.toString()) : bad("ParseInt", text, "value out of range");
}

/** An unsigned integer of 64 bits, as a decimal string. */
export function parseUint64(text: string, base: 10 | 16): Parsed<string> {
  const value = magnitude(text, base);
  if (value === null) return bad("ParseUint", text, "invalid syntax");
  return BigInt.asUintN(64, value) === value ? good(value.toString()) : bad("ParseUint", text, "value out of range");
}

const TRUE = ["1", "t", "T", "true", "TRUE", "True"];
const FALSE = ["0", "f", "F", "false", "FALSE", "False"];

export function parseBool(text: string): Parsed<boolean> {
  if (TRUE.includes(text)) return good(true);
  if (FALSE.includes(text)) return good(false);
  return bad("ParseBool", text, "invalid syntax");
}

/** In nanoseconds. */
const UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  "\u00b5s": 1_000n,
  "\u03bcs": 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

/** A duration in microseconds; one that is not zero is at least one. */
export function parseDuration(text: string): Parsed<number> {
  const invalid: Parsed<never> = { ok: false, error: `time: invalid duration ${quote(text)}` };
  const negative = text.startsWith("-");
  let rest = text.replace(/^[+-]/, "");
  if (rest === "0") return good(0);
  if (rest === "") return invalid;
  let total = 0n;
  while (rest !== "") {
    const part = /^([0-9]*)(\.?)([0-9]*)([^0-9.]*)/.exec(rest) as RegExpExecArray;
    const [all, whole, , fraction, unit] = part as unknown as readonly [string, string, string, string, string];
    if (whole === "" && fraction === "") return invalid;
    if (unit === "") return { ok: false, error: `time: missing unit in duration ${quote(text)}` };
    const scale = UNITS[unit];
    if (scale === undefined)
      return { ok: false, error: `time: unknown unit ${quote(unit)} in duration ${quote(text)}` };
    total += BigInt(whole === "" ? "0" : whole) * scale;
    if (fraction !== "") total += (BigInt(fraction) * scale) / 10n ** BigInt(fraction.length);
    rest = rest.slice(all.length);
  }
  if (BigInt.asIntN(64, total) !== total) return invalid;
  const micros = Number((total + 999n) / 1_000n);
  return good(negative ? -micros : micros);
}
