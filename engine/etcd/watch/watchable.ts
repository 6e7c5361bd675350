/**
 * The watches of one member: who is told of which changes (etcd server/storage/mvcc, watchable_store.go and watcher.go).
 *
 * A watch that has been told everything up to now is synced, and hears of each transaction as it is applied. One that
 * starts in the past is unsynced and catches up in batches. Each carries the next revision that it wants, so nothing is
 * told twice, out of order or not at all; the changes of one revision always come together.
 */
import { assert } from "../../base/assert.ts";
import { type Bytes, FROM_KEY } from "../api/bytes.ts";
import { Event, KeyValue, ResponseHeader, type WatchCreateRequest, WatchResponse } from "../api/messages.ts";
import { create } from "../api/proto.ts";
import type { Change } from "../mvcc/history.ts";
import type { Compat, Mvcc } from "../mvcc/mvcc.ts";
import { contains, type Span } from "../mvcc/span.ts";

/** Names a stream: its connection and call. */
export type StreamId = string;

/** How often those that lag are looked after, and how many of them and of the past are taken at once. */
export const SYNC_EVERY_MS = 100;
const WATCHERS_PER_SYNC = 512;
const REVISIONS_PER_SYNC = 1_000;
/** The id of an answer that is for no watch, or for one that was refused. */
const NO_WATCH = -1;

interface Watcher extends Span {
  readonly stream: StreamId;
  readonly id: number;
  readonly prevKv: boolean;
  readonly progressNotify: boolean;
  readonly filters: WatchCreateRequest["filters"];
  readonly fragment: boolean;
  /** The next revision that it wants. */
  minRevision: number;
  /** `compacted`: it was told so and hears no more, but keeps its id until its client cancels it too. */
  state: "synced" | "unsynced" | "compacted";
  /** Nothing was sent since the last progress notification was due. */
  quiet: boolean;
}

interface Stream {
  readonly watchers: Map<number, Watcher>;
  /** Automatic ids are never used again. */
  nextId: number;
}

/** A response on its way to a stream. */
export interface Told {
  readonly stream: StreamId;
  readonly response: WatchResponse;
}

export interface WatchableCheckpoint {
  readonly streams: readonly {
    readonly id: StreamId;
    readonly nextId: number;
    readonly watchers: readonly Watcher[];
  }[];
}

export class Watchable {
  readonly #store: Mvcc;
  readonly #compat: Compat;
  readonly #streams = new Map<StreamId, Stream>();
  /** The synced ones: by key those that watch one key, and the others. */
  readonly #byKey = new Map<Bytes, Set<Watcher>>();
  readonly #spans = new Set<Watcher>();
  readonly #unsynced = new Set<Watcher>();

  constructor(store: Mvcc, compat: Compat) {
    this.#store = store;
    this.#compat = compat;
  }

