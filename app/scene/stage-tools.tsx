import { Suspense, useState } from "react";
import { lazyWorded } from "../i18n/lazy-worded.ts";
import { useText } from "../i18n/use-text.ts";
import { usePlayer } from "../player/use.ts";
import { chiefId, chiefKind } from "../store/chief.ts";
import { cuts } from "../store/selectors.ts";
import { useView } from "../store/use.ts";
import { Button } from "../ui/button.tsx";
import css from "./stage.module.css";

const PartitionDialog = lazyWorded(() => import("./partition-dialog.tsx"));

/** The faults that a talk needs at hand. */
export default function StageTools() {
  const text = useText();
  const player = usePlayer();
  const kind = useView(chiefKind);
  const chief = useView(chiefId);
  const whole = useView((view) => cuts(view).size === 0);
  const [splitting, setSplitting] = useState(false);
  return (
    <div className={css["tools"]} role="group" aria-label={text("stage.tools")}>
      {kind === "none" ? null : (
        <Button
          disabled={chief === null}
          aria-keyshortcuts="L"
          onClick={() => (chief === null ? undefined : void player.dispatch({ type: "crash", process: chief }))}
        >
          {text(`stage.crash-${kind}`)}
        </Button>
      )}
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
