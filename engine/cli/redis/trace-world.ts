/**
 * The servers of a trace in a world of their own: exact virtual time, links without latency, one process that stands
 * for all the trace's connections.
 *
 * `kill` and `restart` are SIGKILL there, which leaves what was written in the operating system's hands; the world's
 * crash is a power cut. So the files are kept here, as they were written, and given to the server that starts again.
 */
import { present } from "../../base/assert.ts";
import { type Micros, MS, SECOND } from "../../base/units.ts";
import type { Reply } from "../../redis/reply.ts";
import type { ClientCommand, ServerMessage } from "../../redis/protocol.ts";
import type { RedisPeer, RedisServerConfig } from "../../redis/config.ts";
import { RedisServer } from "../../redis/server.ts";
import type { ProcessId } from "../../sim/command.ts";
import { InlineHost } from "../../sim/host.ts";
import type { ConnectionId, DiskFile, Env, Input, Out, Process, ProcessSpec, Stamp } from "../../sim/process.ts";
import { World } from "../../sim/world.ts";

/** How long the world may take for one answer, in its own time. */
const ANSWER_WITHIN: Micros = 3_600 * SECOND;
const PORT = 6_379;
const CLIENT = "client" as ProcessId;

interface Connection {
  readonly id: ConnectionId;
  readonly pushes: (readonly string[])[];
  open: boolean;
  closed: boolean;
  sent: number;
  reply: Reply | null;
}

/** The trace's connections: it does what it is told between rounds, and remembers what comes. */
class Wire implements Process {
  readonly out: Out;
  readonly connections: Map<ConnectionId, Connection>;

  constructor(out: Out, connections: Map<ConnectionId, Connection>) {
    this.out = out;
    this.connections = connections;
  }

  step(input: Input): void {
    if (input.type !== "connected" && input.type !== "received" && input.type !== "closed") return;
    const connection = this.connections.get(input.connection);
    if (connection === undefined) return;
    if (input.type === "connected") connection.open = true;
    else if (input.type === "closed") connection.closed = true;
    else {
      const message = input.data as ServerMessage;
      if (message.type === "push") connection.pushes.push(message.message);
      else if (message.n === connection.sent) connection.reply = message.reply;
    }
  }
  flush(): void {}
  checkpoint(): null {
    return null;
  }
  restore(): void {}
}

/** A server whose files outlive SIGKILL. */
class Kept implements Process {
  readonly #server: RedisServer;
  readonly #files: Map<string, Uint8Array>;

  constructor(config: RedisServerConfig, env: Env, files: Map<string, Uint8Array>) {
    this.#files = files;
    const { out } = env;
    const kept: Out = {
      send: (to, message) => out.send(to, message),
      wake: (awake) => out.wake(awake),
      append: (file, bytes) => {
        files.set(file, new Uint8Array([...(files.get(file) ?? []), ...bytes]));
        out.append(file, bytes);
      },
      truncate: (file, length) => {
        files.set(file, (files.get(file) ?? new Uint8Array()).slice(0, length));
      },
      remove: (file) => {
        files.delete(file);
        out.remove(file);
      },
      sync: (token) => out.sync(token),
      open: (connection, to) => out.open(connection, to),
      transmit: (connection, data) => out.transmit(connection, data),
      close: (connection) => out.close(connection),
      emit: out.emit,
    };
    this.#server = new RedisServer(config, { ...env, out: kept });
  }

  step(input: Input, stamp: Stamp): void {
    if (input.type !== "boot") return this.#server.step(input, stamp);
    const files: DiskFile[] = [...this.#files].map(([name, bytes]) => ({ name, bytes }));
    this.#server.step({ ...input, files }, stamp);
  }
  flush(stamp: Stamp): void {
    this.#server.flush(stamp);
  }
  checkpoint(): unknown {
    return this.#server.checkpoint();
  }
  restore(checkpoint: unknown): void {
    this.#server.restore(checkpoint);
  }
}

export class TraceWorld {
  readonly #world: World;
  readonly #host: InlineHost;
  readonly #configs = new Map<ProcessId, RedisServerConfig>();
  readonly #files = new Map<ProcessId, Map<string, Uint8Array>>();
  readonly #peers: readonly RedisPeer[];
  readonly #options: readonly string[];
  readonly #names = new Map<string, ConnectionId>();
  readonly #connections = new Map<ConnectionId, Connection>();
  #count = 0;

  /** @param nodes every server that the trace will name */
  constructor(options: readonly string[], nodes: readonly string[]) {
    this.#options = options;
    const ids = ["main", ...nodes] as ProcessId[];
    this.#peers = ids.map((id, i) => ({ id, host: "127.0.0.1", port: PORT + i }));
    this.#configs.set("main" as ProcessId, { replicaOf: null, peers: this.#peers, options });
    const spec = (id: ProcessId, present: boolean): ProcessSpec => ({ id, kind: "member", config: null, present });
    this.#host = new InlineHost((one, env) => this.#build(one.id, env));
    const config = {
      seed: 1,
      processes: [...ids.map((id) => spec(id, id === "main")), spec(CLIENT, true)],
      network: { latencyMin: 0, latencyMax: 0, lossPerMillion: 0, duplicatePerMillion: 0, reorderPerMillion: 0 },
      disk: { fsyncMin: 0, fsyncMax: 0, tornWrites: false },
      settings: { preVote: false, checkQuorum: false, readOnly: "safe" as const, broken: [] },
    };
    this.#world = new World(config, null);
    this.#settle();
  }

