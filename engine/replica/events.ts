/** What a replica puts on record: all that its Raft peer says, and what goes on around it. */
import type { Micros } from "../base/units.ts";
import type { Settings } from "../sim/command.ts";
import type { RaftEvent, Reason } from "../raft/events.ts";
import type { EntryId, EntryType, HardState, Index, NodeId, Term } from "../raft/types.ts";

/** An entry as a picture of the log needs it. */
export interface EntryShown extends EntryId {
  readonly type: EntryType;
  /** The machine's few characters; empty for an entry that says nothing to it. */
  readonly label: string;
  /** Which request it stands for, as `request-proposed` names it; null for an entry of Raft's own. */
  readonly request: RequestKey | null;
}

/** Origin, incarnation and serial of a request, apart by slashes. */
export type RequestKey = string;

export type ReplicaEvent =
  /** Passed on as they are. Entries come as `entries-shown`, timers as `timer-set`. */
  | Exclude<RaftEvent, { type: "entries-appended" | "election-timer-reset" | "heartbeat-timer-reset" }>
  | { readonly type: "entries-shown"; readonly entries: readonly EntryShown[] }
  | { readonly type: "timer-set"; readonly timer: "election" | "heartbeat"; readonly firesIn: Micros }
  /**
   * Handed to the log on disk, in one write. It is durable when the sync that begins next has ended; none begins when
   * only the commit moved.
   */
  | {
      readonly type: "persist-begun";
      readonly hardState: HardState | null;
      /** The first and the last of its entries, which stand in place of all that stood from the first on. */
      readonly entries: { readonly first: EntryId; readonly last: EntryId } | null;
      /** A snapshot that was received, up to here; the log begins behind it. */
      readonly snapshot: EntryId | null;
    }
  /** What the disk held at the start. */
  | {
      readonly type: "recovered";
      readonly term: Term;
      readonly vote: NodeId | null;
      readonly commit: Index;
      readonly snapshot: EntryId;
      readonly entries: readonly EntryShown[];
      readonly tornBytes: number;
      readonly summary: string | null;
    }
  | { readonly type: "command-applied"; readonly index: Index; readonly label: string; readonly summary: string | null }
  | { readonly type: "settings-taken"; readonly settings: Settings }
  | { readonly type: "snapshot-taken"; readonly last: EntryId; readonly bytes: number }
  | { readonly type: "machine-restored"; readonly last: EntryId; readonly summary: string | null }
  /** A client's request will be proposed; it stands in a log once `entries-shown` names its key. */
  | {
      readonly type: "request-received";
      readonly client: string;
      readonly request: number;
      readonly key: RequestKey;
      readonly label: string;
    }
  /** A read was answered from the state as of entry `index`. */
  | {
      readonly type: "read-answered";
      readonly client: string;
      readonly request: number;
      readonly index: Index;
      readonly mode: "linearizable" | "serializable";
    }
  | { readonly type: "request-refused"; readonly client: string; readonly request: number; readonly why: Reason }
  | { readonly type: "request-answered"; readonly client: string; readonly request: number; readonly index: Index };
