/**
 * The keys of one server: 16 numbered databases, expiry by wall time, and word of what changes.
 *
 * A key whose time is over is hidden at once and removed by the first command that touches it, or by the background
 * cycle; only then is `expired` published (trace 06 to 08). On a replica nothing is removed before the primary says so,
 * and what the primary sends sees keys that are over. Who listens (WATCH, notifications, the replication stream) is the
 * caller's, through `KeyspaceHooks`.
 */
import { NO_SUCH_KEY, Refused, WRONG_TYPE } from "./reply.ts";
import { type Collection, copyOf, emptyValue, sizeOf, type Value, type ValueType } from "./values.ts";

export const DATABASES = 16;

/** The class letters of `notify-keyspace-events`. */
export type NotifyClass = "g" | "$" | "l" | "s" | "h" | "z" | "x" | "e" | "t" | "d" | "n" | "m";

export interface KeyspaceHooks {
  /** A key was changed, or only its time: watchers of it must know. */
  touched(db: number, key: string): void;
  notify(kind: NotifyClass, event: string, key: string, db: number): void;
  /** A key was removed because its time was over: replicas and the file are told to delete it. */
  expired(db: number, key: string): void;
}

interface Entry {
  readonly value: Value;
  /** Wall time in ms; null: none. */
  readonly expireAt: number | null;
}

export interface KeyspaceCheckpoint {
  readonly epoch: number;
  readonly databases: readonly (readonly [number, ReadonlyMap<string, Entry>])[];
}

export class Keyspace {
  readonly #hooks: KeyspaceHooks;
  #databases = new Map<number, Map<string, Entry>>();
  #epoch = 0;
  #volatile = 0;
  /** Wall time in ms as the command at hand sees it; it stands still during a script. */
  now = 0;
  /** The database of the command at hand. */
  selected = 0;
  /** How many changes were made: a command that raised it is passed on to replicas. */
  dirty = 0;
  /**
   * What happens to a key whose time is over: a primary removes it, a replica hides it, and the primary's own stream
   * sees it.
   */
  expiry: "remove" | "hide" | "ignore" = "remove";

  constructor(hooks: KeyspaceHooks) {
    this.#hooks = hooks;
  }

