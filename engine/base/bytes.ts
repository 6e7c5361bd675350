/** Bytes in and out: little-endian integers, lengths before strings, CRC-32C. */
import { assert } from "./assert.ts";

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i += 1) if (a[i] !== b[i]) return false;
  return true;
}

/** Up to so many bytes are copied one by one: what does it for many costs more than that before it begins. */
const FEW = 64;

/** Puts `from` into `to`, at a place that has room for it. */
export function copyInto(to: Uint8Array, at: number, from: Uint8Array): void {
  const { length } = from;
  if (length > FEW) to.set(from, at);
  else for (let i = 0; i < length; i += 1) to[at + i] = from[i] as number;
}

/** Lengths below this have a view that is kept. */
const VIEWS_MAX = 256;

/** Grows as it is written; `take` gives a copy of exactly what was written and starts again. */
export class ByteWriter {
  #bytes: Uint8Array;
  #length = 0;
  /** Views of the first so many bytes, made once for each length: a view costs more than the bytes that most hold. */
  #views: (Uint8Array | undefined)[] = [];

  constructor(capacity = 256) {
    this.#bytes = new Uint8Array(capacity);
  }

  get length(): number {
    return this.#length;
  }

  /** What is written, with room behind it. */
  protected get buffer(): Uint8Array {
    return this.#bytes;
  }

  u8(value: number): void {
    this.#room(1);
    this.#bytes[this.#length++] = value;
  }

