/**
 * Watches of a client, all on one stream, that outlive it: after a break they are opened again, on whichever member,
 * from the revision after the last one seen (client/v3/watch.go).
 *
 * Members answer the creations of a stream in order, so one is under way at a time; what comes for a watch is handed on
 * in order, with fragments put together, so that a revision is never split.
 */
import { assert } from "../../base/assert.ts";
import { MS, type Micros } from "../../base/units.ts";
import type { Bytes } from "../api/bytes.ts";
import { CODES, type EtcdError, etcdError } from "../api/errors.ts";
import {
  type Event,
  type ResponseHeader,
  WatchCancelRequest,
  WatchCreateRequest,
  WatchProgressRequest,
  WatchRequest,
  type WatchResponse,
} from "../api/messages.ts";
import { create } from "../api/proto.ts";
import type { Channel, ChannelOutcome, Ticket } from "./channel.ts";
import type { WatcherEvent } from "./events.ts";
import { isHalt } from "./policy.ts";

export type WatchOptions = Partial<Omit<WatchCreateRequest, "key" | "watchId">> & {
  /** Tell when a member has taken it (WithCreatedNotify). */
  readonly createdNotify?: boolean;
};

export type WatchOutcome =
  /** Taken by a member; told once, if it was asked for. */
  | { readonly type: "watch-created"; readonly watch: number; readonly header: ResponseHeader | null }
  /** Whole revisions, in order; no events: a progress notification, everything up to the header's revision was seen. */
  | {
      readonly type: "watch-events";
      readonly watch: number;
      readonly header: ResponseHeader | null;
      readonly events: readonly Event[];
    }
  /** It has ended: the error says why; null when it was cancelled by its owner. `compactRevision` when that was it. */
  | {
      readonly type: "watch-closed";
      readonly watch: number;
      readonly error: EtcdError | null;
      readonly compactRevision: number;
      /** Of the member's answer that ended it. */
      readonly header: ResponseHeader | null;
    };

interface Watch {
  readonly watch: number;
  readonly request: WatchCreateRequest;
  readonly notify: boolean;
  /** Where it goes on after a break; 0 until a member has said what now is. */
  nextRevision: number;
  /** The member's id for it on the present stream; null until it is created there. */
  readonly id: number | null;
  readonly seenBefore: boolean;
  /** Parts of a response that is not whole yet. */
  fragments: readonly Event[];
}

interface State {
  watches: Map<number, Watch>;
  /** Watches that wait to be created on the present stream; the first one is under way when `asked`. */
  creating: number[];
  asked: boolean;
  stream: Ticket | null;
  count: number;
  /** When it opens another stream; null when it has one, or needs none. */
  reopenAt: Micros | null;
  backOff: Micros;
}

/** One changes in place at every message. */
function copyOf(watches: ReadonlyMap<number, Watch>): Map<number, Watch> {
  return new Map(Array.from(watches, ([watch, known]) => [watch, { ...known }]));
}

const BACK_OFF_MIN: Micros = 1 * MS;
const BACK_OFF_MAX: Micros = 100 * MS;

