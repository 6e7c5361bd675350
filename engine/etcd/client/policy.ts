/**
 * Which calls clientv3 sends again, and after which errors (client/v3/retry.go, retry_interceptor.go).
 *
 * A repeatable call changes nothing, or nothing that would hurt twice: it is sent again when a member was unavailable.
 * All others are sent again only if they have surely not been sent; a call that still waits for a connection is such,
 * so once a write is on its way it is never repeated.
 */
import { CODES, type EtcdError, errorName, type EtcdErrorName } from "../api/errors.ts";
import type { StreamMethod, UnaryMethod } from "../api/methods.ts";

const REPEATABLE: ReadonlySet<UnaryMethod> = new Set<UnaryMethod>([
  "KV/Range",
  "Lease/LeaseGrant",
  "Lease/LeaseRevoke",
  "Lease/LeaseTimeToLive",
  "Lease/LeaseLeases",
  "Cluster/MemberList",
  "Maintenance/Alarm",
  "Maintenance/Status",
  "Maintenance/Hash",
  "Maintenance/HashKV",
  "Maintenance/MoveLeader",
  "Auth/UserList",
  "Auth/UserGet",
  "Auth/RoleList",
  "Auth/RoleGet",
]);

/** Change nothing: whatever became of them, nothing is left behind. */
const READS: ReadonlySet<UnaryMethod | StreamMethod> = new Set<UnaryMethod>([
  "KV/Range",
  "Lease/LeaseTimeToLive",
  "Lease/LeaseLeases",
  "Cluster/MemberList",
  "Maintenance/Status",
  "Maintenance/Hash",
  "Maintenance/HashKV",
  "Election/Leader",
  "Auth/AuthStatus",
  "Auth/Authenticate",
  "Auth/UserList",
  "Auth/UserGet",
  "Auth/RoleList",
  "Auth/RoleGet",
]);

export const DEADLINE_EXCEEDED: EtcdError = { code: CODES.DeadlineExceeded, message: "context deadline exceeded" };
export const CANCELED: EtcdError = { code: CODES.Canceled, message: "context canceled" };
/** As gRPC words a connection that broke under a call. */
export const CONNECTION_LOST: EtcdError = { code: CODES.Unavailable, message: "error reading from server: EOF" };
export const PING_UNANSWERED: EtcdError = {
  code: CODES.Unavailable,
  message: "keepalive ping failed to receive ACK within timeout",
};

export function isSafeRetry(method: UnaryMethod, error: EtcdError, endpoints: number): boolean {
  if (errorName(error) === "NotSupportedForLearner") return endpoints > 1;
  return REPEATABLE.has(method) && error.code === CODES.Unavailable;
}

/** The token is renewed and the call sent again: it was refused before anything was done. */
export function wantsNewToken(error: EtcdError): boolean {
  const name = errorName(error);
  return name === "InvalidAuthToken" || name === "AuthOldRevision" || name === "UserEmpty";
}

/** Unavailable, but said before anything was proposed. */
const REFUSED: ReadonlySet<EtcdErrorName> = new Set<EtcdErrorName>([
  "NoLeader",
  "NotCapable",
  "NotSupportedForLearner",
  "Unhealthy",
]);

const UNSURE: ReadonlySet<number> = new Set([
  CODES.Unavailable,
  CODES.DeadlineExceeded,
  CODES.Canceled,
  CODES.Unknown,
  CODES.Internal,
]);

/** Whether a call that was sent and ended with this error may have been carried out, or may yet be. */
export function mayHaveHappened(method: UnaryMethod, error: EtcdError): boolean {
  if (READS.has(method) || !UNSURE.has(error.code)) return false;
  const name = errorName(error);
  return name === null || !REFUSED.has(name);
}

/** A stream that ends so is not opened again (clientv3, isHaltErr). */
export function isHalt({ code, message }: EtcdError): boolean {
  if (errorName({ code, message }) === "NoLeader") return true;
  return code !== CODES.Unavailable && code !== CODES.Internal;
}
