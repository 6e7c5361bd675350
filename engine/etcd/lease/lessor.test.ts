import { describe, expect, it } from "vitest";
import { SECOND } from "../../base/units.ts";
import type { LeaseId } from "../api/ids.ts";
import { Bench, lease, op, textOf, txnOf } from "../testing.ts";
import { Lessor, MAX_LEASE_TTL } from "./lessor.ts";

const RETRY = 7 * SECOND;
const ELECTION = SECOND;

/** On the leader, with leases 1 … n that were granted at 0. */
function leading(count: number, ttl = 10): Lessor {
  const lessor = new Lessor(2);
  lessor.promote(ELECTION, 0);
  for (let i = 1; i <= count; i += 1) lessor.grant(lease(i), ttl, 0);
  return lessor;
}

describe("granting", () => {
  const lessor = new Lessor(2);

  it("raises what is shorter to the minimum, also zero and less", () => {
    for (const [id, ttl, granted] of [
      [1, 0, 2],
      [2, -5, 2],
      [3, 1, 2],
      [4, 2, 2],
      [5, 3, 3],
    ] as const)
      expect(lessor.grant(lease(id), ttl, 0)).toEqual({ id: lease(id), ttl: granted });
  });

  it("refuses what is too long, an id that is taken, and none", () => {
    expect(lessor.grant(lease(6), MAX_LEASE_TTL, 0)).toMatchObject({ ttl: 9_000_000_000 });
    expect(textOf(lessor.grant(lease(7), MAX_LEASE_TTL + 1, 0))).toBe("too large lease TTL");
    expect(textOf(lessor.grant(lease(1), 60, 0))).toBe("lease already exists");
    expect(textOf(lessor.grant(lease(0), 60, 0))).toBe("requested lease not found");
  });

  it("negative ids are ids", () => {
    expect(lessor.grant(lease(-15), 60, 0)).toMatchObject({ id: "-15" });
  });
});

describe("revoking", () => {
  it("deletes the keys in the order of bytes, in one revision", () => {
    const bench = new Bench();
    bench.grant(7);
    for (const key of ["b", "\xff", "a"]) bench.put(key, "1", { lease: lease(7) });
    const { changes } = bench.revoke(7);
    expect(changes.map(({ main, sub, kv }) => [main, sub, kv.key])).toEqual([
      [5, 0, "a"],
      [5, 1, "b"],
      [5, 2, "\xff"],
    ]);
    expect(textOf(bench.revoke(7).response)).toBe("requested lease not found");
  });

  it("makes no revision when no key hangs on it", () => {
    const bench = new Bench();
    bench.grant(7);
    bench.put("a", "1", { lease: lease(7) });
    bench.put("a", "2");
    bench.revoke(7);
    expect([bench.revision, bench.all()]).toEqual([3, ["a=2"]]);
  });

  it("a transaction's put moves a key to its lease, and only that ends it", () => {
    const bench = new Bench();
    bench.grant(7);
    bench.grant(8);
    bench.put("a", "1", { lease: lease(7) });
    bench.apply({ txn: txnOf({ success: [op.put("a", "2", { lease: lease(8) })] }) });
    bench.revoke(7);
    expect(bench.all()).toEqual(["a=2"]);
    bench.revoke(8);
    expect(bench.all()).toEqual([]);
  });
});

describe("counting", () => {
  it("only the leader counts: others know no end and end nothing", () => {
    const lessor = new Lessor(2);
    lessor.grant(lease(1), 10, 0);
    expect(lessor.expiresAt(lease(1))).toBeNull();
    expect(lessor.takeExpired(100 * SECOND, RETRY)).toEqual([]);
    expect(lessor.renew(lease(1), 0)).toBeNull();
  });

  it("a lease is over when its whole time has passed, not before", () => {
    const lessor = leading(1);
    expect(lessor.takeExpired(10 * SECOND - 1, RETRY)).toEqual([]);
    expect(lessor.takeExpired(10 * SECOND, RETRY)).toEqual(["1"]);
  });

  it("renewing begins its time anew, until it is over", () => {
    const lessor = leading(1);
    expect(lessor.renew(lease(1), 9 * SECOND)).toBe(10);
    expect(lessor.takeExpired(18 * SECOND, RETRY)).toEqual([]);
    expect(lessor.remainingTtl(lease(1), 18 * SECOND)).toBe(1);
    expect(lessor.renew(lease(1), 19 * SECOND)).toBeNull();
    expect(lessor.renew(lease(9), 0)).toBeNull();
  });

  it("what is left is told in whole seconds, cut", () => {
    const lessor = leading(1);
    expect(lessor.remainingTtl(lease(1), SECOND / 2)).toBe(9);
    expect(lessor.remainingTtl(lease(1), 10 * SECOND + SECOND / 2)).toBe(0);
    expect(lessor.remainingTtl(lease(1), 11 * SECOND)).toBe(-1);
    expect(lessor.remainingTtl(lease(9), 0)).toBeNull();
  });

  it("a revocation that came to nothing is proposed again after the request timeout", () => {
    const lessor = leading(1);
    expect(lessor.takeExpired(10 * SECOND, RETRY)).toEqual(["1"]);
    expect(lessor.takeExpired(16 * SECOND, RETRY)).toEqual([]);
    expect(lessor.takeExpired(17 * SECOND, RETRY)).toEqual(["1"]);
  });

  it("sixteen revocations are on their way at once; each that came through makes room for one", () => {
    const lessor = leading(20);
    const first = lessor.takeExpired(10 * SECOND, RETRY);
    expect(first).toHaveLength(16);
    expect(lessor.takeExpired(10 * SECOND, RETRY)).toEqual([]);
    lessor.revoke(first[0] as LeaseId);
    expect(lessor.takeMore(10 * SECOND, RETRY)).toEqual(["17"]);
    for (const id of first.slice(1)) lessor.revoke(id);
    expect(lessor.takeMore(10 * SECOND, RETRY)).toEqual(["18", "19", "20"]);
  });

  it("one look finds five hundred, the earliest ends first", () => {
    const lessor = leading(600);
    lessor.grant(lease(1000), 5, 0);
    const done: LeaseId[] = [];
    for (
      let next = lessor.takeExpired(10 * SECOND, RETRY);
      next.length > 0;
      next = lessor.takeMore(10 * SECOND, RETRY)
    ) {
      for (const id of next) lessor.revoke(id);
      done.push(...next);
    }
    expect([done.length, done[0], done[1]]).toEqual([500, "1000", "1"]);
    expect(lessor.takeExpired(10 * SECOND, RETRY)).toHaveLength(16);
  });

  it("ids are listed by their end", () => {
    const lessor = leading(2);
    lessor.grant(lease(3), 5, 0);
    expect(lessor.ids()).toEqual(["3", "1", "2"]);
  });
});

