/**
 * Keeps leases alive, all on one stream: the first request at once, then one each third of the lease's time
 * (client/v3/lease.go).
 *
 * It counts by its own clock: a lease for which no answer came within its time is lost, whatever the members think. And
 * it is lost when a member answers that there is none (TTL 0).
 */
import { MS, type Micros, SECOND } from "../../base/units.ts";
import type { LeaseId } from "../api/ids.ts";
import { LeaseKeepAliveRequest, type LeaseKeepAliveResponse } from "../api/messages.ts";
import { create } from "../api/proto.ts";
import type { EtcdError } from "../api/errors.ts";
import type { Channel, ChannelOutcome, Ticket } from "./channel.ts";
import type { KeepAliveLoss, KeeperEvent } from "./events.ts";
import { isHalt } from "./policy.ts";

export type KeeperOutcome =
  | { readonly type: "kept-alive"; readonly lease: LeaseId; readonly response: LeaseKeepAliveResponse }
  /** It is not kept alive any more. `error` when the stream cannot go on. */
  | {
      readonly type: "keep-alive-ended";
      readonly lease: LeaseId;
      readonly why: KeepAliveLoss;
      readonly error: EtcdError | null;
    };

interface Kept {
  readonly lease: LeaseId;
  /** How many want it kept: each `keep` is ended by a `release`. */
  readonly holders: number;
  readonly next: Micros;
  readonly deadline: Micros;
}

interface State {
  leases: Map<LeaseId, Kept>;
  stream: Ticket | null;
  /** When it opens another stream; null when it has one, or needs none. */
  reopenAt: Micros | null;
}

/** Until the first answer has told the lease's time (clientv3, defaultTTL). */
const FIRST_TIMEOUT: Micros = 5 * SECOND;
/** Between a break and the next stream, and between requests that got no answer (clientv3, retryConnWait). */
const RETRY_WAIT: Micros = 500 * MS;

export class LeaseKeeper {
  readonly #channel: Channel;
  readonly #emit: ((event: KeeperEvent) => void) | null;
  #outcomes: KeeperOutcome[] = [];
  #state: State = { leases: new Map(), stream: null, reopenAt: null };

  constructor(channel: Channel, emit: ((event: KeeperEvent) => void) | null) {
    this.#channel = channel;
    this.#emit = emit;
  }

  keep(lease: LeaseId): void {
    const { leases } = this.#state;
    const { now } = this.#channel;
    const known = leases.get(lease);
    if (known === undefined) leases.set(lease, { lease, holders: 1, next: now, deadline: now + FIRST_TIMEOUT });
    else leases.set(lease, { ...known, holders: known.holders + 1 });
    this.#ensureStream();
    this.#sendDue();
  }

  /** The lease goes on until its time is over; its end is not told. */
  release(lease: LeaseId): void {
    const { leases } = this.#state;
    const known = leases.get(lease);
    if (known === undefined) return;
    if (known.holders > 1) leases.set(lease, { ...known, holders: known.holders - 1 });
    else leases.delete(lease);
    this.#leaveWhenEmpty();
  }

  /** By its own clock, the lease has ended then; null when it is not kept. */
  deadline(lease: LeaseId): Micros | null {
    return this.#state.leases.get(lease)?.deadline ?? null;
  }

  take(outcome: ChannelOutcome): boolean {
    const { stream } = this.#state;
    if (stream === null || outcome.type === "connection" || outcome.ticket !== stream) return false;
    if (outcome.type === "message") this.#answered(outcome.body as LeaseKeepAliveResponse);
    else if (outcome.type === "ended") this.#broken(outcome.error);
    return true;
  }

  tick(): void {
    const state = this.#state;
    const { now } = this.#channel;
    for (const { lease, deadline } of state.leases.values()) if (deadline <= now) this.#lose(lease, "no-answer", null);
    if (state.reopenAt !== null && state.reopenAt <= now) {
      state.reopenAt = null;
      this.#ensureStream();
    }
    this.#sendDue();
    this.#leaveWhenEmpty();
  }

  wakeAt(): Micros | null {
    const { leases, stream, reopenAt } = this.#state;
    let at = reopenAt ?? Number.POSITIVE_INFINITY;
    for (const { next, deadline } of leases.values()) at = Math.min(at, deadline, stream === null ? at : next);
    return at === Number.POSITIVE_INFINITY ? null : at;
  }

  outcomes(): readonly KeeperOutcome[] {
    const taken = this.#outcomes;
    if (taken.length > 0) this.#outcomes = [];
    return taken;
  }

  checkpoint(): unknown {
    return { ...this.#state, leases: new Map(this.#state.leases) };
  }

  restore(checkpoint: unknown): void {
    const saved = checkpoint as State;
    this.#state = { ...saved, leases: new Map(saved.leases) };
  }

  #ensureStream(): void {
    const state = this.#state;
    if (state.stream !== null || state.reopenAt !== null || state.leases.size === 0) return;
    state.stream = this.#channel.open("Lease/LeaseKeepAlive");
  }

  #sendDue(): void {
    const { leases, stream } = this.#state;
    if (stream === null) return;
    const { now } = this.#channel;
    for (const kept of leases.values()) {
      if (kept.next > now) continue;
      this.#channel.send(stream, create(LeaseKeepAliveRequest, { id: kept.lease }));
      this.#emit?.({ type: "keep-alive-sent", lease: kept.lease });
      leases.set(kept.lease, { ...kept, next: now + RETRY_WAIT });
    }
  }

  #answered(response: LeaseKeepAliveResponse): void {
    const { leases } = this.#state;
    const { now } = this.#channel;
    const { id: lease, ttl } = response;
    const known = leases.get(lease);
    if (known === undefined) return;
    if (ttl <= 0) {
      this.#lose(lease, "expired", null);
      return this.#leaveWhenEmpty();
    }
    const deadline = now + ttl * SECOND;
    leases.set(lease, { ...known, next: now + Math.floor((ttl * SECOND) / 3), deadline });
    this.#emit?.({ type: "keep-alive-answered", lease, ttl, deadline });
    this.#outcomes.push({ type: "kept-alive", lease, response });
  }

  #broken(error: EtcdError | null): void {
    const state = this.#state;
    state.stream = null;
    if (error !== null && isHalt(error)) {
      for (const { lease } of state.leases.values()) this.#lose(lease, "halted", error);
      return;
    }
    if (state.leases.size > 0) state.reopenAt = this.#channel.now + RETRY_WAIT;
  }

  #lose(lease: LeaseId, why: KeepAliveLoss, error: EtcdError | null): void {
    this.#state.leases.delete(lease);
    this.#emit?.({ type: "keep-alive-lost", lease, why });
    this.#outcomes.push({ type: "keep-alive-ended", lease, why, error });
  }

  #leaveWhenEmpty(): void {
    const state = this.#state;
    if (state.leases.size > 0) return;
    state.reopenAt = null;
    if (state.stream === null) return;
    const { stream } = state;
    state.stream = null;
    this.#channel.discard(stream);
  }
}
