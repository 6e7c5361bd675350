/**
 * What an etcd store would answer, one request after the other: the model that histories are compared with. Written
 * from the description of the API and not from our store, so that a fault of the one is not a fault of the other.
 *
 * A state knows the one before its revision, so that reads at older revisions can be judged too, and so that an order of
 * operations can be replayed into the events that watches must have seen.
 */
import { unreachable } from "../base/assert.ts";
import { mixString, mixWord } from "../base/hash.ts";
import type { Bytes } from "../etcd/api/bytes.ts";
import { type LeaseId, NO_LEASE } from "../etcd/api/ids.ts";
import type {
  Compare,
  Event,
  KeyValue,
  RangeRequest,
  RangeResponse,
  RequestOp,
  ResponseOp,
  TxnRequest,
  TxnResponse,
} from "../etcd/api/messages.ts";
import type { RequestOf, ResponseOf } from "../etcd/api/methods.ts";
import type { Model } from "./linearizability.ts";

/** The methods that are judged. */
export type StoreMethod =
  | "KV/Range"
  | "KV/Put"
  | "KV/DeleteRange"
  | "KV/Txn"
  | "KV/Compact"
  | "Lease/LeaseGrant"
  | "Lease/LeaseRevoke";

export type StoreInput = {
  readonly [M in StoreMethod]: { readonly method: M; readonly body: RequestOf<M> };
}[StoreMethod];
/** The body of the answer. Requests that were refused for good changed nothing and are not part of a history. */
export type StoreOutput = ResponseOf<StoreMethod>;

export interface StoreState {
  readonly revision: number;
  /** -1 before the first. */
  readonly compactRevision: number;
  /** In no order. */
  readonly keys: ReadonlyMap<Bytes, KeyValue>;
  readonly leases: ReadonlySet<LeaseId>;
  /** The state at the revision before; null at the start. */
  readonly before: StoreState | null;
  /** What changed with this revision, in order, each with the value before it. */
  readonly events: readonly Event[];
  /** Of all that ever changed: two words. */
  readonly chain: readonly [number, number];
}

export const EMPTY_STORE: StoreState = {
  revision: 1,
  compactRevision: -1,
  keys: new Map(),
  leases: new Set(),
  before: null,
  events: [],
  chain: [1, 2],
};

export const ETCD_MODEL: Model<StoreState, StoreInput, StoreOutput> = {
  initial: EMPTY_STORE,
  step,
  identity: ({ chain }) => `${chain[0]}/${chain[1]}`,
  progress: { of: ({ revision }) => revision, told: (output) => output.header?.revision ?? null },
};

/**
 * The same model, for histories of which more is known than the answers: events that somebody saw. Only orders in which
 * each of them happens, at its revision, are taken.
 */
export function modelWith(known: readonly Event[]): Model<StoreState, StoreInput, StoreOutput> {
  const byRevision = new Map<number, Event[]>();
  for (const event of known) {
    const revision = event.kv?.modRevision ?? 0;
    const others = byRevision.get(revision);
    if (others === undefined) byRevision.set(revision, [event]);
    else others.push(event);
  }
  const newest = Math.max(0, ...byRevision.keys());
  return {
    ...ETCD_MODEL,
    isEnough: ({ revision }) => revision >= newest,
    step(state, input, output) {
      const after = step(state, input, output);
      if (after === null || after.revision === state.revision) return after;
      const must = byRevision.get(after.revision) ?? [];
      const happens = ({ type, kv, prevKv }: Event): boolean =>
        after.events.some(
          (event) => event.type === type && sameKv(event.kv, kv) && (prevKv === null || sameKv(event.prevKv, prevKv)),
        );
      return must.every(happens) ? after : null;
    },
  };
}

function step(state: StoreState, input: StoreInput, output: StoreOutput | null): StoreState | null {
  const done = apply(state, input, output);
  if (done === null) return output === null ? state : null;
  if (output === null) return done.state;
  return (output.header?.revision ?? done.state.revision) === done.state.revision && done.fits(output)
    ? done.state
    : null;
}

