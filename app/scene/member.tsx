import { type KeyboardEvent, memo, type MouseEvent } from "react";
import type { Ballot, ProcessId } from "../../engine/index.ts";
import { useLanguage } from "../i18n/use-text.ts";
import { chiefId } from "../store/chief.ts";
import { majority } from "../store/conf.ts";
import {
  ballotsOf,
  confPlaceOf,
  livenessOf,
  panicOf,
  roleOf,
  serverOf,
  termOf,
  valueOf,
  votersCount,
} from "../store/selectors.ts";
import { subjectOf } from "../store/subject.ts";
import { useView, useWorld } from "../store/use.ts";
import { classes } from "../ui/css.ts";
import type { StageLayout } from "./geometry.ts";
import css from "./stage.module.css";
import { memberName, standRole, standWord } from "./words.ts";

export interface MemberActs {
  /** Crash it, or restart it. */
  readonly toggle: (id: ProcessId) => void;
  /** Opens its menu at a point of the window. */
  readonly menu: (id: ProcessId, x: number, y: number, byKey: boolean) => void;
  /** It has the focus: its menu may be wanted next. */
  readonly near: () => void;
  /** The ids of the elements that say what pressing a member does. */
  readonly crashHint: string;
  readonly restartHint: string;
}

interface Props {
  readonly id: ProcessId;
  readonly layout: StageLayout;
  readonly acts: MemberActs;
  /** Inside the loop that is being drawn. */
  readonly caught: boolean;
}

/** One member on the ring. Word and line style tell its role; its timer and its log's tail are drawn on canvas. */
export const Member = memo(function Member({ id, layout, acts, caught }: Props) {
  const language = useLanguage();
  const role = useView(roleOf(id));
  const term = useView(termOf(id));
  const server = useView(serverOf(id));
  const liveness = useView(livenessOf(id));
  const value = useView(valueOf(id));
  // Only the register has one value; others tell of themselves in their own words.
  const plain = useWorld((world) => subjectOf(world) !== "raft");
  const panic = useView(panicOf(id));
  const chief = useView((view) => server === "primary" && chiefId(view) === id);
  const stand = useView(confPlaceOf(id));
  const place = layout.places.get(id);
  if (place === undefined) return null;

  const { disc, scale, cell } = layout;
  const down = liveness === "crashed" || liveness === "panicked";
  const runs = server === null ? standWord(language, role, stand) : language.text(`role.${server}`);
  const word = liveness === "running" ? runs : language.text(`liveness.${liveness}`);
  const name = Math.max(13 * scale, disc * 0.43);
  const small = Math.min(Math.max(9.5 * scale, disc * 0.285), (disc * 2.9) / Math.max(8, wordWidth(word)));

  const openMenu = (target: Element): void => {
    const box = target.querySelector("circle")?.getBoundingClientRect() ?? target.getBoundingClientRect();
    acts.menu(id, box.left + box.width / 2, box.top + box.height / 2, true);
  };
  const onKeyDown = (event: KeyboardEvent<SVGGElement>): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" || event.key === " ") acts.toggle(id);
    else if (
      event.key === "m" ||
      event.key === "M" ||
      event.key === "ContextMenu" ||
      (event.shiftKey && event.key === "F10")
    )
      openMenu(event.currentTarget);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const onContextMenu = (event: MouseEvent<SVGGElement>): void => {
    event.preventDefault();
    if (event.clientX === 0 && event.clientY === 0) openMenu(event.currentTarget);
    else acts.menu(id, event.clientX, event.clientY, false);
  };

  return (
    <g
      className={css["member"]}
      data-member={id}
      data-role={down ? undefined : chief ? "leader" : standRole(role, stand)}
      data-liveness={liveness}
      data-place={stand}
      data-caught={caught ? "" : undefined}
      transform={`translate(${place.x} ${place.y})`}
      role="button"
      tabIndex={0}
      aria-label={memberName(language, { id, role, term, liveness, place: stand, server })}
      aria-describedby={down ? acts.restartHint : acts.crashHint}
      aria-haspopup="menu"
      onClick={() => acts.toggle(id)}
      onKeyDown={onKeyDown}
      onFocus={acts.near}
      onContextMenu={onContextMenu}
    >
      <circle className={css["focus"]} r={disc + 13 * scale} />
      <circle className={css["reach"]} r={disc + 10 * scale} />
      <circle className={css["disc"]} r={disc} />
      {role === "leader" && !down && disc >= ROOMY_DISC * scale ? (
        <circle className={css["inner"]} r={disc - 4.5 * scale} />
      ) : null}
      {liveness === "paused" ? <PausedMark disc={disc} /> : null}
      {liveness === "panicked" ? <PanickedMark disc={disc} /> : null}
      <text className={css["name"]} y={-disc * 0.35} fontSize={name}>
        {id}
      </text>
      <text className={css["word"]} y={disc * 0.12} fontSize={small}>
        {word}
      </text>
      {server === null ? (
        <text className={css["term"]} y={disc * 0.12 + small * 1.3} fontSize={small}>
          {language.text("member.term", { term })}
        </text>
      ) : null}
      {stand === "old" || stand === "new" ? (
        <text className={css["half"]} x={disc * 0.92} y={-disc * 1.02} fontSize={small}>
          {language.text(`member.half.${stand}`)}
        </text>
      ) : null}
      <Ballots id={id} layout={layout} />
      {value === null || down || disc < ROOMY_DISC * scale ? null : (
        <text
          className={css["value"]}
          y={disc + cell + 29 * scale}
          fontSize={Math.max(9 * scale, Math.min(11 * scale, cell * 0.78))}
        >
          {plain ? shorten(value, 18) : language.text("member.value", { value: shorten(value, 14) })}
        </text>
      )}
      {panic === null ? null : <title>{panic.message}</title>}
    </g>
  );
});

