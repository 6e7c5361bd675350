/** Runs a recorded session of etcdctl on a bench, and compares what it prints with what was recorded. */
import { MS, type Micros, SECOND } from "../../base/units.ts";
import { type Bytes, fromArray, fromText, toArray } from "../../etcd/api/bytes.ts";
import type { Bench, SessionHead } from "./bench.ts";
import type { Normaliser } from "./normaliser.ts";

/** Text that is not UTF-8 is in base64; a long input is a repeated word. */
type Recorded = string | { readonly b64: string } | { readonly repeat: readonly [string, number] };

interface Step {
  readonly args?: readonly string[];
  readonly stdin?: Recorded;
  readonly start?: string;
  readonly send?: string;
  readonly wait?: string;
  readonly close?: string;
  readonly stop?: string;
  readonly end?: string;
  readonly vanish?: string;
  readonly pass?: number;
  readonly expire?: string;
  readonly kill?: string;
  readonly restart?: string;
  readonly join?: string;
  readonly note?: string;
  readonly stdout?: Recorded;
  readonly stderr?: string;
  readonly exit?: number;
}

export interface Session {
  readonly head: SessionHead;
  readonly steps: readonly Step[];
}

export function parseSession(text: string): Session {
  const [head, ...steps] = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);
  return { head: head as SessionHead, steps: steps as readonly Step[] };
}

/** How many consoles a session needs at once, one more for the commands that run to their end. Each that vanishes is lost. */
export function consolesFor({ steps }: Session): number {
  return 1 + steps.filter(({ start }) => start !== undefined).length;
}

const COMMAND_LIMIT: Micros = 60 * SECOND;
const QUIET: Micros = 300 * MS;

interface Running {
  readonly console: number;
  readonly args: readonly string[];
  stdout: number;
  stderr: number;
}

class Player {
  readonly #bench: Bench;
  readonly #normaliser: Normaliser;
  readonly #running = new Map<string, Running>();
  readonly #gone = new Set<number>();

  constructor(bench: Bench, normaliser: Normaliser) {
    this.#bench = bench;
    this.#normaliser = normaliser;
  }

  /** Null, or how the step differs. */
  async step(step: Step): Promise<string | null> {
    const bench = this.#bench;
    if (step.args !== undefined && step.start === undefined) return this.#command(step, step.args);
    if (step.start !== undefined) return this.#start(step.start, step.args ?? []);
    if (step.pass !== undefined) await bench.until(() => false, step.pass * SECOND);
    if (step.kill !== undefined) await bench.kill(step.kill);
    if (step.restart !== undefined) await bench.restart(step.restart);
    if (step.join !== undefined) await bench.join(step.join);
    if (step.expire !== undefined) return this.#expire(step.expire);
    const name = step.send ?? step.wait ?? step.close ?? step.stop ?? step.end ?? step.vanish;
    if (name === undefined) return null;
    const running = this.#running.get(name);
    if (running === undefined) return `nothing runs under the name ${name}`;
    return this.#about(step, name, running);
  }

