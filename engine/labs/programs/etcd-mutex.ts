/**
 * etcd's own mutex (client/v3/concurrency): a session's lease names the key, the key's create revision is the place in the
 * queue, and a waiter watches the last key before its own. From 3.5 on it reads its own key before it believes.
 */
import { SECOND } from "../../base/units.ts";
import { type LeaseId, leaseHex, NO_LEASE } from "../../etcd/api/ids.ts";
import type { Event } from "../../etcd/api/messages.ts";
import type { ResponseOf } from "../../etcd/api/methods.ts";
import { campaignTxn } from "../../etcd/concurrency/election.ts";
import { mutexTxn } from "../../etcd/concurrency/mutex.ts";
import type { EtcdRequest, WatchOver } from "../drivers/etcd.ts";
import { anyProgram, type AnyProgram, NEW_LOCALS, type Program, type Step, stepsIf } from "../program.ts";
import { prefixEnd, revisionOf } from "./etcd-fair.ts";
import { believing, NO_WORK, type WorkLocals, workSteps } from "./work.ts";

interface Mutex extends WorkLocals {
  readonly lease: LeaseId;
  readonly key: string;
  readonly revision: number;
  readonly readAt: number;
  readonly before: string | null;
  readonly watch: number;
  readonly beats: number;
  readonly error: string | null;
}

type MutexStep = Step<Mutex, EtcdRequest>;

const CALL_TIMEOUT = 10 * SECOND;
const BEAT_TIMEOUT = 1 * SECOND;

/** `election`: the same queue, and each key carries its candidate's value (client/v3/concurrency Election). */
function mutex(compat: "3.4" | "3.5" | "election"): Program<Mutex, EtcdRequest> {
  const isElection = compat === "election";
  const prefixOf = ({ params }: Mutex): string => `${params.lock}/`;
  return {
    id: isElection ? "etcd-election-published" : `etcd-mutex-${compat}`,
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
          const { id } = got.body as ResponseOf<"Lease/LeaseGrant">;
          const key = `${prefixOf(l)}${leaseHex(id)}`;
          return {
            to: "txn",
            set: { lease: id, key, identity: key, state: "acquiring", beats: mono },
            start: l.params.beatFirst === null ? [] : ["heartbeat"],
          };
        },
      },
      txn: {
        act: (l, { self }) => {
          const body = isElection ? campaignTxn(l.params.lock, l.lease, self) : mutexTxn(prefixOf(l), l.lease);
          return { do: "call", request: { type: "call", method: "KV/Txn", body }, timeout: CALL_TIMEOUT };
        },
        then: (l, got, here) => {
          if (got.type !== "answer") return { to: "txn" };
          const { succeeded, responses, header } = got.body as ResponseOf<"KV/Txn">;
          const own = responses[0]?.responseRange?.kvs[0]?.createRevision;
          const revision = succeeded ? revisionOf(header) : (own ?? 0);
          if (isElection) return { to: "read-before", set: { revision, state: "waiting" } };
          const first = responses[1]?.responseRange?.kvs[0];
          if (first === undefined || first.createRevision === revision)
            return { to: "work", set: { revision, ...believing(here, l.params, String(revision)) } };
          return { to: "read-before", set: { revision, state: "waiting" } };
        },
      },
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
          if (compat === "3.5") return { to: "read-own" };
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
      ...stepsIf<MutexStep>(compat === "3.5", {
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
      ...workSteps<Mutex, EtcdRequest>({ done: "unlock", lost: "expired" }),
      unlock: {
        act: ({ key }) => ({
          do: "call",
          request: { type: "call", method: "KV/DeleteRange", body: { key } },
          timeout: CALL_TIMEOUT,
        }),
        then: () => ({
          to: "close",
          set: { state: "releasing", believes: false, identity: null, token: null, deadline: null },
          stop: ["heartbeat"],
        }),
      },
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

export const ETCD_MUTEX_34: AnyProgram = anyProgram(mutex("3.4"));
export const ETCD_ELECTION: AnyProgram = anyProgram(mutex("election"));
export const ETCD_MUTEX_35: AnyProgram = anyProgram(mutex("3.5"));
