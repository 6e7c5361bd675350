/**
 * The watches of one member: who is told of which changes (etcd server/storage/mvcc, watchable_store.go and watcher.go).
 *
 * A watch that has been told everything up to now is synced, and hears of each transaction as it is applied. One that
 * starts in the past is unsynced and catches up in batches. One whose stream takes no more is a victim: it keeps what it
 * was to be told until there is room, and is unsynced from then on. Each carries the next revision that it wants, so
 * nothing is told twice, out of order or not at all; the changes of one revision always come together.
 */
import { assert } from "../../base/assert.ts";
import { FROM_KEY } from "../api/bytes.ts";
import { Event, KeyValue, ResponseHeader, type WatchCreateRequest, WatchResponse } from "../api/messages.ts";
import { create } from "../api/proto.ts";
import type { Change } from "../mvcc/history.ts";
import type { Compat, Mvcc } from "../mvcc/mvcc.ts";
import type { Span } from "../mvcc/span.ts";
import { WatcherGroup } from "./watcher-group.ts";

/** Names a stream: its connection and call. */
export type StreamId = string;

/** How often those that lag are looked after, and how many of them and of the past are taken at once. */
export const SYNC_EVERY_MS = 100;
const WATCHERS_PER_SYNC = 512;
const REVISIONS_PER_SYNC = 1_000;
/** The id of an answer that is for no watch, or for one that was refused. */
const NO_WATCH = -1;

interface Watcher extends Span {
  /** Watches are told in the order in which they were created. */
  readonly serial: number;
  readonly stream: StreamId;
  readonly id: number;
  readonly prevKv: boolean;
  readonly progressNotify: boolean;
  readonly filters: WatchCreateRequest["filters"];
  readonly fragment: boolean;
  /** The one that its client asked for; 0: from now on. */
  readonly startRevision: number;
  /** The next revision that it wants. */
  minRevision: number;
  /** `compacted`: it was told so and hears no more, but keeps its id until its client cancels it too. */
  state: "synced" | "unsynced" | "victim" | "compacted";
  /** What a victim has not been told for lack of room. */
  held: readonly Change[] | null;
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

/** Whether a stream has room for a response; if so it must be given to it. */
type Takes = (stream: StreamId, response: WatchResponse) => boolean;

/** A watch that has become a victim, or is none any more. */
export interface Slowed {
  readonly stream: StreamId;
  readonly id: number;
  readonly slow: boolean;
}

export interface WatchableCheckpoint {
  readonly serials: number;
  /** The serials of those that lag, in the order in which they are looked after. */
  readonly unsynced: readonly number[];
  readonly streams: readonly {
    readonly id: StreamId;
    readonly nextId: number;
    readonly watchers: readonly Watcher[];
  }[];
}

const NOTHING_TOLD: readonly Told[] = [];

export class Watchable {
  readonly #store: Mvcc;
  readonly #compat: Compat;
  readonly #streams = new Map<StreamId, Stream>();
  #serials = 0;
  readonly #synced = new WatcherGroup<Watcher>();
  readonly #unsynced = new Set<Watcher>();
  readonly #victims = new Set<Watcher>();
  readonly #takes: Takes;
  #slowed: Slowed[] = [];

