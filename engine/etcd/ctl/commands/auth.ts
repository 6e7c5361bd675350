/** `auth enable` and `auth disable`. */
import type { Micros } from "../../../base/units.ts";
import { errorName } from "../../api/errors.ts";
import type { Ticket } from "../../client/channel.ts";
import { command, EXIT } from "../ctl.ts";
import { unary } from "./unary.ts";

/** When root lacks the role root, it is made and granted on the way, and enabling is tried again. */
interface Enabling {
  readonly pc: "enable" | "make-role" | "grant-role";
  readonly ticket: Ticket;
  readonly deadline: Micros;
}

export const enable = command<Enabling>({
  needs: "client",
  check: (ctl) => {
    if (ctl.words.length > 0) ctl.fail(EXIT.badArgs, "auth enable command does not accept any arguments");
  },
  start: (ctl) => {
    const deadline = ctl.deadline();
    return { pc: "enable", ticket: ctl.call("Auth/AuthEnable", {}, { deadline }), deadline };
  },
  on: (ctl, { pc, ticket, deadline }, outcome) => {
    if ((outcome.type !== "answer" && outcome.type !== "failed") || outcome.ticket !== ticket)
      return { pc, ticket, deadline };
    const error = outcome.type === "failed" ? outcome.error : null;
    const name = error === null ? null : errorName(error);
    switch (pc) {
      case "enable":
        if (error === null) {
          ctl.print("Authentication Enabled\n");
          return ctl.exit();
        }
        if (name !== "RootRoleNotExist") return ctl.fail(EXIT.error, error);
        return { pc: "make-role", ticket: ctl.call("Auth/RoleAdd", { name: "root" }, { deadline }), deadline };
      case "make-role": {
        // also when the role is there and only not granted
        if (error !== null) return ctl.fail(EXIT.error, error);
        const granting = ctl.call("Auth/UserGrantRole", { user: "root", role: "root" }, { deadline });
        return { pc: "grant-role", ticket: granting, deadline };
      }
      case "grant-role":
        if (error !== null) return ctl.fail(EXIT.error, error);
        return { pc: "enable", ticket: ctl.call("Auth/AuthEnable", {}, { deadline }), deadline };
    }
  },
});

export const disable = unary({
  method: "Auth/AuthDisable",
  limited: true,
  body: (ctl) => {
    if (ctl.words.length > 0) ctl.fail(EXIT.badArgs, "auth disable command does not accept any arguments");
    return {};
  },
  show: (ctl) => ctl.print("Authentication Disabled\n"),
});
