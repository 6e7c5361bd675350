/**
 * The end of each member's log, under its disc: the same columns for all, so that one sees who is behind. Redrawn only
 * when a log, a mark or the stage changed.
 */
import type { LogView, MemberView, ProcessId, View } from "../../engine/index.ts";
import type { Palette } from "../ui/palette.ts";
import { type StageLayout, TRACK_GAP, TRACK_WIDTH } from "./geometry.ts";

export interface TailsInput {
  readonly view: Pick<View, "members" | "logs">;
  readonly layout: StageLayout;
  readonly palette: Palette;
}

/** The first index of the columns that all tails share: the longest log ends in the last one. */
export function tailStart(members: Iterable<Pick<MemberView, "lastIndex">>, columns: number): number {
  let last = 0;
  for (const member of members) last = Math.max(last, member.lastIndex);
  return Math.max(1, last - columns + 1);
}

/** All that the tails show: while these are the same, so is the picture. */
export function tailFacts(view: Pick<View, "members" | "logs">): readonly unknown[] {
  const facts: unknown[] = [view.logs];
  for (const { lastIndex, commit, applied, durable, fsyncs, liveness } of view.members.values())
    facts.push(lastIndex, commit, applied, durable, fsyncs > 0, liveness);
  return facts;
}

export function drawTails(context: CanvasRenderingContext2D, { view, layout, palette }: TailsInput): void {
  context.clearRect(0, 0, layout.width, layout.height);
  if (layout.tail === 0) return;
  const start = tailStart(view.members.values(), layout.tail);
  for (const member of view.members.values())
    drawTail(context, member, view.logs.get(member.id) ?? null, start, layout, palette);
}

/** Where the tail of a member begins; its menu of marks hangs on this. */
export function tailOrigin(
  layout: StageLayout,
  id: ProcessId,
): { readonly x: number; readonly y: number; readonly pitch: number } | null {
  const place = layout.places.get(id);
  if (place === undefined) return null;
  const pitch = layout.cell + 1.5 * layout.scale;
  return {
    x: place.x - (layout.tail * pitch - 1.5 * layout.scale) / 2,
    y: place.y + layout.disc + (TRACK_GAP + TRACK_WIDTH + 6) * layout.scale,
    pitch,
  };
}

function drawTail(
  context: CanvasRenderingContext2D,
  member: MemberView,
  log: LogView | null,
  start: number,
  layout: StageLayout,
  palette: Palette,
): void {
  const origin = tailOrigin(layout, member.id);
  if (origin === null) return;
  const { x, y, pitch } = origin;
  const { cell, scale } = layout;
  const down = member.liveness === "crashed" || member.liveness === "panicked";
  const digits = Math.max(8, cell * 0.64);
  context.globalAlpha = down ? 0.5 : 1;
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.font = `${digits}px ${palette.font}`;
  for (let i = 0; i < layout.tail; i += 1) {
    const index = start + i;
    const left = x + i * pitch;
    const entry = log?.cells[index - log.firstIndex];
    if (entry === undefined && log !== null && index < log.firstIndex) {
      drawCompacted(context, left, y, cell, palette);
      continue;
    }
    if (entry === undefined) {
      context.fillStyle = palette["line-strong"];
      context.fillRect(left + cell / 2 - 1, y + cell / 2 - 1, 2, 2);
      continue;
    }
    const durable = index <= member.durable;
    cellPath(context, left, y, cell, 2.5 * scale);
    context.fillStyle = durable ? palette.series(entry.term) : palette.paper;
    context.fill();
    if (!durable) {
      cellPath(context, left + 0.75, y + 0.75, cell - 1.5, 2 * scale);
      context.setLineDash([2, 2]);
      context.lineWidth = 1.5;
      context.strokeStyle = palette["ink-3"];
      context.stroke();
      context.setLineDash([]);
      context.fillStyle = palette.series(entry.term);
      context.fillRect(left + 3, y + cell - 4.5, cell - 6, 2);
    }
    context.fillStyle = durable ? palette["on-term"] : palette.ink;
    context.fillText(String(entry.term), left + cell / 2, y + cell / 2 + 0.5);
  }
  drawMarks(context, member, start, x, y, pitch, layout, palette);
  drawDisk(context, member, x, y, layout, palette);
  context.globalAlpha = 1;
}

/** A snapshot has taken the entry's place. */
function drawCompacted(context: CanvasRenderingContext2D, x: number, y: number, side: number, palette: Palette): void {
  context.strokeStyle = palette["line-strong"];
  context.lineWidth = 1;
  context.strokeRect(x + 0.5, y + 0.5, side - 1, side - 1);
  context.beginPath();
  for (const at of [0.35, 0.7, 1]) {
    context.moveTo(x + 1, y + side * at);
    context.lineTo(x + side * at, y + 1);
  }
  context.stroke();
}

function cellPath(context: CanvasRenderingContext2D, x: number, y: number, side: number, radius: number): void {
  context.beginPath();
  context.roundRect(x, y, side, side, radius);
}

/** A line under what is committed, a dot at the last one applied. */
function drawMarks(
  context: CanvasRenderingContext2D,
  member: MemberView,
  start: number,
  x: number,
  y: number,
  pitch: number,
  layout: StageLayout,
  palette: Palette,
): void {
  const under = y + layout.cell + 3.5 * layout.scale;
  const committed = Math.min(layout.tail, member.commit - start + 1);
  context.fillStyle = palette.ink;
  if (committed > 0) context.fillRect(x, under - 0.8, committed * pitch - 1.5 * layout.scale, 1.6 * layout.scale);
  const applied = member.applied - start;
  if (applied < 0 || applied >= layout.tail) return;
  context.beginPath();
  context.arc(x + applied * pitch + layout.cell / 2, under, 2.6 * layout.scale, 0, Math.PI * 2);
  context.fill();
}

/** A platter left of the tail, filled while an fsync is on its way. */
function drawDisk(
  context: CanvasRenderingContext2D,
  member: MemberView,
  x: number,
  y: number,
  layout: StageLayout,
  palette: Palette,
): void {
  const busy = member.fsyncs > 0;
  const w = Math.min(9 * layout.scale, layout.cell * 0.6);
  const left = x - w - 6 * layout.scale;
  const cy = y + layout.cell / 2;
  const h = w * 0.62;
  context.lineWidth = 1.2;
  context.strokeStyle = busy ? palette.ink : palette["line-strong"];
  context.fillStyle = busy ? palette.accent : palette.paper;
  context.beginPath();
  context.ellipse(left + w / 2, cy + h / 2, w / 2, w * 0.24, 0, 0, Math.PI);
  context.lineTo(left, cy - h / 2);
  context.ellipse(left + w / 2, cy - h / 2, w / 2, w * 0.24, 0, Math.PI, Math.PI * 2);
  context.lineTo(left + w, cy + h / 2);
  context.fill();
  context.stroke();
  context.beginPath();
  context.ellipse(left + w / 2, cy - h / 2, w / 2, w * 0.24, 0, 0, Math.PI);
  context.stroke();
}
