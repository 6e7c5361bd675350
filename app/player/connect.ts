/**
 * Starts the engine: a coordinator worker behind Comlink, or, where workers are not allowed, the same coordinator in
 * the page's own thread.
 */
import { wrap } from "comlink";
import type { Coordinator } from "../../engine/index.ts";
import CoordinatorWorker from "../../engine/worker/coordinator.worker.ts?worker&inline";
import { type Engine, EngineFailure, messageOf, watched } from "./engine.ts";

/** How long a new worker may take for its first answer. On a loaded machine one second was seen. */
const START_LIMIT_S = 5;

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

/** Fetched only where it is needed: most pages run it in the worker. */
async function connectInPage(because: string): Promise<Engine> {
  const { createCoordinator } = await import("../../engine/worker/coordinator.ts");
  return {
    coordinator: createCoordinator(null),
    inPageBecause: because,
    lastError: () => null,
    dispose: () => undefined,
  };
}
