/** `-w json`: one line an answer. Answers that the client library makes anew are spelled out, zeros and all. */
import { unreachable } from "../../../base/assert.ts";
import { fromText } from "../../api/bytes.ts";
import * as m from "../../api/messages.ts";
import type { Descriptor } from "../../api/proto.ts";
import { base64, goJson, jsonString, members } from "./go-json.ts";
import { PANIC, type Rendered, type Shown, text } from "./shown.ts";

export function json(shown: Shown): Rendered {
  const line = jsonLine(shown);
  return line === null ? PANIC : text(fromText(`${line}\n`));
}

const header = (of: m.ResponseHeader | null) => (of === null ? [] : members(m.ResponseHeader, of));
const object = (parts: readonly string[]) => `{${parts.join(",")}}`;
const list = <T>(items: readonly T[], each: (item: T) => string) => `[${items.map(each).join(",")}]`;

function jsonLine(shown: Shown): string | null {
  switch (shown.type) {
    case "get":
      return goJson(m.RangeResponse, shown.response);
    case "put":
      return goJson(m.PutResponse, shown.response);
    case "del":
      return goJson(m.DeleteRangeResponse, shown.response);
    case "txn":
      return goJson(m.TxnResponse, shown.response);
    case "watch":
      return watch(shown.response);
    case "revoke":
      return goJson(m.LeaseRevokeResponse, shown.response);
    case "grant":
    case "time-to-live":
    case "leases":
    case "keep-alive":
      return lease(shown);
    case "alarm":
      return goJson(m.AlarmResponse, { header: null, alarms: shown.alarms });
    case "member-add":
      return goJson(m.MemberAddResponse, shown.response);
    case "member-remove":
    case "member-update":
    case "member-list":
      return goJson(m.MemberListResponse as Descriptor<typeof shown.response>, shown.response);
    case "member-promote":
      return null;
    case "health":
      return list(shown.list, ({ endpoint, healthy, took, error }) =>
        object([
          `"endpoint":${jsonString(endpoint)}`,
          `"health":${healthy}`,
          `"took":${jsonString(took)}`,
          ...(error === "" ? [] : [`"error":${jsonString(error)}`]),
        ]),
      );
    case "status":
      return list(shown.list, ({ endpoint, response }) =>
        object([`"Endpoint":${jsonString(endpoint)}`, `"Status":${goJson(m.StatusResponse, response)}`]),
      );
    case "hash":
      return list(shown.list, ({ endpoint, response }) =>
        object([
          `"Endpoint":${jsonString(endpoint)}`,
          `"HashKV":${goJson(m.HashKVResponse, { ...response, hashRevision: 0 })}`,
        ]),
      );
    case "move-leader":
      return "{}";
    case "snapshot": {
      const { hash, revision, totalKeys, totalSize } = shown.status;
      return `{"hash":${hash},"revision":${revision},"totalKey":${totalKeys},"totalSize":${totalSize}}`;
    }
    case "deed":
      return goJson(m.AuthResponse, { header: shown.header });
    case "role-get":
      return goJson(m.AuthRoleGetResponse, shown.response);
    case "role-list":
      return goJson(m.AuthRoleListResponse, shown.response);
    case "user-get":
      return goJson(m.AuthUserGetResponse, shown.response);
    case "user-list":
      return goJson(m.AuthUserListResponse, shown.response);
    default:
      return unreachable(shown);
  }
}

function watch(response: m.WatchResponse): string {
  return object([
    `"Header":${object(header(response.header))}`,
    `"Events":${list(response.events, (event) => goJson(m.Event, event))}`,
    `"CompactRevision":${response.compactRevision}`,
    `"Canceled":${response.canceled}`,
    `"Created":${response.created}`,
  ]);
}

type LeaseShown = Extract<Shown, { readonly type: "grant" | "time-to-live" | "leases" | "keep-alive" }>;

function lease(shown: LeaseShown): string {
  const parts = [...header(shown.response.header)];
  switch (shown.type) {
    case "grant":
      parts.push(`"ID":${shown.response.id}`, `"TTL":${shown.response.ttl}`);
      parts.push(`"Error":${jsonString(shown.response.error)}`);
      return object(parts);
    case "keep-alive":
      parts.push(`"ID":${shown.response.id}`, `"TTL":${shown.response.ttl}`);
      return object(parts);
    case "leases":
      parts.push(`"leases":${list(shown.response.leases, ({ id }) => `{"id":${id}}`)}`);
      return object(parts);
    case "time-to-live": {
      const { id, ttl, grantedTtl, keys } = shown.response;
      parts.push(`"id":${id}`, `"ttl":${ttl}`, `"granted-ttl":${grantedTtl}`);
      parts.push(`"keys":${keys.length === 0 ? "null" : list(keys, (key) => `"${base64(key)}"`)}`);
      return object(parts);
    }
    default:
      return unreachable(shown);
  }
}