  get now(): Micros {
    return this.#world.now;
  }

  open(name: string, node: string): void {
    this.#count += 1;
    const id = `client/1/${this.#count}`;
    this.#names.set(name, id);
    const connection: Connection = { id, pushes: [], open: false, closed: false, sent: 0, reply: null };
    this.#connections.set(id, connection);
    this.#world.outOf(CLIENT).open(id, node as ProcessId);
    this.#until(() => connection.open || connection.closed);
  }

  /** Sends one command and lets time pass until its answer; null when the connection ended instead. */
  command(name: string, args: readonly string[]): Reply | null {
    const connection = this.#connection(name);
    connection.sent += 1;
    connection.reply = null;
    const message: ClientCommand = { type: "cmd", n: connection.sent, args };
    this.#world.outOf(CLIENT).transmit(connection.id, message);
    this.#until(() => connection.reply !== null || connection.closed);
    return connection.reply;
  }

  /** The next message that was published to it, letting time pass for up to `within`. */
  nextPush(name: string, within: Micros): readonly string[] | null {
    const { pushes } = this.#connection(name);
    const isMessage = (push: readonly string[]): boolean => ["message", "pmessage"].includes(push[0] ?? "");
    // What was published just now is there first.
    this.#settle();
    const end = this.#world.now + within;
    while (!pushes.some(isMessage) && this.#world.nextAt <= end) this.#world.runRoundHere(this.#host);
    const at = pushes.findIndex(isMessage);
    const found = pushes[at] ?? null;
    pushes.splice(0, at < 0 ? pushes.length : at + 1);
    return found;
  }

  sleep(ms: number): void {
    this.#world.runHere(this.#host, this.#world.now + ms * MS);
  }

  close(name: string): void {
    const { id } = this.#connection(name);
    this.#world.outOf(CLIENT).close(id);
    this.#names.delete(name);
    this.#settle();
  }

  /** A server that follows another; when this returns it has all that the other had. */
  node(name: string, primary: string): void {
    const id = name as ProcessId;
    this.#configs.set(id, { replicaOf: primary as ProcessId, peers: this.#peers, options: [] });
    this.#carryOut({ type: "spawn", process: id });
    this.#until(() => this.#roleOf(name) === "connected");
  }

  /** As the recorder cuts: the replica is told to follow somebody who is not there. */
  cut(name: string): void {
    this.#ask(name, ["REPLICAOF", "127.0.0.1", "1"]);
    this.#settle();
  }

  kill(name: string): void {
    this.#carryOut({ type: "crash", process: name as ProcessId });
    this.#settle();
  }

  /** As the recorder restarts: on its own files, with the options of the case, following nobody. */
  restart(name: string): void {
    const id = name as ProcessId;
    this.#configs.set(id, { replicaOf: null, peers: this.#peers, options: this.#options });
    this.#carryOut({ type: "crash", process: id });
    this.#carryOut({ type: "restart", process: id });
    this.#settle();
  }

  // ── inside ──

  #build(id: ProcessId, env: Env): Process {
    if (id === CLIENT) return new Wire(env.out, this.#connections);
    const files = this.#files.get(id) ?? new Map<string, Uint8Array>();
    this.#files.set(id, files);
    return new Kept(present(this.#configs.get(id), `a config for ${id}`), env, files);
  }

  #carryOut(command: Parameters<World["command"]>[0]): void {
    const refusal = this.#world.command(command, this.#host);
    if (refusal !== null) throw new Error(`${JSON.stringify(command)} was refused: ${JSON.stringify(refusal)}`);
  }

  #ask(node: string, args: readonly string[]): Reply | null {
    this.open("\0ask", node);
    const reply = this.command("\0ask", args);
    this.close("\0ask");
    return reply;
  }

  #roleOf(node: string): string {
    const role = this.#ask(node, ["ROLE"]);
    const state = role?.type === "array" ? role.items[3] : null;
    return state?.type === "bulk" ? state.value : "";
  }

  /** What happens at once: nothing else is due for a millisecond. */
  #settle(): void {
    const end = this.#world.now + MS;
    while (this.#world.nextAt < end) this.#world.runRoundHere(this.#host);
  }

  #until(done: () => boolean): void {
    const end = this.#world.now + ANSWER_WITHIN;
    while (!done() && this.#world.nextAt <= end) this.#world.runRoundHere(this.#host);
  }

  #connection(name: string): Connection {
    const id = this.#names.get(name);
    if (id === undefined) throw new Error(`no connection ${name} is open`);
    return present(this.#connections.get(id), "a connection by its id");
  }
}
