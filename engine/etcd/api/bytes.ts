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
  return isAscii(bytes) ? bytes : utf8Decode(toArray(bytes));
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
