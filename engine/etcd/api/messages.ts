/**
 * etcd's messages, as its API (rpc.proto, kv.proto, auth.proto) and its log (raft_internal.proto) have them: the
 * numbers, the names and the zero values are etcd's, so that the log, the hash of the store and the gateway's JSON are.
 */
import type { LeaseId, MemberId } from "./ids.ts";
import {
  bool,
  bytes,
  int,
  int64,
  many,
  maybe,
  message,
  named,
  type Descriptor,
  type Of,
  oneOf,
  string,
  sub,
  uint32,
  uint64,
} from "./proto.ts";

const leaseId = (n: number) => int64<LeaseId>(n);
const memberId = (n: number) => uint64<MemberId>(n);

/** On every answer: who gave it, and the store's revision then. */
export const ResponseHeader = message("ResponseHeader", {
  clusterId: uint64(1),
  memberId: memberId(2),
  revision: int(3),
  raftTerm: int(4),
});
export type ResponseHeader = Of<typeof ResponseHeader>;
const header = () => sub(1, () => ResponseHeader);

// ── kv ──

export const KeyValue = message("KeyValue", {
  key: bytes(1),
  createRevision: int(2),
  modRevision: int(3),
  version: int(4),
  value: bytes(5),
  lease: leaseId(6),
});
export type KeyValue = Of<typeof KeyValue>;

export const Event = message("Event", {
  type: oneOf(1, ["PUT", "DELETE"]),
  kv: sub(2, () => KeyValue),
  prevKv: sub(3, () => KeyValue),
});
export type Event = Of<typeof Event>;

export const RangeRequest = message("RangeRequest", {
  key: bytes(1),
  rangeEnd: bytes(2),
  limit: int(3),
  revision: int(4),
  sortOrder: oneOf(5, ["NONE", "ASCEND", "DESCEND", "UNRECOGNIZED"]),
  sortTarget: oneOf(6, ["KEY", "VERSION", "CREATE", "MOD", "VALUE"]),
  serializable: bool(7),
  keysOnly: bool(8),
  countOnly: bool(9),
  minModRevision: int(10),
  maxModRevision: int(11),
  minCreateRevision: int(12),
  maxCreateRevision: int(13),
});
export type RangeRequest = Of<typeof RangeRequest>;

export const RangeResponse = message("RangeResponse", {
  header: header(),
  kvs: many(sub(2, () => KeyValue)),
  more: bool(3),
  count: int(4),
});
export type RangeResponse = Of<typeof RangeResponse>;

export const PutRequest = message("PutRequest", {
  key: bytes(1),
  value: bytes(2),
  lease: leaseId(3),
  prevKv: bool(4),
  ignoreValue: bool(5),
  ignoreLease: bool(6),
});
export type PutRequest = Of<typeof PutRequest>;

export const PutResponse = message("PutResponse", { header: header(), prevKv: sub(2, () => KeyValue) });
export type PutResponse = Of<typeof PutResponse>;

export const DeleteRangeRequest = message("DeleteRangeRequest", { key: bytes(1), rangeEnd: bytes(2), prevKv: bool(3) });
export type DeleteRangeRequest = Of<typeof DeleteRangeRequest>;

export const DeleteRangeResponse = message("DeleteRangeResponse", {
  header: header(),
  deleted: int(2),
  prevKvs: many(sub(3, () => KeyValue)),
});
export type DeleteRangeResponse = Of<typeof DeleteRangeResponse>;

/** At most one is there. */
export interface RequestOp {
  readonly requestRange: RangeRequest | null;
  readonly requestPut: PutRequest | null;
  readonly requestDeleteRange: DeleteRangeRequest | null;
  readonly requestTxn: TxnRequest | null;
}
export const RequestOp: Descriptor<RequestOp> = message("RequestOp", {
  requestRange: sub(1, () => RangeRequest),
  requestPut: sub(2, () => PutRequest),
  requestDeleteRange: sub(3, () => DeleteRangeRequest),
  requestTxn: sub(4, () => TxnRequest),
});

