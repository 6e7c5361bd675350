import { memo } from "react";
import type { LabClientView, LabView } from "../../../engine/index.ts";
import { useLanguage } from "../../i18n/use-text.ts";
import { Badge } from "./badge.tsx";
import { holderOf, letterOf, presentOverlap } from "../../store/lock-facts.ts";
import css from "./lock.module.css";

/** What went wrong before, once it is over: a story is often looked at from its end. */
export const Past = memo(function Past({ overlaps }: Pick<LabView, "overlaps">) {
  const { text, seconds, find } = useLanguage();
  const last = overlaps.at(-1);
  if (last === undefined || last.to === null) return null;
  return (
    <p className={css["past"]}>
      {text("lock.past", {
        first: letterOf(last.first),
        second: letterOf(last.second),
        span: seconds(last.to - last.from, 1),
      })}{" "}
      <small>{find(`lock.why.${last.why}`) ?? ""}</small>
    </p>
  );
});

/** One line, the first thing that is read: who holds the lock, or what is wrong with it. */
export function Verdict({ lab }: { readonly lab: LabView }) {
  const { text, find } = useLanguage();
  const overlap = presentOverlap(lab);
  const holder = holderOf(lab);
  const believers = lab.clients.filter(({ believes }) => believes);
  const [first] = believers;
  if (overlap !== null)
    return (
      <p className={css["verdict"]} data-state="harm" role="status">
        <Badge id={overlap.first} />
        <Badge id={overlap.second} />
        <span>
          <b>{text("lock.verdict.overlap", { first: letterOf(overlap.first), second: letterOf(overlap.second) })}</b>
          <small>{find(`lock.why.${overlap.why}`) ?? ""}</small>
        </span>
      </p>
    );
  if (holder === null && first === undefined)
    return (
      <p className={css["verdict"]} data-state="free" role="status">
        <span>
          <b>{text("lock.verdict.free")}</b>
        </span>
      </p>
    );
  if (first === undefined) {
    const owner = lab.clients.find(({ id }) => id === holder?.client);
    const is = owner === undefined ? "foreign" : isDown(owner) ? "dead" : "unaware";
    return (
      <p className={css["verdict"]} data-state="free" role="status">
        <Badge id={owner?.id ?? null} />
        <span>
          <b>{text(`lock.verdict.${is}`, { id: owner === undefined ? "" : letterOf(owner.id) })}</b>
          <Waiting lab={lab} />
        </span>
      </p>
    );
  }
  const right = holder?.client === first.id;
  return (
    <p className={css["verdict"]} data-state={right ? "holds" : "harm"} role="status">
      <Badge id={first.id} />
      <span>
        <b>{text(right ? "lock.verdict.holds" : "lock.verdict.deceived", { id: letterOf(first.id) })}</b>
        {right ? <Waiting lab={lab} /> : <small>{text("lock.verdict.deceived.more")}</small>}
      </span>
      {first.token === null ? null : <span className={css["token"]}>#{first.token}</span>}
    </p>
  );
}

function isDown({ liveness }: LabClientView): boolean {
  return liveness === "crashed" || liveness === "panicked";
}

/** How many want it besides: a long queue is not seen whole. */
function Waiting({ lab }: { readonly lab: LabView }) {
  const { text } = useLanguage();
  const count = lab.clients.filter(({ state, liveness }) => state === "waiting" && liveness === "running").length;
  return count === 0 ? null : <small>{text("lock.verdict.waiting", { count })}</small>;
}
