/** The lock view: who holds and who waits for whom, what each believes over what is true, and what the lock protects. */
import { useLanguage } from "../../i18n/use-text.ts";
import { useView } from "../../store/use.ts";
import type { LabView } from "../../../engine/index.ts";
import { Gantt } from "./gantt.tsx";
import css from "./lock.module.css";
import { Queue } from "./queue.tsx";
import { Resource } from "./resource.tsx";
import { Past, Verdict } from "./verdict.tsx";

export default function LockPanel() {
  const lab = useView((view) => view.lab);
  if (lab === null) return null;
  return (
    <div className={css["panel"]}>
      <Verdict lab={lab} />
      <Past lab={lab} />
      <Waiting lab={lab} />
      <Gantt lab={lab} />
      {lab.resource === null ? null : <Resource resource={lab.resource} />}
      <Totals lab={lab} />
    </div>
  );
}

function Waiting({ lab }: { readonly lab: LabView }) {
  const { text, find } = useLanguage();
  return (
    <section aria-label={text("lock.queue")}>
      <h3>
        <code>{lab.lock}</code>
        <small>{find(`lock.ordered.${lab.lab}`) ?? ""}</small>
      </h3>
      <Queue lab={lab} />
    </section>
  );
}

function Totals({ lab }: { readonly lab: LabView }) {
  const { text, seconds, number } = useLanguage();
  const figures: readonly (readonly [string, string])[] = [
    [text("lock.total.notifications"), number(lab.notifications)],
    [text("lock.total.without-holder"), seconds(lab.withoutHolder, 1)],
    [text("lock.total.overlaps"), number(lab.overlaps.length)],
    [text("lock.total.out-of-turn"), number(lab.outOfTurn)],
    [text("lock.total.messages"), number(lab.messages)],
  ];
  return (
    <dl className={css["totals"]}>
      {figures.map(([name, figure]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{figure}</dd>
        </div>
      ))}
    </dl>
  );
}
