/** The lock view: who holds and who waits for whom, what each believes over what is true, and what the lock protects. */
import { memo } from "react";
import type { LabView } from "../../../engine/index.ts";
import { useLanguage } from "../../i18n/use-text.ts";
import { useView } from "../../store/use.ts";
import { usePaced } from "../../ui/use-paced.ts";
import { Gantt } from "./gantt.tsx";
import css from "./lock.module.css";
import { Queue } from "./queue.tsx";
import { Resource } from "./resource.tsx";
import { Past, Verdict } from "./verdict.tsx";

/** Figures that change faster cannot be read, and each change costs a layout. */
const READABLE_MS = 200;

export default function LockPanel() {
  const lab = useView((view) => view.lab);
  const figures = usePaced(lab, READABLE_MS);
  if (lab === null) return null;
  return (
    <div className={css["panel"]}>
      <Verdict lab={lab} />
      <Past overlaps={lab.overlaps} />
      <Waiting lock={lab.lock} system={lab.lab} />
      <Gantt clients={lab.clients} believed={lab.believed} held={lab.held} overlaps={lab.overlaps} />
      {lab.resource === null ? null : <Resource resource={lab.resource} />}
      <Totals lab={figures ?? lab} />
    </div>
  );
}

const Waiting = memo(function Waiting({ lock, system }: { readonly lock: string; readonly system: string }) {
  const { text, find } = useLanguage();
  return (
    <section aria-label={text("lock.queue")}>
      <h3>
        <code>{lock}</code>
        <small>{find(`lock.ordered.${system}`) ?? ""}</small>
      </h3>
      <Queue />
    </section>
  );
});

const Totals = memo(function Totals({ lab }: { readonly lab: LabView }) {
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
});
