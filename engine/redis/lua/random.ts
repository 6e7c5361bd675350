/**
 * `math.random`: Redis has its own drand48, whose state is the server's. It goes on from script to script, and begins
 * anew with `math.randomseed` only.
 */

/** 48 bits. */
export type RandomState = number;

export const RANDOM_START: RandomState = 0x1234abcd330e;
const MULTIPLIER = 0x5deece66dn;
const ADDEND = 0xbn;
const MASK = (1n << 48n) - 1n;
/** Random whole numbers are below it. */
const RANGE = 2 ** 31 - 1;

export function seeded(seed: number): RandomState {
  return (seed >>> 0) * 0x10000 + 0x330e;
}

/** From 0 up to, but not, 1. */
export function drawn(state: RandomState): { readonly state: RandomState; readonly value: number } {
  const next = (BigInt(state) * MULTIPLIER + ADDEND) & MASK;
  return { state: Number(next), value: (Number(next >> 17n) % RANGE) / RANGE };
}
