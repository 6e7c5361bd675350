/**
 * etcd's own election (client/v3/concurrency): the mutex's queue, where each key carries its candidate's value. Campaign
 * is to enter the queue and wait, resign to leave it, observe to follow the oldest key.
 *
 * As published a candidate whose session ended while it waited is elected all the same; mended, it reads its own key.
 */
import { SECOND } from "../../base/units.ts";
import type { Event } from "../../etcd/api/messages.ts";
import type { ResponseOf } from "../../etcd/api/methods.ts";
import { campaignTxn, leaderRequest, resignTxn } from "../../etcd/concurrency/election.ts";
import { type EtcdRequest, isLeaseGone, type WatchOver } from "../drivers/etcd.ts";
import { anyProgram, type AnyProgram, type CommonLocals, type LockParams, NEW_LOCALS } from "../program.ts";
import { prefixEnd, revisionOf } from "./etcd-fair.ts";
import { CALL_TIMEOUT, LEFT, type MutexStep, sessionQueue } from "./etcd-mutex.ts";

const CAMPAIGN: MutexStep = {
  act: (l, { self }) => ({
    do: "call",
    request: { type: "call", method: "KV/Txn", body: campaignTxn(l.params.lock, l.lease, self) },
    timeout: CALL_TIMEOUT,
  }),
  then: (_l, got) => {
    if (isLeaseGone(got)) return { to: "expired", set: { error: "requested lease not found" } };
    if (got.type !== "answer") return { to: "campaign" };
    const { succeeded, responses, header } = got.body as ResponseOf<"KV/Txn">;
    const own = responses[0]?.responseRange?.kvs[0]?.createRevision ?? 0;
    return { to: "read-before", set: { revision: succeeded ? revisionOf(header) : own, state: "waiting" } };
  },
};

const RESIGN: MutexStep = {
  act: ({ key, revision, lease }) => ({
    do: "call",
    request: { type: "call", method: "KV/Txn", body: resignTxn({ key, revision, lease }) },
    timeout: CALL_TIMEOUT,
  }),
  then: () => ({ to: "close", ...LEFT }),
};

function election(variant: "published" | "mended"): AnyProgram {
  return anyProgram(
    sessionQueue({
      id: `etcd-election-${variant}`,
      enter: ["campaign", CAMPAIGN],
      leave: ["resign", RESIGN],
      readsOwn: variant === "mended",
    }),
  );
}

export const ETCD_ELECTION_PUBLISHED: AnyProgram = election("published");
export const ETCD_ELECTION_MENDED: AnyProgram = election("mended");

interface Observer extends CommonLocals {
  readonly params: LockParams;
  /** The oldest key; null while there is none. */
  readonly key: string | null;
  readonly leader: string | null;
  readonly readAt: number;
  readonly watch: number;
  /** How many leaders it has seen. */
  readonly seen: number;
}

/** Follows who leads, and never campaigns. */
export const ETCD_ELECTION_OBSERVER: AnyProgram = anyProgram<Observer, EtcdRequest>({
  id: "etcd-election-observer",
  threads: { main: "read" },
  begin: (params) => ({ ...NEW_LOCALS, params, key: null, leader: null, readAt: 0, watch: 0, seen: 0 }),
  knows: (l) => ({ leader: l.leader, key: l.key, seen: String(l.seen) }),
  steps: {
    read: {
      act: ({ params }) => ({
        do: "call",
        request: { type: "call", method: "KV/Range", body: leaderRequest(params.lock) },
        timeout: 10 * SECOND,
      }),
      then: (l, got) => {
        if (got.type !== "answer") return { to: "read" };
        const { kvs, header } = got.body as ResponseOf<"KV/Range">;
        const readAt = revisionOf(header);
        const [first] = kvs;
        if (first === undefined) return { to: "watch", set: { key: null, leader: null, readAt } };
        const seen = first.key === l.key ? l.seen : l.seen + 1;
        return { to: "watch", set: { key: first.key, leader: first.value, readAt, seen } };
      },
    },
    watch: {
      act: ({ key, params, readAt }) => {
        const prefix = `${params.lock}/`;
        const startRevision = readAt + 1;
        const options = key === null ? { rangeEnd: prefixEnd(prefix), startRevision } : { startRevision };
        return { do: "watch", request: { type: "watch", key: key ?? prefix, options } };
      },
      then: ({ key }, got) => ({
        to: "await",
        set: { watch: got.type === "watching" ? got.watch : 0, watches: key ?? "*", state: "waiting" },
      }),
    },
    await: {
      act: ({ watch }) => ({ do: "await", watch, until: null }),
      then: ({ key }, got) => {
        if (got.type !== "event") return { to: "await" };
        const event = got.event as Event | WatchOver;
        // A leader that proclaims another value leads on.
        if (key !== null && event.type === "PUT") return { to: "await", set: { leader: event.kv?.value ?? null } };
        return { to: "unwatch", set: { watches: null } };
      },
    },
    unwatch: { act: ({ watch }) => ({ do: "unwatch", watch }), then: () => ({ to: "read" }) },
  },
});
