/** For tests: a client in a process that a test drives by hand, and what a member would answer. */
import { rngFor } from "../../base/rng.ts";
import type { Micros } from "../../base/units.ts";
import type { ProcessId } from "../../sim/command.ts";
import { type ConnectionId, EffectList, type Input, type Stamp } from "../../sim/process.ts";
import type { EtcdError } from "../api/errors.ts";
import type { ClientFrame, ServerFrame } from "../api/methods.ts";
import { type ClientOutcome, EtcdClient } from "./client.ts";
import { type EtcdClientConfig, etcdClientConfig } from "./config.ts";
import type { EtcdClientEvent } from "./events.ts";

export const id = (name: string): ProcessId => name as ProcessId;

type Framed<T extends ClientFrame["type"]> = Extract<ClientFrame, { readonly type: T }>;

export class Bench {
  readonly out = new EffectList();
  readonly client: EtcdClient;
  readonly config: EtcdClientConfig;
  /** Monotonic. */
  now: Micros = 0;
  /** For how long it has been paused. */
  paused: Micros = 0;
  /** Frames that the client sent, with the member they went to. */
  readonly sent: { readonly to: ProcessId; readonly frame: ClientFrame }[] = [];
  readonly events: EtcdClientEvent[] = [];
  readonly outcomes: ClientOutcome[] = [];
  /** Whether members take connections. */
  readonly up = new Map<ProcessId, boolean>();
  readonly #members = new Map<ConnectionId, ProcessId>();

  constructor(endpoints: readonly string[], given: Partial<EtcdClientConfig> = {}) {
    this.config = etcdClientConfig(endpoints.map(id), given);
    this.client = new EtcdClient(this.config, { id: id("c1"), rng: rngFor(1, "c1"), out: this.out });
    this.input({ type: "boot", incarnation: 1, files: [], settings: {} as never });
  }

  input(input: Input): void {
    const stamp: Stamp = { mono: this.now, wall: this.now, awake: this.now - this.paused };
    this.outcomes.push(...this.client.on(input, stamp));
    this.settle();
  }

  /** Takes effects: connections open, or are refused, at once. */
  settle(): void {
    for (const effect of this.out.take()) {
      if (effect[0] === "emit") this.events.push(effect[1] as EtcdClientEvent);
      else if (effect[0] === "open") {
        this.#members.set(effect[1], effect[2]);
        const state = this.up.get(effect[2]) ?? true;
        if (state) this.input({ type: "connected", connection: effect[1] });
        else this.input({ type: "closed", connection: effect[1], reset: true });
      } else if (effect[0] === "transmit")
        this.sent.push({ to: this.#members.get(effect[1]) as ProcessId, frame: effect[2] as ClientFrame });
      else if (effect[0] === "close") this.#members.delete(effect[1]);
    }
    this.outcomes.push(...this.client.take());
  }

  /** Lets time pass, with every wake on the way. */
  pass(span: Micros): void {
    const end = this.now + span;
    for (;;) {
      const at = this.client.wakeAt();
      if (at === null || at + this.paused > end) break;
      this.now = Math.max(this.now, at + this.paused);
      this.input({ type: "wake" });
    }
    this.now = end;
  }

  frames<T extends ClientFrame["type"]>(type: T): Framed<T>[] {
    return this.sent.flatMap(({ frame }) => (frame.type === type ? [frame as Framed<T>] : []));
  }

  last<T extends ClientFrame["type"]>(type: T): Framed<T> {
    return this.frames(type).at(-1) as Framed<T>;
  }

  connectionOf(member: string): ConnectionId {
    return [...this.#members].findLast(([, to]) => to === member)?.[0] as ConnectionId;
  }

  frame(member: string, data: ServerFrame): void {
    this.input({ type: "received", connection: this.connectionOf(member), data });
  }

  answer(call: number, body: object): void {
    this.frame(this.#whoHas(call), { type: "answer", call, body });
  }

  error(call: number, error: EtcdError): void {
    this.frame(this.#whoHas(call), { type: "error", call, error });
  }

  message(call: number, body: object): void {
    this.frame(this.#whoHas(call), { type: "message", call, body });
  }

  lose(member: string): void {
    const connection = this.connectionOf(member);
    this.#members.delete(connection);
    this.input({ type: "closed", connection, reset: true });
  }

  took<T extends ClientOutcome["type"]>(type: T): Extract<ClientOutcome, { readonly type: T }>[] {
    return this.outcomes.filter((outcome) => outcome.type === type) as Extract<ClientOutcome, { readonly type: T }>[];
  }

  #whoHas(call: number): ProcessId {
    const found = this.sent.findLast(({ frame }) => "call" in frame && frame.call === call);
    return (found as { readonly to: ProcessId }).to;
  }
}
