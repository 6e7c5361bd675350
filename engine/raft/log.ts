/**
 * A peer's log, and how far each thing has come in it (§5.3; etcd raftLog and unstable).
 *
 * ```
 *   before │ first … applied … applying … commit … unstableFrom … inProgressTo … last
 *  compacted│        done      handed out   agreed   not known       not handed
 *           │                  to apply              durable         to the disk yet
 * ```
 *
 * The marks move by themselves: `unstableFrom` when a write is reported durable, `inProgressTo` when a write is handed
 * out, `commit` when a leader says so. With asynchronous storage `commit` may be beyond what is durable here.
 *
 * Entries live in one array that is only ever appended to. A checkpoint shares it and notes its length; cutting off a
 * tail that a checkpoint holds copies first. Compaction moves a mark, and the array is trimmed when half of it is dead,
 * so that no operation costs more for a longer log.
 */
import { type AppendOnly, appendOnly, copyOf } from "../base/append-only.ts";
import type { Emit } from "./events.ts";
import { RaftPanic } from "./events.ts";
import { entryBytes, entriesBytes } from "./size.ts";
import type { Entry, EntryId, Index, Snapshot, Term } from "./types.ts";

export const ZERO: EntryId = { term: 0, index: 0 };
export const NO_ENTRIES: readonly Entry[] = [];

/** Negative when `a` is older: the last term counts first, then the length (§5.4.1). */
export function compareEntryId(a: EntryId, b: EntryId): number {
  return a.term !== b.term ? a.term - b.term : a.index - b.index;
}

export class RaftLog {
  emit: Emit | null = null;
  readonly maxApplyingBytes: number;

  /** The array, and the index of its first element; elements before `first` are dead and wait for trimming. */
  private entries: Entry[];
  private offset: Index;
  /** Length of `entries` that some checkpoint holds. */
  private shared = 0;

  /** The last entry that is compacted away or covered by a snapshot; 0/0 at first. */
  before: EntryId;
  lastIndex: Index;

  unstableFrom: Index;
  inProgressTo: Index;
  /** A snapshot that was received and is not durable yet; the log starts behind it already. */
  pendingSnapshot: Snapshot | null = null;
  snapshotInProgress = false;

  commit: Index;
  applying: Index;
  applied: Index;
  /** Encoded size of what was handed out to apply and not reported yet, and whether that is enough for now. */
  applyingBytes = 0;
  applyingPaused = false;

  /** The entries are copied: their owner may go on. */
  constructor(before: EntryId, entries: readonly Entry[], maxApplyingBytes: number) {
    this.before = before;
    this.offset = before.index + 1;
    this.entries = [...entries];
    this.lastIndex = before.index + entries.length;
    this.unstableFrom = this.lastIndex + 1;
    this.inProgressTo = this.unstableFrom;
    this.commit = before.index;
    this.applying = before.index;
    this.applied = before.index;
    this.maxApplyingBytes = maxApplyingBytes;
    let previous = before;
    for (const entry of this.entries) {
      if (entry.index !== previous.index + 1 || entry.term < previous.term)
        throw new RaftPanic(
          `the restored log has ${entry.term}/${entry.index} after ${previous.term}/${previous.index}`,
        );
      previous = entry;
    }
  }

  get firstIndex(): Index {
    return this.before.index + 1;
  }

  get lastTerm(): Term {
    return this.termAt(this.lastIndex) ?? 0;
  }

  last(): EntryId {
    return { term: this.lastTerm, index: this.lastIndex };
  }

  get hasUnstable(): boolean {
    return this.lastIndex >= this.unstableFrom;
  }

  /** Null where it is not known: compacted, or beyond the end. */
  termAt(index: Index): Term | null {
    if (index <= this.before.index) return index === this.before.index ? this.before.term : null;
    return index > this.lastIndex ? null : this.at(index).term;
  }

