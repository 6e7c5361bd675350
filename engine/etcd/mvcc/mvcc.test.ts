import { describe, expect, it } from "vitest";
import { crc32c } from "../../base/bytes.ts";
import { toArray } from "../api/bytes.ts";
import { KeyValue } from "../api/messages.ts";
import { create, encode } from "../api/proto.ts";
import { Bench, op, rangeOf, textOf } from "../testing.ts";

const EVERYTHING = { rangeEnd: "\0" };

describe("revisions", () => {
  it("a fresh store is at 1 and was never compacted", () => {
    const { mvcc } = new Bench().state;
    expect([mvcc.revision, mvcc.compactRevision]).toEqual([1, -1]);
  });

  it("counts transactions that changed something: no reads, no deletes of nothing, no failed compares", () => {
    const bench = new Bench();
    bench.put("a", "1");
    bench.del("nothing");
    bench.txn({ success: [op.get("a"), op.del("nothing")] });
    bench.grant(1);
    expect(bench.revision).toBe(2);
  });

  it("all changes of one transaction share one, in the order of their sub-revisions", () => {
    const bench = new Bench();
    const { changes } = bench.apply({ txn: { compare: [], success: [op.put("b"), op.put("a")], failure: [] } });
    expect(changes.map(({ main, sub, kv }) => [main, sub, kv.key])).toEqual([
      [2, 0, "b"],
      [2, 1, "a"],
    ]);
  });

  it("the put after a delete begins a generation: version 1, a new create revision", () => {
    const bench = new Bench();
    bench.put("a", "1");
    bench.put("a", "2");
    bench.del("a");
    bench.put("a", "3");
    expect(bench.get("a").kvs).toMatchObject([{ createRevision: 5, modRevision: 5, version: 1, value: "3" }]);
    expect(bench.get("a", { revision: 3 }).kvs).toMatchObject([{ createRevision: 2, modRevision: 3, version: 2 }]);
    expect(bench.get("a", { revision: 4 }).kvs).toEqual([]);
  });

  it("a delete of a span deletes in the order of bytes, and gives what there was", () => {
    const bench = new Bench();
    for (const key of ["b", "a\xff", "a", "c"]) bench.put(key, key);
    const { changes, response } = bench.apply({ deleteRange: { key: "a", rangeEnd: "c", prevKv: true } });
    expect(changes.map(({ kv, tombstone }) => [kv.key, tombstone])).toEqual([
      ["a", true],
      ["a\xff", true],
      ["b", true],
    ]);
    expect(response).toMatchObject({ deleted: 3, prevKvs: [{ value: "a" }, { value: "a\xff" }, { value: "b" }] });
  });
});

describe("reads", () => {
  const bench = new Bench();
  for (const key of ["a", "b", "c"]) bench.put(key, "1");
  bench.put("a", "2");
  bench.compact(3);
  const read = (revision: number) => bench.state.range(rangeOf("a", { rangeEnd: "\0", revision }));

  it("revision 0 and less is now", () => {
    expect(read(0)).toMatchObject({ count: 3 });
    expect(read(-4)).toMatchObject({ count: 3 });
  });

  it("above now is a future revision, below the compacted one compacted, the compacted one itself is fine", () => {
    expect(textOf(read(6))).toBe("mvcc: required revision is a future revision");
    expect(textOf(read(2))).toBe("mvcc: required revision has been compacted");
    expect(read(3)).toMatchObject({ count: 2, header: { revision: 5 } });
  });

  it("an end of \\0 is from the key on, an empty one the key alone, an inverted span is empty", () => {
    expect(bench.get("b", EVERYTHING).count).toBe(2);
    expect(bench.get("b").count).toBe(1);
    expect(bench.get("b", { rangeEnd: "a" }).count).toBe(0);
  });
});

