/** The Watch service: streams of clients (and of the member's own routines) over the watches of the store. */
import type { ConnectionId, Stamp } from "../../sim/process.ts";
import { MS, type Micros } from "../../base/units.ts";
import { codeName, type EtcdError } from "../api/errors.ts";
import { eventBytes } from "../api/flow.ts";
import { ResponseHeader, type WatchCreateRequest, type WatchRequest, WatchResponse } from "../api/messages.ts";
import type { Metadata } from "../api/methods.ts";
import { create } from "../api/proto.ts";
import { type AuthInfo } from "../auth/auth-store.ts";
import type { Change } from "../mvcc/history.ts";
import { SYNC_EVERY_MS, type StreamId, type Told, Watchable, type WatchableCheckpoint } from "../watch/watchable.ts";
import { MAX_REQUEST_BYTES } from "../api/check.ts";
import { type Core, isFailure, NO_TIME, sooner } from "./core.ts";
import { Outlet, type OutletCheckpoint } from "./outlet.ts";

const SYNC_EVERY: Micros = SYNC_EVERY_MS * MS;
/** gRPC's receive limit lies that much above the limit of a request; larger answers are split for those that ask for it. */
const FRAGMENT_BYTES = MAX_REQUEST_BYTES + 512 * 1024;

/** Whose stream it is. */
export type StreamOwner =
  | {
      readonly type: "client";
      readonly connection: ConnectionId;
      readonly call: number;
      readonly metadata: Metadata;
      readonly client: string;
    }
  | { readonly type: "routine"; readonly id: number };

export interface WatchesCheckpoint {
  readonly streams: readonly (readonly [StreamId, StreamOwner])[];
  readonly watchable: WatchableCheckpoint;
  readonly outlets: readonly (readonly [StreamId, OutletCheckpoint])[];
}

type Deliver = (owner: StreamOwner, response: WatchResponse, stamp: Stamp) => void;

export class Watches {
  readonly #core: Core;
  readonly #deliver: Deliver;
  readonly #streams = new Map<StreamId, StreamOwner>();
  readonly #watchable: Watchable;
  /** Of streams of clients; the member's own routines take everything up at once. */
  readonly #outlets = new Map<StreamId, Outlet>();

  constructor(core: Core, deliver: Deliver) {
    this.#core = core;
    this.#deliver = deliver;
    const takes = (stream: StreamId, response: WatchResponse): boolean =>
      this.#outlets.get(stream)?.takes(response) ?? true;
    this.#watchable = new Watchable(core.state.mvcc, core.config.compat, takes);
  }

  get count(): number {
    return this.#watchable.count;
  }

  open(id: StreamId, owner: StreamOwner): void {
    this.#streams.set(id, owner);
    this.#watchable.openStream(id);
    if (owner.type === "client") this.#outlets.set(id, this.#outlet(id, owner));
  }

  /** The client has taken up so many bytes of a stream: what waited goes out, and its victims are told. */
  gaveBack(id: StreamId, bytes: number, stamp: Stamp): void {
    const outlet = this.#outlets.get(id);
    if (outlet === undefined) return;
    outlet.gaveBack(bytes);
    this.#tellAll(this.#watchable.relieve(id), stamp);
    this.#armSync(stamp);
  }

