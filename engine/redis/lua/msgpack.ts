/** `cmsgpack`: MessagePack, as Redis has it (lua-cmsgpack 0.4.0). */
import { doubleBytes, doubleOf, floatBytes, floatOf, unsignedBytes, unsignedOf } from "./binary.ts";
import { type Arguments, library } from "./arguments.ts";
import type { Machine } from "./machine.ts";
import { LuaTable, type LuaValue } from "./value.ts";

/** What lies deeper is written as nil. */
const NESTING_MAX = 16;
const byte = (code: number): string => String.fromCharCode(code & 255);

export function installMsgpack(machine: Machine): void {
  const table = library(machine, {
    pack: (args) => {
      if (args.values.length === 0) args.bad(-1, "MessagePack pack needs input.");
      return [args.values.map((value) => pack(value, machine, 0)).join("")];
    },
    unpack: (args) => unpack(args, 0, 0),
    unpack_one: (args) => unpack(args, 1, args.whole(1, 0)),
    unpack_limit: (args) => unpack(args, args.whole(1), args.whole(2, 0)),
  });
  table.set("_NAME", "cmsgpack");
  table.set("_VERSION", "lua-cmsgpack 0.4.0");
  table.set("_COPYRIGHT", "Copyright (C) 2012, Salvatore Sanfilippo");
  table.set("_DESCRIPTION", "MessagePack C implementation for Lua");
  machine.globals.set("cmsgpack", table);
}

// ── packing ──

function pack(value: LuaValue, machine: Machine, depth: number): string {
  machine.step(machine.line);
  if (typeof value === "boolean") return byte(value ? 0xc3 : 0xc2);
  if (typeof value === "string") return sized(value.length, 0xa0, 32, [0xd9, 0xda, 0xdb]) + value;
  if (typeof value === "number") return packNumber(value);
  if (!(value instanceof LuaTable) || depth === NESTING_MAX) return byte(0xc0);
  const keys = value.keys();
  const length = arrayLength(keys);
  if (length !== null) {
    const items = Array.from({ length }, (_, i) => pack(value.get(i + 1), machine, depth + 1));
    return sized(length, 0x90, 16, [null, 0xdc, 0xdd]) + items.join("");
  }
  const pairs = keys.map((key) => pack(key, machine, depth + 1) + pack(value.get(key), machine, depth + 1));
  return sized(keys.length, 0x80, 16, [null, 0xde, 0xdf]) + pairs.join("");
}

/** A table is an array when its keys are 1…n and no others. */
function arrayLength(keys: readonly LuaValue[]): number | null {
  const whole = keys.every((key) => typeof key === "number" && Number.isInteger(key) && key > 0);
  return whole && keys.every((key) => (key as number) <= keys.length) ? keys.length : null;
}

/** The head of what has a length: in one byte, or with 1, 2 or 4 bytes behind it. */
function sized(
  size: number,
  fixed: number,
  fixedMax: number,
  [one, two, four]: readonly [number | null, number, number],
): string {
  if (size < fixedMax) return byte(fixed | size);
  if (one !== null && size <= 0xff) return byte(one) + byte(size);
  if (size <= 0xffff) return byte(two) + unsignedBytes(BigInt(size), 2);
  return byte(four) + unsignedBytes(BigInt(size), 4);
}

function packNumber(value: number): string {
  if (!Number.isInteger(value) || value >= 2 ** 63 || value < -(2 ** 63))
    return Math.fround(value) === value ? byte(0xca) + floatBytes(value) : byte(0xcb) + doubleBytes(value);
  const whole = BigInt(value);
  const [codes, fixed] =
    whole >= 0n
      ? ([[0xcc, 0xcd, 0xce, 0xcf], whole <= 127n] as const)
      : ([[0xd0, 0xd1, 0xd2, 0xd3], whole >= -32n] as const);
  if (fixed) return byte(Number(whole));
  for (const [i, code] of codes.entries()) {
    const size = 2 ** i;
    const fits = whole >= 0n ? BigInt.asUintN(size * 8, whole) === whole : BigInt.asIntN(size * 8, whole) === whole;
    if (fits) return byte(code) + unsignedBytes(whole, size);
  }
  return byte(0xc0);
}

// ── unpacking ──

class Cursor {
  readonly text: string;
  at: number;
  readonly #machine: Machine;

  constructor(text: string, at: number, machine: Machine) {
    this.text = text;
    this.at = at;
    this.#machine = machine;
  }
  take(size: number): string {
    if (this.at + size > this.text.length) this.#machine.fail("Missing bytes in input.");
    this.at += size;
    return this.text.slice(this.at - size, this.at);
  }
  unsigned(size: number): number {
    return Number(unsignedOf(this.take(size)));
  }
  signed(size: number): number {
    return Number(BigInt.asIntN(size * 8, unsignedOf(this.take(size))));
  }
  value(): LuaValue {
    this.#machine.step(this.#machine.line);
    const head = this.take(1).charCodeAt(0);
    if (head <= 0x7f) return head;
    if (head >= 0xe0) return head - 256;
    if (head >= 0xa0 && head <= 0xbf) return this.take(head & 31);
    if (head >= 0x90 && head <= 0x9f) return this.#array(head & 15);
    if (head >= 0x80 && head <= 0x8f) return this.#map(head & 15);
    switch (head) {
      case 0xc0:
        return undefined;
      case 0xc2:
      case 0xc3:
        return head === 0xc3;
      case 0xca:
        return floatOf(this.take(4));
      case 0xcb:
        return doubleOf(this.take(8));
      case 0xcc:
      case 0xcd:
      case 0xce:
      case 0xcf:
        return this.unsigned(2 ** (head - 0xcc));
      case 0xd0:
      case 0xd1:
      case 0xd2:
      case 0xd3:
        return this.signed(2 ** (head - 0xd0));
      case 0xd9:
      case 0xda:
      case 0xdb:
        return this.take(this.unsigned(2 ** (head - 0xd9)));
      case 0xdc:
      case 0xdd:
        return this.#array(this.unsigned(2 ** (head - 0xdb)));
      case 0xde:
      case 0xdf:
        return this.#map(this.unsigned(2 ** (head - 0xdd)));
      default:
        return this.#machine.fail("Bad data format in input.");
    }
  }
  #array(size: number): LuaTable {
    const table = new LuaTable();
    for (let i = 1; i <= size; i += 1) table.set(i, this.value());
    return table;
  }
  #map(size: number): LuaTable {
    const table = new LuaTable();
    for (let i = 0; i < size; i += 1) this.#machine.rawSet(table, this.value(), this.value());
    return table;
  }
}

/** All values from `offset` on, or at most `limit`, then with the offset behind them in front: -1 at the end. */
function unpack(args: Arguments, limit: number, offset: number): readonly LuaValue[] {
  const { machine } = args;
  const text = args.text(0);
  if (offset < 0 || limit < 0)
    machine.fail(`Invalid request to unpack with offset of ${offset} and limit of ${text.length}.`);
  if (offset > text.length) machine.fail(`Start offset ${offset} greater than input length ${text.length}.`);
  const isAll = limit === 0 && offset === 0;
  const most = isAll ? Number.POSITIVE_INFINITY : limit;
  const cursor = new Cursor(text, offset, machine);
  const values: LuaValue[] = [];
  while (cursor.at < text.length && values.length < most) values.push(cursor.value());
  return isAll ? values : [cursor.at === text.length ? -1 : cursor.at, ...values];
}
