import { describe, expect, it } from "vitest";
import { AuthRoleGrantPermissionRequest, InternalRaftRequest, Permission } from "../api/messages.ts";
import { create } from "../api/proto.ts";
import type { Compat } from "../mvcc/mvcc.ts";
import { Bench, compareOf, lease, op, putOf, rangeOf, textOf, txnOf } from "../testing.ts";
import type { AuthInfo } from "./auth-store.ts";

type Given = Partial<InternalRaftRequest>;

const addUser = (name: string, password = "pw", noPassword = false): Given => ({
  authUserAdd: { name, password, options: { noPassword }, hashedPassword: "" },
});
const addRole = (name: string): Given => ({ authRoleAdd: { name } });
const grantRole = (user: string, role: string): Given => ({ authUserGrantRole: { user, role } });
const allow = (name: string, permType: Permission["permType"], key: string, rangeEnd = ""): Given => ({
  authRoleGrantPermission: create(AuthRoleGrantPermissionRequest, { name, perm: { permType, key, rangeEnd } }),
});

class Guarded extends Bench {
  constructor(compat: Compat = "3.5") {
    super({ compat });
  }

  /** As a user, who was looked up at the present revision; null: nobody. */
  as(username: string | null, request: Given, revision = this.state.auth.revision): string | null {
    const header = { id: "1", username: username ?? "", authRevision: username === null ? 0 : revision };
    return textOf(this.apply({ ...request, header }).response);
  }

  /** A root, and a user `u` with the role `r`. */
  enabled(): this {
    for (const request of [
      addUser("root"),
      addRole("root"),
      grantRole("root", "root"),
      addUser("u"),
      addRole("r"),
      grantRole("u", "r"),
      { authEnable: {} },
    ])
      expect(this.as(null, request)).toBeNull();
    return this;
  }

  info(username: string): AuthInfo {
    return { username, revision: this.state.auth.revision };
  }
}

describe("users and roles", () => {
  it("what is there already, or is not, is told", () => {
    const bench = new Guarded();
    const told = (request: Given) => bench.as(null, request);
    expect(told(addUser(""))).toBe("user name is empty");
    expect(told(addUser("u"))).toBeNull();
    expect(told(addUser("u"))).toBe("user name already exists");
    expect(told(addRole(""))).toBe("role name is empty");
    expect(told(addRole("r"))).toBeNull();
    expect(told(addRole("r"))).toBe("role name already exists");
    expect(told(grantRole("x", "r"))).toBe("user name not found");
    expect(told(grantRole("u", "x"))).toBe("role name not found");
    expect(told(grantRole("u", "root")), "root needs not be added").toBeNull();
    expect(told({ authUserRevokeRole: { name: "u", role: "r" } })).toBe("role is not granted to the user");
    expect(told({ authUserRevokeRole: { name: "x", role: "r" } })).toBe("user name not found");
    expect(told({ authUserGet: { name: "x" } })).toBe("user name not found");
    expect(told({ authRoleGet: { role: "x" } })).toBe("role name not found");
    expect(told({ authUserDelete: { name: "x" } })).toBe("user name not found");
    expect(told({ authRoleDelete: { role: "x" } })).toBe("role name not found");
    expect(told({ authUserChangePassword: { name: "x", password: "", hashedPassword: "" } })).toBe(
      "user name not found",
    );
    expect(told(allow("x", "READ", "k"))).toBe("role name not found");
    expect(told({ authRoleGrantPermission: { name: "r", perm: null } })).toBe("permission not given");
    expect(told({ authRoleRevokePermission: { role: "r", key: "k", rangeEnd: "" } })).toBe(
      "permission is not granted to the role",
    );
  });

  it("each change counts one revision; what changes nothing counts none", () => {
    const bench = new Guarded();
    expect(bench.state.auth.revision).toBe(1);
    bench.as(null, addUser("u"));
    bench.as(null, addRole("r"));
    bench.as(null, grantRole("u", "r"));
    bench.as(null, grantRole("u", "r"));
    bench.as(null, addUser("u"));
    expect(bench.state.auth.revision).toBe(4);
    expect(bench.revision, "the store's own stands").toBe(1);
  });

  it("lists are in order; a deleted role is taken from who had it", () => {
    const bench = new Guarded();
    for (const name of ["b", "a"]) bench.as(null, addUser(name));
    for (const name of ["r2", "r1"]) bench.as(null, addRole(name));
    for (const role of ["r2", "r1"]) bench.as(null, grantRole("a", role));
    expect(bench.apply({ authUserList: {} }).response).toMatchObject({ users: ["a", "b"] });
    expect(bench.apply({ authRoleList: {} }).response).toMatchObject({ roles: ["r1", "r2"] });
    bench.as(null, { authRoleDelete: { role: "r1" } });
    expect(bench.apply({ authUserGet: { name: "a" } }).response).toMatchObject({ roles: ["r2"] });
  });

  it("a permission for the same span replaces the one before, others stand in the order of keys", () => {
    const bench = new Guarded();
    bench.as(null, addRole("r"));
    for (const request of [allow("r", "READ", "k"), allow("r", "READ", "a", "b"), allow("r", "WRITE", "k")])
      bench.as(null, request);
    const perms = () => (bench.apply({ authRoleGet: { role: "r" } }).response as { perm: readonly Permission[] }).perm;
    expect(perms().map(({ permType, key, rangeEnd }) => [permType, key, rangeEnd])).toEqual([
      ["READ", "a", "b"],
      ["WRITE", "k", ""],
    ]);
    bench.as(null, { authRoleRevokePermission: { role: "r", key: "a", rangeEnd: "b" } });
    expect(perms()).toHaveLength(1);
  });

  it("3.5: a span that is none cannot be granted; 3.4 takes it", () => {
    for (const [compat, told] of [
      ["3.5", "invalid auth management"],
      ["3.4", null],
    ] as const) {
      const bench = new Guarded(compat);
      bench.as(null, addRole("r"));
      expect(bench.as(null, allow("r", "READ", "z", "a"))).toBe(told);
      expect(bench.as(null, allow("r", "READ", ""))).toBe(told);
      expect(bench.as(null, allow("r", "READ", "z", "\0"))).toBeNull();
    }
  });

  it("the role root may all, and 3.5 says so", () => {
    for (const [compat, count] of [
      ["3.5", 1],
      ["3.4", 0],
    ] as const) {
      const bench = new Guarded(compat);
      bench.as(null, addRole("root"));
      expect(
        (bench.apply({ authRoleGet: { role: "root" } }).response as { perm: readonly object[] }).perm,
      ).toHaveLength(count);
    }
  });
});

