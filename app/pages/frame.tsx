/** The frame of every page: one cluster, what surrounds it, and the transport under all of it. */
import { Suspense, useCallback, useEffect, useRef, useState } from "react";
import { lazyWorded } from "../i18n/lazy-worded.ts";
import { useText } from "../i18n/use-text.ts";
import { Notices } from "../panels/notices.tsx";
import PageKeys from "../panels/page-keys.ts";
import { Transport } from "../panels/transport.tsx";
import Why from "../panels/why.tsx";
import { Stage } from "../scene/stage.tsx";
import { anyPanicked, everLed, settings } from "../store/selectors.ts";
import { usePlayer } from "../player/use.ts";
import { useStarted } from "../store/use-started.ts";
import { useView } from "../store/use.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { paced } from "../ui/paced.ts";
import { type Tab, Tabs } from "../ui/tabs.tsx";
import { writeText } from "../ui/write-text.ts";
import { useMedia } from "../ui/use-media.ts";
import { Header } from "./header.tsx";
import { HintLine } from "./hint-line.tsx";
import css from "./pages.module.css";

/** What is not seen at first is fetched when it is. */
const ClusterPanel = lazyWorded(() => import("../panels/cluster-panel.tsx"));
const EventsPanel = lazyWorded(() => import("../panels/events-panel.tsx"));
const LogPanel = lazyWorded(() => import("../panels/log-panel.tsx"));
const Panics = lazyWorded(() => import("../scene/panics.tsx"));
const RulesOff = lazyWorded(() => import("../panels/rules-off.tsx"));
const RulesPanel = lazyWorded(() => import("../panels/rules-panel.tsx"));
const NetworkPanel = lazyWorded(() => import("../panels/network-panel.tsx"));
const MessageList = lazyWorded(() => import("../scene/message-list.tsx"));
/** Before the first leader there is nothing on it. */
const Timeline = lazyWorded(() => import("../panels/timeline.tsx"));
const StageTools = lazyWorded(() => import("../scene/stage-tools.tsx"));
const HelpDialog = lazyWorded(() => import("./help-dialog.tsx"));

/** As in the style sheets: below this, one column. */
const NARROW = "(max-width: 56rem)";

interface Props {
  /** The subject's own tabs; those that every cluster has follow. */
  readonly tabs?: readonly Tab[];
  /** The tab that is open at first. */
  readonly first?: string;
  /** What stands above the tabs; on one column it is a tab of its own, the first. */
  readonly top?: Tab;
}

const NO_TABS: readonly Tab[] = [];

export function Frame({ tabs: own = NO_TABS, first = "log", top }: Props) {
  const text = useText();
  const narrow = useMedia(NARROW);
  const [help, setHelp] = useState(false);
  const [keys, setKeys] = useState(true);
  const [tall, setTall] = useState(false);
  const player = usePlayer();
  const [tab, setTab] = useState<string | null>(null);
  const started = useStarted();
  const logged = useView(everLed);
  const panicked = useView(anyPanicked);
  const crowded = useView((view) => view.lab !== null);
  const lawless = useView((view) => settings(view).broken.length > 0);
  const openRules = useCallback(() => setTab("rules"), []);
  const openHelp = useCallback(() => setHelp(true), []);
  const toTop = useCallback(() => {
    if (narrow && top !== undefined) setTab(top.id);
  }, [narrow, top]);

  const tabs: readonly Tab[] = [
    ...(narrow && top !== undefined ? [top] : []),
    ...own,
    { id: "log", title: text("tab.log"), content: logged ? <LogPanel /> : <NoLogs /> },
    { id: "rules", title: text("tab.rules"), content: <RulesPanel /> },
    { id: "messages", title: text("tab.messages"), badge: <FlightCount />, content: <MessageList /> },
    { id: "events", title: text("tab.events"), content: <EventsPanel /> },
    {
      id: "network",
      title: text("tab.network"),
      content: <NetworkPanel>{narrow ? <StageTools /> : null}</NetworkPanel>,
    },
    { id: "cluster", title: text("tab.cluster"), content: <ClusterPanel /> },
  ];
  const wanted = [tab, player.linkTab, narrow && top !== undefined ? top.id : first];
  const shown = wanted.find((name) => tabs.some(({ id }) => id === name)) ?? tabs[0]?.id ?? "log";
  useEffect(() => player.tabOpened(shown), [player, shown]);

  return (
    <div className={css["page"]} data-tall={narrow && tall ? "" : undefined}>
      <Header onHelp={openHelp} onRules={openRules} />
      <main className={css["main"]}>
        <div className={css["scene"]}>
          <Stage onWrite={toTop}>
            <Suspense fallback={null}>{narrow || !started ? null : <StageTools />}</Suspense>
          </Stage>
          {narrow || crowded ? null : <HintLine />}
          <Notices />
        </div>
        <Suspense fallback={null}>
          {lawless ? <RulesOff /> : null}
          {panicked ? <Panics /> : null}
        </Suspense>
        <PageKeys on={keys} onHelp={openHelp} />
        <Why />
      </main>
      <aside className={css["side"]} aria-label={text("tab.list")}>
        {narrow || top === undefined ? null : top.content}
        {narrow ? (
          <span className={css["taller"]}>
            <Button
              look="quiet"
              square
              aria-pressed={tall}
              aria-label={text("tab.taller")}
              onClick={() => setTall(!tall)}
            >
              <Icon name="taller" />
            </Button>
          </span>
        ) : null}
        <Tabs label={text("tab.list")} tabs={tabs} value={shown} onChange={setTab} />
      </aside>
      <footer className={css["foot"]}>
        <Transport />
        <Suspense fallback={null}>{started ? <Timeline /> : null}</Suspense>
      </footer>
      {help ? (
        <Suspense fallback={null}>
          <HelpDialog keys={keys} onKeys={setKeys} onClose={() => setHelp(false)} />
        </Suspense>
      ) : null}
    </div>
  );
}

/** Before the first leader there is no entry; then there is a panel for them. */
function NoLogs() {
  const text = useText();
  return <p className={css["nothing"]}>{text("log.empty")}</p>;
}

/** Figures that change faster cannot be read, and each change costs a layout. */
const READABLE_MS = 200;

/** Written outside React: it changes with every message. */
function FlightCount() {
  const player = usePlayer();
  const shown = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    let last = "";
    const write = paced(READABLE_MS, (count: number) => {
      const words = String(count);
      if (shown.current === null || words === last) return;
      last = words;
      writeText(shown.current, words);
    });
    const off = player.onFrame((view) => write.call(view.flights.size));
    return () => {
      off();
      write.cancel();
    };
  }, [player]);
  return <span ref={shown} className={css["count"]} />;
}
