/**
 * What a Redis server puts on record. Texts are shown, so they are cut to `SHOWN_MAX` chars; every instant is wall time
 * in ms of the server's own clock.
 */
import type { ProcessId } from "../sim/command.ts";
import type { ConnectionId } from "../sim/process.ts";
import type { ValueType } from "./values.ts";

export const SHOWN_MAX = 200;

/** Why a server follows another, or none. */
export type RoleReason = { readonly rule: "configured" } | { readonly rule: "replicaof"; readonly by: ConnectionId };

export type RedisEvent =
  | { readonly type: "redis-started"; readonly keys: number; readonly tornBytes: number }
  | {
      readonly type: "redis-command";
      readonly connection: ConnectionId;
      readonly args: readonly string[];
      /** The reply in one line; null while it is still to come. */
      readonly reply: string | null;
    }
  | { readonly type: "redis-script"; readonly connection: ConnectionId; readonly sha: string; readonly calls: number }
  | {
      readonly type: "redis-key";
      readonly db: number;
      readonly key: string;
      readonly kind: ValueType;
      readonly value: string;
      readonly expireAt: number | null;
    }
  | { readonly type: "redis-key-gone"; readonly db: number; readonly key: string; readonly why: "deleted" | "expired" }
  /** The stream of writes has grown to this offset, in bytes. */
  | { readonly type: "redis-offset"; readonly offset: number }
  /** A replica has told how far it is. */
  | { readonly type: "redis-acked"; readonly replica: ProcessId; readonly offset: number }
  | {
      readonly type: "redis-role";
      readonly role: "primary" | "replica";
      readonly primary: ProcessId | null;
      readonly offset: number;
      readonly why: RoleReason;
    }
  /** A replica's link to its primary. `full`: it threw away what it had. */
  | {
      readonly type: "redis-link";
      readonly primary: ProcessId;
      readonly state: "connecting" | "down" | "full-sync" | "partial-sync";
      readonly offset: number;
    };

export type SentinelEvent =
  | { readonly type: "sentinel-down"; readonly server: ProcessId; readonly silentMs: number }
  | { readonly type: "sentinel-up"; readonly server: ProcessId }
  | {
      readonly type: "sentinel-switch";
      readonly from: ProcessId;
      readonly to: ProcessId;
      /** What the chosen one has of the stream; the others have no more. */
      readonly offset: number;
    }
  | { readonly type: "sentinel-gave-up"; readonly why: "no-replica" };

export function shown(text: string): string {
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text;
}
