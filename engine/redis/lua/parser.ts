/**
 * Reads Lua 5.1 and makes of it functions that run: each expression and statement becomes a closure over its parts.
 *
 * A local variable is a box in its function's frame; a nested function takes along the boxes that it uses. All of the
 * language is there; coroutines and `setfenv` are not, as the library has no need of them in a lock script.
 */
import { Lexer, type Token } from "./lexer.ts";
import { type Machine, type Naming, toNumber } from "./machine.ts";
import { type LuaFunction, LuaTable, type LuaValue, truthy } from "./value.ts";

interface Box {
  value: LuaValue;
}

/** What a function has while it runs. */
interface Frame {
  readonly slots: Box[];
  readonly upvalues: readonly Box[];
  readonly varargs: readonly LuaValue[];
}

type Evaluate = (frame: Frame) => LuaValue;
type EvaluateAll = (frame: Frame) => readonly LuaValue[];
/** Looks where the value will go, which is done before the value is worked out. */
type Target = (frame: Frame) => (value: LuaValue) => void;
/** Undefined: go on. "break", or the values that are returned. */
type Outcome = undefined | "break" | readonly LuaValue[];
type Execute = (frame: Frame) => Outcome;

interface Expression {
  readonly one: Evaluate;
  /** For calls and `...`, which may give several values, or none. */
  readonly many: EvaluateAll | null;
  readonly target: Target | null;
  readonly isCall: boolean;
  readonly naming: Naming;
}

/** A function as it is being read. */
interface Scope {
  readonly parent: Scope | null;
  readonly blocks: Map<string, number>[];
  slots: number;
  readonly upvalues: { readonly name: string; readonly fromParentSlot: boolean; readonly index: number }[];
  readonly hasVarargs: boolean;
  usesVarargs: boolean;
  loops: number;
}

/** Left and right binding powers, as in Lua's manual. */
const BINARY: Readonly<Record<string, readonly [number, number]>> = {
  or: [1, 1],
  and: [2, 2],
  "<": [3, 3],
  ">": [3, 3],
  "<=": [3, 3],
  ">=": [3, 3],
  "~=": [3, 3],
  "==": [3, 3],
  "..": [5, 4],
  "+": [6, 6],
  "-": [6, 6],
  "*": [7, 7],
  "/": [7, 7],
  "%": [7, 7],
  "^": [10, 9],
};
const UNARY_POWER = 8;
const NESTING_MAX = 180;

/** @throws LuaSyntaxError */
export function compile(source: string, chunk: string, machine: Machine): LuaFunction {
  return new Parser(source, chunk, machine).chunk();
}

class Parser {
  readonly #lexer: Lexer;
  readonly #machine: Machine;
  readonly #chunk: string;
  #token: Token;
  #ahead: Token | null = null;
  #scope: Scope = newScope(null, true);
  /** The line of the token before the one at hand: Lua puts an operation down to the last token that it read for it. */
  #lastLine = 1;
  #nesting = 0;

  constructor(source: string, chunk: string, machine: Machine) {
    this.#lexer = new Lexer(source, chunk);
    this.#machine = machine;
    this.#chunk = chunk;
    this.#token = this.#lexer.next();
  }

