/**
 * Checkpoints that came from other threads hold copies of what every member's log has. Here each entry becomes one object
 * again, for the members of one checkpoint and for the checkpoint before: a recording keeps dozens of them.
 */
import { sameBytes } from "../base/bytes.ts";
import type { Entry, Index } from "../raft/types.ts";
import type { ReplicaCheckpoint } from "./replica.ts";

export class EntryPool {
  #before = new Map<Index, Entry>();

  /** The processes' checkpoints at one moment. What none of them holds is forgotten. */
  share(checkpoints: readonly unknown[]): unknown[] {
    const now = new Map<Index, Entry>();
    const shared = checkpoints.map((checkpoint) => {
      const { peer } = checkpoint as Partial<ReplicaCheckpoint>;
      if (peer === undefined) return checkpoint; // a client has no log
      const entries = peer.log.entries.map((entry) => this.#pooled(entry, now));
      return { ...(checkpoint as ReplicaCheckpoint), peer: { ...peer, log: { ...peer.log, entries } } };
    });
    this.#before = now;
    return shared;
  }

  /** Where a rule of Raft is broken, entries of one index and term may differ. */
  #pooled(entry: Entry, now: Map<Index, Entry>): Entry {
    const known = now.get(entry.index) ?? this.#before.get(entry.index);
    const pooled = known !== undefined && isSame(known, entry) ? known : entry;
    now.set(entry.index, pooled);
    return pooled;
  }
}

function isSame(a: Entry, b: Entry): boolean {
  return a.term === b.term && a.type === b.type && sameBytes(a.data, b.data);
}