describe("a change of leader", () => {
  it("gives every lease its full time and one election timeout more", () => {
    const lessor = new Lessor(2);
    lessor.grant(lease(1), 10, 0);
    lessor.promote(ELECTION, 100 * SECOND);
    expect(lessor.expiresAt(lease(1))).toBe(111 * SECOND);
  });

  it("who leads no more ends nothing, though it had begun to", () => {
    const lessor = leading(20);
    lessor.takeExpired(10 * SECOND, RETRY);
    lessor.demote();
    expect(lessor.takeMore(10 * SECOND, RETRY)).toEqual([]);
    lessor.promote(0, 20 * SECOND);
    expect(lessor.takeExpired(20 * SECOND, RETRY)).toEqual([]);
  });

  it("a thousand leases that would end together are spread: at most 750 in any second", () => {
    const lessor = new Lessor(2);
    for (let i = 1; i <= 4_000; i += 1) lessor.grant(lease(i), 10, 0);
    lessor.promote(0, 0);
    const ends = lessor.ids().map((id) => lessor.expiresAt(id) ?? 0);
    const seconds = new Map<number, number>();
    for (const end of ends) seconds.set(Math.floor(end / SECOND), (seconds.get(Math.floor(end / SECOND)) ?? 0) + 1);
    expect(Math.min(...ends)).toBe(10 * SECOND);
    expect(Math.max(...seconds.values())).toBeLessThanOrEqual(751);
  });

  it("fewer are not spread", () => {
    const lessor = new Lessor(2);
    for (let i = 1; i <= 999; i += 1) lessor.grant(lease(i), 10, 0);
    lessor.promote(0, 0);
    expect(lessor.ids().every((id) => lessor.expiresAt(id) === 10 * SECOND)).toBe(true);
  });
});

describe("checkpoints of what is left", () => {
  const LONG = 3_600;

  it("come every five minutes for leases with more than that left, and who leads next counts from them", () => {
    const lessor = leading(1, LONG);
    lessor.grant(lease(2), 300, 0);
    expect(lessor.takeCheckpoints(299 * SECOND)).toEqual([]);
    expect(lessor.takeCheckpoints(301 * SECOND)).toEqual([{ id: "1", remaining: 3_299 }]);
    expect(lessor.takeCheckpoints(302 * SECOND)).toEqual([]);
    lessor.setRemaining(lease(1), 3_299, 302 * SECOND);
    expect(lessor.takeCheckpoints(603 * SECOND)).toEqual([{ id: "1", remaining: 2_997 }]);
    lessor.promote(ELECTION, 1_000 * SECOND);
    expect(lessor.expiresAt(lease(1))).toBe((1_000 + 3_299 + 1) * SECOND);
  });

  it("one that was just renewed has nothing to tell", () => {
    const lessor = leading(1, LONG);
    lessor.renew(lease(1), 300 * SECOND);
    expect(lessor.takeCheckpoints(300 * SECOND)).toEqual([]);
  });

  it("a renewal is to be told when a checkpoint stands, and counts in full from then on", () => {
    const lessor = leading(1, LONG);
    lessor.setRemaining(lease(1), 100, 0);
    expect(lessor.isCheckpointed(lease(1))).toBe(true);
    expect(lessor.renew(lease(1), SECOND)).toBe(LONG);
    lessor.setRemaining(lease(1), 0, SECOND);
    expect(lessor.isCheckpointed(lease(1))).toBe(false);
  });

  it("a thousand at most in one entry", () => {
    const lessor = leading(1_500, LONG);
    expect(lessor.takeCheckpoints(301 * SECOND)).toHaveLength(1_000);
    expect(lessor.takeCheckpoints(301 * SECOND)).toHaveLength(500);
  });
});

describe("state", () => {
  it("goes on from a checkpoint as if it had never stopped", () => {
    const lessor = leading(40);
    const first = lessor.takeExpired(10 * SECOND, RETRY);
    const other = new Lessor(2);
    other.resume(structuredClone(lessor.checkpoint()));
    for (const each of [lessor, other]) for (const id of first.slice(0, 3)) each.revoke(id);
    expect(other.takeMore(11 * SECOND, RETRY)).toEqual(lessor.takeMore(11 * SECOND, RETRY));
    expect(other.checkpoint()).toEqual(lessor.checkpoint());
  });

  it("a checkpoint knows nothing of what came after it", () => {
    const lessor = leading(1);
    const saved = lessor.checkpoint();
    lessor.attach(lease(1), "a");
    lessor.renew(lease(1), 5 * SECOND);
    lessor.revoke(lease(1));
    expect(saved).toEqual(leading(1).checkpoint());
  });
});
