/**
 * Everything that ever happened to the keys, in the order of revisions: what etcd keeps in its backend's key bucket.
 *
 * A revision is a pair: the main one counts transactions that changed something, the sub one the changes of one
 * transaction. Records are only ever appended; a checkpoint shares them by length. Compaction makes a new array.
 */
import { type AppendOnly, appendOnly } from "../../base/append-only.ts";
import type { KeyValue } from "../api/messages.ts";

export interface Revision {
  readonly main: number;
  readonly sub: number;
}

/** One change: a put, with the key-value pair that it made; or a tombstone, which has only the key. */
export interface Change extends Revision {
  readonly tombstone: boolean;
  readonly kv: KeyValue;
}

export class History {
  #changes: Change[] = [];

  get length(): number {
    return this.#changes.length;
  }

  get all(): readonly Change[] {
    return this.#changes;
  }

  append(change: Change): void {
    this.#changes.push(change);
  }

  /** The place of the first change with a main revision of at least `main`. */
  firstAt(main: number): number {
    let low = 0;
    let high = this.#changes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#changes[middle] as Change).main < main) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Puts others in place of all that there are. */
  replace(changes: Change[]): void {
    this.#changes = changes;
  }

  /** Appends behind what is shared do no harm to those who share it: they look no further than their own length. */
  checkpoint(): AppendOnly<Change> {
    return appendOnly(this.#changes);
  }
}