export interface ResponseOp {
  readonly responseRange: RangeResponse | null;
  readonly responsePut: PutResponse | null;
  readonly responseDeleteRange: DeleteRangeResponse | null;
  readonly responseTxn: TxnResponse | null;
}
export const ResponseOp: Descriptor<ResponseOp> = message("ResponseOp", {
  responseRange: sub(1, () => RangeResponse),
  responsePut: sub(2, () => PutResponse),
  responseDeleteRange: sub(3, () => DeleteRangeResponse),
  responseTxn: sub(4, () => TxnResponse),
});

/** One of version, createRevision, modRevision, value and lease is there, if any: what is compared with. */
export const Compare = message("Compare", {
  result: oneOf(1, ["EQUAL", "GREATER", "LESS", "NOT_EQUAL", "UNRECOGNIZED"]),
  target: oneOf(2, ["VERSION", "CREATE", "MOD", "VALUE", "LEASE", "UNRECOGNIZED"]),
  key: bytes(3),
  version: maybe(int(4)),
  createRevision: maybe(int(5)),
  modRevision: maybe(int(6)),
  value: maybe(bytes(7)),
  lease: maybe(leaseId(8)),
  rangeEnd: bytes(64),
});
export type Compare = Of<typeof Compare>;

export interface TxnRequest {
  readonly compare: readonly Compare[];
  readonly success: readonly RequestOp[];
  readonly failure: readonly RequestOp[];
}
export const TxnRequest: Descriptor<TxnRequest> = message("TxnRequest", {
  compare: many(sub(1, () => Compare)),
  success: many(sub(2, () => RequestOp)),
  failure: many(sub(3, () => RequestOp)),
});

export interface TxnResponse {
  readonly header: ResponseHeader | null;
  readonly succeeded: boolean;
  readonly responses: readonly ResponseOp[];
}
export const TxnResponse: Descriptor<TxnResponse> = message("TxnResponse", {
  header: header(),
  succeeded: bool(2),
  responses: many(sub(3, () => ResponseOp)),
});

export const CompactionRequest = message("CompactionRequest", { revision: int(1), physical: bool(2) });
export type CompactionRequest = Of<typeof CompactionRequest>;
export const CompactionResponse = message("CompactionResponse", { header: header() });
export type CompactionResponse = Of<typeof CompactionResponse>;

// ── watch ──

export const WatchCreateRequest = message("WatchCreateRequest", {
  key: bytes(1),
  rangeEnd: bytes(2),
  startRevision: int(3),
  progressNotify: bool(4),
  filters: many(oneOf(5, ["NOPUT", "NODELETE", "UNRECOGNIZED"])),
  prevKv: bool(6),
  watchId: int(7),
  fragment: bool(8),
});
export type WatchCreateRequest = Of<typeof WatchCreateRequest>;
export const WatchCancelRequest = message("WatchCancelRequest", { watchId: int(1) });
export const WatchProgressRequest = message("WatchProgressRequest", {});
/** One of them is there. */
export const WatchRequest = message("WatchRequest", {
  createRequest: sub(1, () => WatchCreateRequest),
  cancelRequest: sub(2, () => WatchCancelRequest),
  progressRequest: sub(3, () => WatchProgressRequest),
});
export type WatchRequest = Of<typeof WatchRequest>;
export const WatchResponse = message("WatchResponse", {
  header: header(),
  watchId: int(2),
  created: bool(3),
  canceled: bool(4),
  compactRevision: int(5),
  cancelReason: string(6),
  fragment: bool(7),
  events: many(sub(11, () => Event)),
});
export type WatchResponse = Of<typeof WatchResponse>;

// ── lease ──

