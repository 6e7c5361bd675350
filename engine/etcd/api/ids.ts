/**
 * etcd's 64-bit names. They do not fit a number, so they travel as decimal strings, and are never calculated with.
 *
 * A lease's id is an int64 and may be negative; a member's and a cluster's are uint64. People meet all of them in
 * hexadecimal: in etcdctl's output, and in the keys that a lock makes of its lease.
 */
import { assert } from "../../base/assert.ts";
import type { Brand } from "../../base/brand.ts";

/** A decimal int64. */
export type LeaseId = Brand<string, "LeaseId">;
/** A decimal uint64. */
export type MemberId = Brand<string, "MemberId">;

export const NO_LEASE = "0" as LeaseId;
export const NO_MEMBER = "0" as MemberId;

/** Lower case, without padding, negative ones with a minus sign: as Go's `%x` writes an int64, and so as lock keys have it. */
export function leaseHex(id: LeaseId): string {
  return BigInt(id).toString(16);
}

/** As etcdctl reads a lease: hexadecimal. Null when it is none, or does not fit. */
export function leaseFromHex(text: string): LeaseId | null {
  const parts = /^([+-]?)(?:0[xX])?([0-9a-fA-F]+)$/.exec(text);
  if (parts === null) return null;
  const value = BigInt(`0x${parts[2]}`) * (parts[1] === "-" ? -1n : 1n);
  return BigInt.asIntN(64, value) === value ? (value.toString() as LeaseId) : null;
}

export function memberHex(id: MemberId): string {
  return BigInt(id).toString(16);
}

/** Two halves of 32 bits, high first, as an unsigned decimal. */
export function id64(high: number, low: number): string {
  assert(high >>> 0 === high && low >>> 0 === low, "halves have 32 bits");
  return ((BigInt(high) << 32n) | BigInt(low)).toString();
}
