/** What is wrong, in words; null when all is as it must be. */
export type Wrong = string | null;

/** The first of several that is not as it must be. Each: what it is, what was found, what must be. */
export function first(...each: readonly (readonly [what: string, found: unknown, must: unknown])[]): Wrong {
  for (const [what, found, must] of each) {
    const [a, b] = [JSON.stringify(found), JSON.stringify(must)];
    if (a !== b) return `${what}: ${a} instead of ${b}`;
  }
  return null;
}
