/**
 * A client that keeps an etcd cluster busy: one call at a time, drawn from a mix, and watches beside it. All that it
 * does and gets to know goes into the trace as a history, for checks to judge (as the traffic of etcd's robustness
 * tests does).
 *
 *     think   a moment between two calls
 *     call    one is under way
 */
import { assert, unreachable } from "../../base/assert.ts";
import { type Rng, rngFromState, type RngState } from "../../base/rng.ts";
import { type Micros, SECOND } from "../../base/units.ts";
import type { Env, Input, Process, Stamp } from "../../sim/process.ts";
import type { Bytes } from "../api/bytes.ts";
import type { EtcdError } from "../api/errors.ts";
import { type LeaseId, NO_LEASE } from "../api/ids.ts";
import {
  Compare,
  CompactionRequest,
  DeleteRangeRequest,
  type Event,
  LeaseGrantRequest,
  LeaseRevokeRequest,
  PutRequest,
  RangeRequest,
  RequestOp,
  type ResponseHeader,
  WatchCreateRequest,
} from "../api/messages.ts";
import type { RequestOf, ResponseOf, UnaryMethod } from "../api/methods.ts";
import { create } from "../api/proto.ts";
import type { Ticket } from "./channel.ts";
import { type ClientOutcome, earliest, EtcdClient } from "./client.ts";
import type { EtcdClientConfig } from "./config.ts";

export interface WorkloadConfig {
  readonly client: EtcdClientConfig;
  /** How many keys all clients share: few, so that they meet. */
  readonly keys: number;
  /** The longest pause between two calls. */
  readonly thinkMax: Micros;
  /** Watches at a time. */
  readonly watches: number;
}

/** The history. `operation` counts a client's calls over all its incarnations by `incarnation`. */
export type WorkloadEvent =
  | {
      readonly type: "operation-called";
      readonly operation: number;
      readonly method: WorkloadMethod;
      readonly body: object;
    }
  | { readonly type: "operation-answered"; readonly operation: number; readonly body: object }
  /** `unknown`: it may have happened, or may yet; else it was refused and has not. */
  | {
      readonly type: "operation-failed";
      readonly operation: number;
      readonly error: EtcdError;
      readonly unknown: boolean;
    }
  | { readonly type: "watch-asked"; readonly watch: number; readonly request: WatchCreateRequest }
  | { readonly type: "watch-taken"; readonly watch: number; readonly revision: number }
  | {
      readonly type: "watch-response";
      readonly watch: number;
      readonly header: ResponseHeader | null;
      readonly events: readonly Event[];
    };

export type WorkloadMethod =
  | "KV/Range"
  | "KV/Put"
  | "KV/DeleteRange"
  | "KV/Txn"
  | "KV/Compact"
  | "Lease/LeaseGrant"
  | "Lease/LeaseRevoke";

/** What it may do next, and how often. */
const MIX = {
  put: 28,
  "put-with-lease": 6,
  get: 18,
  list: 8,
  "get-local": 8,
  delete: 8,
  "delete-all": 1,
  "compare-and-put": 12,
  "put-two": 4,
  grant: 4,
  revoke: 3,
  compact: 1,
  watch: 4,
  unwatch: 2,
} as const satisfies Readonly<Record<string, number>>;
type Act = keyof typeof MIX;

const TOTAL = Object.values(MIX).reduce((sum, weight) => sum + weight, 0);
/** Long: leases of this workload end by revocation only, at an instant that the history knows. */
const LEASE_TTL = 3_600;
const PREFIX = "w/";
const PREFIX_END = "w0";

interface State {
  incarnation: number;
  operations: number;
  /** Null while it thinks. */
  ticket: Ticket | null;
  thinkUntil: Micros | null;
  /** The newest revision that it was told. */
  revision: number;
  /** Where it last saw each key. */
  modRevisions: Map<Bytes, number>;
  leases: LeaseId[];
  watches: number[];
}

