import { describe, expect, it } from "vitest";
import type { ProcessId } from "../sim/command.ts";
import type { TraceEvent, WorldEvent } from "../sim/events.ts";
import { TraceHash } from "./hash.ts";

const [N1, N2] = ["n1", "n2"] as readonly string[] as readonly [ProcessId, ProcessId];

const EVENTS: readonly WorldEvent[] = [
  { type: "delivered", message: 1, from: N1 },
  {
    type: "sent",
    message: 1,
    to: N1,
    arrivesAt: 5_000_000_000,
    lost: null,
    copyOf: null,
    body: { type: "AppendEntries", entries: [{ term: 1, data: new Uint8Array([1, 2]) }] },
    segment: { part: "data", connection: "c1/1/1", seq: 1, data: { request: 1 } },
  },
  { type: "wrote", file: "wal-00000001", bytes: 10 },
  { type: "sync-began", token: 1, endsAt: 10 },
  { type: "synced", token: 1 },
  { type: "woke" },
  { type: "lost", message: 1, why: "loss" },
];

function hashOf(event: object, header: Partial<TraceEvent> = {}): string {
  const hash = new TraceHash();
  hash.add({ id: 1, cause: 0, at: 0, process: N1, incarnation: 1, event, ...header });
  return hash.digits();
}

/** Another value in place of each, wherever it stands. */
function* variants(value: unknown): Generator {
  if (typeof value === "number") yield value + 1;
  else if (typeof value === "string") yield `${value}x`;
  else if (value === null) yield "x";
  else if (value instanceof Uint8Array) yield new Uint8Array([...value, 0]);
  else if (typeof value === "object") {
    for (const [key, part] of Object.entries(value)) {
      if (key === "type") continue;
      for (const other of variants(part)) yield Array.isArray(value) ? [other] : { ...value, [key]: other };
    }
  }
}

describe("the hash of a trace", () => {
  it.each(EVENTS)("changes with every field of $type", (event) => {
    for (const other of variants(event)) expect(hashOf(other as object)).not.toBe(hashOf(event));
  });

  it("tells the kinds of events apart", () => {
    expect(new Set(EVENTS.map((event) => hashOf(event))).size).toBe(EVENTS.length);
  });

  it.each([{ id: 2 }, { cause: 1 }, { at: 5_000_000_000 }, { process: N2 }, { process: null }, { incarnation: 2 }])(
    "changes with when, where and why: %o",
    (header) => expect(hashOf({ type: "woke" }, header)).not.toBe(hashOf({ type: "woke" })),
  );

  it("leaves out a stack, which each browser words in its own way", () => {
    const panicked = { type: "panicked", lostBytes: 0, message: "no", stack: "here" };
    expect(hashOf({ ...panicked, stack: "there" })).toBe(hashOf(panicked));
  });
});
