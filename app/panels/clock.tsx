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
    let last = "";
    const write = paced(READABLE_MS, (now: number) => {
      const words = language.number(now / 1_000_000, 3);
      if (shown.current === null || words === last) return;
      last = words;
      writeText(shown.current, words);
    });
    const off = player.onFrame((_view, now) => write.call(now));
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
