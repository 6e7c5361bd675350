/**
 * The tail of a list that is indexed from 1: what came before its start is forgotten, what comes is appended.
 *
 * A checkpoint shares the array and notes its length; cutting off what a checkpoint holds copies first. Forgetting moves
 * a mark, and the array is trimmed when half of it is dead, so that no operation costs more for a longer list.
 */
export interface TailState<T> {
  /** Shared with the list that goes on: only the first `length` belong to the checkpoint. */
  readonly items: readonly T[];
  readonly length: number;
  readonly offset: number;
  readonly start: number;
}

export class Tail<T> {
  #items: T[] = [];
  /** The index of the array's first element. */
  #offset: number;
  /** The first index that is not forgotten. */
  #start: number;
  /** How much of the array some checkpoint holds. */
  #shared = 0;

  constructor(start: number) {
    this.#offset = start;
    this.#start = start;
  }

  get start(): number {
    return this.#start;
  }

  /** The last index; the one before the start when nothing is there. */
  get last(): number {
    return this.#offset + this.#items.length - 1;
  }

  at(index: number): T | undefined {
    return index < this.#start ? undefined : this.#items[index - this.#offset];
  }

  push(item: T): void {
    this.#items.push(item);
  }

  /** All of them from `from` on; a list of its own. */
  from(from: number): T[] {
    return this.#items.slice(Math.max(from, this.#start) - this.#offset);
  }

  /** Everything from `from` on is gone. */
  cut(from: number): void {
    const keep = Math.max(0, from - this.#offset);
    if (keep >= this.#items.length) return;
    if (keep >= this.#shared) this.#items.length = keep;
    else {
      this.#items = this.#items.slice(0, keep);
      this.#shared = 0;
    }
  }

  /** Everything up to `index` is forgotten. */
  forget(index: number): void {
    if (index < this.#start) return;
    this.#start = index + 1;
    const dead = this.#start - this.#offset;
    if (dead >= this.#items.length) return this.restart(this.#start);
    if (dead * 2 < this.#items.length) return;
    this.#items = this.#items.slice(dead);
    this.#offset = this.#start;
    this.#shared = 0;
  }

  /** Empty again, and the next to come is `start`. */
  restart(start: number): void {
    this.#items = [];
    this.#shared = 0;
    this.#offset = start;
    this.#start = start;
  }

  state(): TailState<T> {
    this.#shared = this.#items.length;
    return { items: this.#items, length: this.#items.length, offset: this.#offset, start: this.#start };
  }

  static from<T>({ items, length, offset, start }: TailState<T>): Tail<T> {
    const tail = new Tail<T>(offset);
    tail.#items = items.slice(0, length);
    tail.#start = start;
    return tail;
  }
}
