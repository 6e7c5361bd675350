/** Raft with a register on it: the first thing that a visitor sees. */
import { Suspense, useMemo } from "react";
import { lazyWorded } from "../i18n/lazy-worded.ts";
import { useText } from "../i18n/use-text.ts";
import { useStarted } from "../store/use-started.ts";
import { Frame } from "./frame.tsx";
import css from "./pages.module.css";

/** Nobody would take a write before there is a leader. */
const WritePanel = lazyWorded(() => import("../panels/write-panel.tsx"));

export function RaftPage() {
  const text = useText();
  const top = useMemo(() => ({ id: "write", title: text("tab.write"), content: <Write /> }), [text]);
  return <Frame top={top} />;
}

function Write() {
  const started = useStarted();
  return (
    <div className={css["write"]}>
      {started ? (
        <Suspense fallback={null}>
          <WritePanel />
        </Suspense>
      ) : null}
    </div>
  );
}
