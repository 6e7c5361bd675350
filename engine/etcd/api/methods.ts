/**
 * The calls of etcd's services, each with its messages; and what goes over a connection between a client and a member:
 * gRPC's shape, with messages as plain data instead of HTTP/2 frames.
 */
import type { EtcdError } from "./errors.ts";
import * as m from "./messages.ts";
import type { Descriptor, Of } from "./proto.ts";

interface Method {
  readonly request: Descriptor;
  readonly response: Descriptor;
}

const unary = <Q extends Descriptor, A extends Descriptor>(request: Q, response: A) => ({ request, response });

/** One request, one response. */
export const UNARY = {
  "KV/Range": unary(m.RangeRequest, m.RangeResponse),
  "KV/Put": unary(m.PutRequest, m.PutResponse),
  "KV/DeleteRange": unary(m.DeleteRangeRequest, m.DeleteRangeResponse),
  "KV/Txn": unary(m.TxnRequest, m.TxnResponse),
  "KV/Compact": unary(m.CompactionRequest, m.CompactionResponse),
  "Lease/LeaseGrant": unary(m.LeaseGrantRequest, m.LeaseGrantResponse),
  "Lease/LeaseRevoke": unary(m.LeaseRevokeRequest, m.LeaseRevokeResponse),
  "Lease/LeaseTimeToLive": unary(m.LeaseTimeToLiveRequest, m.LeaseTimeToLiveResponse),
  "Lease/LeaseLeases": unary(m.LeaseLeasesRequest, m.LeaseLeasesResponse),
  "Lock/Lock": unary(m.LockRequest, m.LockResponse),
  "Lock/Unlock": unary(m.UnlockRequest, m.UnlockResponse),
  "Election/Campaign": unary(m.CampaignRequest, m.CampaignResponse),
  "Election/Proclaim": unary(m.ProclaimRequest, m.ProclaimResponse),
  "Election/Leader": unary(m.LeaderRequest, m.LeaderResponse),
  "Election/Resign": unary(m.ResignRequest, m.ResignResponse),
  "Cluster/MemberAdd": unary(m.MemberAddRequest, m.MemberAddResponse),
  "Cluster/MemberRemove": unary(m.MemberRemoveRequest, m.MemberRemoveResponse),
  "Cluster/MemberUpdate": unary(m.MemberUpdateRequest, m.MemberUpdateResponse),
  "Cluster/MemberList": unary(m.MemberListRequest, m.MemberListResponse),
  "Cluster/MemberPromote": unary(m.MemberPromoteRequest, m.MemberPromoteResponse),
  "Maintenance/Alarm": unary(m.AlarmRequest, m.AlarmResponse),
  "Maintenance/Status": unary(m.StatusRequest, m.StatusResponse),
  "Maintenance/Defragment": unary(m.DefragmentRequest, m.DefragmentResponse),
  "Maintenance/Hash": unary(m.HashRequest, m.HashResponse),
  "Maintenance/HashKV": unary(m.HashKVRequest, m.HashKVResponse),
  "Maintenance/MoveLeader": unary(m.MoveLeaderRequest, m.MoveLeaderResponse),
  "Maintenance/Downgrade": unary(m.DowngradeRequest, m.DowngradeResponse),
  "Auth/AuthEnable": unary(m.AuthEnableRequest, m.AuthResponse),
  "Auth/AuthDisable": unary(m.AuthDisableRequest, m.AuthResponse),
  "Auth/AuthStatus": unary(m.AuthStatusRequest, m.AuthStatusResponse),
  "Auth/Authenticate": unary(m.AuthenticateRequest, m.AuthenticateResponse),
  "Auth/UserAdd": unary(m.AuthUserAddRequest, m.AuthResponse),
  "Auth/UserGet": unary(m.AuthUserGetRequest, m.AuthUserGetResponse),
  "Auth/UserList": unary(m.AuthUserListRequest, m.AuthUserListResponse),
  "Auth/UserDelete": unary(m.AuthUserDeleteRequest, m.AuthResponse),
  "Auth/UserChangePassword": unary(m.AuthUserChangePasswordRequest, m.AuthResponse),
  "Auth/UserGrantRole": unary(m.AuthUserGrantRoleRequest, m.AuthResponse),
  "Auth/UserRevokeRole": unary(m.AuthUserRevokeRoleRequest, m.AuthResponse),
  "Auth/RoleAdd": unary(m.AuthRoleAddRequest, m.AuthResponse),
  "Auth/RoleGet": unary(m.AuthRoleGetRequest, m.AuthRoleGetResponse),
  "Auth/RoleList": unary(m.AuthRoleListRequest, m.AuthRoleListResponse),
  "Auth/RoleDelete": unary(m.AuthRoleDeleteRequest, m.AuthResponse),
  "Auth/RoleGrantPermission": unary(m.AuthRoleGrantPermissionRequest, m.AuthResponse),
  "Auth/RoleRevokePermission": unary(m.AuthRoleRevokePermissionRequest, m.AuthResponse),
} as const satisfies Readonly<Record<string, Method>>;
export type UnaryMethod = keyof typeof UNARY;

