import { useEffect, useRef } from "react";
import type { Micros } from "../../../engine/index.ts";
import { usePlayer } from "../../player/use.ts";
import { writeText } from "../../ui/write-text.ts";
import css from "./lock.module.css";

interface Props {
  readonly from: Micros;
  readonly until: Micros;
}

const RADIUS = 10;
const AROUND = 2 * Math.PI * RADIUS;

/** Seconds; whole minutes where they would not fit. */
function spanWords(seconds: number): string {
  return seconds > 999 ? `${Math.ceil(seconds / 60)}m` : String(Math.ceil(seconds));
}

/** What is left of a lease, a session or a lock's own time: a ring that drains, and the time inside. */
export function SpanRing({ from, until }: Props) {
  const player = usePlayer();
  const arc = useRef<SVGCircleElement>(null);
  const figure = useRef<SVGTextElement>(null);
  useEffect(() => {
    let shown = "";
    let drawn = -1;
    return player.onFrame((_view, now) => {
      const left = Math.max(0, until - now);
      const part = Math.round(Math.min(1, left / Math.max(1, until - from)) * AROUND * 2) / 2;
      if (part !== drawn) {
        drawn = part;
        arc.current?.setAttribute("stroke-dasharray", `${part} ${AROUND}`);
      }
      const words = spanWords(left / 1_000_000);
      if (words === shown || figure.current === null) return;
      shown = words;
      writeText(figure.current, words);
    });
  }, [player, from, until]);
  return (
    <svg className={css["ring"]} viewBox="0 0 26 26" aria-hidden>
      <circle className={css["track"]} cx="13" cy="13" r={RADIUS} />
      <circle ref={arc} className={css["left"]} cx="13" cy="13" r={RADIUS} transform="rotate(-90 13 13)" />
      <text ref={figure} x="13" y="13">
        {" "}
      </text>
    </svg>
  );
}
