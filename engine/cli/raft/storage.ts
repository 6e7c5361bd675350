/**
 * The log of a node as an interaction test keeps it: etcd's in-memory storage, with a dummy entry at its start that
 * stands for the last one compacted away (FORMAT.md §2).
 */
import { NO_CONF } from "../../raft/configuration.ts";
import type { Entry, EntryId, HardState, Index, Snapshot } from "../../raft/types.ts";
import { TranscriptError } from "./transcript.ts";

/** A command could not be carried out; its text is part of the output. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}

export const EMPTY_SNAPSHOT: Snapshot = { last: { term: 0, index: 0 }, conf: NO_CONF, data: new Uint8Array(0) };

export class MemoryStorage {
  hardState: HardState = { term: 0, vote: null, commit: 0 };
  snapshot: Snapshot = EMPTY_SNAPSHOT;
  #dummy: EntryId = { term: 0, index: 0 };
  #entries: readonly Entry[] = [];

  get entries(): readonly Entry[] {
    return this.#entries;
  }

  get firstIndex(): Index {
    return this.#dummy.index + 1;
  }

  get lastIndex(): Index {
    return this.#dummy.index + this.#entries.length;
  }

  /** Skips what is compacted, and overwrites from the first entry on. */
  append(entries: readonly Entry[]): void {
    const fresh = entries.filter((entry) => entry.index > this.#dummy.index);
    const first = fresh[0];
    if (first === undefined) return;
    if (first.index > this.lastIndex + 1)
      throw new TranscriptError(`the storage misses entries between ${this.lastIndex} and ${first.index}`);
    this.#entries = [...this.#entries.slice(0, first.index - this.firstIndex), ...fresh];
  }

  applySnapshot(snapshot: Snapshot): void {
    const { index } = this.snapshot.last;
    if (index !== 0 && index >= snapshot.last.index)
      throw new CommandError("requested index is older than the existing snapshot");
    this.snapshot = snapshot;
    this.#dummy = snapshot.last;
    this.#entries = [];
  }

  compact(index: Index): void {
    if (index <= this.#dummy.index) throw new CommandError("requested index is unavailable due to compaction");
    const entry = this.#entries[index - this.firstIndex];
    if (entry === undefined)
      throw new TranscriptError(`can't compact at ${index}: the last entry is ${this.lastIndex}`);
    this.#entries = this.#entries.slice(index - this.#dummy.index);
    this.#dummy = { term: entry.term, index };
  }
}
