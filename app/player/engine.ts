/**
 * The engine as the player sees it, and the watch over its answers.
 *
 * A worker that cannot start answers nothing, and a Comlink promise on a dead worker never settles; so every call is
 * watched, and silence becomes a failure with a name.
 */
import type { Coordinator, RunSpec } from "../../engine/index.ts";

/** Which program the workers run: the first page's, or the one that knows every system. */
export type ProgramName = "register" | "systems";

export function programFor({ config }: RunSpec): ProgramName {
  return config.lab === undefined && (config.system ?? "register") === "register" ? "register" : "systems";
}

export interface Engine {
  readonly name: ProgramName;
  readonly coordinator: Coordinator;
  /** Null in a worker; else why it had to be the page's own thread. */
  readonly inPageBecause: string | null;
  /** The last error that the worker reported by itself; the likely cause when it falls silent. */
  readonly lastError: () => string | null;
  readonly dispose: () => void;
}

export type Connect = (name: ProgramName) => Promise<Engine>;

/** How long to wait for an engine that has reported an error of its own. */
const HURT_LIMIT_S = 3;

/** The engine did not do what it must: its start failed, it threw, or it fell silent. */
export class EngineFailure extends Error {
  override readonly name = "EngineFailure";
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
