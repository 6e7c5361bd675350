import { useEffect, useRef } from "react";
import { useLanguage } from "../i18n/use-text.ts";
import { usePlayer } from "../player/use.ts";
import { paced } from "../ui/paced.ts";
import { writeText } from "../ui/write-text.ts";
import css from "./transport.module.css";

/** Figures that change faster cannot be read, and each change costs a layout. */
const READABLE_MS = 110;

/** The virtual time shown: written to the page outside React. */
export function Clock() {
  const language = useLanguage();
  const player = usePlayer();
  const shown = useRef<HTMLOutputElement>(null);
  useEffect(() => {
    const write = paced(READABLE_MS, (now: number) => {
      if (shown.current !== null) writeText(shown.current, language.number(now / 1_000_000, 3));
    });
    let asked = 0;
    const off = player.onFrame((_view, now) => {
      // A clock that stands does not keep its next moment waiting.
      if (now === asked) return;
      asked = now;
      write.call(now);
    });
    return () => {
      off();
      write.cancel();
    };
  }, [player, language]);
  return (
    <output ref={shown} className={css["now"]} aria-label={language.text("transport.time")} aria-live="off">
      {language.number(0, 3)}
    </output>
  );
}
