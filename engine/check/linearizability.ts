/**
 * Is a recorded history linearizable? The search of Wing and Gong with Lowe's cache, as porcupine does it: operations in
 * the order of their calls and returns, a model that says what each would answer, and no pair of (done so far, state)
 * looked at twice.
 *
 * An operation of which nobody knows whether it happened has no return: it may take effect at any time after its call,
 * or never. The search is bounded; when the bound is met the answer is "undecided", which is neither yes nor no.
 *
 * (Wing & Gong 1993; Lowe 2017, "Testing for linearizability"; github.com/anishathalye/porcupine)
 */
import { mixWord } from "../base/hash.ts";
import type { Micros } from "../base/units.ts";

export interface Operation<Input, Output> {
  /** Who asked; it has one operation at a time. */
  readonly client: string;
  readonly input: Input;
  /** Null when no answer came: it may or may not have happened. */
  readonly output: Output | null;
  readonly call: Micros;
  /** Null when no answer came. */
  readonly return: Micros | null;
}

/** What a correct system would do, one operation after the other. */
export interface Model<State, Input, Output> {
  readonly initial: State;
  /** The state after it, given what it answered; null when it cannot have answered that. `output` null: unknown. */
  step(state: State, input: Input, output: Output | null): State | null;
  /** Whether it explains all that is known besides the answers; left out: it does. An order ends in such a state. */
  readonly isEnough?: (state: State) => boolean;
  /** Equal for equal states only. */
  identity(state: State): string;
  /**
   * A figure of the state that never falls, and that figure in an answer, when the system tells it (etcd's revision).
   * It cuts off orders in which operations of unknown outcome have come too early.
   */
  readonly progress?: {
    of(state: State): number;
    told(output: Output): number | null;
  };
}

export type Verdict<State, Input, Output> =
  | {
      readonly result: "linearizable";
      /** The operations in an order that explains all answers; those that never happened are not among them. */
      readonly order: readonly Operation<Input, Output>[];
      readonly state: State;
    }
  | {
      readonly result: "not-linearizable";
      /** The longest order found, and the operation that fits nowhere after it. */
      readonly order: readonly Operation<Input, Output>[];
      readonly stuck: Operation<Input, Output> | null;
    }
  | { readonly result: "undecided"; readonly states: number };

export const STATES_MAX = 300_000;

interface Node<Input, Output> {
  readonly operation: Operation<Input, Output>;
  readonly index: number;
  /** The node of its return; null at a return, and for what has none. */
  readonly returns: Node<Input, Output> | null;
  readonly isReturn: boolean;
  previous: Node<Input, Output> | null;
  next: Node<Input, Output> | null;
}

interface Choice<State, Input, Output> {
  readonly node: Node<Input, Output>;
  /** Before it. */
  readonly state: State;
}

export function checkLinearizable<State, Input, Output>(
  model: Model<State, Input, Output>,
  history: readonly Operation<Input, Output>[],
  statesMax: number = STATES_MAX,
): Verdict<State, Input, Output> {
  const head = linked(history);
  const done = new Done(history, model);
  const seen = new Seen();
  const chosen: Choice<State, Input, Output>[] = [];
  let best: readonly Operation<Input, Output>[] = [];
  let stuck: Operation<Input, Output> | null = null;
  /** The one whose answer tells less than the state that was about to be: it should have come before. */
  let late: Operation<Input, Output> | null = null;
  let state = model.initial;
  let node = head.next;
  while (done.missing > 0 || model.isEnough?.(state) === false) {
    if (node !== null && !node.isReturn) {
      const after = tried(model, state, node.operation);
      const least = after === null ? null : done.earlier(node.index, model.progress?.of(after));
      if (least !== null) late = history[least] ?? null;
      else if (after !== null && seen.isNew(done.with(node.index), model.identity(after))) {
        if (seen.size > statesMax) return { result: "undecided", states: seen.size };
        chosen.push({ node, state });
        done.add(node.index);
        state = after;
        lift(node);
        late = null;
        node = head.next;
        continue;
      }
      node = node.next;
      continue;
    }
    // A return is reached whose operation fits nowhere before it, or nothing is left: one choice back.
    if (chosen.length >= best.length) {
      best = chosen.map((choice) => choice.node.operation);
      stuck = late ?? node?.operation ?? null;
    }
    const last = chosen.pop();
    if (last === undefined) return { result: "not-linearizable", order: best, stuck };
    done.remove(last.node.index);
    unlift(last.node);
    state = last.state;
    node = last.node.next;
  }
  return { result: "linearizable", order: chosen.map((choice) => choice.node.operation), state };
}

/** One history for each part, such as a key, where parts have nothing to do with one another. */
export function checkByPart<State, Input, Output>(
  model: Model<State, Input, Output>,
  history: readonly Operation<Input, Output>[],
  partOf: (input: Input) => string,
  statesMax: number = STATES_MAX,
): ReadonlyMap<string, Verdict<State, Input, Output>> {
  const parts = new Map<string, Operation<Input, Output>[]>();
  for (const operation of history) {
    const part = partOf(operation.input);
    const operations = parts.get(part);
    if (operations === undefined) parts.set(part, [operation]);
    else operations.push(operation);
  }
  return new Map([...parts].map(([part, operations]) => [part, checkLinearizable(model, operations, statesMax)]));
}

