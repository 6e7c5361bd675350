import { describe, expect, it } from "vitest";
import type { ProcessId } from "../sim/command.ts";
import type { Entry, EntryId, Message, NodeId } from "../raft/types.ts";
import type { ReplicaEvent } from "../replica/events.ts";
import type { TraceEvent, WorldEvent } from "../sim/events.ts";
import { TraceHash } from "./hash.ts";

const [N1, N2] = ["n1", "n2"] as readonly string[] as readonly [ProcessId, ProcessId];
const [P1, P2] = ["n1", "n2"] as readonly string[] as readonly [NodeId, NodeId];
const ID: EntryId = { term: 3, index: 4 };
const DATA = new Uint8Array([1, 2]);

const BODIES: readonly Message[] = [
  {
    type: "AppendEntries",
    from: P1,
    to: P2,
    term: 3,
    prev: ID,
    entries: [{ ...ID, type: "normal", data: DATA }],
    leaderCommit: 9,
  },
  { type: "AppendEntriesReply", from: P1, to: P2, term: 3, rejected: true, index: 7, hint: ID },
  { type: "Heartbeat", from: P1, to: P2, term: 3, leaderCommit: 9, context: "c" },
  { type: "HeartbeatReply", from: P1, to: P2, term: 3, context: null },
  { type: "RequestVote", from: P1, to: P2, term: 3, pre: false, last: ID, transfer: false },
];

const SENT = { type: "sent", message: 1, to: N2, arrivesAt: 5_000_000_000, lost: null, copyOf: null } as const;

const EVENTS: readonly (WorldEvent | ReplicaEvent)[] = [
  { type: "delivered", message: 1, from: N1 },
  ...BODIES.map((body) => ({ ...SENT, body, segment: null })),
  { ...SENT, body: null, segment: { part: "data", connection: "c1/1/1", seq: 1, data: { request: 1 } } },
  { type: "wrote", file: "wal-00000001", bytes: 10 },
  { type: "sync-began", token: 1, endsAt: 10 },
  { type: "synced", token: 1 },
  { type: "woke" },
  { type: "lost", message: 1, why: "loss" },
  { type: "timer-set", timer: "election", firesIn: 5 },
  {
    type: "persist-begun",
    hardState: { term: 1, vote: P1, commit: 3 },
    entries: { first: ID, last: ID },
    snapshot: ID,
  },
  { type: "entries-shown", entries: [{ ...ID, type: "normal", label: "x", request: "n1/1/1" }] },
  { type: "match-advanced", peer: P1, match: 3, next: 4 },
  { type: "stable-advanced", from: 3, to: 4 },
  { type: "commit-advanced", from: 3, to: 4 },
  { type: "apply-handed-out", from: 3, to: 4 },
  { type: "applied", from: 3, to: 4 },
  { type: "command-applied", index: 3, label: "x", summary: null },
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
  else if (typeof value === "boolean") yield !value;
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

  it("changes when an entry is a refused change of membership", () => {
    const sent = (entry: Partial<Entry>): object => {
      const [append] = BODIES;
      return {
        ...SENT,
        body: { ...append, entries: [{ ...ID, type: "normal", data: DATA, ...entry }] },
        segment: null,
      };
    };
    expect(hashOf(sent({ refused: true }))).not.toBe(hashOf(sent({})));
  });

  it("tells apart what begins to be written though the figures are the same, in the same order", () => {
    const id = (term: number, index: number) => ({ term, index });
    const begun = { type: "persist-begun", hardState: null, entries: null, snapshot: null };
    const state = { ...begun, hardState: { term: 4, commit: 9, vote: null }, snapshot: id(5, 4) };
    const entries = { ...begun, entries: { first: id(9, 4), last: id(4, 5) } };
    expect(hashOf(state)).not.toBe(hashOf(entries));
  });

  it("tells the kinds of events apart", () => {
    expect(new Set(EVENTS.map((event) => hashOf(event))).size).toBe(EVENTS.length);
  });

  it.each([{ id: 2 }, { cause: 1 }, { at: 5_000_000_000 }, { process: N2 }, { process: null }, { incarnation: 2 }])(
    "changes with when, where and why: %o",
    (header) => expect(hashOf({ type: "woke" }, header)).not.toBe(hashOf({ type: "woke" })),
  );

  it("is the same when it is taken up again from its state at any event", () => {
    const events = [N1, null, N2, N2, null].map((process, i) => {
      const event: object = { type: "woke" };
      return { id: i + 1, cause: i, at: 10 * i, process, incarnation: process === null ? 0 : 1, event };
    });
    const whole = new TraceHash();
    for (const event of events) whole.add(event);
    for (let cut = 0; cut <= events.length; cut += 1) {
      const first = new TraceHash();
      for (const event of events.slice(0, cut)) first.add(event);
      const second = new TraceHash(first.state());
      for (const event of events.slice(cut)) second.add(event);
      expect(second.digits()).toBe(whole.digits());
    }
  });

  it("tells apart whether events of a round follow each other at one moment, or a later one comes later", () => {
    const hashes = [0, 1, 5_000_000_000].map((later) => {
      const hash = new TraceHash();
      for (const at of [7, 7 + later])
        hash.add({ id: 1, cause: 0, at, process: N1, incarnation: 1, event: { type: "woke" } });
      return hash.digits();
    });
    expect(new Set(hashes).size).toBe(hashes.length);
  });

  it("tells numbers apart whose low 32 bits are the same", () => {
    const moments = [-1, 2 ** 32 - 1, 2 ** 33 - 1, Number.MAX_SAFE_INTEGER, 0, 2 ** 32];
    expect(new Set(moments.map((at) => hashOf({ type: "woke" }, { at }))).size).toBe(moments.length);
  });

  it("leaves out a stack, which each browser words in its own way", () => {
    const panicked = { type: "panicked", lostBytes: 0, message: "no", stack: "here" };
    expect(hashOf({ ...panicked, stack: "there" })).toBe(hashOf(panicked));
  });
});
