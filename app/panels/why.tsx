import { useMemo } from "react";
import { useLanguage } from "../i18n/use-text.ts";
import { notes as notesOf, playingOf } from "../store/selectors.ts";
import { useView, useWorld } from "../store/use.ts";
import { latestNotes, NoteLine, noteKey } from "./note-line.tsx";
import css from "./panels.module.css";

/** One line under the stage: what just happened, and why. What came before it fades behind. */
export function Why() {
  const { text, number } = useLanguage();
  const notes = useView(notesOf);
  const playing = useWorld(playingOf);
  const lines = useMemo(() => latestNotes(notes, 2), [notes]);
  return (
    <section className={css["why"]} aria-label={text("why.label")} aria-live={playing ? "off" : "polite"}>
      {lines.length === 0 ? <p>{text("why.nothing")}</p> : null}
      {lines.map((note) => (
        <p key={noteKey(note)}>
          <time>{number(note.at / 1_000_000, 3)}</time>
          <span>
            <NoteLine note={note} />
          </span>
        </p>
      ))}
    </section>
  );
}
