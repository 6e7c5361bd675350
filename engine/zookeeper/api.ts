/**
 * What goes between a ZooKeeper client and a server, as data.
 *
 * Calls, results, errors and events have the names of ZooKeeper's Java API, which are also those of the traces in
 * `conformance/zookeeper`. Data is text here: labs write text, and its length is counted in UTF-8 bytes as the server
 * would. Quotas are not enforced, and all clients have one address.
 */
import type { Brand } from "../base/brand.ts";
import type { Micros } from "../base/units.ts";
import type { Acl, Id } from "./acl.ts";

/** Each write takes one, a failed one too, and so do the start and the end of a session. */
export type Zxid = number;
/** 64 bits in hexadecimal, as ZooKeeper prints it. */
export type SessionId = Brand<string, "SessionId">;

export type CreateMode =
  | "PERSISTENT"
  | "EPHEMERAL"
  | "PERSISTENT_SEQUENTIAL"
  | "EPHEMERAL_SEQUENTIAL"
  /** Goes away some time after its last child has gone. */
  | "CONTAINER"
  /** Go away when they have no children and were not written for their ttl. */
  | "PERSISTENT_WITH_TTL"
  | "PERSISTENT_SEQUENTIAL_WITH_TTL";

/** Names of KeeperException.Code. */
export type ErrorName =
  | "NoNode"
  | "NodeExists"
  | "NotEmpty"
  | "BadVersion"
  | "NoChildrenForEphemerals"
  | "BadArguments"
  | "NoAuth"
  | "InvalidACL"
  | "AuthFailed"
  | "NoWatcher"
  | "RuntimeInconsistency"
  | "SessionExpired"
  | "SessionMoved"
  /** Of the client itself: the connection broke, and whether the request was carried out is not known. */
  | "ConnectionLoss";

/** Versions and counters are signed 32-bit integers and wrap. */
export interface Stat {
  readonly czxid: Zxid;
  readonly mzxid: Zxid;
  readonly pzxid: Zxid;
  /** Milliseconds of the wall clock of the member that took the request. */
  readonly ctime: number;
  readonly mtime: number;
  readonly version: number;
  readonly cversion: number;
  readonly aversion: number;
  readonly ephemeralOwner: SessionId | null;
  /** UTF-8 bytes. */
  readonly dataLength: number;
  readonly numChildren: number;
}

interface Create {
  readonly path: string;
  readonly data: string;
  readonly mode: CreateMode;
  /** Left out: anyone may do anything. */
  readonly acl?: readonly Acl[];
  /** Milliseconds, for the modes with one. */
  readonly ttl?: number;
}

/** Version -1 stands for any. */
export type MultiOp =
  | ({ readonly call: "create" | "create2" } & Create)
  | { readonly call: "delete"; readonly path: string; readonly version: number }
  | { readonly call: "setData"; readonly path: string; readonly data: string; readonly version: number }
  | { readonly call: "check"; readonly path: string; readonly version: number };

export type WriteCall =
  | MultiOp
  | { readonly call: "multi"; readonly ops: readonly MultiOp[] }
  /** `version`: of the ACL, the Stat's aversion. */
  | { readonly call: "setACL"; readonly path: string; readonly acl: readonly Acl[]; readonly version: number };

export type WatcherType = "data" | "children" | "any";
export type WatcherMode = "standard" | "persistent" | "recursive";

/** What a client library says first on a new connection of an old session. */
export interface WatchList {
  readonly data: readonly string[];
  readonly exist: readonly string[];
  readonly child: readonly string[];
  readonly persistent: readonly string[];
  readonly recursive: readonly string[];
}

export type ReadCall =
  | { readonly call: "exists" | "getData" | "getChildren"; readonly path: string; readonly watch: boolean }
  | { readonly call: "getACL" | "getAllChildrenNumber"; readonly path: string }
  | { readonly call: "whoAmI" }
  /** Shows who the client is, for as long as the connection lasts. */
  | { readonly call: "addAuth"; readonly scheme: string; readonly auth: string }
  | { readonly call: "getEphemerals"; readonly prefix: string }
  | ({ readonly call: "setWatches"; readonly lastZxid: Zxid } & WatchList)
  | { readonly call: "addWatch"; readonly path: string; readonly mode: "persistent" | "recursive" }
  | { readonly call: "removeWatches"; readonly path: string; readonly type: WatcherType };

/** `sync` brings the member that the client is connected to up to date; it writes nothing. */
export type Call =
  | WriteCall
  | ReadCall
  | { readonly call: "sync"; readonly path: string }
  | { readonly call: "closeSession" };

/** Of one part of a multi. In one that failed: OK for those before the bad one, RuntimeInconsistency for those after. */
export type MultiResult =
  | { readonly op: "create"; readonly path: string }
  | { readonly op: "setData"; readonly stat: Stat }
  | { readonly op: "delete" | "check" }
  | { readonly err: ErrorName | "OK" };

/** Which of these are there depends on the call, as in the Java API. */
export interface Result {
  readonly path?: string;
  readonly stat?: Stat;
  readonly data?: string;
  /** In no order that means anything; sorted here. */
  readonly children?: readonly string[];
  readonly results?: readonly MultiResult[];
  readonly acl?: readonly Acl[];
  /** Of all nodes below. */
  readonly count?: number;
  readonly ids?: readonly Id[];
}

export type Answer = { readonly err: "OK"; readonly result: Result } | { readonly err: ErrorName };

export type WatchEventType = "NodeCreated" | "NodeDeleted" | "NodeDataChanged" | "NodeChildrenChanged";

export interface WatchEvent {
  readonly type: WatchEventType;
  readonly path: string;
}

/** What proves that a session is one's own. */
export interface Credentials {
  readonly session: SessionId;
  readonly password: string;
}

export type ToServer =
  /** The first packet of a connection. `session` null asks for a new one. */
  | {
      readonly type: "connect";
      readonly timeout: Micros;
      readonly lastZxid: Zxid;
      readonly session: Credentials | null;
    }
  | { readonly type: "request"; readonly xid: number; readonly call: Call }
  | { readonly type: "ping" };

export type ToClient =
  /** `session` null: it has expired, and the connection ends. */
  | { readonly type: "connected"; readonly timeout: Micros; readonly session: Credentials | null }
  /** `zxid`: the last that this member had applied; of a write, its own. */
  | { readonly type: "reply"; readonly xid: number; readonly zxid: Zxid; readonly answer: Answer }
  | { readonly type: "event"; readonly event: WatchEvent }
  | { readonly type: "pong"; readonly zxid: Zxid };

export function isWrite(call: Call): call is WriteCall {
  switch (call.call) {
    case "create":
    case "create2":
    case "delete":
    case "setData":
    case "check":
    case "multi":
    case "setACL":
      return true;
    default:
      return false;
  }
}

export function isEphemeral(mode: CreateMode): boolean {
  return mode === "EPHEMERAL" || mode === "EPHEMERAL_SEQUENTIAL";
}

export function isSequential(mode: CreateMode): boolean {
  return mode.includes("SEQUENTIAL");
}
