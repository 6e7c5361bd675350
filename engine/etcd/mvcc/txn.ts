/**
 * Puts, deletes and transactions on the store, as etcd applies them (server/etcdserver/txn).
 *
 * All compares, nested ones too, and all checks along the path that they select look at the store before the whole
 * transaction; only then do the operations run, in order, each seeing what those before it did.
 */
import { type Bytes, FROM_KEY } from "../api/bytes.ts";
import { type EtcdError, etcdError } from "../api/errors.ts";
import { NO_LEASE, NO_MEMBER } from "../api/ids.ts";
import {
  type Compare,
  DeleteRangeRequest,
  DeleteRangeResponse,
  KeyValue,
  type PutRequest,
  PutResponse,
  type RangeRequest,
  type RequestOp,
  ResponseHeader,
  ResponseOp,
  type TxnRequest,
  type TxnResponse,
} from "../api/messages.ts";
import { create } from "../api/proto.ts";
import type { LeaseBindings, Mvcc } from "./mvcc.ts";

/** A response's header knows its revision; the member puts the names in. */
export function revisionHeader(revision: number): ResponseHeader {
  return { clusterId: "0", memberId: NO_MEMBER, revision, raftTerm: 0 };
}

/** Which branch each transaction takes, nested ones in the order in which they stand on that path. */
interface Path {
  readonly succeeded: boolean;
  readonly nested: readonly Path[];
}

export function isError(value: object | null): value is EtcdError {
  return value !== null && "code" in value;
}

// ── checks ──

export function checkPutAgainst(
  store: Mvcc,
  leases: LeaseBindings,
  request: PutRequest,
  inTxn: boolean,
): EtcdError | null {
  const { key, lease, ignoreValue, ignoreLease } = request;
  const unknownLease = lease !== NO_LEASE && !leases.has(lease) ? etcdError("LeaseNotFound") : null;
  const missing = (ignoreValue || ignoreLease) && store.get(key) === null ? etcdError("KeyNotFound") : null;
  return inTxn ? (missing ?? unknownLease) : (unknownLease ?? missing);
}

function checkRangeAgainst(store: Mvcc, { revision }: RangeRequest): EtcdError | null {
  if (revision === 0) return null;
  if (revision > store.revision) return etcdError("FutureRev");
  return revision < store.compactRevision ? etcdError("Compacted") : null;
}

type OpCheck = (op: RequestOp) => EtcdError | null;

function checkAlong({ success, failure }: TxnRequest, path: Path, check: OpCheck): EtcdError | null {
  let nested = 0;
  for (const op of path.succeeded ? success : failure) {
    const problem =
      op.requestTxn === null ? check(op) : checkAlong(op.requestTxn, path.nested[nested++] as Path, check);
    if (problem !== null) return problem;
  }
  return null;
}

/** 3.4 and 3.5 look at all puts of the path before all ranges: with two faults that decides which one is told. */
function checkPath(store: Mvcc, leases: LeaseBindings, request: TxnRequest, path: Path): EtcdError | null {
  const put: OpCheck = ({ requestPut }) =>
    requestPut === null ? null : checkPutAgainst(store, leases, requestPut, true);
  const range: OpCheck = ({ requestRange }) => (requestRange === null ? null : checkRangeAgainst(store, requestRange));
  return checkAlong(request, path, put) ?? checkAlong(request, path, range) ?? checkTakenAway(request, path);
}

/**
 * A put that keeps a key's value or lease finds nothing when an operation before it deletes the key, which the static
 * checks let through if it deletes all from a key on. A real etcd has no answer to that: it panics, and again when it
 * restarts. Here it is refused.
 */
function checkTakenAway(request: TxnRequest, path: Path): EtcdError | null {
  let deletedFrom: Bytes | null = null;
  return checkAlong(request, path, ({ requestDeleteRange, requestPut }) => {
    if (requestDeleteRange?.rangeEnd === FROM_KEY)
      deletedFrom = deletedFrom === null || requestDeleteRange.key < deletedFrom ? requestDeleteRange.key : deletedFrom;
    const keeps = requestPut !== null && (requestPut.ignoreValue || requestPut.ignoreLease);
    return keeps && deletedFrom !== null && requestPut.key >= deletedFrom ? etcdError("KeyNotFound") : null;
  });
}

// ── compares ──

