/**
 * Linearizable reads (etcd's linearizableReadLoop): one question to the leader at a time serves all reads that waited
 * for it. Those that come meanwhile wait for the next, since the answer under way may be older than they are.
 */
import type { Micros } from "../../base/units.ts";
import type { Ticket } from "../../replica/service.ts";
import type { Stamp } from "../../sim/process.ts";
import { type EtcdError, etcdError } from "../api/errors.ts";
import type { Metadata, UnaryMethod } from "../api/methods.ts";
import { requestTimeout } from "./config.ts";
import type { Caller, Core } from "./core.ts";

/** A call that is carried out once the member is known to be up to date. */
export interface Reader {
  readonly caller: Caller;
  readonly method: UnaryMethod;
  readonly metadata: Metadata;
  readonly body: object;
}

interface Round {
  readonly readers: readonly Reader[];
  /** Null while there is no leader to ask. */
  readonly ticket: Ticket | null;
  readonly deadline: Micros;
}

export interface ReadsCheckpoint {
  readonly round: Round | null;
  readonly next: readonly Reader[];
}

export class Reads {
  readonly #core: Core;
  /** Carries out what waited, or answers why not. */
  readonly #done: (reader: Reader, problem: EtcdError | null, stamp: Stamp) => void;
  #round: Round | null = null;
  #next: Reader[] = [];

  constructor(core: Core, done: (reader: Reader, problem: EtcdError | null, stamp: Stamp) => void) {
    this.#core = core;
    this.#done = done;
  }

  add(reader: Reader, stamp: Stamp): void {
    this.#next.push(reader);
    if (this.#round === null) this.#begin(stamp);
  }

  /** @returns whether the ticket was a round's */
  readable(ticket: Ticket, stamp: Stamp): boolean {
    if (this.#round?.ticket !== ticket) return false;
    this.#end(null, stamp);
    return true;
  }

  /** Another leader: it cannot answer what the last one was asked. */
  leaderChanged(stamp: Stamp): void {
    const { host, config } = this.#core;
    if (this.#round === null) return;
    if (this.#round.ticket === null) {
      // It was waiting for just that.
      this.#round = { ...this.#round, ticket: host.readIndex() };
      this.#core.timers.reads = this.#retryAt(stamp, config);
      return;
    }
    this.#end(etcdError("LeaderChanged"), stamp);
  }

  due(stamp: Stamp): void {
    const round = this.#round;
    if (round === null) return;
    if (stamp.awake >= round.deadline) return this.#end(etcdError("Timeout"), stamp);
    if (round.ticket === null) this.#round = { ...round, ticket: this.#core.host.readIndex() };
    this.#core.timers.reads = this.#retryAt(stamp, this.#core.config);
  }

  /** Nobody waits for it any more. */
  drop(isGone: (caller: Caller) => boolean): void {
    this.#next = this.#next.filter(({ caller }) => !isGone(caller));
    if (this.#round === null) return;
    this.#round = { ...this.#round, readers: this.#round.readers.filter(({ caller }) => !isGone(caller)) };
  }

  checkpoint(): ReadsCheckpoint {
    return { round: this.#round, next: [...this.#next] };
  }

  resume({ round, next }: ReadsCheckpoint): void {
    this.#round = round;
    this.#next = [...next];
  }

  #begin(stamp: Stamp): void {
    const { host, config, timers } = this.#core;
    const readers = this.#next;
    this.#next = [];
    this.#round = { readers, ticket: host.readIndex(), deadline: stamp.awake + requestTimeout(config) };
    timers.reads = this.#retryAt(stamp, config);
  }

  #retryAt({ awake }: Stamp, config: Core["config"]): Micros {
    const again = awake + Math.ceil(config.electionTimeout / 2);
    return Math.min(again, this.#round?.deadline ?? again);
  }

  #end(problem: EtcdError | null, stamp: Stamp): void {
    const round = this.#round;
    if (round === null) return;
    this.#round = null;
    this.#core.timers.reads = null;
    if (round.ticket !== null && problem !== null) this.#core.host.forget(round.ticket);
    for (const reader of round.readers) this.#done(reader, problem, stamp);
    if (this.#next.length > 0 && this.#round === null) this.#begin(stamp);
  }
}
