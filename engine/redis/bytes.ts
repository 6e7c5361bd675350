/**
 * Byte strings: Redis keys and values are bytes, kept as strings with one char (0 to 255) for each byte.
 *
 * Inside this folder, and on the wire, every string is of this kind; text is turned into one at the client.
 */
import { utf8Encode } from "../base/bytes.ts";

/** Whether it is its own byte string. */
function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i += 1) if (text.charCodeAt(i) > 0x7f) return false;
  return true;
}

/** The UTF-8 bytes of a text. */
export function textToBytes(text: string): string {
  return isAscii(text) ? text : arrayToBytes(utf8Encode(text));
}

export function arrayToBytes(bytes: Uint8Array): string {
  let out = "";
  for (const byte of bytes) out += String.fromCharCode(byte);
  return out;
}

export function bytesToArray(bytes: string): Uint8Array {
  const out = new Uint8Array(bytes.length);
  for (let i = 0; i < bytes.length; i += 1) out[i] = bytes.charCodeAt(i);
  return out;
}

/** The text that the bytes are in UTF-8; each byte that cannot be becomes U+FFFD. */
export function bytesToText(bytes: string): string {
  if (isAscii(bytes)) return bytes;
  let text = "";
  for (let i = 0; i < bytes.length; ) {
    const lead = bytes.charCodeAt(i);
    const length = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
    let code = length === 1 ? lead : lead & (0x7f >> length);
    let good = length > 0 && i + length <= bytes.length;
    for (let k = 1; good && k < length; k += 1) {
      const next = bytes.charCodeAt(i + k);
      good = (next & 0xc0) === 0x80;
      code = (code << 6) | (next & 63);
    }
    const least = [0, 0, 0x80, 0x800, 0x10000][length] ?? 0;
    good &&= code >= least && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    text += good ? String.fromCodePoint(code) : "\ufffd";
    i += good ? length : 1;
  }
  return text;
}

/** Orders byte strings as memcmp does. */
export function compareBytes(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** ASCII only, as Redis compares the words of a command. */
export function lower(word: string): string {
  if (isAscii(word)) return word.toLowerCase();
  return word.replaceAll(/[A-Z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 32));
}

/** What C takes for the whole text. */
export function untilNul(text: string): string {
  const end = text.indexOf("\0");
  return end < 0 ? text : text.slice(0, end);
}

/** A command as RESP writes it: the form of the replication stream and of the append-only file. */
export function encodeCommand(args: readonly string[]): string {
  return `*${args.length}\r\n${args.map((arg) => `$${arg.length}\r\n${arg}\r\n`).join("")}`;
}

export interface DecodedCommands {
  readonly commands: readonly (readonly string[])[];
  /** Where the last whole command ends. */
  readonly end: number;
  /** Whether what follows is no beginning of a command. */
  readonly malformed: boolean;
}

/** Reads commands until the bytes end, or are no commands. */
export function decodeCommands(bytes: string): DecodedCommands {
  const commands: string[][] = [];
  let at = 0;
  for (;;) {
    const end = at;
    const number = (mark: string): number | "torn" | "malformed" => {
      const line = bytes.indexOf("\r\n", at);
      if (at < bytes.length && bytes[at] !== mark) return "malformed";
      if (line < 0) return "torn";
      const digits = bytes.slice(at + 1, line);
      at = line + 2;
      return /^\d{1,9}$/.test(digits) ? Number(digits) : "malformed";
    };
    const count = number("*");
    if (typeof count !== "number") return { commands, end, malformed: count === "malformed" };
    const args: string[] = [];
    for (let i = 0; i < count; i += 1) {
      const length = number("$");
      if (typeof length !== "number") return { commands, end, malformed: length === "malformed" };
      if (at + length + 2 > bytes.length) return { commands, end, malformed: false };
      if (bytes.slice(at + length, at + length + 2) !== "\r\n") return { commands, end, malformed: true };
      args.push(bytes.slice(at, at + length));
      at += length + 2;
    }
    commands.push(args);
  }
}
