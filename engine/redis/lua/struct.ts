/** `struct`: numbers and strings to bytes by a format, and back, as Redis has it (Roberto Ierusalimschy's library). */
import { doubleBytes, doubleOf, floatBytes, floatOf, reversed, unsignedBytes, unsignedOf } from "./binary.ts";
import { Arguments, library } from "./arguments.ts";
import { type Machine, STRING_MAX } from "./machine.ts";
import { toInt64 } from "./strings.ts";
import type { LuaValue } from "./value.ts";

/** Bytes of a whole number at most, and what `!` alone aligns to. */
const SIZE_MAX = 32;
const ALIGN_DEFAULT = 8;
const SIZES: Readonly<Record<string, number>> = { b: 1, h: 2, l: 8, t: 8, f: 4, d: 8, x: 1 };

interface Item {
  readonly option: string;
  /** 0: as long as the string, or as the number before says. */
  readonly size: number;
  readonly isLittle: boolean;
  /** Bytes to be left out in front. */
  readonly padding: number;
}

/** Reads a format item by item; `at` is where the item would begin. */
class Format {
  readonly #text: string;
  readonly #args: Arguments;
  #at = 0;
  #isLittle = true;
  #align = 1;

  constructor(args: Arguments) {
    this.#text = args.text(0);
    this.#args = args;
  }

  next(at: number): Item | null {
    while (this.#at < this.#text.length) {
      const option = this.#text[this.#at] as string;
      this.#at += 1;
      const size = this.#sizeOf(option);
      if (size === null) continue;
      const isLittle = this.#isLittle;
      return { option, size, isLittle, padding: this.#padding(option, size, at) };
    }
    return null;
  }

  /** Null: it only sets how others are read. */
  #sizeOf(option: string): number | null {
    const known = SIZES[option.toLowerCase()];
    if (known !== undefined && (/[bhlx]/i.test(option) ? option !== "X" : /[Tfd]/.test(option))) return known;
    switch (option) {
      case "s":
        return 0;
      case "c":
        return this.#number(1);
      case "i":
      case "I": {
        const size = this.#number(4);
        if (size > SIZE_MAX) this.#args.machine.fail(`integral size ${size} is larger than limit of ${SIZE_MAX}`);
        return size;
      }
      case " ":
        return null;
      case "<":
      case ">":
        this.#isLittle = option === "<";
        return null;
      case "!": {
        const align = this.#number(ALIGN_DEFAULT);
        if (align === 0 || (align & (align - 1)) !== 0)
          this.#args.machine.fail(`alignment ${align} is not a power of 2`);
        this.#align = align;
        return null;
      }
      default:
        return this.#args.bad(0, `invalid format option '${option}'`);
    }
  }

  #number(otherwise: number): number {
    const digits = /\d*/y;
    digits.lastIndex = this.#at;
    const text = digits.exec(this.#text)?.[0] ?? "";
    this.#at += text.length;
    if (text === "") return otherwise;
    const value = Number(text);
    return value > 0x7fffffff ? this.#args.machine.fail("integral size overflow") : value;
  }

  #padding(option: string, size: number, at: number): number {
    if (size === 0 || option === "c") return 0;
    const align = Math.min(size, this.#align);
    return (align - (at & (align - 1))) & (align - 1);
  }
}

const isInteger = (option: string): boolean => /[bBhHlLTiI]/.test(option);

export function installStruct(machine: Machine): void {
  machine.globals.set(
    "struct",
    library(machine, {
      // A mark stands behind the arguments: one that is missing is found to be nil.
      pack: ({ name, values, isMethod }) => [pack(new Arguments(machine, name, [...values, undefined], isMethod))],
      unpack: (args) => unpack(args),
      size: (args) => {
        const format = new Format(args);
        let total = 0;
        for (let item = format.next(0); item !== null; item = format.next(total)) {
          if (item.option === "s") args.bad(0, "option 's' has no fixed size");
          if (item.option === "c" && item.size === 0) args.bad(0, "option 'c0' has no fixed size");
          total += item.padding + item.size;
        }
        return [total];
      },
    }),
  );
}

function pack(args: Arguments): string {
  const format = new Format(args);
  let out = "";
  let next = 1;
  for (let item = format.next(0); item !== null; item = format.next(out.length)) {
    const { option, size, isLittle } = item;
    out += "\0".repeat(item.padding);
    if (option === "x") out += "\0";
    else if (option === "c" || option === "s") {
      const text = args.text(next);
      const length = size === 0 ? text.length : size;
      next += 1;
      if (text.length < length) args.bad(next, "string too short");
      out += text.slice(0, length) + (option === "s" ? "\0" : "");
    } else {
      const value = args.number(next);
      next += 1;
      const bytes = isInteger(option)
        ? integerBytes(value, size)
        : option === "f"
          ? floatBytes(value)
          : doubleBytes(value);
      out += isLittle ? reversed(bytes) : bytes;
    }
    if (out.length > STRING_MAX) args.machine.fail("format result too large");
  }
  return out;
}

/** Beyond eight bytes there are zeros, also in front of a number below 0. */
function integerBytes(value: number, size: number): string {
  return unsignedBytes(BigInt.asUintN(64, toInt64(value)), size);
}

function unpack(args: Arguments): readonly LuaValue[] {
  const format = new Format(args);
  const data = args.text(1);
  const start = args.whole(2, 1);
  if (start === 0) args.bad(2, "offset must be 1 or greater");
  if (start < 0) args.bad(1, "data string too short");
  const values: LuaValue[] = [];
  let at = start - 1;
  const need = (size: number): void => {
    if (at + size > data.length) args.bad(1, "data string too short");
  };
  for (let item = format.next(at); item !== null; item = format.next(at)) {
    const { option, isLittle } = item;
    let { size } = item;
    at += item.padding;
    need(size);
    const bytes = (): string => {
      const part = data.slice(at, at + size);
      return isLittle ? reversed(part) : part;
    };
    if (isInteger(option)) {
      const whole = BigInt.asUintN(64, unsignedOf(bytes()));
      const isSigned = option === option.toLowerCase();
      values.push(Number(isSigned ? BigInt.asIntN(Math.min(64, size * 8), whole) : whole));
    } else if (option === "f") values.push(floatOf(bytes()));
    else if (option === "d") values.push(doubleOf(bytes()));
    else if (option === "c") {
      if (size === 0) {
        const before = values.pop();
        if (typeof before !== "number") return args.machine.fail("format 'c0' needs a previous size");
        size = before;
        need(size);
      }
      values.push(data.slice(at, at + size));
    } else if (option === "s") {
      const end = data.indexOf("\0", at);
      if (end < 0) args.machine.fail("unfinished string in data");
      values.push(data.slice(at, end));
      size = end - at + 1;
    }
    at += size;
  }
  return [...values, at + 1];
}
