/**
 * Redis's patterns (KEYS, SCAN, PSUBSCRIBE, CONFIG GET): `*`, `?`, `[a-c]`, `[^x]`, and a backslash before what is meant
 * as it stands. An unclosed class ends with the pattern.
 */

/** What a class says of a char, and where the class ends. */
function classTakes(pattern: string, from: number, char: string): { readonly takes: boolean; readonly end: number } {
  let at = from;
  const not = pattern[at] === "^";
  if (not) at += 1;
  let takes = false;
  for (; at < pattern.length && pattern[at] !== "]"; at += 1) {
    if (pattern[at] === "\\" && at + 1 < pattern.length) {
      at += 1;
      if (pattern[at] === char) takes = true;
    } else if (pattern[at + 1] === "-" && at + 2 < pattern.length) {
      const [a, b] = [pattern[at] as string, pattern[at + 2] as string];
      if (char >= (a < b ? a : b) && char <= (a < b ? b : a)) takes = true;
      at += 2;
    } else if (pattern[at] === char) takes = true;
  }
  return { takes: takes !== not, end: Math.min(at, pattern.length - 1) };
}

/** Whether the whole text is what the pattern says. Takes at most pattern × text steps: only the last `*` is tried again. */
export function globMatches(pattern: string, text: string): boolean {
  let p = 0;
  let t = 0;
  let star = -1;
  let starText = 0;
  while (t < text.length || p < pattern.length) {
    const mark = pattern[p];
    if (mark === "*") {
      star = p;
      starText = t;
      p += 1;
      continue;
    }
    if (t < text.length && mark !== undefined) {
      const char = text[t] as string;
      let takes = mark === char;
      let end = p;
      if (mark === "?") takes = true;
      else if (mark === "[") ({ takes, end } = classTakes(pattern, p + 1, char));
      else if (mark === "\\" && p + 1 < pattern.length) {
        end = p + 1;
        takes = pattern[end] === char;
      }
      if (takes) {
        p = end + 1;
        t += 1;
        continue;
      }
    }
    if (star < 0 || starText >= text.length) return false;
    starText += 1;
    t = starText;
    p = star + 1;
  }
  return true;
}
