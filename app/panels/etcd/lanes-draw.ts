/** The swimlanes of the keyspace: a lane for each key, a mark for each change, a bar for each generation. */
import type { EtcdView, KeyView } from "../../../engine/index.ts";
import type { Palette } from "../../ui/palette.ts";
import { generationsOf } from "./keyspace.ts";

export interface Lanes {
  readonly view: EtcdView;
  readonly keys: readonly KeyView[];
  /** The revision that is looked at. */
  readonly revision: number;
  readonly width: number;
  readonly palette: Palette;
  readonly pointed: { readonly row: number; readonly revision: number } | null;
}

const LANE = 24;
const NAMES = 118;
const RIGHT = 16;
const AXIS = 18;
/** Revisions stand at least so far apart. */
const PITCH_MIN = 9;
const PITCH_MAX = 44;

export function lanesHeight(rows: number, scale: number): number {
  return (rows * LANE + AXIS) * scale;
}

/** Which revisions are shown, and how far apart. */
export function revisionScale({ view, width, palette }: Pick<Lanes, "view" | "width" | "palette">): {
  readonly first: number;
  readonly pitch: number;
} {
  const { scale } = palette;
  const room = Math.max(40, width - (NAMES + RIGHT) * scale);
  const from = Math.max(1, view.compactRevision);
  const count = Math.max(1, view.revision - from);
  const pitch = Math.min(PITCH_MAX * scale, Math.max(PITCH_MIN * scale, room / count));
  const shown = Math.floor(room / pitch);
  return { first: Math.max(from, view.revision - shown), pitch };
}

export function drawLanes(context: CanvasRenderingContext2D, lanes: Lanes): void {
  const { view, keys, revision, width, palette, pointed } = lanes;
  const { scale } = palette;
  const { first, pitch } = revisionScale(lanes);
  const left = NAMES * scale;
  const x = (rev: number): number => left + (rev - first) * pitch;
  const height = lanesHeight(keys.length, scale);
  context.clearRect(0, 0, width, height);
  context.textBaseline = "middle";
  const bottom = keys.length * LANE * scale;

  if (view.compactRevision > 0 && view.compactRevision >= first) {
    context.fillStyle = palette.sunk;
    context.fillRect(left, 0, Math.max(3 * scale, x(view.compactRevision) - left), bottom);
  }
  for (const [row, key] of keys.entries()) drawLane(context, lanes, key, row, x, left);
  const at = Math.round(x(Math.min(revision, view.revision))) + 0.5;
  context.strokeStyle = revision >= view.revision ? palette["line-strong"] : palette.accent;
  context.lineWidth = 1.5 * scale;
  context.beginPath();
  context.moveTo(at, 0);
  context.lineTo(at, bottom);
  context.stroke();
  if (pointed !== null) {
    context.strokeStyle = palette.focus;
    context.strokeRect(x(pointed.revision) - 7 * scale, pointed.row * LANE * scale + 4 * scale, 14 * scale, 16 * scale);
  }

  context.font = `${10 * scale}px ${palette.font}`;
  context.fillStyle = palette["ink-3"];
  context.textAlign = "center";
  const step = Math.max(1, Math.ceil((30 * scale) / pitch));
  for (let rev = Math.ceil(first / step) * step; rev <= view.revision; rev += step)
    context.fillText(String(rev), x(rev), bottom + (AXIS * scale) / 2);
}

function drawLane(
  context: CanvasRenderingContext2D,
  { view, palette, revision, width }: Lanes,
  key: KeyView,
  row: number,
  x: (revision: number) => number,
  left: number,
): void {
  const { scale } = palette;
  const y = (row + 0.5) * LANE * scale;
  context.strokeStyle = palette.line;
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(0, Math.round((row + 1) * LANE * scale) - 0.5);
  context.lineTo(width, Math.round((row + 1) * LANE * scale) - 0.5);
  context.stroke();
  context.font = `${11.5 * scale}px ${palette.mono}`;
  context.textAlign = "left";
  context.fillStyle = palette.ink;
  context.fillText(clipped(context, key.id, left - 14 * scale), 0, y);

  context.save();
  context.beginPath();
  context.rect(left - 8 * scale, row * LANE * scale, width, LANE * scale);
  context.clip();
  for (const { from, to } of generationsOf(key)) {
    context.strokeStyle = palette.accent;
    context.globalAlpha = 0.35;
    context.lineWidth = 5 * scale;
    context.lineCap = "round";
    context.beginPath();
    context.moveTo(x(from), y);
    context.lineTo(x(to ?? view.revision), y);
    context.stroke();
    context.globalAlpha = 1;
  }
  for (const change of key.changes) {
    const at = x(change.revision);
    const past = change.revision > revision;
    context.globalAlpha = past ? 0.35 : 1;
    context.lineWidth = 1.6 * scale;
    if (change.type === "put") {
      context.beginPath();
      context.arc(at, y, 4 * scale, 0, 2 * Math.PI);
      context.fillStyle = change.lease === null ? palette.accent : palette.raised;
      context.fill();
      context.strokeStyle = palette.accent;
      context.stroke();
    } else {
      const r = 4 * scale;
      context.strokeStyle = palette["ink-2"];
      context.beginPath();
      context.moveTo(at - r, y - r);
      context.lineTo(at + r, y + r);
      context.moveTo(at + r, y - r);
      context.lineTo(at - r, y + r);
      context.stroke();
    }
    context.globalAlpha = 1;
  }
  context.restore();
}

/** The end tells keys apart, so the beginning is what goes. */
function clipped(context: CanvasRenderingContext2D, text: string, room: number): string {
  if (context.measureText(text).width <= room) return text;
  let cut = text;
  while (cut.length > 1 && context.measureText(`…${cut}`).width > room) cut = cut.slice(1);
  return `…${cut}`;
}

/** The lane and the change nearest to a point. */
export function pointedAt(
  px: number,
  py: number,
  lanes: Pick<Lanes, "view" | "keys" | "width" | "palette">,
): Lanes["pointed"] {
  const { scale } = lanes.palette;
  const row = Math.floor(py / (LANE * scale));
  const key = lanes.keys[row];
  if (key === undefined) return null;
  const { first, pitch } = revisionScale(lanes);
  const wanted = first + (px - NAMES * scale) / pitch;
  let best: number | null = null;
  for (const { revision } of key.changes)
    if (best === null || Math.abs(revision - wanted) < Math.abs(best - wanted)) best = revision;
  return best === null || Math.abs(best - wanted) * pitch > 14 * scale ? null : { row, revision: best };
}
