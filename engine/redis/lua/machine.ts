/**
 * What running Lua code shares: the budget of steps, the line at hand, the depth of calls, globals; and the operators
 * with their errors, worded as Lua 5.1 words them.
 */
import { formatG, toDouble } from "../numbers.ts";
import { type JsonSettings, jsonSettings } from "./json-settings.ts";
import { exp, log } from "./transcendental.ts";
import { RANDOM_START, type RandomState } from "./random.ts";
import { LuaError, type LuaFunction, LuaTable, type LuaValue, typeName } from "./value.ts";

/** A script may take so many steps (an operation, a call, a turn of a loop); then it is ended with an error. */
export const STEPS_MAX = 2_000_000;
const DEPTH_MAX = 180;
export const STRING_MAX = 16_000_000;

/** How an operand was written, for errors: `local 'x'`, `field 'y'`; empty for what has no name. */
export type Naming = string;

/** Where a script function was called from. */
interface Place {
  readonly chunk: string;
  readonly line: number;
}

export class Machine {
  readonly globals: LuaTable;
  readonly strings: LuaTable;
  steps = STEPS_MAX;
  /** Whose code runs, as errors name it. */
  chunk: string;
  line = 1;
  /** Of each script function's caller, outermost first. */
  readonly calls: Place[] = [];
  /** The library works without a script function in between. */
  isPlaceless = false;
  /** The function that is called next is called as a method: errors do not count the object. */
  isMethod = false;
  json: JsonSettings = jsonSettings();
  random: RandomState = RANDOM_START;

  constructor(chunk: string, globals: LuaTable, strings: LuaTable) {
    this.chunk = chunk;
    this.globals = globals;
    this.strings = strings;
  }

  /** As new, but for what the library keeps: before each script. */
  begin(chunk: string): void {
    this.steps = STEPS_MAX;
    this.chunk = chunk;
    this.line = 1;
    this.calls.length = 0;
    this.isPlaceless = false;
    this.isMethod = false;
  }

  step(line: number): void {
    this.line = line;
    this.steps -= 1;
    if (this.steps < 0) this.fail("the script has used up its budget of steps");
  }

  /** With the place in front, as all of Lua's own errors. */
  fail(message: string): never {
    throw new LuaError(this.isPlaceless ? message : `${this.chunk}:${this.line}: ${message}`, this.line);
  }

  /** An operator that runs inside the library: its error tells no place. */
  placeless<T>(body: () => T): T {
    this.isPlaceless = true;
    try {
      return body();
    } finally {
      this.isPlaceless = false;
    }
  }

  failType(action: string, value: LuaValue, naming: Naming): never {
    return this.fail(
      naming === ""
        ? `attempt to ${action} a ${typeName(value)} value`
        : `attempt to ${action} ${naming} (a ${typeName(value)} value)`,
    );
  }

  // ── calls ──

  call(callee: LuaValue, args: readonly LuaValue[], naming: Naming = ""): readonly LuaValue[] {
    if (isFunction(callee)) return callee.call(args);
    const handler = this.metaOf(callee, "__call");
    if (handler === undefined) return this.failType("call", callee, naming);
    return this.call(handler, [callee, ...args]);
  }

  /** Runs a script function's body one level deeper. */
  enter<T>(chunk: string, body: () => T): T {
    if (this.calls.length >= DEPTH_MAX) this.fail("stack overflow");
    const from: Place = { chunk: this.chunk, line: this.line };
    this.calls.push(from);
    const { isPlaceless } = this;
    this.isPlaceless = false;
    this.isMethod = false;
    this.chunk = chunk;
    try {
      return body();
    } finally {
      this.isPlaceless = isPlaceless;
      this.calls.pop();
      this.chunk = from.chunk;
      this.line = from.line;
    }
  }

  // ── tables ──

  metaOf(value: LuaValue, event: string): LuaValue {
    if (value instanceof LuaTable) return value.meta?.get(event);
    return typeof value === "string" && event === "__index" ? this.strings : undefined;
  }

  index(object: LuaValue, key: LuaValue, naming: Naming = ""): LuaValue {
    if (object instanceof LuaTable) {
      const value = object.get(key);
      if (value !== undefined || object.meta === null) return value;
    }
    const handler = this.metaOf(object, "__index");
    if (handler === undefined) return object instanceof LuaTable ? undefined : this.failType("index", object, naming);
    this.step(this.line);
    return isFunction(handler) ? this.call(handler, [object, key])[0] : this.index(handler, key);
  }

  setIndex(object: LuaValue, key: LuaValue, value: LuaValue, naming: Naming = ""): void {
    if (!(object instanceof LuaTable)) return this.failType("index", object, naming);
    const handler = object.meta === null || object.get(key) !== undefined ? undefined : object.meta.get("__newindex");
    if (handler === undefined) return this.rawSet(object, key, value);
    this.step(this.line);
    if (isFunction(handler)) this.call(handler, [object, key, value]);
    else this.setIndex(handler, key, value);
  }

