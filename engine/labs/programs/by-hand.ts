/**
 * Somebody at a terminal: asks what its orders say, each at its moment, and keeps in a few words what came of each. For
 * keys put by hand, compactions, and looks at what one server says.
 */
import type { Micros } from "../../base/units.ts";
import {
  anyProgram,
  type AnyProgram,
  type CommonLocals,
  type HandOrder,
  type LockParams,
  NEW_LOCALS,
} from "../program.ts";

interface ByHand extends CommonLocals {
  readonly params: LockParams;
  readonly startedAt: Micros;
  readonly done: readonly string[];
  /** Of the store, by the last answer that told one. */
  readonly revision: number;
}

/** Where a request says "the revision that the last answer told". */
export const LAST_REVISION = "last-revision";

function orderOf({ params, done }: ByHand): HandOrder | null {
  return params.orders?.[done.length] ?? null;
}

function byHand(family: string): AnyProgram {
  return anyProgram<ByHand, object>({
    id: `${family}-by-hand`,
    threads: { main: "wait" },
    begin: (params, { mono }) => ({ ...NEW_LOCALS, params, startedAt: mono, done: [], revision: 0 }),
    knows: ({ done }) => Object.fromEntries(done.map((came, i) => [String(i + 1), came])),
    steps: {
      wait: {
        act: (l) => ({ do: "sleep", until: l.startedAt + (orderOf(l)?.at ?? 0) }),
        then: (l) => (orderOf(l) === null ? { to: null, set: { state: "done" } } : { to: "ask" }),
      },
      ask: {
        act: (l) => {
          const order = orderOf(l);
          const request = filled(order?.request ?? {}, l.revision);
          return { do: "call", request, timeout: order?.timeout ?? null };
        },
        then: (l, got) => {
          if (got.type === "error")
            return { to: "wait", set: { done: [...l.done, got.unknown ? "no answer" : got.error] } };
          const body = got.type === "answer" ? got.body : {};
          return { to: "wait", set: { done: [...l.done, inWords(body)], revision: revisionIn(body) ?? l.revision } };
        },
      },
    },
  });
}

function filled(request: object, revision: number): object {
  const fill = (value: unknown): unknown => {
    if (value === LAST_REVISION) return revision;
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, fill(inner)]));
  };
  return fill(request) as object;
}

function revisionIn(body: object): number | null {
  if (!("header" in body) || typeof body.header !== "object" || body.header === null) return null;
  return "revision" in body.header ? Number(body.header.revision) : null;
}

function inWords(body: object): string {
  if ("kvs" in body && Array.isArray(body.kvs)) return `${body.kvs.length} keys`;
  if ("succeeded" in body) return body.succeeded === true ? "succeeded" : "not succeeded";
  if ("key" in body && typeof body.key === "string") return body.key;
  if ("deleted" in body) return `${String(body.deleted)} deleted`;
  if ("ttl" in body) return `TTL ${String(body.ttl)}`;
  if ("reply" in body && typeof body.reply === "object" && body.reply !== null && "value" in body.reply)
    return String(body.reply.value);
  if ("err" in body) return String(body.err);
  return "OK";
}

export const ETCD_BY_HAND: AnyProgram = byHand("etcd");
export const REDIS_BY_HAND: AnyProgram = byHand("redis");
export const ZOOKEEPER_BY_HAND: AnyProgram = byHand("zookeeper");
