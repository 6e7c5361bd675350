import { describe, expect, it } from "vitest";
import type { Compare } from "../api/messages.ts";
import { Bench, compareOf, lease, op, textOf, txnOf } from "../testing.ts";

describe("compares", () => {
  const bench = new Bench();
  bench.grant(7);
  bench.put("a", "m", { lease: lease(7) });
  bench.put("a", "n", { lease: lease(7) });
  bench.put("b", "m");
  const holds = (...compare: Compare[]): boolean => bench.txn({ compare }).succeeded;

  it.each([
    ["VERSION", { version: 2 }],
    ["CREATE", { createRevision: 2 }],
    ["MOD", { modRevision: 3 }],
    ["VALUE", { value: "n" }],
    ["LEASE", { lease: lease(7) }],
  ] as const)("by %s: equal, not equal, greater, less", (target, given) => {
    const results = (["EQUAL", "NOT_EQUAL", "GREATER", "LESS"] as const).map((result) =>
      holds(compareOf("a", { target, result, ...given })),
    );
    expect(results).toEqual([true, false, false, false]);
    expect(holds(compareOf("a", { target, result: "GREATER" }))).toBe(true);
  });

  it("on a missing key all but the value count as 0", () => {
    for (const target of ["VERSION", "CREATE", "MOD", "LEASE"] as const)
      expect(holds(compareOf("zz", { target, result: "EQUAL" }))).toBe(true);
  });

  it("on a missing key no compare of values is true, not even that they differ", () => {
    for (const result of ["EQUAL", "NOT_EQUAL", "GREATER", "LESS"] as const)
      expect(holds(compareOf("zz", { target: "VALUE", result, value: "x" }))).toBe(false);
  });

  it("on a span all keys must satisfy it; an empty span is as one missing key", () => {
    expect(holds(compareOf("a", { rangeEnd: "c", target: "VERSION", result: "GREATER", version: 0 }))).toBe(true);
    expect(holds(compareOf("a", { rangeEnd: "c", target: "VERSION", result: "GREATER", version: 1 }))).toBe(false);
    expect(holds(compareOf("x", { rangeEnd: "z", target: "CREATE", result: "EQUAL" }))).toBe(true);
    expect(holds(compareOf("x", { rangeEnd: "z", target: "VALUE", result: "NOT_EQUAL", value: "q" }))).toBe(false);
  });

  it("a result that none knows holds, a target that none knows is equal", () => {
    expect(holds(compareOf("a", { result: "UNRECOGNIZED", version: 99 }))).toBe(true);
    expect(holds(compareOf("a", { target: "UNRECOGNIZED", result: "EQUAL" }))).toBe(true);
    expect(holds(compareOf("a", { target: "UNRECOGNIZED", result: "LESS" }))).toBe(false);
  });

  it("all must hold; none at all does", () => {
    expect(holds()).toBe(true);
    expect(holds(compareOf("a", { version: 2 }), compareOf("b", { version: 2 }))).toBe(false);
  });
});

