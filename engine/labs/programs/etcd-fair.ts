/**
 * etcd, the fair lock by prefix, lease, revision and a watch on the one before (the jetcd demo's way), as published and
 * mended. What differs is in `mended` branches, and told line by line in `../source`.
 */
import { SECOND } from "../../base/units.ts";
import type { Bytes } from "../../etcd/api/bytes.ts";
import { type LeaseId, NO_LEASE } from "../../etcd/api/ids.ts";
import type { Event, KeyValue, ResponseHeader } from "../../etcd/api/messages.ts";
import { Compare, PutRequest, RequestOp } from "../../etcd/api/messages.ts";
import { create } from "../../etcd/api/proto.ts";
import type { ResponseOf } from "../../etcd/api/methods.ts";
import type { EtcdRequest, WatchOver } from "../drivers/etcd.ts";
import { anyProgram, type AnyProgram, type Here, NEW_LOCALS, type Program, type Step } from "../program.ts";
import { believing, NO_WORK, type WorkLocals, workSteps } from "./work.ts";

interface Fair extends WorkLocals {
  readonly key: Bytes;
  readonly lease: LeaseId;
  /** When the renewal, or the grant, that was answered last was sent. */
  readonly renewed: number;
  readonly beats: number;
  readonly startedAt: number;
  /** Of its own key. */
  readonly revision: number;
  readonly readAt: number;
  readonly before: Bytes | null;
  readonly watch: number | null;
  readonly wokenBy: string | null;
  /** What its last renewal was answered with; null: it never looks. */
  readonly renewal: string | null;
  /** What came of its guarded writes. */
  readonly guard: string | null;
}

type FairStep = Step<Fair, EtcdRequest>;

/** How long one renewal may take. */
const BEAT_TIMEOUT = 1 * SECOND;
const CALL_TIMEOUT = 10 * SECOND;

/** The end of the span of all keys that begin with a prefix. */
export function prefixEnd(prefix: Bytes): Bytes {
  return prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);
}

export function hexId({ rng }: Here): string {
  return rng.below(4_294_967_296).toString(16).padStart(8, "0");
}

type Variant = "published" | "mended" | "guarded" | "herd" | "published-noting" | "mended-noting";

/**
 * `guarded`: mended, and what it writes goes to the store, by a txn that asks for its own key. `herd`: watches all.
 * `noting`: what it does it notes as the value of its own key, where others may read it.
 */
