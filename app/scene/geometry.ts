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
  /** How much of each client there is room for: all of it, a line or two, its letter. */
  readonly clientLook: ClientLook;
  /** Clients stand left of the ring, or below it. */
  readonly clientsBelow: boolean;
  /** What the clients fight for, under them; null where there is none, or no room. */
  readonly resourceBox: { readonly width: number; readonly height: number };
  readonly places: ReadonlyMap<string, Place>;
}

export type ClientLook = "card" | "line" | "square";

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
  resource: string | null = null,
): StageLayout {
  const narrow = width < 540 * scale;
  const tiny = height < 360 * scale;
  const tailCells = narrow ? TAIL_CELLS_NARROW : TAIL_CELLS;
  const clientsBelow = narrow;
  const crowd = crowdOf(clients.length, width / scale, height / scale, narrow, resource !== null);
  const clientBox = { width: crowd.width * scale, height: crowd.height * scale };
  const resourceBox = { width: (narrow ? 104 : CROWD_WIDTH) * scale, height: RESOURCE_HEIGHT * scale };
  const showClients = clients.length > 0 && !tiny;
  const left = showClients && !clientsBelow ? (CROWD_WIDTH + 28) * scale : 0;
  const below = showClients && clientsBelow ? (crowd.rows * (crowd.height + crowd.gap) + 2) * scale : 0;
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
    const stepX = (crowd.width + (crowd.look === "square" ? crowd.gap : 8)) * scale;
    const stepY = (crowd.height + crowd.gap) * scale;
    const tall =
      crowd.rows * stepY -
      crowd.gap * scale +
      (resource === null || clientsBelow ? 0 : resourceBox.height + RESOURCE_GAP * scale);
    const firstX = clientsBelow
      ? width / 2 - ((crowd.columns - 1) * stepX) / 2
      : margin + 6 * scale + clientBox.width / 2;
    const firstY = clientsBelow
      ? height - margin / 2 - clientBox.height / 2 - (crowd.rows - 1) * stepY
      : Math.max(head, center.y - tall / 2) + clientBox.height / 2;
    const rimX = (clientsBelow ? clientBox.height : clientBox.width) / 2 + 6 * scale;
    clients.forEach((id, i) => {
      const [row, column] = [Math.floor(i / crowd.columns), i % crowd.columns];
      places.set(id, {
        x: firstX + column * stepX,
        y: firstY + row * stepY,
        rim: crowd.look === "square" ? 20 * scale : rimX,
      });
    });
    if (resource !== null && !clientsBelow) {
      const y = firstY - clientBox.height / 2 + tall - resourceBox.height / 2;
      places.set(resource, {
        x: margin + 6 * scale + resourceBox.width / 2,
        y,
        rim: resourceBox.width / 2 + 4 * scale,
      });
    }
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
    clientLook: crowd.look,
    clientsBelow,
    resourceBox,
    places,
  };
}

const CROWD_WIDTH = 178;
const RESOURCE_HEIGHT = 46;
const RESOURCE_GAP = 22;

interface Crowd {
  readonly look: ClientLook;
  readonly width: number;
  readonly height: number;
  readonly gap: number;
  readonly columns: number;
  readonly rows: number;
}

/** How `count` clients stand, at 16 px root type: as large as there is room for. */
function crowdOf(count: number, width: number, height: number, narrow: boolean, resource: boolean): Crowd {
  if (narrow) {
    const columns = Math.max(1, Math.floor((width - 8) / 112));
    if (count <= columns) return { look: "card", width: 104, height: 40, gap: 8, columns: count, rows: 1 };
    return squares(count, Math.floor((width - 16) / (SQUARE + SQUARE_GAP)));
  }
  const room = height - 60 - (resource ? RESOURCE_HEIGHT + RESOURCE_GAP : 0);
  const column = { width: CROWD_WIDTH, columns: 1, rows: count };
  if (count * (94 + 20) <= room) return { look: "card", height: 94, gap: 20, ...column };
  if (count * (46 + 12) <= room) return { look: "line", height: 46, gap: 12, ...column };
  return squares(count, Math.floor((CROWD_WIDTH + SQUARE_GAP) / (SQUARE + SQUARE_GAP)));
}

const SQUARE = 26;
const SQUARE_GAP = 8;

function squares(count: number, columns: number): Crowd {
  return { look: "square", width: SQUARE, height: SQUARE, gap: SQUARE_GAP, columns, rows: Math.ceil(count / columns) };
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
