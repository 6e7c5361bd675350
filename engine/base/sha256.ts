/** SHA-256 (FIPS 180-4), which stands at the end of etcd's backups. */

const ROUNDS = 64;

/** The first 32 bits of the fractional parts of the cube roots of the first 64 primes, as the standard lists them. */
// biome-ignore format: a table
const K = new Int32Array([
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
]);
// biome-ignore format: a table
const START = [
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
] as const;

export const SHA256_BYTES = 32;

export function sha256(bytes: Uint8Array): Uint8Array {
  const words = padded(bytes);
  const state = Int32Array.from(START);
  const w = new Int32Array(ROUNDS);
  for (let block = 0; block < words.length; block += 16) {
    for (let i = 0; i < ROUNDS; i += 1) w[i] = i < 16 ? word(words, block + i) : spread(w, i);
    mix(state, w);
  }
  const out = new Uint8Array(SHA256_BYTES);
  for (let i = 0; i < SHA256_BYTES; i += 1) out[i] = word(state, i >> 2) >>> (24 - (i & 3) * 8);
  return out;
}

function mix(state: Int32Array, w: Int32Array): void {
  let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number];
  for (let i = 0; i < ROUNDS; i += 1) {
    const choice = (e & f) ^ (~e & g);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const one = h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + choice + word(K, i) + word(w, i);
    const two = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + majority;
    [a, b, c, d, e, f, g, h] = [(one + two) | 0, a, b, c, (d + one) | 0, e, f, g];
  }
  for (const [i, value] of [a, b, c, d, e, f, g, h].entries()) state[i] = word(state, i) + value;
}

function spread(w: Int32Array, i: number): number {
  const [early, late] = [word(w, i - 15), word(w, i - 2)];
  const low = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3);
  const high = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10);
  return word(w, i - 16) + low + word(w, i - 7) + high;
}

/** The message in big-endian words, with a one bit, zeros and its length in bits at the end. */
function padded(bytes: Uint8Array): Int32Array {
  const { length } = bytes;
  const words = new Int32Array((((length + 8) >> 6) + 1) * 16);
  for (let i = 0; i <= length; i += 1) {
    const byte = i < length ? (bytes[i] as number) : 0x80;
    words[i >> 2] = word(words, i >> 2) | (byte << (24 - (i & 3) * 8));
  }
  words[words.length - 2] = Math.floor(length / 0x2000_0000);
  words[words.length - 1] = length << 3;
  return words;
}

function rotate(value: number, by: number): number {
  return (value >>> by) | (value << (32 - by));
}

function word(words: Int32Array, i: number): number {
  return words[i] as number;
}
