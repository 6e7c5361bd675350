import { describe, expect, it } from "vitest";
import type { LabClientView, LabView, ProcessId, QueuePlace } from "../../engine/index.ts";
import { letterOf, rowsOf } from "./lock-facts.ts";

const client = (id: string, given: Partial<LabClientView> = {}): LabClientView => ({
  id: id as ProcessId,
  liveness: "running",
  program: "p",
  threads: [],
  state: "waiting",
  knows: [],
  believes: false,
  token: null,
  identity: null,
  deadline: null,
  held: false,
  error: null,
  notifications: 0,
  ...given,
});
const place = (identity: string, owner: string, watches: string | null = null): QueuePlace => ({
  identity,
  client: owner as ProcessId,
  order: 1,
  watches,
  expiresAt: null,
  renewedAt: null,
  span: null,
});
const lab = (clients: readonly LabClientView[], queue: readonly QueuePlace[]): LabView => ({
  servers: [],
  primaries: [],
  lab: "etcd-fair",
  variant: "mended",
  startsAt: 0,
  lock: "/lock/",
  clients,
  queue,
  believed: [],
  held:
    queue[0] === undefined
      ? []
      : [{ client: queue[0].client, identity: queue[0].identity, token: "1", from: 0, to: null, event: 1 }],
  overlaps: [],
  resource: null,
  notifications: 0,
  messages: 0,
  withoutHolder: 0,
  outOfTurn: 0,
});

describe("who stands how", () => {
  it("tells belief from truth: the first of the queue who believes holds, another who believes is deceived", () => {
    const rows = rowsOf(lab([client("c1", { believes: true }), client("c2", { believes: true })], [place("b", "c2")]));
    expect(rows.map(({ standing }) => standing)).toEqual(["deceived", "holds"]);
    expect(rows.map((row) => row.client?.id)).toEqual(["c1", "c2"]);
  });

  it("the first of the queue who waits on is unaware, and the next one's arrow leads to it", () => {
    const rows = rowsOf(lab([client("c1"), client("c2")], [place("a", "c1"), place("b", "c2", "a")]));
    expect(rows.map(({ standing }) => standing)).toEqual(["unaware", "waits"]);
    expect(rows[1]?.watches).toEqual({ row: 0, client: "c1" });
  });

  it("a row that says what it said before is the same object, wherever it stands now", () => {
    const [a, b] = [client("c1"), client("c2")];
    const before = rowsOf(lab([a, b], [place("a", "c1"), place("b", "c2")]));
    const same = rowsOf(lab([a, b], [place("a", "c1"), place("b", "c2")]));
    expect(same).toBe(before);
    const moved = rowsOf(lab([a, b, client("c3")], [place("z", "c3"), place("a", "c1"), place("b", "c2")]));
    expect(moved[2]).toBe(before[1]);
  });

  it("letters go on after Z", () => {
    expect(["c1", "c26", "c27", "c50"].map((id) => letterOf(id as ProcessId))).toEqual(["A", "Z", "AA", "AX"]);
  });
});
