/**
 * Where each key's changes are: keys in order, and for each its generations (etcd mvcc/index.go, key_index.go).
 *
 * A generation begins with a put on a key that is not there and ends with its tombstone. Compaction drops what no read
 * at the compacted revision or later can see.
 */
import SortedBTree from "sorted-btree";
import type { Bytes } from "../api/bytes.ts";
import { FROM_KEY } from "../api/bytes.ts";
import type { Change } from "./history.ts";
import type { Span } from "./span.ts";

/** A key's changes, oldest first. */
export interface KeyEntry {
  readonly key: Bytes;
  changes: Change[];
}

/** The package is CommonJS: Node gives its exports as a whole where bundlers give the default one. */
const BTree = (SortedBTree as typeof SortedBTree & { readonly default?: typeof SortedBTree }).default ?? SortedBTree;

/** Bytes in order: one character each. */
const inOrder = (a: Bytes, b: Bytes): number => (a < b ? -1 : a > b ? 1 : 0);

export class KeyIndex {
  readonly #byKey = new Map<Bytes, KeyEntry>();
  readonly #ordered = new BTree<Bytes, KeyEntry>(undefined, inOrder);

  /** How many keys it knows, deleted ones that are not compacted too. */
  get size(): number {
    return this.#byKey.size;
  }

  add(change: Change): void {
    const { key } = change.kv;
    const known = this.#byKey.get(key);
    if (known !== undefined) {
      known.changes.push(change);
      return;
    }
    const entry = { key, changes: [change] };
    this.#byKey.set(key, entry);
    this.#ordered.set(key, entry);
  }

  /** The live change of a key as of a main revision; null when there is none. */
  get(key: Bytes, at: number): Change | null {
    const entry = this.#byKey.get(key);
    return entry === undefined ? null : liveAt(entry, at);
  }

  /** Calls back for each live key of a span as of a main revision, in order of the keys. */
  each(span: Span, at: number, found: (change: Change) => void): void {
    const { key, rangeEnd } = span;
    if (rangeEnd === "") {
      const one = this.get(key, at);
      if (one !== null) found(one);
      return;
    }
    const visit = (_key: Bytes, entry: KeyEntry): void => {
      const change = liveAt(entry, at);
      if (change !== null) found(change);
    };
    if (rangeEnd === FROM_KEY) {
      const last = this.#ordered.maxKey();
      if (last !== undefined) this.#ordered.forRange(key, last, true, visit);
    } else if (key < rangeEnd) {
      this.#ordered.forRange(key, rangeEnd, false, visit);
    }
  }

  /**
   * Forgets what no read at `at` or later needs.
   *
   * @param keepTombstoneAt whether a tombstone at `at` itself stays, since 3.5.16
   * @returns what stays of the changes up to `at`
   */
  compact(at: number, keepTombstoneAt: boolean): ReadonlySet<Change> {
    const kept = new Set<Change>();
    const gone: Bytes[] = [];
    for (const entry of this.#byKey.values()) {
      const first = firstKept(entry.changes, at, keepTombstoneAt);
      if (first > 0) entry.changes = entry.changes.slice(first);
      if (entry.changes.length === 0) gone.push(entry.key);
      for (const change of entry.changes) {
        if (change.main > at) break;
        kept.add(change);
      }
    }
    for (const key of gone) {
      this.#byKey.delete(key);
      this.#ordered.delete(key);
    }
    return kept;
  }

  clear(): void {
    this.#byKey.clear();
    this.#ordered.clear();
  }
}

function liveAt({ changes }: KeyEntry, at: number): Change | null {
  const change = changes[countUpTo(changes, at) - 1];
  return change === undefined || change.tombstone ? null : change;
}

/** How many of the changes have a main revision of at most `at`. Mostly all: that is looked at first. */
function countUpTo(changes: readonly Change[], at: number): number {
  let high = changes.length;
  if (high === 0 || (changes[high - 1] as Change).main <= at) return high;
  let low = 0;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((changes[middle] as Change).main > at) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The newest change up to `at` stays, unless it ended its generation: a tombstone only if it is at `at` itself and wanted. */
function firstKept(changes: readonly Change[], at: number, keepTombstoneAt: boolean): number {
  const upTo = countUpTo(changes, at);
  const newest = changes[upTo - 1];
  if (newest === undefined) return 0;
  if (keepTombstoneAt && newest.main === at) {
    // Of a transaction that deletes a key and puts it again, all from the tombstone on.
    for (let i = countUpTo(changes, at - 1); i < upTo; i += 1) if ((changes[i] as Change).tombstone) return i;
  }
  return newest.tombstone ? upTo : upTo - 1;
}
