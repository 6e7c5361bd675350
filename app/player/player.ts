/** A player for a world, with the browser around it. */
import type { WorldId } from "../../engine/index.ts";
import { connectEngine } from "./connect.ts";
import type { Engine, ProgramName } from "./engine.ts";
import { type Player, type Surroundings, WorldPlayer } from "./world-player.ts";

export type { FrameListener, Player } from "./world-player.ts";

/** One engine of each program for all players of the page; none before the first asks for it, and after it was given up. */
const shared = new Map<ProgramName, Promise<Engine>>();

async function sharedEngine(name: ProgramName): Promise<Engine> {
  const starting = shared.get(name) ?? connectEngine(name);
  shared.set(name, starting);
  try {
    const engine = await starting;
    return {
      ...engine,
      dispose: () => {
        engine.dispose();
        if (shared.get(name) === starting) shared.delete(name);
      },
    };
  } catch (error) {
    if (shared.get(name) === starting) shared.delete(name);
    throw error;
  }
}

const browser: Surroundings = {
  connect: sharedEngine,
  requestFrame: (callback, restMs) => {
    let frame = 0;
    const ask = (): void => {
      frame = requestAnimationFrame(callback);
    };
    // A frame that is asked for costs the browser a whole turn, whether or not anything is drawn in it.
    const timer = restMs > 0 ? window.setTimeout(ask, restMs) : 0;
    if (restMs <= 0) ask();
    return () => {
      window.clearTimeout(timer);
      cancelAnimationFrame(frame);
    };
  },
  isHidden: () => document.hidden,
  onVisibility: (listener) => {
    document.addEventListener("visibilitychange", listener);
    return () => document.removeEventListener("visibilitychange", listener);
  },
  address: () => location.href.split("#", 1)[0] ?? "",
};

export function createPlayer(world: WorldId): Player {
  return new WorldPlayer(world, browser);
}
