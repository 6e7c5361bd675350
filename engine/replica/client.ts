/**
 * A client that writes and reads the register: a program of labelled steps over plain state, so that it can be stepped,
 * kept and shown.
 *
 *     idle      a request is in the queue: connect
 *     connect   to the member that was asked for, or to the one that served last: send, or back-off when refused
 *     send      the request goes out: await
 *     await     the answer ends the request; silence or a reset leaves its outcome unknown, for it may still happen
 *     back-off  after a refused connection, a moment, then connect to the next member
 *
 * A write that was sent is never sent again by itself: it could then happen twice (etcd's clientv3 retries writes only
 * when they have surely not been sent).
 */
import { assert, unreachable } from "../base/assert.ts";
import { type Rng, rngFromState, type RngState } from "../base/rng.ts";
import { MS, type Micros } from "../base/units.ts";
import type { Reason } from "../raft/events.ts";
import type { ProcessId } from "../sim/command.ts";
import type { Ask, ConnectionId, Env, Input, Out, Process, Stamp } from "../sim/process.ts";
import type { Response } from "./protocol.ts";
import type { RegisterAnswer, RegisterRequest } from "./register.ts";

export interface ClientConfig {
  readonly members: readonly ProcessId[];
  /** How long it waits for a connection, and then for an answer. */
  readonly timeout: Micros;
}

export type ClientStep = "idle" | "connect" | "send" | "await" | "back-off";

/** Why the client itself gave up. */
export type ClientReason =
  | { readonly rule: "connection-refused"; readonly member: ProcessId }
  | { readonly rule: "connection-reset"; readonly member: ProcessId }
  | { readonly rule: "connect-timeout"; readonly member: ProcessId; readonly timeout: Micros }
  | { readonly rule: "request-timeout"; readonly member: ProcessId; readonly timeout: Micros }
  | { readonly rule: "too-many-requests"; readonly limit: number };

/** `write-…` and `read-…`: what became of a request. An unknown outcome may still happen. */
export type ClientEvent =
  | {
      readonly type: "client-step";
      readonly step: ClientStep;
      readonly member: ProcessId | null;
      readonly request: number | null;
    }
  | {
      readonly type: "write-asked";
      readonly request: number;
      readonly value: string;
      readonly member: ProcessId | null;
    }
  | {
      readonly type: "read-asked";
      readonly request: number;
      readonly serializable: boolean;
      readonly member: ProcessId | null;
    }
  | { readonly type: "request-sent"; readonly request: number; readonly member: ProcessId }
  | { readonly type: "write-done"; readonly request: number; readonly value: string }
  | { readonly type: "read-done"; readonly request: number; readonly value: string | null; readonly member: ProcessId }
  | {
      readonly type: "write-refused" | "write-unknown";
      readonly request: number;
      readonly value: string;
      readonly why: Reason | ClientReason;
    }
  | { readonly type: "read-refused" | "read-unknown"; readonly request: number; readonly why: Reason | ClientReason };

interface Task {
  readonly request: number;
  readonly body: RegisterRequest;
  /** Where it was asked to go; null: wherever the client likes. */
  readonly member: ProcessId | null;
  /** Members that refused the connection so far. */
  readonly tried: number;
}

interface State {
  step: ClientStep;
  /** The first is the one at hand unless idle. */
  queue: Task[];
  requests: number;
  connections: number;
  connection: { readonly id: ConnectionId; readonly member: ProcessId; readonly open: boolean } | null;
  /** Its place in the list of members. */
  next: number;
  deadline: Micros | null;
}

const QUEUE_MAX = 100;
const BACK_OFF_MIN: Micros = 20 * MS;
const BACK_OFF_MAX: Micros = 60 * MS;

export class RegisterClient implements Process {
  readonly #config: ClientConfig;
  readonly #env: Env;
  readonly #out: Out;
  readonly #emit: ((event: ClientEvent) => void) | null;
  #rng: Rng;
  #incarnation = 0;
  /** Awake time of the input at hand. */
  #now: Micros = 0;
  #state: State = { step: "idle", queue: [], requests: 0, connections: 0, connection: null, next: 0, deadline: null };

  constructor(config: ClientConfig, env: Env) {
    this.#config = config;
    this.#env = env;
    this.#out = env.out;
    this.#emit = env.out.emit;
    this.#rng = env.rng;
  }

