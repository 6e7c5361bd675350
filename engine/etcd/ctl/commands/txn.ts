/** `txn`: compares, requests if they hold, requests if not, each part ended by an empty line. */
import type { Bytes } from "../../api/bytes.ts";
import type { Compare, RequestOp, TxnResponse } from "../../api/messages.ts";
import { type Ticket } from "../../client/channel.ts";
import { command, type Ctl, EXIT } from "../ctl.ts";
import { parseCompare, parseRequest } from "./txn-input.ts";

const PROMPTS = ["compares:", "success requests (get, put, del):", "failure requests (get, put, del):"] as const;

interface State {
  /** Which part is read; 3: it is sent. */
  readonly part: number;
  readonly compare: readonly Compare[];
  readonly success: readonly RequestOp[];
  readonly failure: readonly RequestOp[];
  readonly ticket: Ticket | null;
  /** A request that is none was typed, and the tool waits for it for ever. */
  readonly stuck: boolean;
}

export const txn = command<State>({
  needs: "client",
  check: (ctl) => {
    if (ctl.words.length > 0) ctl.fail(EXIT.badArgs, "txn command does not accept argument");
  },
  start: (ctl) => {
    prompt(ctl, 0);
    return read(ctl, { part: 0, compare: [], success: [], failure: [], ticket: null, stuck: false });
  },
  on: (ctl, state, outcome) => {
    if (outcome.type === "input") return read(ctl, state);
    if (outcome.type === "failed" && outcome.ticket === state.ticket) return ctl.fail(EXIT.error, outcome.error);
    if (outcome.type !== "answer" || outcome.ticket !== state.ticket) return state;
    ctl.show({ type: "txn", response: outcome.body as TxnResponse });
    return ctl.exit();
  },
});

function prompt(ctl: Ctl, part: number): void {
  if (ctl.bool("interactive")) ctl.print(`${PROMPTS[part] as string}\n`);
}

function read(ctl: Ctl, from: State): State {
  let state = from;
  while (state.part < 3 && !state.stuck) {
    const line = ctl.stdin.line();
    if (line === null) return ctl.stdin.ended ? ctl.fail(EXIT.invalidInput, "EOF") : state;
    state = take(ctl, state, line.replaceAll("\r", "").replace(/^[\t\n\v\f\r ]+|[\t\n\v\f\r ]+$/g, ""));
  }
  return state;
}

function take(ctl: Ctl, state: State, line: Bytes): State {
  if (line !== "") {
    if (state.part === 0) return { ...state, compare: [...state.compare, parseCompare(ctl, line)] };
    const request = parseRequest(ctl, line);
    if (request === null) return { ...state, stuck: true };
    return state.part === 1
      ? { ...state, success: [...state.success, request] }
      : { ...state, failure: [...state.failure, request] };
  }
  const part = state.part + 1;
  if (part < 3) {
    prompt(ctl, part);
    return { ...state, part };
  }
  const { compare, success, failure } = state;
  return { ...state, part, ticket: ctl.call("KV/Txn", { compare, success, failure }, { deadline: null }) };
}
