/**
 * What a range request makes of the live keys of its span: filters, order, limit (etcd server/etcdserver/txn/range.go).
 *
 * Easy to get wrong: `count` is of the span, before filters and limit. Without an order and filters the limit is applied
 * while the keys are read, so a target other than the key sorts only the first limit + 1 of them.
 */
import { KeyValue, type RangeRequest, RangeResponse } from "../api/messages.ts";
import { create } from "../api/proto.ts";
import { type GoShifts, goSort } from "./go-sort.ts";
import type { Change } from "./history.ts";

/** @param shifts of the Go that etcd was built with: they show in the order of ties */
export function select(
  request: RangeRequest,
  each: (found: (change: Change) => void) => void,
  shifts: GoShifts,
): RangeResponse {
  const { limit, keysOnly, countOnly } = request;
  const whole = request.sortOrder !== "NONE" || isFiltered(request);
  // One more than asked for tells whether there are more.
  const room = whole || limit <= 0 || countOnly ? Number.POSITIVE_INFINITY : limit + 1;
  let kvs: KeyValue[] = [];
  let count = 0;
  each(({ kv }) => {
    count += 1;
    if (!countOnly && kvs.length < room) kvs.push(kv);
  });
  if (isFiltered(request)) kvs = kvs.filter((kv) => passes(kv, request));
  sort(kvs, request, shifts);
  const more = limit > 0 && kvs.length > limit;
  if (more) kvs.length = limit;
  return create(RangeResponse, { kvs: keysOnly ? kvs.map((kv) => ({ ...kv, value: "" })) : kvs, more, count });
}

function isFiltered({ minModRevision, maxModRevision, minCreateRevision, maxCreateRevision }: RangeRequest): boolean {
  return minModRevision !== 0 || maxModRevision !== 0 || minCreateRevision !== 0 || maxCreateRevision !== 0;
}

function passes({ modRevision, createRevision }: KeyValue, request: RangeRequest): boolean {
  const { minModRevision, maxModRevision, minCreateRevision, maxCreateRevision } = request;
  return (
    (maxModRevision === 0 || modRevision <= maxModRevision) &&
    (minModRevision === 0 || modRevision >= minModRevision) &&
    (maxCreateRevision === 0 || createRevision <= maxCreateRevision) &&
    (minCreateRevision === 0 || createRevision >= minCreateRevision)
  );
}

/** Ties stay as Go's sort leaves them: in the order of keys among up to twelve. */
function sort(kvs: KeyValue[], { sortOrder, sortTarget }: RangeRequest, shifts: GoShifts): void {
  // They are in the order of keys already; another target without an order sorts upwards.
  if (sortOrder === "UNRECOGNIZED" || (sortTarget === "KEY" && sortOrder !== "DESCEND")) return;
  const isLess = (a: KeyValue, b: KeyValue): boolean => targetOf(a, sortTarget) < targetOf(b, sortTarget);
  goSort(kvs, sortOrder === "DESCEND" ? (a, b) => isLess(b, a) : isLess, shifts);
}

function targetOf(kv: KeyValue, target: RangeRequest["sortTarget"]): number | string {
  switch (target) {
    case "KEY":
      return kv.key;
    case "VERSION":
      return kv.version;
    case "CREATE":
      return kv.createRevision;
    case "MOD":
      return kv.modRevision;
    case "VALUE":
      return kv.value;
  }
}
