/**
 * As much of a list as a checkpoint holds. The list itself is only ever appended to, so whoever goes on with it shares the
 * array, and the checkpoint notes its length; whoever cuts it, or puts something in another one's place, makes another
 * array first.
 */
export interface AppendOnly<T> {
  readonly appendOnly: readonly T[];
  /** Only so many of them belong to the checkpoint. */
  readonly length: number;
}

export function appendOnly<T>(list: readonly T[]): AppendOnly<T> {
  return { appendOnly: list, length: list.length };
}

/** A list of one's own. */
export function copyOf<T>({ appendOnly: list, length }: AppendOnly<T>): T[] {
  return list.slice(0, length);
}

export function isAppendOnly(value: object): value is AppendOnly<unknown> {
  return "appendOnly" in value;
}
