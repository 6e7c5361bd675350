/** A lock lab: who holds and who waits, the programs line by line, and the stories. */
import { useMemo } from "react";
import { lazyWorded } from "../i18n/lazy-worded.ts";
import { useText } from "../i18n/use-text.ts";
import type { Tab } from "../ui/tabs.tsx";
import { Frame } from "./frame.tsx";

const LockPanel = lazyWorded(() => import("../panels/lock/lock-panel.tsx"));
const CodePanel = lazyWorded(() => import("../panels/lab/code-panel.tsx"));
const SetupPanel = lazyWorded(() => import("../panels/lab/setup-panel.tsx"));
const ComparePanel = lazyWorded(() => import("../panels/lab/compare-panel.tsx"));
const StoriesPanel = lazyWorded(() => import("../panels/lab/stories-panel.tsx"));

export default function LabPage() {
  const text = useText();
  const tabs = useMemo(
    (): readonly Tab[] => [
      { id: "lock", title: text("tab.locks"), content: <LockPanel /> },
      { id: "code", title: text("tab.code"), content: <CodePanel /> },
      { id: "stories", title: text("tab.stories"), content: <StoriesPanel /> },
      { id: "compare", title: text("tab.compare"), content: <ComparePanel /> },
      { id: "setup", title: text("tab.setup"), content: <SetupPanel /> },
    ],
    [text],
  );
  return <Frame tabs={tabs} first="lock" />;
}