function pathOf(store: Mvcc, { compare, success, failure }: TxnRequest): Path {
  const succeeded = compare.every((each) => holds(store, each));
  const nested = (succeeded ? success : failure).flatMap(({ requestTxn }) =>
    requestTxn === null ? [] : [pathOf(store, requestTxn)],
  );
  return { succeeded, nested };
}

const NOTHING = create(KeyValue);

/** For all keys of its span; no key at all counts as one with nothing in it, whose value is equal to none. */
function holds(store: Mvcc, compare: Compare): boolean {
  const found = store.live({ key: compare.key, rangeEnd: compare.rangeEnd });
  if (found.length === 0) return compare.target !== "VALUE" && holdsFor(compare, NOTHING);
  return found.every((kv) => holdsFor(compare, kv));
}

function holdsFor(compare: Compare, kv: KeyValue): boolean {
  const order = orderOf(compare, kv);
  switch (compare.result) {
    case "EQUAL":
      return order === 0;
    case "NOT_EQUAL":
      return order !== 0;
    case "GREATER":
      return order > 0;
    case "LESS":
      return order < 0;
    case "UNRECOGNIZED":
      return true;
  }
}

/** What is compared with is zero when the request names something else than its target; an unknown target is always equal. */
function orderOf(compare: Compare, kv: KeyValue): number {
  switch (compare.target) {
    case "VERSION":
      return kv.version - (compare.version ?? 0);
    case "CREATE":
      return kv.createRevision - (compare.createRevision ?? 0);
    case "MOD":
      return kv.modRevision - (compare.modRevision ?? 0);
    case "VALUE": {
      const value = compare.value ?? "";
      return kv.value < value ? -1 : kv.value > value ? 1 : 0;
    }
    case "LEASE": {
      const difference = BigInt(kv.lease) - BigInt(compare.lease ?? NO_LEASE);
      return difference < 0n ? -1 : difference > 0n ? 1 : 0;
    }
    case "UNRECOGNIZED":
      return 0;
  }
}

// ── carrying out ──

/** Within a transaction that is open. The request has been checked. */
export function put(store: Mvcc, { key, value, lease, prevKv, ignoreValue, ignoreLease }: PutRequest): PutResponse {
  const before = prevKv || ignoreValue || ignoreLease ? store.get(key) : null;
  store.put(key, ignoreValue ? (before as KeyValue).value : value, ignoreLease ? (before as KeyValue).lease : lease);
  return { header: revisionHeader(store.writingRevision), prevKv: prevKv ? before : null };
}

export function deleteRange(store: Mvcc, { key, rangeEnd, prevKv }: DeleteRangeRequest): DeleteRangeResponse {
  const gone = store.deleteRange({ key, rangeEnd });
  return create(DeleteRangeResponse, {
    header: revisionHeader(store.writingRevision),
    deleted: gone.length,
    prevKvs: prevKv ? gone : [],
  });
}

/** Within a transaction that is open, or for one that only reads. The revision is that of its end. */
export function txn(store: Mvcc, leases: LeaseBindings, request: TxnRequest): TxnResponse | EtcdError {
  const path = pathOf(store, request);
  const problem = checkPath(store, leases, request, path);
  if (problem !== null) return problem;
  const response = run(store, request, path);
  return { ...response, header: revisionHeader(store.writingRevision) };
}

function run(store: Mvcc, { success, failure }: TxnRequest, path: Path): TxnResponse {
  let nested = 0;
  const responses = (path.succeeded ? success : failure).map((op): ResponseOp => {
    if (op.requestRange !== null) return create(ResponseOp, { responseRange: rangeIn(store, op.requestRange) });
    if (op.requestPut !== null) return create(ResponseOp, { responsePut: put(store, op.requestPut) });
    if (op.requestDeleteRange !== null)
      return create(ResponseOp, { responseDeleteRange: deleteRange(store, op.requestDeleteRange) });
    if (op.requestTxn !== null)
      return create(ResponseOp, { responseTxn: run(store, op.requestTxn, path.nested[nested++] as Path) });
    return create(ResponseOp);
  });
  // A nested one has a header without a revision.
  return { header: create(ResponseHeader), succeeded: path.succeeded, responses };
}

function rangeIn(store: Mvcc, request: RangeRequest): ResponseOp["responseRange"] {
  const found = store.range(request);
  // The path was checked; a negative revision that is not refused there means now.
  if (isError(found)) return null;
  return { ...found.response, header: revisionHeader(found.revision) };
}
