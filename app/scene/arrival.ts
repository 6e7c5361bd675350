/** When a message arrives, in words, or what keeps it. */
import type { Flight, FlightKind } from "../../engine/index.ts";
import type { Language } from "../i18n/language.ts";

/** What goes over a connection is stopped by a cut alone, and goes on when the link does. */
const CONNECTED: ReadonlySet<FlightKind> = new Set<FlightKind>(["connect", "request", "response", "close"]);

export function arrivalWords({ text, seconds }: Language, { kind, arrivesAt, heldAt }: Flight): string {
  if (heldAt !== null) return text(CONNECTED.has(kind) ? "flight.stalled" : "flight.held");
  return arrivesAt === null ? text("flight.stalled") : seconds(arrivesAt);
}
