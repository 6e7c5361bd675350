/**
 * The hash of a trace: equal when every event is equal, whoever ran the world.
 *
 * 64 bits in two lanes over a walk of each event: keys, strings, numbers, bytes, in order. Not for security. What a
 * browser words in its own way (an error's stack) is left out.
 */
import { mixString, mixWord } from "../base/hash.ts";
import type { TraceEvent } from "../sim/events.ts";

export type TraceHashState = readonly [number, number];

export class TraceHash {
  #a: number;
  #b: number;

  constructor([a, b]: TraceHashState = [0x243f6a88, 0x13198a2e]) {
    this.#a = a;
    this.#b = b;
  }

  add({ id, cause, at, process, incarnation, event }: TraceEvent): void {
    let h = mixWord(mixNumber(mixNumber(mixNumber(this.#a, id), cause), at), incarnation);
    h = mixString(h, process ?? "");
    this.#a = mixObject(h, event);
    this.#b = mixWord(this.#b ^ 0x5bd1e995, this.#a);
  }

  state(): TraceHashState {
    return [this.#a, this.#b];
  }

  /** Sixteen hexadecimal digits. */
  digits(): string {
    const hex = (word: number): string => (word >>> 0).toString(16).padStart(8, "0");
    return hex(this.#a) + hex(this.#b);
  }
}

function mixNumber(hash: number, value: number): number {
  return value === (value | 0)
    ? mixWord(hash, value)
    : mixWord(mixWord(hash, (value % 4_294_967_296) | 0), Math.floor(value / 4_294_967_296) | 0);
}

function mixObject(hash: number, value: object): number {
  let h = hash;
  const record = value as Record<string, unknown>;
  for (const key in record) {
    if (key === "stack") continue;
    h = mixValue(mixString(h, key), record[key]);
  }
  return h;
}

function mixValue(hash: number, value: unknown): number {
  switch (typeof value) {
    case "number":
      return mixNumber(hash, value);
    case "string":
      return mixString(hash, value);
    case "boolean":
      return mixWord(hash, value ? 1 : 2);
    case "object":
      break;
    default:
      return mixWord(hash, 3);
  }
  if (value === null) return mixWord(hash, 4);
  if (Array.isArray(value)) {
    let h = mixWord(hash, value.length);
    for (const item of value) h = mixValue(h, item);
    return h;
  }
  if (value instanceof Uint8Array) {
    let h = mixWord(hash, value.length);
    for (const byte of value) h = Math.imul(h ^ byte, 0x01000193) | 0;
    return mixWord(h, value.length);
  }
  return mixObject(hash, value);
}