function fair(variant: Variant): Program<Fair, EtcdRequest> {
  const mended = !variant.startsWith("published");
  const prefixOf = ({ params }: Fair): Bytes => (mended ? `${params.lock}/` : params.lock);
  const grant: FairStep = {
    act: (l) => ({
      do: "call",
      request: { type: "call", method: "Lease/LeaseGrant", body: { ttl: l.params.ttl / SECOND } },
      timeout: CALL_TIMEOUT,
    }),
    then: (l, got) => {
      // As published: without a lease it puts a key that stays.
      if (got.type !== "answer") return { to: mended ? "grant" : "put" };
      const { id } = got.body as ResponseOf<"Lease/LeaseGrant">;
      const deadline = l.params.ownDeadline ? l.renewed + l.params.ttl : null;
      return { to: "put", set: { lease: id, deadline }, start: l.params.beatFirst === null ? [] : ["heartbeat"] };
    },
  };
  const herd = variant === "herd";
  const watched = (l: Fair) =>
    herd
      ? {
          key: prefixOf(l),
          options: { rangeEnd: prefixEnd(prefixOf(l)), startRevision: l.revision + 1 },
        }
      : {
          key: l.before ?? "",
          options: mended ? ({ startRevision: l.readAt + 1, filters: ["NOPUT"] } as const) : {},
        };
  const steps: Record<string, FairStep> = {
    begin: {
      act: () => ({ do: "decide" }),
      then: (l, _got, here) => ({
        to: "grant",
        set: named(l, here),
      }),
    },
    grant,
    put: {
      act: ({ key, lease }, { self }) => ({
        do: "call",
        request: { type: "call", method: "KV/Put", body: { key, value: self, lease } },
        timeout: CALL_TIMEOUT,
      }),
      then: (_l, got) => {
        if (got.type === "answer") {
          const { header } = got.body as ResponseOf<"KV/Put">;
          return { to: "read", set: { revision: revisionOf(header) } };
        }
        // As published, the error is printed and forgotten: its revision stays 0.
        return mended ? { to: "give-back", set: { state: "gave-up", wokenBy: "put failed" } } : { to: "read" };
      },
    },
    read: {
      act: (l) => {
        const key = prefixOf(l);
        const sort = mended
          ? ({ sortTarget: "CREATE", sortOrder: "ASCEND" } as const)
          : ({ sortTarget: "MOD", sortOrder: "ASCEND" } as const);
        return {
          do: "call",
          request: { type: "call", method: "KV/Range", body: { key, rangeEnd: prefixEnd(key), ...sort } },
          timeout: CALL_TIMEOUT,
        };
      },
      then: (l, got, here) => {
        if (got.type !== "answer") return { to: "read" };
        const { header, kvs } = got.body as ResponseOf<"KV/Range">;
        return decide(l, kvs, revisionOf(header), here);
      },
    },
    watch: {
      act: (l) => ({ do: "watch", request: { type: "watch", ...watched(l) } }),
      then: (l, got) => ({
        to: "await",
        set: { watch: got.type === "watching" ? got.watch : null, watches: herd ? "*" : l.before, state: "waiting" },
      }),
    },
    await: {
      act: (l) => ({
        do: "await",
        watch: l.watch ?? 0,
        until: l.params.limit === null ? null : l.startedAt + l.params.limit,
      }),
      then: (l, got, here) => {
        if (got.type === "time") return { to: "unwatch-lost", set: { watches: null, state: "gave-up" } };
        if (got.type !== "event") return { to: "await" };
        const event = got.event as Event | WatchOver;
        if (mended) {
          if (event.type !== "DELETE" && event.type !== "watch-over") return { to: "await" };
          if (herd && event.type === "DELETE") return { to: "read", set: { wokenBy: event.type } };
          return { to: "unwatch", set: { watches: null, wokenBy: event.type } };
        }
        // Any event of the one before is taken for the lock.
        return { to: "unwatch", set: { wokenBy: event.type, ...believing(here, l.params, String(l.revision)) } };
      },
    },
    unwatch: {
      act: ({ watch }) => ({ do: "unwatch", watch: watch ?? 0 }),
      then: () => ({ to: mended ? "read" : "work", set: { watch: null } }),
    },
    ...(herd
      ? {
          "unwatch-first": {
            act: ({ watch }: Fair) => ({ do: "unwatch", watch: watch ?? 0 }) as const,
            then: () => ({ to: "work", set: { watch: null } }),
          },
        }
      : {}),
    "unwatch-lost": {
      act: ({ watch }) => ({ do: "unwatch", watch: watch ?? 0 }),
      // As published: it leaves, and its key stays, kept alive by a timer that nobody stops.
      then: () => ({ to: mended ? "give-back" : null, set: { watch: null } }),
    },
    ...workSteps<Fair, EtcdRequest>({ done: "stop-heartbeat", lost: "lost" }),
    ...(variant === "guarded" ? { write: GUARDED_WRITE } : {}),
    ...(variant.endsWith("noting") ? { write: NOTED_WRITE } : {}),
    "stop-heartbeat": {
      act: () => ({ do: "decide" }),
      then: () => ({ to: "give-back", set: { state: "releasing" }, stop: ["heartbeat"] }),
    },
    "give-back": {
      act: ({ key, lease }) => ({
        do: "call",
        request: mended
          ? { type: "call", method: "Lease/LeaseRevoke", body: { id: lease } }
          : { type: "call", method: "KV/DeleteRange", body: { key } },
        timeout: CALL_TIMEOUT,
      }),
      then: (l, got) => ({ ...finished(l, got.type === "answer" ? removed(got.body) : null), stop: ["heartbeat"] }),
    },
    lost: {
      act: () => ({ do: "decide" }),
      then: () => ({ to: "give-back", set: { believes: false, state: "gave-up" }, stop: ["heartbeat"] }),
    },
    ...heartbeat(mended),
  };
  function decide(l: Fair, kvs: readonly KeyValue[], header: number, here: Here) {
    const mine = kvs.findIndex(({ key }) => key === l.key);
    const first = kvs[0];
    if (mended) {
      if (mine < 0) return { to: "lost" };
      const token = kvs[mine]?.createRevision ?? l.revision;
      if (mine === 0) {
        const to = herd && l.watch !== null ? "unwatch-first" : "work";
        return { to, set: { readAt: header, ...believing(here, l.params, String(token)) } };
      }
      if (herd && l.watch !== null) return { to: "await" };
      return { to: "watch", set: { readAt: header, before: kvs[mine - 1]?.key ?? null } };
    }
    if (first === undefined || first.modRevision === l.revision)
      return { to: "work", set: believing(here, l.params, String(l.revision)) };
    // Not in the list: the index stays 0, and it watches the first.
    return { to: "watch", set: { before: kvs[Math.max(0, mine - 1)]?.key ?? null } };
  }
  return {
    id: `etcd-fair-${variant}`,
    threads: { main: "begin", heartbeat: "beat-first" },
    begin: (params, { mono }) => ({
      ...NEW_LOCALS,
      ...NO_WORK,
      params,
      key: "",
      lease: NO_LEASE,
      renewed: mono,
      beats: 0,
      startedAt: mono,
      revision: 0,
      readAt: 0,
      before: null,
      watch: null,
      wokenBy: null,
      renewal: null,
      guard: null,
    }),
    steps,
    knows: (l) => ({
      lease: l.lease === NO_LEASE ? null : l.lease,
      key: l.identity,
      revision: l.revision === 0 ? null : String(l.revision),
      watches: l.watches,
      woken: l.wokenBy,
      renewal: l.renewal,
      ...(variant === "guarded" ? { guard: l.guard } : {}),
    }),
  };
}