  entryAt(index: Index): Entry | null {
    return index > this.before.index && index <= this.lastIndex ? this.at(index) : null;
  }

  /** Log matching (§5.3): equal index and term mean equal logs up to there. */
  holds(id: EntryId): boolean {
    return this.termAt(id.index) === id.term;
  }

  /** From `from` on, as many as fit into `maxBytes`, but one at least if there is one. */
  entriesFrom(from: Index, maxBytes: number): readonly Entry[] {
    return this.slice(from, this.lastIndex, maxBytes);
  }

  /**
   * The largest index up to `from` whose term may be `term`: entries of a larger term are passed over, for they can't
   * match (§5.3, the optimisation that skips a term a round). Stops where the term is not known.
   */
  lastIndexWithin(from: Index, term: Term): EntryId {
    for (let index = from; index > 0; index -= 1) {
      const ours = this.termAt(index);
      if (ours === null) return { term: 0, index };
      if (ours <= term) return { term: ours, index };
    }
    return ZERO;
  }

  /**
   * Takes what a leader sent behind an entry that matches (Figure 2 AppendEntries 3 to 5): skips what is here, cuts off
   * what conflicts, appends the rest.
   */
  takeAppend(entries: readonly Entry[]): void {
    const known = entries.findIndex((entry) => !this.holds(entry));
    const first = entries[known];
    if (first === undefined) return;
    if (first.index <= this.commit)
      throw new RaftPanic(
        `entry ${first.term}/${first.index} conflicts with a committed entry (commit ${this.commit})`,
      );
    if (this.emit !== null && first.index <= this.lastIndex)
      this.emit({
        type: "conflict-found",
        index: first.index,
        existing: this.termAt(first.index) ?? 0,
        conflicting: first.term,
      });
    this.append(known === 0 ? entries : entries.slice(known));
  }

  /** Appends, in place of all that stands from the first entry's index on. */
  append(entries: readonly Entry[]): void {
    const first = entries[0];
    if (first === undefined) return;
    if (first.index <= this.commit || first.index > this.lastIndex + 1)
      throw new RaftPanic(`append at ${first.index} outside (commit ${this.commit}, last ${this.lastIndex}]`);
    if (first.index <= this.lastIndex) this.truncate(first.index);
    for (const entry of entries) this.entries.push(entry);
    this.lastIndex += entries.length;
    if (this.emit !== null) this.emit({ type: "entries-appended", entries });
  }

  commitTo(index: Index): void {
    if (index <= this.commit) return;
    if (index > this.lastIndex)
      throw new RaftPanic(`commit ${index} is beyond the last entry ${this.lastIndex}: was the log lost?`);
    if (this.emit !== null) this.emit({ type: "commit-advanced", from: this.commit, to: index });
    this.commit = index;
  }

  /** A committed change of membership that was not applied yet hides who the voters are. */
  hasUnappliedConfChange(): boolean {
    for (let index = this.applied + 1; index <= this.commit; index += 1)
      if (this.at(index).type !== "normal") return true;
    return false;
  }

  // What goes out to the disk, and comes back

  get hasNextUnstable(): boolean {
    return this.lastIndex >= this.inProgressTo;
  }

  get hasNextSnapshot(): boolean {
    return this.pendingSnapshot !== null && !this.snapshotInProgress;
  }

  /** What was not handed out yet, which by this call it is. */
  takeUnstable(): readonly Entry[] {
    if (!this.hasNextUnstable) return NO_ENTRIES;
    const entries = this.slice(this.inProgressTo, this.lastIndex, Number.POSITIVE_INFINITY);
    this.inProgressTo = this.lastIndex + 1;
    return entries;
  }

  takeSnapshot(): Snapshot | null {
    if (!this.hasNextSnapshot) return null;
    this.snapshotInProgress = true;
    return this.pendingSnapshot;
  }

