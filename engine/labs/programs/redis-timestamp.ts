/**
 * Redis, the old way: the value says until when the lock is held, by its owner's clock, and who finds that past takes
 * over with GETSET. Published gives back with a plain DEL; mended only what is still its own.
 */
import { MS } from "../../base/units.ts";
import { isTimestampOver, RELEASE_SCRIPT, wonTakeover } from "../../redis/recipes.ts";
import { type RedisRequest, valueOf } from "../drivers/redis.ts";
import { anyProgram, type AnyProgram, type Here, NEW_LOCALS, type Program, type Step, stepsIf } from "../program.ts";
import { believing, NO_WORK, type WorkLocals, workSteps } from "./work.ts";

interface Timestamp extends WorkLocals {
  readonly startedAt: number;
  /** What it wrote, or would. */
  readonly mine: string | null;
  readonly shown: string | null;
  readonly tried: number;
}

type TimestampStep = Step<Timestamp, RedisRequest>;

const wallMs = ({ wall }: Here): number => Math.floor(wall / MS);

/** `if-live`: as published, but the late owner's DEL is asked whether the time of the key is over: that of the next owner. */
function timestamp(variant: "published" | "mended" | "if-live"): Program<Timestamp, RedisRequest> {
  const mended = variant === "mended";
  const until = (l: Timestamp, here: Here): string => String(wallMs(here) + l.params.ttl / MS);
  const stamped = (l: Timestamp, here: Here): Partial<Timestamp> => {
    const mine = until(l, here);
    return { mine, identity: mine, tried: here.mono };
  };
  const owns = (l: Timestamp, here: Here) => ({
    to: "expire",
    set: {
      ...believing(here, l.params, null),
      deadline: l.params.ownDeadline ? l.tried + l.params.ttl : null,
    },
  });
  return {
    id: `redis-timestamp-${variant}`,
    threads: { main: "stamp" },
    begin: (params, { mono }) => ({
      ...NEW_LOCALS,
      ...NO_WORK,
      state: "acquiring",
      params,
      startedAt: mono,
      mine: null,
      shown: null,
      tried: mono,
    }),
    knows: (l) => ({ mine: l.mine, shown: l.shown }),
    steps: {
      stamp: {
        act: () => ({ do: "decide" }),
        then: (l, _got, here) => ({ to: "setnx", set: stamped(l, here) }),
      },
      setnx: {
        act: ({ params, mine }) => ({ do: "call", request: { args: ["SETNX", params.lock, mine ?? ""] } }),
        then: (l, got, here) => {
          if (got.type !== "answer") return { to: "pause" };
          return valueOf(got.body) === 1 ? owns(l, here) : { to: "get", set: { state: "waiting" } };
        },
      },
      get: {
        act: (l) => ({ do: "call", request: { args: ["GET", l.params.lock] } }),
        then: (l, got, here) => {
          if (got.type !== "answer") return { to: "pause" };
          const shown = valueOf(got.body);
          // Gone meanwhile; the published program would fail to parse it.
          if (shown === null) return mended ? { to: "stamp" } : { to: "get-nil", set: { shown: null } };
          const text = String(shown);
          if (!isTimestampOver(text, wallMs(here))) return { to: "pause", set: { shown: text } };
          return { to: "getset", set: { shown: text, ...stamped(l, here) } };
        },
      },
      ...stepsIf<TimestampStep>(!mended, {
        "get-nil": { act: () => ({ do: "decide" }), then: () => ({ to: "pause" }) },
      }),
      getset: {
        act: ({ params, mine }) => ({ do: "call", request: { args: ["GETSET", params.lock, mine ?? ""] } }),
        then: (l, got, here) => {
          if (got.type !== "answer") return { to: "pause" };
          const gave = valueOf(got.body);
          return wonTakeover(l.shown ?? "", gave === null ? null : String(gave)) ? owns(l, here) : { to: "pause" };
        },
      },
      pause: {
        act: ({ params }, { mono }) => ({ do: "sleep", until: mono + params.retry }),
        then: (l, _got, { mono }) =>
          l.params.limit !== null && mono >= l.startedAt + l.params.limit
            ? { to: null, set: { state: "gave-up", identity: null } }
            : { to: "stamp" },
      },
      expire: {
        act: ({ params }) => ({ do: "call", request: { args: ["PEXPIRE", params.lock, String(params.ttl / MS)] } }),
        then: () => ({ to: "work" }),
      },
      ...workSteps<Timestamp, RedisRequest>({
        done: variant === "if-live" ? "look" : "release",
        lost: variant === "if-live" ? "look" : "release",
      }),
      ...(variant === "if-live" ? { look: LOOK_BEFORE_RELEASE } : {}),
      release: {
        act: ({ params, mine }) => ({
          do: "call",
          request: {
            args: mended ? ["EVAL", RELEASE_SCRIPT, "1", params.lock, mine ?? ""] : ["DEL", params.lock],
          },
        }),
        then: () => ({ to: null, set: { state: "done", believes: false, identity: null, deadline: null } }),
      },
    },
  };
}

const LOOK_BEFORE_RELEASE: TimestampStep = {
  act: (l) => ({ do: "call", request: { args: ["GET", l.params.lock] } }),
  then: (_l, got, here) => {
    const shown = got.type === "answer" ? valueOf(got.body) : null;
    if (shown !== null && !isTimestampOver(String(shown), wallMs(here))) return { to: "release" };
    return { to: null, set: { state: "done", believes: false, identity: null, deadline: null } };
  },
};

export const REDIS_TIMESTAMP_PUBLISHED: AnyProgram = anyProgram(timestamp("published"));
export const REDIS_TIMESTAMP_MENDED: AnyProgram = anyProgram(timestamp("mended"));
export const REDIS_TIMESTAMP_IF_LIVE: AnyProgram = anyProgram(timestamp("if-live"));
