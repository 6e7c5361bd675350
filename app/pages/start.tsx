/** Puts the page into the document and starts its world. */
import { Suspense, useDeferredValue, useEffect } from "react";
import { createRoot } from "react-dom/client";
import { lazyWorded } from "../i18n/lazy-worded.ts";
import { useText } from "../i18n/use-text.ts";
import { createPlayer, type Player } from "../player/player.ts";
import { isLink, startWorld } from "../player/start.ts";
import { PlayerContext } from "../player/use.ts";
import { subjectOf } from "../store/subject.ts";
import { useWorld, WorldContext } from "../store/use.ts";
import { MAIN_WORLD } from "../store/worlds.ts";
import { currentTheme } from "../ui/theme.ts";
import { RaftPage } from "./raft-page.tsx";

export function startPage(root: HTMLElement): void {
  currentTheme();
  if (new URLSearchParams(window.location.search).has("present")) document.documentElement.dataset["present"] = "";
  const player = createPlayer(MAIN_WORLD);
  void startWorld(player, window.location);
  window.addEventListener("hashchange", () => {
    if (isLink(window.location.hash)) void player.loadLink(window.location.hash);
  });
  createRoot(root).render(<Page player={player} />);
}

const LabPage = lazyWorded(() => import("./lab-page.tsx"));
const EtcdPage = lazyWorded(() => import("./etcd-page.tsx"));

function Page({ player }: { readonly player: Player }) {
  const text = useText();
  useEffect(() => {
    document.title = text("app.title");
  }, [text]);
  return (
    <WorldContext value={player.world}>
      <PlayerContext value={player}>
        <SubjectPage />
      </PlayerContext>
    </WorldContext>
  );
}

/** The page of what runs. The one before stays until the next is there. */
function SubjectPage() {
  const subject = useDeferredValue(useWorld(subjectOf));
  return (
    <Suspense fallback={null}>
      {subject === "raft" ? <RaftPage /> : subject === "labs" ? <LabPage /> : <EtcdPage />}
    </Suspense>
  );
}
