/** `elect`: campaigns until it leads and leads until Ctrl-C; with `-l` it tells who leads. */
import { RangeResponse } from "../../api/messages.ts";
import { create } from "../../api/proto.ts";
import type { Ticket } from "../../client/channel.ts";
import type { Leadership } from "../../concurrency/election.ts";
import { command, EXIT } from "../ctl.ts";

/**
 *     session    a lease is granted
 *     observe    leaders are shown as they come
 *     campaign   waits until it leads
 *     look       reads its own key
 *     lead       until Ctrl-C, or the session ends
 *     resign     deletes the key
 */
interface State {
  readonly pc: "session" | "observe" | "campaign" | "look" | "lead" | "resign";
  readonly session: number;
  readonly task: number;
  readonly ticket: Ticket | null;
  readonly leadership: Leadership | null;
  readonly expired: boolean;
}

export const elect = command<State>({
  needs: "client",
  check: (ctl) => {
    if (ctl.words.length !== 1 && ctl.words.length !== 2)
      ctl.fail(EXIT.badArgs, "elect takes one election name argument and an optional proposal argument");
  },
  start: (ctl) => {
    const listen = ctl.bool("listen");
    if (ctl.words.length === 1 && !listen) ctl.fail(EXIT.badArgs, "no proposal argument but -l not set");
    if (ctl.words.length === 2 && listen) ctl.fail(EXIT.badArgs, "proposal given but -l is set");
    const session = ctl.concurrency.session();
    return { pc: "session", session, task: 0, ticket: null, leadership: null, expired: false };
  },
  on: (ctl, state, outcome) => {
    switch (outcome.type) {
      case "session":
        if (ctl.bool("listen")) return { ...state, pc: "observe", task: ctl.concurrency.observe(ctl.bytes(0)) };
        return { ...state, pc: "campaign", task: ctl.concurrency.campaign(state.session, ctl.bytes(0), ctl.bytes(1)) };
      case "session-failed":
        return ctl.fail(EXIT.error, outcome.error);
      case "session-ended":
        return state.pc === "lead" ? ctl.fail(EXIT.error, "elect: session expired") : { ...state, expired: true };
      case "leader": {
        const { header, kv } = outcome;
        ctl.show({ type: "get", response: create(RangeResponse, { header, kvs: [kv] }) });
        return state;
      }
      case "elected": {
        const { leadership } = outcome;
        const ticket = ctl.call("KV/Range", { key: leadership.key }, { deadline: null });
        return { ...state, pc: "look", leadership, ticket };
      }
      case "answer":
        if (outcome.ticket !== state.ticket) return state;
        ctl.show({ type: "get", response: outcome.body as RangeResponse });
        return state.expired ? ctl.fail(EXIT.error, "elect: session expired") : { ...state, pc: "lead" };
      case "failed":
        return outcome.ticket === state.ticket ? ctl.fail(EXIT.error, outcome.error) : state;
      case "resigned":
        return ctl.exit();
      case "task-failed":
        if (state.pc === "observe") return ctl.fail(EXIT.error, "elect: observer lost");
        return ctl.fail(EXIT.error, outcome.error);
      default:
        return state;
    }
  },
  interrupt: (ctl, state) => {
    switch (state.pc) {
      case "session":
        return null;
      case "observe":
        return ctl.exit();
      case "campaign":
        ctl.concurrency.abandon(state.task);
        return state;
      case "look":
        return ctl.fail(EXIT.error, "context canceled");
      case "lead":
        if (state.leadership === null) return state;
        return { ...state, pc: "resign", task: ctl.concurrency.resign(state.leadership) };
      case "resign":
        return state;
    }
  },
});
