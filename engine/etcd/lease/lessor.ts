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
/** etcd revokes so many in a second at most; each look finds half of them. */
const REVOKES_A_SECOND = 1_000;
/** Where as many leases as that would end within one second, those beyond three quarters of the rate are put off. */
const SPREAD_ABOVE = (3 * REVOKES_A_SECOND) / 4;
/** A lease with more than this left is told to the others in a checkpoint after as long. */
const CHECKPOINT_EVERY: Micros = 300 * SECOND;
/** In one entry of the log. */
const CHECKPOINTS_AT_ONCE = 1_000;

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

/** The leader's count. */
interface Counting {
  /** When each lease's time is over. */
  readonly expiresAt: readonly (readonly [LeaseId, Micros])[];
  /** Whose time is over, and whose revocation waits until fewer are on their way. */
  readonly over: readonly LeaseId[];
  /** Revocations that were proposed, and when one that came to nothing is proposed again. */
  readonly revoking: readonly (readonly [LeaseId, Micros])[];
  /** When what is left of a lease is to be told. */
  readonly checkpointAt: readonly (readonly [LeaseId, Micros])[];
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
  #over: LeaseId[] = [];
  readonly #revoking = new Map<LeaseId, Micros>();
  readonly #checkpointAt = new Map<LeaseId, Micros>();

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
    this.#scheduleCheckpoint(lease, now);
    return { id, ttl: lease.ttl };
  }

  /** Ends a lease; gives the keys that hung on it, in the order of their bytes: they are to be deleted. */
  revoke(id: LeaseId): readonly Bytes[] | EtcdError {
    const lease = this.#leases.get(id);
    if (lease === undefined) return etcdError("LeaseNotFound");
    this.#leases.delete(id);
    this.#expiresAt?.delete(id);
    this.#revoking.delete(id);
    this.#checkpointAt.delete(id);
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

  /** A checkpoint from the log: what is left of a lease, in seconds, for whoever leads next; 0: all of it. */
  setRemaining(id: LeaseId, remaining: number, now: Micros): void {
    const lease = this.#leases.get(id);
    if (lease === undefined) return;
    lease.remaining = remaining;
    this.#scheduleCheckpoint(lease, now);
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

  /** Whether the log says that less than all of it is left: to be set right when it is renewed. */
  isCheckpointed(id: LeaseId): boolean {
    return (this.#leases.get(id)?.remaining ?? 0) > 0;
  }

  // ── the leader ──

  /** Begins to count: it leads now. */
  promote(extend: Micros, now: Micros): void {
    this.demote();
    const ends = new Map<LeaseId, Micros>();
    for (const { id, ttl, remaining } of this.#leases.values())
      ends.set(id, now + (remaining || ttl) * SECOND + extend);
    this.#expiresAt = ends.size >= REVOKES_A_SECOND ? spread(ends) : ends;
    for (const lease of this.#leases.values()) this.#scheduleCheckpoint(lease, now);
  }

  demote(): void {
    this.#expiresAt = null;
    this.#over = [];
    this.#revoking.clear();
    this.#checkpointAt.clear();
  }

  /**
   * Begins a lease's time anew.
   *
   * @returns the ttl that it was renewed for; null when there is no such lease, or its time is over and it is being ended
   */
  renew(id: LeaseId, now: Micros): number | null {
    const lease = this.#leases.get(id);
    const ends = this.#expiresAt;
    if (lease === undefined || ends === null) return null;
    if ((ends.get(id) ?? 0) <= now) return null;
    ends.set(id, now + lease.ttl * SECOND);
    return lease.ttl;
  }

  /** Looks whose time is over, and gives those whose revocation is to be proposed now; `takeMore` gives the others. */
  takeExpired(now: Micros, retryAfter: Micros): readonly LeaseId[] {
    const waiting = new Set(this.#over);
    const found: (readonly [LeaseId, Micros])[] = [];
    for (const [id, end] of this.#expiresAt ?? [])
      if (end <= now && !waiting.has(id) && (this.#revoking.get(id) ?? now) <= now) found.push([id, end]);
    found.sort(([, a], [, b]) => a - b);
    for (const [id] of found.slice(0, REVOKES_A_SECOND / 2)) this.#over.push(id);
    return this.takeMore(now, retryAfter);
  }

  /** Once a revocation has come through there is room for another. */
  takeMore(now: Micros, retryAfter: Micros): readonly LeaseId[] {
    if (this.#over.length === 0) return [];
    let room = PENDING_REVOKES_MAX;
    for (const retryAt of this.#revoking.values()) if (retryAt > now) room -= 1;
    const due: LeaseId[] = [];
    let taken = 0;
    while (due.length < room && taken < this.#over.length) {
      const id = this.#over[taken] as LeaseId;
      taken += 1;
      if (!this.#leases.has(id)) continue;
      this.#revoking.set(id, now + retryAfter);
      due.push(id);
    }
    this.#over.splice(0, taken);
    return due;
  }

  /** What is left of the leases of which it is time to tell the others; as many as one entry of the log takes. */
  takeCheckpoints(now: Micros): readonly { readonly id: LeaseId; readonly remaining: number }[] {
    const due: { readonly id: LeaseId; readonly remaining: number }[] = [];
    for (const [id, at] of this.#checkpointAt) {
      if (due.length === CHECKPOINTS_AT_ONCE) break;
      if (at > now) continue;
      this.#checkpointAt.delete(id);
      const remaining = Math.ceil(((this.#expiresAt?.get(id) ?? 0) - now) / SECOND);
      // Just renewed, or over: there is nothing to tell.
      if (remaining > 0 && remaining < (this.#leases.get(id)?.ttl ?? 0)) due.push({ id, remaining });
    }
    return due;
  }

  #scheduleCheckpoint({ id, ttl, remaining }: Lease, now: Micros): void {
    if (this.#expiresAt !== null && (remaining || ttl) * SECOND > CHECKPOINT_EVERY)
      this.#checkpointAt.set(id, now + CHECKPOINT_EVERY);
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
          : {
              expiresAt: [...ends],
              over: [...this.#over],
              revoking: [...this.#revoking],
              checkpointAt: [...this.#checkpointAt],
            },
    };
  }

  resume({ leases, counting }: LessorCheckpoint): void {
    this.#leases.clear();
    for (const { id, ttl, remaining, keys } of leases)
      this.#leases.set(id, { id, ttl, remaining, keys: new Set(keys) });
    this.demote();
    if (counting === null) return;
    this.#expiresAt = new Map(counting.expiresAt);
    this.#over = [...counting.over];
    for (const [id, at] of counting.revoking) this.#revoking.set(id, at);
    for (const [id, at] of counting.checkpointAt) this.#checkpointAt.set(id, at);
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