interface Done {
  readonly state: StoreState;
  /** Whether the answer is the right one, its header aside. */
  readonly fits: (output: StoreOutput) => boolean;
}

/** Null when it is refused and changes nothing. */
function apply(state: StoreState, input: StoreInput, output: StoreOutput | null): Done | null {
  switch (input.method) {
    case "KV/Range": {
      const { revision } = input.body;
      const seen = stateAt(state, revision);
      if (seen === null) return null;
      const right = rangeIn(seen, input.body);
      return { state, fits: (output) => sameRange(output as RangeResponse, right) };
    }
    case "KV/Put":
    case "KV/DeleteRange":
    case "KV/Txn": {
      const draft = new Draft(state);
      const answer = draft.run(asOp(input));
      if (answer === null) return null;
      return { state: draft.state(), fits: (output) => sameAnswer(asAnswer(input.method, output), answer) };
    }
    case "KV/Compact": {
      const { revision } = input.body;
      if (revision > state.revision || revision <= state.compactRevision) return null;
      return { state: touched({ ...state, compactRevision: revision }, "compact", revision), fits: () => true };
    }
    case "Lease/LeaseGrant": {
      // Chosen by the member and not heard of: nobody can have used it.
      const id = output === null ? input.body.id : (output as ResponseOf<"Lease/LeaseGrant">).id;
      if (id !== NO_LEASE && state.leases.has(id)) return null;
      return { state: id === NO_LEASE ? state : granted(state, id), fits: () => true };
    }
    case "Lease/LeaseRevoke": {
      const { id } = input.body;
      if (!state.leases.has(id)) return null;
      const draft = new Draft(state);
      draft.revoke(id);
      return { state: draft.state(), fits: () => true };
    }
    default:
      return unreachable(input);
  }
}

function granted(state: StoreState, id: LeaseId): StoreState {
  return touched({ ...state, leases: new Set([...state.leases, id]) }, `grant ${id}`, 0);
}

/** The state at a revision, 0 for now; null when it is compacted, or still to come. */
export function stateAt(state: StoreState, revision: number): StoreState | null {
  if (revision <= 0) return state;
  if (revision > state.revision || revision < state.compactRevision) return null;
  let at: StoreState | null = state;
  while (at !== null && at.revision > revision) at = at.before;
  return at;
}

/** All events of a state's past, oldest first. */
export function eventsOf(state: StoreState): readonly Event[] {
  const revisions: (readonly Event[])[] = [];
  for (let at: StoreState | null = state; at !== null; at = at.before) revisions.push(at.events);
  return revisions.reverse().flat();
}

/** The answer to a range request in that state, without a header. */
export function rangeIn({ keys }: StoreState, request: RangeRequest): Omit<RangeResponse, "header"> {
  const found = [...keys.values()].filter(({ key }) => isIn(key, request.key, request.rangeEnd));
  found.sort((a, b) => order(a.key, b.key));
  const count = found.length;
  if (request.countOnly) return { kvs: [], more: false, count };
  const filters: readonly (readonly [number, (kv: KeyValue) => boolean])[] = [
    [request.minModRevision, (kv) => kv.modRevision >= request.minModRevision],
    [request.maxModRevision, (kv) => kv.modRevision <= request.maxModRevision],
    [request.minCreateRevision, (kv) => kv.createRevision >= request.minCreateRevision],
    [request.maxCreateRevision, (kv) => kv.createRevision <= request.maxCreateRevision],
  ];
  const asked = filters.filter(([figure]) => figure !== 0);
  const { limit, sortOrder, sortTarget } = request;
  // Without order and filter the limit is met in key order, before anything is sorted.
  const early = limit > 0 && sortOrder === "NONE" && asked.length === 0 ? found.slice(0, limit + 1) : found;
  let kvs = early.filter((kv) => asked.every(([, holds]) => holds(kv)));
  if (sortTarget !== "KEY" || sortOrder === "DESCEND") {
    const sign = sortOrder === "DESCEND" ? -1 : 1;
    kvs.sort((a, b) => sign * bySortTarget(sortTarget, a, b));
  }
  const more = limit > 0 && kvs.length > limit;
  if (more) kvs = kvs.slice(0, limit);
  return { kvs: request.keysOnly ? kvs.map((kv) => ({ ...kv, value: "" })) : kvs, more, count };
}

