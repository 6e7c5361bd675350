/**
 * Runs a transcript of go.etcd.io/raft and shows the first command whose output differs.
 */
import type { Suite } from "../suite.ts";
import { ConfChanger } from "./conf-changer.ts";
import { Interaction } from "./interaction.ts";
import { QuorumTables } from "./quorum-tables.ts";
import type { Command } from "./transcript.ts";
import { parseTranscript, TranscriptError } from "./transcript.ts";

export const raftSuite: Suite = {
  isCase: (path) => path.endsWith(".txt"),
  run: async (_path, text) => runTranscript(text),
};

interface Interpreter {
  run(command: Command): string;
}

/** Null when every command says what it should. */
export function runTranscript(text: string): string | null {
  let commands: readonly Command[];
  try {
    commands = parseTranscript(text);
  } catch (error) {
    if (error instanceof TranscriptError) return error.message;
    throw error;
  }
  if (commands.length === 0) return "there is no command in this file";
  const interpreter = interpreterFor(commands);
  for (const command of commands) {
    const failure = runCommand(interpreter, command);
    if (failure !== null) return `line ${command.line}: ${command.text}\n${failure}`;
  }
  return null;
}

/** The kind of a file shows in its commands. */
function interpreterFor(commands: readonly Command[]): Interpreter {
  const names = new Set(commands.map(({ name }) => name));
  if (names.has("committed") || names.has("vote")) return new QuorumTables();
  if (names.has("simple") || names.has("enter-joint") || names.has("leave-joint")) return new ConfChanger();
  return new Interaction();
}

function runCommand(interpreter: Interpreter, command: Command): string | null {
  let got: string;
  try {
    got = interpreter.run(command);
  } catch (error) {
    if (error instanceof TranscriptError) return error.message;
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
  if (got !== "" && !got.endsWith("\n")) got += "\n";
  return got === command.expected ? null : difference(command.expected, got);
}

const CONTEXT_LINES = 3;

/** Lines that are expected and missing with `-`, lines that came instead with `+`, and a few before and after. */
export function difference(expected: string, got: string): string {
  const want = expected.split("\n");
  const have = got.split("\n");
  let start = 0;
  while (start < want.length && start < have.length && want[start] === have[start]) start += 1;
  let end = 0;
  while (
    end < want.length - start &&
    end < have.length - start &&
    want[want.length - 1 - end] === have[have.length - 1 - end]
  )
    end += 1;
  const before = want.slice(Math.max(0, start - CONTEXT_LINES), start);
  const after = want.slice(want.length - end, want.length - end + CONTEXT_LINES);
  return [
    ...before.map((line) => `  ${line}`),
    ...want.slice(start, want.length - end).map((line) => `- ${line}`),
    ...have.slice(start, have.length - end).map((line) => `+ ${line}`),
    ...after.map((line) => `  ${line}`),
  ].join("\n");
}
