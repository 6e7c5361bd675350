/**
 * The sessions that a follower has heard of, on their way to the leader.
 *
 * ZooKeeper's followers answer the leader's pings with them, each half tick, over TCP. Here it is datagrams, so what was
 * not acknowledged is told again: a session that lives must not run out because a message got lost. Unlike ZooKeeper's,
 * a report says how old its news is: a session ends at the first tick after its timeout, whichever member it is at.
 */
import type { Micros } from "../base/units.ts";
import type { SessionId } from "./api.ts";

/** A session, its timeout, and how long ago it was heard of when the report left. */
export type Touch = readonly [session: SessionId, timeout: Micros, age: Micros];

interface Touched {
  readonly timeout: Micros;
  /** Monotonic time of this member. */
  readonly heardAt: Micros;
  /** The last report that has it; null: none yet. */
  readonly report: number | null;
}

export interface TouchReportState {
  readonly touched: readonly (readonly [SessionId, Touched])[];
  readonly reports: number;
  readonly nextAt: Micros;
}

export class TouchReport {
  readonly #period: Micros;
  readonly #touched = new Map<SessionId, Touched>();
  #reports = 0;
  #nextAt: Micros = Number.POSITIVE_INFINITY;

  constructor(period: Micros) {
    this.#period = period;
  }

  add(session: SessionId, timeout: Micros, now: Micros): void {
    this.#touched.set(session, { timeout, heardAt: now, report: null });
    this.#nextAt = Math.min(this.#nextAt, now + this.#period);
  }

  clear(): void {
    this.#touched.clear();
    this.#nextAt = Number.POSITIVE_INFINITY;
  }

  get nextAt(): Micros {
    return this.#nextAt;
  }

  due(now: Micros): {
    readonly type: "touched";
    readonly report: number;
    readonly sessions: readonly Touch[];
  } | null {
    if (now < this.#nextAt) return null;
    this.#nextAt = now + this.#period;
    this.#reports += 1;
    const report = this.#reports;
    const sessions = [...this.#touched].map(
      ([session, { timeout, heardAt }]): Touch => [session, timeout, now - heardAt],
    );
    for (const [session, touched] of this.#touched) this.#touched.set(session, { ...touched, report });
    return { type: "touched", report, sessions };
  }

  acknowledged(report: number): void {
    for (const [session, touched] of this.#touched) {
      if (touched.report !== null && touched.report <= report) this.#touched.delete(session);
    }
    if (this.#touched.size === 0) this.#nextAt = Number.POSITIVE_INFINITY;
  }

  state(): TouchReportState {
    return { touched: [...this.#touched], reports: this.#reports, nextAt: this.#nextAt };
  }

  load({ touched, reports, nextAt }: TouchReportState): void {
    this.#touched.clear();
    for (const [session, one] of touched) this.#touched.set(session, one);
    this.#reports = reports;
    this.#nextAt = nextAt;
  }
}