  get count(): number {
    let count = 0;
    for (const { watchers } of this.#streams.values()) count += watchers.size;
    return count;
  }

  /** Whether some lag behind: then `sync` is to be called again soon. */
  get lags(): boolean {
    return this.#unsynced.size > 0;
  }

  openStream(id: StreamId): void {
    this.#streams.set(id, { watchers: new Map(), nextId: 0 });
  }

  closeStream(id: StreamId): void {
    for (const watcher of this.#streams.get(id)?.watchers.values() ?? []) this.#drop(watcher);
    this.#streams.delete(id);
  }

  /** A new watch on a stream, or the refusal of one. */
  create(id: StreamId, request: WatchCreateRequest): WatchResponse {
    const stream = this.#streams.get(id);
    assert(stream !== undefined, "a watch is created on an open stream");
    const now = this.#store.revision;
    const key = request.key === "" ? FROM_KEY : request.key;
    const { rangeEnd, startRevision } = request;
    if (this.#compat !== "3.4" && startRevision < 0) return this.#refusal(COMPACTED_TEXT);
    if (rangeEnd !== "" && rangeEnd !== FROM_KEY && key >= rangeEnd)
      return this.#refusal("mvcc: watcher range is empty");
    if (request.watchId !== 0 && stream.watchers.has(request.watchId))
      return this.#refusal("mvcc: duplicate watch ID provided on the WatchStream");
    const watchId = request.watchId === 0 ? freeId(stream) : request.watchId;
    const start = startRevision === 0 ? now + 1 : startRevision;
    const watcher: Watcher = {
      stream: id,
      id: watchId,
      key,
      rangeEnd,
      prevKv: request.prevKv,
      progressNotify: request.progressNotify,
      filters: request.filters,
      fragment: request.fragment,
      minRevision: start,
      state: start > now ? "synced" : "unsynced",
      quiet: true,
    };
    stream.watchers.set(watchId, watcher);
    this.#keep(watcher);
    return create(WatchResponse, { header: this.#header(now), watchId, created: true });
  }

  /** Null when there is no such watch: then nothing is answered. */
  cancel(id: StreamId, watchId: number): WatchResponse | null {
    const stream = this.#streams.get(id);
    const watcher = stream?.watchers.get(watchId);
    if (stream === undefined || watcher === undefined) return null;
    stream.watchers.delete(watchId);
    this.#drop(watcher);
    return create(WatchResponse, { header: this.#header(this.#store.revision), watchId, canceled: true });
  }

  /** What a progress request is answered: since 3.5.8 nothing while some watch of the stream lags. */
  progress(id: StreamId): WatchResponse | null {
    const watchers = this.#streams.get(id)?.watchers.values() ?? [];
    if (this.#compat !== "3.4" && Array.from(watchers).some(({ state }) => state === "unsynced")) return null;
    return create(WatchResponse, { header: this.#header(this.#store.revision), watchId: NO_WATCH });
  }

  /** Progress notifications are due: for those that asked for them, are synced and were sent nothing since the last. */
  notifyProgress(): readonly Told[] {
    const told: Told[] = [];
    for (const [stream, { watchers }] of this.#streams) {
      for (const watcher of watchers.values()) {
        if (watcher.progressNotify && watcher.quiet && watcher.state === "synced")
          told.push({
            stream,
            response: create(WatchResponse, { header: this.#header(this.#store.revision), watchId: watcher.id }),
          });
        watcher.quiet = true;
      }
    }
    return told;
  }

  /** A transaction has been applied: those that are synced are told. */
  notify(changes: readonly Change[]): readonly Told[] {
    if (changes.length === 0) return [];
    const forEach = new Map<Watcher, Change[]>();
    const give = (watcher: Watcher, change: Change): void => {
      if (change.main < watcher.minRevision) return;
      const given = forEach.get(watcher);
      if (given === undefined) forEach.set(watcher, [change]);
      else given.push(change);
    };
    for (const change of changes) {
      for (const watcher of this.#byKey.get(change.kv.key) ?? []) give(watcher, change);
      for (const watcher of this.#spans) if (contains(watcher, change.kv.key)) give(watcher, change);
    }
    const told: Told[] = [];
    const { revision } = this.#store;
    for (const [watcher, given] of forEach) {
      watcher.minRevision = revision + 1;
      this.#tell(watcher, given, revision, told);
    }
    return told;
  }

  /** Lets those that lag catch up: some of them, by some of the past. */
  sync(): readonly Told[] {
    const told: Told[] = [];
    const { revision, compactRevision } = this.#store;
    let taken = 0;
    for (const watcher of this.#unsynced) {
      if (taken >= WATCHERS_PER_SYNC) break;
      taken += 1;
      this.#unsynced.delete(watcher);
      if (watcher.minRevision < compactRevision) {
        watcher.state = "compacted";
        const { stream, id: watchId } = watcher;
        told.push({
          stream,
          response: create(WatchResponse, { header: this.#header(0), watchId, canceled: true, compactRevision }),
        });
        continue;
      }
      const changes = this.#store.changesFrom(watcher.minRevision, REVISIONS_PER_SYNC);
      const last = changes.at(-1)?.main ?? revision;
      watcher.state = last >= revision ? "synced" : "unsynced";
      const wanted = changes.filter((change) => contains(watcher, change.kv.key));
      watcher.minRevision = last + 1;
      this.#keep(watcher);
      this.#tell(watcher, wanted, revision, told);
    }
    return told;
  }

  /** The store was replaced by a snapshot: all catch up, each from the revision that it wants next. */
  restored(): void {
    for (const { watchers } of this.#streams.values()) {
      for (const watcher of watchers.values()) {
        if (watcher.state !== "synced" || watcher.minRevision > this.#store.revision) continue;
        this.#drop(watcher);
        watcher.state = "unsynced";
        this.#keep(watcher);
      }
    }
  }

  /** For a picture: every watch. */
  *all(): Iterable<Readonly<Watcher>> {
    for (const { watchers } of this.#streams.values()) yield* watchers.values();
  }

  isFragmented(stream: StreamId, watchId: number): boolean {
    return this.#streams.get(stream)?.watchers.get(watchId)?.fragment ?? false;
  }

  checkpoint(): WatchableCheckpoint {
    return {
      streams: [...this.#streams].map(([id, { nextId, watchers }]) => ({
        id,
        nextId,
        watchers: [...watchers.values()].map((watcher) => ({ ...watcher })),
      })),
    };
  }

  resume({ streams }: WatchableCheckpoint): void {
    for (const { id, nextId, watchers } of streams) {
      const stream: Stream = { watchers: new Map(), nextId };
      this.#streams.set(id, stream);
      for (const saved of watchers) {
        const watcher = { ...saved };
        stream.watchers.set(watcher.id, watcher);
        this.#keep(watcher);
      }
    }
  }

  // ── inside ──

  #tell(watcher: Watcher, changes: readonly Change[], revision: number, told: Told[]): void {
    const events = changes.flatMap((change) => this.#eventFor(watcher, change));
    if (events.length === 0) return;
    watcher.quiet = false;
    const { stream, id: watchId } = watcher;
    told.push({ stream, response: create(WatchResponse, { header: this.#header(revision), watchId, events }) });
  }

  /** The value before is looked up as it is sent, and is missing once it is compacted. */
  #eventFor({ filters, prevKv }: Watcher, { main, tombstone, kv }: Change): Event[] {
    if (filters.includes(tombstone ? "NODELETE" : "NOPUT")) return [];
    const isCreate = !tombstone && kv.createRevision === kv.modRevision;
    const before = prevKv && !isCreate ? this.#store.getAt(kv.key, main - 1) : null;
    const after = tombstone ? create(KeyValue, { key: kv.key, modRevision: main }) : kv;
    return [create(Event, { type: tombstone ? "DELETE" : "PUT", kv: after, prevKv: before })];
  }

  #keep(watcher: Watcher): void {
    if (watcher.state === "unsynced") this.#unsynced.add(watcher);
    if (watcher.state !== "synced") return;
    if (watcher.rangeEnd !== "") {
      this.#spans.add(watcher);
      return;
    }
    const same = this.#byKey.get(watcher.key);
    if (same === undefined) this.#byKey.set(watcher.key, new Set([watcher]));
    else same.add(watcher);
  }

  #drop(watcher: Watcher): void {
    this.#unsynced.delete(watcher);
    this.#spans.delete(watcher);
    const same = this.#byKey.get(watcher.key);
    same?.delete(watcher);
    if (same?.size === 0) this.#byKey.delete(watcher.key);
  }

  #refusal(cancelReason: string): WatchResponse {
    return create(WatchResponse, {
      header: this.#header(this.#store.revision),
      watchId: NO_WATCH,
      created: true,
      canceled: true,
      cancelReason,
    });
  }

  #header(revision: number): ResponseHeader {
    return create(ResponseHeader, { revision });
  }
}

const COMPACTED_TEXT = "etcdserver: mvcc: required revision has been compacted";

function freeId(stream: Stream): number {
  while (stream.watchers.has(stream.nextId)) stream.nextId += 1;
  stream.nextId += 1;
  return stream.nextId - 1;
}
