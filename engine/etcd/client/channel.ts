/**
 * Calls and streams of a client over connections to the members, as gRPC's channel and clientv3's interceptors have them
 * (client/v3/client.go, retry_interceptor.go).
 *
 *     waiting    for a connection that is ready, or for a token; it has surely not been sent
 *     back-off   an attempt failed and may be repeated: a pause, then waiting again
 *     sent       on a connection; its loss fails a write with an unknown outcome, sends a read elsewhere, and ends a
 *                stream, unless it is repeatable and has brought nothing yet
 *
 * Calls wait for a connection as long as their deadline lets them (gRPC's WaitForReady, which clientv3 sets).
 */
import { assert, present } from "../../base/assert.ts";
import { type Rng, rngFromState, type RngState } from "../../base/rng.ts";
import type { Micros } from "../../base/units.ts";
import type { ProcessId } from "../../sim/command.ts";
import type { ConnectionId, Env, Input, Out, Stamp } from "../../sim/process.ts";
import { type EtcdError, errorName } from "../api/errors.ts";
import { GIVE_BACK_BYTES, watchBytes } from "../api/flow.ts";
import type { ResponseHeader, WatchResponse } from "../api/messages.ts";
import type { ClientFrame, RequestOf, ResponseOf, ServerFrame, StreamMethod, UnaryMethod } from "../api/methods.ts";
import { ATTEMPTS_MAX, type EtcdClientConfig, RETRY_JITTER, RETRY_WAIT } from "./config.ts";
import { backOff, type Connection, idle, pingDue } from "./connection.ts";
import type { ChannelEvent, ConnectionLoss } from "./events.ts";
import {
  CANCELED,
  CONNECTION_LOST,
  DEADLINE_EXCEEDED,
  isRepeatableStream,
  isSafeRetry,
  mayHaveHappened,
  PING_UNANSWERED,
  wantsNewToken,
} from "./policy.ts";

/** Names a call or a stream of this client. */
export type Ticket = number;

export interface CallOptions {
  /** From now until the call fails with DeadlineExceeded; null: never. Left out: the client's. */
  readonly timeout?: Micros | null;
  /** Only to this member, whether it is among the endpoints or not. */
  readonly endpoint?: ProcessId;
  readonly requireLeader?: boolean;
}

export type ChannelOutcome =
  | {
      readonly type: "answer";
      readonly ticket: Ticket;
      readonly method: UnaryMethod;
      readonly body: object;
      readonly member: ProcessId;
    }
  /** `unknown`: it may have been carried out, or may yet be. */
  | {
      readonly type: "failed";
      readonly ticket: Ticket;
      readonly method: UnaryMethod;
      readonly error: EtcdError;
      readonly unknown: boolean;
    }
  | { readonly type: "message"; readonly ticket: Ticket; readonly body: object; readonly member: ProcessId }
  /** A stream is over: in order when there is no error. */
  | { readonly type: "ended"; readonly ticket: Ticket; readonly error: EtcdError | null }
  | { readonly type: "connection"; readonly member: ProcessId; readonly ready: boolean };

interface Common {
  readonly ticket: Ticket;
  readonly endpoint: ProcessId | null;
  readonly hasLeader: boolean;
  readonly deadline: Micros | null;
  state: "waiting" | "back-off" | "sent";
  member: ProcessId | null;
  /** Its number on the connection. */
  wire: number;
  attempt: number;
  /** The end of its back-off. */
  until: Micros | null;
}

interface UnaryCall extends Common {
  readonly kind: "unary";
  readonly method: UnaryMethod;
  readonly body: object;
  /** An attempt before this one may have been carried out. */
  readonly unknown: boolean;
  /** The client's own Authenticate. */
  readonly own: boolean;
}

interface StreamCall extends Common {
  readonly kind: "stream";
  readonly method: StreamMethod;
  /** What waits for a connection; with a stream that may be opened again, all that was sent. */
  queue: readonly object[];
  /** Repeatable, and nothing has come of it yet: after an error it may be opened again. */
  readonly isFresh: boolean;
  /** Why it is opened again: what its owner is told if no token can be had for that. */
  readonly cause: EtcdError | null;
  readonly halfClosed: boolean;
  /** Bytes that were taken up and not given back to the window yet. */
  takenUp: number;
}

