/** Remembers the last answer of a selector and gives it again while what it was made from is the same. */
export function memoLast<In extends readonly unknown[], Out>(make: (...from: In) => Out): (...from: In) => Out {
  let last: { readonly from: In; readonly out: Out } | null = null;
  return (...from) => {
    if (last !== null && last.from.length === from.length && last.from.every((part, i) => part === from[i]))
      return last.out;
    last = { from, out: make(...from) };
    return last.out;
  };
}
