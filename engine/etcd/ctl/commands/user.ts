/** `user …`. */
import { fromText, toText } from "../../api/bytes.ts";
import {
  AuthUserAddRequest,
  type AuthRoleGetResponse,
  type AuthUserGetResponse,
  UserAddOptions,
} from "../../api/messages.ts";
import { create, type Of } from "../../api/proto.ts";
import type { Ticket } from "../../client/channel.ts";
import { command, type Command, type Ctl, EXIT } from "../ctl.ts";
import { unary } from "./unary.ts";

function wordsOf(ctl: Ctl, count: number, missing: string): readonly string[] {
  return ctl.words.length === count ? ctl.words : ctl.fail(EXIT.badArgs, missing);
}

/** Asking for a password twice, and the call that follows. */
interface Passworded {
  readonly pc: "first" | "second" | "line" | "call";
  readonly user: string;
  readonly password: string;
  readonly ticket: Ticket | null;
}

interface Setting {
  readonly missing: string;
  /** Whether the password is known from the line; null: it must be asked for. */
  readonly known: (ctl: Ctl) => { readonly user: string; readonly password: string } | null;
  readonly call: (ctl: Ctl, user: string, password: string) => Ticket;
  readonly deed: "user-add" | "user-passwd";
}

function setting(of: Setting): Command {
  const call = (ctl: Ctl, user: string, password: string): Passworded => ({
    pc: "call",
    user,
    password,
    ticket: of.call(ctl, user, password),
  });
  const read = (ctl: Ctl, state: Passworded): Passworded => {
    if (state.pc === "call") return state;
    const line = ctl.stdin.lastLine();
    if (line === null) return state;
    const typed = toText(line);
    // a word of standard input, as Go's Scanf takes it
    if (state.pc === "line") return call(ctl, state.user, /^\S*/.exec(typed)?.[0] ?? "");
    ctl.print("\n");
    if (state.pc === "first") {
      if (typed === "") return ctl.fail(EXIT.badArgs, "empty password");
      ctl.askSecretly(`Type password of ${state.user} again for confirmation: `);
      return read(ctl, { ...state, pc: "second", password: typed });
    }
    if (typed !== state.password) return ctl.fail(EXIT.badArgs, "given passwords are different");
    return call(ctl, state.user, typed);
  };
  return command<Passworded>({
    needs: "client",
    check: (ctl) => {
      wordsOf(ctl, 1, of.missing);
      of.known(ctl);
    },
    start: (ctl) => {
      const [user = ""] = wordsOf(ctl, 1, of.missing);
      const known = of.known(ctl);
      if (known !== null) return call(ctl, known.user, known.password);
      const interactive = ctl.bool("interactive");
      if (interactive) ctl.askSecretly(`Password of ${user}: `);
      return read(ctl, { pc: interactive ? "first" : "line", user, password: "", ticket: null });
    },
    on: (ctl, state, outcome) => {
      if (outcome.type === "input") return read(ctl, state);
      if (outcome.type === "failed" && outcome.ticket === state.ticket) return ctl.fail(EXIT.error, outcome.error);
      if (outcome.type !== "answer" || outcome.ticket !== state.ticket) return state;
      const { header } = outcome.body as { readonly header: null };
      ctl.show({ type: "deed", deed: of.deed, user: state.user, header });
      return ctl.exit();
    },
  });
}

export const add = setting({
  missing: "user add command requires user name as its argument",
  deed: "user-add",
  known: (ctl) => {
    const [word = ""] = ctl.words;
    if (ctl.bool("no-password")) return { user: word, password: "" };
    const given = ctl.text("new-user-password");
    if (given !== "") return { user: word, password: given };
    const colon = word.indexOf(":");
    if (colon < 0) return null;
    if (colon === 0) return ctl.fail(EXIT.badArgs, "empty user name is not allowed");
    return { user: word.slice(0, colon), password: word.slice(colon + 1) };
  },
  call: (ctl, name, password) => {
    const options = create(UserAddOptions, { noPassword: ctl.bool("no-password") });
    return ctl.call("Auth/UserAdd", create(AuthUserAddRequest, { name, password, options }), { deadline: null });
  },
});

export const passwd = setting({
  missing: "user passwd command requires user name as its argument",
  deed: "user-passwd",
  known: () => null,
  call: (ctl, name, password) => ctl.call("Auth/UserChangePassword", { name, password }, { deadline: null }),
});

const DELETE = "user delete command requires user name as its argument";

export const remove = unary({
  method: "Auth/UserDelete",
  limited: false,
  body: (ctl) => ({ name: wordsOf(ctl, 1, DELETE)[0] as string }),
  show: (ctl, { header }) => ctl.show({ type: "deed", deed: "user-delete", user: ctl.words[0] as string, header }),
});

export const list = unary({
  method: "Auth/UserList",
  limited: false,
  body: (ctl) => {
    wordsOf(ctl, 0, "user list command requires no arguments");
    return {};
  },
  show: (ctl, response) => ctl.show({ type: "user-list", response }),
});

const GRANT = "user grant command requires user name and role name as its argument";

export const grantRole = unary({
  method: "Auth/UserGrantRole",
  limited: false,
  body: (ctl) => {
    const [user = "", role = ""] = wordsOf(ctl, 2, GRANT);
    return { user, role };
  },
  show: (ctl, { header }) => {
    const [user = "", role = ""] = ctl.words;
    ctl.show({ type: "deed", deed: "user-grant-role", user, role, header });
  },
});

const REVOKE = "user revoke-role requires user name and role name as its argument";

export const revokeRole = unary({
  method: "Auth/UserRevokeRole",
  limited: false,
  body: (ctl) => {
    const [name = "", role = ""] = wordsOf(ctl, 2, REVOKE);
    return { name, role };
  },
  show: (ctl, { header }) => {
    const [user = "", role = ""] = ctl.words;
    ctl.show({ type: "deed", deed: "user-revoke-role", user, role, header });
  },
});

const GET = "user get command requires user name as its argument";

interface Looking {
  readonly ticket: Ticket;
  /** With `--detail`: the roles to be shown, the one that is asked for first; null before. */
  readonly roles: readonly string[] | null;
}

export const get = command<Looking>({
  needs: "client",
  check: (ctl) => void wordsOf(ctl, 1, GET),
  start: (ctl) => ({
    ticket: ctl.call("Auth/UserGet", { name: ctl.words[0] as string }, { deadline: null }),
    roles: null,
  }),
  on: (ctl, state, outcome) => {
    if (outcome.type === "failed" && outcome.ticket === state.ticket) return ctl.fail(EXIT.error, outcome.error);
    if (outcome.type !== "answer" || outcome.ticket !== state.ticket) return state;
    const user = ctl.words[0] as string;
    if (state.roles !== null) {
      const [role = "", ...left] = state.roles;
      ctl.show({ type: "role-get", role, response: outcome.body as Of<typeof AuthRoleGetResponse> });
      return nextRole(ctl, left);
    }
    const response = outcome.body as Of<typeof AuthUserGetResponse>;
    if (ctl.bool("detail")) {
      ctl.print(fromText(`User: ${user}\n`));
      return nextRole(ctl, response.roles);
    }
    ctl.show({ type: "user-get", user, response });
    return ctl.exit();
  },
});

function nextRole(ctl: Ctl, roles: readonly string[]): Looking {
  const [role] = roles;
  if (role === undefined) return ctl.exit();
  ctl.print("\n");
  return { ticket: ctl.call("Auth/RoleGet", { role }, { deadline: null }), roles };
}
