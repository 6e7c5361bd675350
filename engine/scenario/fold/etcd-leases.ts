/**
 * Leases: the leader's count in the world's time, the keys that hang on each, and how it ended.
 *
 * A leader counts by its own clock, so what is left of a lease is stretched by that clock's drift.
 */
import { type Micros, SECOND } from "../../base/units.ts";
import { type LeaseId, leaseHex } from "../../etcd/api/ids.ts";
import type { EtcdEvent } from "../../etcd/events.ts";
import type { ProcessId } from "../../sim/command.ts";
import type { LeaseView } from "../../trace/etcd-view.ts";
import { Kept } from "./kept.ts";

export interface LeasesState {
  readonly leases: readonly LeaseView[];
  readonly attached: readonly (readonly [string, string])[];
  readonly drifts: readonly (readonly [ProcessId, number])[];
  readonly counter: ProcessId | null;
}

export const NO_LEASES: LeasesState = { leases: [], attached: [], drifts: [], counter: null };

/** An ended lease stays so long, to be seen. */
const LINGERS: Micros = 30 * SECOND;
const LEASES_SHOWN = 200;
const PPM = 1_000_000;

export class Leases {
  readonly kept: Kept<string, LeaseView>;
  /** Which lease a key hangs on. */
  readonly #attached: Map<string, string>;
  /** Clocks that do not run as the world's, in parts per million. */
  readonly #drifts: Map<ProcessId, number>;
  /** Who counts them. */
  #counter: ProcessId | null;
  /** Before this instant no ended lease goes. */
  #nextGone: Micros = 0;

  constructor({ leases, attached, drifts, counter }: LeasesState) {
    this.kept = new Kept(leases);
    this.#attached = new Map(attached);
    this.#drifts = new Map(drifts);
    this.#counter = counter;
  }

  granted(lease: LeaseId, ttl: number, at: Micros, client: ProcessId | null): void {
    const id = leaseHex(lease);
    const known = this.kept.get(id);
    // The leader may have counted it already.
    const before = known !== undefined && known.endedAt === null ? known : newLease(id, ttl, at);
    this.kept.put({ ...before, ttl, grantedTo: before.grantedTo ?? client });
    this.kept.limit(LEASES_SHOWN);
  }

  counted(by: ProcessId, at: Micros, event: EtcdEvent & { type: "etcd-lease-counted" }): void {
    const id = leaseHex(event.lease);
    const known = this.kept.get(id);
    const lease = known !== undefined && known.endedAt === null ? known : newLease(id, event.ttl, at);
    this.#counter = by;
    this.kept.put({
      ...lease,
      expiresAt: at + Math.round((event.expiresIn * PPM) / this.#rate(by)),
      renewedAt: at,
      by: event.by,
      renewals: lease.renewals + (event.by === "keep-alive" ? 1 : 0),
      state: "alive",
    });
  }

  /** Nobody counts any more, if it was this one who did. */
  uncounted(by: ProcessId): void {
    if (by !== this.#counter) return;
    this.#counter = null;
    for (const lease of this.kept.all())
      if (lease.endedAt === null && lease.expiresAt !== null) this.kept.put({ ...lease, expiresAt: null });
  }

  expired(lease: LeaseId): void {
    const known = this.kept.get(leaseHex(lease));
    if (known !== undefined && known.endedAt === null) this.kept.put({ ...known, state: "expiring" });
  }

  ended(lease: LeaseId, at: Micros): void {
    const known = this.kept.get(leaseHex(lease));
    if (known === undefined || known.endedAt !== null) return;
    for (const key of known.keys) this.#attached.delete(key);
    const state = known.state === "expiring" ? "expired" : "revoked";
    this.kept.put({ ...known, state, endedAt: at, expiresAt: null, keys: [] });
    this.#nextGone = 0;
  }

  /** @param lease hexadecimal; null when it hangs on none from now on, or is deleted */
  attach(key: string, lease: string | null): void {
    const before = this.#attached.get(key) ?? null;
    if (before === lease) return;
    const old = before === null ? undefined : this.kept.get(before);
    if (old !== undefined) this.kept.put({ ...old, keys: old.keys.filter((other) => other !== key) });
    this.#attached.delete(key);
    const now = lease === null ? undefined : this.kept.get(lease);
    if (now === undefined) return;
    this.#attached.set(key, now.id);
    this.kept.put({ ...now, keys: [...now.keys, key] });
  }

  clockChanged(process: ProcessId, driftPpm: number, at: Micros): void {
    const before = this.#rate(process);
    this.#drifts.set(process, driftPpm);
    if (process !== this.#counter) return;
    for (const lease of this.kept.all()) {
      if (lease.expiresAt === null || lease.expiresAt <= at) continue;
      const left = Math.round(((lease.expiresAt - at) * before) / this.#rate(process));
      this.kept.put({ ...lease, expiresAt: at + left });
    }
  }

  settle(at: Micros): void {
    if (at < this.#nextGone) return;
    let next = Infinity;
    for (const { id, endedAt } of this.kept.all()) {
      if (endedAt === null) continue;
      if (endedAt + LINGERS <= at) this.kept.remove(id);
      else next = Math.min(next, endedAt + LINGERS);
    }
    this.#nextGone = next;
  }

  /** @param leases all that a snapshot holds */
  replace(leases: readonly { readonly lease: LeaseId; readonly ttl: number }[], at: Micros): void {
    const now = new Set(leases.map(({ lease }) => leaseHex(lease)));
    for (const { lease, ttl } of leases) this.granted(lease, ttl, at, null);
    for (const { id } of this.kept.all()) if (!now.has(id)) this.kept.remove(id);
    for (const lease of this.kept.all()) if (lease.keys.length > 0) this.kept.put({ ...lease, keys: [] });
    this.#attached.clear();
  }

  state(): LeasesState {
    return {
      leases: this.kept.all(),
      attached: [...this.#attached],
      drifts: [...this.#drifts],
      counter: this.#counter,
    };
  }

  #rate(process: ProcessId): number {
    return PPM + (this.#drifts.get(process) ?? 0);
  }
}

function newLease(id: string, ttl: number, at: Micros): LeaseView {
  return {
    id,
    ttl,
    grantedTo: null,
    expiresAt: null,
    renewedAt: at,
    by: "grant",
    renewals: 0,
    keys: [],
    state: "alive",
    endedAt: null,
  };
}
