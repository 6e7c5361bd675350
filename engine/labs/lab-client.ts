/**
 * A client as a process: runs a program over its system's client library, and tells what the program does and believes.
 *
 * A line of a program takes `stepTime`: that is when it can be stopped. Held back, its main thread stops before its next
 * step, while timers, the library and messages go on; a step at a time lets it pass just that one.
 */
import { present } from "../base/assert.ts";
import { rngFromState, type RngState } from "../base/rng.ts";
import type { Micros } from "../base/units.ts";
import type { ProcessId } from "../sim/command.ts";
import { describeError } from "../sim/host.ts";
import type { ConnectionId, Env, Input, Process, Stamp } from "../sim/process.ts";
import { type Driver, type DriverOutcome, keepStamp } from "./driver.ts";
import type { LabEvent, Waits } from "./events.ts";
import type { AnyProgram, CommonLocals, Got, Here, Label, LockParams, Turn } from "./program.ts";
import type { WriteAnswer, WriteRequest } from "./resource.ts";

export interface LabClientConfig {
  readonly kind: "lab-client";
  /** Names the program. */
  readonly program: string;
  readonly params: LockParams;
  /** By its own monotonic clock. */
  readonly startAt: Micros;
  readonly stepTime: Micros;
  readonly resource: ProcessId;
  /** Where its system is. */
  readonly servers: readonly ProcessId[];
}

/** What a thread is at. */
type Doing =
  /** About to run its step. */
  | { readonly type: "ready"; readonly at: Micros }
  | { readonly type: "call"; readonly ticket: number }
  | { readonly type: "await"; readonly watch: number; readonly until: Micros | null }
  | { readonly type: "sleep"; readonly until: Micros }
  | { readonly type: "write"; readonly n: number };

interface Thread {
  readonly name: string;
  readonly step: Label;
  readonly doing: Doing;
}

interface State {
  incarnation: number;
  /** The program's own: it reads them, and its turns say what they become. Changed in place, and copied. */
  locals: CommonLocals | null;
  threads: readonly Thread[];
  /** Events of watches that nobody has awaited yet, by the watch; changed in place, and copied for a checkpoint. */
  mail: Map<number, object[]>;
  held: boolean;
  /** How many steps the main thread may take though it is held. */
  passes: number;
  startAt: Micros;
  knows: Readonly<Record<string, string | null>>;
  connection: ConnectionId | null;
  connections: number;
  writes: number;
  /** Writes that wait for the connection. */
  unsent: readonly WriteRequest[];
  isOpen: boolean;
  failed: boolean;
}

const MAIN = "main";

function copyOf(state: State): State {
  const mail = new Map(Array.from(state.mail, ([watch, events]) => [watch, [...events]]));
  const locals = state.locals === null ? null : { ...state.locals };
  return { ...state, locals, mail };
}

export class LabClient implements Process {
  readonly #config: LabClientConfig;
  readonly #program: AnyProgram;
  readonly #env: Env;
  readonly #driver: Driver;
  readonly #emit: ((event: LabEvent) => void) | null;
  /** At the input at hand. */
  readonly #stamp: Stamp = { mono: 0, wall: 0, awake: 0 };
  readonly #here: { -readonly [K in keyof Here]: Here[K] };
  #state: State;

