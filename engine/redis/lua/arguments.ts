/** Functions of the library: their arguments, and the errors for wrong ones as Lua words them. */
import { joinable, type Machine, toNumber } from "./machine.ts";
import { type LuaFunction, LuaTable, type LuaValue, typeName } from "./value.ts";

export type Native = (args: Arguments) => readonly LuaValue[];

/** A call's arguments, and the errors for wrong ones. */
export class Arguments {
  readonly machine: Machine;
  readonly name: string;
  readonly values: readonly LuaValue[];
  /** Called as `object:name(…)`: the object does not count in errors. */
  readonly isMethod: boolean;

  constructor(machine: Machine, name: string, values: readonly LuaValue[], isMethod: boolean) {
    this.machine = machine;
    this.isMethod = isMethod;
    this.name = name;
    this.values = values;
  }

  bad(i: number, why: string): never {
    const { machine, name } = this;
    // Lua finds no name for what the library itself has called.
    if (machine.isPlaceless) return machine.fail(`bad argument #${i + 1} to '?' (${why})`);
    if (this.isMethod && i === 0) return machine.fail(`calling '${name}' on bad self (${why})`);
    return machine.fail(`bad argument #${this.isMethod ? i : i + 1} to '${name}' (${why})`);
  }
  #wrong(i: number, wanted: string): never {
    const got = i < this.values.length ? typeName(this.values[i]) : "no value";
    return this.bad(i, `${wanted} expected, got ${got}`);
  }
  any(i: number): LuaValue {
    return i < this.values.length ? this.values[i] : this.bad(i, "value expected");
  }
  text(i: number, otherwise?: string): string {
    if (this.values[i] === undefined && otherwise !== undefined) return otherwise;
    return joinable(this.values[i]) ?? this.#wrong(i, "string");
  }
  number(i: number, otherwise?: number): number {
    if (this.values[i] === undefined && otherwise !== undefined) return otherwise;
    return toNumber(this.values[i]) ?? this.#wrong(i, "number");
  }
  whole(i: number, otherwise?: number): number {
    return Math.trunc(this.number(i, otherwise));
  }
  table(i: number): LuaTable {
    const value = this.values[i];
    return value instanceof LuaTable ? value : this.#wrong(i, "table");
  }
}

/** A table of functions. */
export function library(machine: Machine, functions: Readonly<Record<string, Native>>): LuaTable {
  const table = new LuaTable();
  for (const [name, native] of Object.entries(functions)) table.set(name, nativeFunction(machine, name, native));
  return table;
}

export function nativeFunction(machine: Machine, name: string, native: Native): LuaFunction {
  return {
    kind: "function",
    native: true,
    call: (values) => {
      const { isMethod } = machine;
      machine.isMethod = false;
      machine.step(machine.line);
      return native(new Arguments(machine, name, values, isMethod));
    },
  };
}
