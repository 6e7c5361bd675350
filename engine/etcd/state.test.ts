import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AlarmType, InternalRaftRequest } from "./api/messages.ts";
import type { MemberId } from "./api/ids.ts";
import { Bench, compareOf, deleteOf, lease, op, putOf, rangeOf, textOf, txnOf } from "./testing.ts";

const MEMBER = "7" as MemberId;
const raise = (alarm: AlarmType, memberId = MEMBER) => ({ alarm: { action: "ACTIVATE", memberId, alarm } }) as const;
const FULL = "mvcc: database space exceeded";

describe("alarms", () => {
  it("NOSPACE: what would take room is refused, deletes, reads and compaction go on", () => {
    const bench = new Bench();
    bench.put("a", "1");
    bench.apply(raise("NOSPACE"));
    const told = (request: Partial<InternalRaftRequest>) => textOf(bench.apply(request).response);
    expect(told({ put: putOf("a", "2") })).toBe(FULL);
    expect(told({ txn: txnOf({ failure: [op.put("a", "2")] }) })).toBe(FULL);
    expect(told({ leaseGrant: { id: lease(1), ttl: 9 } })).toBe(FULL);
    expect(told({ txn: txnOf({ success: [op.del("zz")] }) })).toBeNull();
    expect(told({ deleteRange: deleteOf("a") })).toBeNull();
    expect(told({ compaction: { revision: 2, physical: false } })).toBeNull();
    expect(bench.get("a").count).toBe(0);
  });

  it("CORRUPT: all that goes through the log is refused; reads past it are answered", () => {
    const bench = new Bench();
    bench.put("a", "1");
    bench.grant(1);
    bench.apply(raise("CORRUPT"));
    const requests: readonly Partial<InternalRaftRequest>[] = [
      { put: putOf("a", "2") },
      { deleteRange: deleteOf("a") },
      { txn: txnOf({ success: [op.get("a")] }) },
      { range: rangeOf("a") },
      { compaction: { revision: 2, physical: false } },
      { leaseGrant: { id: lease(2), ttl: 9 } },
      { leaseRevoke: { id: lease(1) } },
    ];
    for (const request of requests) expect(textOf(bench.apply(request).response)).toBe("corrupt cluster");
    expect(bench.all()).toEqual(["a=1"]);
  });

  it("are a member's: raised once, lowered by its id, gone with it", () => {
    const bench = new Bench();
    const other = "8" as MemberId;
    for (const id of [MEMBER, MEMBER, other]) bench.apply(raise("NOSPACE", id));
    expect(bench.state.alarms).toHaveLength(2);
    expect(bench.apply({ alarm: { action: "GET", memberId: MEMBER, alarm: "CORRUPT" } }).response).toMatchObject({
      alarms: [],
    });
    expect(bench.apply({ alarm: { action: "GET", memberId: MEMBER, alarm: "NONE" } }).response).toMatchObject({
      alarms: [{ memberId: MEMBER }, { memberId: other }],
    });
    const lower = { alarm: { action: "DEACTIVATE", memberId: MEMBER, alarm: "NOSPACE" } } as const;
    expect(bench.apply(lower).response).toMatchObject({ alarms: [{ memberId: MEMBER }] });
    expect(bench.apply(lower).response).toMatchObject({ alarms: [] });
    bench.state.forgetMember(other);
    expect(bench.state.alarms).toEqual([]);
  });
});

describe("the quota", () => {
  it("is looked at before and told after: the put that goes beyond it is applied all the same", () => {
    const bench = new Bench({ quotaBytes: 40_000 });
    const told = Array.from({ length: 4 }, (_, i) => {
      bench.state.mvcc.commit();
      return textOf(bench.apply({ put: putOf(`k${i}`, "x".repeat(10_000)) }).response);
    });
    expect(told).toEqual([null, FULL, FULL, FULL]);
    expect(bench.all()).toHaveLength(4);
  });

  it("does not see what is not committed: a burst goes beyond it", () => {
    const bench = new Bench({ quotaBytes: 40_000 });
    const put = () => textOf(bench.apply({ put: putOf("k", "x".repeat(10_000)) }).response);
    expect([put(), put(), put()]).toEqual([null, null, null]);
    expect(bench.state.mvcc.pending).toBe(3);
    bench.state.mvcc.commit();
    expect([put(), bench.state.mvcc.pending]).toEqual([FULL, 1]);
  });

  it("counts a put's key, value and 256 bytes, of a transaction the dearer branch, nothing of nested ones", () => {
    const { size } = new Bench().state.mvcc;
    const fits = (request: Partial<InternalRaftRequest>, bytes: number): boolean => {
      const bench = new Bench({ quotaBytes: size.total + bytes });
      return textOf(bench.apply(request).response) === null;
    };
    const put = { put: putOf("key", "value") };
    expect([fits(put, 264), fits(put, 265)]).toEqual([false, true]);
    const branches = { txn: txnOf({ success: [op.put("a")], failure: [op.put("a"), op.put("b")] }) };
    expect([fits(branches, 514), fits(branches, 515)]).toEqual([false, true]);
    expect(fits({ txn: txnOf({ success: [op.txn({ success: [op.put("a", "x".repeat(900))] })] }) }, 1)).toBe(true);
    const grant = { leaseGrant: { id: lease(1), ttl: 9 } };
    expect([fits(grant, 64), fits(grant, 65)]).toEqual([false, true]);
  });

  it("a negative one is none", () => {
    expect(textOf(new Bench({ quotaBytes: -1 }).apply({ put: putOf("k") }).response)).toBeNull();
  });
});

