/**
 * A lock that is fair: a key for each session under the lock's prefix; the oldest key holds the lock
 * (etcd client/v3/concurrency/mutex.go; versions differ as `compat` says).
 *
 *     acquire   one txn: make the own key, or find it; and get the oldest key
 *     wait      until all older keys are gone (wait-deletes.ts)
 *     recheck   since 3.5: is the own key still there? If not, its lease ran out while it waited
 *     give-up   after a failure, or a lock that was only tried for: take the own key back
 */
import { assert, unreachable } from "../../base/assert.ts";
import type { Bytes } from "../api/bytes.ts";
import { create } from "../api/proto.ts";
import type { EtcdError } from "../api/errors.ts";
import { type LeaseId, leaseHex } from "../api/ids.ts";
import {
  type Compare,
  DeleteRangeRequest,
  type KeyValue,
  RangeRequest,
  type ResponseHeader,
  type TxnRequest,
  type TxnResponse,
} from "../api/messages.ts";
import {
  answerOf,
  byCreate,
  call,
  createdAt,
  MUTEX_LOCKED,
  MUTEX_RELEASED,
  MUTEX_SESSION_EXPIRED,
  ownError,
  putOp,
  rangeOp,
  type Reply,
  type Step,
  txn,
  type Turn,
} from "./routine.ts";
import { beginWait, waitDeletes, type WaitState } from "./wait-deletes.ts";

export type Compat = "3.4" | "3.5" | "3.6";

/** `name` becomes `name/`, under which each session has its key. */
export function lockPrefix(name: Bytes): Bytes {
  return `${name}/`;
}

export function lockKey(prefix: Bytes, lease: LeaseId): Bytes {
  return prefix + leaseHex(lease);
}

/** Makes the own key unless it is there, and tells the oldest key under the prefix. */
export function mutexTxn(prefix: Bytes, lease: LeaseId): TxnRequest {
  const key = lockKey(prefix, lease);
  const owner = { ...rangeOp({}), requestRange: byCreate(prefix, "first") };
  return txn([createdAt(key, 0)], [putOp({ key, lease }), owner], [rangeOp({ key }), owner]);
}

/** What `mutexTxn` found. */
export interface Acquired {
  /** The create revision of the own key: its place in the queue, and the fencing token. */
  readonly ownRevision: number;
  /** The oldest key; null when there is none. */
  readonly owner: KeyValue | null;
  readonly owned: boolean;
  readonly header: ResponseHeader | null;
}

export function ownerOf({ header, succeeded, responses }: TxnResponse): Acquired {
  const found = responses[0]?.responseRange?.kvs[0]?.createRevision;
  const ownRevision = succeeded ? (header?.revision ?? 0) : (found ?? 0);
  const owner = responses[1]?.responseRange?.kvs[0] ?? null;
  return { ownRevision, owner, owned: owner === null || owner.createRevision === ownRevision, header };
}

/** Holds while this session owns the lock with that key: for writes that the lock shall guard. */
export function isOwner(key: Bytes, ownRevision: number): Compare {
  return createdAt(key, ownRevision);
}

export interface LockState {
  readonly prefix: Bytes;
  readonly key: Bytes;
  readonly compat: Compat;
  /** Not to wait, but to give up when somebody else holds the lock. */
  readonly tryOnly: boolean;
  readonly at: "acquire" | "wait" | "recheck" | "give-up";
  /** 0 until the txn has told. */
  readonly ownRevision: number;
  /** While it waits. */
  readonly wait: WaitState | null;
  /** Why it gives up. */
  readonly error: EtcdError | null;
}

export interface Locked {
  readonly key: Bytes;
  readonly ownRevision: number;
  readonly header: ResponseHeader | null;
}

type LockTurn = Turn<LockState, Locked>;

