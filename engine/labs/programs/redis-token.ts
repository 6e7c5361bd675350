/**
 * Redis as it is used today: SET with NX and PX and a random token, renewed and given back by scripts that compare the
 * token. With `replicas` it believes only when so many have the write (WAIT). The fencing number is kept by INCR beside it.
 */
import { MS } from "../../base/units.ts";
import { acquireCommand, acquireFencedCommand, releaseCommand, renewCommand } from "../../redis/recipes.ts";
import { type RedisRequest, valueOf } from "../drivers/redis.ts";
import { anyProgram, type AnyProgram, type Here, NEW_LOCALS, type Program } from "../program.ts";
import { believing, NO_WORK, type WorkLocals, workSteps } from "./work.ts";
import { hexId } from "./etcd-fair.ts";

interface Token extends WorkLocals {
  readonly mine: string;
  readonly sentAt: number;
  readonly beats: number;
  readonly number: string | null;
}

const WAIT_MS = 200;

function token(id: string, fenced: boolean): Program<Token, RedisRequest> {
  const owns = (l: Token, here: Here, number: string | null) => ({
    to: "work",
    set: { ...believing(here, l.params, number), deadline: l.params.ownDeadline ? l.sentAt + l.params.ttl : null },
    start: l.params.beatFirst === null ? [] : ["heartbeat"],
  });
  return {
    id,
    threads: { main: "begin", heartbeat: "beat-sleep" },
    begin: (params, { mono }) => ({
      ...NEW_LOCALS,
      ...NO_WORK,
      params,
      mine: "",
      sentAt: mono,
      beats: mono,
      number: null,
    }),
    knows: (l) => ({ token: l.mine === "" ? null : l.mine, number: l.number }),
    steps: {
      begin: {
        act: () => ({ do: "decide" }),
        then: (_l, _got, here) => {
          const mine = hexId(here);
          return { to: "acquire", set: { mine, identity: mine, state: "acquiring", sentAt: here.mono } };
        },
      },
      acquire: {
        act: ({ params, mine }) => {
          const ms = params.ttl / MS;
          const args = fenced
            ? acquireFencedCommand(params.lock, `${params.lock}:count`, mine, ms)
            : acquireCommand(params.lock, mine, ms);
          return { do: "call", request: { args } };
        },
        then: (l, got, here) => {
          if (got.type !== "answer") return { to: "pause" };
          const gave = valueOf(got.body);
          if (gave === null) return { to: "pause", set: { state: "waiting" } };
          const number = fenced ? String(gave) : null;
          const set = { beats: here.mono, number };
          if (l.params.replicas > 0) return { to: "wait", set };
          const next = owns(l, here, number);
          return { ...next, set: { ...set, ...next.set } };
        },
      },
      wait: {
        act: ({ params }) => ({ do: "call", request: { args: ["WAIT", String(params.replicas), String(WAIT_MS)] } }),
        then: (l, got, here) =>
          got.type === "answer" && Number(valueOf(got.body)) >= l.params.replicas
            ? owns(l, here, l.number)
            : { to: "release", set: { state: "gave-up" } },
      },
      pause: {
        act: ({ params }, { mono }) => ({ do: "sleep", until: mono + params.retry }),
        then: (_l, _got, { mono }) => ({ to: "acquire", set: { sentAt: mono } }),
      },
      ...workSteps<Token, RedisRequest>({ done: "release", lost: "lost" }),
      lost: {
        act: () => ({ do: "decide" }),
        then: () => ({ to: "release", set: { believes: false, state: "gave-up" } }),
      },
      release: {
        act: ({ params, mine }) => ({ do: "call", request: { args: releaseCommand(params.lock, mine) } }),
        then: ({ state }) => ({
          to: null,
          set: {
            state: state === "gave-up" ? state : "done",
            believes: false,
            identity: null,
            token: null,
            deadline: null,
          },
          stop: ["heartbeat"],
        }),
      },
      beat: {
        act: ({ params, mine }) => ({
          do: "call",
          request: { args: renewCommand(params.lock, mine, params.ttl / MS) },
        }),
        then: (l, got) => {
          if (got.type !== "answer") return { to: "beat-sleep" };
          if (valueOf(got.body) === 0) return { to: null, set: { believes: false }, interrupt: { main: "lost" } };
          return { to: "beat-sleep", set: { deadline: l.params.ownDeadline ? l.beats + l.params.ttl : null } };
        },
      },
      "beat-sleep": {
        act: (l) => ({ do: "sleep", until: l.beats + l.params.beatEvery }),
        then: (_l, _got, { mono }) => ({ to: "beat", set: { beats: mono } }),
      },
    },
  };
}

export const REDIS_TOKEN: AnyProgram = anyProgram(token("redis-token-published", false));
export const REDIS_TOKEN_FENCED: AnyProgram = anyProgram(token("redis-token-counted", true));