/** Smaller discs have no room for what is not needed. */
const ROOMY_DISC = 30;

/** About how many Latin letters wide: a Chinese character counts for nearly two. */
function wordWidth(word: string): number {
  let width = 0;
  for (const char of word) width += char.charCodeAt(0) > 0x2e80 ? 1.9 : 1;
  return width;
}

export function shorten(value: string, length: number): string {
  return value.length <= length ? value : `${value.slice(0, length - 1)}…`;
}

function PausedMark({ disc }: { readonly disc: number }) {
  const h = disc * 0.24;
  return (
    <path
      className={css["paused"]}
      d={`M${-disc * 0.12} ${-disc * 0.88}v${h}M${disc * 0.12} ${-disc * 0.88}v${h}`}
      strokeWidth={disc * 0.1}
    />
  );
}

function PanickedMark({ disc }: { readonly disc: number }) {
  const r = disc * 0.13;
  return (
    <path
      className={css["panicked"]}
      transform={`translate(0 ${-disc * 0.74})`}
      d={`M${-r} ${-r} ${r} ${r}M${r} ${-r} ${-r} ${r}`}
    />
  );
}

const RANK: Readonly<Record<Ballot, number>> = { granted: 0, asked: 1, refused: 2 };

/** The votes of a candidate as it has counted them; a bar stands where the majority is reached. */
const Ballots = memo(function Ballots({ id, layout }: { readonly id: ProcessId; readonly layout: StageLayout }) {
  const { text } = useLanguage();
  const ballots = useView(ballotsOf(id));
  const liveness = useView(livenessOf(id));
  const role = useView(roleOf(id));
  const members = useView(votersCount);
  const campaigns = role === "candidate" || role === "pre-candidate";
  if (ballots === null || !campaigns || liveness === "crashed" || liveness === "panicked") return null;
  const { disc, scale } = layout;
  const votes = Object.values(ballots).sort((a, b) => RANK[a] - RANK[b]);
  const granted = votes.filter((vote) => vote === "granted").length;
  const needed = majority(members);
  const pitch = Math.min(12 * scale, (disc * 2.4) / votes.length);
  const r = pitch * 0.33;
  const left = (-(votes.length - 1) * pitch) / 2;
  const bar = left + (needed - 0.5) * pitch;
  return (
    <g
      transform={`translate(0 ${-disc - 20 * scale})`}
      role="img"
      aria-label={text("ballot.label", { granted, members: votes.length, needed })}
    >
      {votes.map((vote, i) => {
        const x = left + i * pitch;
        return vote === "refused" ? (
          <path
            key={i}
            className={css["ballot"]}
            data-vote={vote}
            d={`M${x - r * 0.8} ${-r * 0.8} ${x + r * 0.8} ${r * 0.8}M${x + r * 0.8} ${-r * 0.8} ${x - r * 0.8} ${r * 0.8}`}
          />
        ) : (
          <circle key={i} className={css["ballot"]} data-vote={vote} cx={x} r={r} />
        );
      })}
      <line className={classes(css["needed"])} x1={bar} x2={bar} y1={-pitch * 0.75} y2={pitch * 0.75} />
    </g>
  );
});
