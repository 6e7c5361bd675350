/** The timeline's arithmetic: how much time it spans, where its figures stand, what is too small to draw. */
import type { Reign } from "../../engine/index.ts";

const SECOND = 1_000_000;

/** Powers of ten times 1, 2, 5: round to read, and rarely changed. */
function roundSteps(from: number): (least: number) => number {
  return (least) => {
    for (let base = from; ; base *= 10) for (const times of [1, 2, 5]) if (base * times >= least) return base * times;
  };
}

const roundSpan = roundSteps(SECOND);
const roundTick = roundSteps(SECOND / 1_000);

/** The least round span that holds `head` with a little room: it stands still while time runs, then doubles. */
export function spanFor(head: number): number {
  return roundSpan(Math.max(head * 1.04, 2 * SECOND));
}

export function ticksFor(span: number, width: number, apart: number): readonly number[] {
  const step = roundTick(span / Math.max(1, Math.floor(width / apart)));
  return Array.from({ length: Math.floor(span / step) + 1 }, (_, i) => i * step);
}

export interface Band {
  readonly leader: string | null;
  readonly term: number;
  readonly from: number;
  readonly to: number;
  readonly current: boolean;
}

/** Reigns as bands. Runs of reigns each narrower than `least` become one band without a name. */
export function bandsOf(reigns: readonly Reign[], now: number, least: number): readonly Band[] {
  const bands: Band[] = [];
  for (const reign of reigns) {
    const band: Band = { ...reign, to: reign.to ?? now, current: reign.to === null };
    if (band.from > now && reign.to === null) continue;
    const last = bands.at(-1);
    const small = band.to - band.from < least;
    if (small && last !== undefined && last.to - last.from < least * 2 && band.from - last.to < least) {
      bands[bands.length - 1] = {
        ...last,
        leader: null,
        term: band.term,
        to: Math.max(last.to, band.to),
        current: band.current,
      };
    } else bands.push(band);
  }
  return bands;
}
