/**
 * One run of etcdctl from its line to its exit code: which command it is, what is settled before it has a client, and
 * its program, stepped. All of it is plain data at every moment.
 *
 *     check      words and flags; `put` and its like wait for standard input
 *     password   it is typed, since `--user` came without one
 *     token      the password is tried, as clientv3.New does
 *     program    the command's own steps
 */
import { assert, present } from "../../base/assert.ts";
import type { Micros } from "../../base/units.ts";
import type { Rng } from "../../base/rng.ts";
import type { ProcessId } from "../../sim/command.ts";
import type { Env, Input, Out, Stamp } from "../../sim/process.ts";
import { type Bytes, fromText, toText } from "../api/bytes.ts";
import { errorName } from "../api/errors.ts";
import type { Ticket } from "../client/channel.ts";
import { type ClientOutcome, earliest, EtcdClient } from "../client/client.ts";
import type { EtcdClientConfig } from "../client/config.ts";
import { Concurrency } from "../concurrency/client.ts";
import { lookUp, nameOf, type Path, pathText, resolve } from "./cobra/command.ts";
import { usage } from "./cobra/usage.ts";
import { COMMANDS } from "./commands/index.ts";
import {
  checkCertificates,
  clientConfig,
  type Credentials,
  credentials,
  NOBODY,
  printDebug,
  refuseConflicts,
  settleFormat,
  withEnvironment,
} from "./connect.ts";
import { type Command, Ctl, Exit, EXIT, type Outcome } from "./ctl.ts";
import type { Files } from "./files.ts";
import { ETCDCTL } from "./tree.ts";
import { Stdin, type StdinState } from "./stdin.ts";

/** What a run needs of the process that it runs in. */
export interface Host {
  readonly id: ProcessId;
  readonly rng: Rng;
  readonly out: Out;
  readonly files: Files;
  readonly env: Readonly<Record<string, string>>;
  /** Instead of the tool's own default of `--endpoints`; null: that. */
  readonly endpoints: string | null;
  readonly compat: "3.4" | "3.5";
  readonly resolve: (endpoint: string) => ProcessId;
  readonly write: (stream: "stdout" | "stderr", text: Bytes) => void;
  /** Numbers the clients that were made in this process: their connections must not have the same names. */
  readonly number: () => number;
}

interface Authenticating {
  readonly name: string;
  readonly password: string;
}

type Phase =
  | { readonly at: "check" }
  | { readonly at: "password"; readonly name: string }
  /** `turn`: of the endpoints, the one that is asked. */
  | ({
      readonly at: "token";
      readonly ticket: Ticket;
      readonly turn: number;
      readonly deadline: Micros;
    } & Authenticating)
  | { readonly at: "program"; readonly state: unknown };

interface Link {
  readonly config: EtcdClientConfig;
  readonly number: number;
}

interface Saved {
  readonly args: readonly string[];
  readonly stdin: StdinState;
  readonly phase: Phase;
  readonly format: Ctl["format"];
  readonly link: Link | null;
  readonly client: unknown;
  readonly concurrency: unknown;
}

export class Run {
  readonly args: readonly string[];
  readonly stdin: Stdin;
  readonly #host: Host;
  readonly #ctl: Ctl | null = null;
  readonly #path: Path = [];
  readonly #given: readonly string[] = [];
  readonly #command: Command | null = null;
  #phase: Phase = { at: "check" };
  #link: Link | null = null;
  #client: EtcdClient | null = null;
  #concurrency: Concurrency | null = null;
  /** How it ended; null while it goes on. */
  #code: number | null = null;

  constructor(args: readonly string[], stdin: Stdin, host: Host) {
    this.args = args;
    this.stdin = stdin;
    this.#host = host;
    const found = resolve(ETCDCTL, args);
    if (found.type !== "run" || nameOf(found.path.at(-1) as Path[number]) === "help") return;
    const { path } = found;
    this.#path = path;
    this.#given = found.flags.changed;
    this.#command = present(COMMANDS[pathText(path.slice(1))], "each command of the tree has a program");
    const preset: Readonly<Record<string, string>> =
      host.endpoints === null ? {} : { ETCDCTL_ENDPOINTS: host.endpoints };
    const flags = withEnvironment(path, found.flags, { ...preset, ...host.env });
    this.#ctl = new Ctl({ ...host, raw: args, flags, stdin });
  }

  /** The exit code; null while it goes on. */
  get code(): number | null {
    return this.#code;
  }

