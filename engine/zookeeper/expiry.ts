/**
 * When sessions run out, as the leader counts it (ZooKeeper's ExpiryQueue).
 *
 * Sessions lie in buckets one tick wide, whose ends are multiples of the tick on the leader's monotonic clock. One that
 * was heard at `t` ends with the bucket after that of `t + timeout`: later than its timeout by up to a tick. A new leader
 * has heard nobody, and gives each the whole of its timeout anew.
 */
import type { Micros } from "../base/units.ts";
import type { SessionId } from "./api.ts";

export class ExpiryQueue {
  readonly #tick: Micros;
  readonly #ends = new Map<SessionId, Micros>();

  constructor(tick: Micros) {
    this.#tick = tick;
  }

  /** When it ends; null when it is not counted. */
  endOf(session: SessionId): Micros | null {
    return this.#ends.get(session) ?? null;
  }

  /** Begins to count a session, as heard at `now`. */
  track(session: SessionId, timeout: Micros, now: Micros): void {
    this.#ends.set(session, (Math.floor((now + timeout) / this.#tick) + 1) * this.#tick);
  }

  /** Heard at `now`. Takes no notice of a session that is not counted: its end may be on its way. */
  touch(session: SessionId, timeout: Micros, now: Micros): void {
    if (this.#ends.has(session)) this.track(session, timeout, now);
  }

  /** Heard at `at`, as another member says; it may be known by now that it was heard later. */
  touchPast(session: SessionId, timeout: Micros, at: Micros): void {
    const end = this.#ends.get(session);
    if (end === undefined) return;
    this.track(session, timeout, at);
    this.#ends.set(session, Math.max(end, this.#ends.get(session) ?? end));
  }

  remove(session: SessionId): void {
    this.#ends.delete(session);
  }

  clear(): void {
    this.#ends.clear();
  }

  /** The next end of a bucket with sessions in it; infinite when there is none. */
  get nextAt(): Micros {
    let next = Number.POSITIVE_INFINITY;
    for (const end of this.#ends.values()) next = Math.min(next, end);
    return next;
  }

  /** Takes out the sessions whose time is over. */
  expire(now: Micros): readonly SessionId[] {
    const over = [...this.#ends].filter(([, end]) => end <= now).map(([session]) => session);
    for (const session of over) this.#ends.delete(session);
    return over;
  }

  state(): readonly (readonly [SessionId, Micros])[] {
    return [...this.#ends];
  }

  load(state: readonly (readonly [SessionId, Micros])[]): void {
    this.#ends.clear();
    for (const [session, end] of state) this.#ends.set(session, end);
  }
}