/** The state after it; null when it does not fit here, or changes nothing and need not have happened. */
function tried<State, Input, Output>(
  model: Model<State, Input, Output>,
  state: State,
  { input, output }: Operation<Input, Output>,
): State | null {
  const after = model.step(state, input, output);
  if (after === null) return null;
  return output === null && model.identity(after) === model.identity(state) ? null : after;
}

// ── the list of calls and returns ──

function linked<Input, Output>(history: readonly Operation<Input, Output>[]): { next: Node<Input, Output> | null } {
  interface Moment {
    readonly at: Micros;
    readonly node: Node<Input, Output>;
  }
  const moments: Moment[] = [];
  history.forEach((operation, index) => {
    const bare = { operation, index, previous: null, next: null };
    const returns: Node<Input, Output> | null =
      operation.return === null ? null : { ...bare, returns: null, isReturn: true };
    moments.push({ at: operation.call, node: { ...bare, returns, isReturn: false } });
    if (returns !== null && operation.return !== null) moments.push({ at: operation.return, node: returns });
  });
  // What touches at one instant overlaps: calls come first. What never returned is tried last of what was called then.
  moments.sort(
    (a, b) => a.at - b.at || Number(a.node.isReturn) - Number(b.node.isReturn) || a.node.index - b.node.index,
  );
  const head: { next: Node<Input, Output> | null } = { next: null };
  let last: Node<Input, Output> | null = null;
  for (const { node } of moments) {
    node.previous = last ?? (head as Node<Input, Output>);
    if (last === null) head.next = node;
    else last.next = node;
    last = node;
  }
  return head;
}

/** Takes the call and the return out of the list; both remember where they were. */
function lift<Input, Output>(node: Node<Input, Output>): void {
  cut(node);
  if (node.returns !== null) cut(node.returns);
}

function unlift<Input, Output>(node: Node<Input, Output>): void {
  if (node.returns !== null) putBack(node.returns);
  putBack(node);
}

function cut<Input, Output>({ previous, next }: Node<Input, Output>): void {
  if (previous !== null) previous.next = next;
  if (next !== null) next.previous = previous;
}

function putBack<Input, Output>(node: Node<Input, Output>): void {
  const { previous, next } = node;
  if (previous !== null) previous.next = node;
  if (next !== null) next.previous = node;
}

// ── what is done, and what was seen ──

/** The operations of the order so far, as a set of bits. */
class Done {
  missing: number;
  readonly #bits: Uint32Array;
  readonly #answered: readonly boolean[];
  /** Operations whose answer tells the model's progress, by that figure. */
  readonly #told: readonly { readonly index: number; readonly figure: number }[];
  /** All before it are done. */
  #first = 0;

  constructor(
    history: readonly Operation<unknown, unknown>[],
    { progress }: Pick<Model<never, unknown, never>, "progress">,
  ) {
    this.#bits = new Uint32Array((history.length + 31) >>> 5);
    this.#answered = history.map(({ output }) => output !== null);
    this.missing = this.#answered.filter(Boolean).length;
    this.#told = history
      .flatMap(({ output, call }, index) => {
        const figure = output === null ? null : (progress?.told(output as never) ?? null);
        return figure === null ? [] : [{ index, figure, call }];
      })
      // Of equals the latest first: it is the one to be named when it does not fit.
      .sort((a, b) => a.figure - b.figure || b.call - a.call);
  }

  has(index: number): boolean {
    return (((this.#bits[index >>> 5] as number) >>> (index & 31)) & 1) === 1;
  }

  add(index: number): void {
    this.#flip(index);
    if (this.#answered[index]) this.missing -= 1;
  }

  remove(index: number): void {
    this.#flip(index);
    if (this.#answered[index]) this.missing += 1;
    this.#first = 0;
  }

  /** A copy with one more in it. */
  with(index: number): Uint32Array {
    const bits = this.#bits.slice();
    bits[index >>> 5] = (bits[index >>> 5] as number) | (1 << (index & 31));
    return bits;
  }

  /** An operation that is still to come, `index` not counted, and tells less than this progress; null if there is none. */
  earlier(index: number, progress: number | undefined): number | null {
    if (progress === undefined) return null;
    while (this.#first < this.#told.length && this.has(this.#told[this.#first]?.index as number)) this.#first += 1;
    for (let i = this.#first; i < this.#told.length; i += 1) {
      const told = this.#told[i] as { readonly index: number; readonly figure: number };
      if (told.figure >= progress) return null;
      if (told.index !== index && !this.has(told.index)) return told.index;
    }
    return null;
  }

  #flip(index: number): void {
    this.#bits[index >>> 5] = (this.#bits[index >>> 5] as number) ^ (1 << (index & 31));
  }
}

class Seen {
  size = 0;
  readonly #buckets = new Map<number, { readonly bits: Uint32Array; readonly identity: string }[]>();

  /** Whether it was not there; it is from now on. */
  isNew(bits: Uint32Array, identity: string): boolean {
    let hash = 0;
    for (const word of bits) hash = mixWord(hash, word);
    const bucket = this.#buckets.get(hash);
    if (bucket === undefined) this.#buckets.set(hash, [{ bits, identity }]);
    else if (bucket.some((known) => known.identity === identity && known.bits.every((word, i) => word === bits[i])))
      return false;
    else bucket.push({ bits, identity });
    this.size += 1;
    return true;
  }
}
