/** The few programs that `lock … PROGRAM` and `watch … -- PROGRAM` find in the page. */
import { type Bytes, fromText } from "../api/bytes.ts";
import { quote } from "./go/quote.ts";

export interface Ran {
  readonly stdout: Bytes;
  /** Go's error of running it; null when it did well. */
  readonly error: string | null;
}

/** @param args its name first */
export function runProgram(args: readonly string[], env: Readonly<Record<string, string>>): Ran {
  const [name = "", ...rest] = args;
  switch (name.replace(/^(\/usr)?\/bin\//, "")) {
    case "echo":
      return { stdout: fromText(echo(rest)), error: null };
    case "printenv":
    case "env":
      return printenv(rest, env);
    case "true":
      return { stdout: "", error: null };
    case "false":
      return { stdout: "", error: "exit status 1" };
    default:
      return { stdout: "", error: notFound(name) };
  }
}

function notFound(name: string): string {
  if (name.includes("/")) return `fork/exec ${name}: no such file or directory`;
  return `exec: ${quote(name)}: executable file not found in $PATH`;
}

/** With the options of the one in coreutils: `-n`, `-e`, `-E`. */
function echo(words: readonly string[]): string {
  let newline = true;
  let escapes = false;
  let first = 0;
  for (; first < words.length && /^-[neE]+$/.test(words[first] as string); first += 1) {
    const option = words[first] as string;
    if (option.includes("n")) newline = false;
    if (option.includes("e")) escapes = true;
    if (option.includes("E")) escapes = false;
  }
  const text = words.slice(first).join(" ");
  const plain = escapes
    ? text.replace(/\\([nt\\])/g, (_, c: string) => ({ n: "\n", t: "\t", "\\": "\\" })[c] ?? "")
    : text;
  return newline ? `${plain}\n` : plain;
}

function printenv(names: readonly string[], env: Readonly<Record<string, string>>): Ran {
  const lines = names.length === 0 ? Object.entries(env).map(([name, value]) => `${name}=${value}`) : [];
  for (const name of names) if (env[name] !== undefined) lines.push(env[name]);
  const missing = names.some((name) => env[name] === undefined);
  return { stdout: fromText(lines.map((line) => `${line}\n`).join("")), error: missing ? "exit status 1" : null };
}
