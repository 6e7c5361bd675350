/** The store as React sees it: each hook renders again only when its selector's answer has changed. */
import { createContext, useContext } from "react";
import { useStore } from "zustand";
import type { WorldId } from "../../engine/index.ts";
import type { Mirror } from "./mirror.ts";
import { MAIN_WORLD, worldIn, worldsStore, type WorldState } from "./worlds.ts";

/** The world that the components inside look at. */
export const WorldContext = createContext<WorldId>(MAIN_WORLD);

export function useWorldId(): WorldId {
  return useContext(WorldContext);
}

export function useView<T>(selector: (view: Mirror) => T, world?: WorldId): T {
  const current = useWorldId();
  return useStore(worldsStore, (state) => selector(worldIn(state, world ?? current).view));
}

export function useWorld<T>(selector: (world: WorldState) => T, world?: WorldId): T {
  const current = useWorldId();
  return useStore(worldsStore, (state) => selector(worldIn(state, world ?? current)));
}
