import { useText } from "../i18n/use-text.ts";
import { SUBJECT_SPECS } from "../player/subjects.ts";
import { usePlayer } from "../player/use.ts";
import { DEFAULT_SPEED } from "../store/speed.ts";
import { type Subject, subjectOf } from "../store/subject.ts";
import { useWorld } from "../store/use.ts";
import css from "./pages.module.css";

const SUBJECTS: readonly Subject[] = ["raft", "etcd", "labs"];
/** The lock story that the page begins with. */
const FIRST_STORY = "three-clients-mended";

/** What this page can be about; choosing one starts a run of it. */
export function Subjects() {
  const text = useText();
  const player = usePlayer();
  const subject = useWorld(subjectOf);
  const open = (to: Subject): void => {
    if (to === subject) return;
    if (to === "labs") return void player.tellLab(FIRST_STORY);
    // etcd's timing is in seconds, the paper's in milliseconds.
    player.setSpeed(to === "etcd" ? 1 : DEFAULT_SPEED);
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
