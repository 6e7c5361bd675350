/**
 * Beliefs over truth: for each client a lane, in it when it believed that it holds the lock (the upper bar) over when it
 * really did (the lower one). Where two believe at once a red band goes across, hatched, from the one to the other.
 */
import type { Hold, LabView, Micros, ProcessId } from "../../../engine/index.ts";
import type { Palette } from "../../ui/palette.ts";
import { letterOf } from "../../store/lock-facts.ts";

export type GanttFacts = Pick<LabView, "clients" | "believed" | "held" | "overlaps">;

export interface Gantt {
  readonly lab: GanttFacts;
  readonly now: Micros;
  readonly from: Micros;
  readonly to: Micros;
  readonly width: number;
  readonly palette: Palette;
}

const MANY = 16;
const LANE_MAX = 26;
const LANE_MIN = 5;
/** Above it a lane has its letter. */
const LETTERED = 12;
const AXIS = 18;
const LEFT = 30;
const RIGHT = 10;

/** Everybody, or among many those who ever held the lock or thought so: the last `MANY` of them. */
export function lanesOf({ clients, believed, held }: GanttFacts): readonly ProcessId[] {
  if (clients.length <= MANY) return clients.map(({ id }) => id);
  const seen = new Set<ProcessId>();
  for (const { client } of [...believed, ...held].toSorted((a, b) => b.from - a.from))
    if (client !== null && seen.size < MANY) seen.add(client);
  return clients.map(({ id }) => id).filter((id) => seen.has(id));
}

export function laneHeight(lanes: number, room: number): number {
  return Math.min(LANE_MAX, Math.max(LANE_MIN, Math.floor((room - AXIS) / Math.max(1, lanes))));
}

export function ganttHeight(lanes: number, room: number, scale: number): number {
  return (lanes * laneHeight(lanes, room) + AXIS) * scale;
}

/** The instant under a point, within the time shown. */
export function instantAt(
  x: number,
  { from, to, width, palette }: Pick<Gantt, "from" | "to" | "width" | "palette">,
): Micros {
  const left = LEFT * palette.scale;
  const right = width - RIGHT * palette.scale;
  const part = Math.min(1, Math.max(0, (x - left) / (right - left)));
  return Math.round(from + part * (to - from));
}

export function drawGantt(context: CanvasRenderingContext2D, room: number, gantt: Gantt): void {
  const { lab, now, from, to, width, palette } = gantt;
  const { scale } = palette;
  const lanes = lanesOf(lab);
  const lane = laneHeight(lanes.length, room) * scale;
  const height = lanes.length * lane + AXIS * scale;
  const left = LEFT * scale;
  const right = width - RIGHT * scale;
  const x = (at: Micros): number => left + ((Math.min(to, Math.max(from, at)) - from) / (to - from)) * (right - left);
  const row = new Map<ProcessId | null, number>(lanes.map((id, i) => [id, i]));
  context.clearRect(0, 0, width, height);
  context.textBaseline = "middle";

  context.strokeStyle = palette.line;
  context.lineWidth = 1;
  for (let i = 1; i <= lanes.length; i += 1) {
    if (lane < LETTERED * scale && i < lanes.length) continue;
    const y = Math.round(i * lane) - 0.5;
    context.beginPath();
    context.moveTo(left, y);
    context.lineTo(right, y);
    context.stroke();
  }
  if (lane >= LETTERED * scale) {
    context.fillStyle = palette.ink;
    context.font = `600 ${11 * scale}px ${palette.font}`;
    context.textAlign = "center";
    for (const [i, id] of lanes.entries()) context.fillText(letterOf(id), left / 2, i * lane + lane / 2);
  }

  const bar = (hold: Hold, place: number, size: number, fill: string): void => {
    const i = row.get(hold.client);
    if (i === undefined) return;
    const end = hold.to ?? now;
    if (end < from || hold.from > to) return;
    const x0 = x(hold.from);
    context.fillStyle = fill;
    context.fillRect(x0, i * lane + place, Math.max(1.5, x(end) - x0), size);
  };
  const pad = Math.max(0.5 * scale, lane * 0.16);
  const half = (lane - 2 * pad) / 2;
  context.globalAlpha = 0.5;
  for (const hold of lab.believed) bar(hold, pad, half, palette.keeping);
  context.globalAlpha = 1;
  for (const hold of lab.held) bar(hold, pad + half, half, palette.keeping);

  for (const overlap of lab.overlaps) {
    const [a, b] = [row.get(overlap.first), row.get(overlap.second)];
    if (a === undefined || b === undefined) continue;
    const end = overlap.to ?? now;
    if (end < from || overlap.from > to) continue;
    hatch(
      context,
      x(overlap.from),
      Math.min(a, b) * lane,
      Math.max(2, x(end) - x(overlap.from)),
      (Math.abs(a - b) + 1) * lane,
      palette,
    );
  }

  axis(context, gantt, x, lanes.length * lane);
  const nowX = Math.round(x(now)) + 0.5;
  context.strokeStyle = palette.ink;
  context.beginPath();
  context.moveTo(nowX, 0);
  context.lineTo(nowX, lanes.length * lane);
  context.stroke();
}

/** Red lines at a slant within a red frame: seen without colour too. */
function hatch(
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  w: number,
  h: number,
  { harm, scale }: Palette,
): void {
  context.save();
  context.beginPath();
  context.rect(x, y, w, h);
  context.clip();
  context.strokeStyle = harm;
  context.globalAlpha = 0.14;
  context.fillStyle = harm;
  context.fillRect(x, y, w, h);
  context.globalAlpha = 0.75;
  context.lineWidth = 1.2 * scale;
  const step = 6 * scale;
  for (let at = x - h; at < x + w; at += step) {
    context.beginPath();
    context.moveTo(at, y + h);
    context.lineTo(at + h, y);
    context.stroke();
  }
  context.globalAlpha = 1;
  context.lineWidth = 2 * scale;
  context.strokeRect(x, y, w, h);
  context.restore();
}

const STEPS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600];

function axis(
  context: CanvasRenderingContext2D,
  { from, to, width, palette }: Gantt,
  x: (at: Micros) => number,
  y: number,
): void {
  const { scale } = palette;
  const seconds = (to - from) / 1_000_000;
  const room = (width - (LEFT + RIGHT) * scale) / (52 * scale);
  const step = STEPS.find((size) => seconds / size <= room) ?? 600;
  context.font = `${10 * scale}px ${palette.font}`;
  context.fillStyle = palette["ink-3"];
  context.textAlign = "center";
  for (let at = Math.ceil(from / 1_000_000 / step) * step; at <= to / 1_000_000; at += step)
    context.fillText(`${Number(at.toFixed(1))} s`, x(at * 1_000_000), y + (AXIS * scale) / 2 + 1);
}
