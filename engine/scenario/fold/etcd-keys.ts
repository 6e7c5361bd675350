/** The keyspace with its history, as the member has it that has applied most. */
import type { Micros } from "../../base/units.ts";
import { leaseHex, NO_LEASE } from "../../etcd/api/ids.ts";
import type { Change } from "../../etcd/mvcc/history.ts";
import type { RequestKey } from "../../replica/events.ts";
import type { ProcessId } from "../../sim/command.ts";
import { CHANGES_SHOWN, type KeyChange, KEYS_SHOWN, type KeyView, VALUE_SHOWN } from "../../trace/etcd-view.ts";
import { shortText, textOf } from "./etcd-text.ts";
import { Kept } from "./kept.ts";

export interface KeysState {
  readonly applied: number;
  /** The last entries that were applied, by index: which one stood there. */
  readonly entries: readonly (readonly [number, RequestKey])[];
  readonly revision: number;
  readonly compactRevision: number;
  readonly keys: readonly KeyView[];
}

export const NO_KEYS: KeysState = { applied: 0, entries: [], revision: 1, compactRevision: -1, keys: [] };

/** A log that is written anew is written anew at its end. */
const ENTRIES_KEPT = 1_000;

export class Keys {
  readonly kept: Kept<string, KeyView>;
  revision: number;
  compactRevision: number;
  /** The last entry whose changes are in it. */
  #applied: number;
  readonly #entries: Map<number, RequestKey>;

  constructor({ applied, entries, revision, compactRevision, keys }: KeysState) {
    this.kept = new Kept(keys);
    this.#applied = applied;
    this.#entries = new Map(entries);
    this.revision = revision;
    this.compactRevision = compactRevision;
  }

  /**
   * @returns `new` for an entry that nobody applied before; `again` for one that somebody did; `instead` for one that
   *   stands where another one stood that was applied: committed entries were lost, which only a broken rule can do
   */
  advance(index: number, key: RequestKey, revision: number): "new" | "again" | "instead" {
    const isNew = index > this.#applied;
    const stood = this.#entries.get(index);
    // What stood there longer ago than is kept was the same.
    const isKept = stood !== undefined || (this.#entries.keys().next().value ?? index + 1) < index;
    if (!isNew && (!isKept || stood === key)) return "again";
    if (!isNew) for (const each of Array.from(this.#entries.keys())) if (each >= index) this.#entries.delete(each);
    this.#applied = index;
    this.#entries.set(index, key);
    const oldest = this.#entries.keys().next().value;
    if (oldest !== undefined && this.#entries.size > ENTRIES_KEPT) this.#entries.delete(oldest);
    this.revision = isNew ? Math.max(this.revision, revision) : revision;
    return isNew ? "new" : "instead";
  }

  /** What came behind a revision has never been. @returns the keys that are others now, and what they hang on */
  rewind(revision: number): readonly { readonly id: string; readonly lease: string | null }[] {
    const others: { readonly id: string; readonly lease: string | null }[] = [];
    for (const key of this.kept.all()) {
      const changes = key.changes.filter((change) => change.revision <= revision);
      if (changes.length === key.changes.length) continue;
      others.push({ id: key.id, lease: changes.at(-1)?.lease ?? null });
      if (changes.length === 0) this.kept.remove(key.id);
      else this.kept.put({ ...key, changes });
    }
    return others;
  }

  put(change: Change, at: Micros, client: ProcessId | null): KeyChange {
    const id = textOf(change.kv.key);
    const before = this.kept.get(id);
    const shown = changeView(change, at, client);
    const changes = [...(before?.changes ?? []), shown];
    const cut = (before?.cut ?? false) || changes.length > CHANGES_SHOWN;
    this.kept.putLast({ id, changes: changes.slice(-CHANGES_SHOWN), cut });
    this.kept.limit(KEYS_SHOWN);
    return shown;
  }

  /** What nobody can read any more goes: all before the last put at or below it, and that too if it was a delete. */
  compact(revision: number): void {
    this.compactRevision = Math.max(this.compactRevision, revision);
    for (const key of this.kept.all()) {
      const last = key.changes.findLastIndex((change) => change.revision <= revision);
      if (last < 0) continue;
      const from = key.changes[last]?.type === "delete" ? last + 1 : last;
      if (from === key.changes.length) this.kept.remove(key.id);
      else if (from > 0 || key.cut) this.kept.put({ ...key, changes: key.changes.slice(from), cut: false });
    }
  }

  /** A member took its store from a snapshot that is ahead of all that was applied; its changes follow. */
  clear(revision: number, compactRevision: number): void {
    this.kept.clear();
    this.revision = revision;
    this.compactRevision = compactRevision;
  }

  state(): KeysState {
    const { revision, compactRevision } = this;
    return { applied: this.#applied, entries: [...this.#entries], revision, compactRevision, keys: this.kept.all() };
  }
}

function changeView({ main, sub, tombstone, kv }: Change, at: Micros, client: ProcessId | null): KeyChange {
  return {
    type: tombstone ? "delete" : "put",
    revision: main,
    sub,
    at,
    value: tombstone ? "" : shortText(kv.value, VALUE_SHOWN),
    version: tombstone ? 0 : kv.version,
    createRevision: tombstone ? 0 : kv.createRevision,
    lease: tombstone || kv.lease === NO_LEASE ? null : leaseHex(kv.lease),
    client,
  };
}
