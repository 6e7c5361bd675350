/** The log panel's canvas: members as rows, indexes as columns. Only the columns in sight are drawn. */
import {
  LOG_WINDOW,
  type LogCell,
  type LogView,
  type MemberView,
  type ProcessId,
  type View,
} from "../../engine/index.ts";
import type { Palette } from "../ui/palette.ts";

export interface GridShape {
  readonly members: readonly ProcessId[];
  readonly scale: number;
}

export interface Cursor {
  readonly row: number;
  readonly index: number;
}

const PITCH = 23;
const CELL = 20;
const ROW = 34;
const HEAD = 20;
const NAMES = 34;

export const pitchOf = (scale: number): number => PITCH * scale;
export const namesWidth = (scale: number): number => NAMES * scale;
export const gridHeight = ({ members, scale }: GridShape): number => (HEAD + members.length * ROW) * scale;

export function lastIndexOf(members: Iterable<Pick<MemberView, "lastIndex">>): number {
  let last = 0;
  for (const member of members) last = Math.max(last, member.lastIndex);
  return last;
}

export function cellAt(log: LogView | null | undefined, index: number): LogCell | undefined {
  return log === null || log === undefined ? undefined : log.cells[index - log.firstIndex];
}

/** The cell under a point of the canvas; `scrolled` pixels of columns lie left of it. */
export function cursorAt(x: number, y: number, scrolled: number, shape: GridShape): Cursor | null {
  const row = Math.floor((y / shape.scale - HEAD) / ROW);
  const index = Math.floor((x - namesWidth(shape.scale) + scrolled) / pitchOf(shape.scale)) + 1;
  if (row < 0 || row >= shape.members.length || index < 1 || x < namesWidth(shape.scale)) return null;
  return { row, index };
}

export type CellState = "applied" | "committed" | "durable" | "volatile";

export function cellState(member: Pick<MemberView, "applied" | "commit" | "durable">, index: number): CellState {
  if (index <= member.applied) return "applied";
  if (index <= member.commit) return "committed";
  return index <= member.durable ? "durable" : "volatile";
}

/** All that the grid shows: while these are the same, so is the picture. Timers are no part of it. */
export function gridFacts(view: Pick<View, "members" | "logs">, scrolled: number): readonly unknown[] {
  const facts: unknown[] = [view.logs, scrolled];
  for (const { id, commit, applied, durable, liveness } of view.members.values())
    facts.push(id, commit, applied, durable, liveness);
  return facts;
}

/** Whether cells are missing in front because a view shows no more of them, and not because a snapshot holds them. */
export function isCutShort({ firstIndex, cells }: LogView): boolean {
  return firstIndex > 1 && cells.length >= LOG_WINDOW;
}

interface Input {
  readonly view: Pick<View, "members" | "logs">;
  readonly shape: GridShape;
  readonly width: number;
  readonly scrolled: number;
  readonly cursor: Cursor | null;
  readonly palette: Palette;
  /** What is written on cells that a snapshot took the place of. */
  readonly words: (log: LogView) => string;
}

export function drawGrid(context: CanvasRenderingContext2D, input: Input): void {
  const { view, shape, width, scrolled, cursor, palette, words } = input;
  const { scale } = shape;
  const pitch = pitchOf(scale);
  const left = namesWidth(scale);
  context.clearRect(0, 0, width, gridHeight(shape));
  const first = Math.max(1, Math.floor(scrolled / pitch) + 1);
  const last = first + Math.ceil((width - left) / pitch);
  const xOf = (index: number): number => left + (index - 1) * pitch - scrolled;
  context.textBaseline = "middle";
  context.save();
  context.beginPath();
  context.rect(left - 1, 0, width - left + 1, gridHeight(shape));
  context.clip();
  context.font = `${10 * scale}px ${palette.font}`;
  context.textAlign = "center";
  context.fillStyle = palette["ink-3"];
  for (let index = first; index <= last; index += 1)
    if (index === 1 || index % 5 === 0)
      context.fillText(String(index), xOf(index) + (CELL * scale) / 2, (HEAD * scale) / 2);
  shape.members.forEach((id, row) => {
    const member = view.members.get(id);
    if (member === undefined) return;
    const y = (HEAD + row * ROW) * scale;
    const down = member.liveness === "crashed" || member.liveness === "panicked";
    context.globalAlpha = down ? 0.5 : 1;
    const log = view.logs.get(id) ?? null;
    if (log !== null && log.firstIndex > first) drawCompacted(context, log, { first, y, xOf, scale, palette, words });
    drawRow(context, { member, log, first, last, y, xOf, scale, palette });
    context.globalAlpha = 1;
  });
  if (cursor !== null) {
    context.lineWidth = 2;
    context.strokeStyle = palette.accent;
    const y = (HEAD + cursor.row * ROW) * scale;
    context.strokeRect(xOf(cursor.index) - 1, y - 1, CELL * scale + 2, CELL * scale + 2);
  }
  context.restore();
  context.textAlign = "left";
  context.font = `600 ${12 * scale}px ${palette.font}`;
  shape.members.forEach((id, row) => {
    context.fillStyle = view.members.get(id)?.liveness === "crashed" ? palette["ink-3"] : palette.ink;
    context.fillText(id, 0, (HEAD + row * ROW + CELL / 2) * scale);
  });
}

