import { describe, expect, it } from "vitest";
import { WatchCreateRequest, type WatchResponse } from "../api/messages.ts";
import { create } from "../api/proto.ts";
import type { Compat } from "../mvcc/mvcc.ts";
import { Bench, op, txnOf } from "../testing.ts";
import { type Told, Watchable } from "./watchable.ts";

/** A store with one stream of watches on it. */
class Watching {
  readonly bench: Bench;
  readonly watchable: Watchable;
  readonly told: Told[] = [];

  constructor(compat: Compat = "3.5") {
    this.bench = new Bench({ compat });
    this.watchable = new Watchable(this.bench.state.mvcc, compat);
    this.watchable.openStream("s");
  }

  watch(key: string, given: Partial<WatchCreateRequest> = {}, stream = "s"): WatchResponse {
    return this.watchable.create(stream, create(WatchCreateRequest, { key, ...given }));
  }

  apply(request: Parameters<Bench["apply"]>[0]): void {
    this.told.push(...this.watchable.notify(this.bench.apply(request).changes));
  }

  put(key: string, value = ""): void {
    this.apply({ put: { key, value, lease: "0" as never, prevKv: false, ignoreValue: false, ignoreLease: false } });
  }

  del(key: string, rangeEnd = ""): void {
    this.apply({ deleteRange: { key, rangeEnd, prevKv: false } });
  }

  sync(): void {
    this.told.push(...this.watchable.sync());
  }

  /** What was told since the last time: watch, revision of the answer, events as `+key@revision` and `-key@revision`. */
  heard(): readonly string[] {
    return this.told.splice(0).map(({ response: { watchId, header, events, canceled, compactRevision } }) => {
      if (canceled) return `${watchId} canceled, compacted at ${compactRevision}, @${header?.revision}`;
      const shown = events.map(({ type, kv }) => `${type === "PUT" ? "+" : "-"}${kv?.key}@${kv?.modRevision}`);
      return `${watchId} @${header?.revision}: ${shown.join(" ")}`;
    });
  }
}

describe("what a watch is told", () => {
  it("one that starts now hears of each transaction behind the revision of its answer", () => {
    const w = new Watching();
    w.put("a", "1");
    expect(w.watch("a")).toMatchObject({ created: true, watchId: 0, header: { revision: 2 } });
    w.put("a", "2");
    w.put("b", "1");
    w.del("a");
    expect(w.heard()).toEqual(["0 @3: +a@3", "0 @5: -a@5"]);
  });

  it("a delete has the key and the revision, nothing else", () => {
    const w = new Watching();
    w.put("a", "1");
    w.watch("a");
    w.del("a");
    expect(w.told[0]?.response.events[0]?.kv).toEqual({
      key: "a",
      createRevision: 0,
      modRevision: 3,
      version: 0,
      value: "",
      lease: "0",
    });
  });

  it("all of its changes of one transaction come together, in their order", () => {
    const w = new Watching();
    w.watch("a", { rangeEnd: "c" });
    w.apply({ txn: txnOf({ success: [op.put("b"), op.put("x"), op.put("a")] }) });
    expect(w.heard()).toEqual(["0 @2: +b@2 +a@2"]);
  });

  it("a key, a span, a prefix and from a key on; an empty key is the first", () => {
    const w = new Watching();
    w.watch("b");
    w.watch("a", { rangeEnd: "b" });
    w.watch("b", { rangeEnd: "\0" });
    w.watch("", { rangeEnd: "\0" });
    for (const key of ["a", "b", "ba"]) w.put(key);
    expect(w.heard()).toEqual([
      "1 @2: +a@2",
      "3 @2: +a@2",
      "0 @3: +b@3",
      "2 @3: +b@3",
      "3 @3: +b@3",
      "2 @4: +ba@4",
      "3 @4: +ba@4",
    ]);
  });

  it("filters leave out puts or deletes, and an answer without events is none; unknown filters filter nothing", () => {
    const w = new Watching();
    w.watch("a", { filters: ["NOPUT"] });
    w.watch("a", { filters: ["NODELETE"] });
    w.watch("a", { filters: ["UNRECOGNIZED"] });
    w.put("a");
    w.del("a");
    expect(w.heard()).toEqual(["1 @2: +a@2", "2 @2: +a@2", "0 @3: -a@3", "2 @3: -a@3"]);
  });

  it("prev_kv is the value before; not for a new key, and not when it is compacted", () => {
    const w = new Watching();
    w.put("a", "1");
    w.put("a", "2");
    w.put("a", "3");
    w.watch("a", { startRevision: 2, prevKv: true });
    w.bench.compact(3);
    w.sync();
    w.heard();
    w.watch("a", { startRevision: 3, prevKv: true });
    w.sync();
    const events = w.told.flatMap(({ response }) => response.events);
    expect(events.map(({ kv, prevKv }) => [kv?.value, prevKv?.value])).toEqual([
      ["2", undefined],
      ["3", "2"],
    ]);
  });
});

