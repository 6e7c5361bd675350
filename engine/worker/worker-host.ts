/**
 * Each member in a worker of its own. Stopping one is `terminate()`: what it knew exists nowhere else.
 *
 * The host keeps the table of pending calls itself, since nothing ever answers for a dead worker, and watches them: a
 * worker that does not answer in time is terminated and named by `takeHung`. Clients stay in this thread.
 */
import { present } from "../base/assert.ts";
import type { RngState } from "../base/rng.ts";
import type { RemoteHost } from "../scenario/run.ts";
import type { ProcessId } from "../sim/command.ts";
import { NO_RNG, RecordedProcess, type StepResult } from "../sim/host.ts";
import type { Build, Input, ProcessSpec, Stamp } from "../sim/process.ts";
import { ListReceiver, withWholeLists } from "./lists.ts";
import type { FromThread, ToThread } from "./thread.ts";

/** How often calls are looked after. One timer for all: a timer for each call would cost more than the call. */
const WATCH_EVERY_MS = 1_000;
/** How many looks a worker may take for one batch before it counts as hung. */
const ANSWER_WITHIN = 10;
/** How many looks the first worker may take to come up before workers count as not to be had here. */
const UP_WITHIN = 4;
/** Threads are made after the page has shown its first moments: each reads the whole program, and would keep it waiting. */
const FIRST_MOMENTS_MS = 500;

interface Call {
  readonly resolve: (answer: FromThread | null) => void;
  looksLeft: number;
}

/** A worker and the calls that wait for it. */
class Thread {
  readonly #worker: Worker;
  readonly #calls = new Map<number, Call>();
  #next = 1;
  /** What the checkpoints of its process have brought. */
  lists = new ListReceiver();
  /** What went wrong outside any call: the worker could not be loaded, or threw while it was being told something. */
  #broken: string | null = null;

  constructor(make: () => Worker) {
    this.#worker = make();
    this.#worker.onmessage = ({ data }: MessageEvent<FromThread>) => this.#settle(data.call, data);
    this.#worker.onerror = (event) => {
      event.preventDefault();
      this.#broken = event.message || "the worker could not be started";
      for (const call of this.#calls.keys()) this.#settle(call, this.#failure(call));
    };
  }

  tell(message: ToThread): void {
    this.#worker.postMessage(message);
  }

  /** Resolves to null when no answer comes before it was looked after so often. */
  ask(message: (call: number) => ToThread, looks: number): Promise<FromThread | null> {
    const call = this.#next;
    this.#next += 1;
    if (this.#broken !== null) return Promise.resolve(this.#failure(call));
    return new Promise((resolve) => {
      this.#calls.set(call, { resolve, looksLeft: looks });
      this.#worker.postMessage(message(call));
    });
  }

  look(): void {
    for (const [id, call] of this.#calls) {
      call.looksLeft -= 1;
      if (call.looksLeft <= 0) this.#settle(id, null);
    }
  }

  terminate(): void {
    this.#worker.terminate();
    for (const call of this.#calls.keys())
      this.#settle(call, { type: "failed", call, message: "terminated", stack: "" });
  }

  #settle(call: number, answer: FromThread | null): void {
    const waiting = this.#calls.get(call);
    if (waiting === undefined) return;
    this.#calls.delete(call);
    waiting.resolve(answer);
  }

  #failure(call: number): FromThread {
    return { type: "failed", call, message: this.#broken ?? "", stack: "" };
  }
}

export class WorkerHost implements RemoteHost {
  readonly #make: () => Worker;
  /** For the clients, which stay in this thread. */
  readonly #build: Build;
  readonly #threads = new Map<ProcessId, Thread>();
  readonly #here = new Map<ProcessId, RecordedProcess>();
  /** Threads whose process moved away, or is still to come. */
  #spare: Thread[] = [];
  #hung: ProcessId[] = [];
  #ended = false;
  readonly #watch: ReturnType<typeof setInterval>;