const key = fc.constantFrom("a", "ab", "b", "c", "\xff", "\0");
const end = fc.constantFrom("", "\0", "b", "c");
const leases = fc.integer({ min: 0, max: 3 }).map(lease);
const anOp = fc.oneof(
  fc
    .tuple(key, fc.string({ maxLength: 2, unit: "grapheme-ascii" }), leases)
    .map(([k, v, l]) => op.put(k, v, { lease: l })),
  fc.tuple(key, end).map(([k, e]) => op.del(k, e)),
  fc.tuple(key, end).map(([k, e]) => op.get(k, { rangeEnd: e })),
);
const request: fc.Arbitrary<Partial<InternalRaftRequest>> = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(key, leases).map(([k, l]) => ({ put: putOf(k, "v", { lease: l }) })) },
  { weight: 2, arbitrary: fc.tuple(key, end).map(([k, e]) => ({ deleteRange: deleteOf(k, e) })) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(key, fc.array(anOp, { maxLength: 3 }), fc.array(anOp, { maxLength: 2 }))
      .map(([k, success, failure]) => ({ txn: txnOf({ compare: [compareOf(k, { version: 1 })], success, failure }) })),
  },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 1, max: 30 }).map((revision) => ({ compaction: { revision, physical: false } })),
  },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 3 }).map((id) => ({ leaseGrant: { id: lease(id), ttl: 9 } })) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 3 }).map((id) => ({ leaseRevoke: { id: lease(id) } })) },
  { weight: 1, arbitrary: fc.constantFrom("a", "b").map((name) => ({ authRoleAdd: { name } })) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(raise("NOSPACE"), {
      alarm: { action: "DEACTIVATE", memberId: MEMBER, alarm: "NOSPACE" },
    } as const),
  },
);
const program = fc.array(request, { maxLength: 60 });

describe("state", () => {
  it("members that apply the same have the same bytes, and so has one that took a snapshot half-way", () => {
    fc.assert(
      fc.property(program, program, (first, second) => {
        const [a, b] = [new Bench(), new Bench()];
        for (const one of first) a.apply(one);
        b.state.restore(a.state.snapshot());
        expect(b.state.snapshot()).toEqual(a.state.snapshot());
        for (const one of second) expect(b.apply(one).response).toEqual(a.apply(one).response);
        expect(b.state.snapshot()).toEqual(a.state.snapshot());
        expect(b.state.mvcc.hash(0)).toEqual(a.state.mvcc.hash(0));
      }),
    );
  });

  it("a checkpoint is a moment: what comes after changes it not, and both futures are one", () => {
    fc.assert(
      fc.property(program, program, (first, second) => {
        const bench = new Bench();
        bench.state.lessor.promote(0, 0);
        for (const one of first) bench.apply(one);
        const saved = bench.state.checkpoint();
        const copy = structuredClone(saved);
        const answers = second.map((one) => bench.apply(one));
        for (const from of [saved, copy]) {
          const other = new Bench();
          other.state.resume(from);
          expect(second.map((one) => other.apply(one))).toEqual(answers);
          expect(other.state.snapshot()).toEqual(bench.state.snapshot());
          expect(other.state.checkpoint()).toEqual(bench.state.checkpoint());
        }
      }),
    );
  });

  it("3.4 and 3.5 hash alike", () => {
    fc.assert(
      fc.property(program, (requests) => {
        const [older, newer] = [new Bench({ compat: "3.4" }), new Bench()];
        for (const one of requests) {
          older.apply(one);
          newer.apply(one);
        }
        const { revision, compactRevision } = newer.state.mvcc;
        for (let at = Math.max(1, compactRevision + 1); at <= revision; at += 1)
          expect([at, older.state.mvcc.hash(at)]).toEqual([at, newer.state.mvcc.hash(at)]);
      }),
    );
  });
});
