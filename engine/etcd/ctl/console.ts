/**
 * A console in the world: a client process at which a person types etcdctl's commands, one at a time in the foreground.
 *
 * It has a small file area and variables of its own. An address that no machine has leads to its own process, where
 * nobody listens: such a connection is refused at once.
 */
import { assert } from "../../base/assert.ts";
import { type Rng, rngFromState, type RngState } from "../../base/rng.ts";
import type { ConsoleInput, ProcessId } from "../../sim/command.ts";
import type { ConnectionId, Env, Input, Out, Process, Stamp } from "../../sim/process.ts";
import { areBytes, type Bytes, fromText } from "../api/bytes.ts";
import { Files } from "./files.ts";
import { type Host, Run } from "./run.ts";
import { readLine } from "./shell.ts";
import { Stdin } from "./stdin.ts";

export interface ConsoleConfig {
  readonly program: "console";
  /** Who listens at which `host:port`. */
  readonly addresses: Readonly<Record<string, ProcessId>>;
  /** What `--endpoints` means when it is not given; null: the tool's own default. */
  readonly endpoints: string | null;
  readonly compat: "3.4" | "3.5";
}

export type ConsoleEvent =
  /** `text`: bytes, one character each. */
  | { readonly type: "console-output"; readonly stream: "stdout" | "stderr"; readonly text: Bytes }
  | { readonly type: "console-started"; readonly args: readonly string[] }
  | { readonly type: "console-exit"; readonly code: number };

/** An `Out` that knows which connections are open, so that a run that ends leaves none behind. */
class Lines implements Out {
  readonly #out: Out;
  /** Stands for whoever does not listen. */
  readonly #nobody: ProcessId;
  connections: Set<ConnectionId>;
  /** Tried, and refused, but not told yet. */
  refused: ConnectionId[] = [];

  constructor(out: Out, nobody: ProcessId, open: Iterable<ConnectionId> = []) {
    this.#out = out;
    this.#nobody = nobody;
    this.connections = new Set(open);
  }

  get emit(): Out["emit"] {
    return this.#out.emit;
  }
  send(to: ProcessId, message: unknown): void {
    this.#out.send(to, message);
  }
  wake(awake: number | null): void {
    this.#out.wake(awake);
  }
  append(file: string, bytes: Uint8Array): void {
    this.#out.append(file, bytes);
  }
  truncate(file: string, length: number): void {
    this.#out.truncate(file, length);
  }
  remove(file: string): void {
    this.#out.remove(file);
  }
  sync(token: number): void {
    this.#out.sync(token);
  }
  open(connection: ConnectionId, to: ProcessId): void {
    if (to === this.#nobody) {
      this.refused.push(connection);
      return;
    }
    this.connections.add(connection);
    this.#out.open(connection, to);
  }
  transmit(connection: ConnectionId, data: unknown): void {
    this.#out.transmit(connection, data);
  }
  close(connection: ConnectionId): void {
    this.connections.delete(connection);
    this.#out.close(connection);
  }

  hangUp(): void {
    for (const connection of this.connections) this.#out.close(connection);
    this.connections.clear();
  }
}

interface Saved {
  readonly rng: RngState;
  readonly incarnation: number;
  readonly clients: number;
  readonly files: readonly (readonly [string, Bytes])[];
  readonly env: Readonly<Record<string, string>>;
  readonly connections: readonly ConnectionId[];
  readonly run: unknown;
}

export class Console implements Process {
  readonly #config: ConsoleConfig;
  readonly #env: Env;
  readonly #emit: ((event: ConsoleEvent) => void) | null;
  #rng: Rng;
  #lines: Lines;
  #incarnation = 0;
  #clients = 0;
  #files = new Files();
  #variables: Readonly<Record<string, string>> = {};
  #run: Run | null = null;

  constructor(config: ConsoleConfig, env: Env) {
    this.#config = config;
    this.#env = env;
    this.#emit = env.out.emit;
    this.#rng = env.rng;
    this.#lines = new Lines(env.out, env.id);
  }

  step(input: Input, stamp: Stamp): void {
    switch (input.type) {
      case "boot":
        this.#incarnation = input.incarnation;
        break;
      case "asked":
        if (input.ask.type === "console") this.#asked(input.ask.input, stamp);
        break;
      case "closed":
        this.#lines.connections.delete(input.connection);
        this.#run?.on(input, stamp);
        break;
      case "connected":
      case "received":
      case "wake":
      case "message":
      case "synced":
      case "accepted":
        this.#run?.on(input, stamp);
        break;
    }
    this.#refuse(stamp);
    this.#after();
  }