export function isIn(key: Bytes, from: Bytes, rangeEnd: Bytes): boolean {
  if (rangeEnd === "") return key === from;
  return key >= from && (rangeEnd === "\0" || key < rangeEnd);
}

function bySortTarget(target: RangeRequest["sortTarget"], a: KeyValue, b: KeyValue): number {
  switch (target) {
    case "KEY":
      return order(a.key, b.key);
    case "VALUE":
      return order(a.value, b.value);
    case "VERSION":
      return a.version - b.version;
    case "CREATE":
      return a.createRevision - b.createRevision;
    case "MOD":
      return a.modRevision - b.modRevision;
    default:
      return unreachable(target);
  }
}

function order(a: Bytes, b: Bytes): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

// ── writing ──

type Answer =
  | { readonly type: "range"; readonly range: Omit<RangeResponse, "header"> }
  /** `asked`: the value before it was asked for. */
  | { readonly type: "put"; readonly before: KeyValue | null; readonly asked: boolean }
  | { readonly type: "delete"; readonly before: readonly KeyValue[]; readonly asked: boolean }
  | { readonly type: "txn"; readonly succeeded: boolean; readonly answers: readonly Answer[] };

/** One request's changes, all at the next revision. */
class Draft {
  readonly #old: StoreState;
  readonly #keys: Map<Bytes, KeyValue>;
  #leases: ReadonlySet<LeaseId>;
  readonly #events: Event[] = [];
  /** A put was to keep what the same transaction had deleted. */
  #lost = false;

  constructor(old: StoreState) {
    this.#old = old;
    this.#keys = new Map(old.keys);
    this.#leases = old.leases;
  }

