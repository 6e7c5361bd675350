/** Views by id, in the order in which they were put last, and which of them changed since the picture was told. */

export interface KeptChanges<Id, View> {
  readonly changed: readonly View[];
  readonly gone: readonly Id[];
}

export class Kept<Id, View extends { readonly id: Id }> {
  readonly #views = new Map<Id, View>();
  readonly #changed = new Set<Id>();
  #gone: Id[] = [];

  constructor(views: readonly View[] = []) {
    for (const view of views) this.#views.set(view.id, view);
  }

  get size(): number {
    return this.#views.size;
  }

  get(id: Id): View | undefined {
    return this.#views.get(id);
  }

  values(): Iterable<View> {
    return this.#views.values();
  }

  put(view: View): void {
    this.#views.set(view.id, view);
    this.#changed.add(view.id);
  }

  /** The same, and it counts as the newest. */
  putLast(view: View): void {
    this.#views.delete(view.id);
    this.put(view);
  }

  remove(id: Id): void {
    if (!this.#views.delete(id)) return;
    this.#changed.delete(id);
    this.#gone.push(id);
  }

  /** The oldest go while there are more than `most`. */
  limit(most: number): void {
    if (this.#views.size <= most) return;
    let over = this.#views.size - most;
    for (const id of this.#views.keys()) {
      if (over === 0) return;
      this.remove(id);
      over -= 1;
    }
  }

  clear(): void {
    for (const id of Array.from(this.#views.keys())) this.remove(id);
  }

  /** Null when nothing changed. One that went and came again has changed, and is not gone. */
  takeChanges(): KeptChanges<Id, View> | null {
    if (this.#changed.size === 0 && this.#gone.length === 0) return null;
    const changed: View[] = [];
    for (const id of this.#changed) {
      const view = this.#views.get(id);
      if (view !== undefined) changed.push(view);
    }
    const gone = this.#gone.filter((id) => !this.#views.has(id));
    this.#changed.clear();
    this.#gone = [];
    return { changed, gone };
  }

  all(): View[] {
    return [...this.#views.values()];
  }
}
