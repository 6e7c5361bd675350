/**
 * What moves, on one canvas: messages on their way, and the timers that drain round members. Drawn from facts and a
 * time; it keeps nothing between frames.
 */
import type { Flight, MemberView, MessageId, View } from "../../engine/index.ts";
import type { Palette } from "../ui/palette.ts";
import { flightPoint } from "./flight-point.ts";
import { type Point, type StageLayout, TRACK_GAP, TRACK_WIDTH } from "./geometry.ts";
import { drawEntries, drawGlyph, GLYPHS, LOST, RESPONSE_REFUSED } from "./glyphs.ts";

export interface MotionInput {
  readonly view: Pick<View, "flights" | "members">;
  readonly now: number;
  readonly layout: StageLayout;
  readonly palette: Palette;
  readonly pointedAt: MessageId | null;
  /** Words beside a message, or null for none. */
  readonly label: (flight: Flight, broken: boolean) => string | null;
}

const TAU = Math.PI * 2;
/** With more than this on their way, messages go unlabelled. */
const LABELLED_MAX = 24;
/** With a crowd of clients fewer are: their words would lie over the squares. */
const LABELLED_IN_CROWD_MAX = 6;
/** With more than this, shapes become plain squares of their colour: still cheap, and nobody could read them. */
const SHAPED_MAX = 220;
const HIT_RADIUS = 14;

/** The part of the stage where members' messages and timers can be: a canvas of that size costs half of a full one. */
export function ringBox({ places, disc, scale, width, height }: StageLayout, members: Iterable<string>): Box {
  const reach = disc + (TRACK_GAP + TRACK_WIDTH + 6) * scale;
  let [left, top, right, bottom] = [width, height, 0, 0];
  for (const id of members) {
    const place = places.get(id);
    if (place === undefined) continue;
    left = Math.min(left, place.x - reach);
    top = Math.min(top, place.y - reach);
    right = Math.max(right, place.x + reach);
    bottom = Math.max(bottom, place.y + reach);
  }
  const x = Math.max(0, Math.floor(left));
  const y = Math.max(0, Math.floor(top));
  return {
    x,
    y,
    width: Math.max(1, Math.min(width, Math.ceil(right + LABEL_ROOM * scale)) - x),
    height: Math.max(1, Math.min(height, Math.ceil(bottom)) - y),
  };
}

export interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

/** Right of the ring, for the words beside a message. */
const LABEL_ROOM = 44;

/** Messages between members, and their timers. The context's origin is the stage's. */
export function drawMotion(context: CanvasRenderingContext2D, box: Box, input: MotionInput): void {
  const { members, flights } = input.view;
  context.clearRect(box.x, box.y, box.width, box.height);
  const between = [...flights.values()].filter(({ from, to }) => members.has(from) && members.has(to));
  drawFlights(context, between, box.x + box.width, input);
  for (const member of members.values()) drawTimer(context, member, input);
}

/** What goes between clients and members, on a layer of its own: it is needed rarely. */
export function drawClientMotion(context: CanvasRenderingContext2D, input: MotionInput): void {
  const { layout, view } = input;
  context.clearRect(0, 0, layout.width, layout.height);
  drawFlights(context, clientFlights(view), layout.width, input);
}

export function clientFlights({ flights, members }: Pick<View, "flights" | "members">): readonly Flight[] {
  const found: Flight[] = [];
  for (const flight of flights.values()) if (!members.has(flight.from) || !members.has(flight.to)) found.push(flight);
  return found;
}

/** What the last frame showed. */
export interface Drawn extends Pick<View, "flights" | "members"> {
  readonly now: number;
  readonly pointedAt: MessageId | null;
}

/** A message is redrawn when it has moved this far, in CSS pixels; a timer's end may stay behind further. */
const FLIGHT_STEP = 0.75;
const TIMER_STEP = 8;
/** A heartbeat's arc goes round so fast that finer steps are not seen. */
const HEARTBEAT_STEP = 26;

/**
 * Whether a frame would show what the last one showed: nothing new, and nothing has moved far enough to be seen. An
 * idle cluster in slow motion is then drawn some twenty times a second instead of sixty.
 */
export function looksTheSame(
  drawn: Drawn | null,
  view: Pick<View, "flights" | "members">,
  now: number,
  pointedAt: MessageId | null,
  layout: StageLayout,
): boolean {
  if (drawn === null || drawn.pointedAt !== pointedAt || drawn.flights !== view.flights) return false;
  const passed = Math.abs(now - drawn.now);
  const reach = layout.ring * 2;
  for (const flight of view.flights.values()) {
    if (flight.arrivesAt === null || flight.heldAt !== null) continue;
    if ((passed * reach) / Math.max(1, flight.arrivesAt - flight.sentAt) >= FLIGHT_STEP) return false;
  }
  const round = TAU * (layout.disc + TRACK_GAP * layout.scale);
  for (const [id, member] of view.members) {
    const { timer } = member;
    const before = drawn.members.get(id);
    if (before === member) {
      if (timer === null) continue;
      const step = timer.kind === "heartbeat" ? HEARTBEAT_STEP : TIMER_STEP;
      if ((passed * round) / Math.max(1, timer.firesAt - timer.setAt) >= step) return false;
      continue;
    }
    // Another timer, role or state; figures of the log are no business of this layer.
    if (before === undefined || before.timer !== timer) return false;
    if (before.role !== member.role || before.liveness !== member.liveness) return false;
  }
  return view.members.size === drawn.members.size;
}

