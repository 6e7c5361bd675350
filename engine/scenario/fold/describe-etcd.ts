/** What etcd's clients and members say to each other, as a picture needs it. */
import type { ClientFrame, ServerFrame } from "../../etcd/api/methods.ts";
import { callLabel } from "../../etcd/member/requests.ts";
import type { FlightKind } from "../../trace/view.ts";
import type { Described } from "./describe.ts";

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
  switch (said.type) {
    case "call":
      return plain("request", { request: said.call, value: callLabel(said.method, said.body) });
    case "open":
      return plain("request", { request: said.call, value: said.method });
    case "send":
    case "half-close":
    case "window":
    case "cancel":
      return plain("request", { request: said.call, value: said.type });
    case "answer":
    case "message":
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
