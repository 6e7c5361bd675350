/** Watches: who watches what at which member, and what was delivered. */
import { type Micros, SECOND } from "../../base/units.ts";
import type { EtcdEvent } from "../../etcd/events.ts";
import { spanText } from "../../etcd/mvcc/span.ts";
import type { ProcessId } from "../../sim/command.ts";
import { type Delivered, DELIVERED_SHOWN, type WatchView } from "../../trace/etcd-view.ts";
import { textOf } from "./etcd-text.ts";
import { Kept } from "./kept.ts";

export interface WatchesState {
  readonly watches: readonly WatchView[];
  readonly ended: readonly (readonly [string, Micros])[];
  readonly behind: readonly (readonly [string, Micros])[];
}

export const NO_WATCHES: WatchesState = { watches: [], ended: [], behind: [] };

const WATCHES_SHOWN = 100;
const LINGERS: Micros = 30 * SECOND;
/** A member looks at watches that lag ten times a second: one that was told nothing by then has caught up. */
const CAUGHT_UP_AFTER: Micros = SECOND;

export class Watches {
  readonly kept: Kept<string, WatchView>;
  /** When each that is over was. */
  readonly #ended: Map<string, Micros>;
  /** Since when each that catches up does. */
  readonly #behind: Map<string, Micros>;

  constructor({ watches, ended, behind }: WatchesState) {
    this.kept = new Kept(watches);
    this.#ended = new Map(ended);
    this.#behind = new Map(behind);
  }

  created(member: ProcessId, at: Micros, event: EtcdEvent & { type: "etcd-watch-created" }): void {
    const { watch: id, client, watchId, startRevision, synced } = event;
    this.#ended.delete(id);
    this.kept.putLast({
      id,
      client: client as ProcessId,
      member,
      watchId,
      target: spanText(event, textOf),
      startRevision,
      since: at,
      state: synced ? "synced" : "unsynced",
      why: null,
      delivered: [],
      deliveredCount: 0,
    });
    if (!synced) this.#behind.set(id, at);
    this.kept.limit(WATCHES_SHOWN);
  }

  told(at: Micros, { watch, events }: EtcdEvent & { type: "etcd-watch-told" }): void {
    const known = this.kept.get(watch);
    if (known === undefined) return;
    this.#behind.delete(watch);
    const fresh = events.slice(-DELIVERED_SHOWN).map(
      ({ type, key, revision }): Delivered => ({
        type: type === "PUT" ? "put" : "delete",
        key: textOf(key),
        revision,
        at,
      }),
    );
    this.kept.put({
      ...known,
      state: known.state === "slow" ? "slow" : "synced",
      delivered: [...known.delivered, ...fresh].slice(-DELIVERED_SHOWN),
      deliveredCount: known.deliveredCount + events.length,
    });
  }

  slowed(at: Micros, { watch, slow }: EtcdEvent & { type: "etcd-watch-slowed" }): void {
    const known = this.kept.get(watch);
    if (known === undefined || known.state === "cancelled") return;
    // With room again it catches up with what it missed.
    if (slow) this.kept.put({ ...known, state: "slow" });
    else this.#fallBehind(known, at);
  }

  /** A member took its store from a snapshot: its watches catch up with what came by it, but for those of the future. */
  restored(member: ProcessId, revision: number, at: Micros): void {
    for (const watch of this.kept.all()) {
      const next = Math.max(watch.startRevision, (watch.delivered.at(-1)?.revision ?? 0) + 1);
      if (watch.member === member && watch.state === "synced" && next <= revision) this.#fallBehind(watch, at);
    }
  }

  #fallBehind(watch: WatchView, at: Micros): void {
    this.#behind.set(watch.id, at);
    this.kept.put({ ...watch, state: "unsynced" });
  }

  ended(id: string, why: string | null, at: Micros): void {
    const known = this.kept.get(id);
    if (known === undefined || known.state === "cancelled") return;
    this.#ended.set(id, at);
    this.kept.put({ ...known, state: "cancelled", why });
  }

  /** Its memory is gone, and with it whom it had to tell. */
  memberDown(member: ProcessId, at: Micros): void {
    for (const watch of this.kept.all()) if (watch.member === member) this.ended(watch.id, null, at);
  }

  settle(at: Micros): void {
    for (const [id, since] of this.#ended) {
      if (since + LINGERS > at) break;
      this.#ended.delete(id);
      this.kept.remove(id);
    }
    for (const [id, since] of this.#behind) {
      if (since + CAUGHT_UP_AFTER > at) continue;
      this.#behind.delete(id);
      const watch = this.kept.get(id);
      if (watch?.state === "unsynced") this.kept.put({ ...watch, state: "synced" });
    }
  }

  state(): WatchesState {
    return { watches: this.kept.all(), ended: [...this.#ended], behind: [...this.#behind] };
  }
}
