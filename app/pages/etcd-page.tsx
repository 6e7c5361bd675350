/** An etcd cluster: its keyspace, leases and watches, the way of each request, and a console. */
import { lazy, useMemo } from "react";
import { useText } from "../i18n/use-text.ts";
import type { Tab } from "../ui/tabs.tsx";
import { Frame } from "./frame.tsx";

const ConsolePanel = lazy(() => import("../panels/etcd/console-panel.tsx"));
const KeysPanel = lazy(() => import("../panels/etcd/keys-panel.tsx"));
const LeasesPanel = lazy(() => import("../panels/etcd/leases-panel.tsx"));
const WatchesPanel = lazy(() => import("../panels/etcd/watches-panel.tsx"));
const StoragePanel = lazy(() => import("../panels/etcd/storage-panel.tsx"));
const RequestsPanel = lazy(() => import("../panels/etcd/requests-panel.tsx"));

export default function EtcdPage() {
  const text = useText();
  const tabs = useMemo(
    (): readonly Tab[] => [
      { id: "console", title: text("tab.console"), content: <ConsolePanel /> },
      { id: "keys", title: text("tab.keys"), content: <KeysPanel /> },
      { id: "requests", title: text("tab.requests"), content: <RequestsPanel /> },
      { id: "leases", title: text("tab.leases"), content: <LeasesPanel /> },
      { id: "watches", title: text("tab.watches"), content: <WatchesPanel /> },
      { id: "storage", title: text("tab.storage"), content: <StoragePanel /> },
    ],
    [text],
  );
  return <Frame tabs={tabs} first="console" />;
}
