/**
 * etcd, the transaction lock (the Go demo's way): whoever creates the key holds. A loser gives up as published, or tries
 * again each second, or watches the key: then every release wakes all.
 */
import { SECOND } from "../../base/units.ts";
import { type LeaseId, NO_LEASE } from "../../etcd/api/ids.ts";
import type { Event } from "../../etcd/api/messages.ts";
import { Compare, DeleteRangeRequest, PutRequest, RangeRequest, RequestOp } from "../../etcd/api/messages.ts";
import type { RequestOf, ResponseOf } from "../../etcd/api/methods.ts";
import { create } from "../../etcd/api/proto.ts";
import { type EtcdRequest, isLeaseGone, type WatchOver } from "../drivers/etcd.ts";
import { anyProgram, type AnyProgram, NEW_LOCALS, type Program, type Step, stepsIf } from "../program.ts";
import { revisionOf } from "./etcd-fair.ts";
import { believing, NO_WORK, type WorkLocals, workSteps } from "./work.ts";

interface Txn extends WorkLocals {
  readonly lease: LeaseId;
  readonly renewed: number;
  readonly beats: number;
  /** When the library closes its channel of answers: the last answered renewal was sent, and TTL later. */
  readonly channelUntil: number;
  readonly readAt: number;
  readonly holder: string | null;
  readonly watch: number;
}

type TxnStep = Step<Txn, EtcdRequest>;

const CALL_TIMEOUT = 10 * SECOND;
const BEAT_TIMEOUT = 1 * SECOND;
/** What Go says of it. */
const NIL = "panic: runtime error: invalid memory address or nil pointer dereference";

export function createOnce(key: string, value: string, lease: LeaseId): RequestOf<"KV/Txn"> {
  return {
    compare: [create(Compare, { target: "CREATE", result: "EQUAL", key, createRevision: 0 })],
    success: [create(RequestOp, { requestPut: create(PutRequest, { key, value, lease }) })],
    failure: [create(RequestOp, { requestRange: create(RangeRequest, { key }) })],
  };
}

/** A delete that only takes away one's own. */
export function deleteIfMine(key: string, createRevision: number): RequestOf<"KV/Txn"> {
  return {
    compare: [create(Compare, { target: "CREATE", result: "EQUAL", key, createRevision })],
    success: [create(RequestOp, { requestDeleteRange: create(DeleteRangeRequest, { key }) })],
    failure: [],
  };
}

