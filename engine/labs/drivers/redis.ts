/**
 * A Redis client for lab programs: a connection to each server that is spoken to. A call without a server of its own goes
 * to the one that it takes for the primary; when that one is gone, or says that it only follows, the next one's turn comes.
 */
import { MS, type Micros } from "../../base/units.ts";
import { type ConnEvent, RedisConn, type RedisConnCheckpoint } from "../../redis/client.ts";
import type { Reply } from "../../redis/reply.ts";
import type { ProcessId } from "../../sim/command.ts";
import type { Env, Input, Stamp } from "../../sim/process.ts";
import type { Driver, DriverOutcome } from "../driver.ts";

export interface RedisRequest {
  readonly args: readonly string[];
  /** By its place among the servers; left out: the primary. */
  readonly server?: number;
}

/** An answer's body. */
export interface RedisAnswer {
  readonly reply: Reply;
}

interface Asked {
  readonly number: number;
  readonly server: number;
  readonly ticket: number;
}

interface Saved {
  readonly incarnation: number;
  readonly now: Micros;
  readonly primary: number;
  readonly count: number;
  readonly asked: readonly Asked[];
  readonly conns: readonly (readonly [number, RedisConnCheckpoint])[];
}

const NOTHING: readonly DriverOutcome[] = [];
const TIMEOUT: Micros = 500 * MS;
const RECONNECT: Micros = 50 * MS;

export class RedisDriver implements Driver {
  readonly #servers: readonly ProcessId[];
  readonly #env: Env;
  readonly #conns = new Map<number, RedisConn>();
  #incarnation = 0;
  #now: Micros = 0;
  #primary = 0;
  #count = 0;
  #asked: readonly Asked[] = [];

  constructor(servers: readonly ProcessId[], env: Env) {
    this.#servers = servers;
    this.#env = env;
  }

  call(asked: object, timeout: Micros | null): number {
    const { args, server = this.#primary } = asked as RedisRequest;
    const ticket = this.#conn(server).call(args, this.#now, timeout ?? TIMEOUT);
    this.#count += 1;
    this.#asked = [...this.#asked, { number: this.#count, server, ticket }];
    return this.#count;
  }

  watch(): number {
    throw new Error("Redis has no such watch");
  }

  unwatch(): void {}

  forget(number: number): void {
    this.#asked = this.#asked.filter((one) => one.number !== number);
  }

  on(input: Input, stamp: Stamp): readonly DriverOutcome[] {
    this.#now = stamp.awake;
    if (input.type === "boot") this.#incarnation = input.incarnation;
    const outcomes: DriverOutcome[] = [];
    for (const [server, conn] of this.#conns)
      for (const event of conn.on(input, stamp.awake)) this.#heard(server, event, outcomes);
    return outcomes;
  }

  take(): readonly DriverOutcome[] {
    return NOTHING;
  }

  wakeAt(): Micros | null {
    let due: Micros | null = null;
    for (const conn of this.#conns.values()) {
      const next = conn.nextDue();
      if (next !== null && (due === null || next < due)) due = next;
    }
    return due;
  }

  checkpoint(): unknown {
    const saved: Saved = {
      incarnation: this.#incarnation,
      now: this.#now,
      primary: this.#primary,
      count: this.#count,
      asked: this.#asked,
      conns: [...this.#conns].map(([server, conn]) => [server, conn.checkpoint()]),
    };
    return saved;
  }

  restore(checkpoint: unknown): void {
    const { incarnation, now, primary, count, asked, conns } = checkpoint as Saved;
    this.#incarnation = incarnation;
    this.#now = now;
    this.#primary = primary;
    this.#count = count;
    this.#asked = asked;
    for (const [server, saved] of conns) this.#conn(server).restore(saved);
  }

  #conn(server: number): RedisConn {
    const known = this.#conns.get(server);
    if (known !== undefined) return known;
    const id = this.#servers[server];
    if (id === undefined) throw new Error(`there is no server ${server + 1}`);
    const name = `${this.#env.id}/${this.#incarnation}/${id}`;
    const conn = new RedisConn({ name, timeout: TIMEOUT, reconnectAfter: RECONNECT }, id, this.#env.out);
    this.#conns.set(server, conn);
    return conn;
  }

  #heard(server: number, event: ConnEvent, outcomes: DriverOutcome[]): void {
    if (event.type === "disconnected") return this.#leave(server);
    if (event.type !== "reply" && event.type !== "lost") return;
    const asked = this.#asked.find((one) => one.server === server && one.ticket === event.ticket);
    if (event.type === "lost") this.#leave(server);
    if (asked === undefined) return;
    this.forget(asked.number);
    const ticket = asked.number;
    if (event.type === "lost") {
      outcomes.push({ type: "error", ticket, error: event.why, unknown: event.sent });
      return;
    }
    const { reply } = event;
    if (reply.type !== "error") {
      outcomes.push({ type: "answer", ticket, body: { reply } satisfies RedisAnswer });
      return;
    }
    const error = "value" in reply ? reply.value : "error";
    if (error.startsWith("READONLY")) this.#leave(server);
    outcomes.push({ type: "error", ticket, error, unknown: false });
  }

  #leave(server: number): void {
    if (server === this.#primary) this.#primary = (server + 1) % this.#servers.length;
  }
}

/** As text or number; null for nil. */
export function valueOf(body: object): string | number | null {
  const { reply } = body as RedisAnswer;
  return "value" in reply ? reply.value : null;
}