describe("starting in the past or in the future", () => {
  it("from a past revision it hears of all since, in one go with the revision of now, and then of what comes", () => {
    const w = new Watching();
    for (const value of ["1", "2", "3"]) w.put("a", value);
    w.watch("a", { startRevision: 3 });
    w.put("a", "4");
    expect(w.heard()).toEqual([]);
    expect(w.watchable.lags).toBe(true);
    w.sync();
    w.put("a", "5");
    expect(w.heard()).toEqual(["0 @5: +a@3 +a@4 +a@5", "0 @6: +a@6"]);
  });

  it("from a future revision it hears of nothing before", () => {
    const w = new Watching();
    w.watch("a", { startRevision: 4 });
    for (let i = 0; i < 4; i += 1) w.put("a");
    expect(w.heard()).toEqual(["0 @4: +a@4", "0 @5: +a@5"]);
  });

  it("from a compacted one it is told so, with no revision, and keeps its id until its client gives it up", () => {
    const w = new Watching();
    for (let i = 0; i < 3; i += 1) w.put("a");
    w.bench.compact(3);
    w.watch("a", { startRevision: 2, watchId: 7 });
    w.sync();
    expect(w.heard()).toEqual(["7 canceled, compacted at 3, @0"]);
    w.put("a");
    expect(w.heard()).toEqual([]);
    expect(w.watch("a", { watchId: 7 })).toMatchObject({ watchId: -1, canceled: true });
    expect(w.watchable.cancel("s", 7)).toMatchObject({ watchId: 7, canceled: true });
    expect(w.watch("a", { watchId: 7 })).toMatchObject({ watchId: 7, canceled: false });
  });

  it("3.5.18: from the compacted revision itself a delete at it is heard of; before, it was lost", () => {
    for (const [compat, heard] of [
      ["3.5", ["0 @3: -a@3"]],
      ["3.4", []],
    ] as const) {
      const w = new Watching(compat);
      w.put("a");
      w.del("a");
      w.bench.compact(3);
      w.watch("a", { startRevision: 3 });
      w.sync();
      expect(w.heard()).toEqual(heard);
    }
  });

  it("3.5.24: a negative revision is refused as compacted; before, it waits for nothing and is told of compaction", () => {
    const w = new Watching();
    expect(w.watch("a", { startRevision: -1 })).toMatchObject({
      watchId: -1,
      created: true,
      canceled: true,
      cancelReason: "etcdserver: mvcc: required revision has been compacted",
    });
    expect(new Watching("3.4").watch("a", { startRevision: -1 })).toMatchObject({ watchId: 0, canceled: false });
  });
});