describe("compaction", () => {
  it("keeps what is live at the revision, and what came behind it", () => {
    const bench = new Bench();
    bench.put("a", "1");
    bench.put("a", "2");
    bench.put("b", "1");
    bench.del("b");
    bench.put("a", "3");
    bench.compact(5);
    expect(bench.all(5)).toEqual(["a=2"]);
    expect(bench.all()).toEqual(["a=3"]);
    expect(bench.state.mvcc.keyCount).toBe(2);
  });

  it("the same or a lower revision again is compacted, one that is to come a future one; 0 can be once", () => {
    const bench = new Bench();
    expect(textOf(bench.compact(0))).toBeNull();
    expect(textOf(bench.compact(0))).toBe("mvcc: required revision has been compacted");
    expect(textOf(bench.compact(2))).toBe("mvcc: required revision is a future revision");
    expect(textOf(bench.compact(-1))).toBe("mvcc: required revision has been compacted");
  });

  it("3.5.16: a tombstone at the compacted revision itself stays; before, it went", () => {
    for (const [compat, left] of [
      ["3.5", 1],
      ["3.4", 0],
    ] as const) {
      const bench = new Bench({ compat });
      bench.put("a", "1");
      bench.del("a");
      bench.compact(3);
      expect([compat, bench.state.mvcc.changesFrom(3).length]).toEqual([compat, left]);
      expect(bench.all()).toEqual([]);
    }
  });

  it("3.5.16: of a transaction that deletes a key and puts it again, both stay at its own revision", () => {
    const bench = new Bench();
    bench.put("a", "1");
    bench.txn({ success: [op.del("a", "\0"), op.put("a", "2")] });
    bench.compact(3);
    expect(bench.state.mvcc.changesFrom(3).map(({ tombstone }) => tombstone)).toEqual([true, false]);
    expect(bench.all()).toEqual(["a=2"]);
    bench.put("b", "1");
    bench.compact(4);
    expect(bench.all(4)).toEqual(["a=2", "b=1"]);
  });

  it("commits, and so does a defragmentation: their size tells of all before them", () => {
    const bench = new Bench();
    const { mvcc } = bench.state;
    const empty = mvcc.size;
    bench.put("a", "x".repeat(50_000));
    expect([mvcc.pending, mvcc.size]).toEqual([1, empty]);
    bench.compact(bench.revision);
    expect(mvcc.pending).toBe(0);
    expect(mvcc.size.total).toBeGreaterThan(empty.total + 50_000);
    bench.put("a", "1");
    const { total } = mvcc.size;
    mvcc.defragment();
    expect([mvcc.pending, mvcc.size.total]).toEqual([0, total]);
  });

  it("what is pending stays so over a checkpoint, and is committed in a store that was restored", () => {
    const bench = new Bench();
    bench.put("a", "x".repeat(50_000));
    const resumed = new Bench();
    resumed.state.resume(structuredClone(bench.state.checkpoint()));
    expect([resumed.state.mvcc.pending, resumed.state.mvcc.size]).toEqual([1, bench.state.mvcc.size]);
    const restored = new Bench();
    restored.state.restore(bench.state.snapshot());
    for (const { state } of [bench, resumed]) state.mvcc.commit();
    expect(resumed.state.mvcc.size).toEqual(bench.state.mvcc.size);
    expect([restored.state.mvcc.pending, restored.state.mvcc.size]).toEqual([0, bench.state.mvcc.size]);
  });

  it("frees pages, and a defragmentation gives them back", () => {
    const bench = new Bench();
    for (let i = 0; i < 50; i += 1) bench.put("a", "x".repeat(4_000));
    bench.state.mvcc.commit();
    const { total } = bench.state.mvcc.size;
    bench.compact(bench.revision);
    expect(bench.state.mvcc.size.total).toBe(total);
    expect(bench.state.mvcc.size.inUse).toBeLessThan(total / 4);
    bench.state.mvcc.defragment();
    expect(bench.state.mvcc.size.total).toBe(bench.state.mvcc.size.inUse);
  });
});

describe("HashKV", () => {
  /** As the research notes say it, from what this test itself knows of the changes. */
  const hashOf = (changes: readonly { main: number; sub: number; dead?: boolean; kv: Partial<KeyValue> }[]): number => {
    const bytes = [0x6b, 0x65, 0x79];
    for (const { main, sub, dead, kv } of changes) {
      const number = (n: number) => [0, 0, 0, 0, 0, 0, n >> 8, n & 255];
      bytes.push(...number(main), 0x5f, ...number(sub), ...(dead === true ? [0x74] : []));
      bytes.push(...encode(KeyValue, create(KeyValue, kv)));
    }
    return crc32c(toArray(String.fromCharCode(...bytes)));
  };
  const put = (main: number, key: string, value: string, version = 1, created = main) => ({
    main,
    sub: 0,
    kv: { key, value, createRevision: created, modRevision: main, version },
  });

  const bench = new Bench();
  bench.put("a", "1");
  bench.put("a", "2");
  bench.put("b", "1");
  bench.del("b");
  const tombstone = { main: 5, sub: 0, dead: true, kv: { key: "b" } };

  it("covers each change up to the asked revision", () => {
    const { mvcc } = bench.state;
    expect(mvcc.hash(0)).toEqual({
      hash: hashOf([put(2, "a", "1"), put(3, "a", "2", 2, 2), put(4, "b", "1"), tombstone]),
      compactRevision: -1,
      revision: 5,
    });
    expect(mvcc.hash(3)).toMatchObject({ hash: hashOf([put(2, "a", "1"), put(3, "a", "2", 2, 2)]) });
    expect(textOf(mvcc.hash(6))).toBe("mvcc: required revision is a future revision");
  });

  it("of what is compacted only what is still each key's newest counts, no tombstones: alike in 3.4 and 3.5", () => {
    for (const compat of ["3.4", "3.5"] as const) {
      const other = new Bench({ compat });
      other.state.mvcc.resume(bench.state.mvcc.checkpoint());
      other.compact(4);
      expect(other.state.mvcc.hash(0)).toMatchObject({
        hash: hashOf([put(3, "a", "2", 2, 2), tombstone]),
        compactRevision: 4,
      });
      other.put("c", "1");
      other.compact(5);
      expect(other.state.mvcc.hash(0)).toMatchObject({ hash: hashOf([put(3, "a", "2", 2, 2), put(6, "c", "1")]) });
    }
  });

  it("3.4 refuses the compacted revision itself, 3.5.10 takes it; below it both refuse", () => {
    const text = "mvcc: required revision has been compacted";
    for (const [compat, at] of [
      ["3.4", text],
      ["3.5", null],
    ] as const) {
      const other = new Bench({ compat });
      other.state.mvcc.resume(bench.state.mvcc.checkpoint());
      other.compact(4);
      expect(textOf(other.state.mvcc.hash(4))).toBe(at);
      expect(textOf(other.state.mvcc.hash(3))).toBe(text);
    }
  });
});
