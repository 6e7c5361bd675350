/**
 * Software transactional memory: a function that reads and writes keys, run as one transaction and run again until
 * nobody was in its way (etcd client/v3/concurrency/stm.go).
 *
 * The function is plain and pure. It cannot wait for an answer, so it is called again from its start each time an answer
 * has come that it lacked: everything that it has read is in the read set, which makes the repeated part free. So the
 * state between two steps is the two sets, and nothing else.
 *
 *     read     a key that the function asked for is fetched
 *     commit   one txn: if what was read is still so, then the writes
 */
import { assert, unreachable } from "../../base/assert.ts";
import type { Bytes } from "../api/bytes.ts";
import { create } from "../api/proto.ts";
import { NO_LEASE, type LeaseId } from "../api/ids.ts";
import { Compare, type KeyValue, type RequestOp, type ResponseHeader, type TxnResponse } from "../api/messages.ts";
import { answerOf, call, deleteOp, putOp, rangeOp, type Reply, txn, type Turn } from "./routine.ts";

/**
 * `serializable-snapshot`: reads are of one revision, and neither what was read nor what is written was changed since.
 * `serializable`: reads are of one revision and unchanged. `repeatable-reads`: what was read is unchanged.
 * `read-committed`: nothing is compared.
 */
export type Isolation = "serializable-snapshot" | "serializable" | "repeatable-reads" | "read-committed";

/** What the function may do. */
export interface Stm {
  /** The value of the first of the keys that is there, own writes first; empty when there is none. */
  get(...keys: readonly Bytes[]): Bytes;
  put(key: Bytes, value: Bytes, lease?: LeaseId): void;
  /** The mod revision that was read; 0 when the key is not there. */
  rev(key: Bytes): number;
  del(key: Bytes): void;
}

/** Throws to give up without a commit: an `StmAbort`. Must do the same whenever it reads the same. */
export type StmFunction = (stm: Stm) => void;

/** Thrown by the function: the transaction ends without a trace. */
export class StmAbort extends Error {
  override readonly name = "StmAbort";
}

/** A key as it was read, null when it was not there, and the revision of the store then. */
interface Read {
  readonly kv: KeyValue | null;
  readonly revision: number;
}

/** Null for a delete. */
interface Write {
  readonly value: Bytes | null;
  readonly lease: LeaseId;
}

type Reads = readonly (readonly [Bytes, Read])[];
type Writes = readonly (readonly [Bytes, Write])[];

export interface StmState {
  readonly isolation: Isolation;
  readonly at: "read" | "commit";
  /** What the function has read in this attempt, in the order in which it did. */
  readonly reads: Reads;
  /** What a failed commit brought along: good for the first read of a key in the next attempt. */
  readonly prefetched: Reads;
  /** The revision that all later reads are of; 0 while it is open. */
  readonly pinned: number;
  /** What is being fetched, or committed. */
  readonly keys: readonly Bytes[];
  readonly writes: Writes;
  /** Attempts that have failed. */
  readonly conflicts: number;
}

export interface Committed {
  readonly header: ResponseHeader | null;
  readonly conflicts: number;
  /** False when the function gave up. */
  readonly committed: boolean;
}

type StmTurn = Turn<StmState, Committed>;

export function beginStm(isolation: Isolation, apply: StmFunction): StmTurn {
  const empty: StmState = {
    isolation,
    at: "read",
    reads: [],
    prefetched: [],
    pinned: 0,
    keys: [],
    writes: [],
    conflicts: 0,
  };
  return run(empty, apply);
}

export function stm(state: StmState, reply: Reply, apply: StmFunction): StmTurn {
  if (reply.type === "error" || reply.type === "watch-ended")
    return { state, step: { type: "failed", error: reply.error } };
  assert(reply.type === "answer", "a call is answered");
  const answer = answerOf("KV/Txn", reply);
  switch (state.at) {
    case "read": {
      const fetched = readsIn(state.keys, answer);
      return run(
        { ...state, reads: [...state.reads, ...fetched], pinned: pin(state, fetched[0]?.[1].revision ?? 0) },
        apply,
      );
    }
    case "commit": {
      const { header, succeeded } = answer;
      const { conflicts, isolation } = state;
      if (succeeded) return { state, step: { type: "done", result: { header, conflicts, committed: true } } };
      const prefetched = isPinned(isolation) ? readsIn(state.keys, answer) : [];
      const again: StmState = { ...state, prefetched, reads: [], pinned: 0, keys: [], writes: [] };
      return run({ ...again, conflicts: conflicts + 1 }, apply);
    }
    default:
      return unreachable(state.at);
  }
}

/** Signals that the function cannot go on without these keys. Never leaves this module. */
class Missing extends Error {
  readonly keys: readonly Bytes[];

  constructor(keys: readonly Bytes[]) {
    super("a key has not been read yet");
    this.keys = keys;
  }
}

