/**
 * The way to the engine: a coordinator worker behind Comlink, or, where workers are not allowed, the same coordinator
 * in the page's own thread. One engine serves all worlds of a page.
 *
 * A worker that cannot start answers nothing, and a Comlink promise on a dead worker never settles; so every call is
 * watched, and silence becomes a failure with a name.
 */
import { wrap } from "comlink";
import CoordinatorWorker from "../../engine/worker/coordinator.worker.ts?worker&inline";
import type { Coordinator } from "../../engine/index.ts";

export interface Engine {
  readonly coordinator: Coordinator;
  /** Null in a worker; else why it had to be the page's own thread. */
  readonly inPageBecause: string | null;
  /** The last error that the worker reported by itself; the likely cause when it falls silent. */
  readonly lastError: () => string | null;
  readonly dispose: () => void;
}

export type Connect = () => Promise<Engine>;

/** How long a new worker may take for its first answer. On a loaded machine one second was seen. */
const START_LIMIT_S = 5;

/** How long to wait for an engine that has reported an error of its own. */
const HURT_LIMIT_S = 3;

/** The engine did not do what it must: its start failed, it threw, or it fell silent. */
export class EngineFailure extends Error {
  override readonly name = "EngineFailure";
}

export async function connectEngine(): Promise<Engine> {
  try {
    return await connectWorker();
  } catch (error) {
    return await connectInPage(messageOf(error));
  }
}

async function connectWorker(): Promise<Engine> {
  const worker = new CoordinatorWorker({ name: "coordinator" });
  let lastError: string | null = null;
  const refused = new Promise<never>((_resolve, reject) => {
    worker.addEventListener("error", (event) => {
      // A worker that is blocked by a policy reports an event without any message.
      lastError = event.message === undefined || event.message === "" ? "the worker did not start" : event.message;
      reject(new EngineFailure(lastError));
    });
  });
  refused.catch(() => null); // after the start an error is only noted: the watch over the calls decides
  const coordinator = wrap<Coordinator>(worker);
  try {
    await Promise.race([refused, watched(firstAnswer(coordinator), START_LIMIT_S, () => lastError)]);
  } catch (error) {
    worker.terminate();
    throw error;
  }
  return {
    coordinator,
    inPageBecause: null,
    lastError: () => lastError,
    dispose: () => worker.terminate(),
  };
}

/** Any answer will do, a refusal too: it shows that the worker's code runs. */
async function firstAnswer(coordinator: Pick<Coordinator, "close">): Promise<void> {
  try {
    await coordinator.close("nobody");
  } catch {
    return;
  }
}

async function connectInPage(because: string): Promise<Engine> {
  throw new EngineFailure(because);
}

/**
 * The answer, or an `EngineFailure` after `limitS` seconds of silence. Seconds are counted by ticks of a timer, so that
 * a laptop that slept, or a tab in the background, is not taken for a dead engine.
 */
export async function watched<T>(answer: Promise<T>, limitS: number, lastError: () => string | null): Promise<T> {
  let timer: ReturnType<typeof setInterval> | undefined;
  const silence = new Promise<never>((_resolve, reject) => {
    let ticks = 0;
    timer = setInterval(() => {
      ticks += 1;
      if (ticks >= (lastError() === null ? limitS : Math.min(limitS, HURT_LIMIT_S)))
        reject(new EngineFailure(lastError() ?? `no answer for ${limitS} s`));
    }, 1_000);
  });
  try {
    return await Promise.race([answer, silence]);
  } finally {
    clearInterval(timer);
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
