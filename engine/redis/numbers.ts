/** Numbers in and out of byte strings, as strict as Redis is: 64-bit integers, doubles, `%.17g`. */
import { NOT_A_FLOAT, NOT_AN_INTEGER, Refused } from "./reply.ts";

export const INT64_MAX = 9_223_372_036_854_775_807n;
export const INT64_MIN = -9_223_372_036_854_775_808n;

/** Null unless it is the canonical form of a 64-bit integer: no spaces, no plus, no leading zero. */
export function toInt64(text: string): bigint | null {
  if (!/^(0|-?[1-9]\d{0,18})$/.test(text)) return null;
  const value = BigInt(text);
  return value > INT64_MAX || value < INT64_MIN ? null : value;
}

export function int64(text: string, message = NOT_AN_INTEGER): bigint {
  const value = toInt64(text);
  if (value === null) throw new Refused(message);
  return value;
}

/** For counts and indexes: what is beyond 2^53 is as good as infinite, and stays so. */
export function integer(text: string, message = NOT_AN_INTEGER): number {
  return Number(int64(text, message));
}

const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;
const HEX = /^([+-]?)0[xX]([0-9a-fA-F]+)$/;

/** What strtod takes in whole; null otherwise, and for NaN. */
export function toDouble(text: string): number | null {
  if (DECIMAL.test(text)) return Number(text);
  if (/^\+?inf(inity)?$/i.test(text)) return Number.POSITIVE_INFINITY;
  if (/^-inf(inity)?$/i.test(text)) return Number.NEGATIVE_INFINITY;
  const hex = HEX.exec(text);
  return hex === null ? null : Number(`0x${hex[2]}`) * (hex[1] === "-" ? -1 : 1);
}

export function double(text: string, message = NOT_A_FLOAT): number {
  const value = toDouble(text);
  if (value === null) throw new Refused(message);
  return value;
}

/** So many more digits show whether what is cut off is exactly a half. */
const MORE_DIGITS = 40;
const DIGITS_MAX = 100;

/** `toExponential`, with halves to the even digit as C does it; JavaScript takes them up. */
export function exponential(value: number, digits: number): string {
  const text = value.toExponential(digits);
  const [mantissa = "", exponent = "0"] = value.toExponential(Math.min(DIGITS_MAX, digits + MORE_DIGITS)).split("e");
  const cut = isEvenHalf(mantissa.replace(/[-.]/g, ""), digits + 1);
  return !cut ? text : `${mantissa.slice(0, mantissa.indexOf(".") + 1 + digits).replace(/\.$/, "")}e${exponent}`;
}

/** Likewise `toFixed`, below 1e21. */
export function fixedPoint(value: number, digits: number): string {
  const text = value.toFixed(digits);
  const long = value.toFixed(Math.min(DIGITS_MAX, digits + MORE_DIGITS));
  const point = long.indexOf(".");
  const cut = point >= 0 && isEvenHalf(long.replace(/[-.]/g, ""), point - (value < 0 ? 1 : 0) + digits);
  return !cut ? text : long.slice(0, point + 1 + digits).replace(/\.$/, "");
}

/** Whether the digits from `at` on are exactly a half, and the one before is even. */
function isEvenHalf(digits: string, at: number): boolean {
  const before = Number(digits[at - 1] ?? "0");
  return before % 2 === 0 && /^50*$/.test(digits.slice(at));
}

/** C's `%.{digits}g`. */
export function formatG(value: number, digits: number): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  if (value === 0) return Object.is(value, -0) ? "-0" : "0";
  const [mantissa = "", exponentText = "0"] = exponential(value, digits - 1).split("e");
  const exponent = Number(exponentText);
  if (exponent >= -4 && exponent < digits) return trimmed(fixedPoint(value, Math.max(0, digits - 1 - exponent)), value);
  const size = Math.abs(exponent);
  return `${trimmed(mantissa, value)}e${exponent < 0 ? "-" : "+"}${size < 10 ? "0" : ""}${size}`;
}

function trimmed(text: string, value: number): string {
  // toFixed gives up on decimals from 1e21 on, which %g with at most 17 digits never asks for.
  if (Math.abs(value) >= 1e21 && !text.includes(".")) return text;
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** How a score is answered. */
export function formatDouble(value: number): string {
  return formatG(value, 17);
}
