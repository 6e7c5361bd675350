import { Suspense, useMemo } from "react";
import { lazyWorded } from "../i18n/lazy-worded.ts";
import { useLanguage } from "../i18n/use-text.ts";
import { notes as notesOf, playingOf, violation as violationOf } from "../store/selectors.ts";
import { useView, useWorld } from "../store/use.ts";
import { latestNotes, NoteLine, noteKey } from "./note-line.tsx";
import { usePaced } from "../ui/use-paced.ts";
import css from "./panels.module.css";

/** What changes faster cannot be read. */
const READABLE_MS = 150;

/** It is hoped never to be needed. */
const BreachLine = lazyWorded(() => import("./breach-line.tsx"));

/** One line under the stage: what just happened, and why. What came before it fades behind. */
export default function Why() {
  const { text, number } = useLanguage();
  const notes = usePaced(useView(notesOf), READABLE_MS);
  const playing = useWorld(playingOf);
  const violation = useView(violationOf);
  // While it plays on, what happens next has the line; the light in the header stays red.
  const shown = playing ? null : violation;
  const lines = useMemo(() => latestNotes(notes, shown === null ? 2 : 1), [notes, shown]);
  return (
    <section
      className={css["why"]}
      aria-label={text("why.label")}
      aria-live={playing ? "off" : "polite"}
      data-broken={shown === null ? undefined : ""}
    >
      {shown === null ? null : (
        <p>
          <time>{number(shown.at / 1_000_000, 3)}</time>
          <Suspense fallback={null}>
            <BreachLine violation={shown} />
          </Suspense>
        </p>
      )}
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
