/** An etcd cluster: its keyspace, leases and watches, the way of each request, and a console. */
import { useMemo } from "react";
import { lazyWorded } from "../i18n/lazy-worded.ts";
import { useText } from "../i18n/use-text.ts";
import type { Tab } from "../ui/tabs.tsx";
import { Frame } from "./frame.tsx";

const ConsolePanel = lazyWorded(() => import("../panels/etcd/console-panel.tsx"));
const KeysPanel = lazyWorded(() => import("../panels/etcd/keys-panel.tsx"));
const LeasesPanel = lazyWorded(() => import("../panels/etcd/leases-panel.tsx"));
const WatchesPanel = lazyWorded(() => import("../panels/etcd/watches-panel.tsx"));
const StoragePanel = lazyWorded(() => import("../panels/etcd/storage-panel.tsx"));
const RequestsPanel = lazyWorded(() => import("../panels/etcd/requests-panel.tsx"));

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
