/**
 * A client of etcd, as a library for programs that are stepped: what it is asked returns a ticket at once, what comes of
 * it is an outcome of a later input. A process owns one: it passes on its inputs with `on`, acts on the outcomes, and
 * asks the world to be woken at `wakeAt()`.
 *
 *     channel.ts        calls and streams over connections: balancing, retries, deadlines, tokens
 *     watcher.ts        watches that outlive a stream
 *     lease-keeper.ts   leases kept alive
 *
 * Sessions, locks, elections and transactional memory over it are in `../concurrency/client.ts`.
 */
import { rngFromState, type RngState } from "../../base/rng.ts";
import type { Micros } from "../../base/units.ts";
import type { Env, Input, Stamp } from "../../sim/process.ts";
import type { Bytes } from "../api/bytes.ts";
import type { LeaseId } from "../api/ids.ts";
import type { RequestOf, StreamMethod, UnaryMethod } from "../api/methods.ts";
import { UNARY } from "../api/methods.ts";
import { create, type Descriptor } from "../api/proto.ts";
import { type CallOptions, Channel, type ChannelOutcome, type Ticket } from "./channel.ts";
import type { EtcdClientConfig } from "./config.ts";
import { type KeeperOutcome, LeaseKeeper } from "./lease-keeper.ts";
import { Watcher, type WatchOptions, type WatchOutcome } from "./watcher.ts";

export type ClientOutcome = ChannelOutcome | WatchOutcome | KeeperOutcome;

interface Checkpoint {
  readonly channel: unknown;
  readonly watcher: unknown;
  readonly keeper: unknown;
  readonly paused: Micros;
}

export class EtcdClient {
  readonly #channel: Channel;
  readonly #watcher: Watcher;
  readonly #keeper: LeaseKeeper;
  /** Awake less monotonic time: how long its process has been paused, below zero. */
  #paused: Micros = 0;

  /** It draws from a generator of its own, begun from the state of `env.rng`, which it leaves alone. */
  constructor(config: EtcdClientConfig, env: Env) {
    this.#channel = new Channel(config, env, rngFromState(saltedState(env.rng.state())));
    this.#watcher = new Watcher(this.#channel, env.out.emit);
    this.#keeper = new LeaseKeeper(this.#channel, env.out.emit);
  }

  /** Its monotonic time at the input at hand. */
  get now(): Micros {
    return this.#channel.now;
  }

  /** One request; fields that are left out have their zero values. Ends in an `answer` or a `failed` of this ticket. */
  call<M extends UnaryMethod>(method: M, body: Partial<RequestOf<M>>, options?: CallOptions): Ticket {
    return this.#channel.call(method, create(UNARY[method].request as Descriptor<object>, body), options);
  }

  /** A stream: `message`s, and then `ended`. */
  open(method: StreamMethod, options?: CallOptions): Ticket {
    return this.#channel.open(method, options);
  }

  send(ticket: Ticket, body: object): void {
    this.#channel.send(ticket, body);
  }

  halfClose(ticket: Ticket): void {
    this.#channel.halfClose(ticket);
  }

  /** Gives a call or a stream up: it ends with Canceled at the next input. */
  cancel(ticket: Ticket): void {
    this.#channel.cancel(ticket);
  }

  /** As `cancel`, without an outcome. */
  discard(ticket: Ticket): void {
    this.#channel.discard(ticket);
  }

  /** A watch, by its own number: `watch-events` until `watch-closed`. */
  watch(key: Bytes, options?: WatchOptions): number {
    return this.#watcher.watch(key, options);
  }

  cancelWatch(watch: number): void {
    this.#watcher.cancel(watch);
  }

  /** As `cancelWatch`, without an outcome. */
  discardWatch(watch: number): void {
    this.#watcher.discard(watch);
  }

  requestProgress(): void {
    this.#watcher.requestProgress();
  }

  /** `kept-alive` for each answer until `keep-alive-ended`. Each call wants its own `releaseLease`. */
  keepAlive(lease: LeaseId): void {
    this.#keeper.keep(lease);
  }

  releaseLease(lease: LeaseId): void {
    this.#keeper.release(lease);
  }

  /** By this client's clock, a lease that is kept alive has ended then. */
  leaseDeadline(lease: LeaseId): Micros | null {
    return this.#keeper.deadline(lease);
  }

  /** Takes an input, its own or not, and what has come of what was asked. */
  on(input: Input, stamp: Stamp): readonly ClientOutcome[] {
    this.#paused = stamp.awake - stamp.mono;
    this.#channel.on(input, stamp);
    this.#watcher.tick();
    this.#keeper.tick();
    return this.take();
  }

  /** What came of things without another input: what was cancelled, what failed at once. */
  take(): readonly ClientOutcome[] {
    const others = this.#channel.take().filter((one) => !this.#watcher.take(one) && !this.#keeper.take(one));
    const watched = this.#watcher.outcomes();
    const kept = this.#keeper.outcomes();
    if (watched.length === 0 && kept.length === 0) return others;
    return [...others, ...watched, ...kept];
  }

  /** The awake time by which it must be given another input; null when it waits for nothing but the network. */
  wakeAt(): Micros | null {
    return this.awake(earliest([this.#channel.wakeAt(), this.#watcher.wakeAt(), this.#keeper.wakeAt()]));
  }

  /** The awake time at which a monotonic instant comes, if the process is not paused until then. */
  awake(mono: Micros | null): Micros | null {
    return mono === null ? null : mono + this.#paused;
  }

  /** Its owner has taken all outcomes by then, as it does at the end of each batch. */
  checkpoint(): unknown {
    const saved: Checkpoint = {
      channel: this.#channel.checkpoint(),
      watcher: this.#watcher.checkpoint(),
      keeper: this.#keeper.checkpoint(),
      paused: this.#paused,
    };
    return saved;
  }

  restore(checkpoint: unknown): void {
    const { channel, watcher, keeper, paused } = checkpoint as Checkpoint;
    this.#paused = paused;
    this.#channel.restore(channel);
    this.#watcher.restore(watcher);
    this.#keeper.restore(keeper);
  }
}

/** The smallest of those that are there. */
export function earliest(times: readonly (Micros | null)[]): Micros | null {
  return times.reduce((least, at) => (at === null ? least : least === null ? at : Math.min(least, at)), null);
}

function saltedState(state: RngState): RngState {
  const [first = 1, ...rest] = state;
  return [(first ^ 0x9e3779b9) | 1, ...rest];
}
