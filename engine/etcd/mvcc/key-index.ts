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

  /** The newest change of a key up to a main revision, a tombstone too; null when it has none. */
  newestAt(key: Bytes, at: number): Change | null {
    return this.#byKey.get(key)?.changes.findLast(({ main }) => main <= at) ?? null;
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

  /** Forgets what no read at `at` or later needs. `keepTombstoneAt`: a tombstone at `at` itself stays, since 3.5.16. */
  compact(at: number, keepTombstoneAt: boolean): void {
    const gone: Bytes[] = [];
    for (const entry of this.#byKey.values()) {
      const kept = keptOf(entry.changes, at, keepTombstoneAt);
      if (kept.length === entry.changes.length) continue;
      entry.changes = kept;
      if (kept.length === 0) gone.push(entry.key);
    }
    for (const key of gone) {
      this.#byKey.delete(key);
      this.#ordered.delete(key);
    }
  }

  clear(): void {
    this.#byKey.clear();
    this.#ordered.clear();
  }
}

function liveAt({ changes }: KeyEntry, at: number): Change | null {
  let place = changes.length - 1;
  if (place >= 0 && (changes[place] as Change).main > at) {
    let low = 0;
    while (low < place) {
      const middle = (low + place) >>> 1;
      if ((changes[middle] as Change).main > at) place = middle;
      else low = middle + 1;
    }
    place = low - 1;
  }
  const change = changes[place];
  return change === undefined || change.tombstone ? null : change;
}

/** The newest change at or before `at`, unless it is a tombstone, and all behind it. */
function keptOf(changes: readonly Change[], at: number, keepTombstoneAt: boolean): Change[] {
  const behind = changes.findIndex(({ main }) => main > at);
  const first = behind < 0 ? changes.length : behind;
  const newest = changes[first - 1];
  const keep = newest !== undefined && (!newest.tombstone || (keepTombstoneAt && newest.main === at));
  return changes.slice(keep ? first - 1 : first);
}