  constructor(store: Mvcc, compat: Compat, takes: Takes = () => true) {
    this.#store = store;
    this.#compat = compat;
    this.#takes = takes;
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

  /** Which watches became slow, or are no longer, since the last time. */
  takeSlowed(): readonly Slowed[] {
    if (this.#slowed.length === 0) return this.#slowed;
    const taken = this.#slowed;
    this.#slowed = [];
    return taken;
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
    this.#serials += 1;
    const watcher: Watcher = {
      serial: this.#serials,
      stream: id,
      id: watchId,
      key,
      rangeEnd,
      prevKv: request.prevKv,
      progressNotify: request.progressNotify,
      filters: request.filters,
      fragment: request.fragment,
      startRevision,
      minRevision: start,
      state: start > now ? "synced" : "unsynced",
      held: null,
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

  /**
   * What a progress request is answered: since 3.5.8 nothing unless the stream has watches and all are synced, since
   * 3.5.22 nor while one waits for a revision that is still to come.
   */
  progress(id: StreamId): WatchResponse | null {
    const watchers = [...(this.#streams.get(id)?.watchers.values() ?? [])];
    const isSynced = watchers.length > 0 && watchers.every((watcher) => this.#hasProgress(watcher));
    if (this.#compat !== "3.4" && !isSynced) return null;
    return create(WatchResponse, { header: this.#header(this.#store.revision), watchId: NO_WATCH });
  }

  /** Progress notifications are due: for those that asked for them, are synced and were sent nothing since the last. */
  notifyProgress(): readonly Told[] {
    const told: Told[] = [];
    for (const [stream, { watchers }] of this.#streams) {
      for (const watcher of watchers.values()) {
        const due = watcher.progressNotify && watcher.quiet && this.#hasProgress(watcher);
        watcher.quiet = true;
        if (!due) continue;
        const header = this.#header(this.#store.revision);
        const response = create(WatchResponse, { header, watchId: watcher.id });
        if (this.#takes(stream, response)) told.push({ stream, response });
      }
    }
    return told;
  }

  #hasProgress({ state, startRevision }: Watcher): boolean {
    return state === "synced" && (this.#compat === "3.4" || startRevision <= this.#store.revision);
  }

  /** A transaction has been applied: those that are synced are told. */
  notify(changes: readonly Change[]): readonly Told[] {
    if (this.#streams.size === 0) return NOTHING_TOLD;
    const wanted = new Map<Watcher, Change[]>();
    for (const change of changes) {
      this.#synced.each(change.kv.key, (watcher) => {
        if (change.main < watcher.minRevision) return;
        const sofar = wanted.get(watcher);
        if (sofar === undefined) wanted.set(watcher, [change]);
        else sofar.push(change);
      });
    }
    const told: Told[] = [];
    const { revision } = this.#store;
    for (const [watcher, its] of [...wanted].sort(([a], [b]) => a.serial - b.serial)) {
      watcher.minRevision = revision + 1;
      if (!this.#tell(watcher, its, revision, told)) this.#makeVictim(watcher, its);
    }
    return told;
  }

  /** A stream has room again: its victims are told what they kept, and catch up with what has happened since. */
  relieve(stream: StreamId): readonly Told[] {
    const told: Told[] = [];
    const { revision } = this.#store;
    for (const watcher of Array.from(this.#victims)) {
      if (watcher.stream !== stream) continue;
      if (!this.#tell(watcher, watcher.held ?? [], revision, told)) break;
      this.#victims.delete(watcher);
      this.#slowed.push({ stream, id: watcher.id, slow: false });
      watcher.held = null;
      watcher.state = watcher.minRevision > revision ? "synced" : "unsynced";
      this.#keep(watcher);
    }
    return told;
  }

  /** Lets those that lag catch up: some of them, by some of the past. Whoever still lags then stands behind the others. */
  sync(): readonly Told[] {
    const { revision, compactRevision } = this.#store;
    const chosen = [...this.#unsynced].slice(0, WATCHERS_PER_SYNC);
    const batches = this.#batchesFor(chosen.filter(({ minRevision }) => minRevision >= compactRevision));
    const told: Told[] = [];
    for (const watcher of chosen) {
      this.#unsynced.delete(watcher);
      if (watcher.minRevision < compactRevision) {
        const { stream, id: watchId } = watcher;
        const header = this.#header(0);
        const response = create(WatchResponse, { header, watchId, canceled: true, compactRevision });
        if (this.#takes(stream, response)) {
          watcher.state = "compacted";
          told.push({ stream, response });
        } else this.#keep(watcher);
        continue;
      }
      const batch = batches.get(watcher);
      watcher.minRevision = batch?.more ?? revision + 1;
      if (batch !== undefined && !this.#tell(watcher, batch.changes, revision, told)) {
        this.#makeVictim(watcher, batch.changes);
        continue;
      }
      watcher.state = watcher.minRevision > revision ? "synced" : "unsynced";
      this.#keep(watcher);
    }
    return told;
  }

  #makeVictim(watcher: Watcher, held: readonly Change[]): void {
    this.#drop(watcher);
    watcher.state = "victim";
    watcher.held = held;
    this.#victims.add(watcher);
    this.#slowed.push({ stream: watcher.stream, id: watcher.id, slow: true });
  }

  /** One walk through the past for all of them. */
  #batchesFor(watchers: readonly Watcher[]): ReadonlyMap<Watcher, Batch> {
    const group = new WatcherGroup<Watcher>();
    const batches = new Map<Watcher, Batch>();
    let from = Number.POSITIVE_INFINITY;
    for (const watcher of watchers) {
      group.add(watcher);
      from = Math.min(from, watcher.minRevision);
    }
    for (const change of this.#store.changesFrom(from)) {
      group.each(change.kv.key, (watcher) => {
        if (change.main < watcher.minRevision) return;
        const batch = batches.get(watcher);
        if (batch === undefined) batches.set(watcher, { changes: [change], revisions: 1, more: null });
        else if (batch.more === null) addTo(batch, change);
      });
    }
    return batches;
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
      serials: this.#serials,
      unsynced: Array.from(this.#unsynced, ({ serial }) => serial),
      streams: Array.from(this.#streams, ([id, { nextId, watchers }]) => ({
        id,
        nextId,
        watchers: Array.from(watchers.values(), (watcher) => ({ ...watcher })),
      })),
    };
  }

  /** Into one that is new. */
  resume({ serials, unsynced, streams }: WatchableCheckpoint): void {
    this.#serials = serials;
    const lagging = new Map<number, Watcher>();
    for (const { id, nextId, watchers } of streams) {
      const stream: Stream = { watchers: new Map(), nextId };
      this.#streams.set(id, stream);
      for (const saved of watchers) {
        const watcher = { ...saved };
        stream.watchers.set(watcher.id, watcher);
        if (watcher.state === "unsynced") lagging.set(watcher.serial, watcher);
        else this.#keep(watcher);
      }
    }
    for (const serial of unsynced) this.#keep(lagging.get(serial) as Watcher);
  }

  // ── inside ──

  /** @returns false when its stream takes no more */
  #tell(watcher: Watcher, changes: readonly Change[], revision: number, told: Told[]): boolean {
    const events: Event[] = [];
    for (const change of changes) {
      const event = this.#eventFor(watcher, change);
      if (event !== null) events.push(event);
    }
    if (events.length === 0) return true;
    const { stream, id: watchId } = watcher;
    const response = create(WatchResponse, { header: this.#header(revision), watchId, events });
    if (!this.#takes(stream, response)) return false;
    watcher.quiet = false;
    told.push({ stream, response });
    return true;
  }

  /** The value before is looked up as it is sent, and is missing once it is compacted. */
  #eventFor({ filters, prevKv }: Watcher, { main, tombstone, kv }: Change): Event | null {
    if (filters.includes(tombstone ? "NODELETE" : "NOPUT")) return null;
    const isCreate = !tombstone && kv.createRevision === kv.modRevision;
    const before = prevKv && !isCreate ? this.#store.getAt(kv.key, main - 1) : null;
    const after = tombstone ? create(KeyValue, { key: kv.key, modRevision: main }) : kv;
    return create(Event, { type: tombstone ? "DELETE" : "PUT", kv: after, prevKv: before });
  }

  #keep(watcher: Watcher): void {
    if (watcher.state === "unsynced") this.#unsynced.add(watcher);
    else if (watcher.state === "synced") this.#synced.add(watcher);
    else if (watcher.state === "victim") this.#victims.add(watcher);
  }

  #drop(watcher: Watcher): void {
    this.#unsynced.delete(watcher);
    this.#synced.delete(watcher);
    this.#victims.delete(watcher);
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

/** What a watch that lags is told next. */
interface Batch {
  readonly changes: Change[];
  /** How many there are; their changes always come together. */
  revisions: number;
  /** The first revision for which there was no room; null when all are there. */
  more: number | null;
}

function addTo(batch: Batch, change: Change): void {
  const isNew = batch.changes.at(-1)?.main !== change.main;
  if (isNew && batch.revisions === REVISIONS_PER_SYNC) {
    batch.more = change.main;
    return;
  }
  if (isNew) batch.revisions += 1;
  batch.changes.push(change);
}

const COMPACTED_TEXT = "etcdserver: mvcc: required revision has been compacted";

function freeId(stream: Stream): number {
  while (stream.watchers.has(stream.nextId)) stream.nextId += 1;
  stream.nextId += 1;
  return stream.nextId - 1;
}
