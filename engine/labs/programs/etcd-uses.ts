/**
 * What leases and watches are for besides locks: a service that registers itself, a configuration that is published, and
 * those who follow either. Who watches the services also watches who is alive.
 *
 * As published a service whose lease was lost goes on, and nobody finds it any more; mended, it registers again.
 */
import type { Micros } from "../../base/units.ts";
import { SECOND } from "../../base/units.ts";
import { type LeaseId, leaseHex, NO_LEASE } from "../../etcd/api/ids.ts";
import { type Event, PutRequest } from "../../etcd/api/messages.ts";
import type { ResponseOf } from "../../etcd/api/methods.ts";
import { create } from "../../etcd/api/proto.ts";
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

// ── a service ──

interface Service extends CommonLocals {
  readonly params: LockParams;
  readonly lease: LeaseId;
  readonly registered: number;
  readonly until: Micros;
  readonly beats: Micros;
}

function service(variant: "published" | "mended"): Program<Service, EtcdRequest> {
  return {
    id: `etcd-uses-${variant}`,
    threads: { main: "grant", heartbeat: "beat-sleep" },
    begin: (params, { mono }) => ({
      ...NEW_LOCALS,
      params,
      lease: NO_LEASE,
      registered: 0,
      until: mono + params.work,
      beats: mono,
    }),
    knows: (l) => ({
      key: l.identity,
      lease: l.lease === NO_LEASE ? null : leaseHex(l.lease),
      registered: l.registered === 0 ? null : String(l.registered),
    }),
    steps: {
      grant: {
        act: ({ params }) => ({
          do: "call",
          request: { type: "call", method: "Lease/LeaseGrant", body: { ttl: Math.ceil(params.ttl / SECOND) } },
          timeout: CALL_TIMEOUT,
        }),
        then: (l, got, { mono, self }) => {
          if (got.type !== "answer") return { to: "grant" };
          const { id } = got.body as ResponseOf<"Lease/LeaseGrant">;
          const beats = mono + (l.params.beatFirst ?? 0) - l.params.beatEvery;
          const identity = `${l.params.lock}/${self}`;
          return { to: "put", set: { lease: id, identity, state: "acquiring", beats } };
        },
      },
      put: {
        act: (l, { self }) => ({
          do: "call",
          request: {
            type: "call",
            method: "KV/Put",
            body: create(PutRequest, { key: `${l.params.lock}/${self}`, value: `${self}:80`, lease: l.lease }),
          },
          timeout: CALL_TIMEOUT,
        }),
        then: (l, got) => {
          if (got.type !== "answer") return { to: "grant" };
          const start = l.params.beatFirst === null ? [] : ["heartbeat"];
          return { to: "serve", set: { registered: l.registered + 1, state: "working" }, start };
        },
      },
      serve: {
        act: ({ until }) => ({ do: "sleep", until }),
        then: () => ({ to: "leave", set: { state: "releasing" }, stop: ["heartbeat"] }),
      },
      leave: {
        act: ({ lease }) => ({
          do: "call",
          request: { type: "call", method: "Lease/LeaseRevoke", body: { id: lease } },
          timeout: CALL_TIMEOUT,
        }),
        then: () => ({ to: null, set: { state: "done", identity: null } }),
      },
      "beat-sleep": {
        act: (l) => ({ do: "sleep", until: l.beats + l.params.beatEvery }),
        then: (l, _got, { mono }) => ({ to: "beat", set: { beats: Math.max(mono, l.beats + l.params.beatEvery) } }),
      },
      beat: {
        act: ({ lease }) => ({ do: "call", request: { type: "keep-alive", lease }, timeout: BEAT_TIMEOUT }),
        then: (_l, got) => {
          if (got.type !== "answer") return { to: "beat-sleep" };
          const { ttl } = got.body as ResponseOf<"Lease/LeaseKeepAlive">;
          if (ttl > 0 || variant === "published") return { to: "beat-sleep" };
          return { to: null, set: { state: "acquiring" }, interrupt: { main: "grant" } };
        },
      },
    },
  };
}

// ── who follows ──

interface Follower extends CommonLocals {
  readonly params: LockParams;
  /** What is under the prefix: names and values. */
  readonly known: Readonly<Record<string, string>>;
  readonly lost: string | null;
  readonly revision: number;
  readonly watch: number;
  readonly changes: number;
}