  flush(): void {}

  checkpoint(): unknown {
    const saved: Saved = {
      rng: this.#rng.state(),
      incarnation: this.#incarnation,
      clients: this.#clients,
      files: this.#files.checkpoint(),
      env: this.#variables,
      connections: [...this.#lines.connections],
      run: this.#run?.checkpoint() ?? null,
    };
    return saved;
  }

  restore(checkpoint: unknown): void {
    const { rng, incarnation, clients, files, env, connections, run } = checkpoint as Saved;
    this.#rng = rngFromState(rng);
    this.#incarnation = incarnation;
    this.#clients = clients;
    this.#files = new Files(files);
    this.#variables = env;
    this.#lines = new Lines(this.#env.out, this.#env.id, connections);
    this.#run = run === null ? null : Run.restore(run, this.#host(env));
  }

  #asked(input: ConsoleInput, stamp: Stamp): void {
    switch (input.do) {
      case "run":
        if (this.#run === null) this.#start(input.args, piped(input.stdin), {}, stamp);
        return;
      case "line":
        if (this.#run === null) return this.#line(input.text, stamp);
        this.#run.stdin.type(fromText(`${input.text}\n`));
        return this.#run.typed(stamp);
      case "type":
        this.#run?.stdin.type(fromText(input.text));
        return this.#run?.typed(stamp);
      case "eof":
        this.#run?.stdin.end();
        return this.#run?.typed(stamp);
      case "interrupt":
        return this.#run?.interrupt(stamp);
    }
  }

  #line(text: string, stamp: Stamp): void {
    const line = readLine(text);
    switch (line.type) {
      case "empty":
        return;
      case "wrong":
        return this.#write("stderr", fromText(`${line.error}\n`));
      case "command":
        // variables alone on a line stay
        if (line.args.length === 0 && Object.keys(line.env).length > 0) {
          this.#variables = { ...this.#variables, ...line.env };
          return;
        }
        return this.#start(line.args, Stdin.terminal(), line.env, stamp);
    }
  }

  #start(args: readonly string[], stdin: Stdin, env: Readonly<Record<string, string>>, stamp: Stamp): void {
    this.#emit?.({ type: "console-started", args });
    this.#run = new Run(args, stdin, this.#host({ ...this.#variables, ...env }));
    this.#run.begin(stamp);
  }

  #host(env: Readonly<Record<string, string>>): Host {
    return {
      id: this.#env.id,
      rng: this.#rng,
      out: this.#lines,
      files: this.#files,
      env,
      endpoints: this.#config.endpoints,
      compat: this.#config.compat,
      resolve: (endpoint) => this.#resolve(endpoint),
      write: (stream, text) => this.#write(stream, text),
      number: () => this.#number(),
    };
  }

  /** The incarnation is part of it: a console that was switched off and on does not use a name again. */
  #number(): number {
    this.#clients += 1;
    // one more draw, so that two runs do not draw alike
    this.#rng.below(2);
    assert(this.#clients < 1_000_000, "a console makes fewer clients");
    return this.#incarnation * 1_000_000 + this.#clients;
  }

  /** An address with a scheme or without; with TLS nobody answers. */
  #resolve(endpoint: string): ProcessId {
    // of a URL the path counts for nothing
    const plain = /^http:\/\/([^/]+)(?:\/.*)?$/.exec(endpoint)?.[1] ?? endpoint;
    return this.#config.addresses[plain] ?? this.#env.id;
  }

  #refuse(stamp: Stamp): void {
    for (
      let connection = this.#lines.refused.shift();
      connection !== undefined;
      connection = this.#lines.refused.shift()
    )
      this.#run?.on({ type: "closed", connection, reset: true }, stamp);
  }

  #write(stream: "stdout" | "stderr", text: Bytes): void {
    if (text !== "") this.#emit?.({ type: "console-output", stream, text });
  }

  #after(): void {
    const code = this.#run?.code ?? null;
    if (code !== null) {
      this.#run = null;
      this.#lines.hangUp();
      this.#emit?.({ type: "console-exit", code });
    }
    this.#env.out.wake(this.#run?.wakeAt() ?? null);
  }
}

/** What is piped in is bytes, and all of it is there; text from elsewhere is taken as UTF-8. */
function piped(stdin: string | null): Stdin {
  if (stdin === null) return Stdin.terminal();
  return Stdin.pipe(areBytes(stdin) ? stdin : fromText(stdin));
}
