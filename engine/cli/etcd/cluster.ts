/**
 * An etcd cluster in a world of its own, spoken to directly: for conformance, where a request goes out when its line says
 * so. Time passes only when something is waited for.
 */
import { MS, SECOND, type Micros } from "../../base/units.ts";
import type { EtcdError } from "../../etcd/api/errors.ts";
import { watchBytes } from "../../etcd/api/flow.ts";
import type { WatchResponse } from "../../etcd/api/messages.ts";
import type { ClientFrame, ServerFrame, StreamMethod, UnaryMethod } from "../../etcd/api/methods.ts";
import { DEFAULT_CONFIG, type EtcdOptions } from "../../scenario/config.ts";
import { SYSTEMS_KIT } from "../../scenario/systems.ts";
import type { ProcessId } from "../../sim/command.ts";
import { InlineHost } from "../../sim/host.ts";
import type { Env, Input, Process } from "../../sim/process.ts";
import { World } from "../../sim/world.ts";

const PROBE = "c1" as ProcessId;
const METADATA = { token: null, hasLeader: false };
/** Longer than any answer takes, a lost leader's included. */
const PATIENCE: Micros = 60 * SECOND;

export type Answer = { readonly body: object } | { readonly error: EtcdError };

export interface OpenStream {
  readonly call: number;
  /** What has come and was not taken. */
  readonly got: object[];
  ended: boolean;
  error: EtcdError | null;
}

/** A process that only keeps what comes in. */
class Probe implements Process {
  readonly #heard: (input: Input) => void;

  constructor(heard: (input: Input) => void) {
    this.#heard = heard;
  }
  step(input: Input): void {
    this.#heard(input);
  }
  flush(): void {}
  checkpoint(): unknown {
    return null;
  }
  restore(): void {}
}

export class EtcdCluster {
  readonly world: World;
  readonly #host: InlineHost;
  readonly #members: readonly ProcessId[];
  #calls = 0;
  #connections = 0;
  #connection = "";
  #connected = false;
  readonly #answers = new Map<number, Answer>();
  readonly #streams = new Map<number, OpenStream>();

  constructor(members: number, etcd: EtcdOptions, seed = 1) {
    const config = {
      ...DEFAULT_CONFIG,
      system: "etcd",
      members,
      timing: "etcd",
      clients: 0,
      preVote: true,
      etcd,
    } as const;
    const world = SYSTEMS_KIT.world({ seed, config });
    const heard = (input: Input): void => this.#heard(input);
    this.#host = new InlineHost((spec, env: Env) =>
      spec.id === PROBE ? new Probe(heard) : SYSTEMS_KIT.build(spec, env),
    );
    this.#members = world.processes.filter(({ kind, present }) => kind === "member" && present).map(({ id }) => id);
    this.world = new World(
      { ...world, processes: [...world.processes, { id: PROBE, kind: "client", present: true, config: null }] },
      null,
    );
    this.#connect();
  }

  /** Until the member that is asked knows a leader and answers. */
  #connect(): void {
    this.until(() => {
      if (this.#connected) return true;
      if (this.#connection === "") this.#dial();
      return false;
    });
    this.call("KV/Range", { ...EMPTY_RANGE });
  }

  #dial(): void {
    this.#connections += 1;
    this.#connection = `${PROBE}/${this.#connections}`;
    this.world.outOf(PROBE).open(this.#connection, this.#members[0] as ProcessId);
  }

  #heard(input: Input): void {
    if (input.type === "connected") this.#connected = true;
    if (input.type === "closed") {
      this.#connection = "";
      this.#connected = false;
      for (const stream of this.#streams.values()) stream.ended = true;
    }
    if (input.type !== "received") return;
    const frame = input.data as ServerFrame;
    if (frame.type === "pong") return;
    const stream = this.#streams.get(frame.call);
    if (frame.type === "answer") this.#answers.set(frame.call, { body: frame.body });
    else if (frame.type === "message") {
      stream?.got.push(frame.body);
      if ("events" in frame.body)
        this.#send({ type: "window", call: frame.call, bytes: watchBytes(frame.body as WatchResponse) });
    } else if (frame.type === "end") {
      if (stream !== undefined) stream.ended = true;
    } else if (stream === undefined) this.#answers.set(frame.call, { error: frame.error });
    else {
      stream.ended = true;
      stream.error = frame.error;
    }
  }

  #send(frame: ClientFrame): void {
    this.world.outOf(PROBE).transmit(this.#connection, frame);
  }

  /** Runs until `condition` holds. False when it does not in time. */
  until(condition: () => boolean, limit: Micros = PATIENCE): boolean {
    const end = this.world.now + limit;
    while (!condition()) {
      if (this.world.nextAt > end) return false;
      this.world.runRoundHere(this.#host);
    }
    return true;
  }

  pass(span: Micros): void {
    this.world.runHere(this.#host, this.world.now + span);
  }

  // ── calls ──

  start(method: UnaryMethod, body: object): number {
    this.#calls += 1;
    const call = this.#calls;
    this.#send({ type: "call", call, method, metadata: METADATA, body });
    return call;
  }

  answerOf(call: number): Answer | null {
    return this.#answers.get(call) ?? null;
  }

  await(call: number, limit: Micros = PATIENCE): Answer {
    this.until(() => this.#answers.has(call), limit);
    return this.#answers.get(call) ?? { error: { code: 4, message: "no answer came" } };
  }

  call(method: UnaryMethod, body: object): Answer {
    return this.await(this.start(method, body));
  }

  cancel(call: number): void {
    this.#send({ type: "cancel", call });
  }

  // ── streams ──

  open(method: StreamMethod): OpenStream {
    this.#calls += 1;
    const stream: OpenStream = { call: this.#calls, got: [], ended: false, error: null };
    this.#streams.set(stream.call, stream);
    this.#send({ type: "open", call: stream.call, method, metadata: METADATA });
    return stream;
  }

  send({ call }: OpenStream, body: object): void {
    this.#send({ type: "send", call, body });
  }

  halfClose({ call }: OpenStream): void {
    this.#send({ type: "half-close", call });
  }

  close({ call }: OpenStream): void {
    this.#send({ type: "cancel", call });
    this.#streams.delete(call);
  }

  // ── faults ──

  /** Every member stops and comes back on its disk. A graceful stop has nothing unsynced left; a kill does not wait. */
  restart(mode: "graceful" | "kill"): void {
    if (mode === "graceful") this.pass(100 * MS);
    for (const process of this.#members) this.#command({ type: "crash", process });
    this.#streams.clear();
    this.until(() => this.#connection === "");
    for (const process of this.#members) this.#command({ type: "restart", process });
    this.#connect();
  }

  #command(command: Parameters<World["command"]>[0]): void {
    const refusal = this.world.command(command, this.#host);
    if (refusal !== null) throw new Error(`${command.type}: ${refusal.rule}`);
  }
}

const EMPTY_RANGE = {
  key: "\0",
  rangeEnd: "",
  limit: 0,
  revision: 0,
  sortOrder: "NONE",
  sortTarget: "KEY",
  serializable: false,
  keysOnly: false,
  countOnly: false,
  minModRevision: 0,
  maxModRevision: 0,
  minCreateRevision: 0,
  maxCreateRevision: 0,
};
