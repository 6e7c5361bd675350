/**
 * For tests and mutants: an etcd cluster in a world, and a probe that speaks to its members frame by frame, as a client's
 * connection does.
 */
import { assert } from "../base/assert.ts";
import { SECOND } from "../base/units.ts";
import { watchBytes } from "../etcd/api/flow.ts";
import type { LeaseId } from "../etcd/api/ids.ts";
import * as m from "../etcd/api/messages.ts";
import {
  type ClientFrame,
  type Metadata,
  type ServerFrame,
  type StreamMethod,
  UNARY,
  type UnaryMethod,
} from "../etcd/api/methods.ts";
import { create, type Descriptor } from "../etcd/api/proto.ts";
import type { Command, ProcessId } from "../sim/command.ts";
import type { TraceEvent } from "../sim/events.ts";
import { InlineHost } from "../sim/host.ts";
import type { Input, Process } from "../sim/process.ts";
import { World } from "../sim/world.ts";
import { DEFAULT_CONFIG, type RunConfig } from "./config.ts";
import { SYSTEMS_KIT } from "./systems.ts";

export const PLAIN: Metadata = { token: null, hasLeader: false };

export const id = (name: string): ProcessId => name as ProcessId;
export const lease = (n: number): LeaseId => String(n) as LeaseId;
const PROBE = id("c1");
export const [N1, N2, N3] = [id("n1"), id("n2"), id("n3")] as const;

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

export interface Stream {
  readonly member: ProcessId;
  readonly call: number;
  readonly got: object[];
  /** It takes nothing up. */
  slow: boolean;
}

export class Cluster {
  readonly world: World;
  readonly events: TraceEvent<{ readonly type: string }>[] = [];
  readonly #host: InlineHost;
  readonly #ids: readonly ProcessId[];
  readonly #connections = new Map<ProcessId, string>();
  readonly #open = new Set<string>();
  readonly #answers = new Map<number, object>();
  readonly #streams = new Map<number, Stream>();
  #calls = 0;
  #dials = 0;

  constructor(members: number, given: Partial<RunConfig> = {}) {
    const config = {
      ...DEFAULT_CONFIG,
      system: "etcd",
      timing: "etcd",
      preVote: true,
      clients: 0,
      members,
      ...given,
    } as const;
    const world = SYSTEMS_KIT.world({ seed: 1, config });
    this.#ids = world.processes.filter(({ present }) => present).map(({ id: process }) => process);
    this.#host = new InlineHost((spec, env) =>
      spec.id === PROBE ? new Probe((input) => this.#heard(input)) : SYSTEMS_KIT.build(spec, env),
    );
    const processes = [...world.processes, { id: PROBE, kind: "client", present: true, config: null } as const];
    this.world = new World(
      { ...world, processes },
      (event) => void this.events.push({ ...event } as TraceEvent<{ readonly type: string }>),
    );
    this.until(() => this.leader !== null);
    for (const member of this.#ids) this.dial(member);
  }

  dial(member: ProcessId): void {
    this.#dials += 1;
    const connection = `${PROBE}/${this.#dials}`;
    this.#connections.set(member, connection);
    this.world.outOf(PROBE).open(connection, member);
    this.until(() => this.#open.has(connection));
  }

  #heard(input: Input): void {
    if (input.type === "connected") this.#open.add(input.connection);
    if (input.type !== "received") return;
    const frame = input.data as ServerFrame;
    if (frame.type === "answer") this.#answers.set(frame.call, frame.body);
    else if (frame.type === "error") this.#answers.set(frame.call, frame.error);
    else if (frame.type === "message") this.#message(frame.call, frame.body);
  }

  #message(call: number, body: object): void {
    const stream = this.#streams.get(call);
    if (stream === undefined) return;
    stream.got.push(body);
    if (!stream.slow && "events" in body)
      this.send(stream.member, { type: "window", call, bytes: watchBytes(body as m.WatchResponse) });
  }

  /** A stream that was slow takes up all that has come, and from now on what comes. */
  takeUp(stream: Stream): void {
    stream.slow = false;
    const bytes = (stream.got as m.WatchResponse[]).reduce((sum, response) => sum + watchBytes(response), 0);
    this.send(stream.member, { type: "window", call: stream.call, bytes });
  }

  send(member: ProcessId, frame: ClientFrame): void {
    this.world.outOf(PROBE).transmit(this.#connections.get(member) as string, frame);
  }

  start(member: ProcessId, method: UnaryMethod, given: object = {}, metadata: Metadata = PLAIN): number {
    this.#calls += 1;
    const body: object = create(UNARY[method].request as Descriptor<object>, given);
    this.send(member, { type: "call", call: this.#calls, method, metadata, body });
    return this.#calls;
  }

  answer(call: number): object | null {
    return this.#answers.get(call) ?? null;
  }

  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- what is answered, the test knows
  call<T = object>(member: ProcessId, method: UnaryMethod, given: object = {}, metadata: Metadata = PLAIN): T {
    const call = this.start(member, method, given, metadata);
    this.until(() => this.#answers.has(call));
    return this.#answers.get(call) as T;
  }

  open(member: ProcessId, method: StreamMethod, metadata: Metadata = PLAIN): Stream {
    this.#calls += 1;
    const stream: Stream = { member, call: this.#calls, got: [], slow: false };
    this.#streams.set(stream.call, stream);
    this.send(member, { type: "open", call: stream.call, method, metadata });
    return stream;
  }

  watch(member: ProcessId, given: Partial<m.WatchCreateRequest>): Stream {
    const stream = this.open(member, "Watch/Watch");
    const createRequest = create(m.WatchCreateRequest, given);
    this.send(member, { type: "send", call: stream.call, body: create(m.WatchRequest, { createRequest }) });
    return stream;
  }

  keepAlive(stream: Stream, of: LeaseId): void {
    this.send(stream.member, { type: "send", call: stream.call, body: create(m.LeaseKeepAliveRequest, { id: of }) });
  }

  order(command: Command): void {
    const refused = this.world.command(command, this.#host);
    assert(refused === null, `the command is carried out: ${JSON.stringify(refused)}`);
  }

  until(condition: () => boolean, limit = 60 * SECOND): void {
    const end = this.world.now + limit;
    while (!condition()) {
      if (this.world.nextAt > end) throw new Error("it does not come");
      this.world.runRoundHere(this.#host);
    }
  }

  pass(span: number): void {
    this.world.runHere(this.#host, this.world.now + span);
  }

  /** By the last role that anybody took. */
  get leader(): ProcessId | null {
    const found = this.events.findLast(
      ({ event }) => event.type === "role-changed" && "role" in event && event.role === "leader",
    );
    return found?.process ?? null;
  }

  get follower(): ProcessId {
    return this.#ids.find((member) => member !== this.leader) as ProcessId;
  }

  hashes(): number[] {
    return this.#ids.map((member) => this.call<{ readonly hash: number }>(member, "Maintenance/HashKV").hash);
  }
}

/** What a stream of watches was told: PUT key@revision. */
export const eventsOf = ({ got }: Stream): string[] =>
  (got as m.WatchResponse[]).flatMap(({ events }) =>
    events.map(({ type, kv }) => `${type} ${kv?.key ?? ""}@${kv?.modRevision ?? 0}`),
  );
