/**
 * The errors that etcd's services answer: gRPC's code and etcd's text (api/v3rpc/rpctypes). Both are part of the
 * interface: clients decide by them whether to try again.
 */

/** gRPC's codes, those that etcd uses. */
export const CODES = {
  Canceled: 1,
  Unknown: 2,
  InvalidArgument: 3,
  DeadlineExceeded: 4,
  NotFound: 5,
  PermissionDenied: 7,
  ResourceExhausted: 8,
  FailedPrecondition: 9,
  OutOfRange: 11,
  Unimplemented: 12,
  Internal: 13,
  Unavailable: 14,
  DataLoss: 15,
  Unauthenticated: 16,
} as const;
export type CodeName = keyof typeof CODES;

/** An answer that is an error. */
export interface EtcdError {
  readonly code: number;
  readonly message: string;
}

/** A closed union, in etcd's names without the `Err` in front: name, code, text. */
const ERRORS = {
  EmptyKey: ["InvalidArgument", "key is not provided"],
  KeyNotFound: ["InvalidArgument", "key not found"],
  ValueProvided: ["InvalidArgument", "value is provided"],
  LeaseProvided: ["InvalidArgument", "lease is provided"],
  TooManyOps: ["InvalidArgument", "too many operations in txn request"],
  DuplicateKey: ["InvalidArgument", "duplicate key given in txn request"],
  InvalidSortOption: ["InvalidArgument", "invalid sort option"],
  Compacted: ["OutOfRange", "mvcc: required revision has been compacted"],
  FutureRev: ["OutOfRange", "mvcc: required revision is a future revision"],
  NoSpace: ["ResourceExhausted", "mvcc: database space exceeded"],
  LeaseNotFound: ["NotFound", "requested lease not found"],
  LeaseExist: ["FailedPrecondition", "lease already exists"],
  LeaseTTLTooLarge: ["OutOfRange", "too large lease TTL"],
  WatchCanceled: ["Canceled", "watch canceled"],
  MemberExist: ["FailedPrecondition", "member ID already exist"],
  PeerURLExist: ["FailedPrecondition", "Peer URLs already exists"],
  MemberNotEnoughStarted: ["FailedPrecondition", "re-configuration failed due to not enough started members"],
  MemberBadURLs: ["InvalidArgument", "given member URLs are invalid"],
  MemberNotFound: ["NotFound", "member not found"],
  MemberNotLearner: ["FailedPrecondition", "can only promote a learner member"],
  LearnerNotReady: ["FailedPrecondition", "can only promote a learner member which is in sync with leader"],
  TooManyLearners: ["FailedPrecondition", "too many learner members in cluster"],
  RequestTooLarge: ["InvalidArgument", "request is too large"],
  TooManyRequests: ["ResourceExhausted", "too many requests"],
  RootUserNotExist: ["FailedPrecondition", "root user does not exist"],
  RootRoleNotExist: ["FailedPrecondition", "root user does not have root role"],
  UserAlreadyExist: ["FailedPrecondition", "user name already exists"],
  UserEmpty: ["InvalidArgument", "user name is empty"],
  UserNotFound: ["FailedPrecondition", "user name not found"],
  RoleAlreadyExist: ["FailedPrecondition", "role name already exists"],
  RoleNotFound: ["FailedPrecondition", "role name not found"],
  RoleEmpty: ["InvalidArgument", "role name is empty"],
  AuthFailed: ["InvalidArgument", "authentication failed, invalid user ID or password"],
  PermissionNotGiven: ["InvalidArgument", "permission not given"],
  PermissionDenied: ["PermissionDenied", "permission denied"],
  RoleNotGranted: ["FailedPrecondition", "role is not granted to the user"],
  PermissionNotGranted: ["FailedPrecondition", "permission is not granted to the role"],
  AuthNotEnabled: ["FailedPrecondition", "authentication is not enabled"],
  InvalidAuthToken: ["Unauthenticated", "invalid auth token"],
  InvalidAuthMgmt: ["InvalidArgument", "invalid auth management"],
  AuthOldRevision: ["InvalidArgument", "revision of auth store is old"],
  NoLeader: ["Unavailable", "no leader"],
  NotLeader: ["FailedPrecondition", "not leader"],
  LeaderChanged: ["Unavailable", "leader changed"],
  NotCapable: ["Unavailable", "not capable"],
  Stopped: ["Unavailable", "server stopped"],
  Timeout: ["Unavailable", "request timed out"],
  TimeoutDueToLeaderFail: ["Unavailable", "request timed out, possibly due to previous leader failure"],
  TimeoutDueToConnectionLost: ["Unavailable", "request timed out, possibly due to connection lost"],
  Unhealthy: ["Unavailable", "unhealthy cluster"],
  Corrupt: ["DataLoss", "corrupt cluster"],
  NotSupportedForLearner: ["Unavailable", "rpc not supported for learner"],
  BadLeaderTransferee: ["FailedPrecondition", "bad leader transferee"],
} as const satisfies Readonly<Record<string, readonly [CodeName, string]>>;

export type EtcdErrorName = keyof typeof ERRORS;

export function etcdError(name: EtcdErrorName): EtcdError {
  const [code, text] = ERRORS[name];
  return { code: CODES[code], message: `etcdserver: ${text}` };
}

/** gRPC's name of an error's code, as it stands in texts. */
export function codeName({ code }: EtcdError): CodeName {
  for (const [name, known] of Object.entries(CODES)) if (known === code) return name as CodeName;
  return "Unknown";
}

/** Which of etcd's errors it is; null when it is none of them. */
export function errorName({ code, message }: EtcdError): EtcdErrorName | null {
  for (const [name, [codeName, text]] of Object.entries(ERRORS))
    if (CODES[codeName] === code && message === `etcdserver: ${text}`) return name as EtcdErrorName;
  return null;
}
