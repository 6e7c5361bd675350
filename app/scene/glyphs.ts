/**
 * The mark of each kind of message: told apart by shape, and by colour besides. One list of strokes serves the canvas,
 * the help and the list of messages. Drawn in a box of 20 by 20 round the origin.
 */
import type { FlightKind } from "../../engine/index.ts";
import type { Palette, Token } from "../ui/palette.ts";

export interface Stroke {
  readonly d: string;
  /** `solid` is filled, `hollow` filled with paper and outlined, `line` only a line. */
  readonly paint: "solid" | "hollow" | "line" | "dashed";
  readonly ink: Token;
}

const TRIANGLE = "M0-8.5 8.5 6.5-8.5 6.5Z";
const TICK = "M-3.2 1.6-.8 4 3.4-1.2";
const CROSS_LOW = "M-2.8-.6 2.8 5M2.8-.6-2.8 5";
const SQUARE = "M-4.6-4.6h9.2v9.2h-9.2z";
const BOX = "M-7-7h14v14h-14z";
const CROSS = "M-3.6-3.6 3.6 3.6M3.6-3.6-3.6 3.6";
const DIAMOND = "M0-8.5 8 0 0 8.5-8 0Z";
const LETTER = "M-8-5.5h16v11h-16z";
const dot = (r: number): string => `M${-r} 0a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`;

export const GLYPHS: Readonly<Record<FlightKind, readonly Stroke[]>> = {
  "vote-request": [{ d: TRIANGLE, paint: "solid", ink: "asking" }],
  "pre-vote-request": [{ d: TRIANGLE, paint: "dashed", ink: "asking" }],
  "vote-granted": [
    { d: TRIANGLE, paint: "hollow", ink: "asking" },
    { d: TICK, paint: "line", ink: "asking" },
  ],
  "vote-refused": [
    { d: TRIANGLE, paint: "hollow", ink: "asking" },
    { d: CROSS_LOW, paint: "line", ink: "harm" },
  ],
  append: [{ d: BOX, paint: "hollow", ink: "leading-ink" }],
  "append-ok": [{ d: SQUARE, paint: "hollow", ink: "leading-ink" }],
  "append-refused": [
    { d: BOX, paint: "hollow", ink: "leading-ink" },
    { d: CROSS, paint: "line", ink: "harm" },
  ],
  heartbeat: [{ d: dot(4), paint: "solid", ink: "leading" }],
  "heartbeat-ok": [{ d: dot(3.6), paint: "hollow", ink: "leading-ink" }],
  snapshot: [{ d: DIAMOND, paint: "solid", ink: "leading-ink" }],
  "timeout-now": [
    { d: dot(8), paint: "hollow", ink: "leading-ink" },
    { d: "M-3.5 3.5 0-4 3.5 3.5", paint: "line", ink: "leading-ink" },
  ],
  forward: [
    { d: LETTER, paint: "hollow", ink: "accent" },
    { d: "M-3-3 1 0-3 3M2-3 6 0 2 3", paint: "line", ink: "accent" },
  ],
  "read-index": [
    { d: dot(7), paint: "hollow", ink: "accent" },
    { d: "M-3 0h6", paint: "line", ink: "accent" },
  ],
  "read-index-ok": [
    { d: dot(7), paint: "hollow", ink: "accent" },
    { d: "M-3.2 0-.8 2.6 3.4-2.4", paint: "line", ink: "accent" },
  ],
  connect: [
    { d: dot(4.5), paint: "hollow", ink: "ink-2" },
    { d: "M-2.6 0h5.2M0-2.6v5.2", paint: "line", ink: "ink-2" },
  ],
  request: [{ d: LETTER, paint: "solid", ink: "accent" }],
  response: [
    { d: LETTER, paint: "hollow", ink: "accent" },
    { d: "M-3.6.2-1 2.8 3.8-2.6", paint: "line", ink: "accent" },
  ],
  close: [
    { d: dot(4.5), paint: "hollow", ink: "ink-2" },
    { d: "M-2.6 0h5.2", paint: "line", ink: "ink-2" },
  ],
};

/** A response that carries an error. */
export const RESPONSE_REFUSED: readonly Stroke[] = [
  { d: LETTER, paint: "hollow", ink: "accent" },
  { d: "M-3-3 3 3M3-3-3 3", paint: "line", ink: "harm" },
];

/** What will never arrive. */
export const LOST: readonly Stroke[] = [
  { d: BOX, paint: "dashed", ink: "ink-3" },
  { d: CROSS, paint: "line", ink: "harm" },
];

const LINE_WIDTH = 1.7;
const DASH = [2.4, 2.4];
const NO_DASH: number[] = [];
const paths = new Map<string, Path2D>();

function pathOf(d: string): Path2D {
  const known = paths.get(d);
  if (known !== undefined) return known;
  const made = new Path2D(d);
  paths.set(d, made);
  return made;
}

/** At the context's origin. */
export function drawGlyph(context: CanvasRenderingContext2D, strokes: readonly Stroke[], palette: Palette): void {
  for (const { d, paint, ink } of strokes) {
    const path = pathOf(d);
    if (paint === "solid") {
      context.fillStyle = palette[ink];
      context.fill(path);
      continue;
    }
    if (paint !== "line") {
      context.fillStyle = palette.paper;
      context.fill(path);
    }
    context.strokeStyle = palette[ink];
    context.lineWidth = LINE_WIDTH;
    context.setLineDash(paint === "dashed" ? DASH : NO_DASH);
    context.stroke(path);
  }
}

/** Squares side by side, one for each entry, in the colours of their terms; at the context's origin. */
export function drawEntries(
  context: CanvasRenderingContext2D,
  terms: readonly number[],
  count: number,
  palette: Palette,
): void {
  const shown = terms.slice(0, ENTRIES_SHOWN);
  const side = shown.length > 3 ? 8 : 10;
  const step = side + 1.5;
  const left = (-shown.length * step) / 2;
  context.setLineDash(NO_DASH);
  context.lineWidth = 1.2;
  context.strokeStyle = palette["leading-ink"];
  shown.forEach((term, i) => {
    context.fillStyle = palette.series(term);
    context.fillRect(left + i * step, -side / 2, side, side);
    context.strokeRect(left + i * step, -side / 2, side, side);
  });
  if (count > shown.length) {
    context.fillStyle = palette["ink-2"];
    context.fillRect(left + shown.length * step + 1, side / 2 - 2, 2, 2);
    context.fillRect(left + shown.length * step + 4, side / 2 - 2, 2, 2);
  }
}

const ENTRIES_SHOWN = 5;
