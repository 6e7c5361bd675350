/**
 * A tree of commands as cobra, the library under etcdctl, walks it: which command a line means, and what is said when it
 * means none. The usage texts are in `usage.ts`. (pkg.go.dev/github.com/spf13/cobra)
 */
import { type Flag, flag, type FlagValues, parseFlags } from "./flags.ts";
import { quote } from "../go/quote.ts";

export interface CommandSpec {
  /** The name, and what its arguments look like. */
  readonly use: string;
  readonly short: string;
  /** A longer description; empty without one. */
  readonly long: string;
  readonly flags: readonly Flag[];
  /** Flags of this command that those below it take as well. */
  readonly persistent: readonly Flag[];
  /** In the order in which guesses are made; shown by name. */
  readonly commands: readonly CommandSpec[];
  /** A family only holds commands: it can only show its usage. */
  readonly runnable: boolean;
  /** Whether words are an error (cobra's NoArgs). */
  readonly noArgs: boolean;
  /** Whether the usage line ends with `[flags]`. */
  readonly flagsInUseLine: boolean;
}

/** A command and those above it, the root first. */
export type Path = readonly CommandSpec[];

export const command = (
  use: string,
  short: string,
  flags: readonly Flag[] = [],
  more: Partial<CommandSpec> = {},
): CommandSpec => ({
  use,
  short,
  long: "",
  flags,
  persistent: [],
  commands: [],
  runnable: true,
  noArgs: false,
  flagsInUseLine: true,
  ...more,
});

export const family = (use: string, short: string, commands: readonly CommandSpec[], more: Partial<CommandSpec> = {}) =>
  command(use, short, [], { commands, runnable: false, ...more });

export const nameOf = (of: CommandSpec): string => of.use.split(" ")[0] as string;

/** The names from the root down. */
export const pathText = (path: Path): string => path.map(nameOf).join(" ");

const last = (path: Path): CommandSpec => path.at(-1) as CommandSpec;

/** `--help` belongs to every command. */
function helpFlag(path: Path): Flag {
  const name = nameOf(last(path));
  return flag("bool", "help", `help for ${name === "" ? "this command" : name}`, "", "h");
}

/** The command's own flags, its persistent ones among them. */
export function localFlags(path: Path): readonly Flag[] {
  return byName([...last(path).flags, ...last(path).persistent, helpFlag(path)]);
}

export function inheritedFlags(path: Path): readonly Flag[] {
  return byName(path.slice(0, -1).flatMap((of) => of.persistent));
}

const byName = (flags: readonly Flag[]) => [...flags].sort((a, b) => (a.name < b.name ? -1 : 1));

export type Found =
  | { readonly type: "run"; readonly path: Path; readonly flags: FlagValues }
  | { readonly type: "help"; readonly path: Path }
  /** No such command: no usage is shown. */
  | { readonly type: "unknown"; readonly error: string }
  /** A mistake on the command's line: its usage is shown. */
  | { readonly type: "mistake"; readonly path: Path; readonly error: string };

/** What `args` mean. */
export function resolve(root: CommandSpec, args: readonly string[]): Found {
  const { path, rest } = descend([root], args);
  const spec = last(path);
  const left = withoutFlags(path, rest);
  if (path.length === 1 && spec.commands.length > 0 && left.length > 0)
    return { type: "unknown", error: unknownCommand(path, left[0] as string) };
  const parsed = parseFlags([...localFlags(path), ...inheritedFlags(path)], rest);
  if (!parsed.ok) return { type: "mistake", path, error: parsed.error };
  if (parsed.values["help"] === true || !spec.runnable) return { type: "help", path };
  if (spec.noArgs && parsed.words.length > 0) {
    const error = `unknown command ${quote(parsed.words[0] as string)} for ${quote(pathText(path))}`;
    return { type: "mistake", path, error };
  }
  return { type: "run", path, flags: parsed };
}

/** For `help WORD…`: the command that the words name, or null. A word too many below the root is no matter. */
export function lookUp(root: CommandSpec, words: readonly string[]): Path | null {
  const { path, rest } = descend([root], words);
  return path.length === 1 && withoutFlags(path, rest).length > 0 ? null : path;
}

function descend(path: Path, args: readonly string[]): { readonly path: Path; readonly rest: readonly string[] } {
  const word = withoutFlags(path, args)[0];
  const next = word === undefined ? null : child(last(path), word);
  return next === null ? { path, rest: args } : descend([...path, next], without(path, args, word as string));
}

/** By its name, or by a beginning that only one has. */
function child({ commands }: CommandSpec, word: string): CommandSpec | null {
  const exact = commands.find((of) => nameOf(of) === word);
  if (exact !== undefined) return exact;
  const beginning = commands.filter((of) => nameOf(of).startsWith(word));
  return beginning.length === 1 ? (beginning[0] as CommandSpec) : null;
}

/**
 * Whether a flag hides the word after it while the command is looked for. One that is not known here does: it may belong
 * to a command further down. Nor is `--help` known yet: a command gets it when it is found.
 */
function takesNext(path: Path, word: string): boolean {
  const known = [...last(path).flags, ...last(path).persistent, ...inheritedFlags(path)];
  if (word.startsWith("--")) {
    if (word.includes("=")) return false;
    return known.find((of) => of.name === word.slice(2))?.type !== "bool";
  }
  if (word.includes("=") || word.length !== 2) return false;
  return known.find((of) => of.shorthand === word[1])?.type !== "bool";
}

const isFlag = (word: string) => word.startsWith("-") && word.length > 1;

function withoutFlags(path: Path, args: readonly string[]): readonly string[] {
  const words: string[] = [];
  for (let i = 0; i < args.length; i += 1) {
    const word = args[i] as string;
    if (word === "--") break;
    if (isFlag(word)) {
      if (takesNext(path, word)) i += 1;
    } else if (word !== "" && word !== "-") words.push(word);
  }
  return words;
}

/** `args` without the first word that names the command; not one that is a flag's value. */
function without(path: Path, args: readonly string[], name: string): readonly string[] {
  for (let i = 0; i < args.length; i += 1) {
    const word = args[i] as string;
    if (word === "--") break;
    if (isFlag(word)) {
      if (takesNext(path, word)) i += 1;
    } else if (word === name) return [...args.slice(0, i), ...args.slice(i + 1)];
  }
  return args;
}

function unknownCommand(path: Path, word: string): string {
  const guesses = last(path).commands.filter((of) => nameOf(of) !== "help" && resembles(nameOf(of), word));
  const list =
    guesses.length === 0 ? "" : `\n\nDid you mean this?\n${guesses.map((of) => `\t${nameOf(of)}\n`).join("")}`;
  return `unknown command ${quote(word)} for ${quote(pathText(path))}${list}`;
}

function resembles(name: string, word: string): boolean {
  const typed = word.toLowerCase();
  return name.toLowerCase().startsWith(typed) || distance(name.toLowerCase(), typed) <= 2;
}

/** Levenshtein's, over UTF-16 units. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const kept = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] as number) + 1, (next[j - 1] as number) + 1, kept));
    }
    row = next;
  }
  return row[b.length] as number;
}
