/** Lua's patterns: classes, sets, `* + - ?`, `%b`, `%f`, captures and back references. */

export class PatternError extends Error {
  override readonly name = "PatternError";
}

/** A capture: where it starts and its length; -1 while it is open, -2 for a position. */
interface Capture {
  start: number;
  length: number;
}
const OPEN = -1;
const POSITION = -2;
/** How often a match may call itself, and how many steps it may take. */
const DEPTH_MAX = 200;
const STEPS_MAX = 500_000;

export interface Match {
  readonly start: number;
  readonly end: number;
  /** A number is a position. */
  readonly captures: readonly (string | number)[];
}

/** The first match at or after `from`; with `^` only there. */
export function find(text: string, pattern: string, from: number): Match | null {
  const anchored = pattern.startsWith("^");
  const matcher = new Matcher(text, pattern);
  for (let start = from; start <= text.length; start += 1) {
    const end = matcher.run(start, anchored ? 1 : 0);
    if (end !== null) return { start, end, captures: matcher.captured() };
    if (anchored) return null;
  }
  return null;
}

class Matcher {
  readonly #text: string;
  readonly #pattern: string;
  #captures: Capture[] = [];
  #depth = 0;
  #steps = 0;

  constructor(text: string, pattern: string) {
    this.#text = text;
    this.#pattern = pattern;
  }

  run(start: number, patternStart: number): number | null {
    this.#captures = [];
    return this.#match(start, patternStart);
  }

