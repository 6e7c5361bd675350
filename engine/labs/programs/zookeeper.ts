/**
 * ZooKeeper, the lock by ephemeral sequential nodes, as published and mended; and mended with a watch on the root, which
 * wakes all at each change (the herd).
 */
import type { Answer } from "../../zookeeper/api.ts";
import { lockPath, lockQueue, placeOf, watchFor } from "../../zookeeper/recipes.ts";
import type { ZkRequest, ZkTold } from "../drivers/zookeeper.ts";
import { anyProgram, type AnyProgram, type Here, NEW_LOCALS, type Program, type Step, stepsIf } from "../program.ts";
import { hexId } from "./etcd-fair.ts";
import { believing, NO_WORK, type WorkLocals, workSteps } from "./work.ts";

export const ZK_ROOT = "/locks";

interface Zk extends WorkLocals {
  readonly guid: string;
  readonly node: string | null;
  readonly before: string | null;
  readonly watch: number;
  /** What hears of the session. */
  readonly session: number;
  readonly since: number;
  readonly wokenBy: string | null;
}

type ZkStep = Step<Zk, ZkRequest>;
type Variant = "published" | "mended" | "herd";

function zookeeper(variant: Variant): Program<Zk, ZkRequest> {
  const mended = variant !== "published";
  const call = (request: Extract<ZkRequest, { type: "call" }>["call"]) =>
    ({ do: "call", request: { type: "call", call: request } }) as const;
  const prefix = (l: Zk): string => lockPath(ZK_ROOT, l.params.lock, mended ? l.guid : null);
  const owns = (l: Zk, here: Here) => {
    const token = l.node === null ? null : String(Number(l.node.slice(-10)));
    return believing(here, l.params, token);
  };
  const waiting: Record<string, ZkStep> = {
    listen: {
      act: (l) => ({
        do: "watch",
        request: { type: "listen", path: variant === "herd" ? ZK_ROOT : (l.before ?? "") },
      }),
      then: (l, got) => ({
        to: mended ? (variant === "herd" ? "children" : "look") : "await",
        set: { watch: got.type === "watching" ? got.watch : 0, watches: variant === "herd" ? "*" : l.before },
      }),
    },
    ...stepsIf<ZkStep>(variant !== "herd", {
      look: {
        act: ({ before }) =>
          call(
            mended
              ? watchFor({ type: "waiter", predecessor: before ?? "", ahead: 1 }, ZK_ROOT, "predecessor")
              : { call: "exists", path: before ?? "", watch: true },
          ),
        then: (l, got, here) => {
          if (got.type === "answer")
            return {
              to: mended ? "await" : "listen",
              set: { state: "waiting", watches: l.before, since: l.state === "waiting" ? l.since : here.mono },
            };
          if (mended) return { to: "unlisten", set: { watches: null } };
          // As published: gone means mine.
          return { to: "work", set: owns(l, here) };
        },
      },
      unlisten: {
        act: ({ watch }) => ({ do: "unwatch", watch }),
        then: () => ({ to: mended ? "children" : "work" }),
      },
    }),
    await: {
      act: (l) => ({
        do: "await",
        watch: l.watch,
        until: l.params.limit === null ? null : l.since + l.params.limit,
      }),
      then: (l, got, here) => {
        const wokenBy = got.type === "event" ? (got.event as ZkTold).type : "timeout";
        // As published: the answer of await(timeout) is not looked at, and any event will do.
        if (!mended) return { to: "unlisten", set: { wokenBy, ...owns(l, here) } };
        if (got.type === "time") return { to: "give-up", set: { wokenBy, watches: null } };
        if (wokenBy === "Expired") return { to: "expired", set: { wokenBy } };
        if (wokenBy === "Disconnected") return { to: "await" };
        return { to: variant === "herd" ? "children" : "unlisten", set: { wokenBy, watches: null } };
      },
    },
  };
  return {
    id: `zookeeper-${variant}`,
    threads: mended ? { main: "begin", session: "session-listen" } : { main: "begin" },
    begin: (params, { mono }) => ({
      ...NEW_LOCALS,
      ...NO_WORK,
      params,
      guid: "",
      node: null,
      before: null,
      watch: 0,
      session: 0,
      since: mono,
      wokenBy: null,
    }),
    knows: (l) => ({ node: l.node, watches: l.watches, woken: l.wokenBy }),
    steps: {
      begin: {
        act: () => ({ do: "decide" }),
        then: (_l, _got, here) => ({
          to: "root",
          set: { state: "acquiring", guid: hexId(here), since: here.mono },
          start: mended ? ["session"] : [],
        }),
      },
      root: {
        act: () => call({ call: "create", path: ZK_ROOT, data: "", mode: "PERSISTENT" }),
        then: (_l, got) => (got.type === "error" && got.error !== "NodeExists" ? { to: "root" } : { to: "create" }),
      },
      create: {
        act: (l, { self }) => call({ call: "create", path: prefix(l), data: self, mode: "EPHEMERAL_SEQUENTIAL" }),
        then: (_l, got) => {
          if (got.type !== "answer") return { to: "create" };
          const answer = got.body as Answer;
          const node = answer.err === "OK" ? (answer.result.path ?? null) : null;
          return { to: variant === "herd" ? "listen" : "children", set: { node, identity: node } };
        },
      },
      children: {
        act: () => call({ call: "getChildren", path: ZK_ROOT, watch: variant === "herd" }),
        then: (l, got, here) => {
          if (got.type !== "answer" || l.node === null) return { to: "children" };
          const answer = got.body as Answer;
          const children = answer.err === "OK" ? (answer.result.children ?? []) : [];
          const place = placeOf(l.node, lockQueue(children, l.params.lock));
          if (place.type === "lost") return { to: "expired" };
          if (place.type === "holder") return { to: "work", set: owns(l, here) };
          if (variant === "herd") return { to: "await", set: { state: "waiting", watches: "*" } };
          return { to: mended ? "listen" : "look", set: { before: place.predecessor } };
        },
      },
      ...waiting,
      ...workSteps<Zk, ZkRequest>({ done: "delete", lost: "delete" }),
      ...stepsIf<ZkStep>(mended, {
        ...stepsIf(mended, SESSION_STEPS),
        "give-up": { act: () => ({ do: "decide" }), then: () => ({ to: "delete", set: { state: "gave-up" } }) },
      }),
      expired: {
        act: () => ({ do: "decide" }),
        then: () => ({ to: null, set: { state: "gave-up", believes: false, identity: null, token: null } }),
      },
      delete: {
        act: ({ node }) => call({ call: "delete", path: node ?? "", version: -1 }),
        then: ({ state }) => ({
          to: "close",
          set: { state: state === "gave-up" ? state : "done", believes: false, identity: null, token: null },
        }),
      },
      close: { act: () => call({ call: "closeSession" }), then: () => ({ to: null, stop: ["session"] }) },
    },
  };
}

/** Beside the rest: hears from the library that the session is over. That it is told only when it is back, is not its fault. */
const SESSION_STEPS: Record<string, ZkStep> = {
  "session-listen": {
    act: () => ({ do: "watch", request: { type: "listen", path: "" } }),
    then: (_l, got) => ({ to: "session-await", set: { session: got.type === "watching" ? got.watch : 0 } }),
  },
  "session-await": {
    act: ({ session }) => ({ do: "await", watch: session, until: null }),
    then: (_l, got) => {
      const isOver = got.type === "event" && (got.event as ZkTold).type === "Expired";
      return isOver ? { to: null, interrupt: { main: "expired" } } : { to: "session-await" };
    },
  },
};

export const ZOOKEEPER_PUBLISHED: AnyProgram = anyProgram(zookeeper("published"));
export const ZOOKEEPER_MENDED: AnyProgram = anyProgram(zookeeper("mended"));
export const ZOOKEEPER_HERD: AnyProgram = anyProgram(zookeeper("herd"));
