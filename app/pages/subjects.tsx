import { useText } from "../i18n/use-text.ts";
import { SUBJECT_SPECS } from "../player/subjects.ts";
import { usePlayer } from "../player/use.ts";
import { type Subject, subjectOf } from "../store/subject.ts";
import { useWorld } from "../store/use.ts";
import css from "./pages.module.css";

const SUBJECTS: readonly Subject[] = ["raft", "etcd"];

/** What this page can be about; choosing one starts a run of it. */
export function Subjects() {
  const text = useText();
  const player = usePlayer();
  const subject = useWorld(subjectOf);
  const open = (to: Subject): void => {
    if (to === subject) return;
    void player.restart(SUBJECT_SPECS[to]).then((stands) => (stands ? player.play() : undefined));
  };
  return (
    <nav className={css["subjects"]} aria-label={text("app.subject")}>
      {SUBJECTS.map((id) => (
        <button key={id} type="button" aria-current={id === subject ? "page" : undefined} onClick={() => open(id)}>
          {text(`app.subject.${id}`)}
        </button>
      ))}
    </nav>
  );
}