export const LeaseGrantRequest = message("LeaseGrantRequest", {
  ttl: named("TTL", int(1)),
  id: named("ID", leaseId(2)),
});
export type LeaseGrantRequest = Of<typeof LeaseGrantRequest>;
export const LeaseGrantResponse = message("LeaseGrantResponse", {
  header: header(),
  id: named("ID", leaseId(2)),
  ttl: named("TTL", int(3)),
  error: string(4),
});
export type LeaseGrantResponse = Of<typeof LeaseGrantResponse>;
export const LeaseRevokeRequest = message("LeaseRevokeRequest", { id: named("ID", leaseId(1)) });
export type LeaseRevokeRequest = Of<typeof LeaseRevokeRequest>;
export const LeaseRevokeResponse = message("LeaseRevokeResponse", { header: header() });
export type LeaseRevokeResponse = Of<typeof LeaseRevokeResponse>;
export const LeaseCheckpoint = message("LeaseCheckpoint", {
  id: named("ID", leaseId(1)),
  remainingTtl: named("remaining_TTL", int(2)),
});
export type LeaseCheckpoint = Of<typeof LeaseCheckpoint>;
export const LeaseCheckpointRequest = message("LeaseCheckpointRequest", {
  checkpoints: many(sub(1, () => LeaseCheckpoint)),
});
export type LeaseCheckpointRequest = Of<typeof LeaseCheckpointRequest>;
export const LeaseCheckpointResponse = message("LeaseCheckpointResponse", { header: header() });
export const LeaseKeepAliveRequest = message("LeaseKeepAliveRequest", { id: named("ID", leaseId(1)) });
export type LeaseKeepAliveRequest = Of<typeof LeaseKeepAliveRequest>;
export const LeaseKeepAliveResponse = message("LeaseKeepAliveResponse", {
  header: header(),
  id: named("ID", leaseId(2)),
  ttl: named("TTL", int(3)),
});
export type LeaseKeepAliveResponse = Of<typeof LeaseKeepAliveResponse>;
export const LeaseTimeToLiveRequest = message("LeaseTimeToLiveRequest", { id: named("ID", leaseId(1)), keys: bool(2) });
export type LeaseTimeToLiveRequest = Of<typeof LeaseTimeToLiveRequest>;
export const LeaseTimeToLiveResponse = message("LeaseTimeToLiveResponse", {
  header: header(),
  id: named("ID", leaseId(2)),
  ttl: named("TTL", int(3)),
  grantedTtl: named("grantedTTL", int(4)),
  keys: many(bytes(5)),
});
export type LeaseTimeToLiveResponse = Of<typeof LeaseTimeToLiveResponse>;
export const LeaseLeasesRequest = message("LeaseLeasesRequest", {});
export const LeaseStatus = message("LeaseStatus", { id: named("ID", leaseId(1)) });
export const LeaseLeasesResponse = message("LeaseLeasesResponse", {
  header: header(),
  leases: many(sub(2, () => LeaseStatus)),
});
export type LeaseLeasesResponse = Of<typeof LeaseLeasesResponse>;

// ── lock and election (v3lockpb, v3electionpb) ──

export const LockRequest = message("LockRequest", { name: bytes(1), lease: leaseId(2) });
export const LockResponse = message("LockResponse", { header: header(), key: bytes(2) });
export const UnlockRequest = message("UnlockRequest", { key: bytes(1) });
export const UnlockResponse = message("UnlockResponse", { header: header() });
export const LeaderKey = message("LeaderKey", { name: bytes(1), key: bytes(2), rev: int(3), lease: leaseId(4) });
export type LeaderKey = Of<typeof LeaderKey>;
export const CampaignRequest = message("CampaignRequest", { name: bytes(1), lease: leaseId(2), value: bytes(3) });
export const CampaignResponse = message("CampaignResponse", { header: header(), leader: sub(2, () => LeaderKey) });
export const LeaderRequest = message("LeaderRequest", { name: bytes(1) });
/** Also what Observe streams. */
export const LeaderResponse = message("LeaderResponse", { header: header(), kv: sub(2, () => KeyValue) });
export type LeaderResponse = Of<typeof LeaderResponse>;
export const ResignRequest = message("ResignRequest", { leader: sub(1, () => LeaderKey) });
export const ResignResponse = message("ResignResponse", { header: header() });
export const ProclaimRequest = message("ProclaimRequest", { leader: sub(1, () => LeaderKey), value: bytes(2) });
export const ProclaimResponse = message("ProclaimResponse", { header: header() });

