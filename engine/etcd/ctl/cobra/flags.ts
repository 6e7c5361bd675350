/**
 * Flags as pflag, the library under etcdctl, has them: types, defaults, shorthands, and the error for each mistake.
 *
 * The words are the ones that people meet: outside evidence compares them. A well-kept parser for JavaScript does not
 * imitate pflag to the letter, so this is our own. (pkg.go.dev/github.com/spf13/pflag)
 */
import { unreachable } from "../../../base/assert.ts";
import { quote } from "../go/quote.ts";
import { parseBool, type Parsed, parseDuration, parseInt64 } from "../go/strconv.ts";

export type FlagType = "bool" | "string" | "int" | "int64" | "duration" | "stringSlice";

export interface Flag {
  readonly name: string;
  /** One letter; empty without one. */
  readonly shorthand: string;
  readonly type: FlagType;
  /** As the usage shows it. */
  readonly default: string;
  readonly usage: string;
}

/** Integers are safe ones (larger are cut down to that); durations are in microseconds. */
export type FlagValue = boolean | string | number | readonly string[];

export interface FlagValues {
  readonly values: Readonly<Record<string, FlagValue>>;
  /** Names of those that were given. */
  readonly changed: readonly string[];
  /** The words that are no flags. */
  readonly words: readonly string[];
}

export const flag = (type: FlagType, name: string, usage: string, preset = "", shorthand = ""): Flag => ({
  name,
  shorthand,
  type,
  usage,
  default: preset === "" ? zeroText(type) : preset,
});

function zeroText(type: FlagType): string {
  switch (type) {
    case "bool":
      return "false";
    case "int":
    case "int64":
      return "0";
    case "duration":
      return "0s";
    case "string":
      return "";
    case "stringSlice":
      return "[]";
    default:
      return unreachable(type);
  }
}

/** What a flag is worth when nobody gives it. */
export function presetOf(of: Flag): FlagValue {
  if (of.type === "stringSlice")
    return of.default
      .slice(1, -1)
      .split(",")
      .filter((part) => part !== "");
  const preset = read(of, of.default);
  return preset.ok ? preset.value : of.default;
}

/** `text` as the flag's type reads it. */
function read({ type }: Flag, text: string): Parsed<FlagValue> {
  switch (type) {
    case "bool":
      return parseBool(text);
    case "string":
      return { ok: true, value: text };
    case "int":
    case "int64": {
      const parsed = parseInt64(text, 0);
      return parsed.ok ? { ok: true, value: safe(Number(parsed.value)) } : parsed;
    }
    case "duration":
      return parseDuration(text);
    case "stringSlice":
      return readList(text);
    default:
      return unreachable(type);
  }
}

const safe = (value: number) => Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, value));

/** One line of comma-separated values, in which a value may be quoted (Go's encoding/csv). */
function readList(text: string): Parsed<readonly string[]> {
  const items: string[] = [];
  let at = 0;
  const wrong = (column: number, why: string): Parsed<never> => ({
    ok: false,
    error: `parse error on line 1, column ${column}: ${why}`,
  });
  if (text === "") return { ok: true, value: items };
  for (;;) {
    if (text[at] === '"') {
      const quoted = /"((?:[^"]|"")*)"/y;
      quoted.lastIndex = at;
      const found = quoted.exec(text);
      if (found === null) return wrong(text.length + 1, 'extraneous or missing " in quoted-field');
      items.push((found[1] as string).replaceAll('""', '"'));
      at += found[0].length;
      if (at < text.length && text[at] !== ",") return wrong(at, 'extraneous or missing " in quoted-field');
    } else {
      const comma = text.indexOf(",", at);
      const item = text.slice(at, comma < 0 ? text.length : comma);
      if (item.includes('"')) return wrong(at + item.indexOf('"') + 1, 'bare " in non-quoted-field');
      items.push(item);
      at += item.length;
    }
    if (at >= text.length) return { ok: true, value: items };
    at += 1;
  }
}

/** The error of a flag that was given a value that it does not take. */
function invalidArgument(of: Flag, text: string, why: string): string {
  const name = of.shorthand === "" ? `--${of.name}` : `-${of.shorthand}, --${of.name}`;
  return `invalid argument ${quote(text)} for ${quote(name)} flag: ${why}`;
}

export type Outcome =
  | ({ readonly ok: true } & FlagValues)
  /** `values`: those set before the mistake. */
  | { readonly ok: false; readonly error: string };

/** Takes the flags out of `args`. Flags may stand anywhere before a bare `--`. */
export function parseFlags(flags: readonly Flag[], args: readonly string[]): Outcome {
  const values: Record<string, FlagValue> = Object.fromEntries(flags.map((of) => [of.name, presetOf(of)]));
  const changed = new Set<string>();
  const words: string[] = [];
  const set = (of: Flag, text: string): string | null => {
    const parsed = read(of, text);
    if (!parsed.ok) return invalidArgument(of, text, parsed.error);
    // a list that is given again grows; the first time it replaces the default
    const before = values[of.name];
    const grows = of.type === "stringSlice" && changed.has(of.name);
    values[of.name] = grows ? [...(before as readonly string[]), ...(parsed.value as readonly string[])] : parsed.value;
    changed.add(of.name);
    return null;
  };
  const rest = [...args];
  while (rest.length > 0) {
    const word = rest.shift() as string;
    if (word.length < 2 || !word.startsWith("-")) {
      words.push(word);
      continue;
    }
    if (word === "--") {
      words.push(...rest);
      break;
    }
    const error = word.startsWith("--") ? long(flags, word, rest, set) : short(flags, word, rest, set);
    if (error !== null) return { ok: false, error };
  }
  return { ok: true, values, changed: [...changed], words };
}

type Set_ = (of: Flag, text: string) => string | null;

function long(flags: readonly Flag[], word: string, rest: string[], set: Set_): string | null {
  const body = word.slice(2);
  if (/^[-=]/.test(body)) return `bad flag syntax: ${word}`;
  const equals = body.indexOf("=");
  const name = equals < 0 ? body : body.slice(0, equals);
  const of = flags.find((one) => one.name === name);
  if (of === undefined) return `unknown flag: --${name}`;
  if (equals >= 0) return set(of, body.slice(equals + 1));
  if (of.type === "bool") return set(of, "true");
  const next = rest.shift();
  return next === undefined ? `flag needs an argument: ${word}` : set(of, next);
}

/** `-abc`: booleans by their letters; the first that takes a value takes the rest of the word, or else the next one. */
function short(flags: readonly Flag[], word: string, rest: string[], set: Set_): string | null {
  let letters = word.slice(1);
  while (letters !== "") {
    const letter = letters[0] as string;
    const of = flags.find((one) => one.shorthand === letter);
    if (of === undefined) return `unknown shorthand flag: ${quoteLetter(letter)} in -${letters}`;
    let error: string | null;
    let left = "";
    if (letters.length > 2 && letters[1] === "=") error = set(of, letters.slice(2));
    else if (of.type === "bool") {
      error = set(of, "true");
      left = letters.slice(1);
    } else if (letters.length > 1) error = set(of, letters.slice(1));
    else {
      const next = rest.shift();
      if (next === undefined) return `flag needs an argument: ${quoteLetter(letter)} in -${letters}`;
      error = set(of, next);
    }
    if (error !== null) return error;
    letters = left;
  }
  return null;
}

/** Go's `%q` of a byte. */
function quoteLetter(letter: string): string {
  if (letter === "'") return "'\\''";
  const quoted = quote(letter).slice(1, -1);
  return `'${quoted === '\\"' ? '"' : quoted}'`;
}
