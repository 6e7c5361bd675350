/**
 * The order in which Go's `sort.Sort` leaves what compares as equal: it shows in etcd, whose ranges sorted by anything but
 * the key have ties.
 *
 * Since Go 1.19 that is a pattern-defeating quicksort (https://arxiv.org/abs/2106.05123, and the paper's own names below):
 * up to twelve by insertion, which is stable; more by quicksort with a median for a pivot; runs that look sorted are tried
 * as such; a bad pivot is met by stirring a few elements with a generator that starts from the length; too many bad ones by
 * a heapsort. Nothing of it is left to chance, so it can be done again here, swap by swap.
 */

/** Whether the one must come before the other. */
type Less<T> = (a: T, b: T) => boolean;

/** The two shifts behind the first of Go's generator: 17 and 5 up to Go 1.20, then 7 and 17. */
export type GoShifts = readonly [right: bigint, left: bigint];
export const SHIFTS_GO_1_19: GoShifts = [17n, 5n];
export const SHIFTS_GO_1_21: GoShifts = [7n, 17n];

const INSERTION_MAX = 12;
/** From this length on the pivot is a median of medians. */
const NINTHER_MIN = 50;
/** From this length on a few places that are out of order are mended by hand. */
const MEND_MIN = 50;
const MENDS_MAX = 5;
/** All comparisons of a median of medians went the other way: the range runs downwards. */
const SWAPS_MAX = 12;

/** Sorts in place, as Go does. */
export function goSort<T>(items: T[], before: Less<T>, shifts: GoShifts): void {
  if (items.length > 1) new Sorter(items, before, shifts).quick(0, items.length, bitsOf(items.length));
}

interface Pivot {
  readonly at: number;
  readonly hint: "rising" | "falling" | "none";
}

class Sorter<T> {
  readonly #items: T[];
  readonly #before: Less<T>;
  readonly #shifts: GoShifts;
  /** Of the pivot that is being chosen. */
  #swaps = 0;

  constructor(items: T[], before: Less<T>, shifts: GoShifts) {
    this.#items = items;
    this.#before = before;
    this.#shifts = shifts;
  }

  /** Sorts from `from` up to before `to`; `limit`: how many bad pivots are borne. */
  quick(from: number, to: number, limit: number): void {
    let [a, b, left] = [from, to, limit];
    let wasBalanced = true;
    let wasPartitioned = true;
    for (;;) {
      const length = b - a;
      if (length <= INSERTION_MAX) return this.#insertion(a, b);
      if (left === 0) return this.#heap(a, b);
      if (!wasBalanced) {
        this.#stir(a, b);
        left -= 1;
      }
      let { at: pivot, hint } = this.#choosePivot(a, b);
      if (hint === "falling") {
        this.#reverse(a, b);
        pivot = b - 1 - (pivot - a);
        hint = "rising";
      }
      if (wasBalanced && wasPartitioned && hint === "rising" && this.#mend(a, b)) return;
      if (a > 0 && !this.#less(a - 1, pivot)) {
        // Nothing here is less than the pivot: those that equal it are done.
        a = this.#partitionEqual(a, b, pivot);
        continue;
      }
      const { middle, already } = this.#partition(a, b, pivot);
      wasPartitioned = already;
      const enough = Math.floor(length / 8);
      if (middle - a < b - middle) {
        wasBalanced = middle - a >= enough;
        this.quick(a, middle, left);
        a = middle + 1;
      } else {
        wasBalanced = b - middle >= enough;
        this.quick(middle + 1, b, left);
        b = middle;
      }
    }
  }

  #less(i: number, j: number): boolean {
    return this.#before(this.#items[i] as T, this.#items[j] as T);
  }