// ── cluster ──

export const Member = message("Member", {
  id: named("ID", memberId(1)),
  name: string(2),
  peerUrls: named("peerURLs", many(string(3))),
  clientUrls: named("clientURLs", many(string(4))),
  isLearner: named("isLearner", bool(5)),
});
export type Member = Of<typeof Member>;
const members = (n: number) => many(sub(n, () => Member));
export const MemberAddRequest = message("MemberAddRequest", {
  peerUrls: named("peerURLs", many(string(1))),
  isLearner: named("isLearner", bool(2)),
});
export const MemberAddResponse = message("MemberAddResponse", {
  header: header(),
  member: sub(2, () => Member),
  members: members(3),
});
export const MemberRemoveRequest = message("MemberRemoveRequest", { id: named("ID", memberId(1)) });
export const MemberRemoveResponse = message("MemberRemoveResponse", { header: header(), members: members(2) });
export const MemberUpdateRequest = message("MemberUpdateRequest", {
  id: named("ID", memberId(1)),
  peerUrls: named("peerURLs", many(string(2))),
});
export const MemberUpdateResponse = message("MemberUpdateResponse", { header: header(), members: members(2) });
export const MemberListRequest = message("MemberListRequest", { linearizable: bool(1) });
export const MemberListResponse = message("MemberListResponse", { header: header(), members: members(2) });
export const MemberPromoteRequest = message("MemberPromoteRequest", { id: named("ID", memberId(1)) });
export const MemberPromoteResponse = message("MemberPromoteResponse", { header: header(), members: members(2) });

// ── maintenance ──

const ALARMS = ["NONE", "NOSPACE", "CORRUPT"] as const;
export type AlarmType = (typeof ALARMS)[number];
export const AlarmRequest = message("AlarmRequest", {
  action: oneOf(1, ["GET", "ACTIVATE", "DEACTIVATE"]),
  memberId: named("memberID", memberId(2)),
  alarm: oneOf(3, ALARMS),
});
export type AlarmRequest = Of<typeof AlarmRequest>;
export const AlarmMember = message("AlarmMember", {
  memberId: named("memberID", memberId(1)),
  alarm: oneOf(2, ALARMS),
});
export type AlarmMember = Of<typeof AlarmMember>;
export const AlarmResponse = message("AlarmResponse", { header: header(), alarms: many(sub(2, () => AlarmMember)) });
export type AlarmResponse = Of<typeof AlarmResponse>;
export const StatusRequest = message("StatusRequest", {});
export const DowngradeInfo = message("DowngradeInfo", {
  enabled: bool(1),
  targetVersion: named("targetVersion", string(2)),
});
export const StatusResponse = message("StatusResponse", {
  header: header(),
  version: string(2),
  dbSize: named("dbSize", int(3)),
  leader: memberId(4),
  raftIndex: named("raftIndex", int(5)),
  raftTerm: named("raftTerm", int(6)),
  raftAppliedIndex: named("raftAppliedIndex", int(7)),
  errors: many(string(8)),
  dbSizeInUse: named("dbSizeInUse", int(9)),
  isLearner: named("isLearner", bool(10)),
  storageVersion: named("storageVersion", string(11)),
  dbSizeQuota: named("dbSizeQuota", int(12)),
  downgradeInfo: named(
    "downgradeInfo",
    sub(13, () => DowngradeInfo),
  ),
});
export type StatusResponse = Of<typeof StatusResponse>;
export const DefragmentRequest = message("DefragmentRequest", {});
export const DefragmentResponse = message("DefragmentResponse", { header: header() });
export const HashRequest = message("HashRequest", {});
export const HashResponse = message("HashResponse", { header: header(), hash: uint32(2) });
export const HashKVRequest = message("HashKVRequest", { revision: int(1) });
export const HashKVResponse = message("HashKVResponse", {
  header: header(),
  hash: uint32(2),
  compactRevision: int(3),
  hashRevision: int(4),
});
export type HashKVResponse = Of<typeof HashKVResponse>;
export const SnapshotRequest = message("SnapshotRequest", {});
export const SnapshotResponse = message("SnapshotResponse", {
  header: header(),
  remainingBytes: int(2),
  blob: bytes(3),
  version: string(4),
});
export type SnapshotResponse = Of<typeof SnapshotResponse>;
export const MoveLeaderRequest = message("MoveLeaderRequest", { targetId: named("targetID", memberId(1)) });
export const MoveLeaderResponse = message("MoveLeaderResponse", { header: header() });
export const DowngradeRequest = message("DowngradeRequest", {
  action: oneOf(1, ["VALIDATE", "ENABLE", "CANCEL"]),
  version: string(2),
});
export const DowngradeResponse = message("DowngradeResponse", { header: header(), version: string(2) });

