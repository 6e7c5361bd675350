import { expect, it } from "vitest";
import type { ProcessId } from "../../sim/command.ts";
import type { TraceEvent } from "../../sim/events.ts";
import { Flights } from "./flights.ts";

const [N1, N2] = ["n1", "n2"] as readonly string[] as readonly [ProcessId, ProcessId];
const TRACED: TraceEvent = { id: 1, cause: 0, at: 0, process: N1, incarnation: 1, event: {} };
const SENT = { type: "sent", message: 1, to: N2, arrivesAt: 100, lost: null, copyOf: null, segment: null } as const;
const BODY = { type: "Heartbeat", from: "n1", to: "n2", term: 1, leaderCommit: 0, context: null };

function flights(): Flights {
  const made = new Flights(() => {
    throw new Error("no data is described here");
  });
  made.sent(TRACED, { ...SENT, body: BODY });
  return made;
}

it("a message that came and went between two pictures is in neither", () => {
  const made = flights();
  made.land(1);
  expect(made.takeChanges(100)).toEqual({ flights: [], landed: [] });
});

it("a message that was shown, has changed since and has landed is told as landed", () => {
  const made = flights();
  expect(made.takeChanges(0).flights).toMatchObject([{ id: 1, kind: "heartbeat", arrivesAt: 100 }]);
  made.stopped(50, 1);
  made.released(60, 1, 110);
  made.land(1);
  expect(made.takeChanges(120)).toEqual({ flights: [], landed: [1] });
});
