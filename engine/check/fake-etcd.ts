/**
 * For tests: one process that answers as an etcd member with a store of its own in memory, and makes the mistakes that
 * it is told to make. No log, no peers: what clients and checks need to be tried out on.
 */
import { type Rng, rngFromState, type RngState } from "../base/rng.ts";
import type { ConnectionId, Env, Input, Out, Process } from "../sim/process.ts";
import { etcdError } from "../etcd/api/errors.ts";
import type { LeaseId } from "../etcd/api/ids.ts";
import * as m from "../etcd/api/messages.ts";
import type { ClientFrame, ServerFrame } from "../etcd/api/methods.ts";
import { create } from "../etcd/api/proto.ts";
import {
  EMPTY_STORE,
  ETCD_MODEL,
  eventsOf,
  isIn,
  rangeIn,
  stateAt,
  type StoreInput,
  type StoreOutput,
  type StoreState,
} from "./etcd-model.ts";

/** Each in a million. */
export interface Mistakes {
  readonly staleReads: number;
  readonly lostEvents: number;
  readonly doubledWrites: number;
}

export const NO_MISTAKES: Mistakes = { staleReads: 0, lostEvents: 0, doubledWrites: 0 };

/** What a store that does one thing after the other answers, read off the states before and after. */
export function storeAnswer(before: StoreState, after: StoreState, { method, body }: StoreInput): StoreOutput {
  const header = create(m.ResponseHeader, { revision: after.revision });
  const changed = after.revision > before.revision ? after.events : [];
  const prevs = changed.flatMap(({ prevKv }) => prevKv ?? []);
  switch (method) {
    case "KV/Put":
      return create(m.PutResponse, { header, prevKv: body.prevKv ? (prevs[0] ?? null) : null });
    case "KV/Range":
      return { header, ...rangeIn(stateAt(before, body.revision) ?? before, body) };
    case "KV/DeleteRange":
      return create(m.DeleteRangeResponse, { header, deleted: changed.length, prevKvs: body.prevKv ? prevs : [] });
    case "KV/Txn": {
      const succeeded = changed.length > 0;
      const ops = succeeded ? body.success : body.failure;
      const responses = ops.map(({ requestRange, requestPut }, i) =>
        requestRange === null
          ? create(m.ResponseOp, {
              responsePut: create(m.PutResponse, {
                header,
                prevKv: requestPut?.prevKv === true ? (changed[i]?.prevKv ?? null) : null,
              }),
            })
          : create(m.ResponseOp, { responseRange: { header, ...rangeIn(before, requestRange) } }),
      );
      return { header, succeeded, responses };
    }
    case "KV/Compact":
      return create(m.CompactionResponse, { header });
    case "Lease/LeaseGrant":
      return create(m.LeaseGrantResponse, { header, id: body.id, ttl: body.ttl });
    case "Lease/LeaseRevoke":
      return create(m.LeaseRevokeResponse, { header });
    default:
      throw new Error("no such method");
  }
}

interface Watching {
  readonly connection: ConnectionId;
  readonly call: number;
  readonly watchId: number;
  readonly request: m.WatchCreateRequest;
  next: number;
}

interface Saved {
  readonly state: StoreState;
  readonly leases: number;
  readonly watches: readonly Watching[];
  readonly watchIds: number;
  readonly rng: RngState;
}

/** What outlives the process, as a disk would keep it. */
export class FakeStore {
  state: StoreState = EMPTY_STORE;
  leases = 0;
}

export class FakeEtcd implements Process {
  readonly #out: Out;
  #rng: Rng;
  readonly #mistakes: Mistakes;
  readonly #store: FakeStore;
  #watches: Watching[] = [];
  #watchIds = 0;

  constructor(mistakes: Mistakes, store: FakeStore, env: Env) {
    this.#store = store;
    this.#mistakes = mistakes;
    this.#out = env.out;
    this.#rng = env.rng;
  }

  step(input: Input): void {
    if (input.type === "received") this.#frame(input.connection, input.data as ClientFrame);
    else if (input.type === "closed")
      this.#watches = this.#watches.filter(({ connection }) => connection !== input.connection);
  }

