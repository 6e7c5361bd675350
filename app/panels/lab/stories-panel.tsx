/** The lock stories, by what they are about: each a lab, what is done to it, and what must come of it. */
import { useState } from "react";
import { LAB_STORIES, type LabStory } from "../../../engine/lab-stories.ts";
import { useLanguage } from "../../i18n/use-text.ts";
import { usePlayer } from "../../player/use.ts";
import { Button } from "../../ui/button.tsx";
import css from "./lab.module.css";

/** The systems in the order in which they are offered. */
const GROUPS = [...new Set(LAB_STORIES.map(({ lab }) => lab.system))];

export default function StoriesPanel() {
  const { text, find } = useLanguage();
  const player = usePlayer();
  const [telling, setTelling] = useState<string | null>(null);
  const tell = (story: LabStory): void => {
    setTelling(story.id);
    void player.tellLab(story.id).finally(() => setTelling(null));
  };
  return (
    <div className={css["stories"]}>
      <p className={css["quiet"]}>{text("lab.stories.about")}</p>
      {GROUPS.map((system) => (
        <section key={system} aria-label={find(`lab.system.${system}`) ?? system}>
          <h3>{find(`lab.system.${system}`) ?? system}</h3>
          <p className={css["quiet"]}>{find(`lab.system.${system}.about`) ?? ""}</p>
          <ul>
            {LAB_STORIES.filter(({ lab }) => lab.system === system).map((story) => (
              <li key={story.id}>
                <span className={css["story"]}>
                  <b>{find(`labstory.${story.id}`) ?? story.id}</b>
                  <small>{find(`labstory.${story.id}.about`) ?? ""}</small>
                </span>
                <Button
                  disabled={telling !== null}
                  aria-label={text("lab.tell.label", { story: find(`labstory.${story.id}`) ?? story.id })}
                  onClick={() => tell(story)}
                >
                  {text("lab.tell")}
                </Button>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}
