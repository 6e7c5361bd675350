/** Arrays that are used again: one that is made anew, or emptied by its length, gets new memory at the next push. */

/** Takes the first `count` items out, in place and without giving the array's memory back. For short lists. */
export function removeFirst(list: unknown[], count: number): void {
  const left = list.length - count;
  for (let i = 0; i < left; i += 1) list[i] = list[i + count];
  while (list.length > left) list.pop();
}

/** Takes one item out, in place. */
export function removeAt(list: unknown[], at: number): void {
  for (let i = at + 1; i < list.length; i += 1) list[i - 1] = list[i];
  list.pop();
}

/** Takes everything out. */
export function removeAll(list: unknown[]): void {
  while (list.length > 0) list.pop();
}
