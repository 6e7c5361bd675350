/**
 * What is wrong with a request by itself, whatever the store holds: checked by the member that is asked, before anything
 * is proposed, in etcd's order (server/etcdserver/api/v3rpc/key.go).
 */
import { type EtcdError, etcdError } from "./errors.ts";
import type { DeleteRangeRequest, PutRequest, RangeRequest, RequestOp, TxnRequest } from "./messages.ts";
import type { Bytes } from "./bytes.ts";

/** etcd's --max-txn-ops. */
export const MAX_TXN_OPS = 128;
/** etcd's --max-request-bytes, measured on the proposal. */
export const MAX_REQUEST_BYTES = 1_572_864;

/** @param newer since 3.6 an order that is none is refused; before, it was ignored */
export function checkRange({ key, sortOrder }: RangeRequest, newer: boolean): EtcdError | null {
  if (key === "") return etcdError("EmptyKey");
  return newer && sortOrder === "UNRECOGNIZED" ? etcdError("InvalidSortOption") : null;
}

export function checkPut({ key, value, lease, ignoreValue, ignoreLease }: PutRequest): EtcdError | null {
  if (key === "") return etcdError("EmptyKey");
  if (ignoreValue && value !== "") return etcdError("ValueProvided");
  if (ignoreLease && lease !== "0") return etcdError("LeaseProvided");
  return null;
}

export function checkDeleteRange({ key }: DeleteRangeRequest): EtcdError | null {
  return key === "" ? etcdError("EmptyKey") : null;
}

export function checkTxn(request: TxnRequest, newer: boolean): EtcdError | null {
  const problem = checkOps(request, MAX_TXN_OPS, newer);
  if (problem !== null) return problem;
  for (const branch of [request.success, request.failure]) {
    const touched = touchedBy(branch);
    if (touched === null) return etcdError("DuplicateKey");
  }
  return null;
}

/** The largest of the three lists is taken from the budget; nested transactions share what is left. */
function checkOps({ compare, success, failure }: TxnRequest, budget: number, newer: boolean): EtcdError | null {
  const ops = Math.max(compare.length, success.length, failure.length);
  if (ops > budget) return etcdError("TooManyOps");
  if (compare.some(({ key }) => key === "")) return etcdError("EmptyKey");
  for (const op of [...success, ...failure]) {
    const problem = checkOp(op, budget - ops, newer);
    if (problem !== null) return problem;
  }
  return null;
}

function checkOp(op: RequestOp, budget: number, newer: boolean): EtcdError | null {
  const { requestRange, requestPut, requestDeleteRange, requestTxn } = op;
  if (requestRange !== null) return checkRange(requestRange, newer);
  if (requestPut !== null) return checkPut(requestPut);
  if (requestDeleteRange !== null) return checkDeleteRange(requestDeleteRange);
  if (requestTxn !== null) return checkOps(requestTxn, budget, newer);
  // An operation that is none (etcd's text for it).
  return etcdError("KeyNotFound");
}

/** The keys that a branch puts, and the spans that it deletes. */
interface Touched {
  readonly puts: Set<Bytes>;
  readonly deletes: { readonly from: Bytes; readonly to: Bytes | null }[];
}

/**
 * No key may be put twice in a branch, nor be put and deleted, in either order. Of a nested transaction only one branch
 * runs, so its two branches may touch the same. Null when the rule is broken.
 */
function touchedBy(ops: readonly RequestOp[]): Touched | null {
  const puts = new Set<Bytes>();
  const deletes = ops.flatMap(({ requestDeleteRange }) =>
    requestDeleteRange === null ? [] : [spanOf(requestDeleteRange)],
  );
  const clashes = (key: Bytes): boolean => deletes.some((span) => isIn(span, key));
  for (const { requestTxn } of ops) {
    if (requestTxn === null) continue;
    const [then, orElse] = [touchedBy(requestTxn.success), touchedBy(requestTxn.failure)];
    if (then === null || orElse === null) return null;
    for (const key of then.puts) {
      if (puts.has(key) || clashes(key)) return null;
      puts.add(key);
    }
    for (const key of orElse.puts) {
      if ((puts.has(key) && !then.puts.has(key)) || clashes(key)) return null;
      puts.add(key);
    }
    deletes.push(...then.deletes, ...orElse.deletes);
  }
  for (const { requestPut } of ops) {
    if (requestPut === null) continue;
    if (puts.has(requestPut.key) || clashes(requestPut.key)) return null;
    puts.add(requestPut.key);
  }
  return { puts, deletes };
}

/** A `\0` as the end is taken as the byte that it is, so such a span is empty: etcd's check does the same. */
function spanOf({ key, rangeEnd }: DeleteRangeRequest): Touched["deletes"][number] {
  return { from: key, to: rangeEnd === "" ? null : rangeEnd };
}

function isIn({ from, to }: Touched["deletes"][number], key: Bytes): boolean {
  return to === null ? key === from : key >= from && key < to;
}

/** Whether it may be answered like a read: it has ranges only, on both sides. */
export function isReadOnlyTxn({ success, failure }: TxnRequest): boolean {
  return [...success, ...failure].every(({ requestRange }) => requestRange !== null);
}

/** Whether every range in it is content with what the member has. */
export function isSerializableTxn({ success, failure }: TxnRequest): boolean {
  return [...success, ...failure].every(({ requestRange }) => requestRange?.serializable === true);
}
