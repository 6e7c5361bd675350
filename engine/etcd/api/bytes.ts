/**
 * Byte strings: how etcd's keys and values are held. One character a byte, each of U+0000 to U+00FF.
 *
 * JavaScript's engines keep such a string in one byte a character, compare it with `<` in byte order, hash it for a Map
 * and share it without copying; it can be posted and is immutable. etcd's keys are any bytes, so this is not text:
 * `fromText` and `toText` go through UTF-8.
 */
import { utf8Decode, utf8Encode } from "../../base/bytes.ts";

/** One character a byte. */
export type Bytes = string;

const CHUNK = 8_192;

export function fromText(text: string): Bytes {
  return isAscii(text) ? text : fromArray(utf8Encode(text));
}

/** As text, if it is UTF-8; what is not becomes U+FFFD. */
export function toText(bytes: Bytes): string {
  if (isAscii(bytes)) return bytes;
  let text = "";
  for (let at = 0; at < bytes.length; ) {
    const length = runeLength(bytes, at);
    text += length === 0 ? "\ufffd" : utf8Decode(toArray(bytes.slice(at, at + length)));
    at += Math.max(1, length);
  }
  return text;
}

/** How many bytes the UTF-8 character at `at` has; 0 when there is none (too long forms and surrogates are none). */
export function runeLength(bytes: Bytes, at: number): number {
  const first = bytes.charCodeAt(at);
  if (first < 0x80) return 1;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || at + length > bytes.length) return 0;
  for (let i = 1; i < length; i += 1) if ((bytes.charCodeAt(at + i) & 0xc0) !== 0x80) return 0;
  const second = bytes.charCodeAt(at + 1);
  if ((first === 0xe0 && second < 0xa0) || (first === 0xed && second > 0x9f)) return 0;
  if ((first === 0xf0 && second < 0x90) || (first === 0xf4 && second > 0x8f)) return 0;
  return length;
}

export function fromArray(array: Uint8Array): Bytes {
  if (array.length <= CHUNK) return String.fromCharCode.apply(null, array as unknown as number[]);
  let bytes = "";
  for (let at = 0; at < array.length; at += CHUNK) bytes += fromArray(array.subarray(at, at + CHUNK));
  return bytes;
}

export function toArray(bytes: Bytes): Uint8Array {
  const array = new Uint8Array(bytes.length);
  for (let i = 0; i < bytes.length; i += 1) array[i] = bytes.charCodeAt(i);
  return array;
}

/** Whether each character is a byte: what comes from outside may not be. */
export function areBytes(text: string): boolean {
  for (let i = 0; i < text.length; i += 1) if (text.charCodeAt(i) > 0xff) return false;
  return true;
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i += 1) if (text.charCodeAt(i) > 0x7f) return false;
  return true;
}

/**
 * The end of the range of all keys that begin with `prefix`: the prefix with its last byte that is not 0xff raised by
 * one. `\0` (from the key on) when there is none (etcd clientv3, GetPrefixRangeEnd).
 */
export function prefixEnd(prefix: Bytes): Bytes {
  for (let i = prefix.length - 1; i >= 0; i -= 1) {
    const byte = prefix.charCodeAt(i);
    if (byte < 0xff) return prefix.slice(0, i) + String.fromCharCode(byte + 1);
  }
  return FROM_KEY;
}

/** As a `rangeEnd`: all keys from `key` on. */
export const FROM_KEY: Bytes = "\0";
