/**
 * Several worlds beside each other, each with a player of its own, all on the same clock: they are played, paused and
 * moved together. Their members run in one thread: a dozen workers more would show nothing more.
 */
import { useEffect, useMemo, useState } from "react";
import { createPlayer } from "../../player/player.ts";
import type { Player } from "../../player/player.ts";
import { PlayerContext } from "../../player/use.ts";
import { useLanguage } from "../../i18n/use-text.ts";
import { useView, useWorld, WorldContext } from "../../store/use.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Range } from "../../ui/field.tsx";
import LockPanel from "../lock/lock-panel.tsx";
import css from "./compare.module.css";

interface Props {
  readonly stories: readonly string[];
  readonly onClose: () => void;
}

const SECOND = 1_000_000;

export default function CompareView({ stories, onClose }: Props) {
  const { text } = useLanguage();
  const players = useMemo(() => stories.map((_, i) => createPlayer(`compare-${i}`)), [stories]);
  const [playing, setPlaying] = useState(false);
  useEffect(() => {
    let left = false;
    void Promise.all(players.map((player, i) => openIn(player, stories[i] ?? ""))).then((stand) => {
      if (left || !stand.every(Boolean)) return;
      for (const player of players) player.play();
      setPlaying(true);
    });
    return () => {
      left = true;
      for (const player of players) void player.close();
    };
  }, [players, stories]);
  const toggle = (): void => {
    for (const player of players) {
      if (playing) player.pause();
      else player.play();
    }
    setPlaying(!playing);
  };
  return (
    <Dialog title={text("lab.compare.title")} close={text("app.close")} onClose={onClose}>
      <div className={css["bar"]}>
        <Button look="solid" onClick={toggle}>
          {text(playing ? "transport.pause" : "transport.play")}
        </Button>
        <Speeds players={players} />
        <Moment players={players} onSeek={() => setPlaying(false)} />
      </div>
      <div className={css["columns"]} style={{ "--columns": players.length }}>
        {players.map((player, i) => (
          <WorldContext key={player.world} value={player.world}>
            <PlayerContext value={player}>
              <Column story={stories[i] ?? ""} />
            </PlayerContext>
          </WorldContext>
        ))}
      </div>
      <Outcome players={players} stories={stories} />
    </Dialog>
  );
}

async function openIn(player: Player, story: string): Promise<boolean> {
  const stands = await player.tellLab(story);
  player.pause();
  await player.placeInline();
  return stands;
}

function Speeds({ players }: { readonly players: readonly Player[] }) {
  const { text } = useLanguage();
  return (
    <span className={css["speeds"]} role="group" aria-label={text("transport.speed")}>
      {([1, 10] as const).map((speed) => (
        <Button
          key={speed}
          onClick={() => {
            for (const player of players) player.setSpeed(speed);
          }}
        >
          {text("transport.speed.times", { speed: String(speed) })}
        </Button>
      ))}
    </span>
  );
}

/** All are moved to the same instant, as far as each has come. */
function Moment({ players, onSeek }: { readonly players: readonly Player[]; readonly onSeek: () => void }) {
  const { text, seconds } = useLanguage();
  const world = players[0]?.world ?? "";
  const at = useWorld((state) => state.view.at, world);
  const head = useWorld((state) => state.headAt, world);
  const whole = Math.max(1, Math.ceil(head / SECOND));
  return (
    <Range
      label={text("timeline.slider")}
      value={Math.round(at / SECOND)}
      min={0}
      max={whole}
      step={1}
      figure={seconds(at, 1)}
      onChange={(to) => {
        onSeek();
        for (const player of players) {
          player.pause();
          void player.seek(to * SECOND);
        }
      }}
    />
  );
}

function Column({ story }: { readonly story: string }) {
  const { find } = useLanguage();
  const lab = useView((view) => view.lab);
  return (
    <section className={css["column"]} aria-label={find(`labstory.${story}`) ?? story}>
      <h3>
        {find(`labstory.${story}`) ?? story}
        <small>{lab === null ? "" : (find(`lab.system.${lab.lab}`) ?? lab.lab)}</small>
      </h3>
      <LockPanel />
    </section>
  );
}

function Outcome({ players, stories }: { readonly players: readonly Player[]; readonly stories: readonly string[] }) {
  const { text } = useLanguage();
  return (
    <table className={css["outcome"]}>
      <caption>{text("lab.compare.outcome")}</caption>
      <thead>
        <tr>
          <th scope="col">{text("lab.compare.story")}</th>
          <th scope="col">{text("lab.compare.safety")}</th>
          <th scope="col">{text("lock.total.without-holder")}</th>
          <th scope="col">{text("lock.total.messages")}</th>
          <th scope="col">{text("lock.total.notifications")}</th>
          <th scope="col">{text("lab.compare.duty")}</th>
        </tr>
      </thead>
      <tbody>
        {players.map((player, i) => (
          <OutcomeRow key={player.world} world={player.world} story={stories[i] ?? ""} />
        ))}
      </tbody>
    </table>
  );
}

function OutcomeRow({ world, story }: { readonly world: string; readonly story: string }) {
  const { text, find, seconds, number } = useLanguage();
  const lab = useView((view) => view.lab, world);
  const lost = lab?.resource?.lostUpdates ?? 0;
  const broken = (lab?.overlaps.length ?? 0) > 0 || lost > 0;
  return (
    <tr data-broken={broken ? "" : undefined}>
      <th scope="row">{find(`labstory.${story}`) ?? story}</th>
      <td>
        {!broken
          ? text("lab.compare.kept")
          : lost > 0
            ? text("lock.lost-updates", { count: lost })
            : text("lab.compare.broken", { count: lab?.overlaps.length ?? 0 })}
      </td>
      <td>{lab === null ? "" : seconds(lab.withoutHolder, 1)}</td>
      <td>{lab === null ? "" : number(lab.messages)}</td>
      <td>{lab === null ? "" : number(lab.notifications)}</td>
      <td>{lab === null ? "" : (find(`lab.duty.${lab.lab}`) ?? "")}</td>
    </tr>
  );
}
