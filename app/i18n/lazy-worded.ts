import { type ComponentType, lazy, type LazyExoticComponent } from "react";
import { loadLang } from "./language.ts";
import { currentLang } from "./use-text.ts";

/**
 * React's `lazy`, for a component with words that are not fetched with the page (all but those of `en-first.ts`): it is
 * shown when its code and its words are both here, so that no button or field stands there without a name.
 */
export function lazyWorded<Props extends object>(
  load: () => Promise<{ readonly default: ComponentType<Props> }>,
): LazyExoticComponent<ComponentType<Props>> {
  return lazy(() => Promise.all([load(), loadLang(currentLang())]).then(([module]) => module));
}
