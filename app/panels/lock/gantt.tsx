import { memo, type PointerEvent, useEffect, useMemo, useRef, useState } from "react";
import type { LabView } from "../../../engine/index.ts";
import { useLanguage } from "../../i18n/use-text.ts";
import { usePlayer } from "../../player/use.ts";
import { useWorld } from "../../store/use.ts";
import { prepareCanvas } from "../../ui/canvas.ts";
import { usePalette } from "../../ui/use-palette.ts";
import { useSize } from "../../ui/use-size.ts";
import { spanFor } from "../timeline-scale.ts";
import { drawGantt, type GanttFacts, ganttHeight, instantAt, lanesOf } from "./gantt-draw.ts";
import { letterOf } from "../../store/lock-facts.ts";
import css from "./lock.module.css";

/** How high it may be, at 16 px root type, however many clients there are. */
const ROOM = 290;

function sameHolds(a: LabView, b: LabView): boolean {
  return a.believed === b.believed && a.held === b.held && a.overlaps === b.overlaps;
}

/** Who believed that it held the lock, over who really did. */
export const Gantt = memo(function Gantt(lab: GanttFacts) {
  const { text, seconds } = useLanguage();
  const player = usePlayer();
  const palette = usePalette();
  const [box, size] = useSize();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [pointed, setPointed] = useState<number | null>(null);
  const to = useWorld((state) => Math.max(10_000_000, spanFor(state.headAt)));
  const width = size?.width ?? 0;
  const range = useMemo(() => ({ from: 0, to }), [to]);
  const height = ganttHeight(lanesOf(lab).length, ROOM, palette.scale);

  useEffect(() => {
    if (canvas.current === null || width === 0) return undefined;
    const context = prepareCanvas(canvas.current, width, height);
    if (context === null) return undefined;
    let drawn: LabView | null = null;
    let drawnX = -1;
    return player.onFrame((view, now) => {
      if (view.lab === null) return;
      const x = Math.round(((now - range.from) / (range.to - range.from)) * width);
      if (x === drawnX && drawn !== null && sameHolds(view.lab, drawn)) return;
      drawn = view.lab;
      drawnX = x;
      drawGantt(context, ROOM, { lab: view.lab, now, ...range, width, palette });
    });
  }, [player, palette, width, height, range]);

  const onPointer = (event: PointerEvent<HTMLCanvasElement>): void => {
    const area = event.currentTarget.getBoundingClientRect();
    setPointed(instantAt(event.clientX - area.left, { ...range, width, palette }));
  };
  const go = (): void => {
    if (pointed === null) return;
    player.pause();
    void player.seek(pointed);
  };
  const told = lab.overlaps.map(({ first, second, from, to: end }) =>
    text("lock.overlap.told", {
      first: letterOf(first),
      second: letterOf(second),
      from: seconds(from, 1),
      to: end === null ? text("lock.now") : seconds(end, 1),
    }),
  );
  return (
    <section className={css["gantt"]} aria-label={text("lock.gantt")}>
      <h3>
        {text("lock.believes")} <small>{text("lock.over")}</small>
      </h3>
      <div ref={box}>
        <canvas
          ref={canvas}
          style={{ width: "100%", height }}
          role="img"
          aria-label={told.length === 0 ? text("lock.overlap.none") : told.join("; ")}
          onPointerMove={onPointer}
          onPointerLeave={() => setPointed(null)}
          onClick={go}
        />
      </div>
    </section>
  );
});