  /** When it wants another input. */
  wakeAt(): Micros | null {
    if (this.#client === null || this.#code !== null) return null;
    return earliest([this.#client.wakeAt(), this.#concurrency?.wakeAt() ?? null]);
  }

  begin(stamp: Stamp): void {
    this.#guard(() => {
      if (this.#ctl === null) return this.#explain();
      this.#check(stamp);
    });
  }

  /** An input of the process: it may be for the client. */
  on(input: Input, stamp: Stamp): void {
    this.#guard(() => {
      if (this.#client === null) return;
      this.#deliver(this.#client.on(input, stamp), stamp);
    });
  }

  /** More has come on standard input, or its end. */
  typed(stamp: Stamp): void {
    this.#guard(() => {
      if (this.#phase.at === "check") this.#check(stamp);
      else if (this.#phase.at === "password") this.#password(this.#phase.name, stamp);
      else if (this.#phase.at === "program") {
        // the client's clock is that of its last input
        if (this.#client !== null) this.#deliver(this.#client.on({ type: "wake" }, stamp), stamp);
        this.#program({ type: "input" });
        this.#settle(stamp);
      }
    });
  }

  interrupt(stamp: Stamp): void {
    this.#guard(() => {
      const phase = this.#phase;
      const ctl = this.#ctl;
      if (phase.at !== "program" || ctl === null || this.#command?.interrupt === undefined)
        throw new Exit(EXIT.signalled);
      if (this.#client !== null) this.#deliver(this.#client.on({ type: "wake" }, stamp), stamp);
      if (this.#phase.at !== "program") return;
      const state = this.#command.interrupt(ctl, this.#phase.state);
      if (state === null) throw new Exit(EXIT.signalled);
      this.#phase = { at: "program", state };
      this.#settle(stamp);
    });
  }

  checkpoint(): unknown {
    const saved: Saved = {
      args: this.args,
      stdin: this.stdin.checkpoint(),
      phase: this.#phase,
      format: this.#ctl?.format ?? "simple",
      link: this.#link,
      client: this.#client?.checkpoint() ?? null,
      concurrency: this.#concurrency?.checkpoint() ?? null,
    };
    return saved;
  }

  static restore(checkpoint: unknown, host: Host): Run {
    const { args, stdin, phase, format, link, client, concurrency } = checkpoint as Saved;
    const run = new Run(args, new Stdin(stdin), host);
    run.#phase = phase;
    if (run.#ctl !== null) run.#ctl.format = format;
    if (link === null) return run;
    run.#attach(link);
    run.#client?.restore(client);
    run.#concurrency?.restore(concurrency);
    return run;
  }

  #guard(step: () => void): void {
    if (this.#code !== null) return;
    try {
      step();
    } catch (thrown) {
      if (!(thrown instanceof Exit)) throw thrown;
      this.#code = thrown.code;
    }
  }

  /** Lines that run no program: help, and mistakes. */
  #explain(): never {
    const found = resolve(ETCDCTL, this.args);
    const out = (text: string) => this.#host.write("stdout", fromText(text));
    const err = (text: string) => this.#host.write("stderr", fromText(text));
    switch (found.type) {
      case "help":
        out(usage(found.path));
        throw new Exit(EXIT.success);
      case "mistake":
        out(usage(found.path));
        err(`Error: ${found.error}\n\nError: ${found.error}\n`);
        throw new Exit(EXIT.error);
      case "unknown":
        err(`Error: ${found.error}\nRun 'etcdctl --help' for usage.\nError: ${found.error}\n`);
        throw new Exit(EXIT.error);
      case "run": {
        const path = lookUp(ETCDCTL, found.flags.words);
        if (path === null) err(`Unknown help topic [${found.flags.words.map(backQuoted).join(" ")}]\n`);
        out(path === null ? usage([ETCDCTL], false) : usage(path));
        throw new Exit(EXIT.success);
      }
    }
  }

  #check(stamp: Stamp): void {
    const [ctl, command] = [this.#ctl, this.#command];
    assert(ctl !== null && command !== null, "what is checked is a command");
    if (command.check?.(ctl) === false) return;
    if (command.needs === "none") return this.#start(stamp);
    refuseConflicts(ctl, this.#path, this.#given);
    if (command.debug !== false) printDebug(ctl, this.#path);
    const user = command.needs === "client" ? credentials(ctl) : NOBODY;
    if (user.password === null) {
      ctl.askSecretly("Password: ");
      this.#phase = { at: "password", name: user.name };
      return this.#password(user.name, stamp);
    }
    this.#connect(user, stamp);
  }

  #password(name: string, stamp: Stamp): void {
    const line = this.stdin.lastLine();
    if (line === null) return;
    this.#ctl?.print("\n");
    this.#connect({ name, password: toText(line) }, stamp);
  }

  /** Without a name, or without a password, the client library asks for no token. */
  #connect({ name, password }: Credentials, stamp: Stamp): void {
    const user = name === "" || password === null || password === "" ? null : { name, password };
    const [ctl, command] = [this.#ctl, this.#command];
    assert(ctl !== null && command !== null, "who connects is a command");
    settleFormat(ctl);
    if (command.needs !== "client") return this.#start(stamp);
    checkCertificates(ctl);
    if (ctl.list("endpoints").length === 0 && command.refused === undefined)
      return ctl.fail(EXIT.badConnection, "etcdclient: no available endpoints");
    this.#open(null, stamp);
    if (user === null) return this.#start(stamp);
    const deadline = this.#clientThere().now + ctl.number("dial-timeout");
    this.#phase = { at: "token", ...user, ticket: this.#askForToken(user, 0, deadline), turn: 0, deadline };
  }

  /** 3.4's client library asks one endpoint after the other. */
  #askForToken(user: Authenticating, turn: number, deadline: Micros): Ticket {
    const client = this.#clientThere();
    const timeout = deadline - client.now;
    const endpoint = this.#host.compat === "3.4" ? this.#link?.config.endpoints[turn] : undefined;
    return client.call("Auth/Authenticate", user, endpoint === undefined ? { timeout } : { timeout, endpoint });
  }

  #clientThere(): EtcdClient {
    return present(this.#client, "the client of a run that has one");
  }

  #open(user: EtcdClientConfig["user"], stamp: Stamp): void {
    const ctl = present(this.#ctl, "the run that connects");
    this.#attach({
      config: clientConfig(ctl, user, this.#path.at(-1) as Path[number], this.#host.compat),
      number: this.#host.number(),
    });
    const settings = { preVote: true, checkQuorum: true, readOnly: "safe", broken: [] } as const;
    this.#clientThere().on({ type: "boot", incarnation: this.#link?.number ?? 0, files: [], settings }, stamp);
  }

  #attach(link: Link): void {
    const { id, rng, out, compat } = this.#host;
    const env: Env = { id, rng, out };
    this.#link = link;
    this.#client = new EtcdClient(link.config, env);
    this.#concurrency = new Concurrency(this.#client, out.emit, { compat });
    this.#ctl?.connect(this.#client, this.#concurrency);
  }

  #start(stamp: Stamp): void {
    const [ctl, command] = [this.#ctl, this.#command];
    assert(ctl !== null && command !== null, "what starts is a command");
    this.#phase = { at: "program", state: command.start(ctl) };
    this.#settle(stamp);
  }

  /** What came of things without another input. */
  #settle(stamp: Stamp): void {
    if (this.#client !== null) this.#deliver(this.#client.take(), stamp);
  }

  #deliver(outcomes: readonly ClientOutcome[], stamp: Stamp): void {
    let pending = outcomes;
    for (;;) {
      const own = this.#concurrency?.take(pending) ?? pending;
      for (const outcome of own) {
        if (this.#phase.at === "token") this.#tokenCame(outcome, stamp);
        else this.#program(outcome);
      }
      pending = this.#client?.take() ?? [];
      if (pending.length === 0 && own.length === 0) return;
    }
  }

  #program(outcome: Outcome): void {
    if (this.#phase.at !== "program" || this.#command?.on === undefined || this.#ctl === null) return;
    this.#phase = { at: "program", state: this.#command.on(this.#ctl, this.#phase.state, outcome) };
  }

  #tokenCame(outcome: Outcome, stamp: Stamp): void {
    const phase = this.#phase;
    if (phase.at !== "token" || (outcome.type !== "answer" && outcome.type !== "failed")) return;
    if (outcome.ticket !== phase.ticket) return;
    const error = outcome.type === "failed" ? outcome.error : null;
    const unwanted = error !== null && errorName(error) === "AuthNotEnabled";
    const ctl = present(this.#ctl, "the run that connects");
    if (error !== null && !unwanted) {
      const { name, password, deadline } = phase;
      const turn = phase.turn + 1;
      const endpoints = this.#host.compat === "3.4" ? (this.#link?.config.endpoints.length ?? 0) : 0;
      if (turn < endpoints && this.#clientThere().now < deadline) {
        const ticket = this.#askForToken({ name, password }, turn, deadline);
        this.#phase = { ...phase, ticket, turn };
        return;
      }
      if (this.#command?.refused === undefined) return ctl.fail(EXIT.badConnection, error);
      this.#phase = { at: "program", state: this.#command.refused(ctl, error) };
      return;
    }
    this.#open(unwanted ? null : { name: phase.name, password: phase.password }, stamp);
    this.#start(stamp);
  }
}

const backQuoted = (word: string) => (word.includes("`") ? JSON.stringify(word) : `\`${word}\``);
