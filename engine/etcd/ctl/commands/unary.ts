/** A command that makes one call and shows its answer. */
import type { EtcdError } from "../../api/errors.ts";
import type { RequestOf, ResponseOf, UnaryMethod } from "../../api/methods.ts";
import { command, type Command, type Ctl, EXIT } from "../ctl.ts";

interface Unary<M extends UnaryMethod> {
  readonly method: M;
  /** Reads the line, and ends the run when it is wrong. Read again once there is a client. */
  readonly body: (ctl: Ctl) => Partial<RequestOf<M>>;
  /** What is looked at before there is a client, where that is less than all of `body`. */
  readonly early?: (ctl: Ctl) => void;
  /** Whether more input is needed first. */
  readonly ready?: (ctl: Ctl) => boolean;
  /** Whether `--command-timeout` limits it. */
  readonly limited: boolean;
  readonly show: (ctl: Ctl, response: ResponseOf<M>) => void;
  readonly refused?: (ctl: Ctl, error: EtcdError) => never;
}

export function unary<M extends UnaryMethod>(of: Unary<M>): Command {
  return command({
    needs: "client",
    check: (ctl) => {
      if (of.ready?.(ctl) === false) return false;
      (of.early ?? of.body)(ctl);
      return true;
    },
    start: (ctl) => ({
      ticket: ctl.call(of.method, of.body(ctl), { deadline: of.limited ? ctl.deadline() : null }),
    }),
    on: (ctl, state, outcome) => {
      if (outcome.type === "failed" && outcome.ticket === state.ticket)
        return of.refused === undefined ? ctl.fail(EXIT.error, outcome.error) : of.refused(ctl, outcome.error);
      if (outcome.type !== "answer" || outcome.ticket !== state.ticket) return state;
      of.show(ctl, outcome.body as ResponseOf<M>);
      return ctl.exit();
    },
  });
}
