/** What the parts of a member share. */
import type { Micros } from "../../base/units.ts";
import type { NodeId } from "../../raft/types.ts";
import type { ServiceHost } from "../../replica/service.ts";
import type { ConnectionId, Stamp } from "../../sim/process.ts";
import type { EtcdError } from "../api/errors.ts";
import type { MemberId } from "../api/ids.ts";
import type { ResponseHeader } from "../api/messages.ts";
import type { Metadata, UnaryMethod } from "../api/methods.ts";
import type { CallId, EtcdEvent } from "../events.ts";
import type { EtcdState } from "../state.ts";
import type { EtcdMemberConfig } from "./config.ts";

/** Who waits for an answer: a client's call, one of the member's own routines, or nobody. */
export type Caller =
  | { readonly type: "client"; readonly connection: ConnectionId; readonly call: number }
  | { readonly type: "routine"; readonly id: number }
  /** Another member, which asks for a client of its own. */
  | { readonly type: "peer"; readonly node: NodeId; readonly serial: number }
  | { readonly type: "nobody" };

export const NOBODY: Caller = { type: "nobody" };
export const NO_METADATA: Metadata = { token: null, hasLeader: false };

/** The instants, in awake time, at which parts want to be called; one each. */
export type TimerName = "requests" | "reads" | "sync" | "progress" | "expiry" | "forwards" | "leaderless" | "commit";
export const TIMERS: readonly TimerName[] = [
  "requests",
  "reads",
  "sync",
  "progress",
  "expiry",
  "forwards",
  "leaderless",
  "commit",
];
export type Timers = Record<TimerName, Micros | null>;

export interface Core {
  readonly config: EtcdMemberConfig;
  readonly state: EtcdState;
  readonly host: ServiceHost;
  readonly timers: Timers;
  /** Whom it knows to lead, and since when. */
  readonly leader: NodeId | null;
  readonly leaderSince: Micros | null;
  readonly isLearner: boolean;
  readonly ownId: MemberId;
  /** Unique in one life of the member, from 1 up: for requests, leases, questions to others. */
  nextSerial(): number;
  /** Filled as etcd fills it: a revision that is 0 becomes the present one. */
  header(given: ResponseHeader | null): ResponseHeader;
  /** Without a revision, as the cluster's calls have it. */
  memberHeader(): ResponseHeader;
  /** Carries out a call as if a client had made it; `answer` follows, at once or later. */
  call(caller: Caller, method: UnaryMethod, metadata: Metadata, body: object, stamp: Stamp): void;
  answer(caller: Caller, response: object | EtcdError, stamp: Stamp): void;
  /** Null when nobody listens. */
  readonly emit: ((event: EtcdEvent) => void) | null;
}

export function callId(connection: ConnectionId, call: number): CallId {
  return `${connection}#${call}`;
}

/** How a call is named in the record; null for those of no client. */
export function nameOf(caller: Caller): CallId | null {
  return caller.type === "client" ? callId(caller.connection, caller.call) : null;
}

export function isFailure(value: object): value is EtcdError {
  return "code" in value && "message" in value;
}

/** The sooner of two instants. */
export function sooner(a: Micros | null, b: Micros | null): Micros | null {
  return a === null || (b !== null && b < a) ? b : a;
}

/** For what happens at no instant of its own. */
export const NO_TIME: Stamp = { mono: 0, wall: 0, awake: 0 };

/** Who waits no more: its client has gone, or gave the call up. */
export type IsGone = (caller: Caller) => boolean;
