/**
 * What Redis Sentinel does, alone: it watches a primary and its replicas, and when the primary is silent for `downAfter`
 * it promotes the replica that has most of the stream and has all others follow it. The old primary, when it comes back,
 * is made to follow too, and throws away what nobody else has: that is how an acknowledged lock is lost.
 *
 * Real sentinels vote among themselves first; one alone decides here, as with a quorum of 1. Clients may ask it
 * `SENTINEL get-master-addr-by-name NAME` and subscribe to `+switch-master`.
 */
import { present } from "../base/assert.ts";
import { type Micros, SECOND } from "../base/units.ts";
import type { ProcessId } from "../sim/command.ts";
import type { ConnectionId, Env, Input, Out, Process, Stamp } from "../sim/process.ts";
import { lower } from "./bytes.ts";
import { type ConnEvent, RedisConn, type RedisConnCheckpoint, type Ticket } from "./client.ts";
import type { RedisPeer } from "./config.ts";
import type { SentinelEvent } from "./events.ts";
import type { ClientCommand, ServerMessage } from "./protocol.ts";
import { array, bulk, bulks, error, int, NIL_ARRAY, type Reply, status } from "./reply.ts";

export interface SentinelConfig {
  /** The name that clients ask for. */
  readonly name: string;
  readonly servers: readonly RedisPeer[];
  readonly primary: ProcessId;
  /** Silence after which the primary counts as down (down-after-milliseconds). */
  readonly downAfter: Micros;
  /** How often it asks each server. */
  readonly period: Micros;
}

export const SENTINEL_PERIOD: Micros = SECOND;
const CHANNEL = "+switch-master";

interface Seen {
  readonly heardAt: Micros;
  readonly down: boolean;
  readonly role: "master" | "slave" | null;
  /** Whom it follows, as INFO has it. */
  readonly follows: { readonly host: string; readonly port: number } | null;
  readonly offset: number;
}

interface State {
  incarnation: number;
  primary: ProcessId;
  askAt: Micros;
  seen: Map<ProcessId, Seen>;
  /** The promotion under way: nothing else is decided before it is answered. */
  promoting: { readonly server: ProcessId; readonly ticket: Ticket } | null;
  /** Said once for each time that there is nobody to promote. */
  gaveUp: boolean;
  listeners: ConnectionId[];
}

interface Checkpoint {
  readonly state: State;
  readonly conns: readonly (readonly [ProcessId, RedisConnCheckpoint])[];
}

export class Sentinel implements Process {
  readonly #config: SentinelConfig;
  readonly #env: Env;
  readonly #out: Out;
  readonly #emit: ((event: SentinelEvent) => void) | null;
  #conns = new Map<ProcessId, RedisConn>();
  #state: State;
  #now: Micros = 0;

