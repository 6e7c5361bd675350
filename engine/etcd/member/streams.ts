/**
 * Connections of clients, and the streams on them: watches, keep-alives, observers of an election, backups.
 *
 * What comes in is gRPC's frames as plain data (`api/methods.ts`). A stream that demands a leader ends when there is none
 * for three election timeouts (etcd v3rpc/interceptor.go).
 */
import type { ProcessId } from "../../sim/command.ts";
import type { ConnectionId, Stamp } from "../../sim/process.ts";
import { type EtcdError, etcdError } from "../api/errors.ts";
import type * as m from "../api/messages.ts";
import type { ClientFrame, Metadata, RequestOf, ServerFrame, StreamMethod } from "../api/methods.ts";
import { headed } from "./answers.ts";
import { callId, type Caller, type Core, type IsGone, isFailure, NO_TIME } from "./core.ts";
import type { LeaseCalls } from "./lease-calls.ts";
import type { Maintenance } from "./maintenance.ts";
import { callLabel } from "./requests.ts";
import type { Routines } from "./routines.ts";
import type { Tokens } from "./tokens.ts";
import type { StreamOwner, Watches } from "./watches.ts";

interface Stream {
  readonly method: StreamMethod;
  readonly connection: ConnectionId;
  readonly call: number;
  readonly metadata: Metadata;
}

export interface StreamsCheckpoint {
  readonly connections: readonly (readonly [ConnectionId, ProcessId])[];
  readonly streams: readonly (readonly [string, Stream])[];
}

/** Whom the requests of a stream are for. */
export interface StreamServices {
  readonly watches: Watches;
  readonly leases: LeaseCalls;
  readonly routines: Routines;
  readonly maintenance: Maintenance;
  readonly tokens: Tokens;
  /** Callers that wait for nothing any more. */
  readonly drop: (isGone: IsGone, stamp: Stamp) => void;
}

export class Streams {
  readonly #core: Core;
  readonly #services: StreamServices;
  readonly #connections = new Map<ConnectionId, ProcessId>();
  readonly #streams = new Map<string, Stream>();

  constructor(core: Core, services: StreamServices) {
    this.#core = core;
    this.#services = services;
  }

  accepted(connection: ConnectionId, from: ProcessId): void {
    this.#connections.set(connection, from);
  }

