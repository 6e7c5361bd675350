import { describe, expect, it } from "vitest";
import * as m from "../etcd/api/messages.ts";
import { create } from "../etcd/api/proto.ts";
import { EMPTY_STORE, ETCD_MODEL, eventsOf, type StoreInput, type StoreState } from "./etcd-model.ts";
import { watchBreaches, type WatchGuarantee, type WatchResponseSeen } from "./watch-guarantees.ts";

const put = (key: string, value: string): StoreInput => ({
  method: "KV/Put",
  body: create(m.PutRequest, { key, value }),
});
const two: StoreInput = {
  method: "KV/Txn",
  body: {
    compare: [],
    success: ["a", "b"].map((key) => create(m.RequestOp, { requestPut: create(m.PutRequest, { key, value: "t" }) })),
    failure: [],
  },
};

/** Revisions 2: a=1, 3: a=2, 4: a=t and b=t, 5: a deleted, 6: a=3. */
const last: StoreState = [
  put("a", "1"),
  put("a", "2"),
  two,
  { method: "KV/DeleteRange", body: create(m.DeleteRangeRequest, { key: "a" }) } as const,
  put("a", "3"),
].reduce<StoreState>((state, input) => ETCD_MODEL.step(state, input, null) ?? state, EMPTY_STORE);

const [a1, a2, a4, b4, gone, a6] = eventsOf(last) as [m.Event, m.Event, m.Event, m.Event, m.Event, m.Event];

const said = (revision: number, ...events: m.Event[]): WatchResponseSeen => ({
  header: create(m.ResponseHeader, { revision }),
  events,
});

function broken(
  responses: readonly WatchResponseSeen[],
  given: Partial<m.WatchCreateRequest> = {},
): readonly WatchGuarantee[] {
  const request = create(m.WatchCreateRequest, { key: "a", rangeEnd: "c", startRevision: 2, ...given });
  const watch = { client: "c1", request, from: request.startRevision, responses };
  return [...new Set(watchBreaches(last, [watch]).map(({ guarantee }) => guarantee))];
}

describe("watch guarantees", () => {
  it("all hold when everything comes once and in order", () => {
    expect(broken([said(3, a1, a2), said(4, a4, b4), said(4), said(6, gone, a6), said(6)])).toEqual([]);
  });

  it("filter: an event of another key, or of a kind that was filtered out", () => {
    expect(broken([said(4, b4)], { key: "a", rangeEnd: "", startRevision: 4 })).toContain("filter");
    expect(broken([said(5, gone)], { filters: ["NODELETE"], startRevision: 5 })).toContain("filter");
  });

  it("ordered: a revision that is older than one seen", () => {
    expect(broken([said(3, a2), said(2, a1)])).toContain("ordered");
  });

  it("unique: an event that comes twice", () => {
    expect(broken([said(2, a1), said(3, a2), said(3, a2)])).toContain("unique");
  });

  it("atomic: a revision that is split over two responses", () => {
    expect(broken([said(4, a4), said(4, b4)], { startRevision: 4 })).toEqual(["atomic"]);
  });

  it("bookmarkable: an event at or below the progress that was told, or progress that falls", () => {
    expect(broken([said(3), said(3, a1, a2)])).toContain("bookmarkable");
    expect(broken([said(3, a1, a2), said(3), said(2)])).toEqual(["bookmarkable"]);
    expect(broken([said(3, a1, a2), said(2)])).toEqual(["bookmarkable"]);
  });

  it("resumable: the first event is not the first from the start on", () => {
    expect(broken([said(3, a2)])).toEqual(["resumable"]);
    expect(broken([said(6)])).toEqual(["resumable"]);
  });

  it("reliable: an event between the first and the last is missing", () => {
    expect(broken([said(2, a1), said(4, a4, b4)])).toEqual(["reliable"]);
    expect(broken([said(2, a1), said(3)])).toEqual(["reliable"]);
  });

  it("prev-kv: a value before that was not the one before", () => {
    expect(broken([said(2, a1), said(3, { ...a2, prevKv: a6.kv })])).toEqual(["prev-kv"]);
    expect(broken([said(2, a1), said(3, { ...a2, prevKv: null })])).toEqual([]);
  });

  it("is-create: version 1 for a key that was there", () => {
    const wrong = { ...a2, kv: a2.kv === null ? null : { ...a2.kv, version: 1 } };
    expect(broken([said(2, a1), said(3, wrong)])).toEqual(["is-create"]);
  });
});
