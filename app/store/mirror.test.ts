import { describe, expect, it } from "vitest";
import {
  type Delta,
  type Flight,
  type LabClientView,
  type LabView,
  type LogCell,
  type MemberView,
  type Note,
  NOTES_KEPT,
  type ProcessId,
} from "../../engine/index.ts";
import { isProcessId } from "./ids.ts";
import { applyDelta, EMPTY_MIRROR, type Mirror } from "./mirror.ts";

function id(text: string): ProcessId {
  if (!isProcessId(text)) throw new Error(`no id: ${text}`);
  return text;
}

function member(part: Partial<MemberView> & { readonly id: ProcessId }): MemberView {
  return {
    incarnation: 1,
    liveness: "running",
    panic: null,
    role: "follower",
    term: 1,
    votedFor: null,
    leader: null,
    ballots: null,
    timer: { kind: "election", setAt: 0, firesAt: 150_000 },
    conf: null,
    commit: 0,
    applied: 0,
    durable: 0,
    lastIndex: 0,
    value: null,
    progress: null,
    fsyncs: 0,
    diskBytes: 0,
    ...part,
  };
}

function flight(message: number): Flight {
  return {
    id: message,
    kind: "append",
    from: id("n1"),
    to: id("n2"),
    term: 1,
    sentAt: 10,
    heldAt: null,
    arrivesAt: 20,
    lost: null,
    copyOf: null,
    entryTerms: [],
    entryCount: 0,
    figures: {},
  };
}

function note(event: number): Note {
  return { event, at: event, process: null, what: "elected", figures: {} };
}

const cell = (term: number): LogCell => ({ term, kind: "write", label: `t${term}` });
const delta = (part: Partial<Delta>): Delta => ({ whole: false, at: 1, n: 1, ...part });
/** Structured clone is what a worker does to everything it sends. */
const posted = <T>(value: T): T => structuredClone(value);

const two: Mirror = applyDelta(
  EMPTY_MIRROR,
  delta({
    whole: true,
    members: [member({ id: id("n1") }), member({ id: id("n2"), term: 3 })],
    logs: { n1: { from: 1, firstIndex: 1, cells: [cell(1), cell(1), cell(2)] } },
    flights: [flight(1), flight(2)],
    cuts: ["n1>n2"],
    notes: [note(1)],
    reigns: { from: 0, reigns: [{ leader: id("n1"), term: 1, from: 0, to: null }] },
  }),
);

