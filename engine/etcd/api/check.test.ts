import { describe, expect, it } from "vitest";
import { compareOf, deleteOf, lease, op, putOf, rangeOf, textOf, txnOf } from "../testing.ts";
import {
  checkDeleteRange,
  checkPut,
  checkRange,
  checkTxn,
  isReadOnlyTxn,
  isSerializableTxn,
  MAX_TXN_OPS,
} from "./check.ts";

const many = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const txnText = (given: Parameters<typeof txnOf>[0]) => textOf(checkTxn(txnOf(given), true));
const DUPLICATE = "duplicate key given in txn request";
const TOO_MANY = "too many operations in txn request";

describe("single requests", () => {
  it("a put tells of the key first, then of the value, then of the lease", () => {
    const wrong = { ignoreValue: true, ignoreLease: true, lease: lease(1) };
    expect(textOf(checkPut(putOf("", "v", wrong)))).toBe("key is not provided");
    expect(textOf(checkPut(putOf("k", "v", wrong)))).toBe("value is provided");
    expect(textOf(checkPut(putOf("k", "", wrong)))).toBe("lease is provided");
    expect(checkPut(putOf("k", "", { ignoreValue: true, ignoreLease: true }))).toBeNull();
  });

  it("ranges and deletes need a key", () => {
    expect(textOf(checkRange(rangeOf("", { rangeEnd: "z" }), true))).toBe("key is not provided");
    expect(textOf(checkDeleteRange(deleteOf("", "z")))).toBe("key is not provided");
  });

  it("3.6: an order that is none is refused; before it is ignored", () => {
    const odd = rangeOf("k", { sortOrder: "UNRECOGNIZED" });
    expect(textOf(checkRange(odd, true))).toBe("invalid sort option");
    expect(checkRange(odd, false)).toBeNull();
    expect(textOf(checkTxn(txnOf({ success: [op.get("k", { sortOrder: "UNRECOGNIZED" })] }), true))).toBe(
      "invalid sort option",
    );
  });
});

describe("how many operations", () => {
  it("as many as 128 in any list, not one more", () => {
    expect(txnText({ success: many(MAX_TXN_OPS, () => op.get("a")) })).toBeNull();
    for (const list of ["success", "failure"] as const)
      expect(txnText({ [list]: many(MAX_TXN_OPS + 1, () => op.get("a")) })).toBe(TOO_MANY);
    expect(txnText({ compare: many(MAX_TXN_OPS + 1, () => compareOf("a", {})) })).toBe(TOO_MANY);
  });

  it("the longest list is taken from what nested ones may have", () => {
    const nested = (count: number) => op.txn({ success: many(count, () => op.get("a")) });
    expect(txnText({ success: [nested(127)] })).toBeNull();
    expect(txnText({ success: [nested(128)] })).toBe(TOO_MANY);
    expect(txnText({ success: [nested(126)], failure: [op.get("a"), op.get("a")] })).toBeNull();
    expect(txnText({ success: [nested(127)], failure: [op.get("a"), op.get("a")] })).toBe(TOO_MANY);
  });

  it("compares need a key, operations must be one", () => {
    expect(txnText({ compare: [compareOf("", {})] })).toBe("key is not provided");
    expect(
      txnText({ success: [{ requestPut: null, requestRange: null, requestDeleteRange: null, requestTxn: null }] }),
    ).toBe("key not found");
  });
});

describe("keys that are touched twice", () => {
  it("a key is put once in a branch; the other branch does not count", () => {
    expect(txnText({ success: [op.put("a"), op.put("a")] })).toBe(DUPLICATE);
    expect(txnText({ success: [op.put("a")], failure: [op.put("a")] })).toBeNull();
  });

  it("a put in a deleted span clashes in either order; deletes may overlap", () => {
    expect(txnText({ success: [op.put("b"), op.del("a", "c")] })).toBe(DUPLICATE);
    expect(txnText({ success: [op.del("a", "c"), op.put("b")] })).toBe(DUPLICATE);
    expect(txnText({ success: [op.del("a", "b"), op.put("b")] })).toBeNull();
    expect(txnText({ success: [op.del("a"), op.put("a")] })).toBe(DUPLICATE);
    expect(txnText({ success: [op.del("a", "c"), op.del("b", "d")] })).toBeNull();
  });

  it("a delete from a key on clashes with nothing, an inverted span neither", () => {
    expect(txnText({ success: [op.del("a", "\0"), op.put("a"), op.put("b")] })).toBeNull();
    expect(txnText({ success: [op.del("c", "a"), op.put("b"), op.put("c")] })).toBeNull();
  });

  it("nested transactions clash with the level above and with each other, their branches do not", () => {
    const putting = (key: string) => op.txn({ success: [op.put(key)] });
    expect(txnText({ success: [putting("a"), op.put("a")] })).toBe(DUPLICATE);
    expect(txnText({ success: [putting("a"), putting("a")] })).toBe(DUPLICATE);
    expect(txnText({ success: [op.txn({ success: [op.put("a")], failure: [op.put("a")] })] })).toBeNull();
    expect(txnText({ success: [op.txn({ failure: [op.put("a")] }), op.put("a")] })).toBe(DUPLICATE);
    expect(txnText({ success: [op.txn({ success: [op.del("a")] }), op.put("a")] })).toBe(DUPLICATE);
    // As etcd has it: an earlier sibling's put is not looked at when a later one deletes.
    expect(txnText({ success: [putting("a"), op.txn({ success: [op.del("a")] })] })).toBeNull();
    expect(txnText({ success: [op.txn({ success: [op.del("a")] }), putting("a")] })).toBe(DUPLICATE);
  });
});

describe("transactions that only read", () => {
  it("have ranges alone in both branches; a nested one counts as a write", () => {
    expect(isReadOnlyTxn(txnOf({ success: [op.get("a")], failure: [op.get("b")] }))).toBe(true);
    expect(isReadOnlyTxn(txnOf({ success: [op.get("a")], failure: [op.put("b")] }))).toBe(false);
    expect(isReadOnlyTxn(txnOf({ success: [op.txn({ success: [op.get("a")] })] }))).toBe(false);
  });

  it("are serializable only if all of their ranges are", () => {
    const local = op.get("a", { serializable: true });
    expect(isSerializableTxn(txnOf({ success: [local] }))).toBe(true);
    expect(isSerializableTxn(txnOf({ success: [local, op.get("b")] }))).toBe(false);
  });
});
