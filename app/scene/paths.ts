/** What a path drawn on the stage encloses and crosses: fetched when a hand comes near. */
import { lane, type Pair, pathLength, type Place, type Point } from "./geometry.ts";

/** Whether the segments ab and cd cross or touch. */
export function segmentsCross(a: Point, b: Point, c: Point, d: Point): boolean {
  const side = (p: Point, q: Point, r: Point): number => (q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x);
  const abc = side(a, b, c);
  const abd = side(a, b, d);
  const cda = side(c, d, a);
  const cdb = side(c, d, b);
  return ((abc >= 0 && abd <= 0) || (abc <= 0 && abd >= 0)) && ((cda >= 0 && cdb <= 0) || (cda <= 0 && cdb >= 0))
    ? !(abc === 0 && abd === 0 && cda === 0 && cdb === 0)
    : false;
}

/** Even-odd rule; the polygon closes by itself. */
export function insidePolygon(point: Point, polygon: readonly Point[]): boolean {
  let inside = false;
  for (let i = 0, j = polygon.length - 1; i < polygon.length; j = i, i += 1) {
    const p = polygon[i];
    const q = polygon[j];
    if (p === undefined || q === undefined) continue;
    if (p.y > point.y !== q.y > point.y && point.x < ((q.x - p.x) * (point.y - p.y)) / (q.y - p.y) + p.x)
      inside = !inside;
  }
  return inside;
}

/** Twice nothing for a stroke there and back: the area that a path encloses. */
export function enclosedArea(path: readonly Point[]): number {
  let sum = 0;
  for (let i = 0, j = path.length - 1; i < path.length; j = i, i += 1) {
    const p = path[i];
    const q = path[j];
    if (p !== undefined && q !== undefined) sum += q.x * p.y - p.x * q.y;
  }
  return Math.abs(sum) / 2;
}

/**
 * A path is closed when it comes back to where it began, or crosses itself on the way there: its loop is then what
 * lies between. Null for an open one.
 */
export function closedLoop(path: readonly Point[], reach: number): readonly Point[] | null {
  const first = path[0];
  const last = path.at(-1);
  if (first === undefined || last === undefined || path.length < 4) return null;
  const isLoop = (loop: readonly Point[]): boolean => enclosedArea(loop) > pathLength(loop) ** 2 / 50;
  for (let i = 1; i < path.length; i += 1) {
    for (let j = i + 2; j < path.length; j += 1) {
      const [a, b, c, d] = [path[i - 1], path[i], path[j - 1], path[j]];
      if (a === undefined || b === undefined || c === undefined || d === undefined) continue;
      if (!segmentsCross(a, b, c, d)) continue;
      const loop = path.slice(i, j);
      if (isLoop(loop)) return loop;
    }
  }
  const gap = Math.hypot(last.x - first.x, last.y - first.y);
  return gap < Math.max(reach, pathLength(path) * 0.18) && isLoop(path) ? path : null;
}

/** The links that a path crosses, each once. */
export function crossedLinks(
  path: readonly Point[],
  pairs: readonly Pair[],
  places: ReadonlyMap<string, Place>,
): readonly Pair[] {
  return pairs.filter(({ a, b }) => {
    const p = places.get(a);
    const q = places.get(b);
    if (p === undefined || q === undefined) return false;
    const link = lane(p, q, 0);
    return path.some((to, i) => {
      const from = path[i - 1];
      return from !== undefined && segmentsCross(from, to, link.a, link.b);
    });
  });
}

/** The members inside a loop and those outside; null when the loop takes all or none, and so parts nobody. */
export function lassoGroups(
  loop: readonly Point[],
  ids: readonly string[],
  places: ReadonlyMap<string, Place>,
): readonly [readonly string[], readonly string[]] | null {
  const isIn = (id: string): boolean => {
    const place = places.get(id);
    return place !== undefined && insidePolygon(place, loop);
  };
  const inside = ids.filter(isIn);
  const outside = ids.filter((id) => !isIn(id));
  return inside.length === 0 || outside.length === 0 ? null : [inside, outside];
}
