import { useEffect, useRef } from "react";
import { useLanguage } from "../i18n/use-text.ts";
import { usePlayer } from "../player/use.ts";
import css from "./transport.module.css";

/** The virtual time shown: written to the page once a frame, outside React. */
export function Clock() {
  const language = useLanguage();
  const player = usePlayer();
  const shown = useRef<HTMLOutputElement>(null);
  useEffect(() => {
    let last = "";
    return player.onFrame((_view, now) => {
      const words = language.number(now / 1_000_000, 3);
      if (shown.current === null || words === last) return;
      last = words;
      shown.current.textContent = words;
    });
  }, [player, language]);
  return (
    <output ref={shown} className={css["now"]} aria-label={language.text("transport.time")} aria-live="off">
      {language.number(0, 3)}
    </output>
  );
}
