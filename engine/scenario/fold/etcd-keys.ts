/** The keyspace with its history, as the member has it that has applied most. */
import type { Micros } from "../../base/units.ts";
import { leaseHex, NO_LEASE } from "../../etcd/api/ids.ts";
import type { Change } from "../../etcd/mvcc/history.ts";
import type { ProcessId } from "../../sim/command.ts";
import { CHANGES_SHOWN, type KeyChange, KEYS_SHOWN, type KeyView, VALUE_SHOWN } from "../../trace/etcd-view.ts";
import { shortText, textOf } from "./etcd-text.ts";
import { Kept } from "./kept.ts";

export interface KeysState {
  readonly applied: number;
  readonly revision: number;
  readonly compactRevision: number;
  readonly keys: readonly KeyView[];
}

export const NO_KEYS: KeysState = { applied: 0, revision: 1, compactRevision: -1, keys: [] };

export class Keys {
  readonly kept: Kept<string, KeyView>;
  revision: number;
  compactRevision: number;
  /** The last entry whose changes are in it. */
  #applied: number;

  constructor({ applied, revision, compactRevision, keys }: KeysState) {
    this.kept = new Kept(keys);
    this.#applied = applied;
    this.revision = revision;
    this.compactRevision = compactRevision;
  }

  /** @returns whether nobody applied this entry before */
  advance(index: number, revision: number): boolean {
    if (index <= this.#applied) return false;
    this.#applied = index;
    this.revision = Math.max(this.revision, revision);
    return true;
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
    return { applied: this.#applied, revision, compactRevision, keys: this.kept.all() };
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