describe("switching it on and off", () => {
  it("needs a user root who has the role root", () => {
    const bench = new Guarded();
    expect(bench.as(null, { authEnable: {} })).toBe("root user does not exist");
    bench.as(null, addUser("root"));
    expect(bench.as(null, { authEnable: {} })).toBe("root user does not have root role");
    bench.as(null, grantRole("root", "root"));
    expect(bench.as(null, { authEnable: {} })).toBeNull();
    expect(bench.state.auth.enabled).toBe(true);
  });

  it("root's user, role and their tie stay while it is on", () => {
    const bench = new Guarded().enabled();
    expect(bench.as("root", { authUserDelete: { name: "root" } })).toBe("invalid auth management");
    expect(bench.as("root", { authRoleDelete: { role: "root" } })).toBe("invalid auth management");
    expect(bench.as("root", { authUserRevokeRole: { name: "root", role: "root" } })).toBe("invalid auth management");
    expect(bench.as("root", { authDisable: {} })).toBeNull();
    expect(bench.as(null, { authUserDelete: { name: "root" } })).toBeNull();
  });

  it("off, anybody may do anything; disabling takes all tokens", () => {
    const bench = new Guarded().enabled();
    const token = bench.state.auth.addToken("u", "abc", 9);
    expect(bench.state.auth.infoOf(token)).toMatchObject({ username: "u" });
    bench.as("root", { authDisable: {} });
    expect(bench.state.auth.infoOf(token)).toBeNull();
    expect(bench.as(null, { put: putOf("k") })).toBeNull();
    bench.as(null, { authEnable: {} });
    expect(textOf(bench.state.auth.infoOf(token))).toBe("invalid auth token");
  });
});

