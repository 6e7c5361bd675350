/**
 * What an etcd member puts on record besides what its replica says. The page's keys, leases, watches and the way of a
 * request are made of these. Keys and values are bytes; whoever shows them makes text of them.
 */
import type { Micros } from "../base/units.ts";
import type { NodeId } from "../raft/types.ts";
import type { RequestKey } from "../replica/events.ts";
import type { EtcdError } from "./api/errors.ts";
import type { LeaseId, MemberId } from "./api/ids.ts";
import type { Change } from "./mvcc/history.ts";

/** A request of a client: its connection and its call on it. */
export type CallId = string;

export type EtcdEvent =
  /** A member has taken a request up. */
  | {
      readonly type: "etcd-received";
      readonly call: CallId;
      readonly client: string;
      readonly method: string;
      readonly label: string;
    }
  /** It goes into the log under this name; `forwarded` when another member leads. */
  | { readonly type: "etcd-proposed"; readonly call: CallId; readonly key: RequestKey; readonly forwarded: boolean }
  /** A linearizable read: this member has applied all that was committed when it was asked. */
  | { readonly type: "etcd-read-confirmed"; readonly call: CallId }
  | {
      readonly type: "etcd-answered";
      readonly call: CallId;
      readonly revision: number | null;
      readonly error: EtcdError | null;
    }
  /** An entry was applied to this member's store. */
  | {
      readonly type: "etcd-applied";
      readonly key: RequestKey;
      readonly index: number;
      readonly revision: number;
      readonly changes: readonly Change[];
      /** Leases that it granted or ended. */
      readonly granted: { readonly lease: LeaseId; readonly ttl: number } | null;
      readonly ended: LeaseId | null;
      /** Up to where it compacted. */
      readonly compacted: number | null;
    }
  /** Figures of this member's store, when they are others than before. */
  | {
      readonly type: "etcd-figures";
      readonly revision: number;
      readonly compactRevision: number;
      readonly keys: number;
      readonly dbSize: number;
      readonly dbSizeInUse: number;
      readonly alarms: readonly string[];
      readonly watchers: number;
      readonly isLearner: boolean;
    }
  /** The leader counts a lease: its time is over in `expiresIn`, by its own clock. */
  | {
      readonly type: "etcd-lease-counted";
      readonly lease: LeaseId;
      readonly ttl: number;
      readonly expiresIn: Micros;
      readonly by: "grant" | "keep-alive" | "leader-change" | "checkpoint";
    }
  /** The leader found that a lease's time is over, and proposes to revoke it. */
  | { readonly type: "etcd-lease-expired"; readonly lease: LeaseId }
  /** A member that led counts leases no more. */
  | { readonly type: "etcd-leases-uncounted" }
  | {
      readonly type: "etcd-watch-created";
      readonly watch: string;
      readonly client: string;
      readonly watchId: number;
      readonly key: string;
      readonly rangeEnd: string;
      readonly startRevision: number;
      readonly synced: boolean;
    }
  | {
      readonly type: "etcd-watch-told";
      readonly watch: string;
      readonly events: readonly { readonly type: "PUT" | "DELETE"; readonly key: string; readonly revision: number }[];
      readonly revision: number;
    }
  /** Its stream takes no more, or takes again: the client does not keep up. */
  | { readonly type: "etcd-watch-slowed"; readonly watch: string; readonly slow: boolean }
  | { readonly type: "etcd-watch-ended"; readonly watch: string; readonly why: string | null }
  /** A change of membership, at this place in the log, was applied to this member's list; `member` is where it runs. */
  | {
      readonly type: "etcd-member-changed";
      readonly index: number;
      readonly change: MemberChanged;
      readonly id: MemberId;
      readonly member: NodeId;
    }
  /** The store was taken from a snapshot, of a disk or of the leader: all that it holds. */
  | {
      readonly type: "etcd-restored";
      readonly revision: number;
      readonly compactRevision: number;
      readonly changes: readonly Change[];
      readonly leases: readonly { readonly lease: LeaseId; readonly ttl: number }[];
    };

export type MemberChanged = "added" | "learner-added" | "promoted" | "removed" | "updated";