  closed(connection: ConnectionId): void {
    this.#connections.delete(connection);
    for (const [id, stream] of this.#streams) if (stream.connection === connection) this.#end(id);
    this.#gone(connection, null, NO_TIME);
  }

  frame(connection: ConnectionId, frame: ClientFrame, stamp: Stamp): void {
    switch (frame.type) {
      case "ping":
        return this.#transmit(connection, { type: "pong" });
      case "call": {
        const { call, method, body } = frame;
        const metadata = this.#services.tokens.used(frame.metadata, stamp.mono);
        this.#core.emit?.({
          type: "etcd-received",
          call: callId(connection, call),
          client: this.#clientOf(connection),
          method,
          label: callLabel(method, body),
        });
        return this.#core.call({ type: "client", connection, call }, method, metadata, body, stamp);
      }
      case "open":
        return this.#open(connection, frame, stamp);
      case "send": {
        const stream = this.#streams.get(callId(connection, frame.call));
        if (stream !== undefined) this.#request(stream, frame.body, stamp);
        return;
      }
      case "window":
        return this.#services.watches.gaveBack(callId(connection, frame.call), frame.bytes, stamp);
      case "half-close": {
        const id = callId(connection, frame.call);
        const method = this.#streams.get(id)?.method;
        if (method !== "Watch/Watch" && method !== "Lease/LeaseKeepAlive") return;
        this.#end(id);
        return this.#transmit(connection, { type: "end", call: frame.call });
      }
      case "cancel":
        this.#end(callId(connection, frame.call));
        return this.#gone(connection, frame.call, stamp);
    }
  }

  /** To a client's call, or the end of a stream by an error. */
  answer(caller: Caller & { readonly type: "client" }, response: object | EtcdError): void {
    const { connection, call } = caller;
    const { emit } = this.#core;
    if (!this.#connections.has(connection)) return;
    const id = callId(connection, call);
    if (isFailure(response)) {
      this.#end(id);
      emit?.({ type: "etcd-answered", call: id, revision: null, error: response });
      return this.#transmit(connection, { type: "error", call, error: response });
    }
    const body = headed(this.#core, response);
    emit?.({ type: "etcd-answered", call: id, revision: body.header?.revision ?? null, error: null });
    this.#transmit(connection, { type: "answer", call, body });
  }

  /** One response of a stream. */
  message(caller: Caller, response: object): void {
    if (caller.type !== "client" || !this.#streams.has(callId(caller.connection, caller.call))) return;
    this.#transmit(caller.connection, { type: "message", call: caller.call, body: headed(this.#core, response) });
  }

  /** A watch's header says what it was given, also when that is 0. */
  deliver({ connection, call }: StreamOwner & { readonly type: "client" }, response: m.WatchResponse): void {
    const header = { ...this.#core.memberHeader(), revision: response.header?.revision ?? 0 };
    this.#transmit(connection, { type: "message", call, body: { ...response, header } });
  }

  /** There was no leader for too long. */
  leaderless(): void {
    if (this.#core.leader !== null) return;
    for (const [id, { metadata, connection, call }] of Array.from(this.#streams)) {
      if (!metadata.hasLeader) continue;
      this.#end(id);
      this.#transmit(connection, { type: "error", call, error: etcdError("NoLeader") });
    }
  }

  checkpoint(): StreamsCheckpoint {
    return { connections: [...this.#connections], streams: [...this.#streams] };
  }

  resume({ connections, streams }: StreamsCheckpoint): void {
    for (const [connection, client] of connections) this.#connections.set(connection, client);
    for (const [id, stream] of streams) this.#streams.set(id, stream);
  }

  // ── inside ──

  #open(connection: ConnectionId, { call, method, ...frame }: ClientFrame & { type: "open" }, stamp: Stamp): void {
    const core = this.#core;
    const metadata = this.#services.tokens.used(frame.metadata, stamp.mono);
    const caller: Caller = { type: "client", connection, call };
    if (core.isLearner && method !== "Maintenance/Snapshot")
      return core.answer(caller, etcdError("NotSupportedForLearner"), stamp);
    if (metadata.hasLeader && core.leader === null) return core.answer(caller, etcdError("NoLeader"), stamp);
    const id = callId(connection, call);
    this.#streams.set(id, { method, connection, call, metadata });
    if (method === "Watch/Watch")
      this.#services.watches.open(id, {
        type: "client",
        connection,
        call,
        metadata,
        client: this.#clientOf(connection),
      });
  }

  #request({ method, connection, call, metadata }: Stream, body: object, stamp: Stamp): void {
    const caller: Caller = { type: "client", connection, call };
    const { watches, leases, routines } = this.#services;
    switch (method) {
      case "Watch/Watch":
        return watches.request(callId(connection, call), body as m.WatchRequest, stamp);
      case "Lease/LeaseKeepAlive":
        return leases.ask(caller, { type: "renew", lease: (body as m.LeaseKeepAliveRequest).id }, stamp);
      case "Election/Observe":
        return routines.observe(caller, metadata, (body as RequestOf<"Election/Observe">).name, stamp);
      case "Maintenance/Snapshot":
        return this.#sendSnapshot(caller, metadata, stamp);
    }
  }

  #sendSnapshot(caller: Caller & { type: "client" }, metadata: Metadata, stamp: Stamp): void {
    const parts = this.#services.maintenance.snapshot(metadata);
    if (isFailure(parts)) return this.#core.answer(caller, parts, stamp);
    for (const part of parts) this.message(caller, part);
    this.#end(callId(caller.connection, caller.call));
    this.#transmit(caller.connection, { type: "end", call: caller.call });
  }

  #end(id: string): void {
    this.#services.watches.close(id);
    this.#streams.delete(id);
  }

  #transmit(connection: ConnectionId, frame: ServerFrame): void {
    if (this.#connections.has(connection)) this.#core.host.transmit(connection, frame);
  }

  #clientOf(connection: ConnectionId): ProcessId | "" {
    return this.#connections.get(connection) ?? "";
  }

  /** A client gave a call up, or is gone with all of them. */
  #gone(connection: ConnectionId, call: number | null, stamp: Stamp): void {
    const isGone: IsGone = (caller) =>
      caller.type === "client" && caller.connection === connection && (call === null || caller.call === call);
    this.#services.drop(isGone, stamp);
  }
}
