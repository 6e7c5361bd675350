/** Functions of the library: their arguments, and the errors for wrong ones as Lua words them. */
import { joinable, type Machine, toNumber } from "./machine.ts";
import { type LuaFunction, LuaTable, type LuaValue, typeName } from "./value.ts";

export type Native = (args: Arguments) => readonly LuaValue[];

/** A call's arguments, and the errors for wrong ones. */
export class Arguments {
  readonly machine: Machine;
  readonly name: string;
  readonly values: readonly LuaValue[];

  constructor(machine: Machine, name: string, values: readonly LuaValue[]) {
    this.machine = machine;
    this.name = name;
    this.values = values;
  }

  bad(i: number, why: string): never {
    return this.machine.fail(`bad argument #${i + 1} to '${this.name}' (${why})`);
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
      machine.step(machine.line);
      return native(new Arguments(machine, name, values));
    },
  };
}
