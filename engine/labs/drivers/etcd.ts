/** An etcd client for lab programs: calls, one keep-alive as jetcd's `keepAliveOnce`, and watches event by event. */
import type { Micros } from "../../base/units.ts";
import type { ProcessId } from "../../sim/command.ts";
import type { Env, Input, Stamp } from "../../sim/process.ts";
import type { Bytes } from "../../etcd/api/bytes.ts";
import type { LeaseId } from "../../etcd/api/ids.ts";
import { LeaseKeepAliveRequest } from "../../etcd/api/messages.ts";
import type { RequestOf, UnaryMethod } from "../../etcd/api/methods.ts";
import { create } from "../../etcd/api/proto.ts";
import { type ClientOutcome, EtcdClient } from "../../etcd/client/client.ts";
import { etcdClientConfig } from "../../etcd/client/config.ts";
import type { WatchOptions } from "../../etcd/client/watcher.ts";
import { type Driver, type DriverOutcome, NO_OUTCOMES } from "../driver.ts";

export type EtcdRequest =
  | {
      readonly [M in UnaryMethod]: { readonly type: "call"; readonly method: M; readonly body: Partial<RequestOf<M>> };
    }[UnaryMethod]
  | { readonly type: "keep-alive"; readonly lease: LeaseId }
  | { readonly type: "watch"; readonly key: Bytes; readonly options: WatchOptions };

/** A watch has ended: nothing more comes. `compacted`: the store has forgotten where it was to begin. */
export interface WatchOver {
  readonly type: "watch-over";
  readonly compacted: boolean;
}

/** Its lease is over: asking again will not help. */
export function isLeaseGone(got: { readonly type: string; readonly error?: string }): boolean {
  return got.type === "error" && (got.error?.endsWith("requested lease not found") ?? false);
}

interface Beat {
  readonly ticket: number;
  readonly stream: number;
  readonly deadline: Micros | null;
}

interface Saved {
  readonly client: unknown;
  readonly beats: readonly Beat[];
  readonly forgotten: readonly number[];
}

/** Beats have numbers of their own, far from the client's tickets. */
const BEATS_FROM = 1_000_000_000;

export class EtcdDriver implements Driver {
  readonly #client: EtcdClient;
  #beats: Beat[] = [];
  #beatCount = 0;
  #forgotten = new Set<number>();

  constructor(servers: readonly ProcessId[], env: Env) {
    this.#client = new EtcdClient(
      etcdClientConfig(servers, {
        balance: "pick-first",
        backOffMin: 200_000,
        backOffMax: 1_000_000,
        dialTimeout: 2_000_000,
      }),
      env,
    );
  }

  call(asked: object, timeout: Micros | null): number {
    const request = asked as EtcdRequest;
    if (request.type === "call") return this.#client.call(request.method, request.body, { timeout });
    if (request.type === "watch") throw new Error("a watch is not a call");
    const stream = this.#client.open("Lease/LeaseKeepAlive");
    this.#client.send(stream, create(LeaseKeepAliveRequest, { id: request.lease }));
    this.#beatCount += 1;
    const ticket = BEATS_FROM + this.#beatCount;
    this.#beats.push({ ticket, stream, deadline: timeout === null ? null : this.#client.now + timeout });
    return ticket;
  }

  watch(asked: object): number {
    const request = asked as EtcdRequest;
    if (request.type !== "watch") throw new Error("not a watch");
    return this.#client.watch(request.key, request.options);
  }

  unwatch(watch: number): void {
    this.#client.discardWatch(watch);
  }

  forget(ticket: number): void {
    this.#forgotten.add(ticket);
  }

  on(input: Input, stamp: Stamp): readonly DriverOutcome[] {
    const outcomes = this.#translate(this.#client.on(input, stamp));
    return this.#beats.length === 0 ? outcomes : [...outcomes, ...this.#lateBeats()];
  }

  take(): readonly DriverOutcome[] {
    return this.#translate(this.#client.take());
  }

  wakeAt(): Micros | null {
    let at = this.#client.wakeAt() ?? Number.POSITIVE_INFINITY;
    for (const { deadline } of this.#beats) at = Math.min(at, this.#client.awake(deadline) ?? at);
    return at === Number.POSITIVE_INFINITY ? null : at;
  }

  checkpoint(): unknown {
    const saved: Saved = {
      client: this.#client.checkpoint(),
      beats: [...this.#beats],
      forgotten: [...this.#forgotten],
    };
    return { ...saved, beatCount: this.#beatCount };
  }

  restore(checkpoint: unknown): void {
    const { client, beats, forgotten, beatCount } = checkpoint as Saved & { readonly beatCount: number };
    this.#client.restore(client);
    this.#beats = [...beats];
    this.#forgotten = new Set(forgotten);
    this.#beatCount = beatCount;
  }

  #translate(outcomes: readonly ClientOutcome[]): readonly DriverOutcome[] {
    if (outcomes.length === 0) return NO_OUTCOMES;
    const told: DriverOutcome[] = [];
    for (const outcome of outcomes) {
      switch (outcome.type) {
        case "answer":
          this.#tell(told, { type: "answer", ticket: outcome.ticket, body: outcome.body });
          break;
        case "failed": {
          const { ticket, error, unknown } = outcome;
          this.#tell(told, { type: "error", ticket, error: error.message, unknown });
          break;
        }
        case "message": {
          const beat = this.#beats.find(({ stream }) => stream === outcome.ticket);
          if (beat === undefined) break;
          this.#endBeat(beat);
          this.#tell(told, { type: "answer", ticket: beat.ticket, body: outcome.body });
          break;
        }
        case "ended": {
          const beat = this.#beats.find(({ stream }) => stream === outcome.ticket);
          if (beat === undefined) break;
          this.#beats = this.#beats.filter((one) => one !== beat);
          const error = outcome.error?.message ?? "the stream ended";
          this.#tell(told, { type: "error", ticket: beat.ticket, error, unknown: true });
          break;
        }
        case "watch-events":
          for (const event of outcome.events) told.push({ type: "event", watch: outcome.watch, event });
          break;
        case "watch-closed": {
          const event: WatchOver = { type: "watch-over", compacted: outcome.compactRevision > 0 };
          told.push({ type: "event", watch: outcome.watch, event });
          break;
        }
        default:
          break;
      }
    }
    return told;
  }

  #tell(told: DriverOutcome[], outcome: Exclude<DriverOutcome, { readonly type: "event" }>): void {
    if (!this.#forgotten.delete(outcome.ticket)) told.push(outcome);
  }

  #lateBeats(): DriverOutcome[] {
    const told: DriverOutcome[] = [];
    for (const beat of this.#beats) {
      if (beat.deadline === null || beat.deadline > this.#client.now) continue;
      this.#endBeat(beat);
      this.#tell(told, { type: "error", ticket: beat.ticket, error: "no answer in time", unknown: true });
    }
    return told;
  }

  #endBeat(beat: Beat): void {
    this.#client.discard(beat.stream);
    this.#beats = this.#beats.filter((one) => one !== beat);
  }
}