  checkpoint(): KeyspaceCheckpoint {
    this.#epoch += 1;
    return { epoch: this.#epoch, databases: [...this.#databases].map(([db, keys]) => [db, new Map(keys)]) };
  }

  restore({ epoch, databases }: KeyspaceCheckpoint): void {
    // What is restored may be restored again elsewhere: it belongs to an older epoch.
    this.#epoch = epoch + 1;
    this.#databases = new Map(databases.map(([db, keys]) => [db, new Map(keys)]));
    this.#volatile = 0;
    for (const keys of this.#databases.values())
      for (const { expireAt } of keys.values()) if (expireAt !== null) this.#volatile += 1;
  }

  // ── reading ──

  /** The value, or null when there is none or its time is over; counts as a look (`keymiss`). */
  read(key: string): Value | null {
    const value = this.peek(key);
    if (value === null) this.notify("m", "keymiss", key);
    return value;
  }

  /** The same without a word of a miss: for commands that are about to write. */
  peek(key: string): Value | null {
    this.#expireIfOver(key);
    const entry = this.#keys().get(key);
    return entry === undefined || (this.expiry !== "ignore" && isOver(entry, this.now)) ? null : entry.value;
  }

  /** @throws Refused WRONGTYPE when it is of another kind */
  readAs<T extends ValueType>(key: string, type: T): Extract<Value, { type: T }> | null {
    return typed(this.read(key), type);
  }

  peekAs<T extends ValueType>(key: string, type: T): Extract<Value, { type: T }> | null {
    return typed(this.peek(key), type);
  }

  expireAt(key: string): number | null {
    return this.#keys().get(key)?.expireAt ?? null;
  }

  /** With those whose time is over and that nobody has removed. */
  get size(): number {
    return this.#keys().size;
  }

  /** The keys that can be seen. Looking removes none. */
  visibleKeys(): string[] {
    return [...this.#keys()].filter(([, entry]) => !isOver(entry, this.now)).map(([key]) => key);
  }

  /** All, with those whose time is over. */
  allKeys(): string[] {
    return [...this.#keys().keys()];
  }

  /** Whether the time of a key is over though it may still be there. */
  isOver(db: number, key: string): boolean {
    const entry = this.#databases.get(db)?.get(key);
    return entry !== undefined && isOver(entry, this.now);
  }

  exists(db: number, key: string): boolean {
    return this.#databases.get(db)?.has(key) ?? false;
  }

  // ── writing ──

  /** A value that may be changed in place, made when there is none. The caller tells `changed`. */
  edit<T extends Exclude<ValueType, "string">>(key: string, type: T): Extract<Value, { type: T }> {
    const old = this.peekAs(key, type);
    if (old === null) {
      const made = emptyValue(type, this.#epoch);
      this.#put(key, { value: made, expireAt: null });
      this.notify("n", "new", key);
      return made;
    }
    if ((old as Collection).epoch === this.#epoch) return old;
    const copy = copyOf(old, this.#epoch) as Extract<Value, { type: T }>;
    this.#put(key, { value: copy, expireAt: this.expireAt(key) });
    return copy;
  }

  /** A key that was edited down to nothing goes away. True if so. */
  dropIfEmpty(key: string): boolean {
    const entry = this.#keys().get(key);
    if (entry === undefined || sizeOf(entry.value) > 0) return false;
    this.#remove(key);
    this.notify("g", "del", key);
    return true;
  }

  /** Puts a value in place of whatever there was. */
  put(key: string, value: Value, expireAt: number | null): void {
    const isNew = this.peek(key) === null;
    this.#put(key, { value, expireAt });
    if (isNew) this.notify("n", "new", key);
    this.touched(key);
  }

  putText(key: string, text: string, expireAt: number | null = null): void {
    this.put(key, { type: "string", text }, expireAt);
  }

  setExpiry(key: string, expireAt: number | null): void {
    const entry = this.#keys().get(key);
    if (entry !== undefined) this.#put(key, { value: entry.value, expireAt });
  }

  /** False if there was none to see. Publishes nothing. */
  delete(key: string): boolean {
    return this.peek(key) !== null && this.drop(key);
  }

  /** Likewise, but without a look at whether its time is over: nothing expires by it. */
  drop(key: string): boolean {
    if (!this.#keys().has(key)) return false;
    this.#remove(key);
    this.touched(key);
    return true;
  }

  /** @returns how many keys there were */
  flush(all: boolean): number {
    let removed = 0;
    for (const [db, keys] of this.#databases) {
      if (!all && db !== this.selected) continue;
      removed += keys.size;
      for (const [key, { expireAt }] of keys) {
        if (expireAt !== null) this.#volatile -= 1;
        this.#hooks.touched(db, key);
      }
      keys.clear();
    }
    return removed;
  }

  /** Two databases change places. */
  swap(a: number, b: number): void {
    const [first, second] = [this.#databases.get(a) ?? new Map(), this.#databases.get(b) ?? new Map()];
    this.#databases.set(a, second);
    this.#databases.set(b, first);
    for (const key of new Set([...first.keys(), ...second.keys()]))
      for (const db of [a, b]) this.#hooks.touched(db, key);
  }

  /** A change: `dirty` counts it, watchers hear of it, and it is published. */
  changed(kind: NotifyClass, event: string, key: string): void {
    this.dirty += 1;
    this.touched(key);
    this.notify(kind, event, key);
  }

  touched(key: string): void {
    this.#hooks.touched(this.selected, key);
  }

  notify(kind: NotifyClass, event: string, key: string): void {
    this.#hooks.notify(kind, event, key, this.selected);
  }

  /** @throws Refused ERR no such key */
  mustExist(key: string): Value {
    const value = this.peek(key);
    if (value === null) throw new Refused(NO_SUCH_KEY);
    return value;
  }

  // ── expiry ──

  /** Whether any key has a time: then there is something for the background cycle to watch. */
  get hasVolatile(): boolean {
    return this.#volatile > 0;
  }

  /**
   * The background cycle: removes every key whose time is over, those first that were over first. (Redis looks at
   * samples of 20 until few are over, so that with many keys some linger for a cycle or two; here none does.)
   */
  expireAll(): void {
    const over: { readonly db: number; readonly key: string; readonly at: number }[] = [];
    for (const [db, keys] of this.#databases)
      for (const [key, entry] of keys)
        if (entry.expireAt !== null && isOver(entry, this.now)) over.push({ db, key, at: entry.expireAt });
    over.sort((a, b) => a.at - b.at);
    for (const { db, key } of over) this.#expire(db, key);
  }

  /** Every key with its value and time, for a copy of the whole. */
  *entries(): Generator<{ readonly db: number; readonly key: string } & Entry> {
    for (const [db, keys] of this.#databases) for (const [key, entry] of keys) yield { db, key, ...entry };
  }

  #expireIfOver(key: string): void {
    if (this.expiry !== "remove") return;
    const entry = this.#keys().get(key);
    if (entry !== undefined && isOver(entry, this.now)) this.#expire(this.selected, key);
  }

  #expire(db: number, key: string): void {
    const selected = this.selected;
    this.selected = db;
    this.#remove(key);
    this.#hooks.expired(db, key);
    this.notify("x", "expired", key);
    this.touched(key);
    this.selected = selected;
  }

  #keys(): Map<string, Entry> {
    let keys = this.#databases.get(this.selected);
    if (keys === undefined) this.#databases.set(this.selected, (keys = new Map()));
    return keys;
  }

  #put(key: string, entry: Entry): void {
    const keys = this.#keys();
    const before = keys.get(key)?.expireAt ?? null;
    this.#volatile += (entry.expireAt === null ? 0 : 1) - (before === null ? 0 : 1);
    keys.set(key, entry);
  }

  #remove(key: string): void {
    const keys = this.#keys();
    if ((keys.get(key)?.expireAt ?? null) !== null) this.#volatile -= 1;
    keys.delete(key);
  }
}

/** Over is strictly after its time, as in Redis. */
function isOver({ expireAt }: Entry, now: number): boolean {
  return expireAt !== null && now > expireAt;
}

function typed<T extends ValueType>(value: Value | null, type: T): Extract<Value, { type: T }> | null {
  if (value !== null && value.type !== type) throw new Refused(WRONG_TYPE);
  return value as Extract<Value, { type: T }> | null;
}
