/**
 * Starts the engine: a coordinator worker behind Comlink, or, where workers are not allowed, the same coordinator in
 * the page's own thread.
 */
import { wrap } from "comlink";
import type { Coordinator } from "../../engine/index.ts";
import { startCoordinatorWorker } from "../../engine/worker/start.ts";
import smallProgram from "virtual:worker-program";
import { type Engine, EngineFailure, messageOf, type ProgramName, watched } from "./engine.ts";

/** How long a new worker may take for its first answer. On a loaded machine one second was seen. */
const START_LIMIT_S = 5;

export async function connectEngine(name: ProgramName): Promise<Engine> {
  const program = name === "register" ? smallProgram : (await import("virtual:worker-program-systems")).default;
  try {
    return await connectWorker(name, program);
  } catch (error) {
    return await connectInPage(name, messageOf(error));
  }
}

async function connectWorker(name: ProgramName, program: string): Promise<Engine> {
  const worker = startCoordinatorWorker(program);
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
    name,
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
async function connectInPage(name: ProgramName, because: string): Promise<Engine> {
  const { inPageCoordinator } = await (name === "register"
    ? import("../../engine/worker/in-page.ts")
    : import("../../engine/worker/in-page-systems.ts"));
  return {
    name,
    coordinator: inPageCoordinator(),
    inPageBecause: because,
    lastError: () => null,
    dispose: () => undefined,
  };
}