function heartbeat(mended: boolean): Record<string, FairStep> {
  return {
    "beat-first": {
      act: (l) => ({ do: "sleep", until: l.startedAt + (l.params.beatFirst ?? 0) }),
      then: (_l, _got, here) => ({ to: "beat", set: { beats: here.mono } }),
    },
    beat: {
      act: ({ lease }) => ({
        do: "call",
        request: { type: "keep-alive", lease },
        timeout: BEAT_TIMEOUT,
        detached: !mended,
      }),
      then: (l, got) => {
        if (!mended) return { to: "beat-sleep" };
        if (got.type !== "answer") return { to: "beat-sleep" };
        const { ttl } = got.body as ResponseOf<"Lease/LeaseKeepAlive">;
        const renewal = `TTL ${ttl}`;
        if (ttl <= 0) return { to: null, set: { renewal, believes: false }, interrupt: { main: "lost" } };
        return {
          to: "beat-sleep",
          set: { renewal, renewed: l.beats, deadline: l.params.ownDeadline ? l.beats + ttl * SECOND : null },
        };
      },
    },
    "beat-sleep": {
      act: (l) => ({ do: "sleep", until: l.beats + l.params.beatEvery }),
      then: (l) => ({ to: "beat", set: { beats: l.beats + l.params.beatEvery } }),
    },
  };
}

function named({ params }: Fair, here: Here): Partial<Fair> {
  const key = `${params.lock}/${hexId(here)}`;
  return { state: "acquiring", renewed: here.mono, key, identity: key };
}

function finished(l: Fair, deleted: number | null) {
  const gaveUp = l.state === "gave-up";
  const set: Partial<Fair> = {
    state: gaveUp ? "gave-up" : "done",
    believes: false,
    identity: null,
    watches: null,
    token: null,
    deadline: null,
    wokenBy: deleted === 0 ? "deleted nothing" : l.wokenBy,
  };
  return { to: null, set };
}

function removed(body: object): number | null {
  return "deleted" in body ? Number(body.deleted) : null;
}

export function revisionOf(header: ResponseHeader | null): number {
  return header?.revision ?? 0;
}

/** Into the store itself, if its own key is still the one that it made. */
const GUARDED_WRITE: FairStep = {
  act: ({ params, key, token, written }, { self }) => ({
    do: "call",
    request: {
      type: "call",
      method: "KV/Txn",
      body: {
        compare: [create(Compare, { target: "CREATE", result: "EQUAL", key, createRevision: Number(token) })],
        success: [
          create(RequestOp, {
            requestPut: create(PutRequest, { key: `${params.lock}:guarded`, value: `${self}#${written + 1}` }),
          }),
        ],
        failure: [],
      },
    },
    timeout: CALL_TIMEOUT,
  }),
  then: (l, got) => {
    const succeeded = got.type === "answer" && (got.body as ResponseOf<"KV/Txn">).succeeded;
    const came = got.type === "answer" ? (succeeded ? "succeeded" : "not succeeded") : "no answer";
    const set = { written: l.written + 1, guard: l.guard === null ? came : `${l.guard}, ${came}` };
    return { to: got.type === "answer" && !succeeded ? "lost" : "work", set };
  },
};

/** On its own key, with its lease: the key keeps its create revision, and gets another mod revision. */
const NOTED_WRITE: FairStep = {
  act: ({ key, lease, held, written }, { self }) => ({
    do: "call",
    request: { type: "call", method: "KV/Put", body: { key, value: `${self}: part ${held + written + 1}`, lease } },
    timeout: CALL_TIMEOUT,
  }),
  then: (l) => ({ to: "work", set: { written: l.written + 1 } }),
};

export const ETCD_FAIR_PUBLISHED: AnyProgram = anyProgram(fair("published"));
export const ETCD_FAIR_MENDED: AnyProgram = anyProgram(fair("mended"));
export const ETCD_FAIR_GUARDED: AnyProgram = anyProgram(fair("guarded"));
export const ETCD_FAIR_HERD: AnyProgram = anyProgram(fair("herd"));
export const ETCD_FAIR_PUBLISHED_NOTING: AnyProgram = anyProgram(fair("published-noting"));
export const ETCD_FAIR_MENDED_NOTING: AnyProgram = anyProgram(fair("mended-noting"));
