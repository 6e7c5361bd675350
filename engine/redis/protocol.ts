/**
 * What travels on connections of Redis: RESP2 as plain data, and the replication stream.
 *
 * The stream counts bytes, as Redis does: an offset grows by the length of each command in RESP.
 */
import type { ProcessId } from "../sim/command.ts";
import type { Reply } from "./reply.ts";
import type { Value } from "./values.ts";

/** From a client. `n` comes back with the answer. Args are byte strings. */
export interface ClientCommand {
  readonly type: "cmd";
  readonly n: number;
  readonly args: readonly string[];
}

/** From a server to a client. */
export type ServerMessage =
  | { readonly type: "reply"; readonly n: number; readonly reply: Reply }
  /** `message`, `pmessage`; and further answers to a SUBSCRIBE of several channels. */
  | { readonly type: "push"; readonly message: readonly string[] };

/** One stretch of the stream: commands that belong together. */
export interface StreamPart {
  /** The offset before it. */
  readonly from: number;
  readonly to: number;
  readonly commands: readonly (readonly string[])[];
}

export interface SnapshotEntry {
  readonly db: number;
  readonly key: string;
  readonly value: Value;
  readonly expireAt: number | null;
}

/** From a replica to its primary. */
export type ReplicaMessage =
  | { readonly type: "psync"; readonly replica: ProcessId; readonly replid: string | null; readonly offset: number }
  | { readonly type: "ack"; readonly offset: number };

/** From a primary to its replica. */
export type PrimaryMessage =
  | {
      readonly type: "fullresync";
      readonly replid: string;
      readonly offset: number;
      readonly entries: readonly SnapshotEntry[];
    }
  | { readonly type: "continue"; readonly replid: string }
  | { readonly type: "stream"; readonly part: StreamPart }
  /** The one asked is a replica without a link of its own: ask again later. */
  | { readonly type: "not-now" };