  flush(): void {
    for (const watching of this.#watches) this.#deliver(watching);
  }

  checkpoint(): unknown {
    const { state, leases } = this.#store;
    const watches = this.#watches.map((watching) => ({ ...watching }));
    return { state, leases, watches, watchIds: this.#watchIds, rng: this.#rng.state() };
  }

  restore(checkpoint: unknown): void {
    const saved = checkpoint as Saved;
    this.#store.state = saved.state;
    this.#store.leases = saved.leases;
    this.#watches = saved.watches.map((watching) => ({ ...watching }));
    this.#watchIds = saved.watchIds;
    this.#rng = rngFromState(saved.rng);
  }

  #frame(connection: ConnectionId, frame: ClientFrame): void {
    if (frame.type === "ping") return this.#tell(connection, { type: "pong" });
    if (frame.type === "send") return this.#watchRequest(connection, frame.call, frame.body as m.WatchRequest);
    if (frame.type === "call") this.#call(connection, frame.call, frame as unknown as StoreInput);
    if (frame.type === "cancel" || frame.type === "half-close")
      this.#watches = this.#watches.filter((w) => w.connection !== connection || w.call !== frame.call);
  }

  #call(connection: ConnectionId, call: number, { method, body }: StoreInput): void {
    let input = { method, body } as StoreInput;
    if (input.method === "Lease/LeaseGrant") {
      this.#store.leases += 1;
      input = { method: input.method, body: { ...input.body, id: String(this.#store.leases) as LeaseId } };
    }
    const before = this.#store.state;
    if (input.method === "KV/Range" && before.before !== null && this.#rng.chance(this.#mistakes.staleReads)) {
      const answer = storeAnswer(before.before, before.before, input);
      return this.#tell(connection, { type: "answer", call, body: answer });
    }
    const after = ETCD_MODEL.step(before, input, null) ?? before;
    if (refused(before, after, input))
      return this.#tell(connection, { type: "error", call, error: etcdError("LeaseNotFound") });
    this.#store.state = after;
    if (input.method === "KV/Put" && this.#rng.chance(this.#mistakes.doubledWrites))
      this.#store.state = ETCD_MODEL.step(after, input, null) ?? after;
    this.#tell(connection, { type: "answer", call, body: storeAnswer(before, after, input) });
  }

  #watchRequest(connection: ConnectionId, call: number, { createRequest, cancelRequest }: m.WatchRequest): void {
    const header = create(m.ResponseHeader, { revision: this.#store.state.revision });
    if (cancelRequest !== null) {
      const { watchId } = cancelRequest;
      this.#watches = this.#watches.filter((w) => w.call !== call || w.watchId !== watchId);
    }
    if (createRequest === null) return;
    this.#watchIds += 1;
    const watchId = this.#watchIds;
    const next = createRequest.startRevision === 0 ? this.#store.state.revision + 1 : createRequest.startRevision;
    this.#watches.push({ connection, call, watchId, request: createRequest, next });
    const body = create(m.WatchResponse, { header, watchId, created: true });
    this.#tell(connection, { type: "message", call, body });
  }

  #deliver(watching: Watching): void {
    const { connection, call, watchId, request, next } = watching;
    if (next > this.#store.state.revision) return;
    watching.next = this.#store.state.revision + 1;
    const events = eventsOf(this.#store.state)
      .filter(({ kv }) => kv !== null && kv.modRevision >= next && isIn(kv.key, request.key, request.rangeEnd))
      .filter(({ type }) => !request.filters.includes(type === "PUT" ? "NOPUT" : "NODELETE"))
      .filter(() => !this.#rng.chance(this.#mistakes.lostEvents))
      .map((event) => (request.prevKv ? event : { ...event, prevKv: null }));
    if (events.length === 0) return;
    const header = create(m.ResponseHeader, { revision: this.#store.state.revision });
    this.#tell(connection, { type: "message", call, body: create(m.WatchResponse, { header, watchId, events }) });
  }

  #tell(connection: ConnectionId, frame: ServerFrame): void {
    this.#out.transmit(connection, frame);
  }
}

/** A request that changes nothing though it should have. */
function refused(before: StoreState, after: StoreState, { method }: StoreInput): boolean {
  return after === before && (method === "KV/Put" || method === "KV/Compact" || method === "Lease/LeaseRevoke");
}