export class Watcher {
  readonly #channel: Channel;
  readonly #emit: ((event: WatcherEvent) => void) | null;
  #outcomes: WatchOutcome[] = [];
  #state: State = {
    watches: new Map(),
    creating: [],
    asked: false,
    stream: null,
    count: 0,
    reopenAt: null,
    backOff: BACK_OFF_MIN,
  };

  constructor(channel: Channel, emit: ((event: WatcherEvent) => void) | null) {
    this.#channel = channel;
    this.#emit = emit;
  }

  /** @param key empty: with a `rangeEnd` of `\0` all keys */
  watch(key: Bytes, { createdNotify, ...options }: WatchOptions = {}): number {
    const state = this.#state;
    state.count += 1;
    const watch = state.count;
    const request = create(WatchCreateRequest, { ...options, key });
    const nextRevision = request.startRevision;
    state.watches.set(watch, {
      watch,
      request,
      notify: createdNotify ?? false,
      nextRevision,
      id: null,
      seenBefore: false,
      fragments: [],
    });
    state.creating.push(watch);
    this.#ensureStream();
    this.#createNext();
    return watch;
  }

  /** The owner wants no more of it: it ends at once. */
  cancel(watch: number): void {
    const known = this.#state.watches.get(watch);
    if (known === undefined) return;
    this.discard(watch);
    this.#emit?.({ type: "watch-closed", watch, error: null });
    this.#outcomes.push({ type: "watch-closed", watch, error: null, compactRevision: 0, header: null });
  }

  /** As `cancel`, but nobody wants to hear of it. */
  discard(watch: number): void {
    const state = this.#state;
    const known = state.watches.get(watch);
    if (known === undefined) return;
    if (known.id !== null) this.#sendCancel(known.id);
    const underWay = state.asked && state.creating[0] === watch;
    if (!underWay) state.creating = state.creating.filter((other) => other !== watch);
    state.watches.delete(watch);
    this.#leaveWhenEmpty();
  }

  /** Asks for a progress notification of all watches on the stream. */
  requestProgress(): void {
    const { stream } = this.#state;
    if (stream === null) return;
    this.#channel.send(stream, create(WatchRequest, { progressRequest: create(WatchProgressRequest) }));
  }

  /** Whether the outcome was this part's. */
  take(outcome: ChannelOutcome): boolean {
    const { stream } = this.#state;
    if (stream === null || outcome.type === "connection" || outcome.ticket !== stream) return false;
    if (outcome.type === "message") this.#received(outcome.body as WatchResponse);
    else if (outcome.type === "ended") this.#broken(outcome.error);
    return true;
  }

  tick(): void {
    const { reopenAt } = this.#state;
    if (reopenAt === null || reopenAt > this.#channel.now) return;
    this.#state.reopenAt = null;
    this.#ensureStream();
    this.#createNext();
  }

  wakeAt(): Micros | null {
    return this.#state.reopenAt;
  }

  outcomes(): readonly WatchOutcome[] {
    const taken = this.#outcomes;
    if (taken.length > 0) this.#outcomes = [];
    return taken;
  }

  checkpoint(): unknown {
    const { watches, creating } = this.#state;
    return { ...this.#state, watches: copyOf(watches), creating: [...creating] };
  }

  restore(checkpoint: unknown): void {
    const saved = checkpoint as State;
    this.#state = { ...saved, watches: copyOf(saved.watches), creating: [...saved.creating] };
  }

  #ensureStream(): void {
    const state = this.#state;
    if (state.stream !== null || state.reopenAt !== null || state.watches.size === 0) return;
    state.stream = this.#channel.open("Watch/Watch");
  }

  #createNext(): void {
    const state = this.#state;
    const [watch] = state.creating;
    if (state.asked || watch === undefined || state.stream === null) return;
    const known = state.watches.get(watch);
    assert(known !== undefined, "only watches that are wanted are created");
    state.asked = true;
    const createRequest: WatchCreateRequest = { ...known.request, startRevision: known.nextRevision };
    this.#channel.send(state.stream, create(WatchRequest, { createRequest }));
  }

  #sendCancel(watchId: number): void {
    const { stream } = this.#state;
    if (stream === null) return;
    const cancelRequest = create(WatchCancelRequest, { watchId });
    this.#channel.send(stream, create(WatchRequest, { cancelRequest }));
  }

  #received(response: WatchResponse): void {
    this.#state.backOff = BACK_OFF_MIN;
    if (response.created) return this.#created(response);
    if (response.watchId === -1) {
      // Progress of the whole stream.
      for (const known of this.#state.watches.values()) if (known.id !== null) this.#deliver(known, response);
      return;
    }
    for (const known of this.#state.watches.values())
      if (known.id === response.watchId) return this.#delivered(known, response);
  }

  #created(response: WatchResponse): void {
    const state = this.#state;
    const watch = state.creating.shift();
    state.asked = false;
    const known = watch === undefined ? undefined : state.watches.get(watch);
    if (known === undefined) {
      // Given up while it was under way.
      if (!response.canceled) this.#sendCancel(response.watchId);
      this.#createNext();
      return this.#leaveWhenEmpty();
    }
    if (response.canceled) {
      this.#close(known, refusal(response), response.compactRevision, response.header);
      this.#createNext();
      return this.#leaveWhenEmpty();
    }
    // From now on it must miss nothing, also when the stream breaks before the first event.
    const { startRevision, key, rangeEnd } = known.request;
    const revision = response.header?.revision ?? 0;
    const nextRevision = known.nextRevision === 0 ? revision + 1 : known.nextRevision;
    state.watches.set(known.watch, { ...known, id: response.watchId, nextRevision, seenBefore: true });
    const resumed = known.seenBefore;
    this.#emit?.({
      type: "watch-opened",
      watch: known.watch,
      key,
      rangeEnd,
      startRevision: resumed ? nextRevision : startRevision,
      resumed,
    });
    if (known.notify && !resumed)
      this.#outcomes.push({ type: "watch-created", watch: known.watch, header: response.header });
    this.#createNext();
  }

  #delivered(known: Watch, response: WatchResponse): void {
    if (response.canceled) {
      this.#close(known, refusal(response), response.compactRevision, response.header);
      // A member keeps the id of a watch that it ended until that is cancelled.
      if (known.id !== null) this.#sendCancel(known.id);
      return this.#leaveWhenEmpty();
    }
    if (response.fragment) {
      known.fragments = [...known.fragments, ...response.events];
      return;
    }
    this.#deliver(known, response);
  }

  #deliver(known: Watch, { header, events: last }: WatchResponse): void {
    const events = known.fragments.length === 0 ? last : [...known.fragments, ...last];
    const revision = header?.revision ?? 0;
    const newest = events.at(-1)?.kv?.modRevision ?? 0;
    // Without events everything up to the header's revision was seen.
    const nextRevision = events.length > 0 ? newest + 1 : Math.max(known.nextRevision, revision + 1);
    known.nextRevision = nextRevision;
    if (known.fragments.length > 0) known.fragments = [];
    this.#emit?.({ type: "watch-delivered", watch: known.watch, revision, events: events.length });
    this.#outcomes.push({ type: "watch-events", watch: known.watch, header, events });
  }

  /** The stream is gone: all watches go on with another one, unless the error says that it would be no better. */
  #broken(error: EtcdError | null): void {
    const state = this.#state;
    state.stream = null;
    state.asked = false;
    state.creating = [];
    this.#emit?.({ type: "watch-broken", error, watches: state.watches.size });
    if (error !== null && isHalt(error)) {
      for (const known of state.watches.values()) this.#close(known, error, 0, null);
      return;
    }
    for (const known of state.watches.values()) {
      state.watches.set(known.watch, { ...known, id: null, fragments: [] });
      state.creating.push(known.watch);
    }
    if (state.watches.size === 0) return;
    state.reopenAt = this.#channel.now + state.backOff;
    state.backOff = Math.min(BACK_OFF_MAX, Math.ceil((state.backOff * 5) / 4));
  }

  #close(known: Watch, error: EtcdError | null, compactRevision: number, header: ResponseHeader | null): void {
    this.#state.watches.delete(known.watch);
    this.#emit?.({ type: "watch-closed", watch: known.watch, error });
    this.#outcomes.push({ type: "watch-closed", watch: known.watch, error, compactRevision, header });
  }

  /** The last watch takes the stream with it. */
  #leaveWhenEmpty(): void {
    const state = this.#state;
    if (state.watches.size > 0) return;
    state.reopenAt = null;
    state.creating = [];
    state.asked = false;
    if (state.stream === null) return;
    const { stream } = state;
    state.stream = null;
    this.#channel.discard(stream);
  }
}

/** Why a member ended a watch (clientv3, WatchResponse.Err). */
function refusal({ compactRevision, cancelReason }: WatchResponse): EtcdError {
  if (compactRevision !== 0) return etcdError("Compacted");
  if (cancelReason !== "") return { code: CODES.FailedPrecondition, message: cancelReason };
  return etcdError("FutureRev");
}
