import { Suspense } from "react";
import { lazyWorded } from "../i18n/lazy-worded.ts";
import { problemsOf, refusedOf } from "../store/selectors.ts";
import { useWorld } from "../store/use.ts";
import css from "./panels.module.css";

const NoticeList = lazyWorded(() => import("./notice-list.tsx"));

/** Commands that were refused, with the reason; and what went wrong outside the simulation. */
export function Notices() {
  const refused = useWorld(refusedOf);
  const problems = useWorld(problemsOf);
  return (
    <div className={css["notices"]}>
      <div role="status">
        <Suspense fallback={null}>
          {refused === null ? null : <NoticeList key={refused.serial} shown={refused} />}
        </Suspense>
      </div>
      <div role="alert">
        <Suspense fallback={null}>{problems.length === 0 ? null : <NoticeList shown={problems} />}</Suspense>
      </div>
    </div>
  );
}
