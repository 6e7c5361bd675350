/**
 * Leases: the replicated part, which all members have alike (which there are, how long they were granted for, which keys
 * hang on them), and the count-down, which only the leader keeps, by its own clock (etcd server/lease/lessor.go).
 *
 * A lease ends through the log: the leader finds that its time is over and proposes to revoke it. Gaining leadership
 * begins every count anew, with what is left by the last checkpoint or else in full, and one election timeout on top:
 * a leader change makes leases longer, never shorter.
 */
import { ByteReader, ByteWriter } from "../../base/bytes.ts";
import { SECOND, type Micros } from "../../base/units.ts";
import type { Bytes } from "../api/bytes.ts";
import { type EtcdError, etcdError } from "../api/errors.ts";
import { type LeaseId, NO_LEASE } from "../api/ids.ts";
import type { LeaseBindings } from "../mvcc/mvcc.ts";

/** Seconds: etcd's MaxLeaseTTL. */
export const MAX_LEASE_TTL = 9_000_000_000;
/** How often the leader looks for leases whose time is over. */
export const EXPIRY_LOOK: Micros = SECOND / 2;
/** Revocations that may be on their way at once. */
const PENDING_REVOKES_MAX = 16;
/** Found in one look. */
const REVOKES_PER_LOOK = 500;
/** Three quarters of the thousand revocations a second that etcd allows itself: more in one second are spread. */
const SPREAD_ABOVE = 750;
/** Leases with more than this left are told to the others in checkpoints, so often. */
export const CHECKPOINT_EVERY: Micros = 300 * SECOND;

interface Lease {
  readonly id: LeaseId;
  /** Seconds. */
  readonly ttl: number;
  /** By the last checkpoint; 0 without one. */
  remaining: number;
  readonly keys: Set<Bytes>;
}

export interface LessorCheckpoint {
  readonly leases: readonly {
    readonly id: LeaseId;
    readonly ttl: number;
    readonly remaining: number;
    readonly keys: readonly Bytes[];
  }[];
  readonly counting: Counting | null;
}

/** The leader's count: when each lease's time is over, and which revocations it has proposed and when. */
interface Counting {
  readonly expiresAt: readonly (readonly [LeaseId, Micros])[];
  readonly revoking: readonly (readonly [LeaseId, Micros])[];
  readonly checkpointAt: Micros;
}

export interface Granted {
  readonly id: LeaseId;
  readonly ttl: number;
}

export class Lessor implements LeaseBindings {
  readonly #minTtl: number;
  readonly #leases = new Map<LeaseId, Lease>();
  /** Null on all but the leader. */
  #expiresAt: Map<LeaseId, Micros> | null = null;
  readonly #revoking = new Map<LeaseId, Micros>();
  #checkpointAt: Micros = 0;

  /** @param minTtl seconds; shorter wishes are raised to it: ceil(3 / 2 election timeouts) */
  constructor(minTtl: number) {
    this.#minTtl = minTtl;
  }

  // ── replicated ──

