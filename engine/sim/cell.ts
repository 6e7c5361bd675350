/** What the world keeps for each process, and for each event that is still to happen. */
import type { Rng } from "../base/rng.ts";
import type { Micros } from "../base/units.ts";
import type { Clock } from "./clock.ts";
import type { DiskQuality, ProcessId } from "./command.ts";
import type { Disk } from "./disk.ts";
import type { Link } from "./network.ts";
import type { Input, Out, ProcessSpec } from "./process.ts";

export const NEVER = Number.POSITIVE_INFINITY;

/**
 * Running: it takes inputs. Paused: they wait. Down, by a crash or a panic: only its disk is left. Booting: about to run.
 * Absent: a machine that is not there.
 */
export type CellState = "absent" | "booting" | "running" | "paused" | "crashed" | "panicked";

/** To another process. */
export interface Way {
  readonly to: Cell;
  readonly link: Link;
}

export interface Cell {
  readonly id: ProcessId;
  readonly spec: ProcessSpec;
  readonly out: Out;
  /** Where something was sent from here, found again with one look. */
  readonly ways: Map<ProcessId, Way>;
  state: CellState;
  incarnation: number;
  clock: Clock;
  disk: Disk;
  diskQuality: DiskQuality;
  readonly diskRng: Rng;
  /** When the last fsync that was asked for ends: one follows the other. */
  syncEndsAt: Micros;
  /** The awake time at which it wants to be woken; null when not. */
  wakeAwake: Micros | null;
  /** The same as an instant, NEVER when none. A wake that is queued earlier is put off when it comes. */
  wakeAt: Micros;
  wakeQueuedAt: Micros;
  /** What arrived while it was paused. */
  waiting: Pending[];
  /** Its inputs of the present round. */
  batch: Pending[];
}

export type PendingKind = "datagram" | "segment" | "wake" | "synced" | "boot" | "asked" | "thawed";

/** An event of the queue. All kinds have one shape, which keeps the queue fast. */
export interface Pending {
  readonly at: Micros;
  readonly seq: number;
  readonly kind: PendingKind;
  /** Whom it concerns: the receiver of a message, the owner of a timer. */
  readonly cell: Cell;
  /** The incarnation that it was meant for; it says nothing for messages. */
  readonly incarnation: number;
  /** The sender of a message; null for all else. */
  readonly from: Cell | null;
  /** A message's number, or a sync's token. */
  readonly id: number;
  readonly body: unknown;
  /** The trace event that led to it. */
  readonly cause: number;
  /** What its process is given of it; null until its time has come. */
  input: Input | null;
  /** Cleared when it is taken back: it stays in the queue and is passed over. */
  live: boolean;
}

export interface PendingState extends Omit<Pending, "cell" | "from"> {
  readonly cell: ProcessId;
  readonly from: ProcessId | null;
}

export function savePending(event: Pending): PendingState {
  return { ...event, cell: event.cell.id, from: event.from?.id ?? null };
}

export function isUp(cell: Cell): boolean {
  return cell.state === "running" || cell.state === "paused";
}
