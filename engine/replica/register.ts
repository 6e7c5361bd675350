/** One register: a write replaces its value. The first service, and the smallest that shows what replication does. */
import { present } from "../base/assert.ts";
import { ByteReader, ByteWriter, utf8Decode, utf8Encode } from "../base/bytes.ts";
import type { Reason } from "../raft/events.ts";
import type { ProcessId } from "../sim/command.ts";
import type { ConnectionId } from "../sim/process.ts";
import type { Command } from "./command.ts";
import type { Request, Response } from "./protocol.ts";
import type { Applied, Service, ServiceHost, Ticket } from "./service.ts";

export type RegisterRequest =
  | { readonly type: "write"; readonly value: string }
  /** `serializable`: what this member has, which may be old. */
  | { readonly type: "read"; readonly serializable: boolean };

/** The value as of the write, or of the read; null before the first write. */
export interface RegisterAnswer {
  readonly value: string | null;
}

/** A client's request that is not answered yet. */
interface Waiting {
  readonly connection: ConnectionId;
  readonly request: number;
}

interface RegisterCheckpoint {
  readonly value: string | null;
  readonly waiting: readonly (readonly [Ticket, Waiting])[];
  readonly clients: readonly (readonly [ConnectionId, ProcessId])[];
}

/** Empty between calls. */
const out = new ByteWriter();

export class Register implements Service {
  #host: ServiceHost | null = null;
  #value: string | null = null;
  readonly #waiting = new Map<Ticket, Waiting>();
  readonly #clients = new Map<ConnectionId, ProcessId>();

  start(host: ServiceHost): void {
    this.#host = host;
  }

  accepted(connection: ConnectionId, from: ProcessId): void {
    this.#clients.set(connection, from);
  }

  received(connection: ConnectionId, data: unknown): void {
    const { request, body } = data as Request;
    const asked = body as RegisterRequest;
    const waiting = { connection, request };
    if (asked.type === "write") return this.#write(waiting, asked.value);
    if (asked.serializable) return this.#answerRead(waiting, "serializable");
    const ticket = this.#running().readIndex();
    if (ticket === null) return this.#refuse(waiting, { rule: "no-leader" });
    this.#waiting.set(ticket, waiting);
  }

  closed(connection: ConnectionId): void {
    this.#clients.delete(connection);
    for (const [ticket, waiting] of this.#waiting) {
      if (waiting.connection !== connection) continue;
      this.#waiting.delete(ticket);
      this.#running().forget(ticket);
    }
  }

  message(): void {}

  apply(command: Command, { entry, ticket }: Applied): void {
    this.#value = command.as(valueOf);
    const waiting = ticket === null ? undefined : this.#take(ticket);
    if (waiting === undefined) return;
    const { connection, request } = waiting;
    this.#running().emit?.({
      type: "request-answered",
      client: this.#clientOf(connection),
      request,
      index: entry.index,
    });
    this.#respond(connection, { type: "answer", request, answer: { value: this.#value } });
  }

  confApplied(): void {}

  readable(ticket: Ticket): void {
    const waiting = this.#take(ticket);
    if (waiting !== undefined) this.#answerRead(waiting, "linearizable");
  }

  refused(ticket: Ticket, why: Reason): void {
    const waiting = this.#take(ticket);
    if (waiting !== undefined) this.#refuse(waiting, why);
  }

  roleChanged(): void {}

  woke(): void {}

  label(command: Command): string {
    return command.as(valueOf);
  }

  summary(): string | null {
    return this.#value;
  }

  snapshot(): Uint8Array {
    return this.#value === null ? new Uint8Array() : utf8Encode(this.#value);
  }

  restore(snapshot: Uint8Array): void {
    this.#value = snapshot.length === 0 ? null : utf8Decode(snapshot);
  }

  checkpoint(): RegisterCheckpoint {
    return { value: this.#value, waiting: [...this.#waiting], clients: [...this.#clients] };
  }

  resume(checkpoint: unknown): void {
    const { value, waiting, clients } = checkpoint as RegisterCheckpoint;
    this.#value = value;
    for (const [ticket, each] of waiting) this.#waiting.set(ticket, each);
    for (const [connection, client] of clients) this.#clients.set(connection, client);
  }

  #running(): ServiceHost {
    return present(this.#host, "a service is started before it is asked");
  }

  #write(waiting: Waiting, value: string): void {
    const host = this.#running();
    out.text(value);
    const ticket = host.propose(out.takeView());
    this.#waiting.set(ticket, waiting);
    const client = this.#clientOf(waiting.connection);
    host.emit?.({ type: "request-received", client, request: waiting.request, key: host.keyOf(ticket), label: value });
  }

  #answerRead({ connection, request }: Waiting, mode: "linearizable" | "serializable"): void {
    const host = this.#running();
    const client = this.#clientOf(connection);
    host.emit?.({ type: "read-answered", client, request, index: host.applied.index, mode });
    this.#respond(connection, { type: "answer", request, answer: { value: this.#value } });
  }

  #refuse({ connection, request }: Waiting, why: Reason): void {
    this.#running().emit?.({ type: "request-refused", client: this.#clientOf(connection), request, why });
    this.#respond(connection, { type: "refused", request, why });
  }

  #take(ticket: Ticket): Waiting | undefined {
    const waiting = this.#waiting.get(ticket);
    this.#waiting.delete(ticket);
    return waiting;
  }

  #clientOf(connection: ConnectionId): ProcessId | "" {
    return this.#clients.get(connection) ?? "";
  }

  #respond(connection: ConnectionId, response: Response): void {
    this.#running().transmit(connection, response);
  }
}

function valueOf(command: Uint8Array): string {
  return new ByteReader(command).text();
}
