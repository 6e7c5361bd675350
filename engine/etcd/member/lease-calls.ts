/** The Lease service's calls that go past the log: they are answered by whoever counts the leases (`leases.ts`). */
import { mixString } from "../../base/hash.ts";
import type { Stamp } from "../../sim/process.ts";
import { id64, type LeaseId } from "../api/ids.ts";
import * as m from "../api/messages.ts";
import { create } from "../api/proto.ts";
import { type Caller, type Core, type IsGone } from "./core.ts";
import type { LeaseQuestion, LeaseReply, Leases } from "./leases.ts";

export interface LeaseCallsCheckpoint {
  readonly questions: readonly (readonly [number, Caller])[];
}

export class LeaseCalls {
  readonly #core: Core;
  readonly #leases: Leases;
  /** One more response of a stream. */
  readonly #message: (caller: Caller, response: object) => void;
  /** By the number that `Leases` gave: streams of keep-alives, and callers of TimeToLive. */
  readonly #questions = new Map<number, Caller>();

  constructor(core: Core, leases: Leases, message: (caller: Caller, response: object) => void) {
    this.#core = core;
    this.#leases = leases;
    this.#message = message;
  }

  /**
   * Positive, of sixteen hexadecimal digits, and rising while a member lives, as etcd's are: they begin with a mark of
   * the member and its start, and end with a count (etcd pkg/idutil).
   */
  newLease(): LeaseId {
    const serial = this.#core.nextSerial();
    const { id, incarnation } = this.#core.host;
    const mark = 0x1000 + ((mixString(4, id) >>> 0) % 0x7000);
    return id64(mark * 0x10000 + (incarnation & 0xffff), serial >>> 0) as LeaseId;
  }

  /** For a stream of keep-alives, or a caller of TimeToLive. */
  ask(caller: Caller, question: LeaseQuestion, stamp: Stamp): void {
    const reply = this.#leases.ask(question, stamp);
    if (typeof reply === "number") this.#questions.set(reply, caller);
    else this.#reply(caller, reply, stamp);
  }

  replied(serial: number, reply: LeaseReply, stamp: Stamp): void {
    const caller = this.#questions.get(serial);
    this.#questions.delete(serial);
    if (caller !== undefined) this.#reply(caller, reply, stamp);
  }

  list(caller: Caller, stamp: Stamp): void {
    const leases = this.#core.state.lessor.ids().map((id) => create(m.LeaseStatus, { id }));
    this.#core.answer(caller, create(m.LeaseLeasesResponse, { leases }), stamp);
  }

  drop(isGone: IsGone): void {
    for (const [serial, caller] of this.#questions) {
      if (!isGone(caller)) continue;
      this.#questions.delete(serial);
      this.#leases.forget(serial);
    }
  }

  checkpoint(): LeaseCallsCheckpoint {
    return { questions: [...this.#questions] };
  }

  resume({ questions }: LeaseCallsCheckpoint): void {
    for (const [serial, caller] of questions) this.#questions.set(serial, caller);
  }

  /** An error ends a stream of keep-alives; a lease that is none does not. */
  #reply(caller: Caller, reply: LeaseReply, stamp: Stamp): void {
    switch (reply.type) {
      case "renewed":
        return this.#message(caller, create(m.LeaseKeepAliveResponse, { id: reply.lease, ttl: reply.ttl }));
      case "time-to-live":
        return this.#core.answer(caller, reply.response, stamp);
      case "failed":
        return this.#core.answer(caller, reply.error, stamp);
    }
  }
}
