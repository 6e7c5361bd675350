/** `-w simple`: what people read. Keys and values are raw bytes, or with `--hex` all escaped. */
import { unreachable } from "../../../base/assert.ts";
import { type Bytes, fromText, prefixEnd } from "../../api/bytes.ts";
import type { LeaseId, MemberId } from "../../api/ids.ts";
import type * as m from "../../api/messages.ts";
import type { Rendered, Shown, Style } from "./shown.ts";
import { memberRow, statusRow } from "./table.ts";
import { humanBytes } from "./size.ts";

export function simple(shown: Shown, style: Style): Rendered {
  const stream = shown.type === "health" ? "stderr" : "stdout";
  return {
    type: "text",
    stream,
    text: linesOf(shown, style)
      .map((line) => `${line}\n`)
      .join(""),
  };
}

/** Go's `%016x` of a lease. */
export function lease16(id: LeaseId): string {
  const value = BigInt(id);
  return value < 0n ? `-${(-value).toString(16).padStart(15, "0")}` : value.toString(16).padStart(16, "0");
}

/** Go's `%16x` of a member or cluster. */
const padded16 = (id: string | undefined) =>
  BigInt(id ?? "0")
    .toString(16)
    .padStart(16, " ");

function escaped(bytes: Bytes): Bytes {
  let out = "";
  for (let i = 0; i < bytes.length; i += 1) out += `\\x${bytes.charCodeAt(i).toString(16).padStart(2, "0")}`;
  return out;
}

function pair(kv: m.KeyValue | null, { hex, valueOnly }: Style): readonly Bytes[] {
  if (kv === null) return [];
  const value = hex ? escaped(kv.value) : kv.value;
  return valueOnly ? [value] : [hex ? escaped(kv.key) : kv.key, value];
}

function linesOf(shown: Shown, style: Style): readonly Bytes[] {
  switch (shown.type) {
    case "get":
      return shown.response.kvs.flatMap((kv) => pair(kv, style));
    case "put":
      return ["OK", ...pair(shown.response.prevKv, style)];
    case "del":
      return [String(shown.response.deleted), ...shown.response.prevKvs.flatMap((kv) => pair(kv, style))];
    case "txn":
      return txn(shown.response, style);
    case "watch":
      return shown.response.events.flatMap((event) => [
        event.type,
        ...pair(event.prevKv, style),
        ...pair(event.kv, style),
      ]);
    case "grant":
      return [`lease ${lease16(shown.response.id)} granted with TTL(${shown.response.ttl}s)`];
    case "revoke":
      return [`lease ${lease16(shown.id)} revoked`];
    case "keep-alive":
      return [`lease ${lease16(shown.response.id)} keepalived with TTL(${shown.response.ttl})`];
    case "time-to-live":
      return [timeToLive(shown.response, shown.keys)];
    case "leases":
      return [`found ${shown.response.leases.length} leases`, ...shown.response.leases.map(({ id }) => lease16(id))];
    case "alarm":
      return shown.alarms.map(alarmText);
    case "member-add": {
      const { member, header } = shown.response;
      return [`Member ${padded16(member?.id)} added to cluster ${padded16(header?.clusterId)}`];
    }
    case "member-remove":
      return [memberDeed(shown.id, "removed from", shown.response.header)];
    case "member-update":
      return [memberDeed(shown.id, "updated in", shown.response.header)];
    case "member-promote":
      return [memberDeed(shown.id, "promoted in", shown.response.header)];
    case "member-list":
      return shown.response.members.map((of) => fromText(memberRow(of).join(", ")));
    case "health":
      return shown.list.map(({ endpoint, healthy, took, error }) =>
        fromText(
          healthy
            ? `${endpoint} is healthy: successfully committed proposal: took = ${took}`
            : `${endpoint} is unhealthy: failed to commit proposal: ${error}`,
        ),
      );
    case "status":
      return shown.list.map(({ endpoint, response }) => fromText(statusRow(endpoint, response).join(", ")));
    case "hash":
      return shown.list.map(({ endpoint, response }) => fromText(`${endpoint}, ${response.hash}`));
    case "move-leader":
      return [`Leadership transferred from ${BigInt(shown.from).toString(16)} to ${BigInt(shown.to).toString(16)}`];
    case "snapshot": {
      const { hash, revision, totalKeys, totalSize } = shown.status;
      return [[hash.toString(16), revision, totalKeys, humanBytes(totalSize)].join(", ")];
    }
    case "deed":
      return [deed(shown)];
    case "role-get":
      return role(shown.role, shown.response.perm);
    case "role-list":
      return shown.response.roles.map(fromText);
    case "user-get":
      return [
        fromText(`User: ${shown.user}`),
        fromText(`Roles:${shown.response.roles.map((name) => ` ${name}`).join("")}`),
      ];
    case "user-list":
      return shown.response.users.map(fromText);
    default:
      return unreachable(shown);
  }
}

