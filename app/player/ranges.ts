/**
 * The ranges that links and the parameters of the address have in common, so that both mean the same.
 */
import * as v from "valibot";
import { SPEEDS } from "../store/speed.ts";

export const MEMBERS_MAX = 9;

/** A safe integer of [min, max]. */
export function integer(min: number, max: number) {
  return v.pipe(v.number(), v.safeInteger(), v.minValue(min), v.maxValue(max));
}

export const SeedSchema = integer(0, Number.MAX_SAFE_INTEGER);
export const MembersSchema = integer(1, MEMBERS_MAX);
export const TimingSchema = v.picklist(["paper", "wide", "etcd"]);
export const SpeedSchema = v.picklist(SPEEDS);
