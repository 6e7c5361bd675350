/**
 * Structural sharing: `after`, but with every part that equals its counterpart in `before` taken from `before`.
 *
 * What comes from a worker is a copy, new down to the last leaf. Selectors compare by identity; without this, each
 * keyframe would render everything. For plain data only: objects, arrays and primitives.
 */
export function share<T>(before: unknown, after: T): T;
export function share(before: unknown, after: unknown): unknown {
  if (Object.is(before, after)) return before;
  if (!isObject(before) || !isObject(after) || Array.isArray(before) !== Array.isArray(after)) return after;
  const keys = Object.keys(after);
  let same = Object.keys(before).length === keys.length;
  const shared: Record<string, unknown> = Array.isArray(after) ? ([] as object as Record<string, unknown>) : {};
  for (const key of keys) {
    const kept = share(before[key], after[key]);
    if (!Object.is(kept, before[key]) || !Object.hasOwn(before, key)) same = false;
    shared[key] = kept;
  }
  return same ? before : shared;
}

/** A list counts as an object whose keys are its places. */
function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
