/** `-w fields`: a line a field, strings quoted as Go's `%q` does. */
import { unreachable } from "../../../base/assert.ts";
import { fromText } from "../../api/bytes.ts";
import type * as m from "../../api/messages.ts";
import { quote, quoteBytes } from "../go/quote.ts";
import { PANIC, type Rendered, type Shown, text, UNSUPPORTED } from "./shown.ts";

export function fields(shown: Shown): Rendered {
  const lines = linesOf(shown);
  return "type" in lines ? lines : text(fromText(lines.map((line) => `${line}\n`).join("")));
}

const field = (name: string, value: unknown) => `"${name}" : ${String(value)}`;

function header(of: m.ResponseHeader | null): readonly string[] {
  return [
    field("ClusterID", of?.clusterId ?? "0"),
    field("MemberID", of?.memberId ?? "0"),
    field("Revision", of?.revision ?? 0),
    field("RaftTerm", of?.raftTerm ?? 0),
  ];
}

function keyValue(prefix: "" | "Prev", kv: m.KeyValue | null): readonly string[] {
  if (kv === null) return [];
  return [
    field(`${prefix}Key`, quoteBytes(kv.key)),
    field(`${prefix}CreateRevision`, kv.createRevision),
    field(`${prefix}ModRevision`, kv.modRevision),
    field(`${prefix}Version`, kv.version),
    field(`${prefix}Value`, quoteBytes(kv.value)),
    field(`${prefix}Lease`, kv.lease),
  ];
}

function linesOf(shown: Shown): readonly string[] | Rendered {
  switch (shown.type) {
    case "get":
      return range(shown.response);
    case "put":
      return [...header(shown.response.header), ...keyValue("Prev", shown.response.prevKv)];
    case "del":
      return deleted(shown.response);
    case "txn":
      return txn(shown.response);
    case "watch":
      return [
        ...header(shown.response.header),
        ...shown.response.events.flatMap((event) => [
          field("Type", event.type),
          ...keyValue("Prev", event.prevKv),
          ...keyValue("", event.kv),
        ]),
      ];
    case "grant":
    case "keep-alive":
      return [...header(shown.response.header), field("ID", shown.response.id), field("TTL", shown.response.ttl)];
    case "revoke":
      return header(shown.response.header);
    case "time-to-live": {
      const { id, ttl, grantedTtl, keys } = shown.response;
      const lines = [...header(shown.response.header), field("ID", id), field("TTL", ttl)];
      return [...lines, field("GrantedTTL", grantedTtl), ...keys.map((key) => field("Key", quoteBytes(key)))];
    }
    case "leases":
      return [...header(shown.response.header), ...shown.response.leases.map(({ id }) => field("ID", id))];
    case "alarm":
    case "member-promote":
      return PANIC;
    case "member-list":
      return [...header(shown.response.header), ...shown.response.members.flatMap(member)];
    case "health":
      return shown.list.flatMap(({ endpoint, healthy, took, error }) => [
        field("Endpoint", quote(endpoint)),
        field("Health", healthy),
        field("Took", took),
        field("Error", error),
        "",
      ]);
    case "status":
      return shown.list.flatMap(({ endpoint, response }) => status(endpoint, response));
    case "hash":
      return shown.list.flatMap(({ endpoint, response }) => [
        ...header(response.header),
        field("Endpoint", quote(endpoint)),
        field("Hash", response.hash),
        "",
      ]);
    case "snapshot": {
      const { hash, revision, totalKeys, totalSize } = shown.status;
      return [field("Hash", hash), field("Revision", revision), field("Keys", totalKeys), field("Size", totalSize)];
    }
    case "deed":
      return header(shown.header);
    case "role-get":
      return [
        ...header(shown.response.header),
        ...shown.response.perm.flatMap((perm) => [
          `"PermType" :  ${perm.permType}`,
          field("Key", quoteBytes(perm.key)),
          field("RangeEnd", quoteBytes(perm.rangeEnd)),
        ]),
      ];
    case "role-list":
      return [
        ...header(shown.response.header),
        `"Roles" :${shown.response.roles.map((role) => ` ${quote(role)}`).join("")}`,
      ];
    case "member-add":
    case "member-remove":
    case "member-update":
    case "move-leader":
    case "user-get":
    case "user-list":
      return UNSUPPORTED;
    default:
      return unreachable(shown);
  }
}

function range(response: m.RangeResponse): readonly string[] {
  const { kvs, more, count } = response;
  const pairs = kvs.flatMap((kv) => keyValue("", kv));
  return [...header(response.header), ...pairs, field("More", more), field("Count", count)];
}

function deleted(response: m.DeleteRangeResponse): readonly string[] {
  const pairs = response.prevKvs.flatMap((kv) => keyValue("Prev", kv));
  return [...header(response.header), field("Deleted", response.deleted), ...pairs];
}

function txn(response: m.TxnResponse): readonly string[] {
  const parts = response.responses.flatMap(({ responseRange, responsePut, responseDeleteRange }) => {
    if (responseRange !== null) return range(responseRange);
    if (responsePut !== null) return [...header(responsePut.header), ...keyValue("Prev", responsePut.prevKv)];
    return responseDeleteRange === null ? [] : deleted(responseDeleteRange);
  });
  return [...header(response.header), field("Succeeded", response.succeeded), ...parts];
}

function member(of: m.Member): readonly string[] {
  return [
    field("ID", of.id),
    field("Name", quote(of.name)),
    ...of.peerUrls.map((url) => field("PeerURL", quote(url))),
    ...of.clientUrls.map((url) => field("ClientURL", quote(url))),
    field("IsLearner", of.isLearner),
    "",
  ];
}

function status(endpoint: string, response: m.StatusResponse): readonly string[] {
  return [
    ...header(response.header),
    field("Version", quote(response.version)),
    field("DBSize", response.dbSize),
    field("Leader", response.leader),
    field("IsLearner", response.isLearner),
    field("RaftIndex", response.raftIndex),
    field("RaftTerm", response.raftTerm),
    field("RaftAppliedIndex", response.raftAppliedIndex),
    field("Errors", `[${response.errors.join(" ")}]`),
    field("Endpoint", quote(endpoint)),
    "",
  ];
}