describe("applyDelta", () => {
  it("keeps every part's identity when only the clock moved", () => {
    const after = applyDelta(two, delta({ at: 5, n: 2 }));
    expect(after).toMatchObject({ at: 5, n: 2 });
    expect({ ...after, at: two.at, n: two.n }).toStrictEqual(two);
    for (const key of Object.keys(two).filter((name) => name !== "at" && name !== "n"))
      expect(Reflect.get(after, key)).toBe(Reflect.get(two, key));
  });

  it("changes one member and leaves the others, and the unchanged fields of the changed one, as they were", () => {
    const after = applyDelta(two, delta({ members: [posted(member({ id: id("n2"), term: 4 }))] }));
    expect(after.members.get(id("n1"))).toBe(two.members.get(id("n1")));
    expect(after.members.get(id("n2"))?.term).toBe(4);
    expect(after.members.get(id("n2"))?.timer).toBe(two.members.get(id("n2"))?.timer);
    expect(after.memberIds).toBe(two.memberIds);
  });

  it("a keyframe that says the same changes nothing", () => {
    const keyframe = posted(
      delta({
        whole: true,
        at: two.at,
        n: two.n,
        members: [...two.members.values()],
        logs: { n1: { from: 1, firstIndex: 1, cells: two.logs.get(id("n1"))?.cells ?? [] } },
        flights: [...two.flights.values()],
        cuts: [...two.cuts],
        notes: two.notes,
        reigns: { from: 0, reigns: two.reigns },
      }),
    );
    const after = applyDelta(two, keyframe);
    for (const key of Object.keys(two)) expect(Reflect.get(after, key)).toBe(Reflect.get(two, key));
  });

  it("a keyframe forgets what it does not name", () => {
    const after = applyDelta(two, delta({ whole: true, members: [member({ id: id("n3") })] }));
    expect(after.memberIds).toStrictEqual(["n3"]);
    expect(after.logs.size + after.flights.size + after.cuts.size + after.notes.length + after.reigns.length).toBe(0);
  });

  it("takes away members that are gone and messages that have landed", () => {
    const after = applyDelta(two, delta({ gone: [id("n1")], landed: [1] }));
    expect(after.memberIds).toStrictEqual(["n2"]);
    expect(after.logs.has(id("n1"))).toBe(false);
    expect([...after.flights.keys()]).toStrictEqual([2]);
  });

  it("lists n2 before n10", () => {
    const after = applyDelta(two, delta({ members: [member({ id: id("n10") })] }));
    expect(after.memberIds).toStrictEqual(["n1", "n2", "n10"]);
  });

  it("replaces a log's tail from the named index on, which is how conflicting entries go", () => {
    const after = applyDelta(two, delta({ logs: { n1: { from: 3, firstIndex: 1, cells: [cell(4), cell(4)] } } }));
    expect(after.logs.get(id("n1"))?.cells.map(({ term }) => term)).toStrictEqual([1, 1, 4, 4]);
    expect(after.logs.get(id("n1"))?.cells[0]).toBe(two.logs.get(id("n1"))?.cells[0]);
  });

  it("moves a log's window forwards, and back to nothing when the disk was wiped", () => {
    const moved = applyDelta(two, delta({ logs: { n1: { from: 4, firstIndex: 3, cells: [cell(5)] } } }));
    expect(moved.logs.get(id("n1"))).toStrictEqual({ firstIndex: 3, cells: [cell(2), cell(5)] });
    const wiped = applyDelta(moved, delta({ logs: { n1: { from: 1, firstIndex: 1, cells: [] } } }));
    expect(wiped.logs.get(id("n1"))).toStrictEqual({ firstIndex: 1, cells: [] });
  });

  it("refuses a log change that would leave a gap: that is a bug of ours", () => {
    expect(() => applyDelta(two, delta({ logs: { n1: { from: 9, firstIndex: 1, cells: [] } } }))).toThrow(/gap/);
  });

  it("ends a reign in place and keeps the latest notes", () => {
    const reign = { leader: id("n1"), term: 1, from: 0, to: 7 };
    const many = Array.from({ length: NOTES_KEPT + 5 }, (_, i) => note(i + 2));
    const after = applyDelta(two, delta({ reigns: { from: 0, reigns: [reign] }, notes: many }));
    expect(after.reigns).toStrictEqual([reign]);
    expect(after.notes).toHaveLength(NOTES_KEPT);
    expect(after.notes.at(-1)?.event).toBe(NOTES_KEPT + 6);
  });

  it("leaves what it was given untouched", () => {
    const before = structuredClone({ members: two.members, logs: two.logs, flights: two.flights });
    applyDelta(two, delta({ members: [member({ id: id("n1"), term: 9 })], landed: [1], gone: [id("n2")] }));
    expect({ members: two.members, logs: two.logs, flights: two.flights }).toStrictEqual(before);
  });
});

describe("a lock lab", () => {
  const client = (name: string, believes: boolean) => ({ id: id(name), believes }) as LabClientView;
  const lab = {
    lab: "redlock",
    messages: 1,
    clients: [client("c1", false), client("c2", false)],
  } as unknown as LabView;
  const before = applyDelta(two, delta({ whole: true, lab }));

  it("takes over the fields and the clients that changed, and keeps the others as they are", () => {
    const after = applyDelta(before, delta({ lab: { messages: 2, clients: [client("c2", true)] } }));
    expect(after.lab).toMatchObject({ lab: "redlock", messages: 2 });
    expect(after.lab?.clients.map(({ believes }) => believes)).toEqual([false, true]);
    expect(after.lab?.clients[0]).toBe(before.lab?.clients[0]);
  });
  it("is as it was where nothing is told of it, and gone where a keyframe does not tell of it", () => {
    expect(applyDelta(before, delta({})).lab).toBe(before.lab);
    expect(applyDelta(before, delta({ whole: true })).lab).toBeNull();
  });
});