  step(input: Input, stamp: Stamp): void {
    this.#now = stamp.awake;
    switch (input.type) {
      case "boot":
        this.#incarnation = input.incarnation;
        this.#state.next = this.#rng.below(this.#config.members.length);
        return this.#goTo("idle");
      case "asked":
        return this.#asked(input.ask);
      case "connected":
        if (!this.#isCurrent(input.connection) || this.#state.step !== "connect") return;
        this.#state.connection = { ...this.#connection(), open: true };
        return this.#send();
      case "received":
        if (this.#isCurrent(input.connection) && this.#state.step === "await") this.#answered(input.data as Response);
        return;
      case "closed":
        if (this.#isCurrent(input.connection)) this.#lost();
        return;
      case "wake":
        return this.#woke();
      case "message":
      case "synced":
      case "accepted":
        return;
    }
  }

  flush(): void {}

  checkpoint(): unknown {
    const { queue } = this.#state;
    return { state: { ...this.#state, queue: [...queue] }, rng: this.#rng.state(), incarnation: this.#incarnation };
  }

  restore(checkpoint: unknown): void {
    const saved = checkpoint as { readonly state: State; readonly rng: RngState; readonly incarnation: number };
    this.#state = { ...saved.state, queue: [...saved.state.queue] };
    this.#rng = rngFromState(saved.rng);
    this.#incarnation = saved.incarnation;
  }

  #asked(ask: Ask): void {
    if (ask.type !== "write" && ask.type !== "read") return;
    const state = this.#state;
    state.requests += 1;
    const request = state.requests;
    const { member } = ask;
    const body: RegisterRequest =
      ask.type === "write" ? { type: "write", value: ask.value } : { type: "read", serializable: ask.serializable };
    const task: Task = { request, body, member, tried: 0 };
    if (body.type === "write") this.#emit?.({ type: "write-asked", request, value: body.value, member });
    else this.#emit?.({ type: "read-asked", request, serializable: body.serializable, member });
    if (state.queue.length >= QUEUE_MAX)
      return this.#tell(task, "refused", { rule: "too-many-requests", limit: QUEUE_MAX });
    state.queue.push(task);
    if (state.step === "idle") this.#connect();
  }

  #connect(): void {
    const { members, timeout } = this.#config;
    const state = this.#state;
    const task = this.#task();
    const member = task.member ?? (members[state.next % members.length] as ProcessId);
    if (state.connection?.open && state.connection.member === member) return this.#send();
    if (state.connection !== null) this.#out.close(state.connection.id);
    state.connections += 1;
    const id = `${this.#env.id}/${this.#incarnation}/${state.connections}`;
    state.connection = { id, member, open: false };
    this.#out.open(id, member);
    this.#goTo("connect");
    this.#wakeIn(timeout);
  }

  #send(): void {
    const { request, body } = this.#task();
    const { id, member } = this.#connection();
    this.#goTo("send");
    this.#out.transmit(id, { type: "request", request, body });
    this.#emit?.({ type: "request-sent", request, member });
    this.#goTo("await");
    this.#wakeIn(this.#config.timeout);
  }

  #answered(response: Response): void {
    const task = this.#task();
    const { request, body } = task;
    if (response.request !== request) return;
    if (response.type === "refused") this.#tell(task, "refused", response.why);
    else if (body.type === "write") this.#emit?.({ type: "write-done", request, value: body.value });
    else {
      const { value } = response.answer as RegisterAnswer;
      this.#emit?.({ type: "read-done", request, value, member: this.#connection().member });
    }
    this.#finish();
  }

  /** The connection is gone. */
  #lost(): void {
    const state = this.#state;
    const { member } = this.#connection();
    state.connection = null;
    if (state.step === "await") this.#unknown({ rule: "connection-reset", member });
    else if (state.step === "connect") this.#elsewhere({ rule: "connection-refused", member });
  }

  #woke(): void {
    const state = this.#state;
    if (state.deadline === null || this.#now < state.deadline) return;
    const { timeout } = this.#config;
    switch (state.step) {
      case "connect":
      case "await": {
        const { id, member } = this.#connection();
        this.#out.close(id);
        state.connection = null;
        if (state.step === "await") return this.#unknown({ rule: "request-timeout", member, timeout });
        return this.#elsewhere({ rule: "connect-timeout", member, timeout });
      }
      case "back-off":
        return this.#connect();
      case "idle":
      case "send":
        return;
      default:
        unreachable(state.step);
    }
  }

  /** It may have happened: it is not asked for again. */
  #unknown(why: ClientReason): void {
    this.#tell(this.#task(), "unknown", why);
    this.#state.next += 1;
    this.#finish();
  }

  /** Nothing was sent: another member may be tried, unless this one was asked for, or all have been tried. */
  #elsewhere(why: ClientReason): void {
    const state = this.#state;
    const task = this.#task();
    state.next += 1;
    if (task.member !== null || task.tried + 1 >= this.#config.members.length) {
      this.#tell(task, "refused", why);
      return this.#finish();
    }
    state.queue[0] = { ...task, tried: task.tried + 1 };
    this.#goTo("back-off");
    this.#wakeIn(this.#rng.between(BACK_OFF_MIN, BACK_OFF_MAX));
  }

  #finish(): void {
    const state = this.#state;
    state.queue.shift();
    state.deadline = null;
    this.#out.wake(null);
    this.#goTo("idle");
    if (state.queue.length > 0) this.#connect();
  }

  #goTo(step: ClientStep): void {
    this.#state.step = step;
    const request = step === "idle" ? null : this.#task().request;
    this.#emit?.({ type: "client-step", step, member: this.#state.connection?.member ?? null, request });
  }

  #wakeIn(span: Micros): void {
    this.#state.deadline = this.#now + span;
    this.#out.wake(this.#state.deadline);
  }

  #tell({ request, body }: Task, outcome: "refused" | "unknown", why: Reason | ClientReason): void {
    if (body.type === "write") this.#emit?.({ type: `write-${outcome}`, request, value: body.value, why });
    else this.#emit?.({ type: `read-${outcome}`, request, why });
  }

  #task(): Task {
    const task = this.#state.queue[0];
    assert(task !== undefined, "the client is not idle");
    return task;
  }

  #connection(): { readonly id: ConnectionId; readonly member: ProcessId; readonly open: boolean } {
    const { connection } = this.#state;
    assert(connection !== null, "the client has a connection");
    return connection;
  }

  #isCurrent(connection: ConnectionId): boolean {
    return this.#state.connection?.id === connection;
  }
}
