/**
 * What random programs are made of: draws, requests as the JSON gateway takes them, and what the recorder of
 * `../shared/conformance/etcd-kv` offers a program that it runs against a real etcd.
 */
import { type Rng, rngFor } from "../../../base/rng.ts";

/** What came of a call; more than this no program looks at. */
export interface Told {
  readonly status: number;
  readonly res?: { readonly [name: string]: unknown };
}

/** The recorder: each call is carried out and written down with its answer. */
export interface Recorder {
  /** The highest revision that an answer has told. */
  readonly revision: number;
  call(path: string, request?: object | string): Promise<Told>;
  hashKV(revision?: number): Promise<void>;
  watchOpen(id: string): void;
  watchSend(id: string, message: object): Promise<void>;
  watchDrain(id: string): Promise<unknown>;
  watchClose(id: string): void;
  callAsync(id: string, path: string, request: object): Promise<void>;
  await(id: string): Promise<Told>;
  stillBlocked(id: string): void;
  abort(id: string): Promise<void>;
  streamOpen(id: string, path: string, request: object): Promise<void>;
  streamDrain(id: string): Promise<void>;
  streamClose(id: string): void;
  untilExpired(lease: string): Promise<void>;
  restart(mode: "graceful" | "kill"): Promise<void>;
}

export interface Program {
  readonly name: string;
  readonly about: string;
  readonly seed: number;
  readonly flags?: readonly string[];
  run(recorder: Recorder): Promise<void>;
}

/** Draws in the words of the programs. */
export class Draw {
  readonly #rng: Rng;

  constructor(seed: number, name: string) {
    this.#rng = rngFor(seed, name);
  }

  /** Of [0, n). */
  below(n: number): number {
    return this.#rng.below(n);
  }
  between(least: number, most: number): number {
    return this.#rng.between(least, most);
  }
  /** @param percent of a hundred */
  chance(percent: number): boolean {
    return this.#rng.below(100) < percent;
  }
  pick<T>(items: readonly T[]): T {
    return items[this.#rng.below(items.length)] as T;
  }
  many<T>(least: number, most: number, make: (i: number) => T): T[] {
    return Array.from({ length: this.between(least, most) }, (_, i) => make(i));
  }
  /** One of several ways, each with a weight. */
  way<T>(ways: readonly (readonly [weight: number, way: () => T])[]): T {
    let at = this.below(ways.reduce((sum, [weight]) => sum + weight, 0));
    for (const [weight, way] of ways) {
      at -= weight;
      if (at < 0) return way();
    }
    throw new Error("weights are numbers above 0");
  }
}

/** Steps one after the other. */
export async function inTurn(steps: number, step: (i: number) => Promise<unknown>): Promise<void> {
  // oxlint-disable-next-line no-await-in-loop -- that is what a program is
  for (let i = 0; i < steps; i += 1) await step(i);
}

/**
 * A restart. 3.4 replays what came behind the last write that changed something, and then knows things that it did not
 * know the first time (leases granted later; a transaction's reads are left out): so a write comes first, and a moment.
 */
export async function restart(recorder: Recorder, mode: "graceful" | "kill"): Promise<void> {
  await recorder.call(`${KV}put`, { key: b64("before restart"), value: b64(mode) });
  recorder.watchOpen("quiet");
  await recorder.watchDrain("quiet");
  recorder.watchClose("quiet");
  await recorder.restart(mode);
}

export function b64(text: string): string {
  return Buffer.from(text, "latin1").toString("base64");
}

/** The end of the span of all keys that begin so. Text is bytes, one a character. */
export function prefixEnd(prefix: string): string {
  for (let i = prefix.length - 1; i >= 0; i -= 1) {
    const code = prefix.charCodeAt(i);
    if (code < 0xff) return prefix.slice(0, i) + String.fromCharCode(code + 1);
  }
  return "\0";
}

export interface Span {
  readonly key: string;
  readonly range_end?: string;
}

export const keyOf = (key: string): Span => ({ key: b64(key) });
export const spanOf = (key: string, end: string): Span => ({ key: b64(key), range_end: b64(end) });
export const prefixOf = (prefix: string): Span => spanOf(prefix, prefixEnd(prefix));
export const EVERYTHING: Span = spanOf("\0", "\0");

export const KV = "/v3/kv/";
export const LEASE = "/v3/lease/";
