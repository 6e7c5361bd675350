import { RULES } from "../../engine/index.ts";
import { useLanguage } from "../i18n/use-text.ts";
import { settings as settingsOf, violation as violationOf } from "../store/selectors.ts";
import { useView } from "../store/use.ts";
import css from "./rules.module.css";

const COUNT = Object.keys(RULES).length;

/** In the header: whether everything holds, and whether something was switched off. It opens the list. */
export default function RulesLight({ onOpen }: { readonly onOpen: () => void }) {
  const { text } = useLanguage();
  const violation = useView(violationOf);
  const off = useView((view) => settingsOf(view).broken.length);
  const words = violation === null ? text("rules.hold", { count: COUNT }) : text("rules.one-broken");
  const offWords = off === 0 ? "" : text("rules.off-count", { count: off });
  return (
    <button
      type="button"
      className={css["light"]}
      data-broken={violation === null ? undefined : ""}
      aria-label={[words, offWords, text("rules.open")].filter(Boolean).join(". ")}
      onClick={onOpen}
    >
      <i className={css["dot"]} data-broken={violation === null ? undefined : ""} aria-hidden />
      <span>{words}</span>
      {off === 0 ? null : <span className={css["offChip"]}>{offWords}</span>}
    </button>
  );
}
