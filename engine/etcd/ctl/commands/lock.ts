/** `lock`: holds a lock until Ctrl-C, or while a program runs. */
import type { RangeResponse } from "../../api/messages.ts";
import type { Ticket } from "../../client/channel.ts";
import { command, type Ctl, EXIT, type Outcome } from "../ctl.ts";
import { SESSION_TTL } from "../../concurrency/client.ts";
import { runProgram } from "../programs.ts";

/**
 *     session   a lease is granted
 *     lock      waits for its turn
 *     look      reads its own key
 *     hold      until Ctrl-C, or the session ends
 *     release   deletes the key; `code` is how the run then ends
 */
interface State {
  readonly pc: "session" | "lock" | "look" | "hold" | "release";
  readonly session: number;
  /** The task of `lock` or `release`. */
  readonly task: number;
  readonly ticket: Ticket | null;
  /** Of the program that was run: why it failed. */
  readonly error: string | null;
  /** The session ended before the lock was shown. */
  readonly expired: boolean;
}

export const lock = command<State>({
  needs: "client",
  check: (ctl) => {
    if (ctl.words.length === 0)
      ctl.fail(EXIT.badArgs, "lock takes a lock name argument and an optional command to execute");
  },
  start: (ctl) => {
    const ttl = ctl.number("ttl");
    const session = ctl.concurrency.session({ ttl: ttl > 0 ? ttl : SESSION_TTL });
    return { pc: "session", session, task: 0, ticket: null, error: null, expired: false };
  },
  on: (ctl, state, outcome) => {
    switch (outcome.type) {
      case "session":
        return { ...state, pc: "lock", task: ctl.concurrency.lock(state.session, ctl.bytes(0)) };
      case "session-failed":
        return ctl.fail(EXIT.error, outcome.error);
      case "session-ended":
        return state.pc === "hold" ? ctl.fail(EXIT.error, "session expired") : { ...state, expired: true };
      case "locked":
        return ctl.words.length > 1 ? run(ctl, state, outcome) : look(ctl, state, outcome);
      case "unlocked":
        return state.error === null ? ctl.exit() : ctl.fail(EXIT.error, state.error);
      case "task-failed":
        return ctl.fail(EXIT.error, state.error ?? outcome.error);
      case "failed":
        return outcome.ticket === state.ticket ? ctl.fail(EXIT.error, outcome.error) : state;
      case "answer":
        return outcome.ticket === state.ticket ? held(ctl, state, outcome.body as RangeResponse) : state;
      default:
        return state;
    }
  },
  interrupt: (ctl, state) => {
    switch (state.pc) {
      case "session":
        return null;
      case "lock":
        ctl.concurrency.abandon(state.task);
        return state;
      case "look":
        return ctl.fail(EXIT.error, "context canceled");
      case "hold":
        return { ...state, pc: "release", task: ctl.concurrency.unlock(state.task) };
      case "release":
        return state;
    }
  },
});

type Got = Extract<Outcome, { readonly type: "locked" }>;

function look(ctl: Ctl, state: State, { key }: Got): State {
  return { ...state, pc: "look", ticket: ctl.call("KV/Range", { key }, { deadline: null }) };
}

function run(ctl: Ctl, state: State, { key, ownRevision, task }: Got): State {
  const env = { ...ctl.env, ETCD_LOCK_KEY: key, ETCD_LOCK_REV: String(ownRevision) };
  const ran = runProgram(ctl.words.slice(1), env);
  ctl.print(ran.stdout);
  return { ...state, pc: "release", error: ran.error, task: ctl.concurrency.unlock(task) };
}

function held(ctl: Ctl, state: State, response: RangeResponse): State {
  if (response.kvs.length === 0) return ctl.fail(EXIT.error, "lock lost on init");
  ctl.show({ type: "get", response });
  return state.expired ? ctl.fail(EXIT.error, "session expired") : { ...state, pc: "hold" };
}
