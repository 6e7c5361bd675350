/** A world of Redis servers and one client, for tests: commands go in by name of the server, answers come back. */
import { present } from "../base/assert.ts";
import { type Micros, MS, SECOND } from "../base/units.ts";
import type { Command, ProcessId } from "../sim/command.ts";
import type { TraceEvent } from "../sim/events.ts";
import { InlineHost } from "../sim/host.ts";
import type { Env, Input, Process, ProcessSpec, Stamp } from "../sim/process.ts";
import { World, type WorldState } from "../sim/world.ts";
import { buildRedis, type RedisSpec } from "./build.ts";
import { type ConnEvent, DEFAULT_CONN, RedisConn, type RedisConnCheckpoint } from "./client.ts";
import type { RedisPeer } from "./config.ts";
import type { RedisEvent, SentinelEvent } from "./events.ts";
import type { Reply } from "./reply.ts";
import { SENTINEL_PERIOD } from "./sentinel.ts";

const CLIENT = "client" as ProcessId;
const SENTINEL = "sentinel" as ProcessId;

export function peersOf(ids: readonly string[]): readonly RedisPeer[] {
  return ids.map((id) => ({ id: id as ProcessId, host: id, port: 6_379 }));
}

interface ClientState {
  readonly incarnation: number;
  readonly conns: readonly (readonly [string, RedisConnCheckpoint])[];
}

/** One connection to each server. The test speaks through it between rounds. */
class TestClient implements Process {
  readonly #env: Env;
  readonly #conns = new Map<string, RedisConn>();
  readonly events: (ConnEvent & { readonly from: string })[] = [];
  #incarnation = 1;
  now: Micros = 0;

  constructor(env: Env) {
    this.#env = env;
  }

