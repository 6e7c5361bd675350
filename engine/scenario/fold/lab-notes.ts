/** What a reader of a lock lab wants to be told as it happens: beliefs, wake-ups, writes. */
import type { LabEvent, ResourceEvent } from "../../labs/events.ts";
import { clientName } from "../../labs/names.ts";
import type { TraceEvent } from "../../sim/events.ts";
import type { Note } from "../../trace/view.ts";

export interface NoteMade {
  readonly what: string;
  readonly figures: Note["figures"];
}

export function labNote({ process, event }: TraceEvent): NoteMade | null {
  if (process === null) return null;
  const told = event as LabEvent | ResourceEvent;
  const who = clientName(process);
  switch (told.type) {
    case "lock-believes":
      return told.holds
        ? { what: told.token === null ? "lab-believes" : "lab-believes-token", figures: { who, token: told.token } }
        : { what: "lab-lets-go", figures: { who } };
    case "notified":
      return { what: "lab-woken", figures: { who, what: told.what } };
    case "program-failed":
      return { what: "lab-failed", figures: { who, error: told.error } };
    case "resource-wrote":
      return { what: "lab-wrote", figures: { who: clientName(told.client), value: told.value } };
    case "resource-refused":
      return {
        what: "lab-refused",
        figures: { who: clientName(told.client), token: told.token, greatest: told.greatest },
      };
    default:
      return null;
  }
}
