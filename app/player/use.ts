import { createContext, useContext } from "react";
import { present } from "../../engine/index.ts";
import type { Player } from "./player.ts";

/** The player of the world that the components inside look at; goes together with the store's `WorldContext`. */
export const PlayerContext = createContext<Player | null>(null);

export function usePlayer(): Player {
  return present(useContext(PlayerContext), "a PlayerContext around this component");
}
