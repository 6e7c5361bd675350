/**
 * Checkpoints that came from other threads hold copies of what every member's log has. Here each entry becomes one object
 * again, for all members and for the checkpoints before: a recording keeps dozens of them.
 */
import { sameBytes } from "../base/bytes.ts";
import type { Entry, Index } from "../raft/types.ts";
import type { ReplicaCheckpoint } from "./replica.ts";

/** How many entries that no log holds any more may be kept before the pool is looked through. */
const STALE_MAX = 4_096;

export class EntryPool {
  #pool = new Map<Index, Entry>();
  #lookedThrough: Index = 0;
  /** How far each list has been gone through: it only grows. */
  readonly #done = new WeakMap<readonly Entry[], number>();

  /** The processes' checkpoints at one moment. Their lists are their own: an entry is put in the place of its equal. */
  share(checkpoints: readonly unknown[]): void {
    let lowest = Number.POSITIVE_INFINITY;
    for (const checkpoint of checkpoints) {
      const { peer } = checkpoint as Partial<ReplicaCheckpoint>;
      if (peer === undefined) continue; // a client has no log
      const { entries, offset } = peer.log;
      const list = entries.appendOnly as Entry[];
      for (let i = this.#done.get(list) ?? 0; i < list.length; i += 1) list[i] = this.#pooled(list[i] as Entry);
      this.#done.set(list, list.length);
      lowest = Math.min(lowest, offset);
    }
    if (lowest < this.#lookedThrough + STALE_MAX || lowest === Number.POSITIVE_INFINITY) return;
    this.#lookedThrough = lowest;
    this.#pool = new Map([...this.#pool].filter(([index]) => index >= lowest));
  }

  /** Where a rule of Raft is broken, entries of one index and term may differ. */
  #pooled(entry: Entry): Entry {
    const known = this.#pool.get(entry.index);
    if (known !== undefined && isSame(known, entry)) return known;
    this.#pool.set(entry.index, entry);
    return entry;
  }
}

function isSame(a: Entry, b: Entry): boolean {
  return a.term === b.term && a.type === b.type && sameBytes(a.data, b.data);
}
