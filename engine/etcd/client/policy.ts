/**
 * Which calls clientv3 sends again, and after which errors (client/v3/retry.go, retry_interceptor.go).
 *
 * A repeatable call changes nothing, or nothing that would hurt twice: it is sent again when a member was unavailable.
 * All others are sent again only if they have surely not been sent; a call that still waits for a connection is such,
 * so once a write is on its way it is never repeated.
 *
 * Of the streams only Snapshot is repeatable, and only until its first message: what comes after an error would begin at
 * the beginning. The others take messages from the client, which the interceptor cannot repeat; Watch and
 * LeaseKeepAlive are opened again by `watcher.ts` and `lease-keeper.ts`. Not sent again at all:
 *
 *     Auth/Authenticate   clientv3 has it among the calls that are not repeatable. Up to 3.4 the client goes through the
 *                         endpoints for its token (getToken in clientv3/client.go), since 3.5 it asks one
 *     Election/Observe,   clientv3 has no retrying wrapper around the Election and Lock services, and streams are not
 *     Campaign and so on  retried unless a wrapper says so: they end. `concurrency/election.ts` observes by Range and
 *                         Watch instead, of which the one is repeated and the other goes on after a break
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

/** Streams from the member alone, with one message to it (client/v3/maintenance.go gives Snapshot attempts without end). */
const REPEATABLE_STREAMS: ReadonlySet<StreamMethod> = new Set<StreamMethod>(["Maintenance/Snapshot"]);

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

export function isRepeatableStream(method: StreamMethod): boolean {
  return REPEATABLE_STREAMS.has(method);
}

/** Whether it is sent again after this error (isSafeRetry in client/v3/retry_interceptor.go). */
export function isSafeRetry(method: UnaryMethod | StreamMethod, error: EtcdError, endpoints: number): boolean {
  if (errorName(error) === "NotSupportedForLearner") return endpoints > 1;
  const isRepeatable = REPEATABLE.has(method as UnaryMethod) || REPEATABLE_STREAMS.has(method as StreamMethod);
  return isRepeatable && error.code === CODES.Unavailable;
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
