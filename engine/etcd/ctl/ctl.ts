/**
 * One run of etcdctl, as its commands see it: the line that was typed, what is on standard input, the client, and where
 * output goes.
 *
 * A command is stepped: it keeps plain data, is told what came of what it asked for, and leaves by throwing an `Exit`,
 * as the tool may anywhere with os.Exit. What it wrote until then counts.
 */
import type { Micros } from "../../base/units.ts";
import { type Bytes, fromText } from "../api/bytes.ts";
import { codeName, CODES, type EtcdError } from "../api/errors.ts";
import type { RequestOf, UnaryMethod } from "../api/methods.ts";
import type { Ticket } from "../client/channel.ts";
import type { ClientOutcome, EtcdClient } from "../client/client.ts";
import type { Concurrency, ConcurrencyOutcome } from "../concurrency/client.ts";
import type { ProcessId } from "../../sim/command.ts";
import type { FlagValues } from "./cobra/flags.ts";
import type { Files } from "./files.ts";
import { render } from "./format/render.ts";
import type { Format, Shown } from "./format/shown.ts";
import type { Stdin } from "./stdin.ts";

/** How the tool ends (etcdctl/ctlv3/command/error.go). */
export const EXIT = {
  success: 0,
  error: 1,
  badConnection: 2,
  invalidInput: 3,
  badFeature: 4,
  interrupted: 5,
  badArgs: 128,
  /** Of a shell: ended by Ctrl-C. */
  signalled: 130,
} as const;

/** Thrown to leave. */
export class Exit {
  readonly code: number;
  constructor(code: number) {
    this.code = code;
  }
}

export type Outcome =
  | ClientOutcome
  | ConcurrencyOutcome
  /** More has come on standard input, or its end. */
  | { readonly type: "input" };

/** A command's program over its own plain state `S`. */
export interface Command<S = unknown> {
  /** What is settled before there is a client. False: more input is needed. */
  readonly check?: (ctl: Ctl) => boolean | void;
  /** `client`: it has one. `display`: only the format is settled. `none`: neither. */
  readonly needs: "client" | "display" | "none";
  readonly start: (ctl: Ctl) => S;
  /** @returns the state after the outcome */
  readonly on?: (ctl: Ctl, state: S, outcome: Outcome) => S;
  /** False: `--debug` tells nothing of it. */
  readonly debug?: false;
  /** Where it is no reason to give up that the members do not know the user, or that there is no endpoint. */
  readonly refused?: (ctl: Ctl, error: EtcdError) => S;
  /** Ctrl-C, where the command has its own way with it; null: it ends at once. */
  readonly interrupt?: (ctl: Ctl, state: S) => S | null;
}

/** Commands of different states, as one kind: whoever runs one gives it back its own. */
export const command = <S>(of: Command<S>): Command => of as Command;

export interface Surroundings {
  /** The words as they were typed, flags and all. */
  readonly raw: readonly string[];
  readonly flags: FlagValues;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: Stdin;
  readonly files: Files;
  readonly write: (stream: "stdout" | "stderr", text: Bytes) => void;
  /** Who listens at `host:port`. */
  readonly resolve: (endpoint: string) => ProcessId;
}

/** How an error reads: those of the auth store, which the maintenance service gives away as they are, as gRPC puts them. */
export function errorText(error: EtcdError): string {
  const foreign = error.code === CODES.Unknown && error.message.startsWith("auth: ");
  return foreign ? `rpc error: code = ${codeName(error)} desc = ${error.message}` : error.message;
}

export interface CallLimits {
  /** The instant at which the caller's context ends; null: never. */
  readonly deadline: Micros | null;
  /** Only there. */
  readonly endpoint?: string;
}

export class Ctl {
  readonly raw: readonly string[];
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: Stdin;
  readonly files: Files;
  readonly #around: Surroundings;
  format: Format = "simple";
  valueOnly = false;
  #client: EtcdClient | null = null;
  #concurrency: Concurrency | null = null;

  constructor(around: Surroundings) {
    this.#around = around;
    this.raw = around.raw;
    this.words = around.flags.words;
    this.env = around.env;
    this.stdin = around.stdin;
    this.files = around.files;
  }

  /** The same run with another line: a request inside `txn`. */
  withFlags(flags: FlagValues): Ctl {
    return new Ctl({ ...this.#around, flags });
  }

  connect(client: EtcdClient, concurrency: Concurrency): void {
    this.#client = client;
    this.#concurrency = concurrency;
  }

  get client(): EtcdClient {
    if (this.#client === null) throw new Error("a command that needs a client says so");
    return this.#client;
  }

  get concurrency(): Concurrency {
    if (this.#concurrency === null) throw new Error("a command that needs a client says so");
    return this.#concurrency;
  }

  // ── the line ──

  bool(name: string): boolean {
    return this.#around.flags.values[name] === true;
  }

  text(name: string): string {
    return String(this.#around.flags.values[name] ?? "");
  }

  number(name: string): number {
    return Number(this.#around.flags.values[name] ?? 0);
  }

  list(name: string): readonly string[] {
    return (this.#around.flags.values[name] ?? []) as readonly string[];
  }

  given(name: string): boolean {
    return this.#around.flags.changed.includes(name);
  }

  /** A word as bytes. */
  bytes(index: number): Bytes {
    return fromText(this.words[index] ?? "");
  }

  resolve(endpoint: string): ProcessId {
    return this.#around.resolve(endpoint);
  }

  // ── calls ──

  /** The end of a context that starts now and lasts as long as `--command-timeout` says. */
  deadline(): Micros {
    return this.client.now + Math.max(0, this.number("command-timeout"));
  }

  call<M extends UnaryMethod>(method: M, body: Partial<RequestOf<M>>, { deadline, endpoint }: CallLimits): Ticket {
    const timeout = deadline === null ? null : Math.max(0, deadline - this.client.now);
    const where = endpoint === undefined ? {} : { endpoint: this.resolve(endpoint) };
    return this.client.call(method, body, { timeout, ...where });
  }

  // ── output ──

  print(text: Bytes): void {
    this.#around.write("stdout", text);
  }

  complain(text: Bytes): void {
    this.#around.write("stderr", text);
  }

  /** Asks for a password: the echo is switched off, and on again, with `stty`, which wants a terminal. */
  askSecretly(prompt: string): void {
    this.print(fromText(prompt));
    if (!this.stdin.isTerminal) this.complain("stty: 'standard input': Inappropriate ioctl for device\n".repeat(2));
  }

  /** In the format that was asked for; ends the run when this answer has none. */
  show(shown: Shown): void {
    const style = { format: this.format, hex: this.bool("hex"), valueOnly: this.valueOnly };
    const rendered = render(shown, style);
    if (rendered.type === "text") return this.#around.write(rendered.stream, rendered.text);
    if (rendered.type === "panic")
      return this.panic("runtime error: invalid memory address or nil pointer dereference");
    return this.fail(EXIT.badFeature, `${this.format} not supported as output format`);
  }

  // ── ends ──

  exit(code: number = EXIT.success): never {
    throw new Exit(code);
  }

  fail(code: number, error: string | EtcdError): never {
    this.complain(fromText(`Error: ${typeof error === "string" ? error : errorText(error)}\n`));
    throw new Exit(code);
  }

  /** What a Go program says when it breaks down. */
  panic(why: string): never {
    this.complain(fromText(`panic: ${why}\n\ngoroutine 1 [running]:\nmain.main()\n`));
    throw new Exit(EXIT.badConnection);
  }
}