function drawFlights(
  context: CanvasRenderingContext2D,
  flights: readonly Flight[],
  right: number,
  input: MotionInput,
): void {
  const { now, layout, palette, pointedAt, label } = input;
  const many = flights.length > SHAPED_MAX;
  const unlabelled = flights.length > (layout.clientLook === "square" ? LABELLED_IN_CROWD_MAX : LABELLED_MAX);
  const labelled = new Set<string>();
  const size = glyphScale(layout);
  context.lineJoin = "round";
  context.lineCap = "round";
  for (const flight of flights) {
    const from = layout.places.get(flight.from);
    const to = layout.places.get(flight.to);
    if (from === undefined || to === undefined) continue;
    const { x, y, broken } = flightPoint(flight, now, from, to, laneAside(layout));
    if (many) {
      drawSpeck(context, flight, x, y, size, palette);
      continue;
    }
    context.save();
    context.translate(x, y);
    context.scale(size, size);
    const pointed = flight.id === pointedAt;
    const held = flight.heldAt !== null;
    if (pointed || held) drawHalo(context, held, palette);
    if (broken) drawGlyph(context, LOST, palette);
    else if (flight.kind === "append" && flight.entryTerms.length > 0)
      drawEntries(context, flight.entryTerms, flight.entryCount, palette);
    else if (flight.kind === "response" && flight.figures["rule"] !== undefined)
      drawGlyph(context, RESPONSE_REFUSED, palette);
    else drawGlyph(context, GLYPHS[flight.kind], palette);
    context.restore();

    if (unlabelled || pointed) continue;
    // Of what goes out to all at once, one carries the words.
    const group = `${flight.kind} ${flight.from} ${flight.sentAt} ${broken}`;
    if (labelled.has(group)) continue;
    const words = label(flight, broken);
    if (words === null) continue;
    labelled.add(group);
    drawLabel(context, words, x, y, size, right, layout.scale, palette);
  }
}

export function glyphScale(layout: StageLayout): number {
  return layout.scale * Math.min(1, Math.max(0.62, layout.disc / (38 * layout.scale)));
}

function laneAside(layout: StageLayout): number {
  return 5 * glyphScale(layout);
}

function drawSpeck(
  context: CanvasRenderingContext2D,
  flight: Flight,
  x: number,
  y: number,
  size: number,
  palette: Palette,
): void {
  const term = flight.entryTerms[0];
  const ink = GLYPHS[flight.kind][0]?.ink ?? "ink-2";
  context.fillStyle = flight.lost !== null ? palette.harm : term === undefined ? palette[ink] : palette.series(term);
  const side = 5 * size;
  context.fillRect(x - side / 2, y - side / 2, side, side);
}

function drawHalo(context: CanvasRenderingContext2D, held: boolean, palette: Palette): void {
  context.beginPath();
  context.arc(0, 0, 13.5, 0, TAU);
  context.lineWidth = 1.5;
  context.setLineDash([]);
  context.strokeStyle = held ? palette.ink : palette.accent;
  context.stroke();
  if (!held) return;
  context.fillStyle = palette.ink;
  context.fillRect(9.5, -15.5, 2.2, 7);
  context.fillRect(13, -15.5, 2.2, 7);
}

function drawLabel(
  context: CanvasRenderingContext2D,
  words: string,
  x: number,
  y: number,
  size: number,
  right: number,
  scale: number,
  palette: Palette,
): void {
  context.font = `${11.5 * scale}px ${palette.font}`;
  context.textBaseline = "middle";
  const gap = 14 * size;
  const left = x + gap + context.measureText(words).width > right - 4;
  context.textAlign = left ? "right" : "left";
  const at = left ? x - gap : x + gap;
  context.lineWidth = 4;
  context.setLineDash([]);
  context.strokeStyle = palette.paper;
  context.strokeText(words, at, y);
  context.fillStyle = palette["ink-2"];
  context.fillText(words, at, y);
}

/** What is left of a timer, 0 to 1. */
export function timerLeft(timer: { readonly setAt: number; readonly firesAt: number }, now: number): number {
  const span = timer.firesAt - timer.setAt;
  return span <= 0 ? 0 : Math.min(1, Math.max(0, (timer.firesAt - now) / span));
}

function drawTimer(context: CanvasRenderingContext2D, member: MemberView, input: MotionInput): void {
  const { layout, palette, now } = input;
  const { timer, role } = member;
  const place = layout.places.get(member.id);
  const left = timer === null ? 0 : timerLeft(timer, now);
  if (timer === null || place === undefined || left <= 0) return;
  const heartbeat = timer.kind === "heartbeat";
  const asking = role === "candidate" || role === "pre-candidate";
  context.setLineDash([]);
  context.lineCap = "round";
  context.lineWidth = TRACK_WIDTH * layout.scale * (heartbeat ? 0.6 : 1);
  context.strokeStyle = heartbeat ? palette.leading : asking ? palette.asking : palette.following;
  context.beginPath();
  context.arc(place.x, place.y, layout.disc + TRACK_GAP * layout.scale, -TAU / 4, -TAU / 4 + TAU * left);
  context.stroke();
}

/** The message nearest to a point, within reach of a finger. */
export function flightAt(
  point: Point,
  view: Pick<View, "flights">,
  now: number,
  layout: StageLayout,
  reach = HIT_RADIUS,
): MessageId | null {
  let best: MessageId | null = null;
  let nearest = reach * layout.scale;
  for (const flight of view.flights.values()) {
    const from = layout.places.get(flight.from);
    const to = layout.places.get(flight.to);
    if (from === undefined || to === undefined) continue;
    const at = flightPoint(flight, now, from, to, laneAside(layout));
    const distance = Math.hypot(at.x - point.x, at.y - point.y);
    if (distance < nearest) {
      nearest = distance;
      best = flight.id;
    }
  }
  return best;
}
