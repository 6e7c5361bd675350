/**
 * The multi-version store: what etcd's mvcc package is (server/storage/mvcc).
 *
 * It is changed in transactions, each of which has one main revision if it changes anything. It knows of leases only
 * that keys hang on them; who may do what, and when, is decided above it (`state.ts`).
 */
import { type AppendOnly, copyOf } from "../../base/append-only.ts";
import { assert } from "../../base/assert.ts";
import { ByteReader } from "../../base/bytes.ts";
import type { NestedWriter } from "../../base/nested-writer.ts";
import type { Bytes } from "../api/bytes.ts";
import { type EtcdError, etcdError } from "../api/errors.ts";
import { type LeaseId, NO_LEASE } from "../api/ids.ts";
import { KeyValue, type RangeRequest, type RangeResponse } from "../api/messages.ts";
import { create, decodeFrom, encodeInto } from "../api/proto.ts";
import { type GoShifts, SHIFTS_GO_1_19, SHIFTS_GO_1_21 } from "./go-sort.ts";
import { hashOf } from "./hash.ts";
import { type Change, History } from "./history.ts";
import { KeyIndex } from "./key-index.ts";
import { select } from "./select.ts";
import type { Span } from "./span.ts";

export type Compat = "3.4" | "3.5";

/** Which keys hang on which lease. Part of the replicated state: told by the store, in the order of changes. */
export interface LeaseBindings {
  has(lease: LeaseId): boolean;
  attach(lease: LeaseId, key: Bytes): void;
  detach(lease: LeaseId, key: Bytes): void;
}

export interface MvccCheckpoint {
  readonly revision: number;
  readonly compactRevision: number;
  readonly size: StoreSize;
  /** Of the file, with what is not committed. */
  readonly pages: number;
  readonly pending: number;
  readonly history: AppendOnly<Change>;
}

/**
 * Bytes of the backend's file, in pages as bbolt has them: `inUse` holds changes, and the rest of `total` is free pages,
 * which only a defragmentation gives back. As of the last commit: the backend reads them when it begins the transaction
 * after it (etcd server/storage/backend/backend.go, begin).
 */
export interface StoreSize {
  readonly total: number;
  readonly inUse: number;
}

const PAGE = 4_096;
/** A fresh etcd's file: meta pages, buckets, the consistent index. */
const EMPTY_PAGES = 5;
/** Changes after which the backend commits without waiting for its interval. */
export const BATCH_LIMIT = 10_000;
/** What bbolt adds to a key and its value: the backend key of 17 bytes and the item's header. */
const ITEM_BYTES = 17 + 16;

/** A transaction that is being carried out. */
export interface Writing {
  /** The changes so far, in order. */
  readonly changes: readonly Change[];
}

export class Mvcc {
  readonly #compat: Compat;
  /** Of the Go that etcd is built with. */
  readonly #shifts: GoShifts;
  readonly #leases: LeaseBindings;
  readonly #index = new KeyIndex();
  readonly #history = new History();
  #revision = 1;
  #compactRevision = -1;
  #bytes = 0;
  #pages = EMPTY_PAGES;
  #committed: StoreSize = { total: EMPTY_PAGES * PAGE, inUse: EMPTY_PAGES * PAGE };
  /** How long the history was at the last commit. */
  #committedLength = 0;
  /** The transaction that is open. */
  #writing: Change[] | null = null;

  constructor(compat: Compat, leases: LeaseBindings) {
    this.#compat = compat;
    this.#shifts = compat === "3.4" ? SHIFTS_GO_1_19 : SHIFTS_GO_1_21;
    this.#leases = leases;
  }