interface Compacted {
  readonly first: number;
  readonly y: number;
  readonly xOf: (index: number) => number;
  readonly scale: number;
  readonly palette: Palette;
  readonly words: (log: LogView) => string;
}

/** One long hatched cell in place of those that are gone, with its last index. */
function drawCompacted(
  context: CanvasRenderingContext2D,
  log: LogView,
  { first, y, xOf, scale, palette, words }: Compacted,
): void {
  const side = CELL * scale;
  const left = xOf(first);
  const right = xOf(log.firstIndex - 1) + side;
  context.save();
  context.beginPath();
  context.rect(left, y, right - left, side);
  context.clip();
  context.lineWidth = 1;
  context.strokeStyle = palette["line-strong"];
  context.beginPath();
  for (let x = left - side; x < right; x += 5 * scale) {
    context.moveTo(x, y + side);
    context.lineTo(x + side, y);
  }
  context.stroke();
  context.strokeRect(left + 0.5, y + 0.5, right - left - 1, side - 1);
  const said = words(log);
  context.font = `${10.5 * scale}px ${palette.font}`;
  context.textAlign = "right";
  const wide = context.measureText(said).width;
  if (wide + 12 * scale < right - left) {
    context.fillStyle = palette.raised;
    context.fillRect(right - wide - 9 * scale, y + 2, wide + 6 * scale, side - 4);
    context.fillStyle = palette["ink-2"];
    context.fillText(said, right - 6 * scale, y + side / 2 + 0.5);
  }
  context.restore();
}

interface Row {
  readonly member: MemberView;
  readonly log: LogView | null;
  readonly first: number;
  readonly last: number;
  readonly y: number;
  readonly xOf: (index: number) => number;
  readonly scale: number;
  readonly palette: Palette;
}

function drawRow(context: CanvasRenderingContext2D, row: Row): void {
  const { member, log, first, last, y, xOf, scale, palette } = row;
  const side = CELL * scale;
  context.font = `${11 * scale}px ${palette.font}`;
  context.textAlign = "center";
  for (let index = first; index <= last; index += 1) {
    const cell = cellAt(log, index);
    if (cell === undefined) continue;
    const x = xOf(index);
    const durable = index <= member.durable;
    context.fillStyle = durable ? palette.series(cell.term) : palette.raised;
    context.fillRect(x, y, side, side);
    if (!durable) {
      context.setLineDash([2, 2]);
      context.lineWidth = 1.5;
      context.strokeStyle = palette["ink-3"];
      context.strokeRect(x + 0.75, y + 0.75, side - 1.5, side - 1.5);
      context.setLineDash([]);
      context.fillStyle = palette.series(cell.term);
      context.fillRect(x + 3, y + side - 5, side - 6, 2.5);
    }
    context.fillStyle = durable ? palette["on-term"] : palette.ink;
    context.fillText(String(cell.term), x + side / 2, y + side / 2 + 0.5);
  }
  const under = y + side + 4 * scale;
  context.fillStyle = palette.ink;
  const to = Math.min(member.commit, last);
  if (to >= first) context.fillRect(xOf(first), under - 0.8, xOf(to) + side - xOf(first), 1.6 * scale);
  if (member.applied < first || member.applied > last) return;
  context.beginPath();
  context.arc(xOf(member.applied) + side / 2, under, 2.8 * scale, 0, Math.PI * 2);
  context.fill();
}
