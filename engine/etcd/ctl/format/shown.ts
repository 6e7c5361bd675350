/** What a command has to show: an answer, and what its line in simple output names besides. */
import type { Bytes } from "../../api/bytes.ts";
import type { LeaseId, MemberId } from "../../api/ids.ts";
import type * as m from "../../api/messages.ts";
import type { Of } from "../../api/proto.ts";

/** Answers of the role and user calls, which have a header only. */
export type Deed =
  | { readonly deed: "role-add" | "role-delete" | "role-grant-permission"; readonly role: string }
  | { readonly deed: "role-revoke-permission"; readonly role: string; readonly key: Bytes; readonly end: Bytes }
  | { readonly deed: "user-add" | "user-delete"; readonly user: string }
  | { readonly deed: "user-passwd" }
  | { readonly deed: "user-grant-role" | "user-revoke-role"; readonly user: string; readonly role: string };

export interface Health {
  readonly endpoint: string;
  readonly healthy: boolean;
  /** As Go writes a duration; empty when it was not asked. */
  readonly took: string;
  /** Empty without one. */
  readonly error: string;
}

export interface SnapshotStatus {
  readonly hash: number;
  readonly revision: number;
  readonly totalKeys: number;
  readonly totalSize: number;
}

export type Shown =
  | { readonly type: "get"; readonly response: m.RangeResponse }
  | { readonly type: "put"; readonly response: m.PutResponse }
  | { readonly type: "del"; readonly response: m.DeleteRangeResponse }
  | { readonly type: "txn"; readonly response: m.TxnResponse }
  | { readonly type: "watch"; readonly response: m.WatchResponse }
  | { readonly type: "grant"; readonly response: m.LeaseGrantResponse }
  | { readonly type: "revoke"; readonly response: m.LeaseRevokeResponse; readonly id: LeaseId }
  | { readonly type: "time-to-live"; readonly response: m.LeaseTimeToLiveResponse; readonly keys: boolean }
  | { readonly type: "leases"; readonly response: m.LeaseLeasesResponse }
  | { readonly type: "keep-alive"; readonly response: m.LeaseKeepAliveResponse }
  | { readonly type: "alarm"; readonly alarms: readonly m.AlarmMember[] }
  | { readonly type: "member-add"; readonly response: Of<typeof m.MemberAddResponse> }
  | { readonly type: "member-remove"; readonly response: Of<typeof m.MemberRemoveResponse>; readonly id: MemberId }
  | { readonly type: "member-update"; readonly response: Of<typeof m.MemberUpdateResponse>; readonly id: MemberId }
  | { readonly type: "member-promote"; readonly response: Of<typeof m.MemberPromoteResponse>; readonly id: MemberId }
  | { readonly type: "member-list"; readonly response: Of<typeof m.MemberListResponse> }
  | { readonly type: "health"; readonly list: readonly Health[] }
  | {
      readonly type: "status";
      readonly list: readonly { readonly endpoint: string; readonly response: m.StatusResponse }[];
    }
  | {
      readonly type: "hash";
      readonly list: readonly { readonly endpoint: string; readonly response: m.HashKVResponse }[];
    }
  | { readonly type: "move-leader"; readonly from: MemberId; readonly to: MemberId }
  | { readonly type: "snapshot"; readonly status: SnapshotStatus }
  | ({ readonly type: "deed"; readonly header: m.ResponseHeader | null } & Deed)
  | { readonly type: "role-get"; readonly response: Of<typeof m.AuthRoleGetResponse>; readonly role: string }
  | { readonly type: "role-list"; readonly response: Of<typeof m.AuthRoleListResponse> }
  | { readonly type: "user-get"; readonly response: Of<typeof m.AuthUserGetResponse>; readonly user: string }
  | { readonly type: "user-list"; readonly response: Of<typeof m.AuthUserListResponse> };

/** How it is to be shown. */
export interface Style {
  readonly format: Format;
  readonly hex: boolean;
  readonly valueOnly: boolean;
}

export const FORMATS = ["simple", "fields", "json", "table", "protobuf"] as const;
export type Format = (typeof FORMATS)[number];

export type Text = { readonly type: "text"; readonly stream: "stdout" | "stderr"; readonly text: Bytes };

/** Text; or the format is not there for this answer, or the tool itself breaks down over it. */
export type Rendered = Text | { readonly type: "unsupported" } | { readonly type: "panic" };

export const UNSUPPORTED: Rendered = { type: "unsupported" };
/** This version of the tool calls a method of nothing here. */
export const PANIC: Rendered = { type: "panic" };
export const text = (bytes: Bytes): Rendered => ({ type: "text", stream: "stdout", text: bytes });
