/**
 * JSON text as Go's decoder reads it: one value after the other, with nothing needed between them. Numbers stay as they
 * are written, since a reader of 64-bit integers takes `10` and not `1e1`.
 */

/** The text is no JSON, or not of the message that it should be. Only that it is so is compared, not Go's words for it. */
export class JsonProblem extends Error {
  override readonly name = "JsonProblem";
}

/** A number as it is written. */
export interface Written {
  readonly digits: string;
}

export type Value = null | boolean | string | Written | readonly Value[] | ReadonlyMap<string, Value>;

/** The first value of a text; null when there is none. What stands behind it is not looked at. */
export function firstValue(text: string): Value | null {
  const reader = new TextReader(text);
  return reader.atEnd() ? null : reader.value();
}

/** All of them. */
export function allValues(text: string): readonly Value[] {
  const reader = new TextReader(text);
  const values: Value[] = [];
  while (!reader.atEnd()) values.push(reader.value());
  return values;
}

const SPACE = /[ \t\r\n]*/uy;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/uy;
const STRING = /"(?:[^"\\]|\\.)*"/uy;
const WORD = /null|true|false/uy;

class TextReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  atEnd(): boolean {
    this.#take(SPACE);
    return this.#at === this.#text.length;
  }

  value(): Value {
    this.#take(SPACE);
    if (this.#has("{")) return this.#object();
    if (this.#has("[")) return this.#list();
    const word = this.#take(WORD);
    if (word !== null) return word === "null" ? null : word === "true";
    const digits = this.#take(NUMBER);
    return digits === null ? this.#string() : { digits };
  }

  /** Of two fields of one name the later counts. */
  #object(): ReadonlyMap<string, Value> {
    const fields = new Map<string, Value>();
    if (this.#has("}")) return fields;
    do {
      this.#take(SPACE);
      const name = this.#string();
      this.#need(":");
      fields.set(name, this.value());
    } while (this.#has(","));
    this.#need("}");
    return fields;
  }

  #list(): readonly Value[] {
    const items: Value[] = [];
    if (this.#has("]")) return items;
    do items.push(this.value());
    while (this.#has(","));
    this.#need("]");
    return items;
  }

  #string(): string {
    const written = this.#take(STRING);
    if (written === null) throw new JsonProblem(`unexpected text at ${this.#at}`);
    try {
      return JSON.parse(written) as string;
    } catch (error) {
      throw new JsonProblem(String(error));
    }
  }

  #need(char: string): void {
    if (!this.#has(char)) throw new JsonProblem(`${char} is needed at ${this.#at}`);
  }

  #has(char: string): boolean {
    this.#take(SPACE);
    if (this.#text[this.#at] !== char) return false;
    this.#at += 1;
    return true;
  }

  #take(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? null;
    if (found !== null) this.#at += found.length;
    return found;
  }
}
