/** `bit`: Lua BitOp, as Redis has it. Numbers wrap to 32 bits; results are signed. */
import { type Arguments, library } from "./arguments.ts";
import type { Machine } from "./machine.ts";

/** The nearest whole number, halves to the even one, in 32 bits. */
function bits(args: Arguments, i: number): number {
  const value = args.number(i);
  const down = Math.floor(value);
  const up = value - down > 0.5 || (value - down === 0.5 && down % 2 !== 0);
  return Number(BigInt.asIntN(32, BigInt(Number.isFinite(value) ? (up ? down + 1 : down) : 0)));
}

function folded(by: (a: number, b: number) => number): (args: Arguments) => readonly number[] {
  return (args) => {
    let result = bits(args, 0);
    for (let i = 1; i < args.values.length; i += 1) result = by(result, bits(args, i));
    return [result];
  };
}

function shifted(by: (a: number, n: number) => number): (args: Arguments) => readonly number[] {
  return (args) => [by(bits(args, 0), bits(args, 1) & 31) | 0];
}

const rotated = (a: number, n: number): number => (a << n) | (n === 0 ? 0 : a >>> (32 - n));

export function installBit(machine: Machine): void {
  machine.globals.set(
    "bit",
    library(machine, {
      tobit: (args) => [bits(args, 0)],
      bnot: (args) => [~bits(args, 0)],
      band: folded((a, b) => a & b),
      bor: folded((a, b) => a | b),
      bxor: folded((a, b) => a ^ b),
      lshift: shifted((a, n) => a << n),
      rshift: shifted((a, n) => a >>> n),
      arshift: shifted((a, n) => a >> n),
      rol: shifted(rotated),
      ror: shifted((a, n) => rotated(a, (32 - n) & 31)),
      bswap: (args) => {
        const a = bits(args, 0);
        return [(a >>> 24) | ((a >>> 8) & 0xff00) | ((a & 0xff00) << 8) | (a << 24)];
      },
      tohex: (args) => {
        const a = bits(args, 0) >>> 0;
        const n = args.values[1] === undefined ? 8 : bits(args, 1);
        const size = Math.min(8, Math.abs(n));
        const text = a.toString(16).padStart(8, "0");
        return [(n < 0 ? text.toUpperCase() : text).slice(8 - size)];
      },
    }),
  );
}
