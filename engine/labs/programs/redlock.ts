/** Redlock: the token lock on several independent servers; a majority within the time that the lock is good for. */
import { MS } from "../../base/units.ts";
import { acquireCommand, judgeRedlock, releaseCommand } from "../../redis/recipes.ts";
import { type RedisRequest, valueOf } from "../drivers/redis.ts";
import { anyProgram, type AnyProgram, NEW_LOCALS, type Program } from "../program.ts";
import { hexId } from "./etcd-fair.ts";
import { believing, NO_WORK, type WorkLocals, workSteps } from "./work.ts";

interface Redlock extends WorkLocals {
  readonly mine: string;
  readonly startedAt: number;
  readonly next: number;
  readonly granted: number;
}

/** A server that does not answer must not use up the lock's time. */
const SERVER_TIMEOUT = 50 * MS;

const program: Program<Redlock, RedisRequest> = {
  id: "redlock-published",
  threads: { main: "begin" },
  begin: (params, { mono }) => ({ ...NEW_LOCALS, ...NO_WORK, params, mine: "", startedAt: mono, next: 0, granted: 0 }),
  knows: (l) => ({ token: l.mine === "" ? null : l.mine, granted: `${l.granted}/${l.params.servers}` }),
  steps: {
    begin: {
      act: () => ({ do: "decide" }),
      then: (_l, _got, here) => {
        const mine = hexId(here);
        return {
          to: "ask",
          set: { mine, identity: mine, state: "acquiring", startedAt: here.mono, next: 0, granted: 0 },
        };
      },
    },
    ask: {
      act: ({ params, mine, next }) => ({
        do: "call",
        request: { args: acquireCommand(params.lock, mine, params.ttl / MS), server: next },
        timeout: SERVER_TIMEOUT,
      }),
      then: (l, got) => {
        const granted = l.granted + (got.type === "answer" && valueOf(got.body) !== null ? 1 : 0);
        const next = l.next + 1;
        return { to: next < l.params.servers ? "ask" : "judge", set: { granted, next } };
      },
    },
    judge: {
      act: () => ({ do: "decide" }),
      then: (l, _got, here) => {
        const { params, startedAt, granted } = l;
        const verdict = judgeRedlock(params.servers, granted, params.ttl / MS, (here.mono - startedAt) / MS);
        if (verdict.type === "failed") return { to: "undo", set: { next: 0, state: "waiting" } };
        const deadline = params.ownDeadline ? here.mono + verdict.validMs * MS : null;
        return { to: "work", set: { ...believing(here, params, null), deadline } };
      },
    },
    undo: {
      act: ({ params, mine, next }) => ({
        do: "call",
        request: { args: releaseCommand(params.lock, mine), server: next },
        timeout: SERVER_TIMEOUT,
      }),
      then: (l) => {
        const next = l.next + 1;
        return { to: next < l.params.servers ? "undo" : "pause", set: { next } };
      },
    },
    pause: {
      act: ({ params }, { mono, rng }) => ({ do: "sleep", until: mono + rng.between(1, params.retry) }),
      then: () => ({ to: "begin" }),
    },
    ...workSteps<Redlock, RedisRequest>({ done: "give-back", lost: "give-back" }),
    "give-back": {
      act: () => ({ do: "decide" }),
      then: () => ({ to: "release", set: { next: 0, state: "releasing", believes: false, deadline: null } }),
    },
    release: {
      act: ({ params, mine, next }) => ({
        do: "call",
        request: { args: releaseCommand(params.lock, mine), server: next },
        timeout: SERVER_TIMEOUT,
      }),
      then: (l) => {
        const next = l.next + 1;
        return next < l.params.servers
          ? { to: "release", set: { next } }
          : { to: null, set: { next, state: "done", identity: null } };
      },
    },
  },
};

export const REDLOCK: AnyProgram = anyProgram(program);
