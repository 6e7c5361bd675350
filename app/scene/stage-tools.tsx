import { lazy, Suspense, useState } from "react";
import { useText } from "../i18n/use-text.ts";
import { usePlayer } from "../player/use.ts";
import { cuts, leaderId } from "../store/selectors.ts";
import { useView } from "../store/use.ts";
import { Button } from "../ui/button.tsx";
import css from "./stage.module.css";

const PartitionDialog = lazy(() => import("./partition-dialog.tsx"));

/** The faults that a talk needs at hand. */
export default function StageTools() {
  const text = useText();
  const player = usePlayer();
  const leader = useView(leaderId);
  const whole = useView((view) => cuts(view).size === 0);
  const [splitting, setSplitting] = useState(false);
  return (
    <div className={css["tools"]} role="group" aria-label={text("stage.tools")}>
      <Button
        disabled={leader === null}
        aria-keyshortcuts="L"
        onClick={() => (leader === null ? undefined : void player.dispatch({ type: "crash", process: leader }))}
      >
        {text("stage.crash-leader")}
      </Button>
      <Button onClick={() => setSplitting(true)}>{text("stage.partition")}</Button>
      <Button disabled={whole} aria-keyshortcuts="H" onClick={() => void player.dispatch({ type: "heal" })}>
        {text("stage.heal")}
      </Button>
      {splitting ? (
        <Suspense fallback={null}>
          <PartitionDialog onClose={() => setSplitting(false)} />
        </Suspense>
      ) : null}
    </div>
  );
}
