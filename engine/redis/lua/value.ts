/** Lua 5.1's values. nil is `undefined`; strings are byte strings. */

export type LuaValue = undefined | boolean | number | string | LuaTable | LuaFunction | LuaPointer;

/** A light userdata of C. */
export interface LuaPointer {
  readonly kind: "userdata";
}

/** The null pointer: what cjson has for JSON's null, a value that is not nil. */
export const NULL: LuaPointer = { kind: "userdata" };

export interface LuaFunction {
  readonly kind: "function";
  /** Of the library: what it finds wrong when the library itself calls it has no place in the script. */
  readonly native?: true;
  call(args: readonly LuaValue[]): readonly LuaValue[];
}

/** An array part for 1…n and a map for the rest, which `pairs` walks in order of insertion. */
export class LuaTable {
  items: LuaValue[] = [];
  readonly rest = new Map<LuaValue, LuaValue>();
  meta: LuaTable | null = null;
  /** Redis's own tables, globals among them, cannot be written by a script. */
  readonly = false;

  get(key: LuaValue): LuaValue {
    if (typeof key === "number" && key >= 1 && key <= this.items.length && Number.isInteger(key))
      return this.items[key - 1];
    return this.rest.get(key);
  }

  set(key: LuaValue, value: LuaValue): void {
    const { items, rest } = this;
    if (typeof key === "number" && Number.isInteger(key) && key >= 1 && key <= items.length + 1) {
      if (key <= items.length) {
        items[key - 1] = value;
        while (items.length > 0 && items.at(-1) === undefined) items.pop();
      } else if (value === undefined) rest.delete(key);
      else {
        rest.delete(key);
        items.push(value);
        for (let next = rest.get(items.length + 1); next !== undefined; next = rest.get(items.length + 1)) {
          rest.delete(items.length + 1);
          items.push(next);
        }
      }
    } else if (value === undefined) rest.delete(key);
    else rest.set(key, value);
  }

  /** A border: an n with t[n] there and t[n + 1] not. */
  get length(): number {
    const { items } = this;
    if (items.length === 0 || items.at(-1) !== undefined) return items.length;
    let [low, high] = [0, items.length];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (items[middle - 1] === undefined) high = middle;
      else low = middle;
    }
    return low;
  }

  keys(): LuaValue[] {
    const numbers = [...this.items.keys()].filter((i) => this.items[i] !== undefined).map((i) => i + 1);
    return [...numbers, ...this.rest.keys()];
  }
}

export function typeName(value: LuaValue): "nil" | "boolean" | "number" | "string" | "table" | "function" | "userdata" {
  if (value === undefined) return "nil";
  if (value instanceof LuaTable) return "table";
  if (value === NULL) return "userdata";
  const type = typeof value;
  return type === "boolean" || type === "number" || type === "string" ? type : "function";
}

export function truthy(value: LuaValue): boolean {
  return value !== undefined && value !== false;
}

/** An error on its way; `line` is where the innermost script function stood. */
export class LuaError extends Error {
  override readonly name = "LuaError";
  readonly value: LuaValue;
  readonly line: number;

  constructor(value: LuaValue, line: number) {
    super(typeof value === "string" ? value : "Lua error");
    this.value = value;
    this.line = line;
  }
}

/** The script cannot be read. */
export class LuaSyntaxError extends Error {
  override readonly name = "LuaSyntaxError";
}
