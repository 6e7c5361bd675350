/**
 * A connection to Redis for a program that lives in the world: plain state that a process embeds, no promises.
 *
 * The process hands it every input and asks it when to be woken. It connects, sends each call once, times calls out by
 * awake time, and connects again by itself after a break. A call that was sent and not answered has an unknown outcome:
 * it is reported as lost and never sent again, since it may have happened.
 */
import { type Micros, MS } from "../base/units.ts";
import type { ProcessId } from "../sim/command.ts";
import type { ConnectionId, Input, Out } from "../sim/process.ts";
import { bytesToText, textToBytes } from "./bytes.ts";
import type { ClientCommand, ServerMessage } from "./protocol.ts";
import type { Reply } from "./reply.ts";

/** Names a call of one `RedisConn`, from 1 up. */
export type Ticket = number;

export interface RedisConnConfig {
  /** Part of the connections' names: one process may have several. */
  readonly name: string;
  /** How long it waits for an answer, and for a connection. */
  readonly timeout: Micros;
  /** How long after a break it tries again. */
  readonly reconnectAfter: Micros;
}

/** What came of it; texts, not bytes. */
export type ConnEvent =
  | { readonly type: "connected"; readonly server: ProcessId }
  /** Refused, reset, closed, or not answered in time; it tries again by itself. */
  | { readonly type: "disconnected"; readonly server: ProcessId; readonly why: "refused" | "closed" | "timeout" }
  | { readonly type: "reply"; readonly ticket: Ticket; readonly reply: Reply }
  /** No answer. `sent`: it may have been carried out all the same. */
  | { readonly type: "lost"; readonly ticket: Ticket; readonly sent: boolean; readonly why: "timeout" | "disconnected" }
  /** `["message", channel, text]` or `["pmessage", pattern, channel, text]`. */
  | { readonly type: "push"; readonly message: readonly string[] };

interface Call {
  readonly ticket: Ticket;
  readonly args: readonly string[];
  readonly sent: boolean;
  /** Awake time; null: it may wait for ever (a blocking pop, a WAIT). */
  readonly deadline: Micros | null;
}

export interface RedisConnCheckpoint {
  readonly server: ProcessId;
  readonly connection: ConnectionId | null;
  readonly open: boolean;
  readonly connections: number;
  readonly tickets: Ticket;
  readonly calls: readonly Call[];
  /** When it gives up connecting, or tries again. */
  readonly dueAt: Micros | null;
}

export const DEFAULT_CONN: Omit<RedisConnConfig, "name"> = { timeout: 2_000 * MS, reconnectAfter: 200 * MS };

export class RedisConn {
  readonly #config: RedisConnConfig;
  readonly #out: Out;
  #state: RedisConnCheckpoint;

  /** @param config its `name` must differ between the incarnations of a process: put the incarnation into it */
  constructor(config: RedisConnConfig, server: ProcessId, out: Out) {
    this.#config = config;
    this.#out = out;
    this.#state = { server, connection: null, open: false, connections: 0, tickets: 0, calls: [], dueAt: null };
  }

  get server(): ProcessId {
    return this.#state.server;
  }
  get isOpen(): boolean {
    return this.#state.open;
  }