  async #command(step: Step, args: readonly string[]): Promise<string | null> {
    await this.#bench.settle();
    const running = this.#take(args, step.stdin === undefined ? "" : this.#input(step.stdin));
    const ended = await this.#bench.until(() => this.#code(running) !== null, COMMAND_LIMIT);
    return ended
      ? this.#compare(step, running)
      : `does not end: ${JSON.stringify(this.#bench.printed(running.console))}`;
  }

  async #start(name: string, args: readonly string[]): Promise<null> {
    await this.#bench.settle();
    const words = args.filter((word) => !word.startsWith("-"));
    const typed = args.includes("-i") || args.includes("--interactive") || "txn".startsWith(words[0] ?? "?");
    this.#running.set(name, this.#take(args, typed ? null : ""));
    // until it has taken effect: the watch is there, the lock asked for
    await this.#bench.until(() => false, QUIET);
    return null;
  }

  async #about(step: Step, name: string, running: Running): Promise<string | null> {
    const bench = this.#bench;
    const { console } = running;
    if (step.send !== undefined) {
      bench.type(console, this.#normaliser.expand(step.stdin as string));
      await bench.until(() => false, QUIET);
      return null;
    }
    if (step.close !== undefined) {
      bench.end(console);
      return null;
    }
    if (step.wait !== undefined) {
      const lines = count(step.stdout) + count(step.stderr);
      await bench.until(() => this.#fresh(running) >= lines, COMMAND_LIMIT);
      await bench.until(() => false, lines === 0 ? QUIET : QUIET / 2);
      return this.#compare(step, running);
    }
    if (step.stop !== undefined) bench.interrupt(console);
    if (step.vanish !== undefined) {
      bench.vanish(console);
      this.#gone.add(console);
    } else if (!(await bench.until(() => this.#code(running) !== null, COMMAND_LIMIT))) return "does not end";
    this.#running.delete(name);
    return this.#compare(step, running);
  }

  async #expire(lease: string): Promise<string | null> {
    const id = this.#normaliser.expand(lease);
    for (let waited = 0; !(await this.#bench.leaseGone(id)); waited += QUIET) {
      if (waited > COMMAND_LIMIT) return `${lease} does not expire`;
      await this.#bench.until(() => false, 50 * MS);
    }
    await this.#bench.until(() => false, 150 * MS);
    return null;
  }

  #take(args: readonly string[], stdin: Bytes | null): Running {
    const busy = new Set([...this.#running.values()].map(({ console }) => console));
    let console = 0;
    while (busy.has(console) || this.#gone.has(console)) console += 1;
    const { stdout, stderr } = this.#bench.printed(console);
    this.#bench.run(
      console,
      args.map((word) => this.#normaliser.expand(word)),
      stdin,
    );
    return { console, args, stdout: stdout.length, stderr: stderr.length };
  }

  #code({ console }: Running): number | null {
    return this.#bench.printed(console).code;
  }

  #fresh({ console, stdout, stderr }: Running): number {
    const printed = this.#bench.printed(console);
    return count(printed.stdout.slice(stdout)) + count(printed.stderr.slice(stderr));
  }

  #input(stdin: Recorded): Bytes {
    if (typeof stdin === "string") return fromText(this.#normaliser.expand(stdin));
    if ("b64" in stdin) return fromArray(new Uint8Array(Buffer.from(stdin.b64, "base64")));
    return stdin.repeat[0].repeat(stdin.repeat[1]);
  }

  /** What it has printed since it was last looked at. All of it goes through the normaliser, which counts what it sees. */
  #compare(step: Step, running: Running): string | null {
    const printed = this.#bench.printed(running.console);
    const out = printed.stdout.slice(running.stdout);
    const err = text(printed.stderr.slice(running.stderr));
    running.stdout = printed.stdout.length;
    running.stderr = printed.stderr.length;
    const plain = strictText(out);
    const stdout: Recorded =
      plain === null
        ? { b64: Buffer.from(toArray(out)).toString("base64") }
        : this.#normaliser.stdout(running.args, plain);
    const { stderr } = this.#normaliser.stderr(running.args, err ?? "");
    const problems = [
      different("stdout", step.stdout ?? "", stdout),
      different("stderr", step.stderr ?? "", stderr),
      step.vanish === undefined && step.exit !== undefined ? different("exit", step.exit, printed.code) : null,
    ].filter((problem) => problem !== null);
    return problems.length === 0 ? null : problems.join("\n");
  }
}

const count = (printed: Recorded | undefined) => (typeof printed === "string" ? printed.split("\n").length - 1 : 0);
const text = (bytes: Bytes) => new TextDecoder().decode(toArray(bytes));

function strictText(bytes: Bytes): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(toArray(bytes));
  } catch {
    return null;
  }
}

function different(what: string, wanted: unknown, got: unknown): string | null {
  const [a, b] = [shown(wanted), shown(got)];
  if (a.join("\n") === b.join("\n")) return null;
  const at = a.findIndex((line, i) => line !== b[i]);
  const from = at < 0 ? a.length : at;
  const part = (lines: readonly string[], mark: string) =>
    lines
      .slice(from, from + 6)
      .map((line) => `    ${mark} ${line}`)
      .join("\n");
  return `  ${what} differs from line ${from + 1} on\n${part(a, "-")}\n${part(b, "+")}`;
}

const shown = (value: unknown): readonly string[] =>
  (typeof value === "string" ? value : JSON.stringify(value ?? null)).split("\n");

/** A step without what came of it. */
function asked(step: Step): string {
  return JSON.stringify(step, (key, value: unknown) =>
    ["stdout", "stderr", "exit", "log"].includes(key) ? undefined : value,
  );
}

/** Null when all is as it was recorded; else the first step that differs. */
export async function playSession(session: Session, bench: Bench, normaliser: Normaliser): Promise<string | null> {
  const player = new Player(bench, normaliser);
  for (const [at, step] of session.steps.entries()) {
    const problem = await player.step(step);
    if (problem === null) continue;
    return `step ${at + 1}: ${asked(step).slice(0, 400)}\n${problem}`;
  }
  return null;
}