/** One run of the function over what is known. */
class Attempt implements Stm {
  readonly reads: Map<Bytes, Read>;
  readonly prefetched: Map<Bytes, Read>;
  readonly writes = new Map<Bytes, Write>();
  readonly #isolation: Isolation;
  pinned: number;

  constructor({ reads, prefetched, isolation, pinned }: StmState) {
    this.reads = new Map(reads);
    this.prefetched = new Map(prefetched);
    this.#isolation = isolation;
    this.pinned = pinned;
  }

  get(...keys: readonly Bytes[]): Bytes {
    for (const key of keys) {
      const write = this.writes.get(key);
      if (write !== undefined) return write.value ?? "";
    }
    for (const key of keys) this.#takePrefetched(key);
    return this.#read(keys)?.value ?? "";
  }

  put(key: Bytes, value: Bytes, lease: LeaseId = NO_LEASE): void {
    this.writes.set(key, { value, lease });
  }

  rev(key: Bytes): number {
    if (!this.writes.has(key)) this.#takePrefetched(key);
    return this.#read([key])?.modRevision ?? 0;
  }

  del(key: Bytes): void {
    this.writes.set(key, { value: null, lease: NO_LEASE });
  }

  /** The first of the keys that is there. */
  #read(keys: readonly Bytes[]): KeyValue | null {
    const missing = keys.filter((key) => !this.reads.has(key));
    if (missing.length > 0) throw new Missing(missing);
    for (const key of keys) {
      const kv = this.reads.get(key)?.kv ?? null;
      if (kv !== null) return kv;
    }
    return null;
  }

  #takePrefetched(key: Bytes): void {
    const known = this.prefetched.get(key);
    if (known === undefined) return;
    this.prefetched.delete(key);
    if (this.reads.size === 0 && isPinned(this.#isolation)) this.pinned = known.revision;
    this.reads.set(key, known);
  }
}

function run(state: StmState, apply: StmFunction): StmTurn {
  const attempt = new Attempt(state);
  let missing: readonly Bytes[] = [];
  try {
    apply(attempt);
  } catch (thrown) {
    if (thrown instanceof StmAbort) {
      const { conflicts } = state;
      return { state, step: { type: "done", result: { header: null, conflicts, committed: false } } };
    }
    if (!(thrown instanceof Missing)) throw thrown;
    missing = thrown.keys;
  }
  const { pinned } = attempt;
  const known: StmState = {
    ...state,
    pinned,
    reads: [...attempt.reads],
    prefetched: [...attempt.prefetched],
    writes: [...attempt.writes],
  };
  if (missing.length === 0) return commit(known);
  // Pinned reads may be served by any member: the revision fixes what they see. The weaker levels read locally at once.
  const serializable = pinned !== 0 || !isPinned(state.isolation);
  const ops = missing.map((key) => rangeOp({ key, revision: pinned, serializable }));
  return { state: { ...known, at: "read", keys: missing }, step: call("KV/Txn", txn([], ops)) };
}

function commit(state: StmState): StmTurn {
  const keys = state.reads.map(([key]) => key);
  const body = txn(
    compares(state),
    state.writes.map(([key, write]) => writeOp(key, write)),
    isPinned(state.isolation) ? keys.map((key) => rangeOp({ key })) : [],
  );
  return { state: { ...state, at: "commit", keys }, step: call("KV/Txn", body) };
}

function compares({ isolation, reads, writes }: StmState): readonly Compare[] {
  if (isolation === "read-committed") return [];
  const unchanged = reads.map(([key, { kv }]) =>
    create(Compare, { result: "EQUAL", target: "MOD", key, modRevision: kv?.modRevision ?? 0 }),
  );
  if (isolation !== "serializable-snapshot") return unchanged;
  const first = reads.reduce((least, [, { revision }]) => Math.min(least, revision), Number.MAX_SAFE_INTEGER - 1);
  const unwritten = writes.map(([key]) =>
    create(Compare, { result: "LESS", target: "MOD", key, modRevision: first + 1 }),
  );
  return [...unchanged, ...unwritten];
}

function writeOp(key: Bytes, { value, lease }: Write): RequestOp {
  return value === null ? deleteOp({ key }) : putOp({ key, value, lease });
}

function readsIn(keys: readonly Bytes[], { header, responses }: TxnResponse): Reads {
  return keys.map((key, i) => {
    const range = responses[i]?.responseRange ?? null;
    return [key, { kv: range?.kvs[0] ?? null, revision: range?.header?.revision || (header?.revision ?? 0) }] as const;
  });
}

/** The first read of an attempt fixes the revision of those that follow. */
function pin({ isolation, pinned, reads }: StmState, revision: number): number {
  return isPinned(isolation) && reads.length === 0 ? revision : pinned;
}

function isPinned(isolation: Isolation): boolean {
  return isolation === "serializable-snapshot" || isolation === "serializable";
}
