/**
 * INCRBYFLOAT's arithmetic: x86's 80-bit long double (a 64-bit mantissa), in exact integers, and Redis's way of writing
 * it (17 decimals, zeros at the end dropped). So 10.5 + 0.1 is 10.6 here as there, on every machine.
 */

/** mantissa × 2^exponent; the mantissa has at most 64 bits. */
interface LongDouble {
  readonly mantissa: bigint;
  readonly exponent: number;
}

const MANTISSA_BITS = 64;
const DECIMALS = 17;
/** Beyond these a value is infinite, or nothing: 2^16384 is near 1.2e4932. */
const DECIMAL_EXPONENT_MAX = 4_932;

/** Null when the text is no number. Infinite is `"inf"`. */
function parse(text: string): LongDouble | "inf" | null {
  const match = /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d{1,6}))?$/.exec(text);
  if (match === null || `${match[2]}${match[3]}` === "") return /^[+-]?inf(inity)?$/i.test(text) ? "inf" : null;
  const [, sign = "", whole = "", part = "", power = "0"] = match;
  const digits = BigInt(`${whole}${part}`);
  const tens = Number(power) - part.length;
  if (digits === 0n || whole.length + part.length + tens < -DECIMAL_EXPONENT_MAX) return { mantissa: 0n, exponent: 0 };
  if (String(digits).length + tens > DECIMAL_EXPONENT_MAX) return "inf";
  const value = tens >= 0 ? rounded(digits * 10n ** BigInt(tens), 0) : divided(digits, 10n ** BigInt(-tens));
  return sign === "-" ? { ...value, mantissa: -value.mantissa } : value;
}

function bits(value: bigint): number {
  return (value < 0n ? -value : value).toString(2).length;
}

/** To the nearest of 64 bits, to even when halfway. */
function rounded(mantissa: bigint, exponent: number): LongDouble {
  const extra = bits(mantissa) - MANTISSA_BITS;
  if (extra <= 0) return { mantissa, exponent };
  return { mantissa: shiftedToEven(mantissa, BigInt(extra)), exponent: exponent + extra };
}

function shiftedToEven(value: bigint, by: bigint): bigint {
  return quotientToEven(value, 1n << by);
}

function quotientToEven(value: bigint, divisor: bigint): bigint {
  const negative = value < 0n;
  const size = negative ? -value : value;
  const whole = size / divisor;
  const twice = (size % divisor) * 2n;
  const up = twice > divisor || (twice === divisor && whole % 2n === 1n) ? 1n : 0n;
  return negative ? -(whole + up) : whole + up;
}

function divided(above: bigint, below: bigint): LongDouble {
  // Two bits more than are kept, and one that stands for all that follows: rounding then sees enough.
  const shift = Math.max(0, MANTISSA_BITS + 2 - (bits(above) - bits(below)));
  const scaled = above << BigInt(shift);
  const sticky = scaled % below === 0n ? 0n : 1n;
  return rounded(((scaled / below) << 1n) | sticky, -shift - 1);
}

function sum(a: LongDouble, b: LongDouble): LongDouble {
  const low = Math.min(a.exponent, b.exponent);
  const [x, y] = [a, b].map(({ mantissa, exponent }) => mantissa << BigInt(exponent - low));
  return rounded((x as bigint) + (y as bigint), low);
}

function write({ mantissa, exponent }: LongDouble): string {
  const scale = 10n ** BigInt(DECIMALS);
  const scaled =
    exponent >= 0 ? (mantissa << BigInt(exponent)) * scale : quotientToEven(mantissa * scale, 1n << BigInt(-exponent));
  const negative = scaled < 0n;
  const digits = String(negative ? -scaled : scaled).padStart(DECIMALS + 1, "0");
  const part = digits.slice(-DECIMALS).replace(/0+$/, "");
  const text = `${digits.slice(0, -DECIMALS)}${part === "" ? "" : `.${part}`}`;
  return negative && text !== "0" ? `-${text}` : text;
}

export type FloatSum = { readonly value: string } | "not-a-float" | "not-finite";

/** The sum of two numbers in text, as INCRBYFLOAT writes it. */
export function addLongDouble(a: string, b: string): FloatSum {
  const [x, y] = [parse(a), parse(b)];
  if (x === null || y === null) return "not-a-float";
  if (x === "inf" || y === "inf") return "not-finite";
  return { value: write(sum(x, y)) };
}

export function isLongDouble(text: string): boolean {
  return parse(text) !== null;
}
