/**
 * ZooKeeper, the lock by ephemeral sequential nodes, as published and mended. As mended but for one thing: with a watch on
 * the root, which wakes all at each change (the herd); over a library that does not set its watches again on a new
 * connection; with the nodes in order of their names, as text; and, twice, over a library that opens a new session while
 * the old one may still live (Curator), taking the node that it finds, or asking first whose session's it is.
 */
import type { Answer, Call, SessionId } from "../../zookeeper/api.ts";
import { findByGuid, lockPath, lockQueue, placeOf, watchFor } from "../../zookeeper/recipes.ts";
import { NO_ANSWER, type ZkRenewed, type ZkRequest, type ZkTold } from "../drivers/zookeeper.ts";
import {
  anyProgram,
  type AnyProgram,
  type Got,
  type Here,
  NEW_LOCALS,
  type Program,
  type Step,
  stepsIf,
} from "../program.ts";
import { hexId } from "./etcd-fair.ts";
import { believing, NO_WORK, type WorkLocals, workSteps } from "./work.ts";

export const ZK_ROOT = "/locks";

interface Zk extends WorkLocals {
  readonly guid: string;
  readonly node: string | null;
  readonly before: string | null;
  /** A node of its guid, and the session that it ends with. */
  readonly found: string | null;
  readonly owner: SessionId | null;
  readonly watch: number;
  /** What hears of the session. */
  readonly session: number;
  readonly since: number;
  readonly wokenBy: string | null;
  /** When what was answered last was sent. */
  readonly renewed: number;
}

type ZkStep = Step<Zk, ZkRequest>;
type Variant = "published" | "mended" | "herd" | "no-rewatch" | "by-text" | "takes-found" | "asks-owner";

