/** The same story told of several systems, side by side and in step; and at the end what each came to. */
import { Suspense, useState } from "react";
import { LAB_STORIES } from "../../../engine/lab-stories.ts";
import { lazyWorded } from "../../i18n/lazy-worded.ts";
import { useLanguage } from "../../i18n/use-text.ts";
import { usePlayer } from "../../player/use.ts";
import { Button } from "../../ui/button.tsx";
import { Check } from "../../ui/field.tsx";
import { COMPARISONS, type Comparison } from "./comparisons.ts";
import css from "./lab.module.css";

const CompareView = lazyWorded(() => import("./compare-view.tsx"));
const COLUMNS_MAX = 5;
const COLUMNS_MIN = 2;

export default function ComparePanel() {
  const { text } = useLanguage();
  const player = usePlayer();
  const [shown, setShown] = useState<readonly string[] | null>(null);
  return (
    <div className={css["stories"]}>
      <p className={css["quiet"]}>{text("lab.compare.about")}</p>
      {COMPARISONS.map((comparison) => (
        <Choice
          key={comparison.id}
          comparison={comparison}
          onStart={(ids) => {
            player.pause();
            setShown(ids);
          }}
        />
      ))}
      {shown === null ? null : (
        <Suspense fallback={null}>
          <CompareView stories={shown} onClose={() => setShown(null)} />
        </Suspense>
      )}
    </div>
  );
}

function Choice({
  comparison,
  onStart,
}: {
  readonly comparison: Comparison;
  readonly onStart: (ids: readonly string[]) => void;
}) {
  const { text, find } = useLanguage();
  const known = comparison.stories.filter((id) => LAB_STORIES.some((story) => story.id === id));
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(known.slice(0, COLUMNS_MAX)));
  const toggle = (id: string, on: boolean): void => {
    const next = new Set(chosen);
    if (on) next.add(id);
    else next.delete(id);
    setChosen(next);
  };
  if (known.length < COLUMNS_MIN) return null;
  const fits = chosen.size >= COLUMNS_MIN && chosen.size <= COLUMNS_MAX;
  return (
    <section>
      <h3>{find(`lab.compare.${comparison.id}`) ?? comparison.id}</h3>
      {known.map((id) => (
        <Check
          key={id}
          label={find(`labstory.${id}`) ?? id}
          checked={chosen.has(id)}
          onChange={(on) => toggle(id, on)}
        />
      ))}
      <p>
        <Button disabled={!fits} onClick={() => onStart(known.filter((id) => chosen.has(id)))}>
          {text("lab.compare.start")}
        </Button>
      </p>
    </section>
  );
}
