/**
 * Users, roles, permissions and tokens (etcd server/auth/store.go, simple_token.go). Replicated: changed by the log alone.
 *
 * Its own revision counts its changes; a request carries the one that it was checked at, and is refused when users or
 * roles have changed since. Passwords are kept as salted digests of this engine's own hash, not as bcrypt's, which is
 * made to be slow: in a simulation there is nothing to protect.
 */
import { ByteReader, ByteWriter } from "../../base/bytes.ts";
import { mixString } from "../../base/hash.ts";
import { FROM_KEY } from "../api/bytes.ts";
import { type EtcdError, etcdError } from "../api/errors.ts";
import type { AuthUserAddRequest, InternalRaftRequest, PutRequest, RequestOp, TxnRequest } from "../api/messages.ts";
import { Permission } from "../api/messages.ts";
import { create, decode, encode, type Of } from "../api/proto.ts";
import type { Compat } from "../mvcc/mvcc.ts";
import type { Span } from "../mvcc/span.ts";
import { allows, isValidRange } from "./permissions.ts";

const ROOT = "root";

/** Who asks, as the token told, and at which revision of the auth store that was looked up. */
export interface AuthInfo {
  readonly username: string;
  readonly revision: number;
}

interface User {
  readonly name: string;
  /** Null: it cannot authenticate by a password. */
  password: string | null;
  roles: readonly string[];
}

interface Role {
  readonly name: string;
  permissions: readonly Permission[];
}

export interface AuthCheckpoint {
  readonly enabled: boolean;
  readonly revision: number;
  readonly users: readonly User[];
  readonly roles: readonly Role[];
  readonly tokens: readonly (readonly [string, string])[];
}

export class AuthStore {
  readonly #compat: Compat;
  #enabled = false;
  #revision = 1;
  readonly #users = new Map<string, User>();
  readonly #roles = new Map<string, Role>();
  /** By token its user. */
  readonly #tokens = new Map<string, string>();

  constructor(compat: Compat) {
    this.#compat = compat;
  }

  get enabled(): boolean {
    return this.#enabled;
  }
  get revision(): number {
    return this.#revision;
  }

  // ── who asks ──

