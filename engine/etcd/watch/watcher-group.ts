/**
 * Watchers by what they watch, so that a change finds those that want it without asking the others (etcd
 * server/storage/mvcc/watcher_group.go): by key those of one key; the others in a tree of intervals.
 */
import { type Bytes, FROM_KEY } from "../api/bytes.ts";
import type { Span } from "../mvcc/span.ts";

export class WatcherGroup<T extends Span> {
  readonly #byKey = new Map<Bytes, Set<T>>();
  readonly #spans = new Set<T>();
  /** Of the spans; null after they have changed. */
  #tree: IntervalTree<T> | null = null;

  add(watcher: T): void {
    if (watcher.rangeEnd !== "") {
      this.#spans.add(watcher);
      this.#tree = null;
      return;
    }
    const same = this.#byKey.get(watcher.key);
    if (same === undefined) this.#byKey.set(watcher.key, new Set([watcher]));
    else same.add(watcher);
  }

  delete(watcher: T): void {
    if (watcher.rangeEnd !== "") {
      if (this.#spans.delete(watcher)) this.#tree = null;
      return;
    }
    const same = this.#byKey.get(watcher.key);
    same?.delete(watcher);
    if (same?.size === 0) this.#byKey.delete(watcher.key);
  }

  /** Calls back for each that watches a key, in no order that means anything. */
  each(key: Bytes, found: (watcher: T) => void): void {
    for (const watcher of this.#byKey.get(key) ?? []) found(watcher);
    if (this.#spans.size === 0) return;
    this.#tree ??= new IntervalTree([...this.#spans]);
    this.#tree.stab(key, found);
  }
}

/**
 * Intervals in the order of their beginnings, read as a balanced tree: the middle one is the root, what stands before and
 * behind it are its branches. For each root the furthest end in its tree is kept. Made anew when one is added, which
 * costs little beside what a watch costs otherwise.
 */
class IntervalTree<T extends Span> {
  readonly #items: readonly T[];
  /** Null: without an end. */
  readonly #furthest: (Bytes | null)[];

  constructor(items: readonly T[]) {
    this.#items = items.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
    this.#furthest = Array.from(items, () => "");
    this.#measure(0, items.length);
  }

  /** Calls back for each that holds the key. */
  stab(key: Bytes, found: (item: T) => void): void {
    this.#stab(0, this.#items.length, key, found);
  }

  #measure(from: number, to: number): Bytes | null {
    if (from === to) return "";
    const root = (from + to) >>> 1;
    const { rangeEnd } = this.#items[root] as T;
    const own = rangeEnd === FROM_KEY ? null : rangeEnd;
    const furthest = later(own, later(this.#measure(from, root), this.#measure(root + 1, to)));
    this.#furthest[root] = furthest;
    return furthest;
  }

  #stab(from: number, to: number, key: Bytes, found: (item: T) => void): void {
    if (from === to) return;
    const root = (from + to) >>> 1;
    const furthest = this.#furthest[root] as Bytes | null;
    if (furthest !== null && furthest <= key) return;
    this.#stab(from, root, key, found);
    const item = this.#items[root] as T;
    // Those behind it begin later still.
    if (item.key > key) return;
    if (item.rangeEnd === FROM_KEY || key < item.rangeEnd) found(item);
    this.#stab(root + 1, to, key, found);
  }
}

function later(a: Bytes | null, b: Bytes | null): Bytes | null {
  if (a === null || b === null) return null;
  return a > b ? a : b;
}
