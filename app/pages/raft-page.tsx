/** Raft with a register on it: the first thing that a visitor sees. */
import { useMemo } from "react";
import { useText } from "../i18n/use-text.ts";
import { WritePanel } from "../panels/write-panel.tsx";
import { Frame } from "./frame.tsx";

export function RaftPage() {
  const text = useText();
  const top = useMemo(() => ({ id: "write", title: text("tab.write"), content: <WritePanel /> }), [text]);
  return <Frame top={top} />;
}