function zookeeper(variant: Variant): Program<Zk, ZkRequest> {
  const mended = variant !== "published";
  const call = (request: Call) => ({ do: "call", request: { type: "call", call: request } }) as const;
  /** Mended, no call lasts longer than the whole may. */
  const callWithin = ({ params: { limit }, since }: Zk, { mono }: Here, request: Call) => ({
    do: "call" as const,
    request: { type: "call" as const, call: request },
    timeout: mended && limit !== null ? Math.max(0, since + limit - mono) : null,
  });
  const isOver = (got: Got): boolean => got.type === "error" && got.error === NO_ANSWER;
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
      // As published its half a minute begins with the latch; mended, the limit is for the whole.
      then: (l, got, here) => ({
        to: mended ? (variant === "herd" ? "children" : "look") : "await",
        set: {
          watch: got.type === "watching" ? got.watch : 0,
          watches: variant === "herd" ? "*" : l.before,
          since: mended ? l.since : here.mono,
        },
      }),
    },
    ...stepsIf<ZkStep>(variant !== "herd", {
      look: {
        act: (l, here) => {
          const path = l.before ?? "";
          const waits = { type: "waiter", predecessor: path, ahead: 1 } as const;
          return callWithin(
            l,
            here,
            mended ? watchFor(waits, ZK_ROOT, "predecessor") : { call: "exists", path, watch: true },
          );
        },
        then: (l, got, here) => {
          if (isOver(got)) return { to: "give-up" };
          if (got.type === "answer")
            return {
              to: mended ? "await" : "listen",
              set: { state: "waiting", watches: l.before },
            };
          if (isExpired(got)) return { to: "expired" };
          if (mended) return { to: "unlisten", set: { watches: null } };
          // As published: gone means mine.
          return got.type === "error" && got.error === "NoNode" ? { to: "work", set: owns(l, here) } : { to: "look" };
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
        // Who watches the root looks at once, and thereby watches it again.
        if (variant === "herd") return { to: "children", set: { wokenBy } };
        return { to: "unlisten", set: { wokenBy, watches: null } };
      },
    },
  };
  return {
    id: `zookeeper-${variant}`,
    threads: mended ? { main: "begin", session: "session-listen", deadline: "session-renewed" } : { main: "begin" },
    begin: (params, { mono }) => ({
      ...NEW_LOCALS,
      ...NO_WORK,
      params,
      guid: "",
      node: null,
      before: null,
      found: null,
      owner: null,
      watch: 0,
      session: 0,
      since: mono,
      wokenBy: null,
      renewed: mono,
    }),
    knows: (l) => ({ node: l.node, watches: l.watches, woken: l.wokenBy }),
    steps: {
      begin: {
        act: () => ({ do: "decide" }),
        then: ({ params }, _got, here) => ({
          to: "root",
          set: { state: "acquiring", guid: hexId(here), since: here.mono },
          start: mended ? (params.ownDeadline ? ["session", "deadline"] : ["session"]) : [],
        }),
      },
      root: {
        act: (l, here) => callWithin(l, here, { call: "create", path: ZK_ROOT, data: "", mode: "PERSISTENT" }),
        then: (_l, got) => {
          if (isOver(got)) return { to: "give-up" };
          if (isExpired(got)) return { to: "expired" };
          return got.type === "error" && got.error !== "NodeExists" ? { to: "root" } : { to: "create" };
        },
      },
      create: {
        act: (l, here) =>
          callWithin(l, here, { call: "create", path: prefix(l), data: here.self, mode: "EPHEMERAL_SEQUENTIAL" }),
        then: (_l, got) => {
          if (isOver(got)) return { to: "give-up" };
          if (isExpired(got)) return { to: "expired" };
          // It may have been done all the same.
          if (got.type !== "answer") return { to: mended ? "find" : "create" };
          const answer = got.body as Answer;
          const node = answer.err === "OK" ? (answer.result.path ?? null) : null;
          return { to: variant === "herd" ? "listen" : "children", set: { node, identity: node } };
        },
      },
      ...stepsIf<ZkStep>(mended, {
        find: {
          act: (l, here) => callWithin(l, here, { call: "getChildren", path: ZK_ROOT, watch: false }),
          then: (l, got) => {
            if (isOver(got)) return { to: "give-up" };
            if (isExpired(got)) return { to: "expired" };
            if (got.type !== "answer") return { to: "find" };
            const name = findByGuid(childrenIn(got.body), l.guid);
            if (name === null) return { to: "create" };
            const node = `${ZK_ROOT}/${name}`;
            if (variant === "asks-owner") return { to: "whose", set: { found: node } };
            return { to: variant === "herd" ? "listen" : "children", set: { node, identity: node } };
          },
        },
      }),
      // The node may hang on a session that was given up: it goes with that one, whatever becomes of this one.
      ...stepsIf<ZkStep>(variant === "asks-owner", {
        whose: {
          act: (l, here) => callWithin(l, here, { call: "exists", path: l.found ?? "", watch: false }),
          then: (_l, got) => {
            if (isOver(got)) return { to: "give-up" };
            if (isExpired(got)) return { to: "expired" };
            if (got.type !== "answer") return { to: "find" };
            const answer = got.body as Answer;
            return {
              to: "own",
              set: { owner: answer.err === "OK" ? (answer.result.stat?.ephemeralOwner ?? null) : null },
            };
          },
        },
        own: {
          act: () => ({ do: "call", request: { type: "renewed", after: -1 } }),
          then: ({ found, owner }, got) => {
            const isOwn = got.type === "answer" && (got.body as ZkRenewed).session === owner;
            return isOwn ? { to: "children", set: { node: found, identity: found } } : { to: "clear" };
          },
        },
        clear: {
          act: (l, here) => callWithin(l, here, { call: "delete", path: l.found ?? "", version: -1 }),
          then: (_l, got) => {
            if (isOver(got)) return { to: "give-up" };
            if (isExpired(got)) return { to: "expired" };
            const isGone = got.type === "answer" || (got.type === "error" && got.error === "NoNode");
            return { to: isGone ? "create" : "find" };
          },
        },
      }),
      children: {
        act: (l, here) => callWithin(l, here, { call: "getChildren", path: ZK_ROOT, watch: variant === "herd" }),
        then: (l, got, here) => {
          if (isOver(got)) return { to: "give-up" };
          if (isExpired(got)) return { to: "expired" };
          if (got.type !== "answer" || l.node === null) return { to: "children" };
          const children = childrenIn(got.body);
          const place = placeOf(l.node, lockQueue(children, l.params.lock, variant === "by-text" ? "text" : "serial"));
          if (place.type === "lost") return { to: "expired" };
          if (place.type === "holder") return { to: "work", set: owns(l, here) };
          if (variant === "herd") return { to: "await", set: { state: "waiting", watches: "*" } };
          return { to: mended ? "listen" : "look", set: { before: place.predecessor } };
        },
      },
      ...waiting,
      ...workSteps<Zk, ZkRequest>({ done: "delete", lost: mended ? "give-up" : "delete" }),
      ...stepsIf<ZkStep>(mended, {
        ...SESSION_STEPS,
        "give-up": {
          act: () => ({ do: "decide" }),
          // Without a node that it knows of there is nothing to delete but with the session.
          then: ({ node }) => ({ to: node === null ? "close" : "delete", set: { state: "gave-up", believes: false } }),
        },
      }),
      expired: {
        act: () => ({ do: "decide" }),
        then: () => ({
          to: null,
          set: { state: "gave-up", believes: false, identity: null, token: null, deadline: null },
        }),
      },
      delete: {
        act: ({ node }) => call({ call: "delete", path: node ?? "", version: -1 }),
        then: ({ state }) => ({
          to: "close",
          set: { state: state === "gave-up" ? state : "done", believes: false, identity: null, token: null },
        }),
      },
      close: {
        act: () => call({ call: "closeSession" }),
        then: () => ({ to: null, set: { deadline: null }, stop: ["session", "deadline"] }),
      },
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
    then: ({ node }, got) => {
      const what = got.type === "event" ? (got.event as ZkTold).type : "";
      // Given up: what it has is the old session's. What it only asks for may yet be the new one's.
      const isOver = what === "Expired" || (what === "Lost" && node !== null);
      return isOver ? { to: null, interrupt: { main: "expired" }, stop: ["deadline"] } : { to: "session-await" };
    },
  },
  // For one that keeps its own deadline: each answer moves it, from when the question was sent.
  "session-renewed": {
    act: ({ renewed }) => ({ do: "call", request: { type: "renewed", after: renewed } }),
    then: (_l, got) => {
      if (got.type !== "answer") return { to: "session-renewed" };
      const { sentAt, timeout } = got.body as ZkRenewed;
      return { to: "session-renewed", set: { renewed: sentAt, deadline: sentAt + timeout } };
    },
  },
};

/** Nothing more can be asked in this session. */
function isExpired(got: Got): boolean {
  return got.type === "error" && got.error === "SessionExpired";
}

function childrenIn(body: object): readonly string[] {
  const answer = body as Answer;
  return answer.err === "OK" ? (answer.result.children ?? []) : [];
}

export const ZOOKEEPER_PUBLISHED: AnyProgram = anyProgram(zookeeper("published"));
export const ZOOKEEPER_MENDED: AnyProgram = anyProgram(zookeeper("mended"));
export const ZOOKEEPER_HERD: AnyProgram = anyProgram(zookeeper("herd"));
export const ZOOKEEPER_NO_REWATCH: AnyProgram = anyProgram(zookeeper("no-rewatch"));
export const ZOOKEEPER_BY_TEXT: AnyProgram = anyProgram(zookeeper("by-text"));
export const ZOOKEEPER_TAKES_FOUND: AnyProgram = anyProgram(zookeeper("takes-found"));
export const ZOOKEEPER_ASKS_OWNER: AnyProgram = anyProgram(zookeeper("asks-owner"));
