/** Where a message is: a function of facts and time, so that any instant can be drawn, forwards or back. */
import type { Flight } from "../../engine/index.ts";
import { lane, type Place, type Point } from "./geometry.ts";

/** How far aside of the straight line a message keeps, so that the two directions of a link do not run into each other. */
export const LANE_ASIDE = 5;

/** A lost message is drawn until half way. */
export const LOST_AT = 0.5;

/** The part of its way that a message has behind it, 0 to 1. One that is held stands where it was stopped. */
export function flightProgress({ sentAt, arrivesAt, heldAt }: Way, now: number): number {
  if (arrivesAt === null) return 0;
  const span = arrivesAt - sentAt;
  const gone = (heldAt === null ? now : Math.min(now, heldAt)) - sentAt;
  if (span <= 0) return gone >= 0 ? 1 : 0;
  return Math.min(1, Math.max(0, gone / span));
}

export type Way = Pick<Flight, "sentAt" | "arrivesAt" | "heldAt">;

export interface FlightMark extends Point {
  /** It will never arrive, and the picture says so from here on. */
  readonly broken: boolean;
}

export function flightPoint(
  flight: Way & Pick<Flight, "lost">,
  now: number,
  from: Place,
  to: Place,
  aside: number = LANE_ASIDE,
): FlightMark {
  const { a, b } = lane(from, to, aside);
  const progress = flightProgress(flight, now);
  const broken = flight.lost !== null && progress >= LOST_AT;
  const t = broken ? LOST_AT : progress;
  return { x: a.x + (b.x - a.x) * t, y: a.y + (b.y - a.y) * t, broken };
}