export function beginLock(name: Bytes, lease: LeaseId, compat: Compat, tryOnly = false): LockTurn {
  const prefix = lockPrefix(name);
  const key = lockKey(prefix, lease);
  return {
    state: { prefix, key, compat, tryOnly, at: "acquire", ownRevision: 0, wait: null, error: null },
    step: call("KV/Txn", mutexTxn(prefix, lease)),
  };
}

export function lock(state: LockState, reply: Reply): LockTurn {
  switch (state.at) {
    case "acquire":
      return acquired(state, reply);
    case "wait": {
      assert(state.wait !== null, "a waiter knows what it waits for");
      const { state: wait, step } = waitDeletes(state.wait, reply);
      const next: LockState = { ...state, wait };
      if (step.type === "failed") return giveUp(next, step.error);
      if (step.type !== "done") return { state: next, step };
      if (state.compat === "3.4") return { state: next, step: locked(next, step.result) };
      const body = create(RangeRequest, { key: state.key });
      return { state: { ...next, at: "recheck", wait: null }, step: call("KV/Range", body) };
    }
    case "recheck": {
      if (reply.type === "error") return giveUp(state, reply.error);
      assert(reply.type === "answer", "a call is answered");
      const { kvs, header } = answerOf("KV/Range", reply);
      if (kvs.length === 0) return { state, step: { type: "failed", error: MUTEX_SESSION_EXPIRED } };
      return { state, step: locked(state, header) };
    }
    case "give-up":
      return { state, step: { type: "failed", error: giveUpError(state, reply) } };
    default:
      return unreachable(state.at);
  }
}

/**
 * The caller's context is cancelled, and whatever was under way with it: the own key is taken back. Null when that is
 * being done already. (A txn that made the key may yet be carried out when nobody waits for it any more, as in etcd.)
 */
export function abandonLock(state: LockState, error: EtcdError): LockTurn | null {
  if (state.at === "give-up") return null;
  return state.at === "acquire" ? { state, step: { type: "failed", error } } : giveUp(state, error);
}

function acquired(state: LockState, reply: Reply): LockTurn {
  if (reply.type === "error") return { state, step: { type: "failed", error: reply.error } };
  assert(reply.type === "answer", "a call is answered");
  const { ownRevision, owned, header } = ownerOf(answerOf("KV/Txn", reply));
  const next: LockState = { ...state, ownRevision };
  if (owned) return { state: next, step: locked(next, header) };
  if (state.tryOnly) return giveUp(next, MUTEX_LOCKED);
  const { state: wait, step } = beginWait(state.prefix, ownRevision - 1);
  return { state: { ...next, at: "wait", wait }, step: step as Step<Locked> };
}

function locked({ key, ownRevision }: LockState, header: ResponseHeader | null): Step<Locked> {
  return { type: "done", result: { key, ownRevision, header } };
}

function giveUp(state: LockState, error: EtcdError): LockTurn {
  return { state: { ...state, at: "give-up", wait: null, error }, step: unlockCall(state.key) };
}

/** TryLock tells of a delete that failed; Lock tells why it stopped waiting. */
function giveUpError(state: LockState, reply: Reply): EtcdError {
  assert(state.error !== null, "there was a reason to give up");
  return state.tryOnly && reply.type === "error" ? reply.error : state.error;
}

/** Deletes the own key. */
export function unlockCall(key: Bytes): Step<never> {
  return call("KV/DeleteRange", create(DeleteRangeRequest, { key }));
}

/** Why a lock cannot be unlocked; null when it can. Before 3.6 a second Unlock deletes a key that nobody has. */
export function unlockRefused(prefix: Bytes, key: Bytes | null, compat: Compat): EtcdError | null {
  if (compat !== "3.6") return null;
  if (key === null) return MUTEX_RELEASED;
  return key.startsWith(prefix) ? null : ownError(`invalid key ${key}, it should have prefix ${prefix}`);
}

/** The key that a Mutex names once it has released its lock. */
export const RELEASED_KEY: Bytes = "\0";
