/** The keyspace at a revision, worked out of each key's changes. */
import type { EtcdView, KeyChange, KeyView } from "../../../engine/index.ts";

/** A stretch from a put that begins a generation to its tombstone. */
export interface Generation {
  readonly from: number;
  /** Null while the key lives. */
  readonly to: number | null;
}

/** The change that a read at `revision` would see; null when there is none, or it was a delete. */
export function changeAt({ changes }: KeyView, revision: number): KeyChange | null {
  const last = changes.findLast((change) => change.revision <= revision);
  return last === undefined || last.type === "delete" ? null : last;
}

export function generationsOf({ changes }: KeyView): readonly Generation[] {
  const generations: { from: number; to: number | null }[] = [];
  for (const change of changes) {
    const open = generations.at(-1);
    if (change.type === "delete") {
      if (open !== undefined && open.to === null) open.to = change.revision;
    } else if (open === undefined || open.to !== null) {
      generations.push({ from: change.createRevision, to: null });
    }
  }
  return generations;
}

/** In the order of their bytes, as a range gives them. */
export function keysInOrder({ keys }: EtcdView): readonly KeyView[] {
  return [...keys.values()].toSorted((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
}