  /** A write is durable. It says nothing about entries that were replaced since it was handed out. */
  stableTo(id: EntryId): void {
    const known = id.index >= this.unstableFrom && id.index <= this.lastIndex;
    if (!known || this.at(id.index).term !== id.term) {
      if (this.emit !== null) this.emit(this.staleWrite(id, known));
      return;
    }
    if (this.emit !== null) this.emit({ type: "stable-advanced", from: this.unstableFrom - 1, to: id.index });
    this.unstableFrom = id.index + 1;
    this.inProgressTo = Math.max(this.inProgressTo, this.unstableFrom);
  }

  snapshotStable(index: Index): void {
    if (this.pendingSnapshot?.last.index !== index) return;
    this.pendingSnapshot = null;
    this.snapshotInProgress = false;
  }

  /** The log starts anew behind a snapshot that was received. */
  restore(snapshot: Snapshot): void {
    if (this.emit !== null)
      this.emit({
        type: "snapshot-restoring",
        snapshot: { term: snapshot.last.term, index: snapshot.last.index },
        commit: this.commit,
        applied: this.applied,
        applying: this.applying,
        unstableFrom: this.unstableFrom,
        inProgressTo: this.inProgressTo,
        unstableCount: this.lastIndex - this.unstableFrom + 1,
      });
    const index = snapshot.last.index;
    this.entries = [];
    this.shared = 0;
    this.offset = index + 1;
    this.before = { term: snapshot.last.term, index };
    this.lastIndex = index;
    this.unstableFrom = index + 1;
    this.inProgressTo = index + 1;
    this.pendingSnapshot = snapshot;
    this.snapshotInProgress = false;
    this.commit = index;
  }

  // What goes out to the state machine, and comes back

  /** The last entry that may be applied; what is not durable here only if the caller waits for each write in turn. */
  private appliableTo(unstableToo: boolean): Index {
    return unstableToo ? this.commit : Math.min(this.commit, this.unstableFrom - 1);
  }

  hasNextToApply(unstableToo: boolean): boolean {
    return !this.applyingPaused && this.pendingSnapshot === null && this.applying < this.appliableTo(unstableToo);
  }

  /** Committed entries that were not handed out yet, which by this call they are. */
  takeToApply(unstableToo: boolean): readonly Entry[] {
    if (!this.hasNextToApply(unstableToo)) return NO_ENTRIES;
    const end = this.appliableTo(unstableToo);
    const entries = this.slice(this.applying + 1, end, this.maxApplyingBytes - this.applyingBytes);
    const to = this.applying + entries.length;
    if (this.emit !== null) this.emit({ type: "apply-handed-out", from: this.applying, to });
    this.applying = to;
    if (this.maxApplyingBytes !== Number.POSITIVE_INFINITY) this.applyingBytes += entriesBytes(entries);
    this.applyingPaused = this.applyingBytes >= this.maxApplyingBytes || to < end;
    return entries;
  }

  appliedTo(index: Index, bytes: number): void {
    if (index > this.commit || index < this.applied)
      throw new RaftPanic(`applied ${index} is outside [${this.applied}, commit ${this.commit}]`);
    if (this.emit !== null && index > this.applied) this.emit({ type: "applied", from: this.applied, to: index });
    this.applied = index;
    this.applying = Math.max(this.applying, index);
    this.applyingBytes = Math.max(0, this.applyingBytes - bytes);
    this.applyingPaused = this.applyingBytes >= this.maxApplyingBytes;
  }

  /** Entries up to `index` are covered by a snapshot of the host; a snapshot that was received may cover more already. */
  compact(index: Index): void {
    if (index <= this.before.index) return;
    const term = this.termAt(index);
    if (term === null || index > this.commit)
      throw new RaftPanic(`can't compact at ${index}: the log is (${this.before.index}, ${this.lastIndex}]`);
    this.before = { term, index };
    // What waits for the disk or for being applied stays at hand, though the log begins behind it.
    const dead = Math.min(index, this.applied, this.unstableFrom - 1) - this.offset + 1;
    if (dead * 2 >= this.entries.length && dead > 0) {
      this.entries = this.entries.slice(dead);
      this.shared = 0;
      this.offset += dead;
    }
    if (this.emit !== null) this.emit({ type: "log-compacted", upTo: this.before });
  }

