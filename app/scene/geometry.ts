/**
 * Where things stand on the stage, in CSS pixels: pure functions of the stage's size and of who is there.
 */
export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Place extends Point {
  /** From the centre to where links and messages begin. */
  readonly rim: number;
}

export interface StageLayout {
  readonly width: number;
  readonly height: number;
  /** How much larger than at 16 px root type everything is drawn. */
  readonly scale: number;
  readonly center: Point;
  readonly ring: number;
  /** Radius of a member's disc; its timer runs just outside. */
  readonly disc: number;
  /** Side of one cell of a log's tail. */
  readonly cell: number;
  /** How many cells a tail shows. */
  readonly tail: number;
  readonly clientBox: { readonly width: number; readonly height: number };
  /** Clients stand in a column left of the ring, or in a row below it. */
  readonly clientsBelow: boolean;
  readonly places: ReadonlyMap<string, Place>;
}

const TAU = Math.PI * 2;

/** From the disc's edge to the middle of the timer's track, and the track's width. */
export const TRACK_GAP = 6;
export const TRACK_WIDTH = 3;

/** Room round a disc, in units of its radius: ballots above, the log's tail below. */
const ROOM_ABOVE = 0.62;
const ROOM_BELOW = 1.02;

/** Unit vectors of a ring of `count`, the first at the top, clockwise. */
export function ringDirections(count: number): readonly Point[] {
  return Array.from({ length: count }, (_, i) => {
    const angle = (i / count) * TAU;
    return { x: Math.sin(angle), y: -Math.cos(angle) };
  });
}

/**
 * Members on a ring (a single one in its centre), clients beside it.
 *
 * The disc is as large as the stage and the neighbours allow, within limits that keep its words readable.
 */
export function layoutStage(
  members: readonly string[],
  clients: readonly string[],
  width: number,
  height: number,
  scale = 1,
): StageLayout {
  const narrow = width < 540 * scale;
  const tiny = height < 360 * scale;
  const tailCells = narrow ? TAIL_CELLS_NARROW : TAIL_CELLS;
  const clientsBelow = narrow;
  const clientBox = narrow ? { width: 104 * scale, height: 40 * scale } : { width: 178 * scale, height: 94 * scale };
  const showClients = clients.length > 0 && !tiny;
  const left = showClients && !clientsBelow ? clientBox.width + 28 * scale : 0;
  const below = showClients && clientsBelow ? clientBox.height + 8 * scale : 0;
  const head = narrow ? (tiny ? 40 : 48) * scale : 30 * scale;
  const margin = (narrow ? 8 : 18) * scale;

  const count = members.length;
  const usableWidth = Math.max(80, width - left - margin * 2);
  const usableHeight = Math.max(80, height - head - below - margin);
  const directions = ringDirections(count);
  const xs = directions.map((d) => d.x);
  const ys = directions.map((d) => d.y);
  const spanX = count === 1 ? 0 : Math.max(...xs) - Math.min(...xs);
  const top = count === 1 ? 0 : Math.min(...ys);
  const bottom = count === 1 ? 0 : Math.max(...ys);

  const largest = (count <= 3 ? 46 : count <= 5 ? 42 : count <= 7 ? 36 : 32) * scale;
  const smallest = 20 * scale;
  let disc = largest;
  let ring = 0;
  for (; disc > smallest; disc -= 1) {
    const reach = disc + (TRACK_GAP + TRACK_WIDTH) * scale;
    const sideways = Math.max(reach, tailWidth(disc, scale, tailCells) / 2);
    const tall = usableHeight - disc * (2 + ROOM_ABOVE + ROOM_BELOW) - (TRACK_GAP + TRACK_WIDTH) * 2 * scale;
    const wide = usableWidth - sideways * 2;
    const fits =
      count === 1 ? Math.min(tall, wide) : Math.min(tall / (bottom - top), spanX === 0 ? wide : wide / spanX);
    // Neighbours keep room for the tail between them and for messages to be seen travelling.
    const apart = count === 1 ? 0 : (disc * 4) / (2 * Math.sin(Math.PI / count));
    ring = Math.min(fits, (count === 2 ? 190 : 264) * scale);
    if (fits >= apart) break;
  }
  ring = count === 1 ? 0 : Math.max(ring, 10);

  const outer = disc + (TRACK_GAP + TRACK_WIDTH) * scale;
  const contentTop = top * ring - outer - disc * ROOM_ABOVE;
  const contentBottom = bottom * ring + outer + disc * ROOM_BELOW;
  const freeTop = head;
  const freeBottom = height - below - margin;
  const center = {
    x: left + margin + usableWidth / 2,
    y: (freeTop + freeBottom) / 2 - (contentTop + contentBottom) / 2,
  };

  const rim = disc + (TRACK_GAP + TRACK_WIDTH + 3) * scale;
  const places = new Map<string, Place>();
  members.forEach((id, i) => {
    const d = directions[i] ?? { x: 0, y: 0 };
    places.set(id, { x: center.x + d.x * ring, y: center.y + d.y * ring, rim });
  });
  if (showClients) {
    clients.forEach((id, i) => {
      const offset = i - (clients.length - 1) / 2;
      const place = clientsBelow
        ? { x: width / 2 + offset * (clientBox.width + 8 * scale), y: height - margin / 2 - clientBox.height / 2 }
        : { x: margin + 6 * scale + clientBox.width / 2, y: center.y + offset * (clientBox.height + 20 * scale) };
      places.set(id, { ...place, rim: (clientsBelow ? clientBox.height / 2 : clientBox.width / 2) + 6 * scale });
    });
  }
  const cell = cellSize(disc, scale);
  return {
    width,
    height,
    scale,
    center,
    ring,
    disc,
    cell,
    tail: tailFor(members, places, disc, cell, scale, tailCells),
    clientBox,
    clientsBelow,
    places,
  };
}

