/** Models of one key: a register with the conditional writes that locks use. For Redis, where keys are independent. */
import { unreachable } from "../base/assert.ts";
import type { Model } from "./linearizability.ts";

export type RegisterInput =
  | { readonly type: "get"; readonly key: string }
  | { readonly type: "set"; readonly key: string; readonly value: string }
  /** SET NX: only if there is none. */
  | { readonly type: "set-nx"; readonly key: string; readonly value: string }
  | { readonly type: "delete"; readonly key: string }
  /** Only if it has that value: how a lock with a token is released. */
  | { readonly type: "delete-if"; readonly key: string; readonly value: string }
  | { readonly type: "get-set"; readonly key: string; readonly value: string };

/** `value`: of get and get-set. `done`: whether the others changed anything; true for a plain set. */
export type RegisterOutput =
  | { readonly type: "value"; readonly value: string | null }
  | { readonly type: "done"; readonly done: boolean };

/** Null when the key is not there. */
interface Value {
  readonly value: string | null;
}

export const REGISTER_MODEL: Model<Value, RegisterInput, RegisterOutput> = {
  initial: { value: null },
  step(state, input, output) {
    const [after, answer] = apply(state.value, input);
    if (output !== null && !agree(output, answer)) return null;
    return after === state.value ? state : { value: after };
  },
  identity: ({ value }) => (value === null ? "-" : `=${value}`),
};

/** The value after it, and the answer. */
function apply(value: string | null, input: RegisterInput): readonly [string | null, RegisterOutput] {
  const done = (after: string | null, did: boolean) => [after, { type: "done", done: did }] as const;
  switch (input.type) {
    case "get":
      return [value, { type: "value", value }];
    case "get-set":
      return [input.value, { type: "value", value }];
    case "set":
      return done(input.value, true);
    case "set-nx":
      return value === null ? done(input.value, true) : done(value, false);
    case "delete":
      return done(null, value !== null);
    case "delete-if":
      return value === input.value ? done(null, true) : done(value, false);
    default:
      return unreachable(input);
  }
}

function agree(told: RegisterOutput, right: RegisterOutput): boolean {
  if (told.type === "value") return right.type === "value" && told.value === right.value;
  return right.type === "done" && told.done === right.done;
}