  chunk(): LuaFunction {
    const body = this.#block();
    if (this.#token.type !== "end") this.#expected("<eof>");
    return closureOf(this.#machine, this.#chunk, body, [], 0, true, []);
  }

  // ── tokens ──

  #is(symbol: string): boolean {
    return this.#token.type === "symbol" && this.#token.text === symbol;
  }
  #advance(): Token {
    const token = this.#token;
    this.#lastLine = token.line;
    this.#token = this.#ahead ?? this.#lexer.next();
    this.#ahead = null;
    return token;
  }
  #peek(): Token {
    this.#ahead ??= this.#lexer.next();
    return this.#ahead;
  }
  #take(symbol: string): boolean {
    if (!this.#is(symbol)) return false;
    this.#advance();
    return true;
  }
  #expected(what: string): never {
    return this.#lexer.fail(`'${what}' expected`, this.#token.near, this.#token.line);
  }
  #expect(symbol: string): void {
    if (!this.#take(symbol)) this.#expected(symbol);
  }
  #expectClosing(symbol: string, opening: string, line: number): void {
    if (this.#take(symbol)) return;
    if (line === this.#token.line) this.#expected(symbol);
    this.#lexer.fail(
      `'${symbol}' expected (to close '${opening}' at line ${line})`,
      this.#token.near,
      this.#token.line,
    );
  }
  #name(): string {
    if (this.#token.type !== "name") this.#lexer.fail("'<name>' expected", this.#token.near, this.#token.line);
    return this.#advance().text;
  }
  #deeper<T>(body: () => T): T {
    this.#nesting += 1;
    if (this.#nesting > NESTING_MAX) this.#lexer.fail("chunk has too many syntax levels", this.#token.near);
    const result = body();
    this.#nesting -= 1;
    return result;
  }

  // ── names ──

  #declare(name: string): number {
    const scope = this.#scope;
    const slot = scope.slots;
    scope.slots += 1;
    scope.blocks.at(-1)?.set(name, slot);
    return slot;
  }

  #variable(name: string): Expression {
    const machine = this.#machine;
    const slot = slotOf(this.#scope, name);
    if (slot !== null)
      return {
        one: (frame) => (frame.slots[slot] as Box).value,
        many: null,
        target: (frame) => {
          const box = frame.slots[slot] as Box;
          return (value) => {
            box.value = value;
          };
        },
        isCall: false,
        naming: `local '${name}'`,
      };
    const upvalue = upvalueOf(this.#scope, name);
    if (upvalue !== null)
      return {
        one: (frame) => (frame.upvalues[upvalue] as Box).value,
        many: null,
        target: (frame) => {
          const box = frame.upvalues[upvalue] as Box;
          return (value) => {
            box.value = value;
          };
        },
        isCall: false,
        naming: `upvalue '${name}'`,
      };
    const { line } = this.#token;
    return {
      one: () => {
        machine.line = line;
        return machine.index(machine.globals, name);
      },
      many: null,
      target: () => (value) => {
        machine.line = line;
        machine.setIndex(machine.globals, name, value);
      },
      isCall: false,
      naming: `global '${name}'`,
    };
  }

  // ── statements ──

  #block(): Execute {
    return this.#deeper(() => {
      this.#scope.blocks.push(new Map());
      const statements: Execute[] = [];
      while (!this.#endsBlock()) {
        const isLast = this.#is("return") || this.#is("break");
        statements.push(this.#statement());
        this.#take(";");
        if (isLast) break;
      }
      this.#scope.blocks.pop();
      return (frame) => {
        for (const statement of statements) {
          const outcome = statement(frame);
          if (outcome !== undefined) return outcome;
        }
        return undefined;
      };
    });
  }

  #endsBlock(): boolean {
    const { type, text } = this.#token;
    return type === "end" || (type === "symbol" && ["end", "else", "elseif", "until"].includes(text));
  }

  #statement(): Execute {
    const { line } = this.#token;
    if (this.#token.type === "symbol") {
      switch (this.#token.text) {
        case "if":
          return this.#if(line);
        case "while":
          return this.#while(line);
        case "do": {
          this.#advance();
          const body = this.#block();
          this.#expectClosing("end", "do", line);
          return body;
        }
        case "for":
          return this.#for(line);
        case "repeat":
          return this.#repeat(line);
        case "function":
          return this.#namedFunction(line);
        case "local":
          this.#advance();
          return this.#take("function") ? this.#localFunction(line) : this.#local();
        case "return":
          return this.#return();
        case "break":
          this.#advance();
          if (this.#scope.loops === 0) this.#lexer.fail("no loop to break", this.#token.near);
          return () => "break";
      }
    }
    return this.#expressionStatement();
  }

  #if(line: number): Execute {
    const arms: { readonly test: Evaluate; readonly body: Execute }[] = [];
    let otherwise: Execute | null = null;
    do {
      this.#advance();
      const test = this.#expression().one;
      this.#expect("then");
      arms.push({ test, body: this.#block() });
    } while (this.#is("elseif"));
    if (this.#take("else")) otherwise = this.#block();
    this.#expectClosing("end", "if", line);
    return (frame) => {
      for (const { test, body } of arms) if (truthy(test(frame))) return body(frame);
      return otherwise?.(frame);
    };
  }

  #loopBody(line: number, opening: string): Execute {
    this.#expect("do");
    this.#scope.loops += 1;
    const body = this.#block();
    this.#scope.loops -= 1;
    this.#expectClosing("end", opening, line);
    return body;
  }

  #while(line: number): Execute {
    const machine = this.#machine;
    this.#advance();
    const test = this.#expression().one;
    const body = this.#loopBody(line, "while");
    return (frame) => {
      while (truthy(test(frame))) {
        machine.step(line);
        const outcome = body(frame);
        if (outcome === "break") return undefined;
        if (outcome !== undefined) return outcome;
      }
      return undefined;
    };
  }

  #repeat(line: number): Execute {
    const machine = this.#machine;
    this.#advance();
    const scope = this.#scope;
    // The condition sees the locals of the body: both are one block.
    scope.blocks.push(new Map());
    scope.loops += 1;
    const statements: Execute[] = [];
    while (!this.#endsBlock()) {
      const isLast = this.#is("return") || this.#is("break");
      statements.push(this.#statement());
      this.#take(";");
      if (isLast) break;
    }
    scope.loops -= 1;
    this.#expectClosing("until", "repeat", line);
    const test = this.#expression().one;
    scope.blocks.pop();
    return (frame) => {
      do {
        machine.step(line);
        for (const statement of statements) {
          const outcome = statement(frame);
          if (outcome === "break") return undefined;
          if (outcome !== undefined) return outcome;
        }
      } while (!truthy(test(frame)));
      return undefined;
    };
  }

  #for(line: number): Execute {
    this.#advance();
    const names = [this.#name()];
    if (this.#is("=")) return this.#numericFor(names[0] as string, line);
    while (this.#take(",")) names.push(this.#name());
    if (!this.#is("in")) this.#lexer.fail("'=' or 'in' expected", this.#token.near, this.#token.line);
    return this.#genericFor(names, line);
  }

  #numericFor(name: string, line: number): Execute {
    const machine = this.#machine;
    this.#advance();
    const parts = [this.#expression().one];
    this.#expect(",");
    parts.push(this.#expression().one);
    if (this.#take(",")) parts.push(this.#expression().one);
    this.#scope.blocks.push(new Map());
    const slot = this.#declare(name);
    const body = this.#loopBody(line, "for");
    this.#scope.blocks.pop();
    const WHAT = ["initial value", "limit", "step"];
    return (frame) => {
      const [start = 0, limit = 0, step = 1] = parts.map((part, i) => {
        const value = part(frame);
        machine.line = line;
        return toNumber(value) ?? machine.fail(`'for' ${WHAT[i]} must be a number`);
      });
      for (let i = start; step > 0 ? i <= limit : i >= limit; i += step) {
        machine.step(line);
        frame.slots[slot] = { value: i };
        const outcome = body(frame);
        if (outcome === "break") return undefined;
        if (outcome !== undefined) return outcome;
      }
      return undefined;
    };
  }

  #genericFor(names: readonly string[], line: number): Execute {
    const machine = this.#machine;
    this.#advance();
    const sources = this.#expressions();
    this.#scope.blocks.push(new Map());
    const slots = names.map((name) => this.#declare(name));
    const body = this.#loopBody(line, "for");
    this.#scope.blocks.pop();
    return (frame) => {
      const [next, state, first] = allOf(sources, frame);
      let control = first;
      for (;;) {
        machine.step(line);
        const values = machine.call(next, [state, control]);
        control = values[0];
        if (control === undefined) return undefined;
        for (const [i, slot] of slots.entries()) frame.slots[slot] = { value: values[i] };
        const outcome = body(frame);
        if (outcome === "break") return undefined;
        if (outcome !== undefined) return outcome;
      }
    };
  }

  #namedFunction(line: number): Execute {
    const machine = this.#machine;
    this.#advance();
    let target = this.#variable(this.#name());
    let isMethod = false;
    while (this.#is(".") || this.#is(":")) {
      isMethod = this.#advance().text === ":";
      target = this.#member(target, this.#constant(this.#name()));
      if (isMethod) break;
    }
    const made = this.#functionBody(line, isMethod);
    return (frame) => {
      machine.step(line);
      target.target?.(frame)(made(frame));
      return undefined;
    };
  }

  #localFunction(line: number): Execute {
    const slot = this.#declare(this.#name());
    const made = this.#functionBody(line, false);
    return (frame) => {
      const box: Box = { value: undefined };
      frame.slots[slot] = box;
      box.value = made(frame);
      return undefined;
    };
  }

  #local(): Execute {
    const names = [this.#name()];
    while (this.#take(",")) names.push(this.#name());
    const values = this.#take("=") ? this.#expressions() : [];
    // Declared after the values were read: `local x = x` means the outer one.
    const slots = names.map((name) => this.#declare(name));
    const [only] = values;
    const [slot] = slots;
    if (slots.length === 1 && values.length === 1 && only !== undefined && slot !== undefined)
      return (frame) => {
        frame.slots[slot] = { value: only.one(frame) };
        return undefined;
      };
    return (frame) => {
      const given = allOf(values, frame);
      for (const [i, one] of slots.entries()) frame.slots[one] = { value: given[i] };
      return undefined;
    };
  }

  #return(): Execute {
    this.#advance();
    if (this.#endsBlock() || this.#is(";")) return () => [];
    const values = this.#expressions();
    return (frame) => allOf(values, frame);
  }

  #expressionStatement(): Execute {
    const { line } = this.#token;
    const machine = this.#machine;
    const first = this.#suffixed();
    if (first.isCall) {
      const { many } = first;
      return (frame) => {
        many?.(frame);
        return undefined;
      };
    }
    const targets = [first];
    while (this.#take(",")) targets.push(this.#suffixed());
    for (const { target } of targets)
      if (target === null) this.#lexer.fail("syntax error", this.#token.near, this.#token.line);
    this.#expect("=");
    const values = this.#expressions();
    return (frame) => {
      machine.step(line);
      const setters = targets.map(({ target }) => target?.(frame));
      const given = allOf(values, frame);
      for (const [i, set] of setters.entries()) set?.(given[i]);
      return undefined;
    };
  }

  // ── expressions ──

  #expressions(): Expression[] {
    const list = [this.#expression()];
    while (this.#take(",")) list.push(this.#expression());
    return list;
  }

  #expression(power = 0): Expression {
    return this.#deeper(() => {
      let left = this.#unary();
      for (;;) {
        const op = this.#token.type === "symbol" ? this.#token.text : "";
        const powers = BINARY[op];
        if (powers === undefined || powers[0] <= power) return left;
        this.#advance();
        const right = this.#expression(powers[1]);
        left = plain(this.#binary(op, left, right, this.#lastLine));
      }
    });
  }

  #unary(): Expression {
    const machine = this.#machine;
    if (this.#take("not")) {
      const { one } = this.#expression(UNARY_POWER);
      return plain((frame) => !truthy(one(frame)));
    }
    if (this.#take("-")) {
      const { one, naming } = this.#expression(UNARY_POWER);
      const line = this.#lastLine;
      return plain((frame) => {
        const value = one(frame);
        machine.step(line);
        return machine.negate(value, naming);
      });
    }
    if (this.#take("#")) {
      const { one, naming } = this.#expression(UNARY_POWER);
      const line = this.#lastLine;
      return plain((frame) => {
        const value = one(frame);
        machine.step(line);
        return machine.length(value, naming);
      });
    }
    return this.#simple();
  }

  #binary(op: string, left: Expression, right: Expression, line: number): Evaluate {
    const machine = this.#machine;
    const [a, b] = [left.one, right.one];
    switch (op) {
      case "and":
        return (frame) => {
          const value = a(frame);
          return truthy(value) ? b(frame) : value;
        };
      case "or":
        return (frame) => {
          const value = a(frame);
          return truthy(value) ? value : b(frame);
        };
    }
    const apply = (x: LuaValue, y: LuaValue): LuaValue => {
      machine.step(line);
      switch (op) {
        case "==":
          return machine.equal(x, y);
        case "~=":
          return !machine.equal(x, y);
        case "<":
          return machine.less(x, y, false);
        case "<=":
          return machine.less(x, y, true);
        case ">":
          return machine.less(y, x, false);
        case ">=":
          return machine.less(y, x, true);
        case "..":
          return machine.concat(x, y, left.naming, right.naming);
        default:
          return machine.arithmetic(op, x, y, left.naming, right.naming);
      }
    };
    return (frame) => {
      const x = a(frame);
      return apply(x, b(frame));
    };
  }

  #constant(value: LuaValue): Expression {
    return { ...plain(() => value), naming: typeof value === "string" ? value : "" };
  }

  #simple(): Expression {
    const { type, text, number, line } = this.#token;
    if (type === "number") {
      this.#advance();
      return plain(() => number);
    }
    if (type === "string") {
      this.#advance();
      return plain(() => text);
    }
    if (type === "symbol") {
      switch (text) {
        case "nil":
          this.#advance();
          return plain(() => undefined);
        case "true":
        case "false":
          this.#advance();
          return plain(() => text === "true");
        case "...":
          if (!this.#scope.hasVarargs)
            this.#lexer.fail("cannot use '...' outside a vararg function", this.#token.near, line);
          this.#advance();
          this.#scope.usesVarargs = true;
          return { ...plain((frame) => frame.varargs[0]), many: (frame) => frame.varargs };
        case "{":
          return this.#table();
        case "function":
          this.#advance();
          return plain(this.#functionBody(line, false));
      }
    }
    return this.#suffixed();
  }

  #primary(): Expression {
    const { line } = this.#token;
    if (this.#token.type === "name") {
      const variable = this.#variable(this.#token.text);
      this.#advance();
      return variable;
    }
    if (this.#take("(")) {
      const { one, naming } = this.#expression();
      this.#expectClosing(")", "(", line);
      return { ...plain(one), naming };
    }
    return this.#lexer.fail("unexpected symbol", this.#token.near, line);
  }

  #suffixed(): Expression {
    let expression = this.#primary();
    for (;;) {
      const { type, text, line } = this.#token;
      if (type === "string" || (type === "symbol" && (text === "(" || text === "{")))
        expression = this.#call(expression, null, line);
      else if (this.#take(".")) expression = this.#member(expression, this.#constant(this.#name()));
      else if (this.#take("[")) {
        const key = this.#keyExpression();
        this.#expect("]");
        expression = this.#member(expression, key);
      } else if (this.#take(":")) {
        const method = this.#name();
        expression = this.#call(expression, method, line);
      } else return expression;
    }
  }

  /** A key in brackets: a string that stands there gives the field its name in errors. */
  #keyExpression(): Expression {
    const isText = this.#token.type === "string" && this.#peek().text === "]";
    const text = this.#token.text;
    const expression = this.#expression();
    return isText ? { ...expression, naming: text } : { ...expression, naming: "" };
  }

  #member(object: Expression, key: Expression): Expression {
    const machine = this.#machine;
    const line = this.#lastLine;
    const { naming } = object;
    return {
      one: (frame) => {
        const table = object.one(frame);
        const name = key.one(frame);
        machine.step(line);
        return machine.index(table, name, naming);
      },
      many: null,
      target: (frame) => {
        const table = object.one(frame);
        const name = key.one(frame);
        return (value) => {
          machine.line = line;
          machine.setIndex(table, name, value, naming);
        };
      },
      isCall: false,
      naming: `field '${key.naming === "" ? "?" : key.naming}'`,
    };
  }

  #arguments(line: number): Expression[] {
    const { type, text } = this.#token;
    if (type === "string") {
      this.#advance();
      return [plain(() => text)];
    }
    if (this.#is("{")) return [this.#table()];
    if (!this.#is("(")) this.#lexer.fail("function arguments expected", this.#token.near, this.#token.line);
    this.#advance();
    if (this.#take(")")) return [];
    const list = this.#expressions();
    this.#expectClosing(")", "(", line);
    return list;
  }

  #call(callee: Expression, method: string | null, line: number): Expression {
    const machine = this.#machine;
    const args = this.#arguments(line);
    const many: EvaluateAll =
      method === null
        ? (frame) => {
            const target = callee.one(frame);
            const given = allOf(args, frame);
            machine.step(line);
            return machine.call(target, given, callee.naming);
          }
        : (frame) => {
            const object = callee.one(frame);
            machine.line = line;
            const target = machine.index(object, method, callee.naming);
            const given = [object, ...allOf(args, frame)];
            machine.step(line);
            machine.isMethod = true;
            return machine.call(target, given, `method '${method}'`);
          };
    return { one: (frame) => many(frame)[0], many, target: null, isCall: true, naming: "" };
  }

  #table(): Expression {
    const machine = this.#machine;
    const { line } = this.#token;
    this.#expect("{");
    const items: Expression[] = [];
    const fields: { readonly key: Evaluate; readonly value: Evaluate }[] = [];
    while (!this.#is("}")) {
      if (this.#take("[")) {
        const key = this.#expression().one;
        this.#expect("]");
        this.#expect("=");
        fields.push({ key, value: this.#expression().one });
      } else if (this.#token.type === "name" && this.#peek().text === "=" && this.#peek().type === "symbol") {
        const name = this.#name();
        this.#advance();
        fields.push({ key: () => name, value: this.#expression().one });
      } else items.push(this.#expression());
      if (!this.#take(",") && !this.#take(";")) break;
    }
    this.#expectClosing("}", "{", line);
    return plain((frame) => {
      const table = new LuaTable();
      machine.step(line);
      for (const { key, value } of fields) machine.rawSet(table, key(frame), value(frame));
      const values = allOf(items, frame);
      // A place in the list wins over a key that was written out.
      if (fields.length === 0) table.items = [...values];
      else for (const [i, value] of values.entries()) table.set(i + 1, value);
      return table;
    });
  }

  #functionBody(line: number, isMethod: boolean): Evaluate {
    const outer = this.#scope;
    this.#expect("(");
    const names = isMethod ? ["self"] : [];
    let hasVarargs = false;
    while (!this.#is(")")) {
      if (this.#take("...")) {
        hasVarargs = true;
        break;
      }
      if (this.#token.type !== "name") this.#lexer.fail("<name> or '...' expected", this.#token.near, this.#token.line);
      names.push(this.#name());
      if (!this.#take(",")) break;
    }
    this.#expect(")");
    const scope = newScope(outer, hasVarargs);
    this.#scope = scope;
    for (const name of names) this.#declare(name);
    const argument = hasVarargs ? this.#declare("arg") : null;
    const body = this.#block();
    this.#expectClosing("end", "function", line);
    this.#scope = outer;
    const machine = this.#machine;
    const chunk = this.#chunk;
    const withTable = !scope.usesVarargs;
    return (frame) => {
      const boxes = scope.upvalues.map(({ fromParentSlot, index }) =>
        fromParentSlot ? (frame.slots[index] as Box) : (frame.upvalues[index] as Box),
      );
      return closureOf(machine, chunk, body, boxes, names.length, hasVarargs, names, withTable ? argument : null);
    };
  }
}

function closureOf(
  machine: Machine,
  chunk: string,
  body: Execute,
  upvalues: readonly Box[],
  parameters: number,
  hasVarargs: boolean,
  names: readonly string[],
  /** The slot of `arg`, which a function with `...` has that does not use them. */
  argument: number | null = null,
): LuaFunction {
  return {
    kind: "function",
    call: (args) =>
      machine.enter(chunk, () => {
        const slots = names.map((_, i): Box => ({ value: args[i] }));
        if (hasVarargs) slots.push({ value: argument === null ? undefined : argTable(args.slice(parameters)) });
        const outcome = body({ slots, upvalues, varargs: hasVarargs ? args.slice(parameters) : [] });
        return outcome === undefined || outcome === "break" ? [] : outcome;
      }),
  };
}

function argTable(values: readonly LuaValue[]): LuaTable {
  const table = new LuaTable();
  for (const [i, value] of values.entries()) table.set(i + 1, value);
  table.set("n", values.length);
  return table;
}

function plain(one: Evaluate): Expression {
  return { one, many: null, target: null, isCall: false, naming: "" };
}

/** The last one may give several values, all others give one. */
function allOf(list: readonly Expression[], frame: Frame): readonly LuaValue[] {
  const last = list.at(-1);
  if (last === undefined) return [];
  if (list.length === 1 && last.many !== null) return last.many(frame);
  const values = list.slice(0, -1).map(({ one }) => one(frame));
  if (last.many === null) values.push(last.one(frame));
  else values.push(...last.many(frame));
  return values;
}

function newScope(parent: Scope | null, hasVarargs: boolean): Scope {
  return { parent, blocks: [new Map()], slots: 0, upvalues: [], hasVarargs, usesVarargs: false, loops: 0 };
}

function slotOf(scope: Scope, name: string): number | null {
  for (const block of scope.blocks.toReversed()) {
    const slot = block.get(name);
    if (slot !== undefined) return slot;
  }
  return null;
}

function upvalueOf(scope: Scope, name: string): number | null {
  const known = scope.upvalues.findIndex((one) => one.name === name);
  if (known >= 0) return known;
  if (scope.parent === null) return null;
  const slot = slotOf(scope.parent, name);
  const index = slot ?? upvalueOf(scope.parent, name);
  if (index === null) return null;
  return scope.upvalues.push({ name, fromParentSlot: slot !== null, index }) - 1;
}