describe("catching up", () => {
  it("a thousand revisions at a time, never part of one, none twice, none missed", () => {
    const w = new Watching();
    for (let i = 0; i < 2_500; i += 1) w.apply({ txn: txnOf({ success: [op.put("a"), op.put("b")] }) });
    w.watch("a", { rangeEnd: "c", startRevision: 1 });
    const sizes: number[] = [];
    const seen: string[] = [];
    while (w.watchable.lags) {
      w.sync();
      w.put("b");
      const events = w.told.splice(0).flatMap(({ response }) => response.events);
      sizes.push(events.length);
      seen.push(...events.map(({ kv }) => `${kv?.modRevision} ${kv?.key}`));
    }
    // The put that came after it had caught up is told at once.
    expect(sizes).toEqual([2_000, 2_000, 1_003]);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toHaveLength(5_003);
  });

  it("what it does not watch does not count", () => {
    const w = new Watching();
    for (let i = 0; i < 3_000; i += 1) w.put("other");
    w.put("a");
    w.watch("a", { startRevision: 1 });
    w.sync();
    expect(w.heard()).toEqual(["0 @3002: +a@3002"]);
    expect(w.watchable.lags).toBe(false);
  });

  it("512 watches at a time; who still lags stands behind the others", () => {
    const w = new Watching();
    for (let i = 0; i < 1_500; i += 1) w.put("a");
    w.watch("a", { startRevision: 1 });
    for (let i = 0; i < 600; i += 1) w.watch("a", { startRevision: 1_500 });
    w.sync();
    expect(new Set(w.told.splice(0).map(({ response }) => response.watchId)).size).toBe(512);
    w.sync();
    expect(w.told.map(({ response }) => response.watchId)).toEqual([
      ...Array.from({ length: 89 }, (_, i) => 512 + i),
      0,
    ]);
    expect(w.watchable.lags).toBe(false);
  });
});

describe("ids", () => {
  it("automatic ones rise and do not come again, not even after a cancel, and step over chosen ones", () => {
    const w = new Watching();
    w.watch("a", { watchId: 1 });
    expect([w.watch("a").watchId, w.watch("a").watchId]).toEqual([0, 2]);
    w.watchable.cancel("s", 2);
    expect(w.watch("a").watchId).toBe(3);
  });

  it("a taken one is refused, created and canceled at once; the first watch stays", () => {
    const w = new Watching();
    w.watch("a", { watchId: 5 });
    expect(w.watch("b", { watchId: 5 })).toMatchObject({
      watchId: -1,
      created: true,
      canceled: true,
      cancelReason: "mvcc: duplicate watch ID provided on the WatchStream",
    });
    w.put("a");
    expect(w.heard()).toEqual(["5 @2: +a@2"]);
  });

  it("streams have their own; a closed one's watches hear nothing", () => {
    const w = new Watching();
    w.watchable.openStream("t");
    expect([w.watch("a").watchId, w.watch("a", {}, "t").watchId]).toEqual([0, 0]);
    w.watchable.closeStream("s");
    w.put("a");
    expect(w.told.map(({ stream }) => stream)).toEqual(["t"]);
    expect(w.watchable.count).toBe(1);
  });

  it("an unknown one cannot be canceled, and nothing is answered", () => {
    expect(new Watching().watchable.cancel("s", 3)).toBeNull();
  });

  it("an empty span is refused, from a key on is not", () => {
    const w = new Watching();
    for (const rangeEnd of ["b", "a"])
      expect(w.watch("b", { rangeEnd })).toMatchObject({ watchId: -1, cancelReason: "mvcc: watcher range is empty" });
    expect(w.watch("b", { rangeEnd: "\0" }).canceled).toBe(false);
  });
});

