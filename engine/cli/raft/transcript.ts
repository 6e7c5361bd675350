/**
 * The form of the transcripts of go.etcd.io/raft: commands, their input, and the text that must come out (FORMAT.md §1).
 */
import type { NodeId } from "../../raft/types.ts";
import { nodeId } from "../../raft/types.ts";

export interface Argument {
  readonly key: string;
  /** Null when there is no `=`. */
  readonly values: readonly string[] | null;
  /** As it is written. */
  readonly raw: string;
}

export interface Command {
  readonly line: number;
  readonly text: string;
  readonly name: string;
  readonly args: readonly Argument[];
  readonly input: string;
  readonly expected: string;
}

/** The file, or a command in it, can't be understood. */
export class TranscriptError extends Error {
  override readonly name = "TranscriptError";
}

const RULE = "----";

export function parseTranscript(text: string): readonly Command[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  const commands: Command[] = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at]?.trim() ?? "";
    // A subtest only groups the commands up to its end; it has no input and no output of its own.
    if (line === "" || line.startsWith("#") || /^subtest( |$)/.test(line)) at += 1;
    else {
      const { command, next } = parseCommand(lines, at);
      commands.push(command);
      at = next;
    }
  }
  return commands;
}

function parseCommand(lines: readonly string[], start: number): { readonly command: Command; readonly next: number } {
  const fail = (what: string): never => {
    throw new TranscriptError(`line ${start + 1}: ${what}`);
  };
  let at = start;
  let text = lines[at]?.trim() ?? "";
  while (text.endsWith("\\")) {
    at += 1;
    if (at >= lines.length) fail("the file ends inside a command");
    text = `${text.slice(0, -1).trimEnd()} ${lines[at]?.trim() ?? ""}`;
  }
  at += 1;
  const input: string[] = [];
  for (; lines[at] !== RULE; at += 1) {
    if (at >= lines.length) fail(`no ${RULE} after the command`);
    input.push(lines[at] ?? "");
  }
  at += 1;
  const expected: string[] = [];
  if (lines[at] === RULE) {
    for (at += 1; lines[at] !== RULE || lines[at + 1] !== RULE; at += 1) {
      if (at >= lines.length) fail(`no second ${RULE} ${RULE} after the output`);
      expected.push(lines[at] ?? "");
    }
    at += 2;
  } else for (; at < lines.length && lines[at]?.trim() !== ""; at += 1) expected.push(lines[at] ?? "");
  const tokens = splitTokens(text) ?? fail(`unbalanced parentheses in: ${text}`);
  const [name = "", ...rest] = tokens;
  const args = rest.map(parseArgument);
  const output = expected.map((line) => `${line}\n`).join("");
  return { command: { line: start + 1, text, name, args, input: input.join("\n").trim(), expected: output }, next: at };
}

/** Split at blanks, but not inside the parentheses of a value. Null when those don't balance. */
function splitTokens(text: string): readonly string[] | null {
  const tokens: string[] = [];
  let token = "";
  let depth = 0;
  for (const char of text) {
    if (/\s/.test(char) && depth === 0) {
      if (token !== "") tokens.push(token);
      token = "";
      continue;
    }
    if (char === "(" && (depth > 0 || token.endsWith("="))) depth += 1;
    else if (char === ")" && depth > 0) depth -= 1;
    token += char;
  }
  if (token !== "") tokens.push(token);
  return depth === 0 ? tokens : null;
}

function parseArgument(raw: string): Argument {
  const at = raw.indexOf("=");
  if (at < 0) return { key: raw, values: null, raw };
  const key = raw.slice(0, at);
  const value = raw.slice(at + 1);
  if (!value.startsWith("(") || !value.endsWith(")")) return { key, values: [value], raw };
  return { key, values: splitValues(value.slice(1, -1)), raw };
}

function splitValues(text: string): readonly string[] {
  if (text.trim() === "") return [];
  const values: string[] = [];
  let value = "";
  let depth = 0;
  for (const char of text) {
    if (char === "," && depth === 0) {
      values.push(value);
      value = "";
      continue;
    }
    if (char === "(") depth += 1;
    if (char === ")") depth -= 1;
    value += char;
  }
  values.push(value);
  return values.map((one) => one.trim());
}

// Reading arguments

/** Whole numbers only, so that a typing error is not a zero. */
export function integer(text: string | undefined, what: string): number {
  if (text === undefined || !/^\d+$/.test(text) || !Number.isSafeInteger(Number(text)))
    throw new TranscriptError(`${what} must be a whole number, not ${text ?? "nothing"}`);
  return Number(text);
}

/** A member's id: a whole number of 64 bits. */
export function memberId(text: string | undefined, what: string): NodeId {
  if (text === undefined || !/^\d+$/.test(text) || BigInt.asUintN(64, BigInt(text)) !== BigInt(text))
    throw new TranscriptError(`${what} must be a whole number, not ${text ?? "nothing"}`);
  return nodeId(BigInt(text).toString(16));
}

/** In any of the spellings that Go reads. */
export function boolean(text: string, what: string): boolean {
  if (["true", "True", "TRUE", "t", "T", "1"].includes(text)) return true;
  if (["false", "False", "FALSE", "f", "F", "0"].includes(text)) return false;
  throw new TranscriptError(`${what} must be true or false, not ${text}`);
}

/** The one value of `key=value`. */
export function single(arg: Argument): string {
  const value = arg.values?.[0];
  if (value === undefined || arg.values?.length !== 1) throw new TranscriptError(`${arg.key} takes one value`);
  return value;
}
