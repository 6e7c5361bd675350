import type { ViolationView } from "../../engine/index.ts";
import { useLanguage } from "../i18n/use-text.ts";
import { breachWords } from "./breach.ts";

/** What broke a rule, where the latest event is told. */
export default function BreachLine({ violation }: { readonly violation: ViolationView }) {
  const language = useLanguage();
  return (
    <span>
      {language.text("rules.one-broken")}: {breachWords(language, violation)}
    </span>
  );
}