function txn(loser: "gives-up" | "retries" | "watches"): Program<Txn, EtcdRequest> {
  return {
    id: { "gives-up": "etcd-txn-published", retries: "etcd-txn-retry", watches: "etcd-txn-watch" }[loser],
    threads: { main: "begin", heartbeat: "beat" },
    begin: (params, { mono }) => ({
      ...NEW_LOCALS,
      ...NO_WORK,
      params,
      lease: NO_LEASE,
      renewed: mono,
      beats: mono,
      channelUntil: mono + params.ttl,
      readAt: 0,
      holder: null,
      watch: 0,
    }),
    knows: (l) => ({ lease: l.lease === NO_LEASE ? null : l.lease, holder: l.holder, token: l.token }),
    steps: {
      begin: {
        act: () => ({ do: "decide" }),
        then: (_l, _got, { mono }) => ({ to: "grant", set: { state: "acquiring", renewed: mono, beats: mono } }),
      },
      grant: {
        act: ({ params }) => ({
          do: "call",
          request: { type: "call", method: "Lease/LeaseGrant", body: { ttl: Math.ceil(params.ttl / SECOND) } },
          timeout: CALL_TIMEOUT,
        }),
        then: (l, got) => {
          if (got.type !== "answer") return { to: "grant" };
          const { id } = got.body as ResponseOf<"Lease/LeaseGrant">;
          const deadline = l.params.ownDeadline ? l.renewed + l.params.ttl : null;
          return {
            to: "txn",
            set: { lease: id, identity: id, deadline },
            start: l.params.beatFirst === null ? [] : ["heartbeat"],
          };
        },
      },
      txn: {
        act: ({ params, lease }, { self }) => ({
          do: "call",
          request: { type: "call", method: "KV/Txn", body: createOnce(params.lock, self, lease) },
          timeout: CALL_TIMEOUT,
        }),
        then: (l, got, here) => {
          // With another lease from the start, or not at all.
          if (isLeaseGone(got))
            return { to: loser === "gives-up" ? "give-up" : "begin", set: { believes: false }, stop: ["heartbeat"] };
          if (got.type !== "answer") return { to: "txn" };
          const { succeeded, responses, header } = got.body as ResponseOf<"KV/Txn">;
          const found = responses[0]?.responseRange?.kvs[0];
          const revision = revisionOf(header);
          if (succeeded)
            return { to: "work", set: { holder: here.self, ...believing(here, l.params, String(revision)) } };
          // The same lease: an answer that was lost had taken it.
          if (found?.lease === l.lease)
            return { to: "work", set: believing(here, l.params, String(found.createRevision)) };
          const set = { holder: found?.value ?? null, readAt: revision, state: "waiting" } as const;
          if (loser === "gives-up") return { to: "give-up", set };
          return loser === "retries" ? { to: "pause", set } : { to: "watch", set };
        },
      },
      ...stepsIf<TxnStep>(loser === "retries", {
        pause: {
          act: ({ params }, { mono }) => ({ do: "sleep", until: mono + params.retry }),
          then: () => ({ to: "txn" }),
        },
      }),
      ...stepsIf<TxnStep>(loser === "watches", {
        watch: {
          act: ({ params, readAt }) => ({
            do: "watch",
            request: { type: "watch", key: params.lock, options: { startRevision: readAt + 1, filters: ["NOPUT"] } },
          }),
          then: (_l, got) => ({ to: "await", set: { watch: got.type === "watching" ? got.watch : 0, watches: "*" } }),
        },
        await: {
          act: ({ watch }) => ({ do: "await", watch, until: null }),
          then: (_l, got) => {
            if (got.type !== "event") return { to: "await" };
            const { type } = got.event as Event | WatchOver;
            return type === "DELETE" || type === "watch-over"
              ? { to: "unwatch", set: { watches: null } }
              : { to: "await" };
          },
        },
        unwatch: { act: ({ watch }) => ({ do: "unwatch", watch }), then: () => ({ to: "txn" }) },
      }),
      ...stepsIf<TxnStep>(loser === "gives-up", {
        "give-up": { act: () => ({ do: "decide" }), then: () => ({ to: "revoke", set: { state: "gave-up" } }) },
      }),
      ...workSteps<Txn, EtcdRequest>({ done: "stop-heartbeat", lost: "lost" }),
      lost: {
        act: () => ({ do: "decide" }),
        then: () => ({ to: "revoke", set: { believes: false, state: "gave-up" } }),
      },
      "stop-heartbeat": {
        act: () => ({ do: "decide" }),
        then: () => ({ to: "revoke", set: { state: "releasing" }, stop: ["heartbeat"] }),
      },
      revoke: {
        act: ({ lease }) => ({
          do: "call",
          request: { type: "call", method: "Lease/LeaseRevoke", body: { id: lease } },
          timeout: CALL_TIMEOUT,
        }),
        then: ({ state }) => ({
          to: null,
          set: {
            state: state === "gave-up" ? state : "done",
            believes: false,
            identity: null,
            token: null,
            deadline: null,
          },
          stop: ["heartbeat"],
        }),
      },
      beat: {
        act: ({ lease }) => ({ do: "call", request: { type: "keep-alive", lease }, timeout: BEAT_TIMEOUT }),
        then: (l, got, { mono }) => {
          const ttl = got.type === "answer" ? (got.body as ResponseOf<"Lease/LeaseKeepAlive">).ttl : null;
          // As published: what a closed channel yields is nil, and the next line prints its ID. The whole process ends.
          if (loser === "gives-up" && (ttl === null ? mono >= l.channelUntil : ttl <= 0)) throw new Error(NIL);
          if (ttl === null) return { to: "beat-sleep" };
          // A reader that only prints that the lease is gone, and the work goes on.
          if (ttl <= 0) return l.params.ownDeadline ? { to: null, interrupt: { main: "lost" } } : { to: null };
          const channelUntil = l.beats + ttl * SECOND;
          return { to: "beat-sleep", set: { channelUntil, deadline: l.params.ownDeadline ? channelUntil : null } };
        },
      },
      "beat-sleep": {
        act: (l) => ({ do: "sleep", until: l.beats + l.params.beatEvery }),
        then: (l, _got, { mono }) => ({ to: "beat", set: { beats: Math.max(mono, l.beats + l.params.beatEvery) } }),
      },
    },
  };
}

export const ETCD_TXN_PUBLISHED: AnyProgram = anyProgram(txn("gives-up"));
export const ETCD_TXN_RETRY: AnyProgram = anyProgram(txn("retries"));
export const ETCD_TXN_WATCH: AnyProgram = anyProgram(txn("watches"));
