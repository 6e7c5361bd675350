/**
 * A ZooKeeper client for lab programs. A watch here is a listener for one path (a latch): what sets the server's watch is a
 * call that asks for it. Listeners hear also of the connection's own events, as a Java program's Watcher does.
 */
import type { Micros } from "../../base/units.ts";
import type { Env, Input, Stamp } from "../../sim/process.ts";
import { rngFromState } from "../../base/rng.ts";
import type { Answer, Call, SessionId } from "../../zookeeper/api.ts";
import { type ZkCheckpoint, type ZkConfig, ZkConn } from "../../zookeeper/client.ts";
import { type Driver, type DriverOutcome, keepStamp, NO_OUTCOMES } from "../driver.ts";

export type ZkRequest =
  | { readonly type: "call"; readonly call: Call }
  /** Answered (`ZkRenewed`) once something was answered that was sent after `after`. */
  | { readonly type: "renewed"; readonly after: Micros }
  | { readonly type: "listen"; readonly path: string };

/** An event of a node, or of the connection. */
export interface ZkTold {
  readonly type: string;
}

/** The session lasts from `sentAt` for `timeout`, by the client's monotonic clock. */
export interface ZkRenewed {
  readonly session: SessionId | null;
  readonly sentAt: Micros;
  readonly timeout: Micros;
}

interface Renewal {
  readonly ticket: number;
  readonly after: Micros;
}

interface Saved {
  readonly conn: ZkCheckpoint;
  readonly listeners: readonly (readonly [number, string])[];
  readonly count: number;
  readonly forgotten: readonly number[];
  readonly deadlines: readonly (readonly [number, Micros])[];
  readonly renewals: readonly Renewal[];
  readonly stamp: Stamp;
}

/** Waits for a renewal have numbers of their own, far from the library's. */
const RENEWALS_FROM = 1_000_000_000;

/** What a call ends with that took longer than it was given. */
export const NO_ANSWER = "no answer in time";

export class ZkDriver implements Driver {
  readonly #conn: ZkConn;
  /** At the input at hand. */
  readonly #stamp: Stamp = { mono: 0, wall: 0, awake: 0 };
  #listeners = new Map<number, string>();
  #count = 0;
  #forgotten = new Set<number>();
  /** Until when a call may take, by its number. */
  #deadlines = new Map<number, Micros>();
  #renewals: readonly Renewal[] = [];

  constructor(env: Env, config: ZkConfig) {
    const rng = rngFromState(env.rng.state().map((word, i) => (i === 0 ? word ^ 0x5bd1e995 : word)));
    this.#conn = new ZkConn(env.id, config, env.out, rng);
  }

  call(asked: object, timeout: Micros | null): number {
    const request = asked as ZkRequest;
    if (request.type === "renewed") {
      this.#count += 1;
      const ticket = RENEWALS_FROM + this.#count;
      this.#renewals = [...this.#renewals, { ticket, after: request.after }];
      return ticket;
    }
    if (request.type !== "call") throw new Error("a listener is not a call");
    const ticket = this.#conn.request(request.call, this.#stamp);
    if (timeout !== null) this.#deadlines.set(ticket, this.#stamp.mono + timeout);
    return ticket;
  }

  watch(asked: object): number {
    const request = asked as ZkRequest;
    if (request.type !== "listen") throw new Error("not a listener");
    this.#count += 1;
    this.#listeners.set(this.#count, request.path);
    return this.#count;
  }

  unwatch(watch: number): void {
    this.#listeners.delete(watch);
  }

  forget(ticket: number): void {
    this.#deadlines.delete(ticket);
    if (ticket > RENEWALS_FROM) this.#renewals = this.#renewals.filter((one) => one.ticket !== ticket);
    else this.#forgotten.add(ticket);
  }

  on(input: Input, stamp: Stamp): readonly DriverOutcome[] {
    keepStamp(this.#stamp, stamp);
    if (input.type === "boot") this.#conn.start(input.incarnation, stamp);
    this.#conn.step(input, stamp);
    return this.take();
  }

  take(): readonly DriverOutcome[] {
    const told = this.#notices();
    const late = this.#deadlines.size === 0 ? [] : this.#late();
    const renewed = this.#renewals.length === 0 ? [] : this.#renewed();
    return late.length === 0 && renewed.length === 0 ? told : [...told, ...late, ...renewed];
  }

  #late(): readonly DriverOutcome[] {
    const late = [...this.#deadlines].filter(([, deadline]) => deadline <= this.#stamp.mono);
    return late.map(([ticket]) => {
      this.forget(ticket);
      return { type: "error", ticket, error: NO_ANSWER, unknown: true };
    });
  }

  #renewed(): readonly DriverOutcome[] {
    const { renewedAt: sentAt, timeout, session } = this.#conn;
    const due = this.#renewals.filter(({ after }) => sentAt > after);
    if (due.length === 0) return [];
    this.#renewals = this.#renewals.filter(({ after }) => sentAt <= after);
    return due.map(({ ticket }) => ({
      type: "answer",
      ticket,
      body: { session, sentAt, timeout } satisfies ZkRenewed,
    }));
  }

  #notices(): readonly DriverOutcome[] {
    const notices = this.#conn.take();
    if (notices.length === 0) return NO_OUTCOMES;
    const outcomes: DriverOutcome[] = [];
    for (const notice of notices) {
      switch (notice.type) {
        case "reply": {
          const { xid: ticket, answer } = notice;
          this.#deadlines.delete(ticket);
          if (this.#forgotten.delete(ticket)) break;
          if (answer.err === "OK") outcomes.push({ type: "answer", ticket, body: answer satisfies Answer });
          else outcomes.push({ type: "error", ticket, error: answer.err, unknown: answer.err === "ConnectionLoss" });
          break;
        }
        case "event": {
          const { type, path: of } = notice.event;
          for (const [watch, path] of this.#listeners)
            if (path === of) outcomes.push({ type: "event", watch, event: { type } satisfies ZkTold });
          break;
        }
        case "state": {
          const { state: type } = notice;
          if (type === "SyncConnected") break;
          for (const watch of this.#listeners.keys())
            outcomes.push({ type: "event", watch, event: { type } satisfies ZkTold });
        }
      }
    }
    return outcomes;
  }

  wakeAt(): Micros | null {
    const at = this.#conn.wakeAt(this.#stamp);
    if (this.#deadlines.size === 0) return at;
    const { awake, mono } = this.#stamp;
    const due = awake - mono + Math.min(...this.#deadlines.values());
    return at === null ? due : Math.min(at, due);
  }

  checkpoint(): unknown {
    const saved: Saved = {
      conn: this.#conn.checkpoint(),
      listeners: [...this.#listeners],
      count: this.#count,
      forgotten: [...this.#forgotten],
      deadlines: [...this.#deadlines],
      renewals: this.#renewals,
      stamp: { ...this.#stamp },
    };
    return saved;
  }

  restore(checkpoint: unknown): void {
    const { conn, listeners, count, forgotten, deadlines, renewals, stamp } = checkpoint as Saved;
    this.#conn.restore(conn);
    this.#listeners = new Map(listeners);
    this.#count = count;
    this.#forgotten = new Set(forgotten);
    this.#deadlines = new Map(deadlines);
    this.#renewals = renewals;
    keepStamp(this.#stamp, stamp);
  }
}