describe("what runs", () => {
  it("answers carry the revision so far: the new one only from the first change on", () => {
    const bench = new Bench();
    bench.put("a", "1");
    const { header, responses } = bench.txn({ success: [op.get("a"), op.put("b", "1"), op.get("a")] });
    expect(header?.revision).toBe(3);
    const [first, second, third] = responses;
    expect([first?.responseRange?.header?.revision, second?.responsePut?.header?.revision]).toEqual([2, 3]);
    expect(third?.responseRange?.header?.revision).toBe(3);
  });

  it("reads see what operations before them did, and so does prev_kv", () => {
    const bench = new Bench();
    bench.put("a", "1");
    const { responses } = bench.txn({
      success: [op.put("a", "2", { prevKv: true }), op.get("a"), op.del("a", "", true), op.get("a")],
    });
    expect(responses[0]?.responsePut?.prevKv?.value).toBe("1");
    expect(responses[1]?.responseRange?.kvs).toMatchObject([{ value: "2", version: 2 }]);
    expect(responses[2]?.responseDeleteRange).toMatchObject({ deleted: 1, prevKvs: [{ value: "2" }] });
    expect(responses[3]?.responseRange?.count).toBe(0);
  });

  it("delete all from a key on, then put: both events at one revision, and the key is new", () => {
    const bench = new Bench();
    bench.put("a", "1");
    const { changes } = bench.apply({ txn: txnOf({ success: [op.del("a", "\0"), op.put("a", "2")] }) });
    expect(changes.map(({ tombstone }) => tombstone)).toEqual([true, false]);
    expect(bench.get("a").kvs).toMatchObject([{ createRevision: 3, version: 1 }]);
  });

  it("a nested transaction's compares see the store before the whole, its reads do not", () => {
    const bench = new Bench();
    const inner = { compare: [compareOf("a", { target: "VERSION", version: 0 })], success: [op.get("a")], failure: [] };
    const { responses } = bench.txn({ success: [op.put("a", "1"), op.txn(inner)] });
    expect(responses[1]?.responseTxn).toMatchObject({ succeeded: true });
    expect(responses[1]?.responseTxn?.responses[0]?.responseRange?.kvs).toMatchObject([{ value: "1" }]);
    expect(responses[1]?.responseTxn?.header?.revision).toBe(0);
  });

  it("a put without a lease takes the key off its lease; ignore_lease leaves it there", () => {
    const bench = new Bench();
    bench.grant(7);
    bench.put("a", "1", { lease: lease(7) });
    bench.txn({ success: [op.put("a", "2", { ignoreLease: true })] });
    expect(bench.leaseOf("a")).toBe("7");
    bench.put("a", "3");
    expect(bench.leaseOf("a")).toBe("0");
    expect(bench.state.lessor.keysOf(lease(7))).toEqual([]);
  });
});

describe("what is refused before anything runs", () => {
  const refused = (success: readonly ReturnType<typeof op.put>[], bench = new Bench()): string | null => {
    const { revision } = bench;
    const text = textOf(bench.apply({ txn: txnOf({ success }) }).response);
    expect(bench.revision, "nothing has changed").toBe(revision);
    return text;
  };

  it("ignore_value on a key that an operation before it makes: the key is not found", () => {
    expect(refused([op.put("a", "1"), op.put("b", "", { ignoreValue: true })])).toBe("key not found");
    expect(refused([op.put("a", "1"), op.txn({ success: [op.put("a", "", { ignoreValue: true })] })])).toBe(
      "key not found",
    );
  });

  it("an unknown lease fails the whole, on the path that is taken only", () => {
    const bad = op.put("b", "", { lease: lease(9) });
    expect(refused([op.put("a", "1"), bad])).toBe("requested lease not found");
    const bench = new Bench();
    expect(bench.txn({ success: [op.put("a", "1")], failure: [bad] }).succeeded).toBe(true);
  });

  it("a range at a revision that cannot be read", () => {
    const bench = new Bench();
    bench.put("a", "1");
    bench.put("a", "2");
    bench.compact(3);
    expect(refused([op.put("a", "3"), op.get("a", { revision: 2 })], bench)).toBe(
      "mvcc: required revision has been compacted",
    );
    expect(refused([op.put("a", "3"), op.get("a", { revision: 4 })], bench)).toBe(
      "mvcc: required revision is a future revision",
    );
  });

  it("a put that keeps what an operation before it deletes: a real one panics", () => {
    const bench = new Bench();
    bench.put("b", "1");
    const keeping = op.put("b", "", { ignoreValue: true });
    expect(refused([op.del("a", "\0"), keeping], bench)).toBe("key not found");
    expect(refused([op.txn({ success: [op.del("b", "\0")] }), op.txn({ success: [keeping] })], bench)).toBe(
      "key not found",
    );
    expect(bench.txn({ success: [keeping, op.del("c", "\0")] }).succeeded).toBe(true);
  });

  it("of two faults that of a put is told, though that of a range stands before it", () => {
    expect(refused([op.get("a", { revision: 99 }), op.put("a", "", { ignoreValue: true })])).toBe("key not found");
  });

  it("alone a put tells of the lease first, in a transaction of the key", () => {
    const bench = new Bench();
    const both = { ignoreValue: true, lease: lease(9) };
    expect(
      textOf(bench.apply({ put: { key: "a", value: "", prevKv: false, ignoreLease: false, ...both } }).response),
    ).toBe("requested lease not found");
    expect(refused([op.put("a", "", both)], bench)).toBe("key not found");
  });
});