const TAIL_CELLS = 7;
const TAIL_CELLS_NARROW = 5;

/** As many cells as leave neighbours' tails, discs and disks apart; none where there is no room for a few. */
function tailFor(
  members: readonly string[],
  places: ReadonlyMap<string, Place>,
  disc: number,
  cell: number,
  scale: number,
  most: number,
): number {
  const band = disc + cell + 12 * scale;
  let room = Number.POSITIVE_INFINITY;
  for (const { a, b } of pairsOf(members)) {
    const [p, q] = [places.get(a), places.get(b)];
    if (p === undefined || q === undefined) continue;
    const [dx, dy] = [Math.abs(p.x - q.x), Math.abs(p.y - q.y)];
    // Side by side, two tails share the way between them; a little lower, a tail shares it with a disc.
    if (dy < cell * 2) room = Math.min(room, dx);
    else if (dy < band + disc) room = Math.min(room, Math.max(0, (dx - disc) * 2));
  }
  const cells = Math.floor((room - DISK_ROOM * scale) / (cell + 1.5 * scale));
  return cells < CELLS_LEAST ? 0 : Math.min(most, cells);
}

const CELLS_LEAST = 2;

/** Left of a tail, for the mark of its disk. */
const DISK_ROOM = 18;

function cellSize(disc: number, scale: number): number {
  return Math.max(9 * scale, Math.min(16 * scale, Math.round(disc * 0.36)));
}

function tailWidth(disc: number, scale: number, cells: number): number {
  return cells * (cellSize(disc, scale) + 1);
}

/** The stretch of the straight way between two places that lies outside both, moved a little to its right-hand side. */
export function lane(from: Place, to: Place, aside: number): { readonly a: Point; readonly b: Point } {
  const dx = to.x - from.x;
  const dy = to.y - from.y;
  const length = Math.hypot(dx, dy) || 1;
  const ux = dx / length;
  const uy = dy / length;
  const ox = -uy * aside;
  const oy = ux * aside;
  const start = Math.min(from.rim, length / 2);
  const end = Math.min(to.rim, length / 2);
  return {
    a: { x: from.x + ux * start + ox, y: from.y + uy * start + oy },
    b: { x: to.x - ux * end + ox, y: to.y - uy * end + oy },
  };
}

export function pathLength(path: readonly Point[]): number {
  let sum = 0;
  for (let i = 1; i < path.length; i += 1) {
    const p = path[i - 1];
    const q = path[i];
    if (p !== undefined && q !== undefined) sum += Math.hypot(q.x - p.x, q.y - p.y);
  }
  return sum;
}

export interface Pair {
  readonly a: string;
  readonly b: string;
}

/** Every pair of the given ids, each once. */
export function pairsOf(ids: readonly string[]): readonly Pair[] {
  return ids.flatMap((a, i) => ids.slice(i + 1).map((b) => ({ a, b })));
}
