/** SHA-1 (FIPS 180-4): it names Redis scripts, and hides passwords of ZooKeeper. Bytes are the low halves of a string. */

const WORDS = 80;

/** @returns 40 hexadecimal digits */
export function sha1(bytes: string): string {
  const words = padded(bytes);
  const state = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0];
  const w = new Int32Array(WORDS);
  for (let block = 0; block < words.length; block += 16) {
    for (let i = 0; i < WORDS; i += 1) {
      const at = (k: number): number => w[i - k] as number;
      w[i] = i < 16 ? (words[block + i] as number) : rotate(at(3) ^ at(8) ^ at(14) ^ at(16), 1);
    }
    let [a, b, c, d, e] = state as [number, number, number, number, number];
    for (let i = 0; i < WORDS; i += 1) {
      const next = (rotate(a, 5) + mixed(i, b, c, d) + e + constant(i) + (w[i] as number)) | 0;
      [a, b, c, d, e] = [next, a, rotate(b, 30), c, d];
    }
    for (const [i, value] of [a, b, c, d, e].entries()) state[i] = ((state[i] as number) + value) | 0;
  }
  return state.map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}

/** The message in big-endian words, with the one bit, zeros and its length in bits at the end. */
function padded(bytes: string): Int32Array {
  const words = new Int32Array((((bytes.length + 8) >> 6) + 1) * 16);
  const put = (i: number, byte: number): void => {
    words[i >> 2] = (words[i >> 2] as number) | (byte << (24 - (i & 3) * 8));
  };
  for (let i = 0; i < bytes.length; i += 1) put(i, bytes.charCodeAt(i) & 255);
  put(bytes.length, 0x80);
  words[words.length - 2] = Math.floor(bytes.length / 0x2000_0000);
  words[words.length - 1] = bytes.length << 3;
  return words;
}

function rotate(word: number, by: number): number {
  return (word << by) | (word >>> (32 - by));
}

function mixed(i: number, b: number, c: number, d: number): number {
  if (i < 20) return (b & c) | (~b & d);
  if (i >= 40 && i < 60) return (b & c) | (b & d) | (c & d);
  return b ^ c ^ d;
}

function constant(i: number): number {
  return [0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6][Math.floor(i / 20)] as number;
}
