/** What a ZooKeeper member puts on record, and what its clients' library does. */
import type { Micros } from "../base/units.ts";
import type { ProcessId } from "../sim/command.ts";
import type { Answer, SessionId, WatcherMode, WatchEventType, Zxid } from "./api.ts";

/** Why a member does not serve a client, or a client's library gives a server up. */
export type ZooKeeperReason =
  /** A member without a leader serves nobody, not even reads: it would not know how old they are. */
  | { readonly rule: "no-leader" }
  | { readonly rule: "leader-changed"; readonly from: ProcessId | null; readonly to: ProcessId | null }
  /** The member was too far behind for the log: what its clients' watches missed is not known. */
  | { readonly rule: "snapshot-installed" }
  /** It has seen more than this member has: it would go back in time. */
  | { readonly rule: "client-is-ahead"; readonly theirs: Zxid; readonly ours: Zxid }
  | { readonly rule: "session-expired"; readonly session: SessionId }
  | { readonly rule: "session-moved"; readonly session: SessionId }
  | { readonly rule: "session-closed"; readonly session: SessionId }
  /** The client has opened another connection for its session. */
  | { readonly rule: "client-reconnected"; readonly session: SessionId }
  | { readonly rule: "connection-closed" }
  | { readonly rule: "connect-timeout"; readonly timeout: Micros }
  /** Nothing was heard for two thirds of the session's timeout. */
  | { readonly rule: "read-timeout"; readonly timeout: Micros };

/** What each member does as it applies the log: the same on all of them, each at its own time. */
export type ZooKeeperApplied =
  | {
      readonly type: "znode-created";
      readonly path: string;
      readonly zxid: Zxid;
      readonly data: string;
      readonly owner: SessionId | null;
    }
  | { readonly type: "znode-changed"; readonly path: string; readonly zxid: Zxid; readonly data: string }
  /** `session`: whose end took it along; null: a delete. */
  | {
      readonly type: "znode-deleted";
      readonly path: string;
      readonly zxid: Zxid;
      readonly session: SessionId | null;
    }
  | {
      readonly type: "session-opened";
      readonly session: SessionId;
      readonly zxid: Zxid;
      readonly timeout: Micros;
      readonly member: ProcessId;
    }
  | {
      readonly type: "session-moved";
      readonly session: SessionId;
      readonly from: ProcessId;
      readonly to: ProcessId;
    }
  | {
      readonly type: "session-expired" | "session-closed";
      readonly session: SessionId;
      readonly zxid: Zxid;
      readonly ephemerals: readonly string[];
    };

export type ZooKeeperServerEvent =
  | ZooKeeperApplied
  /** The leader has not heard of it in time, and proposes its end. `heard` is at most a tick older than the timeout says. */
  | { readonly type: "session-ran-out"; readonly session: SessionId; readonly timeout: Micros }
  | { readonly type: "session-timers-restarted"; readonly sessions: number }
  /** As the leader counts it: heard of again, and when it ends unless it is once more. */
  | {
      readonly type: "session-counted";
      readonly session: SessionId;
      readonly timeout: Micros;
      readonly expiresIn: Micros;
    }
  | {
      readonly type: "zk-client-connected";
      readonly client: ProcessId;
      readonly session: SessionId;
      readonly timeout: Micros;
    }
  | {
      readonly type: "zk-client-dropped";
      readonly client: ProcessId;
      readonly session: SessionId | null;
      readonly why: ZooKeeperReason;
    }
  | {
      readonly type: "zk-request-received";
      readonly client: ProcessId;
      readonly xid: number;
      readonly label: string;
      /** The log entry's place in the member's pipe; null for what is answered here. */
      readonly key: string | null;
    }
  | {
      readonly type: "zk-request-answered";
      readonly client: ProcessId;
      readonly xid: number;
      readonly zxid: Zxid;
      readonly err: Answer["err"];
    }
  | {
      readonly type: "watch-set";
      readonly client: ProcessId;
      readonly path: string;
      readonly kind: "data" | "children";
      readonly mode: WatcherMode;
    }
  | {
      readonly type: "watch-fired";
      readonly client: ProcessId;
      readonly path: string;
      readonly event: WatchEventType;
      readonly zxid: Zxid;
    }
  | { readonly type: "watch-removed"; readonly client: ProcessId; readonly path: string }
  /** The connection is gone, and what it watched with it. */
  | { readonly type: "watches-lost"; readonly client: ProcessId; readonly paths: readonly string[] };

/** What the client's library believes; the servers may say otherwise. */
export type ZooKeeperClientEvent =
  | { readonly type: "zk-connecting"; readonly member: ProcessId; readonly session: SessionId | null }
  | {
      readonly type: "zk-connected";
      readonly member: ProcessId;
      readonly session: SessionId;
      readonly timeout: Micros;
      readonly again: boolean;
    }
  | {
      readonly type: "zk-disconnected";
      readonly member: ProcessId;
      readonly session: SessionId | null;
      readonly why: ZooKeeperReason;
    }
  | { readonly type: "zk-expired"; readonly session: SessionId }
  /** By the library's own clock: it had no connection for that long. */
  | { readonly type: "zk-given-up"; readonly session: SessionId; readonly timeout: Micros }
  | { readonly type: "zk-request"; readonly xid: number; readonly label: string }
  | { readonly type: "zk-reply"; readonly xid: number; readonly err: Answer["err"]; readonly zxid: Zxid | null }
  | { readonly type: "zk-event"; readonly event: WatchEventType; readonly path: string };

export type ZooKeeperEvent = ZooKeeperServerEvent | ZooKeeperClientEvent;
