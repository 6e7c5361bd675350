/** The theme: the system's, or the one that was chosen. Remembered where storage is allowed. */
import { useSyncExternalStore } from "react";

export type Theme = "auto" | "light" | "dark";
export const THEMES: readonly Theme[] = ["auto", "light", "dark"];

const KEY = "lockstep.theme";
const listeners = new Set<() => void>();
let current: Theme | null = null;

function asTheme(text: string | null): Theme | null {
  return THEMES.find((theme) => theme === text) ?? null;
}

function remembered(): Theme | null {
  try {
    return asTheme(localStorage.getItem(KEY));
  } catch {
    return null;
  }
}

function apply(theme: Theme): void {
  if (theme === "auto") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}

/** Before anything is painted: from `?theme=`, else as remembered. */
export function currentTheme(): Theme {
  if (current === null) {
    current = asTheme(new URLSearchParams(window.location.search).get("theme")) ?? remembered() ?? "auto";
    apply(current);
  }
  return current;
}

export function setTheme(theme: Theme): void {
  current = theme;
  apply(theme);
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // Without storage the choice lasts as long as the page.
  }
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, currentTheme);
}
