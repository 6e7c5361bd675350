/** Which keys a role opens: spans, and whether what is asked for lies within the union of them (etcd range_perm_cache.go). */
import { type Bytes, FROM_KEY } from "../api/bytes.ts";
import type { Permission } from "../api/messages.ts";
import type { Span } from "../mvcc/span.ts";

/** Half open; null: without an end. */
interface Interval {
  readonly from: Bytes;
  readonly to: Bytes | null;
}

/** A single key is the interval up to the next possible one. */
export function intervalOf({ key, rangeEnd }: Span): Interval {
  if (rangeEnd === "") return { from: key, to: `${key}\0` };
  return { from: key, to: rangeEnd === FROM_KEY ? null : rangeEnd };
}

export function allows(permissions: readonly Permission[], type: "READ" | "WRITE", span: Span): boolean {
  const granted = permissions
    .filter(({ permType }) => permType === type || permType === "READWRITE")
    .map(intervalOf)
    .sort((a, b) => (a.from < b.from ? -1 : a.from > b.from ? 1 : 0));
  const wanted = intervalOf(span);
  let covered = wanted.from;
  for (const { from, to } of granted) {
    // what ends before it opens nothing, not even a range without a key in it
    if (to !== null && to <= wanted.from) continue;
    if (from > covered) return false;
    if (to === null) return true;
    if (to > covered) covered = to;
    if (wanted.to !== null && covered >= wanted.to) return true;
  }
  return false;
}

/** Whether its end lies behind its beginning, if it has one. */
export function isValidRange({ key, rangeEnd }: Span): boolean {
  return key !== "" && (rangeEnd === "" || rangeEnd === FROM_KEY || key < rangeEnd);
}