function txn(response: m.TxnResponse, style: Style): readonly Bytes[] {
  const parts = response.responses.flatMap(({ responseRange, responsePut, responseDeleteRange }) => {
    if (responseRange !== null) return ["", ...linesOf({ type: "get", response: responseRange }, style)];
    if (responsePut !== null) return ["", ...linesOf({ type: "put", response: responsePut }, style)];
    return responseDeleteRange === null ? [] : ["", ...linesOf({ type: "del", response: responseDeleteRange }, style)];
  });
  return [response.succeeded ? "SUCCESS" : "FAILURE", ...parts];
}

function timeToLive({ id, ttl, grantedTtl, keys }: m.LeaseTimeToLiveResponse, wanted: boolean): Bytes {
  if (grantedTtl === 0 && ttl === -1) return `lease ${lease16(id)} already expired`;
  const line = `lease ${lease16(id)} granted with TTL(${grantedTtl}s), remaining(${ttl}s)`;
  return wanted ? `${line}, attached keys([${keys.join(" ")}])` : line;
}

/** As protocol buffers' text form has it, which ends with a space. */
export function alarmText({ memberId, alarm }: m.AlarmMember): string {
  return `${memberId === "0" ? "" : `memberID:${memberId} `}${alarm === "NONE" ? "" : `alarm:${alarm} `}`;
}

function memberDeed(id: MemberId, what: string, header: m.ResponseHeader | null): string {
  return `Member ${padded16(id)} ${what} cluster ${padded16(header?.clusterId)}`;
}

function deed(shown: Extract<Shown, { readonly type: "deed" }>): Bytes {
  switch (shown.deed) {
    case "role-add":
      return fromText(`Role ${shown.role} created`);
    case "role-delete":
      return fromText(`Role ${shown.role} deleted`);
    case "role-grant-permission":
      return fromText(`Role ${shown.role} updated`);
    case "role-revoke-permission": {
      const what = shown.end === "" ? `key ${shown.key}` : `range ${spanText(shown.key, shown.end)}`;
      return `Permission of ${what} is revoked from role ${fromText(shown.role)}`;
    }
    case "user-add":
      return fromText(`User ${shown.user} created`);
    case "user-delete":
      return fromText(`User ${shown.user} deleted`);
    case "user-passwd":
      return "Password updated";
    case "user-grant-role":
      return fromText(`Role ${shown.role} is granted to user ${shown.user}`);
    case "user-revoke-role":
      return fromText(`Role ${shown.role} is revoked from user ${shown.user}`);
    default:
      return unreachable(shown);
  }
}

const spanText = (key: Bytes, end: Bytes) => (end === "\0" ? `[${key}, <open ended>` : `[${key}, ${end})`);

function role(name: string, perms: readonly m.Permission[]): readonly Bytes[] {
  const listed = (wanted: "READ" | "WRITE") =>
    perms
      .filter(({ permType }) => permType === wanted || permType === "READWRITE")
      .map(({ key, rangeEnd }) => {
        if (rangeEnd === "") return `\t${key}`;
        return `\t${spanText(key, rangeEnd)}${key !== "" && prefixEnd(key) === rangeEnd ? ` (prefix ${key})` : ""}`;
      });
  return [fromText(`Role ${name}`), "KV Read:", ...listed("READ"), "KV Write:", ...listed("WRITE")];
}