export class Workload implements Process {
  readonly #config: WorkloadConfig;
  readonly #env: Env;
  readonly #emit: ((event: WorkloadEvent) => void) | null;
  readonly #client: EtcdClient;
  #rng: Rng;
  #state: State = {
    incarnation: 0,
    operations: 0,
    ticket: null,
    thinkUntil: null,
    revision: 0,
    modRevisions: new Map(),
    leases: [],
    watches: [],
  };

  constructor(config: WorkloadConfig, env: Env) {
    this.#config = config;
    this.#env = env;
    this.#emit = env.out.emit;
    this.#rng = env.rng;
    this.#client = new EtcdClient(config.client, env);
  }

  step(input: Input, stamp: Stamp): void {
    const outcomes = this.#client.on(input, stamp);
    if (input.type === "boot") {
      this.#state.incarnation = input.incarnation;
      this.#think();
    }
    for (const outcome of outcomes) this.#heard(outcome);
    const { thinkUntil } = this.#state;
    if (thinkUntil !== null && thinkUntil <= stamp.mono) this.#act();
  }

  flush(): void {
    for (const outcome of this.#client.take()) this.#heard(outcome);
    this.#env.out.wake(earliest([this.#client.wakeAt(), this.#client.awake(this.#state.thinkUntil)]));
  }

  checkpoint(): unknown {
    const { modRevisions, leases, watches } = this.#state;
    const state: State = {
      ...this.#state,
      modRevisions: new Map(modRevisions),
      leases: [...leases],
      watches: [...watches],
    };
    return { state, rng: this.#rng.state(), client: this.#client.checkpoint() };
  }

  restore(checkpoint: unknown): void {
    const saved = checkpoint as { readonly state: State; readonly rng: RngState; readonly client: unknown };
    const { modRevisions, leases, watches } = saved.state;
    this.#state = {
      ...saved.state,
      modRevisions: new Map(modRevisions),
      leases: [...leases],
      watches: [...watches],
    };
    this.#rng = rngFromState(saved.rng);
    this.#client.restore(saved.client);
  }

  #think(): void {
    this.#state.ticket = null;
    this.#state.thinkUntil = this.#client.now + 1 + this.#rng.below(this.#config.thinkMax);
  }

  #act(): void {
    this.#state.thinkUntil = null;
    switch (this.#draw()) {
      case "put":
        return this.#call("KV/Put", this.#put(NO_LEASE));
      case "put-with-lease":
        return this.#call("KV/Put", this.#put(this.#someLease()));
      case "get":
        return this.#call("KV/Range", create(RangeRequest, { key: this.#key() }));
      case "list":
        return this.#call("KV/Range", create(RangeRequest, { key: PREFIX, rangeEnd: PREFIX_END }));
      case "get-local":
        return this.#call("KV/Range", create(RangeRequest, { key: PREFIX, rangeEnd: PREFIX_END, serializable: true }));
      case "delete":
        return this.#call("KV/DeleteRange", create(DeleteRangeRequest, { key: this.#key(), prevKv: this.#coin() }));
      case "delete-all":
        return this.#call("KV/DeleteRange", create(DeleteRangeRequest, { key: PREFIX, rangeEnd: PREFIX_END }));
      case "compare-and-put":
        return this.#call("KV/Txn", this.#compareAndPut());
      case "put-two": {
        const keys = [0, 1].map((i) => this.#keyNumber(i));
        const success = keys.map((key) => create(RequestOp, { requestPut: this.#put(NO_LEASE, key) }));
        return this.#call("KV/Txn", { compare: [], success, failure: [] });
      }
      case "grant":
        return this.#call("Lease/LeaseGrant", create(LeaseGrantRequest, { ttl: LEASE_TTL }));
      case "revoke": {
        const id = this.#state.leases.shift();
        if (id === undefined) return this.#think();
        return this.#call("Lease/LeaseRevoke", create(LeaseRevokeRequest, { id }));
      }
      case "compact": {
        const revision = this.#state.revision - this.#rng.below(20);
        if (revision < 1) return this.#think();
        return this.#call("KV/Compact", create(CompactionRequest, { revision }));
      }
      case "watch":
        this.#watch();
        return this.#think();
      case "unwatch": {
        const watch = this.#state.watches.shift();
        if (watch !== undefined) this.#client.cancelWatch(watch);
        return this.#think();
      }
    }
  }

  #draw(): Act {
    let left = this.#rng.below(TOTAL);
    for (const [act, weight] of Object.entries(MIX)) {
      left -= weight;
      if (left < 0) return act as Act;
    }
    return "put";
  }

  #call<M extends WorkloadMethod>(method: M, body: RequestOf<M>): void {
    const state = this.#state;
    state.operations += 1;
    this.#emit?.({ type: "operation-called", operation: state.operations, method, body });
    state.ticket = this.#client.call(method, body);
  }

  #watch(): void {
    const state = this.#state;
    if (state.watches.length >= this.#config.watches) return;
    const one = this.#coin();
    const request = create(WatchCreateRequest, {
      key: one ? this.#key() : PREFIX,
      rangeEnd: one ? "" : PREFIX_END,
      startRevision: this.#coin() ? 0 : Math.max(1, state.revision - this.#rng.below(10)),
      prevKv: this.#coin(),
      filters: this.#rng.below(5) === 0 ? ["NODELETE"] : [],
      progressNotify: true,
    });
    const { key, watchId: _, ...options } = request;
    const watch = this.#client.watch(key, { ...options, createdNotify: true });
    state.watches.push(watch);
    this.#emit?.({ type: "watch-asked", watch, request });
  }

  #heard(outcome: ClientOutcome): void {
    switch (outcome.type) {
      case "answer":
        if (outcome.ticket === this.#state.ticket) this.#answered(outcome.method, outcome.body);
        return;
      case "failed":
        if (outcome.ticket === this.#state.ticket) this.#failed(outcome.error, outcome.unknown);
        return;
      case "watch-created": {
        const revision = outcome.header?.revision ?? 0;
        this.#emit?.({ type: "watch-taken", watch: outcome.watch, revision });
        return;
      }
      case "watch-events": {
        const { watch, header, events } = outcome;
        this.#emit?.({ type: "watch-response", watch, header, events });
        return;
      }
      case "watch-closed":
        this.#state.watches = this.#state.watches.filter((watch) => watch !== outcome.watch);
        return;
      case "message":
      case "ended":
      case "connection":
      case "kept-alive":
      case "keep-alive-ended":
        return;
      default:
        unreachable(outcome);
    }
  }

  #answered(method: UnaryMethod, body: object): void {
    const state = this.#state;
    const { header } = body as { readonly header: ResponseHeader | null };
    state.revision = Math.max(state.revision, header?.revision ?? 0);
    this.#emit?.({ type: "operation-answered", operation: state.operations, body });
    if (method === "KV/Range")
      for (const { key, modRevision } of (body as ResponseOf<"KV/Range">).kvs) state.modRevisions.set(key, modRevision);
    if (method === "Lease/LeaseGrant") state.leases.push((body as ResponseOf<"Lease/LeaseGrant">).id);
    this.#think();
  }

  #failed(error: EtcdError, unknown: boolean): void {
    this.#emit?.({ type: "operation-failed", operation: this.#state.operations, error, unknown });
    this.#think();
  }

  #put(lease: LeaseId, key: Bytes = this.#key()): PutRequest {
    const { operations, incarnation } = this.#state;
    const value = `${this.#env.id}.${incarnation}.${operations + 1}`;
    return create(PutRequest, { key, value, lease, prevKv: this.#coin() });
  }

  #compareAndPut(): RequestOf<"KV/Txn"> {
    const key = this.#key();
    const modRevision = this.#state.modRevisions.get(key) ?? 0;
    return {
      compare: [create(Compare, { target: "MOD", result: "EQUAL", key, modRevision })],
      success: [create(RequestOp, { requestPut: this.#put(NO_LEASE, key) })],
      failure: [create(RequestOp, { requestRange: create(RangeRequest, { key }) })],
    };
  }

  #someLease(): LeaseId {
    const { leases } = this.#state;
    return leases.length === 0 ? NO_LEASE : (leases[this.#rng.below(leases.length)] as LeaseId);
  }

  #key(): Bytes {
    return this.#keyNumber(this.#rng.below(this.#config.keys));
  }

  #keyNumber(number: number): Bytes {
    assert(number >= 0, "keys are counted from 0");
    return `${PREFIX}${number % this.#config.keys}`;
  }

  #coin(): boolean {
    return this.#rng.below(2) === 0;
  }
}

/** A client's settings for a cluster in which a call that takes longer than `timeout` is better given up. */
export function workloadClient(config: EtcdClientConfig, timeout: Micros): EtcdClientConfig {
  return {
    ...config,
    dialTimeout: Math.min(config.dialTimeout, timeout),
    requestTimeout: timeout,
    backOffMin: Math.max(1, Math.floor(timeout / 20)),
    backOffMax: Math.min(1 * SECOND, timeout),
    keepAlive: { time: timeout, timeout },
  };
}