  constructor(config: SentinelConfig, env: Env) {
    this.#config = config;
    this.#env = env;
    this.#out = env.out;
    this.#emit = env.out.emit;
    this.#state = {
      incarnation: 0,
      primary: config.primary,
      askAt: 0,
      seen: new Map(),
      promoting: null,
      gaveUp: false,
      listeners: [],
    };
  }

  step(input: Input, stamp: Stamp): void {
    this.#now = stamp.awake;
    if (input.type === "boot") return this.#boot(input.incarnation);
    if (input.type === "received" && this.#ask(input.connection, input.data)) return;
    if (input.type === "closed") {
      const { connection } = input;
      this.#state.listeners = this.#state.listeners.filter((one) => one !== connection);
    }
    for (const [server, conn] of this.#conns) for (const event of conn.on(input, this.#now)) this.#heard(server, event);
    if (this.#now >= this.#state.askAt) this.#askAll();
    this.#judge();
  }

  flush(): void {
    const due = [...this.#conns.values()].flatMap((conn) => conn.nextDue() ?? []);
    this.#out.wake(Math.min(this.#state.askAt, ...due));
  }

  checkpoint(): Checkpoint {
    return {
      state: { ...this.#state, seen: new Map(this.#state.seen), listeners: [...this.#state.listeners] },
      conns: [...this.#conns].map(([server, conn]) => [server, conn.checkpoint()]),
    };
  }

  restore(checkpoint: unknown): void {
    const { state, conns } = checkpoint as Checkpoint;
    this.#state = { ...state, seen: new Map(state.seen), listeners: [...state.listeners] };
    this.#makeConns();
    for (const [server, saved] of conns) this.#conn(server).restore(saved);
  }

  #boot(incarnation: number): void {
    this.#state.incarnation = incarnation;
    this.#makeConns();
    for (const { id } of this.#config.servers) {
      this.#state.seen.set(id, { heardAt: this.#now, down: false, role: null, follows: null, offset: 0 });
      this.#conn(id).open(this.#now);
    }
    this.#state.askAt = this.#now + this.#config.period;
  }

  #makeConns(): void {
    const { period, servers } = this.#config;
    this.#conns = new Map(
      servers.map(({ id }) => {
        const name = `${this.#env.id}/${this.#state.incarnation}/${id}`;
        return [id, new RedisConn({ name, timeout: 2 * period, reconnectAfter: period }, id, this.#out)];
      }),
    );
  }

  #conn(server: ProcessId): RedisConn {
    return present(this.#conns.get(server), "a server that is watched");
  }

  #seen(server: ProcessId): Seen {
    return present(this.#state.seen.get(server), "a server that is watched");
  }

  #peer(server: ProcessId): RedisPeer {
    return present(
      this.#config.servers.find(({ id }) => id === server),
      "a server that is watched",
    );
  }

  // ── watching ──

  #askAll(): void {
    this.#state.askAt = this.#now + this.#config.period;
    for (const conn of this.#conns.values()) if (conn.isOpen) conn.call(["INFO", "replication"], this.#now);
  }

  #heard(server: ProcessId, event: ConnEvent): void {
    const { promoting } = this.#state;
    if (event.type === "connected") return void this.#conn(server).call(["INFO", "replication"], this.#now);
    if (promoting?.server === server && "ticket" in event && event.ticket === promoting.ticket) {
      this.#state.promoting = null;
      if (event.type === "reply" && event.reply.type === "status") this.#switchTo(server);
      return;
    }
    if (event.type !== "reply" || event.reply.type !== "bulk") return;
    const before = this.#seen(server);
    if (before.down) this.#emit?.({ type: "sentinel-up", server });
    const seen = readInfo(event.reply.value, this.#now);
    this.#state.seen.set(server, seen);
    this.#correct(server, seen);
  }

  /** A server that follows nobody, or somebody else, is told whom to follow. */
  #correct(server: ProcessId, { role, follows }: Seen): void {
    const { primary, promoting } = this.#state;
    if (server === primary || promoting !== null || this.#seen(primary).down) return;
    const { host, port } = this.#peer(primary);
    const isRight = role === "slave" && follows?.host === host && follows.port === port;
    if (!isRight) this.#conn(server).call(["REPLICAOF", host, String(port)], this.#now);
  }

  #judge(): void {
    const { primary, promoting } = this.#state;
    for (const [server, seen] of this.#state.seen) {
      const silent = this.#now - seen.heardAt;
      if (seen.down || silent < this.#config.downAfter) continue;
      this.#state.seen.set(server, { ...seen, down: true });
      this.#emit?.({ type: "sentinel-down", server, silentMs: Math.floor(silent / 1_000) });
    }
    if (this.#seen(primary).down && promoting === null) this.#promote();
  }

  #promote(): void {
    const candidates = [...this.#state.seen]
      .filter(([server, { down, role }]) => server !== this.#state.primary && !down && role === "slave")
      .filter(([server]) => this.#conn(server).isOpen)
      .sort(([, a], [, b]) => b.offset - a.offset);
    const best = candidates[0];
    if (best === undefined) {
      if (!this.#state.gaveUp) this.#emit?.({ type: "sentinel-gave-up", why: "no-replica" });
      this.#state.gaveUp = true;
      return;
    }
    this.#state.gaveUp = false;
    const [server] = best;
    const ticket = this.#conn(server).call(["REPLICAOF", "NO", "ONE"], this.#now);
    this.#state.promoting = { server, ticket };
  }

  #switchTo(server: ProcessId): void {
    const from = this.#state.primary;
    this.#state.primary = server;
    this.#state.seen.set(server, { ...this.#seen(server), role: "master", follows: null });
    this.#emit?.({ type: "sentinel-switch", from, to: server, offset: this.#seen(server).offset });
    const [old, next] = [this.#peer(from), this.#peer(server)];
    for (const [other, conn] of this.#conns)
      if (other !== server && conn.isOpen) conn.call(["REPLICAOF", next.host, String(next.port)], this.#now);
    const text = [this.#config.name, old.host, old.port, next.host, next.port].join(" ");
    for (const connection of this.#state.listeners)
      this.#out.transmit(connection, { type: "push", message: ["message", CHANNEL, text] } satisfies ServerMessage);
  }

  // ── clients ──

  /** True if it was a client's command. */
  #ask(connection: ConnectionId, data: unknown): boolean {
    const command = data as ClientCommand;
    if (command.type !== "cmd") return false;
    const { n, args } = command;
    this.#out.transmit(connection, { type: "reply", n, reply: this.#answer(connection, args) } satisfies ServerMessage);
    return true;
  }

  #answer(connection: ConnectionId, args: readonly string[]): Reply {
    const [name = "", sub = "", master = ""] = args;
    switch (lower(name)) {
      case "ping":
        return status("PONG");
      case "subscribe":
        if (!this.#state.listeners.includes(connection)) this.#state.listeners.push(connection);
        return array([bulk("subscribe"), bulk(CHANNEL), int(1)]);
      case "sentinel": {
        if (lower(sub) !== "get-master-addr-by-name")
          return error(`ERR unknown subcommand '${sub}'. Try SENTINEL HELP.`);
        if (master !== this.#config.name) return NIL_ARRAY;
        const { host, port } = this.#peer(this.#state.primary);
        return bulks([host, String(port)]);
      }
      default:
        return error(`ERR unknown command '${name}', with args beginning with: `);
    }
  }
}

function readInfo(text: string, now: Micros): Seen {
  const field = (name: string): string | null => new RegExp(`^${name}:(.*?)\r?$`, "m").exec(text)?.[1] ?? null;
  const role = field("role") === "master" ? "master" : "slave";
  const host = field("master_host");
  const offset = Number((role === "slave" ? field("slave_repl_offset") : field("master_repl_offset")) ?? 0);
  const follows = host === null ? null : { host, port: Number(field("master_port")) };
  return { heardAt: now, down: false, role, follows, offset };
}
