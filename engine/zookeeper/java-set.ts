/**
 * A set of strings that is walked in the order of Java's HashSet.
 *
 * A session's end deletes its ephemeral nodes in that order, and watchers see it. It follows from the strings alone:
 * buckets by hash, in a bucket the order of insertion. (Java turns a bucket of more than eight into a tree; that order
 * is not followed.)
 */

const FIRST_CAPACITY = 16;

export interface JavaSetState {
  readonly capacity: number;
  readonly items: readonly string[];
}

export class JavaSet {
  readonly #items: Set<string>;
  #capacity: number;

  constructor(state: JavaSetState = { capacity: FIRST_CAPACITY, items: [] }) {
    this.#items = new Set(state.items);
    this.#capacity = state.capacity;
  }

  get size(): number {
    return this.#items.size;
  }

  has(item: string): boolean {
    return this.#items.has(item);
  }

  add(item: string): void {
    this.#items.add(item);
    if (this.#items.size > this.#capacity * 0.75) this.#capacity *= 2;
  }

  delete(item: string): void {
    this.#items.delete(item);
  }

  /** As a copy of the set is walked: it has a table of its own size. */
  inOrderOfCopy(): string[] {
    const original = byBucket([...this.#items], this.#capacity);
    return byBucket(original, powerOfTwoFrom(Math.floor(original.length / 0.75 + 1)));
  }

  state(): JavaSetState {
    return { capacity: this.#capacity, items: [...this.#items] };
  }
}

function byBucket(items: readonly string[], capacity: number): string[] {
  return items
    .map((item) => ({ item, bucket: spreadHash(item) & (capacity - 1) }))
    .sort((a, b) => a.bucket - b.bucket)
    .map(({ item }) => item);
}

/** With its high half mixed into the low one, as HashMap does. */
function spreadHash(text: string): number {
  const hash = hashCode(text);
  return hash ^ (hash >>> 16);
}

/** Java's String.hashCode. */
export function hashCode(text: string): number {
  let hash = 0;
  for (let i = 0; i < text.length; i += 1) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0;
  return hash;
}

function powerOfTwoFrom(least: number): number {
  let power = 1;
  while (power < least) power *= 2;
  return power;
}