  constructor(make: () => Worker, build: Build) {
    this.#make = make;
    this.#build = build;
    this.#watch = setInterval(() => {
      for (const thread of this.#threads.values()) thread.look();
      for (const thread of this.#spare) thread.look();
    }, WATCH_EVERY_MS);
  }

  /** Brings up threads for that many processes, a while after it is asked. False when workers cannot be had here. */
  async warm(count: number): Promise<boolean> {
    await new Promise((resolve) => void setTimeout(resolve, FIRST_MOMENTS_MS));
    if (this.#ended) return false;
    try {
      while (this.#spare.length < count) this.#spare.push(new Thread(this.#make));
    } catch {
      return false; // the browser refuses to make one
    }
    const hello = (call: number): ToThread => ({ type: "hello", call });
    const answers = await Promise.all(this.#spare.map((thread) => thread.ask(hello, UP_WITHIN)));
    return answers.every((answer) => answer?.type === "hello");
  }

  start(spec: ProcessSpec, rng: RngState): void {
    if (spec.kind === "client") this.#here.set(spec.id, new RecordedProcess(this.#build, spec, rng));
    else this.#newThread(spec.id).tell({ type: "start", spec, rng });
  }

  restore(spec: ProcessSpec, checkpoint: unknown): void {
    if (spec.kind === "client") {
      const process = new RecordedProcess(this.#build, spec, NO_RNG);
      process.restore(checkpoint);
      this.#here.set(spec.id, process);
    } else {
      this.#newThread(spec.id).tell({ type: "restore", spec, checkpoint: withWholeLists(checkpoint) });
    }
  }

  stop(id: ProcessId): void {
    this.#here.delete(id);
    this.#threads.get(id)?.terminate();
    this.#threads.delete(id);
  }

  step(id: ProcessId, inputs: readonly Input[], stamp: Stamp): StepResult | Promise<StepResult> {
    const here = this.#here.get(id);
    return here === undefined ? this.#stepThere(id, inputs, stamp) : here.step(inputs, stamp);
  }

  async #stepThere(id: ProcessId, inputs: readonly Input[], stamp: Stamp): Promise<StepResult> {
    const thread = present(this.#threads.get(id), `the thread of ${id}`);
    const answer = await thread.ask((call) => ({ type: "step", call, inputs, stamp }), ANSWER_WITHIN);
    if (answer?.type === "stepped") return answer.result;
    if (answer?.type === "failed") return { effects: [], error: { message: answer.message, stack: answer.stack } };
    this.#hung.push(id);
    return { effects: [], error: null };
  }

  async checkpoint(id: ProcessId): Promise<unknown> {
    const here = this.#here.get(id);
    if (here !== undefined) return here.checkpoint();
    const thread = present(this.#threads.get(id), `the thread of ${id}`);
    const answer = await thread.ask((call) => ({ type: "checkpoint", call }), ANSWER_WITHIN);
    if (answer?.type === "checkpoint") return thread.lists.complete(answer.checkpoint);
    throw new Error(`${id} gave no checkpoint: ${answer?.type === "failed" ? answer.message : "no answer"}`);
  }

  takeHung(): readonly ProcessId[] {
    if (this.#hung.length === 0) return this.#hung;
    const hung = this.#hung;
    this.#hung = [];
    return hung;
  }

  /** The processes have moved away; their threads stay for the next ones. */
  clear(): void {
    this.#spare.push(...this.#threads.values());
    this.#threads.clear();
    this.#here.clear();
  }

  /** For good. */
  end(): void {
    this.#ended = true;
    clearInterval(this.#watch);
    this.clear();
    for (const thread of this.#spare) thread.terminate();
    this.#spare = [];
  }

  #newThread(id: ProcessId): Thread {
    const thread = this.#spare.pop() ?? new Thread(this.#make);
    thread.lists = new ListReceiver();
    this.#threads.set(id, thread);
    return thread;
  }
}
