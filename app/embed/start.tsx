/**
 * What `embed.html` shows: the stage with its transport, and nothing else. It runs in a frame that may run scripts and
 * do nothing more, or from a disk; it remembers nothing and never takes the focus.
 *
 * Query: `theme`, `lang`, `seed`, `members`, `timing`, `speed`, `autoplay` (0 unless it says 1: the host page decides
 * when something moves). Fragment: the link of a run, which then stands at its moment.
 */
import { Suspense, useEffect } from "react";
import { createRoot } from "react-dom/client";
import { lazyWorded } from "../i18n/lazy-worded.ts";
import { useText } from "../i18n/use-text.ts";
import { Notices } from "../panels/notices.tsx";
import { Transport } from "../panels/transport.tsx";
import { createPlayer, type Player } from "../player/player.ts";
import { isLink, startWorld } from "../player/start.ts";
import { PlayerContext } from "../player/use.ts";
import { Stage } from "../scene/stage.tsx";
import { settings } from "../store/selectors.ts";
import { useView, WorldContext } from "../store/use.ts";
import { MAIN_WORLD } from "../store/worlds.ts";
import { currentTheme } from "../ui/theme.ts";
import css from "./embed.module.css";

const RulesOff = lazyWorded(() => import("../panels/rules-off.tsx"));

export function startEmbed(root: HTMLElement): void {
  currentTheme();
  const player = createPlayer(MAIN_WORLD);
  void startWorld(player, window.location, false);
  window.addEventListener("hashchange", () => {
    if (isLink(window.location.hash)) void player.loadLink(window.location.hash);
  });
  createRoot(root).render(<Embed player={player} />);
}

function Embed({ player }: { readonly player: Player }) {
  const text = useText();
  const lawless = useView((view) => settings(view).broken.length > 0, player.world);
  useEffect(() => {
    document.title = text("app.title");
  }, [text]);
  return (
    <WorldContext value={player.world}>
      <PlayerContext value={player}>
        <main className={css["embed"]}>
          <h1 className="heard">{text("app.title")}</h1>
          <div className={css["stage"]}>
            <Stage />
          </div>
          <Suspense fallback={null}>{lawless ? <RulesOff /> : null}</Suspense>
          <div className={css["transport"]}>
            <Transport />
          </div>
          <Notices />
        </main>
      </PlayerContext>
    </WorldContext>
  );
}
