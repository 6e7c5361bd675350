/** Strings as rows of bits, the highest bit of a byte first. */
import { arg, type Call, command, type CommandSpec } from "../call.ts";
import { lower } from "../bytes.ts";
import { integer } from "../numbers.ts";
import { int, Refused, type Reply, SYNTAX } from "../reply.ts";

const OFFSET_MAX = 2 ** 32;
const BAD_OFFSET = "ERR bit offset is not an integer or out of range";

function offsetOf(text: string): number {
  const offset = integer(text, BAD_OFFSET);
  if (offset < 0 || offset >= OFFSET_MAX) throw new Refused(BAD_OFFSET);
  return offset;
}

/** 0 or 1, or another when the call says so. */
function bitOf(text: string, why: string): 0 | 1 {
  if (text !== "0" && text !== "1") throw new Refused(why);
  return text === "1" ? 1 : 0;
}

function bitAt(text: string, offset: number): 0 | 1 {
  const byte = text.charCodeAt(Math.floor(offset / 8));
  return Number.isNaN(byte) ? 0 : (((byte >> (7 - (offset % 8))) & 1) as 0 | 1);
}

function setbit(call: Call): Reply {
  const { keys } = call;
  const key = arg(call, 1);
  const offset = offsetOf(arg(call, 2));
  const bit = bitOf(arg(call, 3), "ERR bit is not an integer or out of range");
  const existing = keys.peekAs(key, "string");
  const old = existing?.text ?? "";
  const at = Math.floor(offset / 8);
  const before = bitAt(old, offset);
  const grown = old.padEnd(at + 1, "\0");
  if (existing !== null && before === bit && grown.length === old.length) return int(before);
  const mask = 1 << (7 - (offset % 8));
  const byte = (grown.charCodeAt(at) & ~mask) | (bit === 1 ? mask : 0);
  keys.putText(key, grown.slice(0, at) + String.fromCharCode(byte) + grown.slice(at + 1), keys.expireAt(key));
  keys.dirty += 1;
  keys.notify("$", "setbit", key);
  return int(before);
}

interface Stretch {
  /** In bits. */
  readonly from: number;
  readonly to: number;
  readonly hasEnd: boolean;
}

/** Of `start [end [BYTE|BIT]]` from the argument `at` on, in a string of `length` bytes; null: nothing. */
function stretchOf(call: Call, at: number, length: number): Stretch | null {
  const { args } = call;
  if (args.length <= at) return length === 0 ? null : { from: 0, to: length * 8, hasEnd: false };
  const unit = lower(args[at + 2] ?? "byte");
  const start = integer(arg(call, at));
  const hasEnd = args.length > at + 1;
  const end = hasEnd ? integer(arg(call, at + 1)) : -1;
  if (unit !== "byte" && unit !== "bit") throw new Refused(SYNTAX);
  const size = unit === "bit" ? length * 8 : length;
  const from = Math.max(0, start < 0 ? size + start : start);
  const last = Math.min(size - 1, Math.max(0, end < 0 ? size + end : end));
  if ((start < 0 && end < 0 && start > end) || from > last) return null;
  const scale = unit === "bit" ? 1 : 8;
  return { from: from * scale, to: (last + 1) * scale, hasEnd };
}

function bitcount(call: Call): Reply {
  const text = call.keys.readAs(arg(call, 1), "string")?.text;
  // Of a key that is not there no more is read.
  if (text === undefined) return int(0);
  if (call.args.length === 3 || call.args.length > 5) throw new Refused(SYNTAX);
  const stretch = stretchOf(call, 2, text.length);
  let count = 0;
  if (stretch !== null) for (let i = stretch.from; i < stretch.to; i += 1) count += bitAt(text, i);
  return int(count);
}

function bitpos(call: Call): Reply {
  const bit = bitOf(arg(call, 2), "ERR The bit argument must be 1 or 0.");
  if (call.args.length > 6) throw new Refused(SYNTAX);
  const value = call.keys.readAs(arg(call, 1), "string");
  if (value === null) return int(bit === 1 ? -1 : 0);
  const stretch = stretchOf(call, 3, value.text.length);
  if (stretch === null) return int(-1);
  for (let i = stretch.from; i < stretch.to; i += 1) if (bitAt(value.text, i) === bit) return int(i);
  // Behind the end of the string there are zeros, unless an end was asked for.
  return int(bit === 0 && !stretch.hasEnd ? value.text.length * 8 : -1);
}

const OPERATIONS: Readonly<Record<string, (a: number, b: number) => number>> = {
  and: (a, b) => a & b,
  or: (a, b) => a | b,
  xor: (a, b) => a ^ b,
};

function bitop(call: Call): Reply {
  const { keys, args } = call;
  const name = lower(arg(call, 1));
  const operation = OPERATIONS[name];
  if (operation === undefined && name !== "not") throw new Refused(SYNTAX);
  if (name === "not" && args.length !== 4) throw new Refused("ERR BITOP NOT must be called with a single source key.");
  const target = arg(call, 2);
  const texts = args.slice(3).map((key) => keys.readAs(key, "string")?.text ?? "");
  const length = Math.max(...texts.map((text) => text.length));
  if (length === 0) {
    if (keys.drop(target)) {
      keys.dirty += 1;
      keys.notify("g", "del", target);
    }
    return int(0);
  }
  let out = "";
  for (let i = 0; i < length; i += 1) {
    const bytes = texts.map((text) => text.charCodeAt(i) || 0);
    const byte = operation === undefined ? ~(bytes[0] ?? 0) : bytes.reduce(operation);
    out += String.fromCharCode(byte & 255);
  }
  keys.putText(target, out);
  keys.dirty += 1;
  keys.notify("$", "set", target);
  return int(length);
}

export const bitCommands: readonly CommandSpec[] = [
  command("setbit", 4, "write", setbit),
  command("getbit", 3, "", (call) => {
    const offset = offsetOf(arg(call, 2));
    return int(bitAt(call.keys.readAs(arg(call, 1), "string")?.text ?? "", offset));
  }),
  command("bitcount", -2, "", bitcount),
  command("bitpos", -3, "", bitpos),
  command("bitop", -4, "write", bitop),
];
