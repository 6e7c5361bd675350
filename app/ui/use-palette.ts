import { useSyncExternalStore } from "react";
import { onPaletteChange, type Palette, palette } from "./palette.ts";

export function usePalette(): Palette {
  return useSyncExternalStore(onPaletteChange, palette);
}
