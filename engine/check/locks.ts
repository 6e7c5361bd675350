/**
 * What a lock is for, judged from what programs say that they believe and from what reached the resource. Nothing here stops
 * a run: no lease-based lock can promise all of it, and a story goes on to show what comes of it.
 *
 * It reads the neutral events that every lock program emits (labs/events.ts) by their names alone.
 */
import type { Micros } from "../base/units.ts";
import type { ProcessId } from "../sim/command.ts";
import type { TraceEvent } from "../sim/events.ts";

export type LockRule =
  /** No two believe at once that they hold one lock. */
  | "exclusion"
  /** No write is taken of one whose turn was before that of who wrote last. */
  | "lost-update"
  /** Nobody believes while another stands before it in the servers' queue. */
  | "fairness";

export interface LockBreach {
  readonly rule: LockRule;
  readonly at: Micros;
  readonly event: number;
  /** The later one, whose event it was; and the other. */
  readonly client: ProcessId;
  readonly other: ProcessId | null;
}

interface Turn {
  /** Counts the beginnings of beliefs. */
  readonly n: number;
  readonly token: string | null;
}

interface LocksState {
  readonly turns: number;
  readonly believing: ReadonlyMap<ProcessId, Turn>;
  /** The last turn of each, over or not. */
  readonly last: ReadonlyMap<ProcessId, Turn>;
  readonly identities: ReadonlyMap<ProcessId, string>;
  readonly writer: ProcessId | null;
  /** The turn in which the last write that counts was made. */
  readonly written: Turn | null;
  readonly breaches: readonly LockBreach[];
}

type Told =
  | { readonly type: "lock-believes"; readonly holds: boolean; readonly token: string | null }
  | { readonly type: "lock-identity"; readonly identity: string | null }
  | { readonly type: "resource-wrote"; readonly client: ProcessId; readonly token: string | null }
  | { readonly type: "crashed" | "panicked" };

/** What a checker cannot know from events alone. */
export interface LockFacts {
  /** The lock that a client wants. */
  readonly lockOf: (client: ProcessId) => string;
  /** How many stand before it in the servers' queue now; 0 when it is first, or in none. */
  readonly ahead: (identity: string) => number;
}

export class LockChecks {
  readonly #facts: LockFacts;
  #state: LocksState;

  constructor(facts: LockFacts, saved: LocksState | null = null) {
    this.#facts = facts;
    this.#state = saved ?? {
      turns: 0,
      believing: new Map(),
      last: new Map(),
      identities: new Map(),
      writer: null,
      written: null,
      breaches: [],
    };
  }

  get breaches(): readonly LockBreach[] {
    return this.#state.breaches;
  }

  state(): LocksState {
    return this.#state;
  }

  /** To be given an event after those who know the servers' queue. */
  add(traced: TraceEvent): void {
    const { process } = traced;
    if (process === null) return;
    const event = traced.event as Told;
    switch (event.type) {
      case "lock-identity": {
        const identities = new Map(this.#state.identities);
        if (event.identity === null) identities.delete(process);
        else identities.set(process, event.identity);
        return this.#set({ identities });
      }
      case "lock-believes":
        return event.holds ? this.#begins(process, event.token, traced) : this.#ends(process);
      case "crashed":
      case "panicked":
        return this.#ends(process);
      case "resource-wrote":
        return this.#wrote(event.client, event.token, traced);
      default:
    }
  }

  #begins(client: ProcessId, token: string | null, traced: TraceEvent): void {
    const { believing, last, identities, turns } = this.#state;
    const lock = this.#facts.lockOf(client);
    for (const other of believing.keys())
      if (other !== client && this.#facts.lockOf(other) === lock) this.#breach("exclusion", client, other, traced);
    const identity = identities.get(client);
    if (identity !== undefined && this.#facts.ahead(identity) > 0) this.#breach("fairness", client, null, traced);
    const turn = { n: turns + 1, token };
    this.#set({
      turns: turn.n,
      believing: new Map(believing).set(client, turn),
      last: new Map(last).set(client, turn),
    });
  }

  #ends(client: ProcessId): void {
    const believing = new Map(this.#state.believing);
    if (believing.delete(client)) this.#set({ believing });
  }

  #wrote(client: ProcessId, token: string | null, traced: TraceEvent): void {
    const { last, writer, written } = this.#state;
    const turn = { n: last.get(client)?.n ?? 0, token };
    if (writer === null || written === null || writer === client || !isBefore(turn, written))
      return this.#set({ writer: client, written: turn });
    this.#breach("lost-update", client, writer, traced);
  }

  #breach(rule: LockRule, client: ProcessId, other: ProcessId | null, { at, id: event }: TraceEvent): void {
    this.#set({ breaches: [...this.#state.breaches, { rule, at, event, client, other }] });
  }

  #set(changes: Partial<LocksState>): void {
    this.#state = { ...this.#state, ...changes };
  }
}

/** By tokens where both have one and they differ: the servers gave them in order. Else by when they began to believe. */
function isBefore(a: Turn, b: Turn): boolean {
  if (a.token !== null && b.token !== null && a.token !== b.token) return Number(a.token) < Number(b.token);
  return a.n < b.n;
}
