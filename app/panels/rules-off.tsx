import { useLanguage } from "../i18n/use-text.ts";
import { settings as settingsOf } from "../store/selectors.ts";
import { useView } from "../store/use.ts";
import css from "./rules.module.css";

/** As long as a rule is switched off, nothing that is seen is Raft: that stands across the stage. */
export default function RulesOff() {
  const { text, list } = useLanguage();
  const { broken } = useView(settingsOf);
  if (broken.length === 0) return null;
  return (
    <p className={css["off"]} role="note">
      <b>{text("rules.off")}</b> {list(broken.map((rule) => text(`broken.${rule}`)))}
    </p>
  );
}
