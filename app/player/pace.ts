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
/** Twenty: nothing travels, arcs drain by a few degrees. */
const STILL_REST_MS = 45;

const ROUTINE: ReadonlySet<FlightKind> = new Set<FlightKind>(["heartbeat", "heartbeat-ok"]);

/** How long to wait, in wall time, before the next frame is asked for. */
export function restBetween({ flights, at }: Pick<View, "flights" | "at">, speed: Speed): number {
  if (speed === "max" || speed > SLOW) return 0;
  let still = true;
  for (const { kind, lost, arrivesAt, heldAt } of flights.values()) {
    if (heldAt !== null || stands(arrivesAt, at)) continue;
    if (!ROUTINE.has(kind) || lost !== null) return 0;
    still = false;
  }
  return still ? STILL_REST_MS : ROUTINE_REST_MS;
}

function stands(arrivesAt: Micros | null, at: Micros): boolean {
  return arrivesAt === null || arrivesAt <= at;
}