  /** The revision of the last transaction that changed something; 1 for a fresh store. */
  get revision(): number {
    return this.#revision;
  }
  /** -1 before the first compaction. */
  get compactRevision(): number {
    return this.#compactRevision;
  }
  get keyCount(): number {
    return this.#index.size;
  }
  get changeCount(): number {
    return this.#history.length;
  }
  /** As of the last commit. */
  get size(): StoreSize {
    return this.#committed;
  }
  /** Changes that the backend has not committed: reads see them, the size does not. */
  get pending(): number {
    return this.#history.length - this.#committedLength;
  }

  /** What a read sees: within a transaction that has changed something already its own revision. */
  get #seen(): number {
    return this.#writing === null || this.#writing.length === 0 ? this.#revision : this.#revision + 1;
  }

  // ── reading ──

  /** A range without its header's names; its revision is the present one, or within a transaction the one so far. */
  range(request: RangeRequest): { readonly revision: number; readonly response: RangeResponse } | EtcdError {
    const now = this.#seen;
    const at = request.revision <= 0 ? now : request.revision;
    if (at > now) return etcdError("FutureRev");
    if (at < this.#compactRevision) return etcdError("Compacted");
    const each = (found: (change: Change) => void): void => this.#index.each(request, at, found);
    return { revision: now, response: select(request, each, this.#shifts) };
  }

  get(key: Bytes): KeyValue | null {
    return this.#index.get(key, this.#seen)?.kv ?? null;
  }

  /** As of a revision; null when there is none, or it is compacted. */
  getAt(key: Bytes, revision: number): KeyValue | null {
    return revision < this.#compactRevision ? null : (this.#index.get(key, revision)?.kv ?? null);
  }

  /** The live keys of a span, in order. */
  live(span: Span): readonly KeyValue[] {
    const found: KeyValue[] = [];
    this.#index.each(span, this.#seen, ({ kv }) => found.push(kv));
    return found;
  }

  /** All changes with a main revision of at least `from`, in order. */
  changesFrom(from: number): readonly Change[] {
    return this.#history.all.slice(this.#history.firstAt(from));
  }

  /** HashKV: of all changes up to a revision; 0: up to now. Below 0 there are none. */
  hash(
    asked: number,
  ): { readonly hash: number; readonly compactRevision: number; readonly revision: number } | EtcdError {
    const at = asked === 0 ? this.#revision : asked;
    if (at > this.#revision) return etcdError("FutureRev");
    const compacted = this.#compactRevision;
    // 3.4 refuses the compacted revision itself too.
    if (asked > 0 && (at < compacted || (this.#compat === "3.4" && at === compacted))) return etcdError("Compacted");
    return { hash: hashOf(this.#history.all, at, compacted), compactRevision: compacted, revision: at };
  }

  // ── changing ──

  /** Carries out a transaction; its changes have taken effect when it returns. */
  write<T>(transaction: (writing: Writing) => T): { readonly result: T; readonly changes: readonly Change[] } {
    assert(this.#writing === null, "one transaction at a time");
    const changes: Change[] = [];
    this.#writing = changes;
    const result = transaction({ changes });
    this.#writing = null;
    if (changes.length > 0) this.#revision += 1;
    return { result, changes };
  }

  /** The revision of an answer within the transaction that is open. */
  get writingRevision(): number {
    return this.#seen;
  }

  put(key: Bytes, value: Bytes, lease: LeaseId): void {
    const before = this.get(key);
    const main = this.#revision + 1;
    const kv: KeyValue = {
      key,
      createRevision: before?.createRevision ?? main,
      modRevision: main,
      version: (before?.version ?? 0) + 1,
      value,
      lease,
    };
    if (before !== null && before.lease !== NO_LEASE) this.#leases.detach(before.lease, key);
    if (lease !== NO_LEASE) this.#leases.attach(lease, key);
    this.#add({ main, sub: this.#open().length, tombstone: false, kv });
  }

  /** Deletes the live keys of a span, in order; gives what they were. */
  deleteRange(span: Span): readonly KeyValue[] {
    const gone = this.live(span);
    const main = this.#revision + 1;
    for (const { key, lease } of gone) {
      if (lease !== NO_LEASE) this.#leases.detach(lease, key);
      this.#add({ main, sub: this.#open().length, tombstone: true, kv: create(KeyValue, { key, modRevision: main }) });
    }
    return gone;
  }

  /** From now on revisions below `at` cannot be read, and what only they would show is gone. */
  compact(at: number): EtcdError | null {
    if (at <= this.#compactRevision) return etcdError("Compacted");
    if (at > this.#revision) return etcdError("FutureRev");
    this.#compactRevision = at;
    const { all } = this.#history;
    const behind = this.#history.firstAt(at + 1);
    const staying = this.#index.compact(at, this.#compat !== "3.4");
    const kept = all.slice(0, behind).filter((change) => staying.has(change));
    for (let i = behind; i < all.length; i += 1) kept.push(all[i] as Change);
    this.#history.replace(kept);
    this.#bytes = kept.reduce((sum, change) => sum + bytesOf(change), 0);
    this.commit();
    return null;
  }

  /** The file shrinks to what is in use. */
  defragment(): void {
    this.#pages = this.#usedPages();
    this.commit();
  }

  /** The backend commits what is pending; from now on its size tells of it. When, is its owner's to say. */
  commit(): void {
    this.#committed = { total: this.#pages * PAGE, inUse: this.#usedPages() * PAGE };
    this.#committedLength = this.#history.length;
  }

  // ── state ──

  /** Equal on all members that have applied as much. */
  snapshot(out: NestedWriter): void {
    out.varint(this.#revision);
    out.varint(this.#compactRevision + 1);
    out.varint(this.#history.length);
    for (const { main, sub, tombstone, kv } of this.#history.all) {
      out.varint(main);
      out.varint(sub);
      out.u8(tombstone ? 1 : 0);
      encodeInto(KeyValue, kv, out);
    }
  }

  restore(reader: ByteReader): void {
    const revision = reader.varint();
    const compactRevision = reader.varint() - 1;
    const changes: Change[] = [];
    for (let left = reader.varint(); left > 0; left -= 1) {
      const main = reader.varint();
      const sub = reader.varint();
      const tombstone = reader.u8() === 1;
      changes.push({ main, sub, tombstone, kv: decodeFrom(KeyValue, reader) });
    }
    this.#take(revision, compactRevision, changes);
    this.#pages = this.#usedPages();
    this.commit();
  }

  checkpoint(): MvccCheckpoint {
    return {
      revision: this.#revision,
      compactRevision: this.#compactRevision,
      size: this.#committed,
      pages: this.#pages,
      pending: this.pending,
      history: this.#history.checkpoint(),
    };
  }

  resume({ revision, compactRevision, size, pages, pending, history }: MvccCheckpoint): void {
    this.#take(revision, compactRevision, copyOf(history));
    this.#pages = pages;
    this.#committed = size;
    this.#committedLength = this.#history.length - pending;
  }

  #take(revision: number, compactRevision: number, changes: Change[]): void {
    this.#revision = revision;
    this.#compactRevision = compactRevision;
    this.#history.replace(changes);
    this.#index.clear();
    this.#bytes = 0;
    for (const change of changes) {
      this.#index.add(change);
      this.#bytes += bytesOf(change);
    }
  }

  #open(): Change[] {
    assert(this.#writing !== null, "keys change in a transaction");
    return this.#writing;
  }

  #add(change: Change): void {
    this.#open().push(change);
    this.#history.append(change);
    this.#index.add(change);
    this.#bytes += bytesOf(change);
    this.#pages = Math.max(this.#pages, this.#usedPages());
  }

  #usedPages(): number {
    return EMPTY_PAGES + Math.ceil(this.#bytes / PAGE);
  }
}

function bytesOf({ kv }: Change): number {
  return ITEM_BYTES + kv.key.length + kv.value.length + 12;
}
