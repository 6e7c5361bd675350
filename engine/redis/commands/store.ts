/** What commands that store a sorted set have in common. */
import type { Call } from "../call.ts";
import { int, type Reply } from "../reply.ts";

/** Puts rows in place of whatever there was; none: what there was is gone. */
export function store(
  { keys }: Call,
  key: string,
  found: readonly (readonly [member: string, score: number])[],
  event: string,
): Reply {
  if (found.length === 0) {
    if (keys.drop(key)) {
      keys.dirty += 1;
      keys.notify("g", "del", key);
    }
    return int(0);
  }
  keys.delete(key);
  const { scores } = keys.edit(key, "zset");
  for (const [member, score] of found) scores.set(member, score);
  keys.changed("z", event, key);
  return int(found.length);
}
