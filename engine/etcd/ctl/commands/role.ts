/** `role …`. */
import { type Bytes, FROM_KEY, prefixEnd } from "../../api/bytes.ts";
import { Permission } from "../../api/messages.ts";
import { create } from "../../api/proto.ts";
import { type Ctl, EXIT } from "../ctl.ts";
import { unary } from "./unary.ts";

function roleOf(ctl: Ctl, deed: "add" | "delete" | "get"): string {
  if (ctl.words.length === 1) return ctl.words[0] as string;
  return ctl.fail(EXIT.badArgs, `role ${deed} command requires role name as its argument`);
}

export const add = unary({
  method: "Auth/RoleAdd",
  limited: false,
  body: (ctl) => ({ name: roleOf(ctl, "add") }),
  show: (ctl, { header }) => ctl.show({ type: "deed", deed: "role-add", role: roleOf(ctl, "add"), header }),
});

export const remove = unary({
  method: "Auth/RoleDelete",
  limited: false,
  body: (ctl) => ({ role: roleOf(ctl, "delete") }),
  show: (ctl, { header }) => ctl.show({ type: "deed", deed: "role-delete", role: roleOf(ctl, "delete"), header }),
});

export const get = unary({
  method: "Auth/RoleGet",
  limited: false,
  body: (ctl) => ({ role: roleOf(ctl, "get") }),
  show: (ctl, response) => ctl.show({ type: "role-get", role: roleOf(ctl, "get"), response }),
});

export const list = unary({
  method: "Auth/RoleList",
  limited: false,
  body: (ctl) => {
    if (ctl.words.length > 0) ctl.fail(EXIT.badArgs, "role list command requires no arguments");
    return {};
  },
  show: (ctl, response) => ctl.show({ type: "role-list", response }),
});

/** The span of a permission: the words from `first` on, and the flags. An empty key is the first key there can be. */
function span(ctl: Ctl, first: number): { readonly key: Bytes; readonly rangeEnd: Bytes } {
  const key = ctl.bytes(first);
  const [prefix, fromKey] = [ctl.bool("prefix"), ctl.bool("from-key")];
  const hasEnd = ctl.words.length > first + 1;
  const wrong = (why: string): never => ctl.fail(EXIT.badArgs, why);
  if (prefix && fromKey && (key === "" || !hasEnd))
    return wrong("--from-key and --prefix flags are mutually exclusive");
  if (key === "") return { key: "\0", rangeEnd: prefix || fromKey ? FROM_KEY : "" };
  if (!hasEnd) return { key, rangeEnd: prefix ? prefixEnd(key) : fromKey ? FROM_KEY : "" };
  if (prefix) return wrong("unexpected endkey argument with --prefix flag");
  if (fromKey) return wrong("unexpected endkey argument with --from-key flag");
  return { key, rangeEnd: ctl.bytes(first + 1) };
}

const TYPES = ["READ", "WRITE", "READWRITE"] as const;

function permission(ctl: Ctl): Permission {
  if (ctl.words.length < 3)
    return ctl.fail(
      EXIT.badArgs,
      "role grant command requires role name, permission type, and key [endkey] as its argument",
    );
  const word = ctl.words[1] as string;
  const permType = TYPES.find((type) => type === word.toUpperCase());
  if (permType === undefined) return ctl.fail(EXIT.badArgs, `invalid permission type: ${word}`);
  return create(Permission, { permType, ...span(ctl, 2) });
}

export const grantPermission = unary({
  method: "Auth/RoleGrantPermission",
  limited: false,
  body: (ctl) => {
    const perm = permission(ctl);
    return { name: ctl.words[0] as string, perm };
  },
  show: (ctl, { header }) =>
    ctl.show({ type: "deed", deed: "role-grant-permission", role: ctl.words[0] as string, header }),
});

function revoked(ctl: Ctl): { readonly role: string; readonly key: Bytes; readonly rangeEnd: Bytes } {
  if (ctl.words.length < 2)
    return ctl.fail(EXIT.badArgs, "role revoke-permission command requires role name and key [endkey] as its argument");
  return { role: ctl.words[0] as string, ...span(ctl, 1) };
}

export const revokePermission = unary({
  method: "Auth/RoleRevokePermission",
  limited: false,
  body: revoked,
  show: (ctl, { header }) => {
    const { role, rangeEnd: end } = revoked(ctl);
    // the key as it was typed
    ctl.show({ type: "deed", deed: "role-revoke-permission", role, key: ctl.bytes(1), end, header });
  },
});
