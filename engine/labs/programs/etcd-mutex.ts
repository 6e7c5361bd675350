/**
 * etcd's own mutex (client/v3/concurrency): a session's lease names the key, the key's create revision is the place in the
 * queue, and a waiter watches the last key before its own. From 3.5 on it reads its own key before it believes.
 */
import { SECOND } from "../../base/units.ts";
import { type LeaseId, leaseHex, NO_LEASE } from "../../etcd/api/ids.ts";
import type { Event } from "../../etcd/api/messages.ts";
import type { ResponseOf } from "../../etcd/api/methods.ts";
import { mutexTxn } from "../../etcd/concurrency/mutex.ts";
import { type EtcdRequest, isLeaseGone, type WatchOver } from "../drivers/etcd.ts";
import { anyProgram, type AnyProgram, NEW_LOCALS, type Program, type Step, stepsIf } from "../program.ts";
import { prefixEnd, revisionOf } from "./etcd-fair.ts";
import { believing, NO_WORK, type WorkLocals, workSteps } from "./work.ts";

export interface Mutex extends WorkLocals {
  readonly lease: LeaseId;
  readonly key: string;
  readonly revision: number;
  readonly readAt: number;
  readonly before: string | null;
  readonly watch: number;
  readonly beats: number;
  readonly error: string | null;
}

export type MutexStep = Step<Mutex, EtcdRequest>;

/** What sets one queue of sessions apart from another: how one enters it and leaves it. */
export interface QueueKind {
  readonly id: string;
  /** With its label. */
  readonly enter: readonly [string, MutexStep];
  readonly leave: readonly [string, MutexStep];
  /** Reads its own key before it believes. */
  readonly readsOwn: boolean;
}

export const CALL_TIMEOUT = 10 * SECOND;
const BEAT_TIMEOUT = 1 * SECOND;

export function prefixOf({ params }: Mutex): string {
  return `${params.lock}/`;
}

function enterMutex(): MutexStep {
  return {
    act: (l) => ({
      do: "call",
      request: { type: "call", method: "KV/Txn", body: mutexTxn(prefixOf(l), l.lease) },
      timeout: CALL_TIMEOUT,
    }),
    then: (l, got, here) => {
      if (isLeaseGone(got)) return { to: "expired", set: { error: "requested lease not found" } };
      if (got.type !== "answer") return { to: "txn" };
      const { succeeded, responses, header } = got.body as ResponseOf<"KV/Txn">;
      const own = responses[0]?.responseRange?.kvs[0]?.createRevision;
      const revision = succeeded ? revisionOf(header) : (own ?? 0);
      const first = responses[1]?.responseRange?.kvs[0];
      if (first === undefined || first.createRevision === revision)
        return { to: "work", set: { revision, ...believing(here, l.params, String(revision)) } };
      return { to: "read-before", set: { revision, state: "waiting" } };
    },
  };
}

/** What changes for the one who has left the queue of its own will. */
export const LEFT = {
  set: { state: "releasing", believes: false, identity: null, token: null, deadline: null },
  stop: ["heartbeat"],
} as const;

function leaveMutex(): MutexStep {
  return {
    act: ({ key }) => ({
      do: "call",
      request: { type: "call", method: "KV/DeleteRange", body: { key } },
      timeout: CALL_TIMEOUT,
    }),
    then: () => ({ to: "close", ...LEFT }),
  };
}

function mutex(compat: "3.4" | "3.5"): AnyProgram {
  return anyProgram(
    sessionQueue({
      id: `etcd-mutex-${compat}`,
      enter: ["txn", enterMutex()],
      leave: ["unlock", leaveMutex()],
      readsOwn: compat === "3.5",
    }),
  );
}

