import { memo } from "react";
import type { Note } from "../../engine/index.ts";
import { useLanguage } from "../i18n/use-text.ts";
import { usePlayer } from "../player/use.ts";
import { notes as notesOf } from "../store/selectors.ts";
import { useView } from "../store/use.ts";
import { NoteLine, noteKey } from "./note-line.tsx";
import css from "./panels.module.css";

const LISTED = 80;

/** What happened, newest first; each line goes to its moment. */
export default function EventsPanel() {
  const { text } = useLanguage();
  const notes = useView(notesOf);
  const listed = notes.slice(-LISTED).reverse();
  return (
    <div className={css["pad"]}>
      {listed.length === 0 ? <p className={css["quiet"]}>{text("events.none")}</p> : null}
      <ol className={css["events"]}>
        {listed.map((note) => (
          <EventRow key={noteKey(note)} note={note} />
        ))}
      </ol>
    </div>
  );
}

const EventRow = memo(function EventRow({ note }: { readonly note: Note }) {
  const { text, number } = useLanguage();
  const player = usePlayer();
  const time = number(note.at / 1_000_000, 3);
  const go = (): void => {
    player.pause();
    void player.seek(note.at);
  };
  return (
    <li>
      <button type="button" aria-label={text("events.go", { time: `${time} s` })} onClick={go}>
        {time}
      </button>
      <span>
        <NoteLine note={note} />
      </span>
    </li>
  );
});