// ── auth ──

export const UserAddOptions = message("UserAddOptions", { noPassword: bool(1) });
export const Permission = message("Permission", {
  permType: named("permType", oneOf(1, ["READ", "WRITE", "READWRITE"])),
  key: bytes(2),
  rangeEnd: bytes(3),
});
export type Permission = Of<typeof Permission>;
export const AuthEnableRequest = message("AuthEnableRequest", {});
export const AuthDisableRequest = message("AuthDisableRequest", {});
export const AuthStatusRequest = message("AuthStatusRequest", {});
export const AuthStatusResponse = message("AuthStatusResponse", {
  header: header(),
  enabled: bool(2),
  authRevision: named("authRevision", int(3)),
});
export const AuthenticateRequest = message("AuthenticateRequest", { name: string(1), password: string(2) });
export const AuthenticateResponse = message("AuthenticateResponse", { header: header(), token: string(2) });
export const AuthUserAddRequest = message("AuthUserAddRequest", {
  name: string(1),
  password: string(2),
  options: sub(3, () => UserAddOptions),
  hashedPassword: named("hashedPassword", string(4)),
});
export const AuthUserGetRequest = message("AuthUserGetRequest", { name: string(1) });
export const AuthUserGetResponse = message("AuthUserGetResponse", { header: header(), roles: many(string(2)) });
export const AuthUserDeleteRequest = message("AuthUserDeleteRequest", { name: string(1) });
export const AuthUserChangePasswordRequest = message("AuthUserChangePasswordRequest", {
  name: string(1),
  password: string(2),
  hashedPassword: named("hashedPassword", string(3)),
});
export const AuthUserGrantRoleRequest = message("AuthUserGrantRoleRequest", { user: string(1), role: string(2) });
export const AuthUserRevokeRoleRequest = message("AuthUserRevokeRoleRequest", { name: string(1), role: string(2) });
export const AuthUserListRequest = message("AuthUserListRequest", {});
export const AuthUserListResponse = message("AuthUserListResponse", { header: header(), users: many(string(2)) });
export const AuthRoleAddRequest = message("AuthRoleAddRequest", { name: string(1) });
export const AuthRoleGetRequest = message("AuthRoleGetRequest", { role: string(1) });
export const AuthRoleGetResponse = message("AuthRoleGetResponse", {
  header: header(),
  perm: many(sub(2, () => Permission)),
});
export const AuthRoleListRequest = message("AuthRoleListRequest", {});
export const AuthRoleListResponse = message("AuthRoleListResponse", { header: header(), roles: many(string(2)) });
export const AuthRoleDeleteRequest = message("AuthRoleDeleteRequest", { role: string(1) });
export const AuthRoleGrantPermissionRequest = message("AuthRoleGrantPermissionRequest", {
  name: string(1),
  perm: sub(2, () => Permission),
});
export const AuthRoleRevokePermissionRequest = message("AuthRoleRevokePermissionRequest", {
  role: string(1),
  key: bytes(2),
  rangeEnd: bytes(3),
});
/** What the other calls of the auth service answer: a header, and nothing else. */
export const AuthResponse = message("AuthResponse", { header: header() });