  /** Connects, if it is not connected or about to. */
  open(now: Micros): void {
    if (this.#state.connection === null) this.#connect(now);
  }

  /** Talks to another server from now on; what was not answered is lost. */
  moveTo(server: ProcessId, now: Micros): ConnEvent[] {
    const events = this.close();
    this.#state = { ...this.#state, server };
    this.#connect(now);
    return events;
  }

  /** Ends the connection for good: `open` begins anew. */
  close(): ConnEvent[] {
    const { connection } = this.#state;
    if (connection !== null) this.#out.close(connection);
    const events = this.#dropCalls();
    this.#state = { ...this.#state, connection: null, open: false, dueAt: null };
    return events;
  }

  /**
   * Sends a command, now or once it is connected.
   *
   * @param timeout in place of the config's; null for a command that may wait for ever
   */
  call(args: readonly string[], now: Micros, timeout: Micros | null = this.#config.timeout): Ticket {
    const ticket = this.#state.tickets + 1;
    const deadline = timeout === null ? null : now + timeout;
    const call: Call = { ticket, args: args.map(textToBytes), sent: this.#state.open, deadline };
    this.#state = { ...this.#state, tickets: ticket, calls: [...this.#state.calls, call] };
    if (this.#state.open) this.#transmit(call);
    else this.open(now);
    return ticket;
  }

  /** The awake time at which `on` wants a wake; null: none. */
  nextDue(): Micros | null {
    let { dueAt: due } = this.#state;
    for (const { deadline } of this.#state.calls)
      if (deadline !== null && (due === null || deadline < due)) due = deadline;
    return due;
  }

  /** Takes any input of the process; what is not its own is passed over. */
  on(input: Input, now: Micros): ConnEvent[] {
    const { connection, server } = this.#state;
    switch (input.type) {
      case "connected":
        return input.connection === connection ? this.#opened() : [];
      case "received":
        return input.connection === connection ? this.#received(input.data as ServerMessage) : [];
      case "closed": {
        if (input.connection !== connection) return [];
        const why = this.#state.open ? "closed" : "refused";
        return [...this.#broken(now), { type: "disconnected", server, why }];
      }
      case "wake":
        return this.#timeOut(now);
      case "boot":
      case "message":
      case "synced":
      case "accepted":
      case "asked":
        return [];
    }
  }

  checkpoint(): RedisConnCheckpoint {
    return this.#state;
  }
  restore(checkpoint: RedisConnCheckpoint): void {
    this.#state = checkpoint;
  }

  #connect(now: Micros): void {
    const connections = this.#state.connections + 1;
    const connection = `${this.#config.name}/${connections}`;
    this.#state = { ...this.#state, connections, connection, open: false, dueAt: now + this.#config.timeout };
    this.#out.open(connection, this.#state.server);
  }

  #opened(): ConnEvent[] {
    const { calls, server } = this.#state;
    this.#state = { ...this.#state, open: true, dueAt: null, calls: calls.map((call) => ({ ...call, sent: true })) };
    for (const call of this.#state.calls) this.#transmit(call);
    return [{ type: "connected", server }];
  }

  #transmit({ ticket, args }: Call): void {
    const { connection } = this.#state;
    if (connection === null) return;
    this.#out.transmit(connection, { type: "cmd", n: ticket, args } satisfies ClientCommand);
  }

  #received(message: ServerMessage): ConnEvent[] {
    if (message.type === "push") return [{ type: "push", message: message.message.map(bytesToText) }];
    const { calls } = this.#state;
    const call = calls.find(({ ticket }) => ticket === message.n);
    if (call === undefined) return [];
    this.#state = { ...this.#state, calls: calls.filter((one) => one !== call) };
    return [{ type: "reply", ticket: call.ticket, reply: asText(message.reply) }];
  }

  #dropCalls(): ConnEvent[] {
    const { calls } = this.#state;
    this.#state = { ...this.#state, calls: [] };
    return calls.map(({ ticket, sent }) => ({ type: "lost", ticket, sent, why: "disconnected" }));
  }

  /** Calls that were sent are lost; those that were not wait for the next connection. */
  #broken(now: Micros): ConnEvent[] {
    const { calls } = this.#state;
    const lost = calls.filter(({ sent }) => sent);
    this.#state = {
      ...this.#state,
      connection: null,
      open: false,
      dueAt: now + this.#config.reconnectAfter,
      calls: calls.filter(({ sent }) => !sent),
    };
    return lost.map(({ ticket }) => ({ type: "lost", ticket, sent: true, why: "disconnected" }));
  }

  /** A call without its answer takes the connection along: what comes later must not be taken for another's answer. */
  #timeOut(now: Micros): ConnEvent[] {
    const next = this.nextDue();
    if (next === null || now < next) return [];
    const { calls, dueAt, connection, server } = this.#state;
    const late = calls.filter(({ deadline }) => deadline !== null && now >= deadline);
    this.#state = { ...this.#state, calls: calls.filter((call) => !late.includes(call)) };
    const events: ConnEvent[] = late.map(({ ticket, sent }) => ({ type: "lost", ticket, sent, why: "timeout" }));
    const isDue = dueAt !== null && now >= dueAt;
    if (connection === null) {
      if (isDue) this.#connect(now);
    } else if (isDue || late.some(({ sent }) => sent)) {
      this.#out.close(connection);
      events.push(...this.#broken(now), { type: "disconnected", server, why: "timeout" });
    }
    return events;
  }
}

function asText(reply: Reply): Reply {
  if (reply.type === "array") return { ...reply, items: reply.items.map(asText) };
  return reply.type === "bulk" ? { type: "bulk", value: bytesToText(reply.value) } : reply;
}
