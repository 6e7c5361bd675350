/**
 * What else is built of leases and watches: a service that registers itself, and whoever keeps a list of what is under a
 * prefix (the consumers of a service, the readers of a configuration, a monitor, the observers of an election).
 */
import { SECOND } from "../../base/units.ts";
import { type LeaseId, NO_LEASE } from "../../etcd/api/ids.ts";
import type { Event } from "../../etcd/api/messages.ts";
import type { ResponseOf } from "../../etcd/api/methods.ts";
import type { EtcdRequest, WatchOver } from "../drivers/etcd.ts";
import {
  anyProgram,
  type AnyProgram,
  type CommonLocals,
  type LockParams,
  NEW_LOCALS,
  type Program,
} from "../program.ts";
import { prefixEnd, revisionOf } from "./etcd-fair.ts";

const CALL_TIMEOUT = 10 * SECOND;
const BEAT_TIMEOUT = 1 * SECOND;

interface Registered extends CommonLocals {
  readonly params: LockParams;
  readonly lease: LeaseId;
  readonly beats: number;
  /** How often it had to register. */
  readonly times: number;
}

const register: Program<Registered, EtcdRequest> = {
  id: "etcd-uses-register",
  threads: { main: "grant" },
  begin: (params, { mono }) => ({ ...NEW_LOCALS, state: "acquiring", params, lease: NO_LEASE, beats: mono, times: 0 }),
  knows: (l) => ({ lease: l.lease === NO_LEASE ? null : l.lease, registered: String(l.times) }),
  steps: {
    grant: {
      act: ({ params }) => ({
        do: "call",
        request: { type: "call", method: "Lease/LeaseGrant", body: { ttl: Math.ceil(params.ttl / SECOND) } },
        timeout: CALL_TIMEOUT,
      }),
      then: (_l, got, { mono }) => {
        if (got.type !== "answer") return { to: "grant" };
        return { to: "put", set: { lease: (got.body as ResponseOf<"Lease/LeaseGrant">).id, beats: mono } };
      },
    },
    put: {
      act: ({ params, lease }, { self }) => ({
        do: "call",
        request: { type: "call", method: "KV/Put", body: { key: `${params.lock}/${self}`, value: self, lease } },
        timeout: CALL_TIMEOUT,
      }),
      then: (l, got) => {
        // The lease may be over before the key is there.
        if (got.type !== "answer") return { to: "grant" };
        return { to: "sleep", set: { state: "working", times: l.times + 1 } };
      },
    },
    sleep: {
      act: (l) => ({ do: "sleep", until: l.beats + l.params.beatEvery }),
      then: (_l, _got, { mono }) => ({ to: "renew", set: { beats: mono } }),
    },
    renew: {
      act: ({ lease }) => ({ do: "call", request: { type: "keep-alive", lease }, timeout: BEAT_TIMEOUT }),
      then: (_l, got) => {
        const isGone = got.type === "answer" && (got.body as ResponseOf<"Lease/LeaseKeepAlive">).ttl <= 0;
        return isGone ? { to: "grant", set: { lease: NO_LEASE } } : { to: "sleep" };
      },
    },
  },
};

interface Observing extends CommonLocals {
  readonly params: LockParams;
  /** What it takes to be there. */
  readonly entries: Readonly<Record<string, string>>;
  readonly readAt: number;
  readonly watch: number;
}

const observe: Program<Observing, EtcdRequest> = {
  id: "etcd-uses-observe",
  threads: { main: "read" },
  begin: (params) => ({ ...NEW_LOCALS, state: "acquiring", params, entries: {}, readAt: 0, watch: 0 }),
  knows: ({ entries }) => ({ seen: Object.values(entries).toSorted().join(" ") || null }),
  steps: {
    read: {
      act: ({ params }) => {
        const key = `${params.lock}/`;
        const body = { key, rangeEnd: prefixEnd(key) };
        return { do: "call", request: { type: "call", method: "KV/Range", body }, timeout: CALL_TIMEOUT };
      },
      then: (_l, got) => {
        if (got.type !== "answer") return { to: "read" };
        const { header, kvs } = got.body as ResponseOf<"KV/Range">;
        const entries = Object.fromEntries(kvs.map(({ key, value }) => [key, value]));
        return { to: "watch", set: { entries, readAt: revisionOf(header), state: "working" } };
      },
    },
    watch: {
      act: ({ params, readAt }) => {
        const key = `${params.lock}/`;
        const options = { rangeEnd: prefixEnd(key), startRevision: readAt + 1 };
        return { do: "watch", request: { type: "watch", key, options } };
      },
      then: (_l, got) => ({ to: "await", set: { watch: got.type === "watching" ? got.watch : 0 } }),
    },
    await: {
      act: ({ watch }) => ({ do: "await", watch, until: null }),
      then: (l, got) => {
        if (got.type !== "event") return { to: "await" };
        const event = got.event as Event | WatchOver;
        if (event.type === "watch-over") return { to: "read" };
        const { key = "", value = "" } = event.kv ?? {};
        const { [key]: _gone, ...others } = l.entries;
        return { to: "await", set: { entries: event.type === "PUT" ? { ...others, [key]: value } : others } };
      },
    },
  },
};

export const ETCD_REGISTER: AnyProgram = anyProgram(register);
export const ETCD_OBSERVE: AnyProgram = anyProgram(observe);
