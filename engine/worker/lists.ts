/**
 * Checkpoints on their way between two threads, without what the other side has already.
 *
 * What makes a checkpoint large are lists that are only ever appended to: a log's entries, the changes of a store. They
 * are shared within a thread, and would be copied whole each time they are posted. So the sender remembers how far each
 * has been sent, and the receiver goes on appending to what it got.
 */
import { assert } from "../base/assert.ts";
import { type AppendOnly, copyOf, isAppendOnly } from "../base/append-only.ts";

/** In the place of a list. */
interface Abridged {
  /** How many of its items were sent before; 0: it is another list. */
  readonly known: number;
  readonly added: readonly unknown[];
}

function isAbridged(value: object): value is Abridged {
  return "known" in value && "added" in value;
}

/** Lists are told apart by the order in which they stand in a checkpoint. */
export class ListSender {
  #sent: AppendOnly<unknown>[] = [];

  abridge(checkpoint: unknown): unknown {
    const before = this.#sent;
    const sent: AppendOnly<unknown>[] = [];
    const abridged = withEach(checkpoint, isAppendOnly, (list): Abridged => {
      const last = before[sent.length];
      const known = last?.appendOnly === list.appendOnly ? last.length : 0;
      sent.push(list);
      return { known, added: list.appendOnly.slice(known, list.length) };
    });
    this.#sent = sent;
    return abridged;
  }
}

export class ListReceiver {
  #lists: unknown[][] = [];

  complete(abridged: unknown): unknown {
    const before = this.#lists;
    const lists: unknown[][] = [];
    const completed = withEach(abridged, isAbridged, ({ known, added }): AppendOnly<unknown> => {
      const list = known === 0 ? [] : (before[lists.length] ?? []);
      assert(list.length === known, "a list goes on where it was left");
      for (const item of added) list.push(item);
      lists.push(list);
      return { appendOnly: list, length: list.length };
    });
    this.#lists = lists;
    return completed;
  }
}

/** A checkpoint with lists of its own: others may have appended to them since. */
export function withWholeLists(checkpoint: unknown): unknown {
  return withEach(checkpoint, isAppendOnly, (list) => ({ appendOnly: copyOf(list), length: list.length }));
}

/** A copy of plain data in which each object of one kind is replaced. */
function withEach<T extends object>(
  value: unknown,
  isOne: (value: object) => value is T,
  put: (one: T) => object,
): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => withEach(item, isOne, put));
  // A map, a set, bytes: as it is.
  if (Object.prototype.toString.call(value) !== "[object Object]") return value;
  if (isOne(value)) return put(value);
  const copy: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) copy[key] = withEach(item, isOne, put);
  return copy;
}