// ── the log ──

export const RequestHeader = message("RequestHeader", {
  id: named("ID", uint64(1)),
  username: string(2),
  authRevision: int(3),
});
export const InternalAuthenticateRequest = message("InternalAuthenticateRequest", {
  name: string(1),
  password: string(2),
  simpleToken: string(3),
});
export const ClusterVersionSetRequest = message("ClusterVersionSetRequest", { ver: string(1) });
export const ClusterMemberAttrSetRequest = message("ClusterMemberAttrSetRequest", {
  memberId: named("member_ID", memberId(1)),
  name: string(2),
  clientUrls: many(string(3)),
});

export const DowngradeInfoSetRequest = message("DowngradeInfoSetRequest", { enabled: bool(1), ver: string(2) });

/** One entry of the log: a header, and one of the requests. */
export const InternalRaftRequest = message("InternalRaftRequest", {
  id: named("ID", uint64(1)),
  range: sub(3, () => RangeRequest),
  put: sub(4, () => PutRequest),
  deleteRange: sub(5, () => DeleteRangeRequest),
  txn: sub(6, () => TxnRequest),
  compaction: sub(7, () => CompactionRequest),
  leaseGrant: sub(8, () => LeaseGrantRequest),
  leaseRevoke: sub(9, () => LeaseRevokeRequest),
  alarm: sub(10, () => AlarmRequest),
  leaseCheckpoint: sub(11, () => LeaseCheckpointRequest),
  header: sub(100, () => RequestHeader),
  authEnable: sub(1000, () => AuthEnableRequest),
  authDisable: sub(1011, () => AuthDisableRequest),
  authenticate: sub(1012, () => InternalAuthenticateRequest),
  authStatus: sub(1013, () => AuthStatusRequest),
  authUserAdd: sub(1100, () => AuthUserAddRequest),
  authUserDelete: sub(1101, () => AuthUserDeleteRequest),
  authUserGet: sub(1102, () => AuthUserGetRequest),
  authUserChangePassword: sub(1103, () => AuthUserChangePasswordRequest),
  authUserGrantRole: sub(1104, () => AuthUserGrantRoleRequest),
  authUserRevokeRole: sub(1105, () => AuthUserRevokeRoleRequest),
  authUserList: sub(1106, () => AuthUserListRequest),
  authRoleList: sub(1107, () => AuthRoleListRequest),
  authRoleAdd: sub(1200, () => AuthRoleAddRequest),
  authRoleDelete: sub(1201, () => AuthRoleDeleteRequest),
  authRoleGet: sub(1202, () => AuthRoleGetRequest),
  authRoleGrantPermission: sub(1203, () => AuthRoleGrantPermissionRequest),
  authRoleRevokePermission: sub(1204, () => AuthRoleRevokePermissionRequest),
  clusterVersionSet: sub(1300, () => ClusterVersionSetRequest),
  clusterMemberAttrSet: sub(1301, () => ClusterMemberAttrSetRequest),
  downgradeInfoSet: sub(1302, () => DowngradeInfoSetRequest),
});
export type InternalRaftRequest = Of<typeof InternalRaftRequest>;
