/**
 * etcd's Lock service: the mutex runs inside a server, on the caller's lease; the caller waits for one answer, which names
 * the key. It is not told whether its lease is still good.
 */
import { SECOND } from "../../base/units.ts";
import { type LeaseId, leaseHex, NO_LEASE } from "../../etcd/api/ids.ts";
import type { ResponseOf } from "../../etcd/api/methods.ts";
import type { EtcdRequest } from "../drivers/etcd.ts";
import { anyProgram, type AnyProgram, NEW_LOCALS, type Program } from "../program.ts";
import { revisionOf } from "./etcd-fair.ts";
import { believing, NO_WORK, type WorkLocals, workSteps } from "./work.ts";

interface Service extends WorkLocals {
  readonly lease: LeaseId;
  readonly key: string;
  /** Of the answer. */
  readonly revision: number;
  readonly beats: number;
  readonly error: string | null;
}

const CALL_TIMEOUT = 10 * SECOND;
const BEAT_TIMEOUT = 1 * SECOND;

const program: Program<Service, EtcdRequest> = {
  id: "etcd-mutex-service",
  threads: { main: "grant", heartbeat: "beat" },
  begin: (params, { mono }) => ({
    ...NEW_LOCALS,
    ...NO_WORK,
    params,
    lease: NO_LEASE,
    key: "",
    revision: 0,
    beats: mono,
    error: null,
  }),
  knows: (l) => ({
    lease: l.lease === NO_LEASE ? null : leaseHex(l.lease),
    key: l.key === "" ? null : l.key,
    revision: l.revision === 0 ? null : String(l.revision),
    error: l.error,
  }),
  steps: {
    grant: {
      act: ({ params }) => ({
        do: "call",
        request: { type: "call", method: "Lease/LeaseGrant", body: { ttl: Math.ceil(params.ttl / SECOND) } },
        timeout: CALL_TIMEOUT,
      }),
      then: (l, got, { mono }) => {
        if (got.type !== "answer") return { to: "grant" };
        const { id } = got.body as ResponseOf<"Lease/LeaseGrant">;
        return {
          to: "lock",
          set: { lease: id, identity: `${l.params.lock}/${leaseHex(id)}`, state: "acquiring", beats: mono },
          start: l.params.beatFirst === null ? [] : ["heartbeat"],
        };
      },
    },
    lock: {
      act: ({ params, lease }) => ({
        do: "call",
        request: { type: "call", method: "Lock/Lock", body: { name: params.lock, lease } },
        timeout: params.limit,
      }),
      then: (l, got, here) => {
        if (got.type !== "answer")
          return {
            to: "close",
            set: { error: got.type === "error" ? got.error : null, state: "gave-up" },
            stop: ["heartbeat"],
          };
        const { key, header } = got.body as ResponseOf<"Lock/Lock">;
        const revision = revisionOf(header);
        return { to: "read-token", set: { key, revision, ...believing(here, l.params, null) } };
      },
    },
    /** The answer has no token: the key's create revision is one, if it is still there. */
    "read-token": {
      act: ({ key }) => ({
        do: "call",
        request: { type: "call", method: "KV/Range", body: { key } },
        timeout: CALL_TIMEOUT,
      }),
      then: (_l, got) => {
        const kvs = got.type === "answer" ? (got.body as ResponseOf<"KV/Range">).kvs : [];
        return { to: "work", set: { token: kvs[0] === undefined ? null : String(kvs[0].createRevision) } };
      },
    },
    ...workSteps<Service, EtcdRequest>({ done: "unlock", lost: "unlock" }),
    unlock: {
      act: ({ key }) => ({
        do: "call",
        request: { type: "call", method: "Lock/Unlock", body: { key } },
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
      then: ({ state }) => ({ to: null, set: { state: state === "gave-up" ? state : "done", identity: null } }),
    },
    beat: {
      act: ({ lease }) => ({ do: "call", request: { type: "keep-alive", lease }, timeout: BEAT_TIMEOUT }),
      then: (_l, got) => {
        const isGone = got.type === "answer" && (got.body as ResponseOf<"Lease/LeaseKeepAlive">).ttl <= 0;
        return { to: isGone ? null : "beat-sleep" };
      },
    },
    "beat-sleep": {
      act: (l) => ({ do: "sleep", until: l.beats + l.params.beatEvery }),
      then: (l, _got, { mono }) => ({ to: "beat", set: { beats: Math.max(mono, l.beats + l.params.beatEvery) } }),
    },
  },
};

export const ETCD_SERVICE: AnyProgram = anyProgram(program);