/** A queue of keys by create revision, each named by its session's lease. */
export function sessionQueue({ id, enter, leave, readsOwn }: QueueKind): Program<Mutex, EtcdRequest> {
  return {
    id,
    threads: { main: "session", heartbeat: "beat" },
    begin: (params, { mono }) => ({
      ...NEW_LOCALS,
      ...NO_WORK,
      params,
      lease: NO_LEASE,
      key: "",
      revision: 0,
      readAt: 0,
      before: null,
      watch: 0,
      beats: mono,
      error: null,
    }),
    knows: (l) => ({
      lease: l.lease === NO_LEASE ? null : leaseHex(l.lease),
      key: l.identity,
      revision: l.revision === 0 ? null : String(l.revision),
      watches: l.watches,
      error: l.error,
    }),
    steps: {
      session: {
        act: ({ params }) => ({
          do: "call",
          request: { type: "call", method: "Lease/LeaseGrant", body: { ttl: Math.ceil(params.ttl / SECOND) } },
          timeout: CALL_TIMEOUT,
        }),
        then: (l, got, { mono }) => {
          if (got.type !== "answer") return { to: "session" };
          const { id: lease } = got.body as ResponseOf<"Lease/LeaseGrant">;
          const key = `${prefixOf(l)}${leaseHex(lease)}`;
          return {
            to: enter[0],
            set: { lease, key, identity: key, state: "acquiring", beats: mono },
            start: l.params.beatFirst === null ? [] : ["heartbeat"],
          };
        },
      },
      [enter[0]]: enter[1],
      "read-before": {
        act: (l) => {
          const key = prefixOf(l);
          const body = {
            key,
            rangeEnd: prefixEnd(key),
            sortTarget: "CREATE",
            sortOrder: "DESCEND",
            maxCreateRevision: l.revision - 1,
            limit: 1,
          } as const;
          return { do: "call", request: { type: "call", method: "KV/Range", body }, timeout: CALL_TIMEOUT };
        },
        then: (l, got, here) => {
          if (got.type !== "answer") return { to: "read-before" };
          const { kvs, header } = got.body as ResponseOf<"KV/Range">;
          const before = kvs[0]?.key;
          if (before !== undefined) return { to: "watch", set: { before, readAt: revisionOf(header) } };
          if (readsOwn) return { to: "read-own" };
          return { to: "work", set: believing(here, l.params, String(l.revision)) };
        },
      },
      watch: {
        act: ({ before, readAt }) => ({
          do: "watch",
          request: { type: "watch", key: before ?? "", options: { startRevision: readAt } },
        }),
        then: (l, got) => ({ to: "await", set: { watch: got.type === "watching" ? got.watch : 0, watches: l.before } }),
      },
      await: {
        act: ({ watch }) => ({ do: "await", watch, until: null }),
        then: (_l, got) => {
          if (got.type !== "event") return { to: "await" };
          const { type } = got.event as Event | WatchOver;
          return type === "PUT" ? { to: "await" } : { to: "unwatch", set: { watches: null } };
        },
      },
      unwatch: { act: ({ watch }) => ({ do: "unwatch", watch }), then: () => ({ to: "read-before" }) },
      ...stepsIf<MutexStep>(readsOwn, {
        "read-own": {
          act: ({ key }) => ({
            do: "call",
            request: { type: "call", method: "KV/Range", body: { key } },
            timeout: CALL_TIMEOUT,
          }),
          then: (l, got, here) => {
            if (got.type !== "answer") return { to: "read-own" };
            const { kvs } = got.body as ResponseOf<"KV/Range">;
            if (kvs.length === 0) return { to: "expired", set: { error: "mutex: session is expired" } };
            return { to: "work", set: believing(here, l.params, String(l.revision)) };
          },
        },
      }),
      expired: {
        act: () => ({ do: "decide" }),
        then: () => ({
          to: null,
          set: { state: "gave-up", believes: false, identity: null, token: null },
          stop: ["heartbeat"],
        }),
      },
      ...workSteps<Mutex, EtcdRequest>({ done: leave[0], lost: "expired" }),
      [leave[0]]: leave[1],
      close: {
        act: ({ lease }) => ({
          do: "call",
          request: { type: "call", method: "Lease/LeaseRevoke", body: { id: lease } },
          timeout: CALL_TIMEOUT,
        }),
        then: () => ({ to: null, set: { state: "done" } }),
      },
      beat: {
        act: ({ lease }) => ({ do: "call", request: { type: "keep-alive", lease }, timeout: BEAT_TIMEOUT }),
        then: (l, got) => {
          if (got.type !== "answer") return { to: "beat-sleep" };
          const { ttl } = got.body as ResponseOf<"Lease/LeaseKeepAlive">;
          // The session is done: a program that heeds it stops.
          if (ttl <= 0) return l.params.ownDeadline ? { to: null, interrupt: { main: "expired" } } : { to: null };
          return { to: "beat-sleep", set: { deadline: l.params.ownDeadline ? l.beats + ttl * SECOND : null } };
        },
      },
      "beat-sleep": {
        act: (l) => ({ do: "sleep", until: l.beats + l.params.beatEvery }),
        then: (l, _got, { mono }) => ({ to: "beat", set: { beats: Math.max(mono, l.beats + l.params.beatEvery) } }),
      },
    },
  };
}

export const ETCD_MUTEX_34: AnyProgram = mutex("3.4");
export const ETCD_MUTEX_35: AnyProgram = mutex("3.5");