  /**
   * Grants a lease that lasts at least `ttl` seconds on the leader's clock; a shorter time than the minimum is raised to
   * it, also zero and less.
   *
   * @param now the leader's own clock; others take no notice of it
   */
  grant(id: LeaseId, ttl: number, now: Micros): Granted | EtcdError {
    if (id === NO_LEASE) return etcdError("LeaseNotFound");
    if (ttl > MAX_LEASE_TTL) return etcdError("LeaseTTLTooLarge");
    if (this.#leases.has(id)) return etcdError("LeaseExist");
    const lease: Lease = { id, ttl: Math.max(ttl, this.#minTtl), remaining: 0, keys: new Set() };
    this.#leases.set(id, lease);
    this.#expiresAt?.set(id, now + lease.ttl * SECOND);
    return { id, ttl: lease.ttl };
  }

  /** Ends a lease; gives the keys that hung on it, in the order of their bytes: they are to be deleted. */
  revoke(id: LeaseId): readonly Bytes[] | EtcdError {
    const lease = this.#leases.get(id);
    if (lease === undefined) return etcdError("LeaseNotFound");
    this.#leases.delete(id);
    this.#expiresAt?.delete(id);
    this.#revoking.delete(id);
    return [...lease.keys].sort();
  }

  has(id: LeaseId): boolean {
    return this.#leases.has(id);
  }

  attach(id: LeaseId, key: Bytes): void {
    this.#leases.get(id)?.keys.add(key);
  }

  detach(id: LeaseId, key: Bytes): void {
    this.#leases.get(id)?.keys.delete(key);
  }

  /** A checkpoint from the log: what is left of a lease, in seconds, for whoever leads next. */
  setRemaining(id: LeaseId, remaining: number): void {
    const lease = this.#leases.get(id);
    if (lease !== undefined) lease.remaining = remaining;
  }

  // ── asked ──

  /** Ids in order of their end as far as it is known, else as they were granted. */
  ids(): readonly LeaseId[] {
    const ends = this.#expiresAt;
    const ids = [...this.#leases.keys()];
    return ends === null ? ids : ids.sort((a, b) => (ends.get(a) ?? 0) - (ends.get(b) ?? 0));
  }

  keysOf(id: LeaseId): readonly Bytes[] {
    return [...(this.#leases.get(id)?.keys ?? [])];
  }

  /** Seconds; null when there is no such lease. */
  grantedTtl(id: LeaseId): number | null {
    return this.#leases.get(id)?.ttl ?? null;
  }

  /** Null on a member that does not lead, or when there is no such lease. */
  expiresAt(id: LeaseId): Micros | null {
    return this.#expiresAt?.get(id) ?? null;
  }

  /** Whole seconds left, on the leader, cut towards 0; -1 and less when it is over by that much. Null as `expiresAt`. */
  remainingTtl(id: LeaseId, now: Micros): number | null {
    const end = this.expiresAt(id);
    return end === null ? null : Math.trunc((end - now) / SECOND) || 0;
  }

  get isCounting(): boolean {
    return this.#expiresAt !== null;
  }

  // ── the leader ──

  /** Begins to count: it leads now. */
  promote(extend: Micros, now: Micros): void {
    this.#revoking.clear();
    this.#checkpointAt = now + CHECKPOINT_EVERY;
    const ends = new Map<LeaseId, Micros>();
    for (const { id, ttl, remaining } of this.#leases.values())
      ends.set(id, now + (remaining || ttl) * SECOND + extend);
    this.#expiresAt = ends.size > SPREAD_ABOVE ? spread(ends) : ends;
  }

  demote(): void {
    this.#expiresAt = null;
    this.#revoking.clear();
  }

  /** @returns the ttl that it was renewed for; null when there is no such lease, or its revocation is on its way */
  renew(id: LeaseId, now: Micros): number | null {
    const lease = this.#leases.get(id);
    const ends = this.#expiresAt;
    if (lease === undefined || ends === null) return null;
    if ((ends.get(id) ?? 0) <= now) return null;
    lease.remaining = 0;
    ends.set(id, now + lease.ttl * SECOND);
    return lease.ttl;
  }

  /** Those whose time is over and whose revocation is to be proposed now; one that came to nothing is due again later. */
  takeExpired(now: Micros, retryAfter: Micros): readonly LeaseId[] {
    const ends = this.#expiresAt;
    if (ends === null) return [];
    const due: LeaseId[] = [];
    const room = Math.min(REVOKES_PER_LOOK, PENDING_REVOKES_MAX - this.#pending(now));
    const over = [...ends].filter(([, end]) => end <= now).sort(([, a], [, b]) => a - b);
    for (const [id] of over) {
      if (due.length >= room) break;
      if ((this.#revoking.get(id) ?? Number.NEGATIVE_INFINITY) > now) continue;
      this.#revoking.set(id, now + retryAfter);
      due.push(id);
    }
    return due;
  }

  /** The next instant at which a lease's time is over; null when there is none. */
  nextEnd(): Micros | null {
    let next: Micros | null = null;
    for (const end of this.#expiresAt?.values() ?? []) if (next === null || end < next) next = end;
    return next;
  }

  /** What is left of the leases that have more than a while left, when it is time to tell the others. */
  takeCheckpoints(now: Micros): readonly { readonly id: LeaseId; readonly remaining: number }[] {
    if (this.#expiresAt === null || now < this.#checkpointAt) return [];
    this.#checkpointAt = now + CHECKPOINT_EVERY;
    return [...this.#expiresAt]
      .map(([id, end]) => ({ id, remaining: Math.floor((end - now) / SECOND) }))
      .filter(({ remaining }) => remaining * SECOND > CHECKPOINT_EVERY);
  }

  #pending(now: Micros): number {
    let count = 0;
    for (const retryAt of this.#revoking.values()) if (retryAt > now) count += 1;
    return count;
  }

  // ── state ──

  /** The replicated part. */
  snapshot(out: ByteWriter): void {
    out.varint(this.#leases.size);
    for (const { id, ttl, remaining } of this.#leases.values()) {
      out.text(id);
      out.varint(ttl);
      out.varint(remaining);
    }
  }

  /** The keys are attached again as the store tells of them. */
  restore(reader: ByteReader): void {
    this.#leases.clear();
    for (let left = reader.varint(); left > 0; left -= 1) {
      const id = reader.text() as LeaseId;
      const ttl = reader.varint();
      this.#leases.set(id, { id, ttl, remaining: reader.varint(), keys: new Set() });
    }
  }

  checkpoint(): LessorCheckpoint {
    const ends = this.#expiresAt;
    return {
      leases: [...this.#leases.values()].map(({ id, ttl, remaining, keys }) => ({
        id,
        ttl,
        remaining,
        keys: [...keys],
      })),
      counting:
        ends === null
          ? null
          : { expiresAt: [...ends], revoking: [...this.#revoking], checkpointAt: this.#checkpointAt },
    };
  }

  resume({ leases, counting }: LessorCheckpoint): void {
    this.#leases.clear();
    for (const { id, ttl, remaining, keys } of leases)
      this.#leases.set(id, { id, ttl, remaining, keys: new Set(keys) });
    this.#expiresAt = counting === null ? null : new Map(counting.expiresAt);
    this.#revoking.clear();
    for (const [id, at] of counting?.revoking ?? []) this.#revoking.set(id, at);
    this.#checkpointAt = counting?.checkpointAt ?? 0;
  }
}

/** Ends that crowd within one second are moved apart, so that their revocations do not come all at once (etcd's Promote). */
function spread(ends: ReadonlyMap<LeaseId, Micros>): Map<LeaseId, Micros> {
  const sorted = [...ends].sort(([, a], [, b]) => a - b);
  const spreadOut = new Map<LeaseId, Micros>();
  let base = Number.NEGATIVE_INFINITY;
  let window = Number.NEGATIVE_INFINITY;
  let inWindow = 0;
  for (const [id, end] of sorted) {
    if (end > window) {
      base = end;
      window = end + SECOND;
      inWindow = 0;
    }
    inWindow += 1;
    // Those behind the base of the window are late already by as much as they lie behind it.
    const delay = inWindow <= SPREAD_ABOVE ? 0 : Math.floor((SECOND * inWindow) / SPREAD_ABOVE) - (end - base);
    if (delay > 0) window = base + delay;
    spreadOut.set(id, end + Math.max(0, delay));
  }
  return spreadOut;
}
