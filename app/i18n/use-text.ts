/** The language of the page, for components: from `?lang=`, else the browser's, until the switch says otherwise. */
import { useSyncExternalStore } from "react";
import { type Lang, type Language, languageOf, loadLang, onLoaded, pickLang } from "./language.ts";

const listeners = new Set<() => void>();
let current: Lang | null = null;

function firstLang(): Lang {
  const asked = new URLSearchParams(window.location.search).get("lang");
  return pickLang([asked, ...navigator.languages]);
}

export function currentLang(): Lang {
  if (current === null) {
    current = firstLang();
    document.documentElement.lang = current;
  }
  return current;
}

/** Before anything is painted: fetches the language that the page starts in, English but for its rest. */
export async function prepareLang(): Promise<void> {
  if (currentLang() !== "en") await loadLang(currentLang());
}

export async function setLang(lang: Lang): Promise<void> {
  await loadLang(lang);
  current = lang;
  document.documentElement.lang = lang;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  const off = onLoaded(listener);
  return () => {
    listeners.delete(listener);
    off();
  };
}

export function useLanguage(): Language {
  return useSyncExternalStore(subscribe, () => languageOf(currentLang()));
}

export function useText(): Language["text"] {
  return useLanguage().text;
}
