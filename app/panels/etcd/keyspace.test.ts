import { describe, expect, it } from "vitest";
import type { KeyChange } from "../../../engine/index.ts";
import { changeAt, generationsOf } from "./keyspace.ts";

const put = (revision: number, createRevision: number, version: number): KeyChange => ({
  type: "put",
  revision,
  sub: 0,
  at: 0,
  value: `v${revision}`,
  version,
  createRevision,
  lease: null,
  client: null,
});
const gone = (revision: number): KeyChange => ({ ...put(revision, 0, 0), type: "delete", value: "" });

describe("a key's history", () => {
  const key = { id: "k", changes: [put(2, 2, 1), put(4, 2, 2), gone(6), put(9, 9, 1)], cut: false };

  it("a read sees the newest change up to its revision, and nothing between a tombstone and the next put", () => {
    expect([1, 3, 4, 6, 8, 9].map((revision) => changeAt(key, revision)?.value ?? null)).toEqual([
      null,
      "v2",
      "v4",
      null,
      null,
      "v9",
    ]);
  });

  it("a delete ends a generation, the next put begins another", () => {
    expect(generationsOf(key)).toEqual([
      { from: 2, to: 6 },
      { from: 9, to: null },
    ]);
  });

  it("a generation whose beginning compaction took is known by its create revision", () => {
    expect(generationsOf({ ...key, changes: [put(4, 2, 2)] })).toEqual([{ from: 2, to: null }]);
  });
});