  close(id: StreamId): void {
    const owner = this.#streams.get(id);
    if (owner === undefined) return;
    if (owner.type === "client" && this.#core.emit !== null)
      for (const { stream, id: watchId, state } of this.#watchable.all())
        if (stream === id && state !== "compacted")
          this.#core.emit({ type: "etcd-watch-ended", watch: watchName(id, watchId), why: null });
    this.#streams.delete(id);
    this.#outlets.delete(id);
    this.#watchable.closeStream(id);
  }

  request(id: StreamId, { createRequest, cancelRequest, progressRequest }: WatchRequest, stamp: Stamp): void {
    const owner = this.#streams.get(id);
    if (owner === undefined) return;
    if (createRequest !== null) return this.#create(id, owner, createRequest, stamp);
    if (cancelRequest !== null) {
      const answer = this.#watchable.cancel(id, cancelRequest.watchId);
      if (answer !== null) this.#tell(id, answer, stamp);
      return;
    }
    if (progressRequest === null) return;
    const answer = this.#watchable.progress(id);
    if (answer !== null) this.#tell(id, answer, stamp);
  }

  applied(changes: readonly Change[], stamp: Stamp): void {
    this.#tellAll(this.#watchable.notify(changes), stamp);
  }

  /** The store was replaced by a leader's snapshot. */
  restored(): void {
    this.#watchable.restored();
    // A restore has no instant of its own: they catch up when the member is next called.
    if (this.#watchable.lags) this.#core.timers.sync = 0;
  }

  /** Those that lag get their next batch. */
  sync(stamp: Stamp): void {
    this.#tellAll(this.#watchable.sync(), stamp);
    this.#armSync(stamp);
  }

  progress(stamp: Stamp): void {
    this.#tellAll(this.#watchable.notifyProgress(), stamp);
    this.#armProgress(stamp);
  }

  ownerOf(id: StreamId): StreamOwner | null {
    return this.#streams.get(id) ?? null;
  }

  /** Streams of clients, with what came in front of each. */
  *clients(): Iterable<readonly [StreamId, StreamOwner & { readonly type: "client" }]> {
    for (const [id, owner] of this.#streams) if (owner.type === "client") yield [id, owner];
  }

  checkpoint(): WatchesCheckpoint {
    return {
      streams: [...this.#streams],
      watchable: this.#watchable.checkpoint(),
      outlets: Array.from(this.#outlets, ([id, outlet]) => [id, outlet.checkpoint()] as const),
    };
  }

  resume({ streams, watchable, outlets }: WatchesCheckpoint): void {
    for (const [id, owner] of streams) this.#streams.set(id, owner);
    this.#watchable.resume(watchable);
    for (const [id, saved] of outlets) {
      const owner = this.#streams.get(id);
      if (owner?.type === "client") this.#outlets.set(id, this.#outlet(id, owner, saved));
    }
  }

  #outlet(id: StreamId, owner: StreamOwner, saved: OutletCheckpoint | null = null): Outlet {
    return new Outlet((response) => {
      this.#record(id, response);
      this.#deliver(owner, response, NO_TIME);
    }, saved);
  }

  #create(id: StreamId, owner: StreamOwner, request: WatchCreateRequest, stamp: Stamp): void {
    const refused = this.#unpermitted(owner, request);
    if (refused !== null) {
      const cancelReason = `rpc error: code = ${codeName(refused)} desc = ${refused.message}`;
      const header = create(ResponseHeader, { revision: this.#core.state.mvcc.revision });
      const response = create(WatchResponse, { header, watchId: -1, created: true, canceled: true, cancelReason });
      return this.#tell(id, response, stamp);
    }
    const answer = this.#watchable.create(id, request);
    this.#armSync(stamp);
    if (request.progressNotify && this.#core.timers.progress === null) this.#armProgress(stamp);
    if (owner.type === "client" && !answer.canceled) {
      const { key, rangeEnd, startRevision } = request;
      this.#core.emit?.({
        type: "etcd-watch-created",
        watch: watchName(id, answer.watchId),
        client: owner.client,
        watchId: answer.watchId,
        key,
        rangeEnd,
        startRevision,
        synced: startRevision === 0 || startRevision > this.#core.state.mvcc.revision,
      });
    }
    this.#tell(id, answer, stamp);
  }

  /** Watching needs the right to read. */
  #unpermitted(owner: StreamOwner, { key, rangeEnd }: WatchCreateRequest): EtcdError | null {
    const { auth } = this.#core.state;
    if (owner.type === "routine") return null;
    const info: AuthInfo | EtcdError | null = auth.infoOf(owner.metadata.token);
    if (info !== null && isFailure(info)) return info;
    return auth.checkRange(info, { key: key === "" ? "\0" : key, rangeEnd });
  }

  #armSync({ awake }: Stamp): void {
    const { timers } = this.#core;
    if (!this.#watchable.lags) timers.sync = null;
    else timers.sync = sooner(timers.sync, awake + SYNC_EVERY);
  }

  /** etcd adds up to a tenth, so that streams do not come all at once. */
  #armProgress({ awake }: Stamp): void {
    const { timers, config, host } = this.#core;
    const wanted = [...this.#watchable.all()].some(({ progressNotify }) => progressNotify);
    const jitter = Math.max(1, Math.floor(config.progressEvery / 10));
    timers.progress = wanted ? awake + config.progressEvery + host.rng.below(jitter) : null;
  }

  #tellAll(told: readonly Told[], stamp: Stamp): void {
    for (const { stream, response } of told) this.#tell(stream, response, stamp);
    for (const { stream, id, slow } of this.#watchable.takeSlowed())
      this.#core.emit?.({ type: "etcd-watch-slowed", watch: watchName(stream, id), slow });
  }

  #tell(id: StreamId, response: WatchResponse, stamp: Stamp): void {
    const owner = this.#streams.get(id);
    if (owner === undefined) return;
    for (const part of this.#fragments(id, response)) {
      const outlet = this.#outlets.get(id);
      if (outlet === undefined) this.#deliver(owner, part, stamp);
      else outlet.put(part);
    }
  }

  #record(id: StreamId, response: WatchResponse): void {
    const { emit } = this.#core;
    if (emit === null) return;
    const { watchId, events, canceled, created, compactRevision, cancelReason } = response;
    const watch = watchName(id, watchId);
    if (canceled && !created) {
      const why = compactRevision > 0 ? `compacted at ${compactRevision}` : cancelReason;
      emit({ type: "etcd-watch-ended", watch, why: why === "" ? null : why });
    } else if (events.length > 0) {
      const told = events.map(({ type, kv }) => ({ type, key: kv?.key ?? "", revision: kv?.modRevision ?? 0 }));
      emit({ type: "etcd-watch-told", watch, events: told, revision: response.header?.revision ?? 0 });
    }
  }

  /** One answer, or several when it is too large for one and its watch takes that; all but the last say so. */
  #fragments(id: StreamId, response: WatchResponse): readonly WatchResponse[] {
    const { events, watchId } = response;
    if (events.length < 2 || !this.#watchable.isFragmented(id, watchId)) return [response];
    const parts: WatchResponse["events"][number][][] = [[]];
    let bytes = 0;
    for (const event of events) {
      const more = eventBytes(event);
      if (bytes + more >= FRAGMENT_BYTES && bytes > 0) {
        parts.push([]);
        bytes = 0;
      }
      parts.at(-1)?.push(event);
      bytes += more;
    }
    return parts.map((part, i) => ({ ...response, events: part, fragment: i < parts.length - 1 }));
  }
}

function watchName(stream: StreamId, watchId: number): string {
  return `${stream}/${watchId}`;
}
