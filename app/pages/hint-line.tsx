import { useText } from "../i18n/use-text.ts";
import { useMedia } from "../ui/use-media.ts";
import css from "./pages.module.css";

/** What the hand can do on the stage, said once and quietly. */
export function HintLine() {
  const text = useText();
  const coarse = useMedia("(pointer: coarse)");
  return <p className={css["hint"]}>{text(coarse ? "stage.hint.touch" : "stage.hint")}</p>;
}