  rawSet(table: LuaTable, key: LuaValue, value: LuaValue): void {
    if (table.readonly) this.fail("Attempt to modify a readonly table");
    if (key === undefined) this.fail("table index is nil");
    if (typeof key === "number" && Number.isNaN(key)) this.fail("table index is NaN");
    table.set(key, value);
  }

  // ── operators ──

  arithmetic(op: string, a: LuaValue, b: LuaValue, nameA: Naming, nameB: Naming): LuaValue {
    const [x, y] = [toNumber(a), toNumber(b)];
    if (x !== undefined && y !== undefined) return compute(op, x, y);
    const handler = this.metaOf(a, META[op] ?? "") ?? this.metaOf(b, META[op] ?? "");
    if (handler !== undefined) return this.call(handler, [a, b])[0];
    return x === undefined
      ? this.failType("perform arithmetic on", a, nameA)
      : this.failType("perform arithmetic on", b, nameB);
  }

  negate(a: LuaValue, naming: Naming): LuaValue {
    const x = toNumber(a);
    if (x !== undefined) return -x;
    const handler = this.metaOf(a, "__unm");
    return handler === undefined ? this.failType("perform arithmetic on", a, naming) : this.call(handler, [a])[0];
  }

  concat(a: LuaValue, b: LuaValue, nameA: Naming, nameB: Naming): LuaValue {
    const [x, y] = [joinable(a), joinable(b)];
    if (x !== undefined && y !== undefined) {
      if (x.length + y.length > STRING_MAX) this.fail("string length overflow");
      return x + y;
    }
    const handler = this.metaOf(a, "__concat") ?? this.metaOf(b, "__concat");
    if (handler !== undefined) return this.call(handler, [a, b])[0];
    return x === undefined ? this.failType("concatenate", a, nameA) : this.failType("concatenate", b, nameB);
  }

  length(a: LuaValue, naming: Naming): LuaValue {
    if (typeof a === "string") return a.length;
    if (a instanceof LuaTable) return a.length;
    return this.failType("get length of", a, naming);
  }

  equal(a: LuaValue, b: LuaValue): boolean {
    if (a === b) return true;
    if (!(a instanceof LuaTable) || !(b instanceof LuaTable)) return false;
    const handler = a.meta?.get("__eq");
    if (handler === undefined || handler !== b.meta?.get("__eq")) return false;
    const result = this.call(handler, [a, b])[0];
    return result !== undefined && result !== false;
  }

  /** a < b, or a ≤ b. */
  less(a: LuaValue, b: LuaValue, orEqual: boolean): boolean {
    if (typeof a === "number" && typeof b === "number") return orEqual ? a <= b : a < b;
    if (typeof a === "string" && typeof b === "string") return orEqual ? a <= b : a < b;
    const handler = this.metaOf(a, orEqual ? "__le" : "__lt");
    if (handler !== undefined && handler === this.metaOf(b, orEqual ? "__le" : "__lt")) {
      const result = this.call(handler, [a, b])[0];
      return result !== undefined && result !== false;
    }
    const [x, y] = [typeName(a), typeName(b)];
    return this.fail(x === y ? `attempt to compare two ${x} values` : `attempt to compare ${x} with ${y}`);
  }
}

const META: Readonly<Record<string, string>> = {
  "+": "__add",
  "-": "__sub",
  "*": "__mul",
  "/": "__div",
  "%": "__mod",
  "^": "__pow",
};

function compute(op: string, x: number, y: number): number {
  switch (op) {
    case "+":
      return x + y;
    case "-":
      return x - y;
    case "*":
      return x * y;
    case "/":
      return x / y;
    case "%":
      return x - Math.floor(x / y) * y;
    default:
      return power(x, y);
  }
}

/** Whole exponents by multiplication, halves by square roots: the same on every machine. */
function power(base: number, exponent: number): number {
  if (exponent < 0) return 1 / power(base, -exponent);
  if (!Number.isInteger(exponent)) {
    if (exponent % 0.5 !== 0) return exp(exponent * log(base));
    return power(base, exponent - 0.5) * Math.sqrt(base);
  }
  let [result, square] = [1, base];
  for (let rest = Math.min(exponent, 2 ** 40); rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result *= square;
    square *= square;
  }
  return result;
}

export function isFunction(value: LuaValue): value is LuaFunction {
  return typeof value === "object" && "kind" in value && value.kind === "function";
}

/** A number, or a string that is one. */
export function toNumber(value: LuaValue): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value !== "string") return undefined;
  const text = value.replaceAll(/^[ \t\n\v\f\r]+|[ \t\n\v\f\r]+$/g, "");
  return /^[+-]?nan$/i.test(text) ? Number.NaN : (toDouble(text) ?? undefined);
}

/** What `..` takes. */
export function joinable(value: LuaValue): string | undefined {
  return typeof value === "string" ? value : typeof value === "number" ? numberText(value) : undefined;
}

/** Lua's `%.14g`. */
export function numberText(value: number): string {
  return Number.isNaN(value) ? "-nan" : formatG(value, 14);
}