  /** Null when authentication is off, or no token was given; an error for a token that is none. */
  infoOf(token: string | null): AuthInfo | EtcdError | null {
    if (!this.#enabled || token === null) return null;
    const username = this.#tokens.get(token);
    return username === undefined ? etcdError("InvalidAuthToken") : { username, revision: this.#revision };
  }

  checkPassword(name: string, password: string): EtcdError | null {
    if (!this.#enabled) return etcdError("AuthNotEnabled");
    const user = this.#users.get(name);
    if (user === undefined || user.password === null || user.password !== digest(name, password))
      return etcdError("AuthFailed");
    return null;
  }

  /** A token, begun by the member that was asked, is complete with the entry's index; all members know it. */
  addToken(username: string, begun: string, index: number): string {
    const token = `${begun}.${index}`;
    this.#tokens.set(token, username);
    return token;
  }

  // ── may they? ──

  checkRange(info: AuthInfo | null, span: Span): EtcdError | null {
    return this.#check(info, span, "READ");
  }

  checkWrite(info: AuthInfo | null, span: Span): EtcdError | null {
    return this.#check(info, span, "WRITE");
  }

  checkPut(info: AuthInfo | null, { key, prevKv }: PutRequest): EtcdError | null {
    const span = { key, rangeEnd: "" };
    return this.checkWrite(info, span) ?? (prevKv ? this.checkRange(info, span) : null);
  }

  /** All compares, and the operations of both branches: it is not known yet which runs. */
  checkTxn(info: AuthInfo | null, { compare, success, failure }: TxnRequest): EtcdError | null {
    for (const span of compare) {
      const problem = this.checkRange(info, span);
      if (problem !== null) return problem;
    }
    for (const op of [...success, ...failure]) {
      const problem = this.#checkOp(info, op);
      if (problem !== null) return problem;
    }
    return null;
  }

  checkAdmin(info: AuthInfo | null): EtcdError | null {
    if (!this.#enabled) return null;
    if (info === null || info.username === "") return etcdError("UserEmpty");
    return this.#isRoot(this.#users.get(info.username)) ? null : etcdError("PermissionDenied");
  }

  #check(info: AuthInfo | null, span: Span, type: "READ" | "WRITE"): EtcdError | null {
    if (!this.#enabled) return null;
    if (info === null || info.revision === 0) return etcdError("UserEmpty");
    if (info.revision < this.#revision) return etcdError("AuthOldRevision");
    const user = this.#users.get(info.username);
    if (user === undefined) return etcdError("PermissionDenied");
    if (this.#isRoot(user)) return null;
    const granted = user.roles.flatMap((role) => this.#roles.get(role)?.permissions ?? []);
    return allows(granted, type, span) ? null : etcdError("PermissionDenied");
  }

  #checkOp(info: AuthInfo | null, op: RequestOp): EtcdError | null {
    const { requestRange, requestPut, requestDeleteRange, requestTxn } = op;
    if (requestRange !== null) return this.checkRange(info, requestRange);
    if (requestPut !== null) return this.checkPut(info, requestPut);
    if (requestDeleteRange !== null)
      return (
        this.checkWrite(info, requestDeleteRange) ??
        (requestDeleteRange.prevKv ? this.checkRange(info, requestDeleteRange) : null)
      );
    return requestTxn === null ? null : this.checkTxn(info, requestTxn);
  }

  #isRoot(user: User | undefined): boolean {
    return user?.roles.includes(ROOT) ?? false;
  }

  // ── the log's requests; each gives its response without a header, or an error ──

  apply(request: InternalRaftRequest, info: AuthInfo | null): object | EtcdError {
    const { authUserGet, authRoleGet } = request;
    // One's own user and roles may be looked at.
    if (authUserGet !== null)
      return (info?.username === authUserGet.name ? null : this.checkAdmin(info)) ?? this.#userGet(authUserGet.name);
    if (authRoleGet !== null) {
      const own = this.#users.get(info?.username ?? "")?.roles.includes(authRoleGet.role) ?? false;
      return (own ? null : this.checkAdmin(info)) ?? this.#roleGet(authRoleGet.role);
    }
    return this.checkAdmin(info) ?? this.#change(request);
  }

  #change(request: InternalRaftRequest): object | EtcdError {
    const r = request;
    if (r.authEnable !== null) return this.#enable();
    if (r.authDisable !== null) return this.#disable();
    if (r.authStatus !== null) return { enabled: this.#enabled, authRevision: this.#revision };
    if (r.authUserAdd !== null) return this.#userAdd(r.authUserAdd);
    if (r.authUserDelete !== null) return this.#userDelete(r.authUserDelete.name);
    if (r.authUserChangePassword !== null)
      return this.#userChangePassword(r.authUserChangePassword.name, r.authUserChangePassword.password);
    if (r.authUserGrantRole !== null) return this.#userGrantRole(r.authUserGrantRole.user, r.authUserGrantRole.role);
    if (r.authUserRevokeRole !== null)
      return this.#userRevokeRole(r.authUserRevokeRole.name, r.authUserRevokeRole.role);
    if (r.authUserList !== null) return { users: [...this.#users.keys()].sort() };
    if (r.authRoleAdd !== null) return this.#roleAdd(r.authRoleAdd.name);
    if (r.authRoleDelete !== null) return this.#roleDelete(r.authRoleDelete.role);
    if (r.authRoleList !== null) return { roles: [...this.#roles.keys()].sort() };
    if (r.authRoleGrantPermission !== null)
      return this.#roleGrant(r.authRoleGrantPermission.name, r.authRoleGrantPermission.perm);
    if (r.authRoleRevokePermission !== null)
      return this.#roleRevoke(r.authRoleRevokePermission.role, r.authRoleRevokePermission);
    return {};
  }

  #enable(): object | EtcdError {
    if (this.#enabled) return {};
    const root = this.#users.get(ROOT);
    if (root === undefined) return etcdError("RootUserNotExist");
    if (!this.#isRoot(root)) return etcdError("RootRoleNotExist");
    this.#enabled = true;
    return {};
  }

  #disable(): object {
    if (!this.#enabled) return {};
    this.#enabled = false;
    this.#tokens.clear();
    return this.#changed();
  }

  #userAdd({ name, password, options }: Of<typeof AuthUserAddRequest>): object | EtcdError {
    if (name === "") return etcdError("UserEmpty");
    if (this.#users.has(name)) return etcdError("UserAlreadyExist");
    this.#users.set(name, { name, password: options?.noPassword ? null : digest(name, password), roles: [] });
    return this.#changed();
  }

  #userDelete(name: string): object | EtcdError {
    if (this.#enabled && name === ROOT) return etcdError("InvalidAuthMgmt");
    if (!this.#users.delete(name)) return etcdError("UserNotFound");
    this.#forgetTokens(name);
    return this.#changed();
  }

  #userChangePassword(name: string, password: string): object | EtcdError {
    const user = this.#users.get(name);
    if (user === undefined) return etcdError("UserNotFound");
    if (user.password !== null) user.password = digest(name, password);
    this.#forgetTokens(name);
    return this.#changed();
  }

  #userGet(name: string): object | EtcdError {
    const user = this.#users.get(name);
    return user === undefined ? etcdError("UserNotFound") : { roles: user.roles };
  }

  #userGrantRole(name: string, role: string): object | EtcdError {
    const user = this.#users.get(name);
    if (user === undefined) return etcdError("UserNotFound");
    if (role !== ROOT && !this.#roles.has(role)) return etcdError("RoleNotFound");
    if (user.roles.includes(role)) return {};
    user.roles = [...user.roles, role].sort();
    return this.#changed();
  }

  #userRevokeRole(name: string, role: string): object | EtcdError {
    if (this.#enabled && name === ROOT && role === ROOT) return etcdError("InvalidAuthMgmt");
    const user = this.#users.get(name);
    if (user === undefined) return etcdError("UserNotFound");
    if (!user.roles.includes(role)) return etcdError("RoleNotGranted");
    user.roles = user.roles.filter((other) => other !== role);
    return this.#changed();
  }

  #roleAdd(name: string): object | EtcdError {
    if (name === "") return etcdError("RoleEmpty");
    if (this.#roles.has(name)) return etcdError("RoleAlreadyExist");
    this.#roles.set(name, { name, permissions: [] });
    return this.#changed();
  }

  #roleDelete(name: string): object | EtcdError {
    if (this.#enabled && name === ROOT) return etcdError("InvalidAuthMgmt");
    if (!this.#roles.delete(name)) return etcdError("RoleNotFound");
    for (const user of this.#users.values()) {
      if (!user.roles.includes(name)) continue;
      user.roles = user.roles.filter((other) => other !== name);
    }
    return this.#changed();
  }

  #roleGet(name: string): object | EtcdError {
    const role = this.#roles.get(name);
    if (role === undefined) return etcdError("RoleNotFound");
    if (name === ROOT && this.#compat !== "3.4") return { perm: [ROOT_PERMISSION] };
    return { perm: role.permissions };
  }

  #roleGrant(name: string, permission: Permission | null): object | EtcdError {
    if (permission === null) return etcdError("PermissionNotGiven");
    if (this.#compat !== "3.4" && !isValidRange(permission)) return etcdError("InvalidAuthMgmt");
    const role = this.#roles.get(name);
    if (role === undefined) return etcdError("RoleNotFound");
    // Only the first permission of the same key is looked at, so one for another span of it can come twice.
    const at = role.permissions.findIndex(({ key }) => key >= permission.key);
    const before = role.permissions[at];
    role.permissions =
      before !== undefined && isSameSpan(before, permission)
        ? role.permissions.with(at, permission)
        : [...role.permissions, permission].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
    return this.#changed();
  }

  #roleRevoke(name: string, span: Span): object | EtcdError {
    const role = this.#roles.get(name);
    if (role === undefined) return etcdError("RoleNotFound");
    const kept = role.permissions.filter((other) => !isSameSpan(other, span));
    if (kept.length === role.permissions.length) return etcdError("PermissionNotGranted");
    role.permissions = kept;
    return this.#changed();
  }

  #forgetTokens(username: string): void {
    for (const [token, user] of this.#tokens) if (user === username) this.#tokens.delete(token);
  }

  #changed(): object {
    this.#revision += 1;
    return {};
  }

  // ── state ──

  snapshot(out: ByteWriter): void {
    out.u8(this.#enabled ? 1 : 0);
    out.varint(this.#revision);
    out.varint(this.#users.size);
    for (const { name, password, roles } of this.#users.values()) {
      out.text(name);
      out.text(password ?? "");
      out.varint(roles.length);
      for (const role of roles) out.text(role);
    }
    out.varint(this.#roles.size);
    for (const { name, permissions } of this.#roles.values()) {
      out.text(name);
      out.varint(permissions.length);
      for (const permission of permissions) out.bytes(encode(Permission, permission));
    }
    out.varint(this.#tokens.size);
    for (const [token, user] of this.#tokens) {
      out.text(token);
      out.text(user);
    }
  }

  restore(reader: ByteReader): void {
    const enabled = reader.u8() === 1;
    const revision = reader.varint();
    const users = times(reader.varint(), () => {
      const name = reader.text();
      const password = reader.text();
      return { name, password: password === "" ? null : password, roles: times(reader.varint(), () => reader.text()) };
    });
    const roles = times(reader.varint(), () => ({
      name: reader.text(),
      permissions: times(reader.varint(), () => decode(Permission, reader.bytes())),
    }));
    const tokens = times(reader.varint(), () => [reader.text(), reader.text()] as const);
    this.resume({ enabled, revision, users, roles, tokens });
  }

  checkpoint(): AuthCheckpoint {
    return {
      enabled: this.#enabled,
      revision: this.#revision,
      users: [...this.#users.values()].map((user) => ({ ...user })),
      roles: [...this.#roles.values()].map((role) => ({ ...role })),
      tokens: [...this.#tokens],
    };
  }

  resume({ enabled, revision, users, roles, tokens }: AuthCheckpoint): void {
    this.#enabled = enabled;
    this.#revision = revision;
    this.#users.clear();
    this.#roles.clear();
    this.#tokens.clear();
    for (const user of users) this.#users.set(user.name, { ...user });
    for (const role of roles) this.#roles.set(role.name, { ...role });
    for (const [token, user] of tokens) this.#tokens.set(token, user);
  }
}

const ROOT_PERMISSION = create(Permission, { permType: "READWRITE", key: "", rangeEnd: FROM_KEY });

function isSameSpan(a: Span, b: Span): boolean {
  return a.key === b.key && a.rangeEnd === b.rangeEnd;
}

function digest(name: string, password: string): string {
  return [1, 2, 3, 4].map((lane) => (mixString(mixString(lane, name), password) >>> 0).toString(16)).join("-");
}

function times<T>(count: number, make: () => T): T[] {
  return Array.from({ length: count }, make);
}
