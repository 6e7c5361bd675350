/** The page: one cluster, what surrounds it, and the transport under all of it. */
import { lazy, Suspense, useCallback, useState } from "react";
import { useText } from "../i18n/use-text.ts";
import { useKeys } from "../panels/keys.ts";
import { Notices } from "../panels/notices.tsx";
import { Timeline } from "../panels/timeline.tsx";
import { Transport } from "../panels/transport.tsx";
import { Why } from "../panels/why.tsx";
import { WritePanel } from "../panels/write-panel.tsx";
import { Panics } from "../scene/panics.tsx";
import { Stage } from "../scene/stage.tsx";
import { StageTools } from "../scene/stage-tools.tsx";
import { flightCount, logsAreEmpty } from "../store/selectors.ts";
import { useView } from "../store/use.ts";
import { type Tab, Tabs } from "../ui/tabs.tsx";
import { useMedia } from "../ui/use-media.ts";
import { Header } from "./header.tsx";
import { HintLine } from "./hint-line.tsx";
import css from "./pages.module.css";

/** What is not seen at first is fetched when it is. */
const ClusterPanel = lazy(() => import("../panels/cluster-panel.tsx"));
const EventsPanel = lazy(() => import("../panels/events-panel.tsx"));
const LogPanel = lazy(() => import("../panels/log-panel.tsx"));
const NetworkPanel = lazy(() => import("../panels/network-panel.tsx"));
const MessageList = lazy(() => import("../scene/message-list.tsx"));
const HelpDialog = lazy(() => import("./help-dialog.tsx"));

/** As in the style sheets: below this, one column. */
const NARROW = "(max-width: 56rem)";

export function RaftPage() {
  const text = useText();
  const narrow = useMedia(NARROW);
  const [help, setHelp] = useState(false);
  const [keys, setKeys] = useState(true);
  const [tab, setTab] = useState(narrow ? "write" : "log");
  const openHelp = useCallback(() => setHelp(true), []);
  const toWrite = useCallback(() => {
    if (narrow) setTab("write");
  }, [narrow]);
  useKeys(keys, openHelp);

  const tabs: readonly Tab[] = [
    ...(narrow ? [{ id: "write", title: text("tab.write"), content: <WritePanel /> }] : []),
    { id: "log", title: text("tab.log"), content: <Log /> },
    { id: "messages", title: text("tab.messages"), badge: <FlightCount />, content: <MessageList /> },
    { id: "events", title: text("tab.events"), content: <EventsPanel /> },
    {
      id: "network",
      title: text("tab.network"),
      content: <NetworkPanel>{narrow ? <StageTools /> : null}</NetworkPanel>,
    },
    { id: "cluster", title: text("tab.cluster"), content: <ClusterPanel /> },
  ];
  const shown = tabs.some(({ id }) => id === tab) ? tab : "log";

  return (
    <div className={css["page"]}>
      <Header onHelp={openHelp} />
      <main className={css["main"]}>
        <div className={css["scene"]}>
          <Stage onWrite={toWrite}>{narrow ? null : <StageTools />}</Stage>
          {narrow ? null : <HintLine />}
          <Notices />
        </div>
        <Panics />
        <Why />
      </main>
      <aside className={css["side"]} aria-label={text("tab.list")}>
        {narrow ? null : <WritePanel />}
        <Tabs label={text("tab.list")} tabs={tabs} value={shown} onChange={setTab} />
      </aside>
      <footer className={css["foot"]}>
        <Transport />
        <Timeline />
      </footer>
      {help ? (
        <Suspense fallback={null}>
          <HelpDialog keys={keys} onKeys={setKeys} onClose={() => setHelp(false)} />
        </Suspense>
      ) : null}
    </div>
  );
}

/** Before the first leader there is no entry, and so nothing to fetch a grid for. */
function Log() {
  const text = useText();
  const empty = useView(logsAreEmpty);
  return empty ? <p className={css["empty"]}>{text("log.empty")}</p> : <LogPanel />;
}

function FlightCount() {
  const count = useView(flightCount);
  return <span className={css["count"]}>{count}</span>;
}
