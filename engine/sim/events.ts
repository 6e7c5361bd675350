/**
 * What the world itself puts on record. Every event of a trace, the world's or a process's, stands in a `TraceEvent`.
 */
import type { Micros } from "../base/units.ts";
import type { Command, DiskQuality, LinkEnds, LinkQuality, MessageId, ProcessId, Settings } from "./command.ts";
import type { ConnectionId } from "./process.ts";

/** What travels on a connection. `data` is the only part that processes see; the rest is TCP's. */
export type Segment = { readonly connection: ConnectionId; readonly seq: number } & SegmentPart;
export type SegmentPart =
  | { readonly part: "open" | "accept" | "refuse" | "close" | "reset" }
  | { readonly part: "data"; readonly data: unknown };

/** `closed`: its connection has ended. */
export type Lost = "cut" | "loss" | "dropped" | "receiver-down" | "closed";

export type WorldEvent =
  | { readonly type: "command"; readonly command: Command }
  /** A machine that was not there is now, and one that was is not. */
  | { readonly type: "spawned" }
  | { readonly type: "retired" }
  | { readonly type: "booted"; readonly bytes: number }
  /** `lostBytes`: what its disk had not yet made durable. */
  | { readonly type: "crashed"; readonly lostBytes: number }
  | { readonly type: "panicked"; readonly lostBytes: number; readonly message: string; readonly stack: string }
  | { readonly type: "paused" }
  | { readonly type: "resumed" }
  | { readonly type: "wiped" }
  | { readonly type: "corrupted"; readonly file: string; readonly offset: number; readonly bit: number }
  | {
      readonly type: "sent";
      readonly message: MessageId;
      readonly to: ProcessId;
      /** When it arrives, or would have; null while it waits for a cut to be mended. */
      readonly arrivesAt: Micros | null;
      readonly lost: Lost | null;
      readonly copyOf: MessageId | null;
      readonly body: unknown;
      /** A datagram, or part of a connection. */
      readonly segment: Segment | null;
    }
  | { readonly type: "delivered"; readonly message: MessageId; readonly from: ProcessId }
  /** It has arrived at a paused process, which has not looked at it yet. */
  | { readonly type: "buffered"; readonly message: MessageId; readonly from: ProcessId }
  | { readonly type: "lost"; readonly message: MessageId; readonly why: Lost }
  | { readonly type: "held"; readonly message: MessageId }
  /** A held or waiting message is on its way again. */
  | { readonly type: "released"; readonly message: MessageId; readonly arrivesAt: Micros }
  /** Part of a connection waits: its link was cut under it. */
  | { readonly type: "stalled"; readonly message: MessageId }
  | { readonly type: "woke" }
  | { readonly type: "asked" }
  | { readonly type: "wrote"; readonly file: string; readonly bytes: number }
  /** `bytes`: how many it lost. */
  | { readonly type: "truncated-file"; readonly file: string; readonly bytes: number }
  | { readonly type: "removed-file"; readonly file: string; readonly bytes: number }
  | { readonly type: "sync-began"; readonly token: number; readonly endsAt: Micros }
  | { readonly type: "synced"; readonly token: number }
  | { readonly type: "settings"; readonly settings: Settings }
  | { readonly type: "cut"; readonly links: readonly LinkEnds[] }
  | { readonly type: "mended"; readonly links: readonly LinkEnds[] }
  | { readonly type: "network"; readonly quality: LinkQuality }
  | { readonly type: "link"; readonly link: LinkEnds; readonly quality: LinkQuality }
  | { readonly type: "disk"; readonly quality: DiskQuality }
  | { readonly type: "clock"; readonly driftPpm: number; readonly jumpUs: Micros };

export interface TraceEvent<E = object> {
  /** From 1 up, without gaps. */
  readonly id: number;
  /** The event that led to this one; 0 for what nothing in the world caused. */
  readonly cause: number;
  readonly at: Micros;
  /** Null for what concerns no single process. */
  readonly process: ProcessId | null;
  readonly incarnation: number;
  /** Plain data that nobody changes afterwards: it may be kept. */
  readonly event: E;
}
