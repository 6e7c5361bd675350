/**
 * How often a picture is worth its cost. A frame costs the browser about the same whether much or little moved in it; so
 * where nothing but timers and heartbeats goes on, in slow motion, fewer frames show all that there is to see.
 */
import type { FlightKind, Micros, View } from "../../engine/index.ts";
import type { Speed } from "../store/speed.ts";

/** The fastest at which timers and heartbeats move slowly enough. */
const SLOW = 0.1;
/** Thirty frames a second: every second one of a screen that shows sixty. */
const ROUTINE_REST_MS = 28;
/** Some fifteen: nothing travels, arcs drain by a few degrees. */
const STILL_REST_MS = 60;

const ROUTINE: ReadonlySet<FlightKind> = new Set<FlightKind>(["heartbeat", "heartbeat-ok"]);

/** How long to wait, in wall time, before the next frame is asked for. */
export function restBetween(view: Pick<View, "flights" | "members" | "at">, speed: Speed): number {
  const { flights, at } = view;
  // Who comes to the page is shown at once that time passes.
  if (speed === "max" || speed > SLOW || at === 0) return 0;
  let still = true;
  for (const { kind, lost, arrivesAt, heldAt } of flights.values()) {
    if (heldAt !== null || arrivesAt === null || arrivesAt <= at) continue;
    if (!ROUTINE.has(kind) || lost !== null) return 0;
    still = false;
  }
  if (!still) return ROUTINE_REST_MS;
  // A timer that runs out starts something: that is seen from its beginning.
  return Math.min(STILL_REST_MS, Math.max(0, (nextTimer(view) - at) / 1_000 / speed));
}

function nextTimer({ members, at }: Pick<View, "members" | "at">): Micros {
  let next = Number.POSITIVE_INFINITY;
  for (const { timer } of members.values())
    if (timer !== null && timer.firesAt > at) next = Math.min(next, timer.firesAt);
  return next;
}
