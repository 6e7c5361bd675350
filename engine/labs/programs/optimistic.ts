/** No lock at all: a counter under a version, as a database row with a version column; on conflict it reads again. */
import { SECOND } from "../../base/units.ts";
import { NO_LEASE } from "../../etcd/api/ids.ts";
import { Compare, PutRequest, RequestOp } from "../../etcd/api/messages.ts";
import type { ResponseOf } from "../../etcd/api/methods.ts";
import { create } from "../../etcd/api/proto.ts";
import type { EtcdRequest } from "../drivers/etcd.ts";
import {
  anyProgram,
  type AnyProgram,
  type CommonLocals,
  type LockParams,
  NEW_LOCALS,
  type Program,
} from "../program.ts";

interface Optimistic extends CommonLocals {
  readonly params: LockParams;
  readonly version: number;
  readonly value: number;
  readonly attempts: number;
  readonly done: number;
}

const CALL_TIMEOUT = 10 * SECOND;

const program: Program<Optimistic, EtcdRequest> = {
  id: "optimistic-published",
  threads: { main: "read" },
  begin: (params) => ({ ...NEW_LOCALS, state: "acquiring", params, version: 0, value: 0, attempts: 0, done: 0 }),
  knows: (l) => ({ version: String(l.version), value: String(l.value), attempts: String(l.attempts) }),
  steps: {
    read: {
      act: ({ params }) => ({
        do: "call",
        request: { type: "call", method: "KV/Range", body: { key: params.lock } },
        timeout: CALL_TIMEOUT,
      }),
      then: (_l, got) => {
        if (got.type !== "answer") return { to: "read" };
        const [found] = (got.body as ResponseOf<"KV/Range">).kvs;
        return { to: "think", set: { version: found?.modRevision ?? 0, value: Number(found?.value ?? 0) } };
      },
    },
    think: {
      act: ({ params }, { mono }) => ({ do: "sleep", until: mono + params.work }),
      then: () => ({ to: "compare-and-put" }),
    },
    "compare-and-put": {
      act: ({ params, version, value }) => ({
        do: "call",
        request: {
          type: "call",
          method: "KV/Txn",
          body: {
            compare: [create(Compare, { target: "MOD", result: "EQUAL", key: params.lock, modRevision: version })],
            success: [
              create(RequestOp, {
                requestPut: create(PutRequest, { key: params.lock, value: String(value + 1), lease: NO_LEASE }),
              }),
            ],
            failure: [],
          },
        },
        timeout: CALL_TIMEOUT,
      }),
      then: (l, got) => {
        const attempts = l.attempts + 1;
        if (got.type !== "answer" || !(got.body as ResponseOf<"KV/Txn">).succeeded)
          return { to: "read", set: { attempts } };
        const done = l.done + 1;
        return done < l.params.rounds
          ? { to: "read", set: { attempts, done } }
          : { to: null, set: { attempts, done, state: "done" } };
      },
    },
  },
};

export const OPTIMISTIC: AnyProgram = anyProgram(program);
