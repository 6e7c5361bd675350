/** etcd's JSON gateway: which path is which call, and which HTTP status an error has (grpc-gateway 1.9). */
import { CODES, type EtcdError } from "../../etcd/api/errors.ts";
import type { StreamMethod, UnaryMethod } from "../../etcd/api/methods.ts";

const LEASE_CALLS = {
  revoke: "Lease/LeaseRevoke",
  timetolive: "Lease/LeaseTimeToLive",
  leases: "Lease/LeaseLeases",
} as const;

/** Both `/v3/lease/…` and `/v3/kv/lease/…` lead to the same. */
const leasePaths = Object.fromEntries(
  Object.entries(LEASE_CALLS).flatMap(([path, method]) => [
    [`/v3/lease/${path}`, method],
    [`/v3/kv/lease/${path}`, method],
  ]),
);

/** Those of 3.4, with HashKV where newer ones have it. */
const PATHS: Readonly<Record<string, UnaryMethod>> = {
  ...leasePaths,
  "/v3/kv/range": "KV/Range",
  "/v3/kv/put": "KV/Put",
  "/v3/kv/deleterange": "KV/DeleteRange",
  "/v3/kv/txn": "KV/Txn",
  "/v3/kv/compaction": "KV/Compact",
  "/v3/lease/grant": "Lease/LeaseGrant",
  "/v3/lock/lock": "Lock/Lock",
  "/v3/lock/unlock": "Lock/Unlock",
  "/v3/election/campaign": "Election/Campaign",
  "/v3/election/proclaim": "Election/Proclaim",
  "/v3/election/leader": "Election/Leader",
  "/v3/election/resign": "Election/Resign",
  "/v3/cluster/member/add": "Cluster/MemberAdd",
  "/v3/cluster/member/remove": "Cluster/MemberRemove",
  "/v3/cluster/member/update": "Cluster/MemberUpdate",
  "/v3/cluster/member/list": "Cluster/MemberList",
  "/v3/cluster/member/promote": "Cluster/MemberPromote",
  "/v3/maintenance/alarm": "Maintenance/Alarm",
  "/v3/maintenance/status": "Maintenance/Status",
  "/v3/maintenance/defragment": "Maintenance/Defragment",
  "/v3/maintenance/hash": "Maintenance/Hash",
  "/v3/maintenance/hashkv": "Maintenance/HashKV",
  "/v3/maintenance/transfer-leadership": "Maintenance/MoveLeader",
  "/v3/auth/enable": "Auth/AuthEnable",
  "/v3/auth/disable": "Auth/AuthDisable",
  "/v3/auth/authenticate": "Auth/Authenticate",
  "/v3/auth/user/add": "Auth/UserAdd",
  "/v3/auth/user/get": "Auth/UserGet",
  "/v3/auth/user/list": "Auth/UserList",
  "/v3/auth/user/delete": "Auth/UserDelete",
  "/v3/auth/user/changepw": "Auth/UserChangePassword",
  "/v3/auth/user/grant": "Auth/UserGrantRole",
  "/v3/auth/user/revoke": "Auth/UserRevokeRole",
  "/v3/auth/role/add": "Auth/RoleAdd",
  "/v3/auth/role/get": "Auth/RoleGet",
  "/v3/auth/role/list": "Auth/RoleList",
  "/v3/auth/role/delete": "Auth/RoleDelete",
  "/v3/auth/role/grant": "Auth/RoleGrantPermission",
  "/v3/auth/role/revoke": "Auth/RoleRevokePermission",
};

/** 3.4 still has them below the name that they had before, too. */
export const UNARY_PATHS: Readonly<Record<string, UnaryMethod>> = {
  ...PATHS,
  ...Object.fromEntries(Object.entries(PATHS).map(([path, method]) => [path.replace(/^\/v3\//u, "/v3beta/"), method])),
};

export const STREAM_PATHS: Readonly<Record<string, StreamMethod>> = {
  "/v3/watch": "Watch/Watch",
  "/v3/lease/keepalive": "Lease/LeaseKeepAlive",
  "/v3/election/observe": "Election/Observe",
  "/v3/maintenance/snapshot": "Maintenance/Snapshot",
};

const STATUS: Readonly<Record<number, number>> = {
  [CODES.Canceled]: 408,
  [CODES.InvalidArgument]: 400,
  [CODES.DeadlineExceeded]: 504,
  [CODES.NotFound]: 404,
  [CODES.PermissionDenied]: 403,
  [CODES.ResourceExhausted]: 429,
  [CODES.FailedPrecondition]: 412,
  [CODES.OutOfRange]: 400,
  [CODES.Unimplemented]: 501,
  [CODES.Unavailable]: 503,
  [CODES.Unauthenticated]: 401,
};

export function httpStatus({ code }: Pick<EtcdError, "code">): number {
  return STATUS[code] ?? 500;
}

/** What stands where no call is: below the gateway's paths it answers, elsewhere Go's server. */
export function notFound(path: string): string {
  return path.startsWith("/v3/") || path.startsWith("/v3beta/") ? "Not Found" : "404 page not found";
}