  constructor(config: LabClientConfig, program: AnyProgram, driver: Driver, env: Env) {
    this.#config = config;
    this.#program = program;
    this.#driver = driver;
    this.#env = env;
    this.#emit = env.out.emit;
    this.#here = { mono: 0, wall: 0, rng: env.rng, self: env.id };
    this.#state = {
      incarnation: 0,
      locals: null,
      threads: [],
      mail: new Map(),
      held: false,
      passes: 0,
      startAt: config.startAt,
      knows: {},
      connection: null,
      connections: 0,
      writes: 0,
      unsent: [],
      isOpen: false,
      failed: false,
    };
  }

  step(input: Input, stamp: Stamp): void {
    this.#now(stamp);
    const state = this.#state;
    if (input.type === "boot") {
      state.incarnation = input.incarnation;
      // One that comes back begins at once.
      if (input.incarnation > 1) state.startAt = Math.max(state.startAt, stamp.mono);
    }
    if (input.type === "asked") {
      if (input.ask.type === "hold-back") {
        state.held = input.ask.on;
        state.passes = 0;
        this.#emit?.({ type: "held-back", on: state.held });
        this.#tellMain();
      } else if (input.ask.type === "step-client") state.passes += 1;
    }
    const outcomes = this.#driver.on(input, stamp);
    this.#resourceInput(input);
    for (const outcome of outcomes) this.#heard(outcome);
    this.#go();
  }

  flush(stamp: Stamp): void {
    this.#now(stamp);
    for (let outcomes = this.#driver.take(); outcomes.length > 0; outcomes = this.#driver.take()) {
      for (const outcome of outcomes) this.#heard(outcome);
      this.#go();
    }
    this.#env.out.wake(this.#wakeAt());
  }

  #now(stamp: Stamp): void {
    keepStamp(this.#stamp, stamp);
    this.#here.mono = stamp.mono;
    this.#here.wall = stamp.wall;
  }

  checkpoint(): unknown {
    return { state: copyOf(this.#state), rng: this.#here.rng.state(), driver: this.#driver.checkpoint() };
  }

  restore(checkpoint: unknown): void {
    const saved = checkpoint as { readonly state: State; readonly rng: RngState; readonly driver: unknown };
    this.#state = copyOf(saved.state);
    this.#here.rng = rngFromState(saved.rng);
    this.#driver.restore(saved.driver);
  }

  // ── threads ──

  /** Everything whose time has come. */
  #go(): void {
    const state = this.#state;
    const { mono } = this.#stamp;
    if (state.failed) return;
    if (state.locals === null) {
      if (mono < state.startAt) return;
      this.#attempt(() => this.#begin());
    }
    // A step may make another one ready at this instant, when lines take no time.
    for (let again = true; again && !state.failed; ) {
      again = false;
      const { threads } = state;
      for (const before of threads) {
        const thread = state.threads === threads ? before : state.threads.find(({ name }) => name === before.name);
        if (thread === undefined || !this.#isDue(thread)) continue;
        again = true;
        this.#attempt(() => this.#advance(thread));
        if (state.failed) return;
      }
    }
  }

  /** A program's own mistake is its client's state, and never breaks a run. */
  #attempt(work: () => void): void {
    try {
      work();
    } catch (error) {
      const state = this.#state;
      state.failed = true;
      state.threads = [];
      this.#emit?.({ type: "program-failed", error: describeError(error).message });
      if (state.locals !== null) this.#change(state.locals, { state: "failed", believes: false });
      else this.#emit?.({ type: "program-state", state: "failed" });
    }
  }

  #begin(): void {
    const state = this.#state;
    const locals = { ...this.#program.begin(this.#config.params, this.#here) };
    state.locals = locals;
    this.#tellChange(null, locals);
    this.#start(MAIN, this.#program.threads.main);
  }

  #start(name: string, step: Label): void {
    const at = this.#stamp.mono + this.#config.stepTime;
    this.#put({ name, step, doing: { type: "ready", at } });
  }

  #put(thread: Thread): void {
    const state = this.#state;
    const at = state.threads.findIndex(({ name }) => name === thread.name);
    state.threads = at < 0 ? [...state.threads, thread] : state.threads.with(at, thread);
    this.#emit?.({ type: "program-step", thread: thread.name, step: thread.step, waits: this.#waits(thread) });
  }

  #tellMain(): void {
    const main = this.#state.threads.find(({ name }) => name === MAIN);
    if (main !== undefined)
      this.#emit?.({ type: "program-step", thread: MAIN, step: main.step, waits: this.#waits(main) });
  }

  #waits({ name, doing }: Thread): Waits {
    switch (doing.type) {
      case "ready":
        return this.#state.held && name === MAIN ? "held" : null;
      case "call":
      case "write":
        return "answer";
      case "await":
        return "event";
      case "sleep":
        return "time";
    }
  }

  #isDue({ name, doing }: Thread): boolean {
    const { mono } = this.#stamp;
    const state = this.#state;
    switch (doing.type) {
      case "ready":
        return doing.at <= mono && (name !== MAIN || !state.held || state.passes > 0);
      case "sleep":
        return doing.until <= mono;
      case "await":
        return (state.mail.get(doing.watch)?.length ?? 0) > 0 || (doing.until !== null && doing.until <= mono);
      case "call":
      case "write":
        return false;
    }
  }

  #advance(thread: Thread): void {
    const state = this.#state;
    const { doing } = thread;
    switch (doing.type) {
      case "ready":
        if (thread.name === MAIN && state.held) state.passes -= 1;
        return this.#act(thread);
      case "sleep":
        return this.#then(thread, { type: "time" });
      case "await": {
        const event = state.mail.get(doing.watch)?.shift();
        if (event === undefined) return this.#then(thread, { type: "time" });
        this.#emit?.({ type: "notified", what: whatHappened(event) });
        return this.#then(thread, { type: "event", event });
      }
      case "call":
      case "write":
        return;
    }
  }

  #act(thread: Thread): void {
    const state = this.#state;
    const step = this.#stepAt(thread.step);
    const act = step.act(present(state.locals, "locals of a program that runs"), this.#here);
    switch (act.do) {
      case "call": {
        const ticket = this.#driver.call(act.request, act.timeout ?? null);
        if (act.detached !== true) return this.#put({ ...thread, doing: { type: "call", ticket } });
        this.#driver.forget(ticket);
        return this.#then(thread, { type: "done" });
      }
      case "watch":
        return this.#then(thread, { type: "watching", watch: this.#driver.watch(act.request) });
      case "unwatch": {
        this.#driver.unwatch(act.watch);
        state.mail.delete(act.watch);
        return this.#then(thread, { type: "done" });
      }
      case "await":
        return this.#put({ ...thread, doing: { type: "await", watch: act.watch, until: act.until } });
      case "sleep":
        return this.#put({ ...thread, doing: { type: "sleep", until: act.until } });
      case "write": {
        state.writes += 1;
        this.#send({ type: "resource-write", n: state.writes, value: act.value, token: act.token });
        return this.#put({ ...thread, doing: { type: "write", n: state.writes } });
      }
      case "decide":
        return this.#then(thread, { type: "done" });
    }
  }

  #then(thread: Thread, got: Got): void {
    const step = this.#stepAt(thread.step);
    // A step of a program, not a promise.
    // oxlint-disable-next-line promise/valid-params
    this.#turn(thread, step.then(present(this.#state.locals, "locals of a program that runs"), got, this.#here));
  }

  #stepAt(label: Label): AnyProgram["steps"][Label] {
    const step = this.#program.steps[label];
    if (step === undefined) throw new Error(`program ${this.#program.id} has no step ${label}`);
    return step;
  }

  #turn(thread: Thread, { to, set, start, stop, interrupt }: Turn<CommonLocals>): void {
    const state = this.#state;
    if (set !== undefined) this.#change(present(state.locals, "locals of a program that runs"), set);
    if (stop !== undefined) for (const name of stop) this.#end(name);
    if (to === null) this.#end(thread.name);
    else if (stop === undefined || !stop.includes(thread.name)) this.#start(thread.name, to);
    if (interrupt !== undefined)
      for (const [name, label] of Object.entries(interrupt))
        if (state.threads.some((one) => one.name === name)) this.#leave(name, label);
    if (start === undefined) return;
    for (const name of start)
      this.#start(name, present(this.#program.threads[name], `thread ${name} of ${this.#program.id}`));
  }

  #leave(name: string, label: Label): void {
    this.#forgetCall(name);
    this.#start(name, label);
  }

  #end(name: string): void {
    const state = this.#state;
    if (!state.threads.some((one) => one.name === name)) return;
    this.#forgetCall(name);
    state.threads = state.threads.filter((one) => one.name !== name);
    this.#emit?.({ type: "program-step", thread: name, step: null, waits: null });
  }

  #forgetCall(name: string): void {
    const doing = this.#state.threads.find((one) => one.name === name)?.doing;
    if (doing?.type === "call") this.#driver.forget(doing.ticket);
  }

  #heard(outcome: DriverOutcome): void {
    const state = this.#state;
    if (state.failed) return;
    if (outcome.type === "event") {
      const mail = state.mail.get(outcome.watch);
      if (mail === undefined) state.mail.set(outcome.watch, [outcome.event]);
      else mail.push(outcome.event);
      return;
    }
    const thread = state.threads.find(({ doing }) => doing.type === "call" && doing.ticket === outcome.ticket);
    if (thread === undefined) return;
    const got: Got =
      outcome.type === "answer"
        ? { type: "answer", body: outcome.body }
        : { type: "error", error: outcome.error, unknown: outcome.unknown };
    this.#attempt(() => this.#then(thread, got));
  }

  // ── what is told ──

  #change(locals: CommonLocals, set: Partial<CommonLocals>): void {
    const { identity, watches, believes, deadline, state } = locals;
    Object.assign(locals, set);
    this.#tellChange({ identity, watches, believes, deadline, state }, locals);
  }

  #tellChange(before: Omit<CommonLocals, "token"> | null, after: CommonLocals): void {
    const emit = this.#emit;
    if (emit === null) return;
    if (before?.identity !== after.identity && (before !== null || after.identity !== null))
      emit({ type: "lock-identity", identity: after.identity });
    if ((before?.watches ?? null) !== after.watches) emit({ type: "lock-watches", identity: after.watches });
    if ((before?.believes ?? false) !== after.believes)
      emit({ type: "lock-believes", holds: after.believes, token: after.token });
    if ((before?.deadline ?? null) !== after.deadline)
      emit({ type: "own-deadline", endsIn: after.deadline === null ? null : after.deadline - this.#stamp.mono });
    if (before?.state !== after.state) emit({ type: "program-state", state: after.state });
    const knows = this.#program.knows(after);
    const known = this.#state.knows;
    for (const name in knows) {
      const value = knows[name] ?? null;
      if ((known[name] ?? null) !== value) emit({ type: "program-knows", name, value });
    }
    this.#state.knows = knows;
  }

  // ── the resource ──

  #send(request: WriteRequest): void {
    const state = this.#state;
    if (state.connection !== null && state.isOpen) return this.#env.out.transmit(state.connection, request);
    state.unsent = [...state.unsent, request];
    if (state.connection !== null) return;
    state.connections += 1;
    state.connection = `${this.#env.id}/${state.incarnation}/resource${state.connections}`;
    this.#env.out.open(state.connection, this.#config.resource);
  }

  #resourceInput(input: Input): void {
    const state = this.#state;
    if (!("connection" in input) || input.connection !== state.connection) return;
    if (input.type === "connected") {
      state.isOpen = true;
      for (const request of state.unsent) this.#env.out.transmit(input.connection, request);
      state.unsent = [];
    } else if (input.type === "closed") {
      state.connection = null;
      state.isOpen = false;
      state.unsent = [];
      for (const thread of state.threads)
        if (thread.doing.type === "write")
          this.#attempt(() => this.#then(thread, { type: "error", error: "the resource is gone", unknown: true }));
    } else if (input.type === "received") {
      const { n, taken } = input.data as WriteAnswer;
      const thread = state.threads.find(({ doing }) => doing.type === "write" && doing.n === n);
      if (thread !== undefined) this.#attempt(() => this.#then(thread, { type: "written", taken }));
    }
  }

  #wakeAt(): Micros | null {
    const state = this.#state;
    const paused = this.#stamp.awake - this.#stamp.mono;
    let at = this.#driver.wakeAt() ?? Number.POSITIVE_INFINITY;
    if (state.locals === null && !state.failed) at = Math.min(at, state.startAt + paused);
    for (const { name, doing } of state.threads) {
      if (doing.type === "ready" && (name !== MAIN || !state.held || state.passes > 0))
        at = Math.min(at, doing.at + paused);
      else if (doing.type === "sleep") at = Math.min(at, doing.until + paused);
      else if (doing.type === "await" && doing.until !== null) at = Math.min(at, doing.until + paused);
    }
    return at === Number.POSITIVE_INFINITY ? null : at;
  }
}

/** A few words for an event of a watch: its type, if it has one. */
function whatHappened(event: object): string {
  return "type" in event && typeof event.type === "string" ? event.type : "event";
}