  #swap(i: number, j: number): void {
    const items = this.#items;
    const kept = items[i] as T;
    items[i] = items[j] as T;
    items[j] = kept;
  }

  #insertion(a: number, b: number): void {
    for (let i = a + 1; i < b; i += 1) this.#sink(i, a + 1);
  }

  /** Moves one down to its place; not below `least` - 1. */
  #sink(from: number, least: number): void {
    for (let j = from; j >= least && this.#less(j, j - 1); j -= 1) this.#swap(j, j - 1);
  }

  #reverse(a: number, b: number): void {
    for (let i = a, j = b - 1; i < j; i += 1, j -= 1) this.#swap(i, j);
  }

  #heap(a: number, b: number): void {
    const length = b - a;
    for (let root = Math.trunc((length - 1) / 2); root >= 0; root -= 1) this.#sift(root, length, a);
    for (let last = length - 1; last >= 0; last -= 1) {
      this.#swap(a, a + last);
      this.#sift(0, last, a);
    }
  }

  #sift(from: number, length: number, base: number): void {
    let root = from;
    for (;;) {
      let child = 2 * root + 1;
      if (child >= length) return;
      if (child + 1 < length && this.#less(base + child, base + child + 1)) child += 1;
      if (!this.#less(base + root, base + child)) return;
      this.#swap(base + root, base + child);
      root = child;
    }
  }

  #stir(a: number, b: number): void {
    const length = b - a;
    if (length < 8) return;
    const [right, left] = this.#shifts;
    const mask = (1n << BigInt(bitsOf(length))) - 1n;
    let state = BigInt(length);
    const middle = a + Math.floor(length / 4) * 2;
    for (let i = -1; i <= 1; i += 1) {
      state = BigInt.asUintN(64, state ^ (state << 13n));
      state ^= state >> right;
      state = BigInt.asUintN(64, state ^ (state << left));
      const other = Number(state & mask);
      this.#swap(middle + i, a + (other >= length ? other - length : other));
    }
  }

  #choosePivot(a: number, b: number): Pivot {
    const length = b - a;
    const quarter = Math.floor(length / 4);
    this.#swaps = 0;
    const [i, j, k] = [a + quarter, a + quarter * 2, a + quarter * 3];
    let at = j;
    if (length >= NINTHER_MIN) at = this.#median(this.#around(i), this.#around(j), this.#around(k));
    else if (length >= 8) at = this.#median(i, j, k);
    return { at, hint: this.#swaps === 0 ? "rising" : this.#swaps === SWAPS_MAX ? "falling" : "none" };
  }

  #around(at: number): number {
    return this.#median(at - 1, at, at + 1);
  }

  #median(first: number, second: number, third: number): number {
    const [low, high] = this.#ordered(first, second);
    const [middle] = this.#ordered(high, third);
    return this.#ordered(low, middle)[1];
  }

  #ordered(i: number, j: number): readonly [number, number] {
    if (!this.#less(j, i)) return [i, j];
    this.#swaps += 1;
    return [j, i];
  }

  /** Mends a few places that are out of order; @returns whether all of it is sorted then. */
  #mend(a: number, b: number): boolean {
    let i = a + 1;
    for (let mends = 0; mends < MENDS_MAX; mends += 1) {
      while (i < b && !this.#less(i, i - 1)) i += 1;
      if (i === b) return true;
      if (b - a < MEND_MIN) return false;
      this.#swap(i, i - 1);
      // Go looks further down than where the range begins; what stands there is no greater.
      if (i - a >= 2) this.#sink(i - 1, 1);
      if (b - i >= 2) for (let j = i + 1; j < b && this.#less(j, j - 1); j += 1) this.#swap(j, j - 1);
    }
    return false;
  }

  #partition(a: number, b: number, pivot: number): { readonly middle: number; readonly already: boolean } {
    this.#swap(a, pivot);
    let [i, j] = [a + 1, b - 1];
    for (let swapped = 0; ; swapped += 1) {
      while (i <= j && this.#less(i, a)) i += 1;
      while (i <= j && !this.#less(j, a)) j -= 1;
      if (i > j) {
        this.#swap(j, a);
        return { middle: j, already: swapped === 0 };
      }
      this.#swap(i, j);
      i += 1;
      j -= 1;
    }
  }

  /** @returns where those begin that are greater than the pivot */
  #partitionEqual(a: number, b: number, pivot: number): number {
    this.#swap(a, pivot);
    let [i, j] = [a + 1, b - 1];
    for (;;) {
      while (i <= j && !this.#less(a, i)) i += 1;
      while (i <= j && this.#less(a, j)) j -= 1;
      if (i > j) return i;
      this.#swap(i, j);
      i += 1;
      j -= 1;
    }
  }
}

function bitsOf(value: number): number {
  return 32 - Math.clz32(value);
}
