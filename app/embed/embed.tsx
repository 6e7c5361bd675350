/**
 * What `embed.html` shows: the stage with its transport, and nothing else. It runs in a frame that may run scripts and
 * do nothing more, or from a disk; it remembers nothing and asks for the focus never.
 *
 * Query: `theme`, `lang`, `seed`, `members`, `timing`, `speed`, `autoplay` (0 unless it says 1: a host page decides
 * when something moves). Fragment: the link of a run, which then stands at its moment.
 */
import { useEffect } from "react";
import { Transport } from "../panels/transport.tsx";
import { createPlayer, type Player } from "../player/player.ts";
import { isLink, startWorld } from "../player/start.ts";
import { PlayerContext } from "../player/use.ts";
import { Stage } from "../scene/stage.tsx";
import { WorldContext } from "../store/use.ts";
import { MAIN_WORLD } from "../store/worlds.ts";
import { currentTheme } from "../ui/theme.ts";
import css from "./embed.module.css";

/** The player of an embed, its world already opening. */
export function startEmbed(): Player {
  currentTheme();
  const player = createPlayer(MAIN_WORLD);
  void startWorld(player, location, false);
  return player;
}

export function Embed({ player }: { readonly player: Player }) {
  useEffect(() => {
    const onHash = (): void => {
      if (isLink(location.hash)) void player.loadLink(location.hash);
    };
    window.addEventListener("hashchange", onHash);
    return () => window.removeEventListener("hashchange", onHash);
  }, [player]);
  return (
    <PlayerContext value={player}>
      <WorldContext value={player.world}>
        <main className={css["embed"]}>
          <div className={css["stage"]}>
            <Stage />
          </div>
          <div className={css["transport"]}>
            <Transport />
          </div>
        </main>
      </WorldContext>
    </PlayerContext>
  );
}
