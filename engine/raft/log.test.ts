import { describe, expect, it } from "vitest";
import { RaftPanic } from "./events.ts";
import { RaftLog, ZERO } from "./log.ts";
import { entriesBytes, entryBytes } from "./size.ts";
import { entry, log } from "./testing.ts";

const NO_LIMIT = Number.POSITIVE_INFINITY;

function logOf(...terms: readonly number[]): RaftLog {
  return new RaftLog(ZERO, log(...terms), NO_LIMIT);
}

describe("the log", () => {
  it("a checkpoint keeps the tail that is cut off later", () => {
    const one = logOf(1, 1, 1);
    const saved = one.save();
    one.append([entry({ term: 2, index: 2 })]);
    const two = RaftLog.load(saved, NO_LIMIT);
    expect([two.lastIndex, two.termAt(2), two.termAt(3)]).toEqual([3, 1, 1]);
    expect([one.lastIndex, one.termAt(2)]).toEqual([2, 2]);
  });

  it("two that go on from one checkpoint do not meet", () => {
    const one = logOf(1);
    const two = RaftLog.load(one.save(), NO_LIMIT);
    one.append([entry({ term: 2, index: 2 })]);
    two.append([entry({ term: 3, index: 2 })]);
    expect([one.termAt(2), two.termAt(2)]).toEqual([2, 3]);
  });

  it("compaction keeps the id of the last entry that is gone, and nothing before", () => {
    const one = logOf(1, 2, 2);
    one.commitTo(3);
    one.appliedTo(3, 0);
    one.compact(2);
    expect([one.firstIndex, one.termAt(2), one.termAt(1), one.entryAt(2)]).toEqual([3, 2, null, null]);
    expect(one.entriesFrom(3, NO_LIMIT)).toMatchObject([{ index: 3 }]);
  });

  it("etcd unstable: replacing what was being written hands it out again", () => {
    const one = logOf();
    one.append(log(1, 1, 1));
    expect(one.takeUnstable()).toHaveLength(3);
    one.append([entry({ term: 2, index: 2 })]);
    expect(one.takeUnstable()).toMatchObject([{ term: 2, index: 2 }]);
    one.stableTo({ term: 1, index: 3 });
    expect(one.unstableFrom).toBe(1);
    one.stableTo({ term: 2, index: 2 });
    expect(one.unstableFrom).toBe(3);
  });

  it("Figure 3: a committed entry is never replaced", () => {
    const one = logOf(1);
    one.commitTo(1);
    expect(() => one.takeAppend([entry({ term: 2, index: 1 })])).toThrow(RaftPanic);
  });

  it("a size limit cuts the entries but never all of them", () => {
    const one = logOf(1, 1, 1);
    const each = entryBytes(entry({ term: 1, index: 1 }));
    expect(one.entriesFrom(1, 0)).toHaveLength(1);
    expect(one.entriesFrom(1, 2 * each)).toHaveLength(2);
    expect(one.entriesFrom(1, 2 * each + 1)).toHaveLength(2);
  });
});

describe("encoded sizes", () => {
  it("are those of etcd's protobuf entries", () => {
    expect(entryBytes(entry({ term: 1, index: 1 }))).toBe(4);
    expect(entryBytes(entry({ term: 1, index: 128 }))).toBe(5);
    expect(entryBytes(entry({ term: 1, index: 1 }, { type: "conf-change-v2" }))).toBe(4 + 2);
    expect(entryBytes(entry({ term: 1, index: 1 }, { data: new Uint8Array(200) }))).toBe(4 + 1 + 2 + 200);
    expect(entriesBytes(log(1, 1))).toBe(8);
  });
});
