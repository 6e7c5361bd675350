/** What etcd's clients and members say to each other, as a picture needs it. */
import { leaseHex } from "../../etcd/api/ids.ts";
import type {
  LeaderResponse,
  LeaseKeepAliveRequest,
  LeaseKeepAliveResponse,
  WatchRequest,
  WatchResponse,
} from "../../etcd/api/messages.ts";
import type { ClientFrame, RequestOf, ServerFrame } from "../../etcd/api/methods.ts";
import { callLabel } from "../../etcd/member/requests.ts";
import type { FlightKind } from "../../trace/view.ts";
import { spanText } from "../../etcd/mvcc/span.ts";
import type { Described } from "./describe.ts";
import { textOf } from "./etcd-text.ts";

type Said =
  | ClientFrame
  | ServerFrame
  | { readonly type: "lease-ask" | "lease-reply" | "promote-ask" | "promote-reply" };

export function describeEtcd(data: unknown): Described {
  const said = data as Said;
  const plain = (kind: FlightKind, figures: Described["figures"]): Described => ({
    kind,
    term: 0,
    entryTerms: [],
    entryCount: 0,
    figures,
  });
  // What a stream carries is told apart by its fields.
  switch (said.type) {
    case "call":
      return plain("request", { request: said.call, value: callLabel(said.method, said.body) });
    case "open":
      return plain("request", { request: said.call, value: said.method });
    case "send":
      return plain("request", { request: said.call, value: sentLabel(said.body) });
    case "half-close":
    case "window":
    case "cancel":
      return plain("request", { request: said.call, value: said.type });
    case "message":
      return plain("response", { request: said.call, value: messageLabel(said.body) });
    case "answer":
    case "end":
      return plain("response", { request: said.call, value: said.type });
    case "error":
      return plain("response", { request: said.call, error: said.error.message });
    case "ping":
    case "promote-ask":
    case "lease-ask":
      return plain("request", { value: said.type });
    case "pong":
    case "promote-reply":
    case "lease-reply":
      return plain("response", { value: said.type });
  }
}

/** A request on a stream: watch k*, cancel 2, progress, keep-alive 7. */
function sentLabel(body: object): string {
  if ("createRequest" in body) {
    const { createRequest, cancelRequest } = body as WatchRequest;
    if (createRequest !== null) return `watch ${spanText(createRequest, textOf)}`;
    return cancelRequest === null ? "progress" : `cancel ${cancelRequest.watchId}`;
  }
  if ("id" in body) return `keep-alive ${leaseHex((body as LeaseKeepAliveRequest).id)}`;
  if ("name" in body) return `observe ${textOf((body as RequestOf<"Election/Observe">).name)}`;
  return "send";
}

/** A response of a stream: created, put k@5 +2, progress 9, keep-alive 7 10 s, leader k. */
function messageLabel(body: object): string {
  if ("events" in body) {
    const { created, canceled, events, header } = body as WatchResponse;
    if (canceled) return "cancelled";
    if (created) return "created";
    const [first] = events;
    if (first === undefined) return `progress ${header?.revision ?? 0}`;
    const more = events.length > 1 ? ` +${events.length - 1}` : "";
    return `${first.type.toLowerCase()} ${textOf(first.kv?.key ?? "")}@${first.kv?.modRevision ?? 0}${more}`;
  }
  if ("ttl" in body) {
    const { id, ttl } = body as LeaseKeepAliveResponse;
    return `keep-alive ${leaseHex(id)} ${ttl} s`;
  }
  if ("kv" in body) return `leader ${textOf((body as LeaderResponse).kv?.key ?? "")}`;
  return "remainingBytes" in body ? "snapshot" : "message";
}
