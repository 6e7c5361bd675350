/**
 * What etcd promises of its watches, each promise judged by itself on what a client recorded, against all events that
 * there were (etcd.io/docs, "API guarantees"; tests/robustness/validate).
 */
import type { Event, ResponseHeader, WatchCreateRequest } from "../etcd/api/messages.ts";
import { eventsOf, isIn, sameKv, type StoreState } from "./etcd-model.ts";

export const WATCH_GUARANTEES = {
  /** Every event is one that was asked for. */
  filter: "events match the request",
  /** Revisions never fall. */
  ordered: "API guarantees: ordered",
  /** No event twice. */
  unique: "API guarantees: unique",
  /** The events of one revision come in one response. */
  atomic: "API guarantees: atomic",
  /** After a progress notification for a revision nothing up to it comes, and progress never falls. */
  bookmarkable: "API guarantees: bookmarkable",
  /** A watch from a revision begins with the first event from there on. */
  resumable: "API guarantees: resumable",
  /** Between the first and the last that was seen nothing is missing. */
  reliable: "API guarantees: reliable",
  /** The value before, when it comes along, is the right one. */
  "prev-kv": "WatchCreateRequest.prev_kv",
  /** An event makes a key (version 1) exactly if it was not there. */
  "is-create": "KeyValue.version",
} as const;
export type WatchGuarantee = keyof typeof WATCH_GUARANTEES;

export interface WatchResponseSeen {
  readonly header: ResponseHeader | null;
  /** None: a progress notification. */
  readonly events: readonly Event[];
}

/** One watch as a client saw it; what the client resumed by itself is still one watch. */
export interface WatchSeen {
  readonly client: string;
  readonly request: WatchCreateRequest;
  /** The first revision that it must see: the one asked for, or the one after its creation; 0 when it was never created. */
  readonly from: number;
  readonly responses: readonly WatchResponseSeen[];
}

export interface WatchBreach {
  readonly guarantee: WatchGuarantee;
  readonly client: string;
  /** The revision at which it shows. */
  readonly revision: number;
  readonly key: string;
}

/** @param last the state that the history ends in, which knows its past */
export function watchBreaches(last: StoreState, watches: readonly WatchSeen[]): readonly WatchBreach[] {
  const past = eventsOf(last);
  return watches.flatMap((watch) => Object.values(CHECKS).flatMap((check) => check(watch, past)));
}

type Check = (watch: WatchSeen, past: readonly Event[]) => readonly WatchBreach[];

const CHECKS: Readonly<Record<WatchGuarantee, Check>> = {
  filter: (watch) =>
    seenBy(watch)
      .filter((event) => !matches(event, watch.request))
      .map((event) => breach(watch, "filter", event)),

  ordered: (watch) => {
    let newest = 0;
    return seenBy(watch).flatMap((event) => {
      const falls = revisionOf(event) < newest;
      newest = Math.max(newest, revisionOf(event));
      return falls ? [breach(watch, "ordered", event)] : [];
    });
  },

  unique: (watch) => {
    const known = new Set<string>();
    return seenBy(watch).flatMap((event) => {
      const name = nameOf(event);
      if (known.has(name)) return [breach(watch, "unique", event)];
      known.add(name);
      return [];
    });
  },

  atomic: (watch) => {
    let lastOfBefore = 0;
    return watch.responses.flatMap(({ events }) => {
      const [first] = events;
      if (first === undefined) return [];
      const split = revisionOf(first) === lastOfBefore;
      lastOfBefore = revisionOf(events.at(-1) ?? first);
      return split ? [breach(watch, "atomic", first)] : [];
    });
  },

  bookmarkable: (watch) => {
    let progress = 0;
    let newest = 0;
    return watch.responses.flatMap(({ header, events }) => {
      const revision = header?.revision ?? 0;
      if (events.length === 0) {
        const falls = revision < progress || revision < newest;
        progress = Math.max(progress, revision);
        return falls ? [{ guarantee: "bookmarkable" as const, client: watch.client, revision, key: "" }] : [];
      }
      newest = Math.max(newest, ...events.map(revisionOf));
      return events
        .filter((event) => revisionOf(event) <= progress)
        .map((event) => breach(watch, "bookmarkable", event));
    });
  },

  resumable: (watch, past) => {
    const [first] = seenBy(watch);
    const reached = reachedBy(watch);
    if (watch.from === 0 || reached === 0) return [];
    const expected = past.find((event) => revisionOf(event) >= watch.from && matches(event, watch.request));
    if (expected === undefined || (first !== undefined && nameOf(first) === nameOf(expected))) return [];
    // With progress alone it may simply not have come that far.
    if (first === undefined && revisionOf(expected) > reached) return [];
    return [breach(watch, "resumable", expected)];
  },

  reliable: (watch, past) => {
    const seen = seenBy(watch);
    const [first] = seen;
    if (first === undefined) return [];
    const reached = reachedBy(watch);
    const known = new Set(seen.map(nameOf));
    return past
      .filter((event) => revisionOf(event) >= revisionOf(first) && revisionOf(event) <= reached)
      .filter((event) => matches(event, watch.request) && !known.has(nameOf(event)))
      .map((event) => breach(watch, "reliable", event));
  },

  "prev-kv": (watch, past) => {
    const right = new Map(past.map((event) => [nameOf(event), event]));
    return seenBy(watch)
      .filter(({ prevKv }) => prevKv !== null)
      .filter((event) => !sameKv(event.prevKv, right.get(nameOf(event))?.prevKv ?? null))
      .map((event) => breach(watch, "prev-kv", event));
  },

  "is-create": (watch, past) => {
    const right = new Map(past.map((event) => [nameOf(event), event]));
    return seenBy(watch)
      .filter(({ type }) => type === "PUT")
      .filter((event) => (event.kv?.version === 1) !== ((right.get(nameOf(event))?.prevKv ?? null) === null))
      .map((event) => breach(watch, "is-create", event));
  },
};

function seenBy({ responses }: WatchSeen): readonly Event[] {
  return responses.flatMap(({ events }) => events);
}

/** The newest revision up to which it has told everything. */
function reachedBy({ responses }: WatchSeen): number {
  let reached = 0;
  for (const { header, events } of responses) {
    if (events.length === 0) reached = Math.max(reached, header?.revision ?? 0);
    for (const event of events) reached = Math.max(reached, revisionOf(event));
  }
  return reached;
}

function matches({ type, kv }: Event, { key, rangeEnd, filters }: WatchCreateRequest): boolean {
  const out = type === "PUT" ? "NOPUT" : "NODELETE";
  return kv !== null && isIn(kv.key, key, rangeEnd) && !filters.includes(out);
}

function revisionOf({ kv }: Event): number {
  return kv?.modRevision ?? 0;
}

/** A txn that deletes all keys and then puts one gives two events of one key at one revision. */
function nameOf(event: Event): string {
  return `${revisionOf(event)} ${event.type} ${event.kv?.key ?? ""}`;
}

function breach({ client }: WatchSeen, guarantee: WatchGuarantee, event: Event): WatchBreach {
  return { guarantee, client, revision: revisionOf(event), key: event.kv?.key ?? "" };
}
