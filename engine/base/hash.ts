/**
 * Hashes that are not for security: 32-bit mixing (the finalizer of MurmurHash3, public domain) for seeds and for the
 * hash of a trace.
 */

/** Mixes one 32-bit word into a running hash. */
export function mixWord(hash: number, word: number): number {
  let k = Math.imul(word ^ Math.imul(hash, 0x9e3779b1), 0x85ebca6b);
  k ^= k >>> 13;
  k = Math.imul(k, 0xc2b2ae35);
  return ((k ^ (k >>> 16)) + Math.imul(hash, 31) + 0x7f4a7c15) | 0;
}

/** Mixes a string, code unit by code unit, and its length. */
export function mixString(hash: number, text: string): number {
  let h = mixWord(hash, text.length);
  for (let i = 0; i < text.length; i += 1) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193) | 0;
  return mixWord(h, text.length);
}
