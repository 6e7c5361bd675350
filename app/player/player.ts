/** A player for a world, with the browser around it. */
import type { WorldId } from "../../engine/index.ts";
import { connectEngine } from "./connect.ts";
import type { Engine } from "./engine.ts";
import { type Player, type Surroundings, WorldPlayer } from "./world-player.ts";

export type { FrameListener, Player } from "./world-player.ts";

/** One engine for all players of the page; null before the first asks for it, and after it was given up. */
let shared: Promise<Engine> | null = null;

async function sharedEngine(): Promise<Engine> {
  shared ??= connectEngine();
  const starting = shared;
  try {
    const engine = await starting;
    return {
      ...engine,
      dispose: () => {
        engine.dispose();
        if (shared === starting) shared = null;
      },
    };
  } catch (error) {
    if (shared === starting) shared = null;
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
