/**
 * Things that come and go, by a number that only grows: messages on their way, requests that wait.
 *
 * A `Map` would do, but for its memory: each time the table of one is outgrown or full of deleted keys, V8 makes another
 * one and lets the old point to it. Once an old table has been moved to the old generation, the whole chain is kept
 * until the next full collection, with all that passed through. Here two arrays are used again and again.
 */
/** That many places may be empty before they are closed up, however little is left. */
const EMPTY_MAX = 32;

export class Passing<T> {
  /** Ascending. */
  readonly #ids: number[] = [];
  /** Undefined where one has gone. */
  readonly #items: (T | undefined)[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** @param id larger than all before it that are still here */
  add(id: number, item: T): void {
    this.#ids.push(id);
    this.#items.push(item);
    this.#size += 1;
  }

  get(id: number): T | undefined {
    const at = this.#find(id);
    return at < 0 ? undefined : this.#items[at];
  }

  /** @param id of one that is here */
  replace(id: number, item: T): void {
    this.#items[this.#find(id)] = item;
  }

  /** It is not here any more. @returns undefined when it was not */
  take(id: number): T | undefined {
    const at = this.#find(id);
    if (at < 0) return undefined;
    const item = this.#items[at];
    if (item === undefined) return undefined;
    this.#items[at] = undefined;
    this.#size -= 1;
    if (this.#items.length > 2 * this.#size + EMPTY_MAX) this.#closeUp();
    return item;
  }

  /** All that are here, in the order of their numbers; a list of its own. */
  values(): T[] {
    return this.#items.filter((item) => item !== undefined);
  }

  /** The place of `id`, or -1. */
  #find(id: number): number {
    const ids = this.#ids;
    let low = 0;
    let high = ids.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const found = ids[middle] as number;
      if (found === id) return middle;
      if (found < id) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }

  #closeUp(): void {
    const ids = this.#ids;
    const items = this.#items;
    let to = 0;
    for (let from = 0; from < items.length; from += 1) {
      const item = items[from];
      if (item === undefined) continue;
      ids[to] = ids[from] as number;
      items[to] = item;
      to += 1;
    }
    while (items.length > to) {
      items.pop();
      ids.pop();
    }
  }
}
