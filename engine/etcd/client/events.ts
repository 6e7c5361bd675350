/**
 * What a client of etcd tells the trace: where it is connected, what became of each call and attempt, what its watches
 * and leases do, and where it stands in a lock's queue. `call` is the client's own number for a call or stream.
 */
import type { Micros } from "../../base/units.ts";
import type { ProcessId } from "../../sim/command.ts";
import type { Bytes } from "../api/bytes.ts";
import type { EtcdError } from "../api/errors.ts";
import type { LeaseId } from "../api/ids.ts";
import type { StreamMethod, UnaryMethod } from "../api/methods.ts";

export type ConnectionLoss = "refused" | "reset" | "closed" | "dial-timeout" | "ping-unanswered";

export type ChannelEvent =
  | { readonly type: "connection-opening" | "connection-ready"; readonly member: ProcessId }
  /** `retryIn`: until it tries that member again. */
  | {
      readonly type: "connection-lost";
      readonly member: ProcessId;
      readonly why: ConnectionLoss;
      readonly retryIn: Micros;
    }
  | { readonly type: "call-asked"; readonly call: number; readonly method: UnaryMethod; readonly body: object }
  /** `attempt` counts from 1; `wire` is the call's number on the connection. */
  | {
      readonly type: "call-sent";
      readonly call: number;
      readonly method: UnaryMethod | StreamMethod;
      readonly member: ProcessId;
      readonly attempt: number;
      readonly wire: number;
    }
  | {
      readonly type: "call-answered";
      readonly call: number;
      readonly method: UnaryMethod;
      readonly member: ProcessId;
      /** Of the answer's header; 0 without one. */
      readonly revision: number;
    }
  /** It will be sent again: nothing that it does would hurt twice, or it was surely not done. */
  | {
      readonly type: "call-retried";
      readonly call: number;
      readonly method: UnaryMethod | StreamMethod;
      readonly attempt: number;
      readonly error: EtcdError;
      readonly retryIn: Micros;
    }
  /** `unknown`: it may have been carried out, or may yet be; it is not sent again for just that reason. */
  | {
      readonly type: "call-failed";
      readonly call: number;
      readonly method: UnaryMethod;
      readonly error: EtcdError;
      readonly unknown: boolean;
    }
  | {
      readonly type: "stream-ended";
      readonly call: number;
      readonly method: StreamMethod;
      readonly error: EtcdError | null;
    }
  | { readonly type: "token-renewed"; readonly user: string };

export type WatcherEvent =
  /** A member has taken the watch; `resumed` when another stream had carried it before. */
  | {
      readonly type: "watch-opened";
      readonly watch: number;
      readonly key: Bytes;
      readonly rangeEnd: Bytes;
      readonly startRevision: number;
      readonly resumed: boolean;
    }
  | { readonly type: "watch-delivered"; readonly watch: number; readonly revision: number; readonly events: number }
  | { readonly type: "watch-broken"; readonly error: EtcdError | null; readonly watches: number }
  | { readonly type: "watch-closed"; readonly watch: number; readonly error: EtcdError | null };

export type KeeperEvent =
  | { readonly type: "keep-alive-sent"; readonly lease: LeaseId }
  /** `deadline`: its own clock's instant after which it counts the lease as lost without another answer. */
  | { readonly type: "keep-alive-answered"; readonly lease: LeaseId; readonly ttl: number; readonly deadline: Micros }
  | { readonly type: "keep-alive-lost"; readonly lease: LeaseId; readonly why: KeepAliveLoss };

/** `expired`: the member says that there is no such lease. `no-answer`: none came within the lease's time. */
export type KeepAliveLoss = "expired" | "no-answer" | "halted";

export type ConcurrencyEvent =
  | { readonly type: "session-begun"; readonly session: number; readonly lease: LeaseId; readonly ttl: number }
  | { readonly type: "session-ended"; readonly session: number; readonly lease: LeaseId; readonly why: SessionEnd }
  /** `behind`: the key that it watches; its own key's revision is its place in the queue. */
  | {
      readonly type: "queue-waiting";
      readonly task: number;
      readonly kind: "lock" | "campaign";
      readonly key: Bytes;
      readonly revision: number;
      readonly behind: Bytes;
      readonly behindRevision: number;
    }
  | {
      readonly type: "queue-owned";
      readonly task: number;
      readonly kind: "lock" | "campaign";
      readonly key: Bytes;
      readonly revision: number;
    }
  | { readonly type: "task-failed"; readonly task: number; readonly kind: string; readonly error: EtcdError };

export type SessionEnd = "closed" | "orphaned" | KeepAliveLoss;

export type EtcdClientEvent = ChannelEvent | WatcherEvent | KeeperEvent | ConcurrencyEvent;