describe("who may", () => {
  it("who says nothing has an empty name, whose users changed since has an old revision", () => {
    const bench = new Guarded().enabled();
    bench.as("root", allow("r", "WRITE", "k"));
    expect(bench.as(null, { put: putOf("k") })).toBe("user name is empty");
    expect(bench.as("u", { put: putOf("k") }, bench.state.auth.revision - 1)).toBe("revision of auth store is old");
    expect(bench.as("u", { put: putOf("k") })).toBeNull();
    expect(bench.as("nobody", { put: putOf("k") })).toBe("permission denied");
  });

  it("a put needs to write, and to read for prev_kv; a delete too", () => {
    const bench = new Guarded().enabled();
    bench.as("root", allow("r", "WRITE", "k"));
    expect(bench.as("u", { put: putOf("k", "", { prevKv: true }) })).toBe("permission denied");
    expect(bench.as("u", { deleteRange: { key: "k", rangeEnd: "", prevKv: false } })).toBeNull();
    expect(bench.as("u", { deleteRange: { key: "k", rangeEnd: "", prevKv: true } })).toBe("permission denied");
    expect(bench.as("u", { deleteRange: { key: "k", rangeEnd: "l", prevKv: false } })).toBe("permission denied");
  });

  it("a span must lie within what is granted, which may be put together of several", () => {
    const bench = new Guarded().enabled();
    const { auth } = bench.state;
    const told = (key: string, rangeEnd = "") => textOf(auth.checkRange(bench.info("u"), rangeOf(key, { rangeEnd })));
    bench.as("root", allow("r", "READ", "a", "c"));
    bench.as("root", allow("r", "READWRITE", "c", "e"));
    bench.as("root", allow("r", "READ", "x"));
    bench.as("root", allow("r", "WRITE", "e", "g"));
    expect([told("a"), told("a", "e"), told("b", "d"), told("x")]).toEqual([null, null, null, null]);
    for (const [key, end] of [
      ["a", "f"],
      ["e", ""],
      ["x", "y"],
      ["a", "\0"],
      ["A", "b"],
    ] as const)
      expect(told(key, end)).toBe("permission denied");
    bench.as("root", allow("r", "READ", "e", "\0"));
    expect([told("a", "\0"), told("zzz")]).toEqual([null, null]);
  });

  it("of a transaction all compares and both branches, nested ones too", () => {
    const bench = new Guarded().enabled();
    bench.as("root", allow("r", "WRITE", "w"));
    bench.as("root", allow("r", "READ", "r"));
    const told = (given: Parameters<typeof txnOf>[0]) => bench.as("u", { txn: txnOf(given) });
    expect(told({ compare: [compareOf("r", {})], success: [op.put("w")], failure: [op.get("r")] })).toBeNull();
    expect(told({ compare: [compareOf("w", {})] })).toBe("permission denied");
    expect(told({ failure: [op.put("r")] })).toBe("permission denied");
    expect(told({ success: [op.txn({ failure: [op.del("r")] })] })).toBe("permission denied");
  });

  it("a lease is taken over or ended only by who may write all of its keys", () => {
    const bench = new Guarded().enabled();
    bench.as("root", allow("r", "WRITE", "mine"));
    bench.grant(7);
    expect(bench.as("root", { put: putOf("theirs", "", { lease: lease(7) }) })).toBeNull();
    expect(bench.as("u", { put: putOf("mine", "", { lease: lease(7) }) })).toBe("permission denied");
    expect(bench.as("u", { leaseRevoke: { id: lease(7) } })).toBe("permission denied");
    expect(bench.as("root", { leaseRevoke: { id: lease(7) } })).toBeNull();
  });

  it("users and roles are root's, but one's own may be looked at", () => {
    const bench = new Guarded().enabled();
    expect(bench.as("u", addUser("x"))).toBe("permission denied");
    expect(bench.as("u", { authUserList: {} })).toBe("permission denied");
    expect(bench.as(null, { authUserList: {} })).toBe("user name is empty");
    expect(bench.as("u", { authUserGet: { name: "u" } })).toBeNull();
    expect(bench.as("u", { authUserGet: { name: "root" } })).toBe("permission denied");
    expect(bench.as("u", { authRoleGet: { role: "r" } })).toBeNull();
    expect(bench.as("u", { authRoleGet: { role: "root" } })).toBe("permission denied");
  });
});

describe("passwords and tokens", () => {
  it("a wrong password, an unknown user and one without a password fail alike", () => {
    const bench = new Guarded().enabled();
    bench.as("root", addUser("n", "pw", true));
    const told = (name: string, password: string) => textOf(bench.state.auth.checkPassword(name, password));
    expect(told("u", "pw")).toBeNull();
    for (const [name, password] of [
      ["u", "no"],
      ["x", "pw"],
      ["n", "pw"],
      ["n", ""],
    ] as const)
      expect(told(name, password)).toBe("authentication failed, invalid user ID or password");
    bench.as("root", { authUserChangePassword: { name: "n", password: "new", hashedPassword: "" } });
    expect(told("n", "new")).toBe("authentication failed, invalid user ID or password");
    expect(textOf(new Guarded().state.auth.checkPassword("u", "pw"))).toBe("authentication is not enabled");
  });

  it("a token is complete with the entry's index, and ends with a new password or with the user", () => {
    const bench = new Guarded().enabled();
    const { auth } = bench.state;
    const authenticate = () => {
      const { response } = bench.apply({ authenticate: { name: "u", password: "", simpleToken: "abcdefgh" } });
      return (response as { token: string }).token;
    };
    const first = authenticate();
    expect(first).toMatch(/^abcdefgh\.\d+$/u);
    expect(authenticate()).not.toBe(first);
    bench.as("root", allow("r", "READ", "k"));
    bench.as("root", { authRoleRevokePermission: { role: "r", key: "k", rangeEnd: "" } });
    expect(auth.infoOf(first), "at the revision of now").toEqual(bench.info("u"));
    bench.as("root", { authUserChangePassword: { name: "u", password: "new", hashedPassword: "" } });
    expect(textOf(auth.infoOf(first))).toBe("invalid auth token");
    const second = authenticate();
    bench.as("root", { authUserDelete: { name: "u" } });
    expect(textOf(auth.infoOf(second))).toBe("invalid auth token");
  });
});