  captured(): (string | number)[] {
    return this.#captures.map(({ start, length }) => {
      if (length === OPEN) throw new PatternError("unfinished capture");
      return length === POSITION ? start + 1 : this.#text.slice(start, start + length);
    });
  }

  #match(s: number, p: number): number | null {
    this.#depth += 1;
    if (this.#depth > DEPTH_MAX) throw new PatternError("pattern too complex");
    try {
      return this.#step(s, p);
    } finally {
      this.#depth -= 1;
    }
  }

  #step(from: number, patternFrom: number): number | null {
    const [text, pattern] = [this.#text, this.#pattern];
    let [s, p] = [from, patternFrom];
    for (;;) {
      this.#steps += 1;
      if (this.#steps > STEPS_MAX) throw new PatternError("pattern too complex");
      if (p >= pattern.length) return s;
      const char = pattern[p];
      if (char === "(") return pattern[p + 1] === ")" ? this.#open(s, p + 2, POSITION) : this.#open(s, p + 1, OPEN);
      if (char === ")") return this.#close(s, p + 1);
      if (char === "$" && p + 1 === pattern.length) return s === text.length ? s : null;
      if (char === "%" && pattern[p + 1] === "b") {
        const end = this.#balanced(s, p + 2);
        if (end === null) return null;
        [s, p] = [end, p + 4];
        continue;
      }
      if (char === "%" && pattern[p + 1] === "f") {
        if (pattern[p + 2] !== "[") throw new PatternError("missing '[' after '%f' in pattern");
        const end = this.#classEnd(p + 2);
        const before = s === 0 ? "\0" : (text[s - 1] as string);
        if (this.#inSet(before, p + 2, end - 1) || !this.#inSet(text[s] ?? "\0", p + 2, end - 1)) return null;
        p = end;
        continue;
      }
      if (char === "%" && /\d/.test(pattern[p + 1] ?? "")) {
        const same = this.#backReference(pattern[p + 1] as string);
        if (!text.startsWith(same, s)) return null;
        [s, p] = [s + same.length, p + 2];
        continue;
      }
      const end = this.#classEnd(p);
      const suffix = pattern[end];
      const fits = s < text.length && this.#single(text[s] as string, p, end);
      if (suffix === "?") {
        const rest = fits ? this.#match(s + 1, end + 1) : null;
        if (rest !== null) return rest;
        p = end + 1;
      } else if (suffix === "+") return fits ? this.#most(s + 1, p, end) : null;
      else if (suffix === "*") return this.#most(s, p, end);
      else if (suffix === "-") return this.#least(s, p, end);
      else if (fits) [s, p] = [s + 1, end];
      else return null;
    }
  }

  #most(s: number, p: number, end: number): number | null {
    let count = 0;
    while (s + count < this.#text.length && this.#single(this.#text[s + count] as string, p, end)) count += 1;
    for (; count >= 0; count -= 1) {
      const rest = this.#match(s + count, end + 1);
      if (rest !== null) return rest;
    }
    return null;
  }

  #least(from: number, p: number, end: number): number | null {
    for (let s = from; ; s += 1) {
      const rest = this.#match(s, end + 1);
      if (rest !== null) return rest;
      if (s >= this.#text.length || !this.#single(this.#text[s] as string, p, end)) return null;
    }
  }

  #open(s: number, p: number, length: number): number | null {
    this.#captures.push({ start: s, length });
    const rest = this.#match(s, p);
    if (rest === null) this.#captures.pop();
    return rest;
  }

  #close(s: number, p: number): number | null {
    const capture = this.#captures.findLast(({ length }) => length === OPEN);
    if (capture === undefined) throw new PatternError("invalid pattern capture");
    capture.length = s - capture.start;
    const rest = this.#match(s, p);
    if (rest === null) capture.length = OPEN;
    return rest;
  }

  #backReference(digit: string): string {
    const capture = this.#captures[Number(digit) - 1];
    if (capture === undefined || capture.length === OPEN) throw new PatternError("invalid capture index");
    return this.#text.slice(capture.start, capture.start + capture.length);
  }

  #balanced(s: number, p: number): number | null {
    const [open, close] = [this.#pattern[p], this.#pattern[p + 1]];
    if (open === undefined || close === undefined) throw new PatternError("unbalanced pattern");
    if (this.#text[s] !== open) return null;
    let depth = 1;
    for (let at = s + 1; at < this.#text.length; at += 1) {
      if (this.#text[at] === close) {
        depth -= 1;
        if (depth === 0) return at + 1;
      } else if (this.#text[at] === open) depth += 1;
    }
    return null;
  }

  /** Where the single class that starts at `p` ends. */
  #classEnd(p: number): number {
    const pattern = this.#pattern;
    if (pattern[p] === "%") {
      if (p + 1 >= pattern.length) throw new PatternError("malformed pattern (ends with '%')");
      return p + 2;
    }
    if (pattern[p] !== "[") return p + 1;
    let at = p + 1;
    if (pattern[at] === "^") at += 1;
    do {
      if (at >= pattern.length) throw new PatternError("malformed pattern (missing ']')");
      if (pattern[at] === "%") at += 1;
      at += 1;
    } while (pattern[at] !== "]");
    return at + 1;
  }

  #single(char: string, p: number, end: number): boolean {
    const mark = this.#pattern[p];
    if (mark === ".") return true;
    if (mark === "%") return inClass(char, this.#pattern[p + 1] as string);
    if (mark === "[") return this.#inSet(char, p, end - 1);
    return mark === char;
  }

  /** @param last where its `]` stands */
  #inSet(char: string, p: number, last: number): boolean {
    const pattern = this.#pattern;
    let at = p + 1;
    const not = pattern[at] === "^";
    if (not) at += 1;
    for (; at < last; at += 1) {
      if (pattern[at] === "%") {
        at += 1;
        if (inClass(char, pattern[at] as string)) return !not;
      } else if (pattern[at + 1] === "-" && at + 2 < last) {
        if (char >= (pattern[at] as string) && char <= (pattern[at + 2] as string)) return !not;
        at += 2;
      } else if (pattern[at] === char) return !not;
    }
    return not;
  }
}

const CLASSES: Readonly<Record<string, RegExp>> = {
  a: /[A-Za-z]/,
  c: /\p{Cc}/u,
  d: /[0-9]/,
  l: /[a-z]/,
  p: /[!-/:-@[-`{-~]/,
  s: /[\t-\r ]/,
  u: /[A-Z]/,
  w: /[A-Za-z0-9]/,
  x: /[0-9A-Fa-f]/,
  z: /\0/,
};

function inClass(char: string, name: string): boolean {
  const lowered = name.toLowerCase();
  const found = CLASSES[lowered];
  if (found === undefined) return char === name;
  // Only ASCII has classes here, as in C's own locale.
  return (char <= "\x7f" && found.test(char)) === (name === lowered);
}
