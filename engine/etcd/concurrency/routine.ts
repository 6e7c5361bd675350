/**
 * Routines: what etcd's concurrency package does, as pure transitions. A routine says what it wants next, and is told
 * what came of it; who carries it out (a client over its connections, a server over its own store) is not its concern.
 *
 * A routine's state is plain data. It has one step at hand: a call to be answered, or a watch whose responses it is
 * told until its next step is another one (`watch-on` keeps the watch). Names and texts are those of etcd's
 * client/v3/concurrency.
 */
import { type Descriptor, create } from "../api/proto.ts";
import { CODES, type EtcdError } from "../api/errors.ts";
import {
  Compare,
  DeleteRangeRequest,
  type Event,
  PutRequest,
  RangeRequest,
  RequestOp,
  type ResponseHeader,
  type TxnRequest,
} from "../api/messages.ts";
import { type Bytes, prefixEnd } from "../api/bytes.ts";
import type { ResponseOf } from "../api/methods.ts";

/** The calls that routines make. */
export type RoutineMethod = "KV/Range" | "KV/Txn" | "KV/DeleteRange" | "Lease/LeaseGrant" | "Lease/LeaseRevoke";

export interface CallStep {
  readonly type: "call";
  readonly method: RoutineMethod;
  readonly body: object;
}

export interface WatchStep {
  readonly type: "watch";
  readonly key: Bytes;
  /** As in a range: empty for one key. */
  readonly rangeEnd: Bytes;
  readonly startRevision: number;
}

/** `failed` carries etcd's error, or one of the package's own, which have the code Unknown. */
export type Step<Result> =
  | CallStep
  | WatchStep
  | { readonly type: "watch-on" }
  | { readonly type: "done"; readonly result: Result }
  | { readonly type: "failed"; readonly error: EtcdError };

/** What came of the step at hand. */
export type Reply =
  | { readonly type: "answer"; readonly body: object }
  | { readonly type: "error"; readonly error: EtcdError }
  | { readonly type: "events"; readonly header: ResponseHeader | null; readonly events: readonly Event[] }
  | { readonly type: "watch-ended"; readonly error: EtcdError };

/** The state after a transition, and what the routine wants now. */
export interface Turn<State, Result> {
  readonly state: State;
  readonly step: Step<Result>;
}

/** An error of the concurrency package itself; over gRPC such errors have the code Unknown. */
export function ownError(message: string): EtcdError {
  return { code: CODES.Unknown, message };
}

export const ELECTION_NOT_LEADER = ownError("election: not leader");
export const ELECTION_NO_LEADER = ownError("election: no leader");
export const MUTEX_LOCKED = ownError("mutex: Locked by another session");
export const MUTEX_SESSION_EXPIRED = ownError("mutex: session is expired");
export const MUTEX_RELEASED = ownError("mutex: lock has already been released");

// ── requests ──

export function call(method: RoutineMethod, body: object): CallStep {
  return { type: "call", method, body };
}

/** An answer's body as its method's message. */
export function answerOf<M extends RoutineMethod>(_method: M, reply: Reply & { type: "answer" }): ResponseOf<M> {
  return reply.body as ResponseOf<M>;
}

export const rangeOp = (given: Partial<RangeRequest>): RequestOp => op({ requestRange: make(RangeRequest, given) });
export const putOp = (given: Partial<PutRequest>): RequestOp => op({ requestPut: make(PutRequest, given) });
export const deleteOp = (given: Partial<DeleteRangeRequest>): RequestOp =>
  op({ requestDeleteRange: make(DeleteRangeRequest, given) });

/** The key's create revision is `createRevision`; 0: there is no such key. */
export function createdAt(key: Bytes, createRevision: number): Compare {
  return make(Compare, { result: "EQUAL", target: "CREATE", key, createRevision });
}

/** The first or last key under a prefix by create revision (clientv3's WithFirstCreate and WithLastCreate). */
export function byCreate(prefix: Bytes, which: "first" | "last", maxCreateRevision = 0): RangeRequest {
  return make(RangeRequest, {
    key: prefix,
    rangeEnd: prefixEnd(prefix),
    limit: 1,
    sortOrder: which === "first" ? "ASCEND" : "DESCEND",
    sortTarget: "CREATE",
    maxCreateRevision,
  });
}

export function txn(
  compare: readonly Compare[],
  success: readonly RequestOp[],
  failure: readonly RequestOp[] = [],
): TxnRequest {
  return { compare, success, failure };
}

function op(given: Partial<RequestOp>): RequestOp {
  return make(RequestOp, given);
}

function make<T>(of: Descriptor<T>, given: Partial<T>): T {
  return create(of, given);
}