  conn(server: string): RedisConn {
    let conn = this.#conns.get(server);
    if (conn === undefined) {
      const name = `${this.#env.id}/${this.#incarnation}/${server}`;
      conn = new RedisConn({ ...DEFAULT_CONN, name }, server as ProcessId, this.#env.out);
      this.#conns.set(server, conn);
    }
    return conn;
  }

  step(input: Input, stamp: Stamp): void {
    this.now = stamp.awake;
    if (input.type === "boot") this.#incarnation = input.incarnation;
    for (const [from, conn] of this.#conns)
      for (const event of conn.on(input, stamp.awake)) this.events.push({ ...event, from });
  }
  flush(): void {
    const due = [...this.#conns.values()].flatMap((conn) => conn.nextDue() ?? []);
    this.#env.out.wake(due.length === 0 ? null : Math.min(...due));
  }
  checkpoint(): ClientState {
    return { incarnation: this.#incarnation, conns: [...this.#conns].map(([id, conn]) => [id, conn.checkpoint()]) };
  }
  restore(checkpoint: unknown): void {
    const { incarnation, conns } = checkpoint as ClientState;
    this.#incarnation = incarnation;
    for (const [id, saved] of conns) this.conn(id).restore(saved);
  }
}

export interface RedisWorldConfig {
  readonly servers: readonly string[];
  /** The first is the primary, the others follow it; or each is alone. */
  readonly replicas?: boolean;
  readonly options?: readonly string[];
  /** A sentinel that waits so long. */
  readonly downAfter?: Micros;
  readonly tornWrites?: boolean;
  readonly seed?: number;
}

export interface RedisWorldState {
  readonly world: WorldState;
  readonly processes: readonly (readonly [ProcessId, unknown])[];
}

export class RedisWorld {
  readonly world: World;
  readonly host: InlineHost;
  readonly trace: TraceEvent[] = [];
  #client: TestClient | null = null;

  constructor(config: RedisWorldConfig, state: RedisWorldState | null = null) {
    const { servers, replicas = true, options = [], downAfter, tornWrites = false, seed = 1 } = config;
    const peers = peersOf(servers);
    const primary = servers[0] as ProcessId;
    const specs = servers.map((id, i): ProcessSpec => {
      const replicaOf = replicas && i > 0 ? primary : null;
      const spec: RedisSpec = { type: "redis-server", config: { replicaOf, peers, options } };
      return { id: id as ProcessId, kind: "member", present: true, config: spec };
    });
    if (downAfter !== undefined) {
      const spec: RedisSpec = {
        type: "redis-sentinel",
        config: { name: "mymaster", servers: peers, primary, downAfter, period: SENTINEL_PERIOD },
      };
      specs.push({ id: SENTINEL, kind: "client", present: true, config: spec });
    }
    specs.push({ id: CLIENT, kind: "client", present: true, config: null });
    this.host = new InlineHost((spec, env) => {
      if (spec.config !== null) return buildRedis(spec.config as RedisSpec, env);
      this.#client = new TestClient(env);
      return this.#client;
    });
    const worldConfig = {
      seed,
      processes: specs,
      network: {
        latencyMin: 5 * MS,
        latencyMax: 5 * MS,
        lossPerMillion: 0,
        duplicatePerMillion: 0,
        reorderPerMillion: 0,
      },
      disk: { fsyncMin: 2 * MS, fsyncMax: 4 * MS, tornWrites },
      settings: { preVote: false, checkQuorum: false, readOnly: "safe" as const, broken: [] },
    };
    this.world = new World(worldConfig, (traced) => this.trace.push({ ...traced }), state?.world ?? null);
    if (state === null) {
      this.run(SECOND);
      return;
    }
    const saved = new Map(state.processes);
    for (const spec of this.world.living()) this.host.restore(spec, saved.get(spec.id), this.world.outOf(spec.id));
  }

  get client(): TestClient {
    return present(this.#client, "the client");
  }
  get now(): Micros {
    return this.world.now;
  }

  run(span: Micros): void {
    this.world.runHere(this.host, this.world.now + span);
  }

  /** Sends a command and lets time pass until its answer, at most `within`. Null: none came. */
  ask(server: string, ...args: readonly string[]): Reply | null {
    return this.askWithin(server, 5 * SECOND, args);
  }
  askWithin(server: string, within: Micros, args: readonly string[]): Reply | null {
    const { client } = this;
    client.now = this.world.now;
    const ticket = client.conn(server).call(args, this.world.now, null);
    client.flush();
    const end = this.world.now + within;
    const answer = (): Reply | null => {
      const found = client.events.find(
        (event) => event.type === "reply" && event.from === server && event.ticket === ticket,
      );
      return found?.type === "reply" ? found.reply : null;
    };
    while (answer() === null && this.world.nextAt <= end) this.world.runRoundHere(this.host);
    return answer();
  }
  /** The answer's value, or its type when it has none. */
  value(server: string, ...args: readonly string[]): string | number | null {
    const reply = this.ask(server, ...args);
    if (reply === null) return null;
    return "value" in reply ? reply.value : reply.type;
  }

  /** Sends without waiting. */
  send(server: string, ...args: readonly string[]): void {
    this.client.conn(server).call(args, this.world.now, null);
    this.client.flush();
  }

  does(command: Command): void {
    const refusal = this.world.command(command, this.host);
    if (refusal !== null) throw new Error(`refused: ${JSON.stringify(refusal)}`);
  }
  crash(id: string): void {
    this.does({ type: "crash", process: id as ProcessId });
  }
  restart(id: string): void {
    this.does({ type: "restart", process: id as ProcessId });
  }
  cut(a: string, b: string): void {
    const [from, to] = [a, b] as readonly string[] as readonly [ProcessId, ProcessId];
    this.does({
      type: "cut",
      links: [
        { from, to },
        { from: to, to: from },
      ],
    });
  }

  events(process: string): (RedisEvent | SentinelEvent)[] {
    return this.trace.filter((one) => one.process === process).map((one) => one.event as RedisEvent | SentinelEvent);
  }

  state(): RedisWorldState {
    return {
      world: this.world.state(),
      processes: this.world.living().map(({ id }) => [id, this.host.get(id).checkpoint()] as const),
    };
  }
}
