/**
 * The line that is typed into the console, as a shell reads it: words, quotes, escapes; the history of lines; and what
 * Tab would complete. No pipes and no expansion: what a shell would do with `|`, `>` or `$` is refused, not guessed.
 */
import { localFlags, inheritedFlags, nameOf, type Path } from "./cobra/command.ts";
import { ETCDCTL } from "./tree.ts";

export type Line =
  /** `env`: variables that were set in front of the command. */
  | { readonly type: "command"; readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> }
  | { readonly type: "empty" }
  | { readonly type: "wrong"; readonly error: string };

/** Reads a line; `etcdctl` in front, and variables in front of that, may be left out. */
export function readLine(text: string): Line {
  const words = splitWords(text);
  if (typeof words === "string") return { type: "wrong", error: words };
  const env: Record<string, string> = {};
  let first = 0;
  for (; first < words.length; first += 1) {
    const assigned = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/s.exec(words[first] as string);
    if (assigned === null) break;
    env[assigned[1] as string] = assigned[2] as string;
  }
  if (first === words.length) return first === 0 ? { type: "empty" } : { type: "command", args: [], env };
  const args = words.slice(words[first] === "etcdctl" ? first + 1 : first);
  return { type: "command", args, env };
}

/** The words of a line, or what is wrong with it. A `#` in front of a word begins a comment. */
export function splitWords(text: string): readonly string[] | string {
  const words: string[] = [];
  let word: string | null = null;
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at] as string;
    if (letter === " " || letter === "\t" || letter === "\n") {
      if (word !== null) words.push(word);
      word = null;
    } else if (letter === "'") {
      const end = text.indexOf("'", at + 1);
      if (end < 0) return "unexpected end of the line while looking for matching '";
      word = (word ?? "") + text.slice(at + 1, end);
      at = end;
    } else if (letter === '"') {
      const quoted = doubleQuoted(text, at + 1);
      if (quoted === null) return 'unexpected end of the line while looking for matching "';
      word = (word ?? "") + quoted.value;
      at = quoted.end;
    } else if (letter === "\\") {
      at += 1;
      if (at < text.length && text[at] !== "\n") word = (word ?? "") + (text[at] as string);
    } else if (letter === "#" && word === null) break;
    else if ("|&;<>()`$".includes(letter))
      return `syntax error near unexpected token ${letter}: the console has no shell`;
    else word = (word ?? "") + letter;
  }
  if (word !== null) words.push(word);
  return words;
}

/** In double quotes a backslash stands before `"`, `\`, `$` and a back quote only. */
function doubleQuoted(text: string, from: number): { readonly value: string; readonly end: number } | null {
  let value = "";
  for (let at = from; at < text.length; at += 1) {
    const letter = text[at] as string;
    if (letter === '"') return { value, end: at };
    const next = text[at + 1];
    if (letter === "\\" && next !== undefined && '"\\$`\n'.includes(next)) {
      at += 1;
      if (next !== "\n") value += next;
    } else value += letter;
  }
  return null;
}

/** A word as it has to be typed. */
export function quoteWord(word: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Several lines that were pasted: those that are whole are typed one after the other, the last one stays to be edited. */
export function pasted(text: string): { readonly lines: readonly string[]; readonly rest: string } {
  const parts = text.replaceAll("\r\n", "\n").replaceAll("\r", "\n").split("\n");
  return { lines: parts.slice(0, -1), rest: parts.at(-1) ?? "" };
}

// ── history ──

const HISTORY_MAX = 500;

export interface History {
  readonly lines: readonly string[];
  /** Which one is shown; the number of lines: the one that is being typed. */
  readonly at: number;
  /** What was being typed when the walk began. */
  readonly draft: string;
}

export const EMPTY_HISTORY: History = { lines: [], at: 0, draft: "" };

/** A line was entered; a repeated one counts once. */
export function entered(history: History, line: string): History {
  const repeated = line.trim() === "" || history.lines.at(-1) === line;
  const lines = repeated ? history.lines : [...history.lines, line].slice(-HISTORY_MAX);
  return { lines, at: lines.length, draft: "" };
}

/** One up (-1) or down (+1), from what is typed now. */
export function walked(history: History, by: -1 | 1, typed: string): History {
  const draft = history.at === history.lines.length ? typed : history.draft;
  return { ...history, draft, at: Math.max(0, Math.min(history.lines.length, history.at + by)) };
}

export const shownLine = ({ lines, at, draft }: History): string => lines[at] ?? draft;

// ── completion ──

/** What could stand instead of the last word that is being typed: commands, or flags. Sorted. */
export function completions(text: string): readonly string[] {
  const words = splitWords(text);
  if (typeof words === "string") return [];
  const fresh = text === "" || /[ \t]$/.test(text);
  const typed = fresh ? "" : (words.at(-1) ?? "");
  let path: Path = [ETCDCTL];
  for (const word of fresh ? words : words.slice(0, -1)) {
    const below = path.at(-1)?.commands.find((of) => nameOf(of) === word);
    if (below !== undefined) path = [...path, below];
  }
  if (typed.startsWith("-"))
    return [...localFlags(path), ...inheritedFlags(path)]
      .map(({ name, type }) => `--${name}${type === "bool" ? "" : "="}`)
      .filter((name) => name.startsWith(typed))
      .sort();
  return (path.at(-1)?.commands ?? [])
    .map(nameOf)
    .filter((name) => name.startsWith(typed))
    .sort();
}
