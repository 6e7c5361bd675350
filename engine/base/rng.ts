/**
 * Seeded streams of integers: xoroshiro128+ from the package `pure-rand`.
 *
 * Only integers are drawn, with operations that IEEE 754 fixes to the last bit, so that a seed means the same run in
 * every browser. One stream serves one link or one process: a draw more in one place changes no other place.
 */
import { xoroshiro128plusFromState } from "pure-rand/generator/xoroshiro128plus";
import { mixString, mixWord } from "./hash.ts";

/** Four 32-bit words. */
export type RngState = readonly number[];

export interface Rng {
  /** A uniform integer of [0, n); n from 1 to 2^32. */
  below(n: number): number;
  /** A uniform integer of [min, max], both included. */
  between(min: number, max: number): number;
  /** True with a probability of `perMillion` in a million; draws nothing at 0. */
  chance(perMillion: number): boolean;
  state(): RngState;
}

const TWO_32 = 4_294_967_296;

class Stream implements Rng {
  readonly #generator: ReturnType<typeof xoroshiro128plusFromState>;

  constructor(state: RngState) {
    this.#generator = xoroshiro128plusFromState([...state]);
  }

  below(n: number): number {
    return Math.floor(((this.#generator.next() >>> 0) * n) / TWO_32);
  }

  between(min: number, max: number): number {
    return max <= min ? min : min + this.below(max - min + 1);
  }

  chance(perMillion: number): boolean {
    return perMillion > 0 && this.below(1_000_000) < perMillion;
  }

  state(): RngState {
    return [...this.#generator.getState()];
  }
}

/** The stream called `name` of the run with this seed. */
export function rngFor(seed: number, name: string): Rng {
  const words = [1, 2, 3, 4].map((lane) =>
    mixString(mixWord(mixWord(lane, seed >>> 0), Math.floor(seed / TWO_32)), name),
  );
  words[0] = (words[0] ?? 0) | 1; // the all-zero state is the one that the generator never leaves
  return new Stream(words);
}

export function rngFromState(state: RngState): Rng {
  return new Stream(state);
}