  u32(value: number): void {
    this.#room(4);
    this.patchU32(this.#length, value);
    this.#length += 4;
  }

  /** A safe integer of at least 0, seven bits a byte. */
  varint(value: number): void {
    if (value >= 0 && value < 128 && value === (value | 0)) return this.u8(value);
    assert(Number.isSafeInteger(value) && value >= 0, "a varint is a safe integer of at least 0");
    let rest = value;
    while (rest >= 128) {
      this.u8((rest % 128) | 128);
      rest = Math.floor(rest / 128);
    }
    this.u8(rest);
  }

  bytes(value: Uint8Array): void {
    this.varint(value.length);
    this.raw(value);
  }

  raw(value: Uint8Array): void {
    this.#room(value.length);
    copyInto(this.#bytes, this.#length, value);
    this.#length += value.length;
  }

  text(value: string): void {
    if (!isAsciiText(value)) return this.bytes(utf8Encode(value));
    this.byteString(value);
  }

  /** A string that has one character a byte (U+0000 to U+00FF), with its length before it. */
  byteString(value: string): void {
    const { length } = value;
    this.varint(length);
    this.#room(length);
    const bytes = this.#bytes;
    const at = this.#length;
    for (let i = 0; i < length; i += 1) bytes[at + i] = value.charCodeAt(i);
    this.#length = at + length;
  }

  /** Forgets what was written. */
  clear(): void {
    this.#length = 0;
  }

  /** Overwrites four bytes that were written before. */
  patchU32(at: number, value: number): void {
    const bytes = this.#bytes;
    bytes[at] = value & 255;
    bytes[at + 1] = (value >>> 8) & 255;
    bytes[at + 2] = (value >>> 16) & 255;
    bytes[at + 3] = (value >>> 24) & 255;
  }

  crc(from: number): number {
    return crc32c(this.#bytes, from, this.#length);
  }

  /** What was written, to be read before anything else is written; starts again. */
  takeView(): Uint8Array {
    const length = this.#length;
    this.#length = 0;
    if (length >= VIEWS_MAX) return this.#bytes.subarray(0, length);
    let view = this.#views[length];
    if (view === undefined) {
      view = this.#bytes.subarray(0, length);
      this.#views[length] = view;
    }
    return view;
  }

  take(): Uint8Array {
    const taken = this.#bytes.slice(0, this.#length);
    this.#length = 0;
    return taken;
  }

  #room(more: number): void {
    const need = this.#length + more;
    if (need <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(need, this.#bytes.length * 2));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
    this.#views = [];
  }
}

/** Bytes that end too early or hold what cannot be. */
export class MalformedBytes extends Error {
  override readonly name = "MalformedBytes";
}

export class ByteReader {
  readonly #bytes: Uint8Array;
  #at: number;
  readonly #end: number;

  constructor(bytes: Uint8Array, at = 0, end = bytes.length) {
    this.#bytes = bytes;
    this.#at = at;
    this.#end = end;
  }

  get at(): number {
    return this.#at;
  }

  get left(): number {
    return this.#end - this.#at;
  }

  u8(): number {
    this.#need(1);
    return this.#bytes[this.#at++] as number;
  }

  u32(): number {
    this.#need(4);
    const b = this.#bytes;
    const at = this.#at;
    this.#at += 4;
    return (
      ((b[at] as number) |
        ((b[at + 1] as number) << 8) |
        ((b[at + 2] as number) << 16) |
        ((b[at + 3] as number) << 24)) >>>
      0
    );
  }

  varint(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.u8();
      value += (byte & 127) * scale;
      if (!Number.isSafeInteger(value)) throw new MalformedBytes("a varint is too large");
      if (byte < 128) return value;
      scale *= 128;
    }
  }

  /** A view, not a copy. */
  bytes(): Uint8Array {
    return this.raw(this.varint());
  }

  raw(length: number): Uint8Array {
    this.#need(length);
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  text(): string {
    return utf8Decode(this.bytes());
  }

  #need(count: number): void {
    if (this.left < count) throw new MalformedBytes(`${count} bytes are needed and ${this.left} are left`);
  }
}

/** UTF-8 of a string; a lone surrogate becomes U+FFFD. (The engine has no TextEncoder: it knows no host.) */
export function utf8Encode(text: string): Uint8Array {
  const out = new Uint8Array(text.length * 3);
  let n = 0;
  for (let i = 0; i < text.length; i += 1) {
    let code = text.codePointAt(i) as number;
    if (code > 0xffff) i += 1;
    else if (code >= 0xd800 && code <= 0xdfff) code = 0xfffd;
    if (code < 0x80) out[n++] = code;
    else if (code < 0x800) {
      out[n++] = 0xc0 | (code >> 6);
      out[n++] = 0x80 | (code & 63);
    } else if (code < 0x10000) {
      out[n++] = 0xe0 | (code >> 12);
      out[n++] = 0x80 | ((code >> 6) & 63);
      out[n++] = 0x80 | (code & 63);
    } else {
      out[n++] = 0xf0 | (code >> 18);
      out[n++] = 0x80 | ((code >> 12) & 63);
      out[n++] = 0x80 | ((code >> 6) & 63);
      out[n++] = 0x80 | (code & 63);
    }
  }
  return out.slice(0, n);
}

/** Of its UTF-8, in bytes. */
export function utf8Length(text: string): number {
  return isAsciiText(text) ? text.length : utf8Encode(text).length;
}

function isAsciiText(text: string): boolean {
  for (let i = 0; i < text.length; i += 1) if (text.charCodeAt(i) >= 0x80) return false;
  return true;
}

/** Most text is ASCII, and as one call it makes one string; as many arguments as every engine takes. */
const ASCII_MAX = 1_024;

function isShortAscii(bytes: Uint8Array): boolean {
  if (bytes.length > ASCII_MAX) return false;
  for (let i = 0; i < bytes.length; i += 1) if ((bytes[i] as number) >= 0x80) return false;
  return true;
}

/** The string of UTF-8 bytes; throws on what is not UTF-8. */
export function utf8Decode(bytes: Uint8Array): string {
  if (isShortAscii(bytes)) return String.fromCharCode.apply(null, bytes as unknown as number[]);
  let text = "";
  for (let i = 0; i < bytes.length; ) {
    const byte = bytes[i] as number;
    const length = byte < 0x80 ? 1 : byte < 0xc2 ? 0 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : byte < 0xf5 ? 4 : 0;
    if (length === 0) throw new MalformedBytes("not UTF-8");
    // A lead byte of n bytes has 7 - n bits of its own; each that follows has 6.
    let code = length === 1 ? byte : byte & (0x7f >> length);
    for (let k = 1; k < length; k += 1) {
      const next = bytes[i + k];
      if (next === undefined || (next & 0xc0) !== 0x80) throw new MalformedBytes("not UTF-8");
      code = (code << 6) | (next & 63);
    }
    text += length === 4 ? String.fromCodePoint(code) : String.fromCharCode(code);
    i += length;
  }
  return text;
}

/** Of a byte, and of a byte that one, two or three others follow: four bytes are looked up at once ("slicing by four"). */
const CRC_TABLES: readonly [Int32Array, Int32Array, Int32Array, Int32Array] = (() => {
  const tables = [new Int32Array(256), new Int32Array(256), new Int32Array(256), new Int32Array(256)] as const;
  for (let n = 0; n < 256; n += 1) {
    let c = n;
    for (let k = 0; k < 8; k += 1) c = c & 1 ? (c >>> 1) ^ 0x82f63b78 : c >>> 1;
    tables[0][n] = c;
  }
  for (let behind = 1; behind < 4; behind += 1)
    for (let n = 0; n < 256; n += 1) {
      const c = tables[behind - 1]?.[n] as number;
      (tables[behind] as Int32Array)[n] = (tables[0][c & 255] as number) ^ (c >>> 8);
    }
  return [...tables];
})();

/** CRC-32C (Castagnoli), the checksum that etcd's WAL uses, of bytes [from, to). */
export function crc32c(bytes: Uint8Array, from = 0, to = bytes.length): number {
  const [t0, t1, t2, t3] = CRC_TABLES;
  let c = -1;
  let i = from;
  for (; i + 4 <= to; i += 4) {
    c ^=
      (bytes[i] as number) |
      ((bytes[i + 1] as number) << 8) |
      ((bytes[i + 2] as number) << 16) |
      ((bytes[i + 3] as number) << 24);
    c =
      (t3[c & 255] as number) ^
      (t2[(c >>> 8) & 255] as number) ^
      (t1[(c >>> 16) & 255] as number) ^
      (t0[c >>> 24] as number);
  }
  for (; i < to; i += 1) c = (t0[(c ^ (bytes[i] as number)) & 255] as number) ^ (c >>> 8);
  return ~c >>> 0;
}