describe("progress", () => {
  it("3.5.8: a request is answered once all watches of the stream are synced, and only if there are any", () => {
    const w = new Watching();
    expect(w.watchable.progress("s")).toBeNull();
    w.put("a");
    w.watch("a");
    expect(w.watchable.progress("s")).toMatchObject({ watchId: -1, header: { revision: 2 }, events: [] });
    w.watch("a", { startRevision: 1 });
    expect(w.watchable.progress("s")).toBeNull();
    w.sync();
    expect(w.watchable.progress("s")).not.toBeNull();
  });

  it("3.5.22: none while a watch waits for a revision that is still to come; 3.4 answers", () => {
    const progressOf = (compat: Compat): readonly (number | null)[] => {
      const it = new Watching(compat);
      it.watch("a", { startRevision: 3, progressNotify: true });
      const early = [it.watchable.progress("s"), it.watchable.notifyProgress()[0]?.response ?? null];
      it.put("b");
      it.put("b");
      const later = [it.watchable.progress("s"), it.watchable.notifyProgress()[0]?.response ?? null];
      return [...early, ...later].map((response) => response?.header?.revision ?? null);
    };
    expect(progressOf("3.5")).toEqual([null, null, 3, 3]);
    expect(progressOf("3.4")).toEqual([1, 1, 3, 3]);
  });

  it("3.4 answers at once, ahead of events that are still to come", () => {
    const w = new Watching("3.4");
    w.put("a");
    w.watch("a", { startRevision: 1 });
    expect(w.watchable.progress("s")).toMatchObject({ watchId: -1, header: { revision: 2 } });
  });

  it("notifications go to synced watches that asked for them and were sent nothing in between", () => {
    const w = new Watching();
    w.watch("a", { progressNotify: true });
    w.watch("b", { progressNotify: true });
    w.watch("b");
    w.put("a");
    w.watch("a", { progressNotify: true, startRevision: 1 });
    w.told.length = 0;
    const notified = () =>
      w.watchable.notifyProgress().map(({ response: { watchId, header } }) => [watchId, header?.revision]);
    expect(notified()).toEqual([[1, 2]]);
    expect(notified()).toEqual([
      [0, 2],
      [1, 2],
    ]);
  });
});

describe("a store that a snapshot replaced", () => {
  it("all catch up, each from what it wants next; what they were told does not come again", () => {
    const w = new Watching();
    w.put("a", "1");
    w.watch("a");
    w.put("a", "2");
    w.heard();
    const ahead = new Bench();
    for (let i = 0; i < 5; i += 1) ahead.put("a", String(i));
    w.bench.state.restore(ahead.state.snapshot());
    w.watchable.restored();
    expect(w.heard()).toEqual([]);
    w.sync();
    w.put("a");
    expect(w.heard()).toEqual(["0 @6: +a@4 +a@5 +a@6", "0 @7: +a@7"]);
  });

  it("3.5.22: one from a future revision still hears of nothing before it", () => {
    const w = new Watching();
    w.watch("a", { startRevision: 9 });
    const ahead = new Bench();
    for (let i = 0; i < 5; i += 1) ahead.put("a", String(i));
    w.bench.state.restore(ahead.state.snapshot());
    w.watchable.restored();
    w.sync();
    for (let i = 0; i < 3; i += 1) w.put("a");
    expect(w.heard()).toEqual(["0 @9: +a@9"]);
  });

  it("when what is next is compacted, it is told so", () => {
    const w = new Watching();
    w.watch("a");
    const ahead = new Bench();
    for (let i = 0; i < 5; i += 1) ahead.put("a", String(i));
    ahead.compact(5);
    w.bench.state.restore(ahead.state.snapshot());
    w.watchable.restored();
    w.sync();
    expect(w.heard()).toEqual(["0 canceled, compacted at 5, @0"]);
  });
});

describe("state", () => {
  it("goes on from a checkpoint as if it had never stopped: who is told what, in which order", () => {
    const w = new Watching();
    for (let i = 0; i < 2_100; i += 1) w.put(`k${i % 3}`);
    // The first created is the last to be synced.
    w.watch("k", { rangeEnd: "l", startRevision: 1 });
    w.watch("k1");
    w.watch("k", { rangeEnd: "l" });
    w.watch("k0", { startRevision: 2_000 });
    w.sync();
    w.told.length = 0;
    const other = new Watchable(w.bench.state.mvcc, "3.5");
    other.resume(structuredClone(w.watchable.checkpoint()));
    for (let round = 0; round < 4; round += 1) {
      expect(other.sync()).toEqual(w.watchable.sync());
      const { changes } = w.bench.apply({ txn: txnOf({ success: [op.put("k1"), op.put("k0")] }) });
      expect(other.notify(changes)).toEqual(w.watchable.notify(changes));
      expect(other.checkpoint()).toEqual(w.watchable.checkpoint());
    }
  });
});