  // The array

  private at(index: Index): Entry {
    const entry = this.entries[index - this.offset];
    if (entry === undefined) throw new RaftPanic(`no entry ${index} in (${this.before.index}, ${this.lastIndex}]`);
    return entry;
  }

  private slice(from: Index, to: Index, maxBytes: number): readonly Entry[] {
    if (to < from) return NO_ENTRIES;
    const start = from - this.offset;
    let end = to - this.offset + 1;
    if (maxBytes !== Number.POSITIVE_INFINITY) {
      let bytes = 0;
      for (let i = start; i < end; i += 1) {
        bytes += entryBytes(this.at(this.offset + i));
        if (bytes > maxBytes && i > start) end = i;
      }
    }
    return this.entries.slice(start, end);
  }

  private truncate(from: Index): void {
    const replaced = from <= this.unstableFrom;
    if (this.emit !== null)
      this.emit({ type: "entries-truncated", from, last: this.last(), unstable: replaced ? "replaced" : "truncated" });
    if (replaced) this.unstableFrom = from;
    this.inProgressTo = replaced ? from : Math.min(this.inProgressTo, from);
    const keep = from - this.offset;
    if (keep < this.shared) {
      this.entries = this.entries.slice(0, keep);
      this.shared = 0;
    } else this.entries.length = keep;
    this.lastIndex = from - 1;
  }

  private staleWrite(id: EntryId, known: boolean): Parameters<Emit>[0] {
    const snapshot = this.pendingSnapshot !== null && this.pendingSnapshot.last.index === id.index;
    return {
      type: "write-ignored",
      last: id,
      why: {
        rule: "write-overtaken",
        found: known ? "mismatch" : snapshot ? "snapshot" : "missing",
        ours: { term: known ? this.at(id.index).term : 0, index: id.index },
      },
    };
  }

  // Checkpoints

  save(): LogCheckpoint {
    this.shared = Math.max(this.shared, this.entries.length);
    return {
      entries: appendOnly(this.entries),
      offset: this.offset,
      before: this.before,
      unstableFrom: this.unstableFrom,
      inProgressTo: this.inProgressTo,
      pendingSnapshot: this.pendingSnapshot,
      snapshotInProgress: this.snapshotInProgress,
      commit: this.commit,
      applying: this.applying,
      applied: this.applied,
      applyingBytes: this.applyingBytes,
      applyingPaused: this.applyingPaused,
    };
  }

  static load(saved: LogCheckpoint, maxApplyingBytes: number): RaftLog {
    const log = new RaftLog(saved.before, [], maxApplyingBytes);
    log.entries = copyOf(saved.entries);
    log.offset = saved.offset;
    log.lastIndex = saved.offset + saved.entries.length - 1;
    log.unstableFrom = saved.unstableFrom;
    log.inProgressTo = saved.inProgressTo;
    log.pendingSnapshot = saved.pendingSnapshot;
    log.snapshotInProgress = saved.snapshotInProgress;
    log.commit = saved.commit;
    log.applying = saved.applying;
    log.applied = saved.applied;
    log.applyingBytes = saved.applyingBytes;
    log.applyingPaused = saved.applyingPaused;
    return log;
  }
}

export interface LogCheckpoint {
  readonly entries: AppendOnly<Entry>;
  readonly offset: Index;
  readonly before: EntryId;
  readonly unstableFrom: Index;
  readonly inProgressTo: Index;
  readonly pendingSnapshot: Snapshot | null;
  readonly snapshotInProgress: boolean;
  readonly commit: Index;
  readonly applying: Index;
  readonly applied: Index;
  readonly applyingBytes: number;
  readonly applyingPaused: boolean;
}