type Call = UnaryCall | StreamCall;

interface State {
  incarnation: number;
  tickets: number;
  wires: number;
  connections: number;
  /** The turn of the balancer. */
  turn: number;
  calls: Map<Ticket, Call>;
  members: Map<ProcessId, Connection>;
  /** `none`: not needed, or the members do not want any. */
  auth: "none" | "wanted" | "asking" | "known";
  token: string | null;
  /** Of the endpoints, the one that is asked for a token, when they are asked one after the other. */
  tokenTurn: number;
}

/** Connections and calls are changed in place where that happens at every message. */
function copyOf(state: State): State {
  const calls = new Map(Array.from(state.calls, ([ticket, call]) => [ticket, { ...call }]));
  const members = new Map(Array.from(state.members, ([member, connection]) => [member, { ...connection }]));
  return { ...state, calls, members };
}

export class Channel {
  readonly config: EtcdClientConfig;
  readonly #env: Env;
  readonly #out: Out;
  readonly #emit: ((event: ChannelEvent) => void) | null;
  #rng: Rng;
  #now: Micros = 0;
  #outcomes: ChannelOutcome[] = [];
  #state: State;

  constructor(config: EtcdClientConfig, env: Env, rng: Rng) {
    assert(config.endpoints.length > 0, "a client has endpoints");
    this.config = config;
    this.#env = env;
    this.#out = env.out;
    this.#emit = env.out.emit;
    this.#rng = rng;
    this.#state = {
      incarnation: 0,
      tickets: 0,
      wires: 0,
      connections: 0,
      turn: 0,
      calls: new Map(),
      members: new Map(),
      auth: config.user === null ? "none" : "wanted",
      token: null,
      tokenTurn: 0,
    };
  }

  /** Its monotonic time at the input at hand: deadlines go on while the process is paused, as they do under Go's timers. */
  get now(): Micros {
    return this.#now;
  }

  get rng(): Rng {
    return this.#rng;
  }

  call(method: UnaryMethod, body: object, options: CallOptions = {}): Ticket {
    return this.#unary(method, body, options, false);
  }

  /** A stream; what is sent on it waits until it has a connection. */
  open(method: StreamMethod, options: CallOptions = {}): Ticket {
    const common = this.#common(options, null);
    // A token may have run out since, and a stream is not repeated (etcd issue 11954).
    if (this.#state.auth === "known") this.#state.auth = "wanted";
    this.#state.calls.set(common.ticket, {
      ...common,
      kind: "stream",
      method,
      queue: [],
      isFresh: isRepeatableStream(method),
      cause: null,
      halfClosed: false,
      takenUp: 0,
    });
    this.#pump();
    return common.ticket;
  }

  send(ticket: Ticket, body: object): void {
    const call = this.#state.calls.get(ticket);
    if (call?.kind !== "stream" || call.halfClosed) return;
    if (call.state === "sent") this.#transmit(call, { type: "send", call: call.wire, body });
    if (call.state !== "sent" || call.isFresh) this.#state.calls.set(ticket, { ...call, queue: [...call.queue, body] });
  }

  halfClose(ticket: Ticket): void {
    const call = this.#state.calls.get(ticket);
    if (call?.kind !== "stream" || call.halfClosed) return;
    if (call.state === "sent") this.#transmit(call, { type: "half-close", call: call.wire });
    this.#state.calls.set(ticket, { ...call, halfClosed: true });
  }

  /** Gives a call or stream up; its outcome comes as for any other end. */
  cancel(ticket: Ticket): void {
    const call = this.#state.calls.get(ticket);
    if (call !== undefined) this.#giveUp(call, CANCELED);
  }

  /** As `cancel`, but nobody wants to hear of it. */
  discard(ticket: Ticket): void {
    const call = this.#state.calls.get(ticket);
    if (call === undefined) return;
    if (call.state === "sent") this.#transmit(call, { type: "cancel", call: call.wire });
    this.#state.calls.delete(ticket);
  }

  on(input: Input, { mono }: Stamp): void {
    this.#now = mono;
    switch (input.type) {
      case "boot":
        this.#state.incarnation = input.incarnation;
        break;
      case "connected":
        this.#connected(input.connection);
        break;
      case "received":
        this.#received(input.connection, input.data as ServerFrame);
        break;
      case "closed":
        this.#closed(input.connection, input.reset);
        break;
      case "message":
      case "wake":
      case "synced":
      case "accepted":
      case "asked":
        break;
    }
    this.#tick();
    this.#pump();
  }

  take(): readonly ChannelOutcome[] {
    const taken = this.#outcomes;
    if (taken.length > 0) this.#outcomes = [];
    return taken;
  }

  /** The monotonic time by which `on` must be called again; null when only an input can change anything. */
  wakeAt(): Micros | null {
    let at = Number.POSITIVE_INFINITY;
    for (const { deadline, until } of this.#state.calls.values()) at = Math.min(at, deadline ?? at, until ?? at);
    for (const connection of this.#state.members.values())
      at = Math.min(at, connection.until ?? at, this.#pingDue(connection) ?? at);
    return at === Number.POSITIVE_INFINITY ? null : at;
  }

  checkpoint(): unknown {
    return { state: copyOf(this.#state), rng: this.#rng.state(), now: this.#now };
  }

  restore(checkpoint: unknown): void {
    const saved = checkpoint as { readonly state: State; readonly rng: RngState; readonly now: Micros };
    this.#state = copyOf(saved.state);
    this.#rng = rngFromState(saved.rng);
    this.#now = saved.now;
  }

  // ── calls ──

  #unary(method: UnaryMethod, body: object, options: CallOptions, own: boolean): Ticket {
    const { ticket, endpoint, hasLeader, deadline } = this.#common(options, this.config.requestTimeout);
    // Field by field: an object that is spread and then grows is slow to make, and this is every call of every client.
    this.#state.calls.set(ticket, {
      kind: "unary",
      method,
      body,
      unknown: false,
      own,
      ticket,
      endpoint,
      hasLeader,
      deadline,
      state: "waiting",
      member: null,
      wire: 0,
      attempt: 0,
      until: null,
    });
    this.#emit?.({ type: "call-asked", call: ticket, method, body });
    this.#pump();
    return ticket;
  }

  #common({ timeout, endpoint, requireLeader }: CallOptions, usual: Micros | null): Common {
    this.#state.tickets += 1;
    const span = timeout === undefined ? usual : timeout;
    return {
      ticket: this.#state.tickets,
      endpoint: endpoint ?? null,
      hasLeader: requireLeader ?? this.config.requireLeader,
      deadline: span === null ? null : this.#now + span,
      state: "waiting",
      member: null,
      wire: 0,
      attempt: 0,
      until: null,
    };
  }

  /** Sends what waits, as far as there are connections, and asks for those that are missing. */
  #pump(): void {
    for (const call of this.#state.calls.values()) {
      if (call.state !== "waiting") continue;
      if (!this.#hasToken(call)) continue;
      const connection = this.#pick(call.endpoint);
      if (connection !== null) this.#sendOn(call, connection);
    }
  }

  #hasToken(call: Call): boolean {
    const state = this.#state;
    if (state.auth === "none" || state.auth === "known" || (call.kind === "unary" && call.own)) return true;
    if (state.auth === "wanted" && this.config.user !== null) {
      state.auth = "asking";
      state.tokenTurn = 0;
      this.#askForToken(this.config.dialTimeout);
    }
    return false;
  }

  /** Up to 3.4 one endpoint after the other, over a connection to each; since then whichever the balancer picks. */
  #askForToken(timeout: Micros): void {
    const { user, compat, endpoints } = this.config;
    const body: RequestOf<"Auth/Authenticate"> = { ...present(user, "a user, as a token is wanted") };
    const endpoint = compat === "3.4" ? endpoints[this.#state.tokenTurn] : undefined;
    this.#unary("Auth/Authenticate", body, endpoint === undefined ? { timeout } : { timeout, endpoint }, true);
  }

  #sendOn(call: Call, { member }: Connection): void {
    const state = this.#state;
    state.wires += 1;
    call.state = "sent";
    call.member = member;
    call.wire = state.wires;
    call.attempt += 1;
    call.until = null;
    const metadata = { token: call.kind === "unary" && call.own ? null : state.token, hasLeader: call.hasLeader };
    const { ticket, wire, attempt } = call;
    if (call.kind === "unary") {
      const { method, body } = call;
      this.#transmit(call, { type: "call", call: wire, method, metadata, body });
    } else {
      const { queue } = call;
      if (!call.isFresh) call.queue = [];
      this.#transmit(call, { type: "open", call: wire, method: call.method, metadata });
      for (const body of queue) this.#transmit(call, { type: "send", call: wire, body });
      if (call.halfClosed) this.#transmit(call, { type: "half-close", call: wire });
    }
    this.#emit?.({ type: "call-sent", call: ticket, method: call.method, member, attempt, wire });
  }

  #transmit({ member }: Call, frame: ClientFrame): void {
    const id = this.#state.members.get(present(member, "the member of a call that was sent"))?.id;
    if (id !== null && id !== undefined) this.#out.transmit(id, frame);
  }

  #answered(call: UnaryCall, body: object, member: ProcessId): void {
    const { ticket, method, own } = call;
    this.#state.calls.delete(ticket);
    const revision = (body as { readonly header?: ResponseHeader | null }).header?.revision ?? 0;
    this.#emit?.({ type: "call-answered", call: ticket, method, member, revision });
    if (own) return this.#tokenCame((body as ResponseOf<"Auth/Authenticate">).token);
    this.#outcomes.push({ type: "answer", ticket, method, body, member });
  }

  #tokenCame(token: string | null): void {
    this.#state.auth = token === null ? "none" : "known";
    this.#state.token = token;
    if (token !== null) this.#emit?.({ type: "token-renewed", user: this.config.user?.name ?? "" });
  }

  /** An attempt ended with an error: another one, or the end. */
  #failed(call: UnaryCall, error: EtcdError): void {
    const { method, attempt, own, endpoint } = call;
    const unknown = call.unknown || (call.state === "sent" && mayHaveHappened(method, error));
    const renew = !own && this.#mayRenew(error);
    // Who asks one endpoint after the other for a token has an attempt at each.
    const endpoints = own && endpoint !== null ? 1 : this.config.endpoints.length;
    if ((renew || isSafeRetry(method, error, endpoints)) && attempt < ATTEMPTS_MAX)
      return this.#again({ ...call, unknown }, error, renew);
    this.#fail(call, error, unknown);
  }

  /** A stream ended with an error: opened again with all that was sent, if it may be, or the end. */
  #brokeOff(call: StreamCall, error: EtcdError): void {
    const renew = call.isFresh && this.#mayRenew(error);
    if (renew || (call.isFresh && isSafeRetry(call.method, error, this.config.endpoints.length)))
      return this.#again({ ...call, cause: error }, error, renew);
    this.#endStream(call, error);
  }

  #mayRenew(error: EtcdError): boolean {
    return this.config.user !== null && wantsNewToken(error);
  }

  #again(call: Call, error: EtcdError, renew: boolean): void {
    const { ticket, method, attempt } = call;
    if (renew && this.#state.auth !== "asking") this.#state.auth = "wanted";
    const quorum = Math.floor(this.config.endpoints.length / 2) + 1;
    const wait = !renew && attempt % quorum === 0;
    const retryIn = wait ? this.#rng.between(RETRY_WAIT - RETRY_JITTER, RETRY_WAIT + RETRY_JITTER) : 0;
    const until = wait ? this.#now + retryIn : null;
    this.#state.calls.set(ticket, { ...call, state: wait ? "back-off" : "waiting", member: null, until });
    this.#emit?.({ type: "call-retried", call: ticket, method, attempt, error, retryIn });
  }

  #fail(call: UnaryCall, error: EtcdError, unknown: boolean): void {
    const { ticket, method, own } = call;
    this.#state.calls.delete(ticket);
    this.#emit?.({ type: "call-failed", call: ticket, method, error, unknown });
    if (own) return this.#noToken(call, error);
    this.#outcomes.push({ type: "failed", ticket, method, error, unknown });
  }

  /** Members that do not want tokens get none; else, with no endpoint left, nothing that waits for one can be sent. */
  #noToken({ endpoint, deadline }: UnaryCall, error: EtcdError): void {
    const state = this.#state;
    if (errorName(error) === "AuthNotEnabled") return this.#tokenCame(null);
    const left = deadline === null ? 0 : deadline - this.#now;
    if (endpoint !== null && left > 0 && state.tokenTurn + 1 < this.config.endpoints.length) {
      state.tokenTurn += 1;
      return this.#askForToken(left);
    }
    state.auth = "wanted";
    for (const call of state.calls.values()) {
      if (call.state === "sent") continue;
      if (call.kind === "unary") this.#fail(call, error, call.unknown);
      else this.#endStream(call, call.cause ?? error);
    }
  }

  #endStream({ ticket, method }: StreamCall, error: EtcdError | null): void {
    this.#state.calls.delete(ticket);
    this.#emit?.({ type: "stream-ended", call: ticket, method, error });
    this.#outcomes.push({ type: "ended", ticket, error });
  }

  /** From this side: by its deadline, or by its owner. */
  #giveUp(call: Call, error: EtcdError): void {
    if (call.state === "sent") this.#transmit(call, { type: "cancel", call: call.wire });
    if (call.kind === "stream") return this.#endStream(call, error);
    this.#fail(call, error, call.unknown || (call.state === "sent" && mayHaveHappened(call.method, error)));
  }

  // ── connections ──

  /** A connection that is ready for a call; asks for one when there is none. */
  #pick(endpoint: ProcessId | null): Connection | null {
    if (endpoint !== null) {
      const connection = this.#connection(endpoint);
      if (connection.state === "idle") this.#open(connection);
      return connection.state === "ready" ? connection : null;
    }
    return this.config.balance === "round-robin" ? this.#nextInTurn() : this.#firstThatTakes();
  }

  #nextInTurn(): Connection | null {
    const { endpoints } = this.config;
    const state = this.#state;
    for (const member of endpoints) {
      const connection = this.#connection(member);
      if (connection.state === "idle") this.#open(connection);
    }
    for (let i = 0; i < endpoints.length; i += 1) {
      const connection = this.#at(state.turn + i);
      if (connection.state !== "ready") continue;
      state.turn = (state.turn + i + 1) % endpoints.length;
      return connection;
    }
    return null;
  }

  #firstThatTakes(): Connection | null {
    const { endpoints } = this.config;
    const state = this.#state;
    let first: Connection | null = null;
    for (let i = 0; i < endpoints.length; i += 1) {
      const connection = this.#at(state.turn + i);
      if (connection.state === "ready") return connection;
      if (connection.state === "opening") return null;
      if (connection.state === "idle") first ??= connection;
    }
    if (first !== null) this.#open(first);
    return null;
  }

  #at(turn: number): Connection {
    const { endpoints } = this.config;
    return this.#connection(endpoints[turn % endpoints.length] as ProcessId);
  }

  #connection(member: ProcessId): Connection {
    return this.#state.members.get(member) ?? idle(member);
  }

  #open(connection: Connection): void {
    const state = this.#state;
    const { member } = connection;
    state.connections += 1;
    const id = `${this.#env.id}/${state.incarnation}/${state.connections}`;
    state.members.set(member, { ...connection, state: "opening", id, until: this.#now + this.config.dialTimeout });
    this.#out.open(id, member);
    this.#emit?.({ type: "connection-opening", member });
  }

  #byId(id: ConnectionId): Connection | null {
    for (const connection of this.#state.members.values()) if (connection.id === id) return connection;
    return null;
  }

  #connected(id: ConnectionId): void {
    const connection = this.#byId(id);
    if (connection?.state !== "opening") return;
    const { member } = connection;
    const ready: Connection = {
      member,
      state: "ready",
      id,
      until: null,
      failures: 0,
      heardAt: this.#now,
      pingedAt: null,
    };
    this.#state.members.set(member, ready);
    if (this.config.balance === "pick-first") this.#state.turn = Math.max(0, this.config.endpoints.indexOf(member));
    this.#emit?.({ type: "connection-ready", member });
    this.#outcomes.push({ type: "connection", member, ready: true });
  }

  #received(id: ConnectionId, frame: ServerFrame): void {
    const connection = this.#byId(id);
    if (connection === null) return;
    const { member } = connection;
    connection.heardAt = this.#now;
    connection.pingedAt = null;
    if (frame.type === "pong") return;
    const call = this.#byWire(frame.call);
    if (call === null) return; // it was given up meanwhile
    if (call.kind === "unary") {
      if (frame.type === "answer") return this.#answered(call, frame.body, member);
      if (frame.type === "error") return this.#failed(call, frame.error);
      return;
    }
    if (frame.type === "message") {
      if (call.isFresh) this.#state.calls.set(call.ticket, { ...call, isFresh: false, queue: [] });
      if (call.method === "Watch/Watch") this.#tookUp(call, frame.body as WatchResponse);
      this.#outcomes.push({ type: "message", ticket: call.ticket, body: frame.body, member });
    } else if (frame.type === "error") this.#brokeOff(call, frame.error);
    else if (frame.type === "end") this.#endStream(call, null);
  }

  /** Room is given back to the member as messages are taken up. */
  #tookUp(call: StreamCall, response: WatchResponse): void {
    const bytes = call.takenUp + watchBytes(response);
    const isDue = bytes >= GIVE_BACK_BYTES;
    if (isDue) this.#transmit(call, { type: "window", call: call.wire, bytes });
    call.takenUp = isDue ? 0 : bytes;
  }

  #byWire(wire: number): Call | null {
    for (const call of this.#state.calls.values()) if (call.wire === wire && call.state === "sent") return call;
    return null;
  }

  #closed(id: ConnectionId, reset: boolean): void {
    const connection = this.#byId(id);
    if (connection === null) return;
    this.#lost(connection, connection.state === "opening" ? "refused" : reset ? "reset" : "closed", CONNECTION_LOST);
  }

  #lost(connection: Connection, why: ConnectionLoss, error: EtcdError): void {
    const { member } = connection;
    const wasReady = connection.state === "ready";
    const failures = wasReady ? 0 : connection.failures + 1;
    // A connection that worked is opened again at once; one that did not after a while.
    const retryIn = wasReady ? 0 : backOff(failures, this.config, this.#rng);
    const until = wasReady ? null : this.#now + retryIn;
    const state = wasReady ? "idle" : "back-off";
    this.#state.members.set(member, { ...idle(member), state, failures, until });
    if (this.config.balance === "pick-first" && this.#at(this.#state.turn).member === member)
      this.#state.turn = (this.#state.turn + 1) % this.config.endpoints.length;
    this.#emit?.({ type: "connection-lost", member, why, retryIn });
    if (wasReady) this.#outcomes.push({ type: "connection", member, ready: false });
    for (const call of this.#state.calls.values()) {
      if (call.state !== "sent" || call.member !== member) continue;
      if (call.kind === "unary") this.#failed(call, error);
      else this.#brokeOff(call, error);
    }
  }

  // ── time ──

  #tick(): void {
    const now = this.#now;
    for (const call of this.#state.calls.values()) {
      if (call.deadline !== null && call.deadline <= now) this.#giveUp(call, DEADLINE_EXCEEDED);
      else if (call.until !== null && call.until <= now)
        this.#state.calls.set(call.ticket, { ...call, state: "waiting", until: null });
    }
    for (const connection of this.#state.members.values()) this.#tickConnection(connection);
  }

  #tickConnection(connection: Connection): void {
    const { member, state, until, id } = connection;
    if (until !== null && until <= this.#now) {
      if (state === "opening") return this.#drop(connection, "dial-timeout", CONNECTION_LOST);
      this.#state.members.set(member, { ...connection, state: "idle", until: null });
      return;
    }
    const due = this.#pingDue(connection);
    if (due === null || due > this.#now || id === null) return;
    if (connection.pingedAt !== null) return this.#drop(connection, "ping-unanswered", PING_UNANSWERED);
    this.#out.transmit(id, { type: "ping" } satisfies ClientFrame);
    this.#state.members.set(member, { ...connection, pingedAt: this.#now });
  }

  #drop(connection: Connection, why: ConnectionLoss, error: EtcdError): void {
    if (connection.id !== null) this.#out.close(connection.id);
    this.#lost(connection, why, error);
  }

  /** Only a connection that carries calls is pinged (gRPC, without PermitWithoutStream). */
  #pingDue(connection: Connection): Micros | null {
    const due = pingDue(connection, this.config);
    if (due === null) return null;
    for (const { state, member } of this.#state.calls.values())
      if (state === "sent" && member === connection.member) return due;
    return null;
  }
}
