/**
 * Waiting until no key under a prefix is as old as `maxCreateRevision`: how a lock's waiters and an election's
 * candidates queue. Each looks for the youngest of its elders and watches that one key only, so that a release wakes
 * one (etcd client/v3/concurrency/key.go).
 */
import { unreachable } from "../../base/assert.ts";
import type { Bytes } from "../api/bytes.ts";
import type { ResponseHeader } from "../api/messages.ts";
import { answerOf, byCreate, call, ownError, type Reply, type Turn } from "./routine.ts";

export interface WaitState {
  readonly prefix: Bytes;
  readonly maxCreateRevision: number;
  /** The key that is watched, and the revision of the get that found it; null while it asks. */
  readonly watching: { readonly key: Bytes; readonly createRevision: number; readonly revision: number } | null;
}

/** The header of the get that found nobody before us. */
export type WaitResult = ResponseHeader | null;

export function beginWait(prefix: Bytes, maxCreateRevision: number): Turn<WaitState, WaitResult> {
  return ask({ prefix, maxCreateRevision, watching: null });
}

export function waitDeletes(state: WaitState, reply: Reply): Turn<WaitState, WaitResult> {
  switch (reply.type) {
    case "answer": {
      const { kvs, header } = answerOf("KV/Range", reply);
      const [last] = kvs;
      if (last === undefined) return { state, step: { type: "done", result: header } };
      const revision = header?.revision ?? 0;
      return {
        state: { ...state, watching: { key: last.key, createRevision: last.createRevision, revision } },
        step: { type: "watch", key: last.key, rangeEnd: "", startRevision: revision },
      };
    }
    case "events":
      if (reply.events.some(({ type }) => type === "DELETE")) return ask({ ...state, watching: null });
      return { state, step: { type: "watch-on" } };
    case "error":
    case "watch-ended":
      return { state, step: { type: "failed", error: reply.error } };
    default:
      return unreachable(reply);
  }
}

/** A watch that ends by itself, without an error. */
export const LOST_WATCHER = ownError("lost watcher waiting for delete");

function ask(state: WaitState): Turn<WaitState, WaitResult> {
  return { state, step: call("KV/Range", byCreate(state.prefix, "last", state.maxCreateRevision)) };
}