/** Responses keep coming; with `Watch/Watch` and `Lease/LeaseKeepAlive` requests too, with the others only the first. */
export const STREAMS = {
  "Watch/Watch": unary(m.WatchRequest, m.WatchResponse),
  "Lease/LeaseKeepAlive": unary(m.LeaseKeepAliveRequest, m.LeaseKeepAliveResponse),
  "Election/Observe": unary(m.LeaderRequest, m.LeaderResponse),
  "Maintenance/Snapshot": unary(m.SnapshotRequest, m.SnapshotResponse),
} as const satisfies Readonly<Record<string, Method>>;
export type StreamMethod = keyof typeof STREAMS;

export type RequestOf<M extends UnaryMethod | StreamMethod> = Of<(typeof UNARY & typeof STREAMS)[M]["request"]>;
export type ResponseOf<M extends UnaryMethod | StreamMethod> = Of<(typeof UNARY & typeof STREAMS)[M]["response"]>;

/** What gRPC sends in front of a call. */
export interface Metadata {
  /** What Authenticate gave; null without one. */
  readonly token: string | null;
  /** The client wants an error rather than to wait at a member that has no leader (clientv3's WithRequireLeader). */
  readonly hasLeader: boolean;
}

/** From a client. `call` is the client's own number for it, unique on the connection. */
export type ClientFrame =
  | {
      readonly type: "call";
      readonly call: number;
      readonly method: UnaryMethod;
      readonly metadata: Metadata;
      readonly body: object;
    }
  | { readonly type: "open"; readonly call: number; readonly method: StreamMethod; readonly metadata: Metadata }
  | { readonly type: "send"; readonly call: number; readonly body: object }
  /** It sends no more; a keep-alive or watch stream ends thereby. */
  | { readonly type: "half-close"; readonly call: number }
  /** HTTP/2's WINDOW_UPDATE: so many bytes of a stream have been taken up (`flow.ts`). */
  | { readonly type: "window"; readonly call: number; readonly bytes: number }
  /** It gives the call up, of whichever kind. */
  | { readonly type: "cancel"; readonly call: number }
  /** HTTP/2's PING: the other end answers at once with `pong`, whatever it is busy with. */
  | { readonly type: "ping" };

export type ServerFrame =
  | { readonly type: "answer"; readonly call: number; readonly body: object }
  | { readonly type: "error"; readonly call: number; readonly error: EtcdError }
  /** One response of a stream. */
  | { readonly type: "message"; readonly call: number; readonly body: object }
  /** A stream ended in order. */
  | { readonly type: "end"; readonly call: number }
  | { readonly type: "pong" };
