/** Numbers as bytes, the most significant first. */
import { arrayToBytes, bytesToArray } from "../bytes.ts";

/** The last `size` bytes of a whole number; one below 0 as two's complement. */
export function unsignedBytes(value: bigint, size: number): string {
  let out = "";
  for (let i = BigInt(size - 1); i >= 0n; i -= 1n) out += String.fromCharCode(Number((value >> (8n * i)) & 255n));
  return out;
}

export function unsignedOf(bytes: string): bigint {
  let value = 0n;
  for (const code of bytesToArray(bytes)) value = (value << 8n) | BigInt(code);
  return value;
}

function view(size: number, fill: (view: DataView) => void): string {
  const bytes = new Uint8Array(size);
  fill(new DataView(bytes.buffer));
  return arrayToBytes(bytes);
}

export const floatBytes = (value: number): string => view(4, (to) => to.setFloat32(0, value));
export const doubleBytes = (value: number): string => view(8, (to) => to.setFloat64(0, value));
export const floatOf = (bytes: string): number => new DataView(bytesToArray(bytes).slice().buffer).getFloat32(0);
export const doubleOf = (bytes: string): number => new DataView(bytesToArray(bytes).slice().buffer).getFloat64(0);
export const reversed = (bytes: string): string => bytes.split("").reverse().join("");