  state(): StoreState {
    const { revision, chain } = this.#old;
    const leasesOnly = { ...this.#old, leases: this.#leases };
    if (this.#events.length === 0)
      return this.#leases === this.#old.leases ? this.#old : touched(leasesOnly, "lease", this.#leases.size);
    let next: StoreState = {
      ...leasesOnly,
      revision: revision + 1,
      keys: this.#keys,
      before: this.#old,
      events: this.#events,
      chain,
    };
    for (const { type, kv } of this.#events)
      next = touched(next, `${type} ${kv?.key ?? ""}\0${kv?.value ?? ""}\0${kv?.lease ?? ""}`, revision + 1);
    return next;
  }

  /** Null when it is refused: nothing of it must count then. */
  run(op: RequestOp): Answer | null {
    const path = new Map<TxnRequest, boolean>();
    if (!this.#decide(op, path)) return null;
    const answer = this.#carryOut(op, path);
    return this.#lost ? null : answer;
  }

  revoke(id: LeaseId): void {
    this.#leases = new Set([...this.#leases].filter((other) => other !== id));
    const attached = [...this.#keys.values()].filter(({ lease }) => lease === id);
    for (const { key } of attached.sort((a, b) => order(a.key, b.key))) this.#delete(key);
  }

  /** All compares are decided, and all puts checked, on the state before: whether it goes ahead. */
  #decide({ requestPut, requestTxn, requestRange }: RequestOp, path: Map<TxnRequest, boolean>): boolean {
    if (requestRange !== null) return stateAt(this.#old, requestRange.revision) !== null;
    if (requestPut !== null) {
      const { key, lease, ignoreLease, ignoreValue } = requestPut;
      if (lease !== NO_LEASE && !this.#leases.has(lease)) return false;
      return !(ignoreLease || ignoreValue) || this.#old.keys.has(key);
    }
    if (requestTxn === null) return true;
    const succeeded = requestTxn.compare.every((compare) => holds(this.#old, compare));
    path.set(requestTxn, succeeded);
    return (succeeded ? requestTxn.success : requestTxn.failure).every((op) => this.#decide(op, path));
  }

  #carryOut(op: RequestOp, path: ReadonlyMap<TxnRequest, boolean>): Answer {
    const { requestPut, requestDeleteRange, requestRange, requestTxn } = op;
    if (requestRange !== null) {
      const { revision } = requestRange;
      const past = revision > 0 && revision <= this.#old.revision ? stateAt(this.#old, revision) : null;
      return { type: "range", range: rangeIn(past ?? { ...this.#old, keys: this.#keys }, requestRange) };
    }
    if (requestPut !== null) {
      const before = this.#keys.get(requestPut.key) ?? null;
      this.#lost ||= before === null && (requestPut.ignoreValue || requestPut.ignoreLease);
      const value = requestPut.ignoreValue ? (before?.value ?? "") : requestPut.value;
      const lease = requestPut.ignoreLease ? (before?.lease ?? NO_LEASE) : requestPut.lease;
      this.#put(requestPut.key, value, lease, before);
      return { type: "put", before, asked: requestPut.prevKv };
    }
    if (requestDeleteRange !== null) {
      const { key, rangeEnd, prevKv } = requestDeleteRange;
      const before = [...this.#keys.values()].filter((kv) => isIn(kv.key, key, rangeEnd));
      before.sort((a, b) => order(a.key, b.key));
      for (const kv of before) this.#delete(kv.key);
      return { type: "delete", before, asked: prevKv };
    }
    if (requestTxn === null) return { type: "txn", succeeded: false, answers: [] };
    const succeeded = path.get(requestTxn) === true;
    const ops = succeeded ? requestTxn.success : requestTxn.failure;
    return { type: "txn", succeeded, answers: ops.map((inner) => this.#carryOut(inner, path)) };
  }

  #put(key: Bytes, value: Bytes, lease: LeaseId, before: KeyValue | null): void {
    const modRevision = this.#old.revision + 1;
    const createRevision = before?.createRevision ?? modRevision;
    const kv: KeyValue = { key, value, lease, modRevision, createRevision, version: (before?.version ?? 0) + 1 };
    this.#keys.set(key, kv);
    this.#events.push({ type: "PUT", kv, prevKv: before });
  }

  /** A watch reads what was there before from the revision before, even where the same transaction had put the key. */
  #delete(key: Bytes): void {
    this.#keys.delete(key);
    const kv: KeyValue = {
      key,
      modRevision: this.#old.revision + 1,
      createRevision: 0,
      version: 0,
      value: "",
      lease: NO_LEASE,
    };
    this.#events.push({ type: "DELETE", kv, prevKv: this.#old.keys.get(key) ?? null });
  }
}

function holds({ keys }: StoreState, compare: Compare): boolean {
  const found = [...keys.values()].filter(({ key }) => isIn(key, compare.key, compare.rangeEnd));
  if (found.length === 0) return compare.target !== "VALUE" && holdsFor(null, compare);
  return found.every((kv) => holdsFor(kv, compare));
}

/** A key that is not there counts as zeros. */
function holdsFor(kv: KeyValue | null, compare: Compare): boolean {
  switch (compare.target) {
    case "VERSION":
      return compares(kv?.version ?? 0, compare.version ?? 0, compare.result);
    case "CREATE":
      return compares(kv?.createRevision ?? 0, compare.createRevision ?? 0, compare.result);
    case "MOD":
      return compares(kv?.modRevision ?? 0, compare.modRevision ?? 0, compare.result);
    case "VALUE":
      return compares(kv?.value ?? "", compare.value ?? "", compare.result);
    case "LEASE":
      return compares(BigInt(kv?.lease ?? 0), BigInt(compare.lease ?? 0), compare.result);
    case "UNRECOGNIZED":
      return compares(0, 0, compare.result);
    default:
      return unreachable(compare.target);
  }
}

function compares<T extends number | string | bigint>(a: T, b: T, result: Compare["result"]): boolean {
  switch (result) {
    case "EQUAL":
      return a === b;
    case "NOT_EQUAL":
      return a !== b;
    case "GREATER":
      return a > b;
    case "LESS":
      return a < b;
    case "UNRECOGNIZED":
      return true;
    default:
      return unreachable(result);
  }
}

function touched(state: StoreState, what: string, figure: number): StoreState {
  const [a, b] = state.chain;
  return { ...state, chain: [mixWord(mixString(a, what), figure), mixWord(mixString(b ^ 0x5bd1e995, what), figure)] };
}

// ── comparing answers ──

type Write = Extract<StoreInput, { readonly method: "KV/Put" | "KV/DeleteRange" | "KV/Txn" }>;

const NO_OP: RequestOp = { requestRange: null, requestPut: null, requestDeleteRange: null, requestTxn: null };
const NO_ANSWER: ResponseOp = { responseRange: null, responsePut: null, responseDeleteRange: null, responseTxn: null };

function asOp(input: Write): RequestOp {
  switch (input.method) {
    case "KV/Put":
      return { ...NO_OP, requestPut: input.body };
    case "KV/DeleteRange":
      return { ...NO_OP, requestDeleteRange: input.body };
    case "KV/Txn":
      return { ...NO_OP, requestTxn: input.body };
    default:
      return unreachable(input);
  }
}

function asAnswer(method: Write["method"], output: StoreOutput): ResponseOp {
  switch (method) {
    case "KV/Put":
      return { ...NO_ANSWER, responsePut: output as ResponseOf<"KV/Put"> };
    case "KV/DeleteRange":
      return { ...NO_ANSWER, responseDeleteRange: output as ResponseOf<"KV/DeleteRange"> };
    case "KV/Txn":
      return { ...NO_ANSWER, responseTxn: output as TxnResponse };
    default:
      return unreachable(method);
  }
}

function sameAnswer(told: ResponseOp, right: Answer): boolean {
  switch (right.type) {
    case "range":
      return told.responseRange !== null && sameRange(told.responseRange, right.range);
    case "put": {
      if (told.responsePut === null) return false;
      const { prevKv } = told.responsePut;
      return !right.asked || sameKv(prevKv, right.before);
    }
    case "delete": {
      if (told.responseDeleteRange === null) return false;
      const { deleted, prevKvs } = told.responseDeleteRange;
      return deleted === right.before.length && (!right.asked || sameKvs(prevKvs, right.before));
    }
    case "txn": {
      const txn = told.responseTxn;
      if (txn === null || txn.succeeded !== right.succeeded || txn.responses.length !== right.answers.length)
        return false;
      return right.answers.every((answer, i) => sameAnswer(txn.responses[i] ?? NO_ANSWER, answer));
    }
    default:
      return unreachable(right);
  }
}

export function sameRange(a: Omit<RangeResponse, "header">, b: Omit<RangeResponse, "header">): boolean {
  return a.count === b.count && a.more === b.more && sameKvs(a.kvs, b.kvs);
}

function sameKvs(a: readonly KeyValue[], b: readonly KeyValue[]): boolean {
  return a.length === b.length && a.every((kv, i) => sameKv(kv, b[i] ?? null));
}

export function sameKv(a: KeyValue | null, b: KeyValue | null): boolean {
  if (a === null || b === null) return a === b;
  return (
    a.key === b.key &&
    a.value === b.value &&
    a.modRevision === b.modRevision &&
    a.createRevision === b.createRevision &&
    a.version === b.version &&
    a.lease === b.lease
  );
}

// ── serializable reads ──

/** A read that was served from one member's state. */
export interface LocalRead {
  readonly client: string;
  readonly request: RangeRequest;
  readonly response: RangeResponse;
}

/**
 * Serializable reads see the store as it once was: each must be the answer at the revision that it names, its own or the
 * one that it asked for. Those that saw a revision which the history does not have are returned too.
 *
 * @param last the state that the history ends in
 */
export function wrongLocalReads(last: StoreState, reads: readonly LocalRead[]): readonly LocalRead[] {
  const everything: StoreState = { ...last, compactRevision: -1 };
  return reads.filter(({ request, response }) => {
    const at = request.revision > 0 ? request.revision : (response.header?.revision ?? 0);
    const seen = at > 0 ? stateAt(everything, at) : null;
    return seen === null || !sameRange(response, rangeIn(seen, request));
  });
}
