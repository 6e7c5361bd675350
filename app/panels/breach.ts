/** What broke a rule, in words: a sentence for each rule, from the figures that it was judged by. */
import type { ViolationView } from "../../engine/index.ts";
import type { Language, LooseFigures } from "../i18n/language.ts";

/** Lists become names one behind the other. */
export function breachFigures({ process, figures }: Pick<ViolationView, "process" | "figures">): LooseFigures {
  const flat: Record<string, string | number | null> = { process };
  for (const [name, value] of Object.entries(figures))
    flat[name] = typeof value === "object" && value !== null ? value.join(", ") : value;
  return flat;
}

export function breachWords(language: Language, violation: ViolationView): string {
  return language.sayText("breach", violation.rule, breachFigures(violation));
}
