/**
 * Exponentials, logarithms and angles from the four operations and square roots, which are the same on every machine; a
 * browser's own differ in their last digit.
 */

const LN2_HIGH = 6.931_471_803_691_238e-1;
const LN2_LOW = 1.908_214_929_270_587_7e-10;
const HALF_PI_HIGH = 1.570_796_326_734_125_6;
const HALF_PI_LOW = 6.077_100_506_506_192e-11;
const TERMS = 24;

/** 2^n · value, for any whole n that a double can have. */
export function scaled(value: number, n: number): number {
  let result = value;
  for (let i = Math.min(Math.abs(n), 2_200); i > 0; i -= 1) result = n < 0 ? result / 2 : result * 2;
  return result;
}

/** The part of at least a half and below 1, and its power of two. */
export function parts(value: number): { readonly part: number; readonly exponent: number } {
  let [part, exponent] = [value, 0];
  if (value === 0 || !Number.isFinite(value)) return { part, exponent };
  for (; Math.abs(part) >= 1; exponent += 1) part /= 2;
  for (; Math.abs(part) < 0.5; exponent -= 1) part *= 2;
  return { part, exponent };
}

export function exp(x: number): number {
  if (Number.isNaN(x)) return x;
  if (x > 710) return Number.POSITIVE_INFINITY;
  if (x < -746) return 0;
  const n = Math.round(x / (LN2_HIGH + LN2_LOW));
  const rest = x - n * LN2_HIGH - n * LN2_LOW;
  let sum = 0;
  for (let i = TERMS; i > 0; i -= 1) sum = ((1 + sum) * rest) / i;
  return scaled(1 + sum, n);
}

export function log(x: number): number {
  if (Number.isNaN(x) || x < 0) return Number.NaN;
  if (x === 0) return Number.NEGATIVE_INFINITY;
  if (x === Number.POSITIVE_INFINITY) return x;
  let { part, exponent } = parts(x);
  if (part < Math.SQRT1_2) [part, exponent] = [part * 2, exponent - 1];
  const s = (part - 1) / (part + 1);
  let sum = 0;
  for (let i = TERMS; i > 0; i -= 1) sum = (sum + 1 / (2 * i + 1)) * s * s;
  return exponent * LN2_HIGH + (2 * s * (1 + sum) + exponent * LN2_LOW);
}

/** Exact for powers of ten. */
export function log10(x: number): number {
  const value = log(x) / Math.LN10;
  const whole = Math.round(value);
  return Number.isFinite(value) && Math.abs(value - whole) < 1e-12 && Number(`1e${whole}`) === x ? whole : value;
}

export const sin = (x: number): number => turned(x, 0);
export const cos = (x: number): number => turned(x, 1);

/** Sine of x and so many quarter turns. */
function turned(x: number, quarters: number): number {
  if (!Number.isFinite(x)) return Number.NaN;
  const n = Math.round(x / (HALF_PI_HIGH + HALF_PI_LOW));
  const rest = x - n * HALF_PI_HIGH - n * HALF_PI_LOW;
  const quarter = (((n + quarters) % 4) + 4) % 4;
  const isCosine = quarter % 2 === 1;
  let sum = 0;
  for (let i = TERMS; i > 0; i -= 1) {
    const k = isCosine ? 2 * i : 2 * i + 1;
    sum = (-(1 + sum) * rest * rest) / (k * (k - 1));
  }
  const value = isCosine ? 1 + sum : rest * (1 + sum);
  return quarter < 2 ? value : -value;
}

export function atan(x: number): number {
  if (Number.isNaN(x)) return x;
  if (!Number.isFinite(x)) return x > 0 ? Math.PI / 2 : -Math.PI / 2;
  // Two halvings of the angle, then the series.
  const half = (tangent: number): number => tangent / (1 + Math.sqrt(1 + tangent * tangent));
  const t = half(half(x));
  let sum = 0;
  for (let i = TERMS; i > 0; i -= 1) sum = -(sum + 1 / (2 * i + 1)) * t * t;
  return 4 * t * (1 + sum);
}

export function atan2(y: number, x: number): number {
  if (x > 0) return atan(y / x);
  if (x < 0) return y < 0 ? atan(y / x) - Math.PI : atan(y / x) + Math.PI;
  return y > 0 ? Math.PI / 2 : y < 0 ? -Math.PI / 2 : 0;
}

export function asin(x: number): number {
  return Math.abs(x) > 1 ? Number.NaN : atan2(x, Math.sqrt((1 - x) * (1 + x)));
}
export function acos(x: number): number {
  return Math.abs(x) > 1 ? Number.NaN : atan2(Math.sqrt((1 - x) * (1 + x)), x);
}