const nameIn = (key: string): string => key.slice(key.lastIndexOf("/") + 1);

/** Reads what is there, then follows every change from the revision after: nothing is missed in between. */
const FOLLOWER: Program<Follower, EtcdRequest> = {
  id: "etcd-uses-follower",
  threads: { main: "read" },
  begin: (params) => ({ ...NEW_LOCALS, params, known: {}, lost: null, revision: 0, watch: 0, changes: 0 }),
  knows: (l) => ({
    known: Object.entries(l.known)
      .map(([name, value]) => `${name}=${value}`)
      .join(" "),
    lost: l.lost,
    revision: l.revision === 0 ? null : String(l.revision),
    changes: String(l.changes),
  }),
  steps: {
    read: {
      act: ({ params }) => {
        const key = `${params.lock}/`;
        const body = { key, rangeEnd: prefixEnd(key) };
        return { do: "call", request: { type: "call", method: "KV/Range", body }, timeout: CALL_TIMEOUT };
      },
      then: (_l, got) => {
        if (got.type !== "answer") return { to: "read" };
        const { kvs, header } = got.body as ResponseOf<"KV/Range">;
        const known = Object.fromEntries(kvs.map(({ key, value }) => [nameIn(key), value]));
        return { to: "watch", set: { known, revision: revisionOf(header) } };
      },
    },
    watch: {
      act: ({ params, revision }) => {
        const key = `${params.lock}/`;
        const options = { rangeEnd: prefixEnd(key), startRevision: revision + 1 };
        return { do: "watch", request: { type: "watch", key, options } };
      },
      then: (_l, got) => ({
        to: "await",
        set: { watch: got.type === "watching" ? got.watch : 0, watches: "*", state: "waiting" },
      }),
    },
    await: {
      act: ({ watch }) => ({ do: "await", watch, until: null }),
      then: (l, got) => {
        if (got.type !== "event") return { to: "await" };
        const event = got.event as Event | WatchOver;
        if (event.type === "watch-over") return { to: "unwatch", set: { watches: null } };
        if (event.kv === null) return { to: "await" };
        const { key, value, modRevision: revision } = event.kv;
        const name = nameIn(key);
        const changes = l.changes + 1;
        if (event.type === "PUT")
          return { to: "await", set: { known: { ...l.known, [name]: value }, revision, changes } };
        const { [name]: _gone, ...known } = l.known;
        return { to: "await", set: { known, lost: name, revision, changes } };
      },
    },
    unwatch: { act: ({ watch }) => ({ do: "unwatch", watch }), then: () => ({ to: "read" }) },
  },
};

// ── who publishes ──

interface Publisher extends CommonLocals {
  readonly params: LockParams;
  readonly version: number;
  readonly next: Micros;
  readonly revision: number;
}

/** A new version each `work`, `rounds` times. */
const PUBLISHER: Program<Publisher, EtcdRequest> = {
  id: "etcd-uses-publisher",
  threads: { main: "put" },
  begin: (params, { mono }) => ({ ...NEW_LOCALS, params, version: 1, next: mono + params.work, revision: 0 }),
  knows: (l) => ({ version: `v${l.version}`, revision: l.revision === 0 ? null : String(l.revision) }),
  steps: {
    put: {
      act: ({ params, version }) => ({
        do: "call",
        request: {
          type: "call",
          method: "KV/Put",
          body: create(PutRequest, { key: `${params.lock}/config`, value: `v${version}` }),
        },
        timeout: CALL_TIMEOUT,
      }),
      then: (l, got) => {
        if (got.type !== "answer") return { to: "put" };
        const { header } = got.body as ResponseOf<"KV/Put">;
        const revision = revisionOf(header);
        if (l.version >= l.params.rounds) return { to: null, set: { revision, state: "done" } };
        return { to: "pause", set: { revision, state: "working" } };
      },
    },
    pause: {
      act: ({ next }) => ({ do: "sleep", until: next }),
      then: (l) => ({ to: "put", set: { version: l.version + 1, next: l.next + l.params.work } }),
    },
  },
};

export const ETCD_USES_PUBLISHED: AnyProgram = anyProgram(service("published"));
export const ETCD_USES_MENDED: AnyProgram = anyProgram(service("mended"));
export const ETCD_USES_FOLLOWER: AnyProgram = anyProgram(FOLLOWER);
export const ETCD_USES_PUBLISHER: AnyProgram = anyProgram(PUBLISHER);
