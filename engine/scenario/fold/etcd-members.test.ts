/** The fold beside what the members themselves have: over a snapshot, with clocks that drift, for requests too large. */
import { describe, expect, it } from "vitest";
import { present } from "../../base/assert.ts";
import { type Micros, MS, SECOND } from "../../base/units.ts";
import { type Bytes, toArray } from "../../etcd/api/bytes.ts";
import { leaseHex, memberHex, NO_LEASE } from "../../etcd/api/ids.ts";
import * as m from "../../etcd/api/messages.ts";
import { create } from "../../etcd/api/proto.ts";
import { databaseOf } from "../../etcd/ctl/snapshot-file.ts";
import { EtcdState } from "../../etcd/state.ts";
import { op, txnOf } from "../../etcd/testing.ts";
import type { ProcessId } from "../../sim/command.ts";
import type { EtcdDelta, LeaseView, RequestView } from "../../trace/etcd-view.ts";
import { Cluster, eventsOf, id, lease, N1, N2, N3, PLAIN, type Stream } from "../etcd-probe.ts";
import { EtcdFold } from "./etcd.ts";

/** What is folded from the cluster's events, or only from those of one process. */
function folded(cluster: Cluster, only: ProcessId | null = null): EtcdDelta {
  const fold = new EtcdFold(null);
  for (const traced of cluster.events) if (only === null || traced.process === only) fold.add(traced);
  fold.settle(cluster.world.now);
  return fold.keyframe();
}

/** A member's store, by way of a backup. */
function storeOf(cluster: Cluster, member: ProcessId): EtcdState {
  const stream = cluster.open(member, "Maintenance/Snapshot", PLAIN);
  cluster.send(member, { type: "send", call: stream.call, body: {} });
  const parts = stream.got as m.SnapshotResponse[];
  cluster.until(() => parts.length > 1 && parts.at(-1)?.blob.length === 32);
  const file: Bytes = parts.map(({ blob }) => blob).join("");
  const state = new EtcdState({ compat: "3.5", minLeaseTtl: 2, quotaBytes: -1, members: [] });
  state.restore(toArray(databaseOf(file)));
  return state;
}

/** Each change as the view shows it, without when and by whom. */
const shown = ({ keys = [] }: EtcdDelta): Record<string, object[]> =>
  Object.fromEntries(
    keys.map(({ id, changes }) => [id, changes.map(({ at: _at, client: _client, ...change }) => change)]),
  );

/** The same of a store. */
function stored({ mvcc }: EtcdState): Record<string, object[]> {
  const keys: Record<string, object[]> = {};
  for (const { main, sub, tombstone, kv } of mvcc.changesFrom(0)) {
    const { value, version, createRevision, lease: bound } = kv;
    (keys[kv.key] ??= []).push({
      type: tombstone ? "delete" : "put",
      revision: main,
      sub,
      value: tombstone ? "" : value,
      version: tombstone ? 0 : version,
      createRevision: tombstone ? 0 : createRevision,
      lease: tombstone || bound === NO_LEASE ? null : leaseHex(bound),
    });
  }
  return keys;
}

const leasesShown = ({ leases = [] }: EtcdDelta): object[] =>
  leases
    .filter(({ endedAt }) => endedAt === null)
    .map(({ id, ttl, keys }) => ({ id, ttl, keys: [...keys].sort() }))
    .sort((a, b) => a.id.localeCompare(b.id));

const leasesStored = ({ lessor }: EtcdState): object[] =>
  lessor
    .ids()
    .map((id) => ({ id: leaseHex(id), ttl: lessor.grantedTtl(id) ?? 0, keys: [...lessor.keysOf(id)].sort() }))
    .sort((a, b) => a.id.localeCompare(b.id));

describe("a follower that is brought up to date by a snapshot", () => {
  /** It misses puts, deletes, a lease's end, a new lease and a compaction, while a client watches through it. */
  function caughtUp({ compacted = true } = {}): {
    cluster: Cluster;
    follower: ProcessId;
    watch: Stream;
    restoredAt: number;
  } {
    const cluster = new Cluster(3, { snapshotEntries: 20 });
    const { follower } = cluster;
    const leader = present(cluster.leader, "a leader");
    for (const id of [7, 8]) cluster.call(leader, "Lease/LeaseGrant", { id: lease(id), ttl: 600 });
    for (const id of [7, 8]) cluster.call(leader, "KV/Put", { key: `held ${id}`, value: "a", lease: lease(id) });
    cluster.call(leader, "KV/Put", { key: "before", value: "1" });
    const watch = cluster.watch(follower, { key: "k", rangeEnd: "l" });
    cluster.pass(500 * MS);
    cluster.order({ type: "partition", groups: [[follower], [N1, N2, N3].filter((id) => id !== follower)] });
    for (let i = 0; i < 30; i += 1) cluster.call(leader, "KV/Put", { key: `k${i % 4}`, value: `${i}` });
    const at = cluster.call<m.RangeResponse>(leader, "KV/Range", { key: "k0" }).header?.revision;
    if (compacted) cluster.call(leader, "KV/Compact", { revision: present(at, "a revision") - 10 });
    cluster.call(leader, "Lease/LeaseRevoke", { id: lease(7) });
    cluster.call(leader, "Lease/LeaseGrant", { id: lease(9), ttl: 300 });
    const success = [op.put("held 8", "b"), op.put("k1", "bound", { lease: lease(9) }), op.del("before")];
    cluster.call(leader, "KV/Txn", txnOf({ success }));
    for (let i = 0; i < 20; i += 1) cluster.call(leader, "KV/Put", { key: `k${i % 4}`, value: `later ${i}` });
    cluster.order({ type: "heal" });
    const restored = () =>
      cluster.events.findIndex(({ process, event }) => process === follower && event.type === "etcd-restored");
    cluster.until(() => restored() >= 0);
    return { cluster, follower, watch, restoredAt: restored() };
  }

  it("shows the keys, with all that can be read of their past, and the leases that it has", () => {
    const { cluster, follower } = caughtUp();
    cluster.pass(5 * SECOND);
    const store = storeOf(cluster, follower);
    const view = folded(cluster);
    expect(shown(view)).toEqual(stored(store));
    expect(leasesShown(view)).toEqual(leasesStored(store));
    expect([view.revision, view.compactRevision]).toEqual([store.mvcc.revision, store.mvcc.compactRevision]);
    const member = view.members?.find(({ id }) => id === follower);
    const { revision, compactRevision, keyCount: keys } = store.mvcc;
    expect(member).toMatchObject({ revision, compactRevision, keys });
  });

  it("shows the same to who has only that member's events", () => {
    const { cluster, follower } = caughtUp();
    cluster.pass(5 * SECOND);
    const store = storeOf(cluster, follower);
    const view = folded(cluster, follower);
    expect(shown(view)).toEqual(stored(store));
    expect(leasesShown(view)).toEqual(leasesStored(store));
    expect([view.revision, view.compactRevision]).toEqual([store.mvcc.revision, store.mvcc.compactRevision]);
  });

  it("goes on from there: the next entries are new to it", () => {
    const { cluster, follower } = caughtUp();
    cluster.pass(5 * SECOND);
    cluster.call(follower, "KV/Put", { key: "k1", value: "unbound" });
    cluster.call(follower, "Lease/LeaseRevoke", { id: lease(8) });
    cluster.pass(1 * SECOND);
    const store = storeOf(cluster, follower);
    for (const view of [folded(cluster), folded(cluster, follower)]) {
      expect(shown(view)).toEqual(stored(store));
      expect(leasesShown(view)).toEqual(leasesStored(store));
    }
  });

  it("shows its watch as one that lags until it has been told what it missed", () => {
    const { cluster, watch, restoredAt } = caughtUp({ compacted: false });
    const fold = new EtcdFold(null);
    for (const traced of cluster.events.slice(0, restoredAt + 1)) fold.add(traced);
    fold.settle(present(cluster.events[restoredAt], "the restore").at);
    expect(fold.keyframe().watches).toMatchObject([{ state: "unsynced" }]);
    cluster.pass(5 * SECOND);
    const view = folded(cluster);
    expect(eventsOf(watch)).toHaveLength(51);
    expect(view.watches).toMatchObject([{ state: "synced", deliveredCount: 51 }]);
  });

  it("shows a watch whose past was compacted meanwhile as ended", () => {
    const cluster = new Cluster(3, { snapshotEntries: 20 });
    const { follower } = cluster;
    const leader = present(cluster.leader, "a leader");
    const stream = cluster.watch(follower, { key: "k" });
    cluster.pass(500 * MS);
    cluster.order({ type: "partition", groups: [[follower], [N1, N2, N3].filter((id) => id !== follower)] });
    for (let i = 0; i < 60; i += 1) cluster.call(leader, "KV/Put", { key: "k", value: `${i}` });
    cluster.call(leader, "KV/Compact", { revision: 40 });
    cluster.order({ type: "heal" });
    cluster.pass(5 * SECOND);
    expect(stream.got.at(-1)).toMatchObject({ canceled: true, compactRevision: 40 });
    expect(folded(cluster).watches).toMatchObject([{ state: "cancelled", why: expect.stringContaining("compacted") }]);
  });
});

describe("with clocks that drift", () => {
  const drift = (cluster: Cluster, process: ProcessId, driftPpm: number, jumpUs = 0): void =>
    cluster.order({ type: "clock", process, driftPpm, jumpUs });
  const shownLease = (cluster: Cluster): LeaseView => present(folded(cluster).leases?.[0], "a lease");

  /** From what was shown to when the member found it over: it looks every half second of its own time. */
  function late(cluster: Cluster, shownEnd: Micros | null): Micros {
    const over = () => cluster.events.find(({ event }) => event.type === "etcd-lease-expired")?.at ?? null;
    cluster.until(() => over() !== null);
    return present(over(), "an end") - present(shownEnd, "a count");
  }

  it.each([200_000, -200_000])("by %i ppm a lease ends when its leader's clock says so, as shown", (ppm) => {
    const cluster = new Cluster(3);
    drift(cluster, present(cluster.leader, "a leader"), ppm);
    const before = cluster.world.now;
    cluster.call(cluster.follower, "Lease/LeaseGrant", { id: lease(7), ttl: 20 });
    const { expiresAt } = shownLease(cluster);
    const span = present(expiresAt, "a count") - before;
    expect(span / (20 * SECOND)).toBeCloseTo(1_000_000 / (1_000_000 + ppm), 2);
    const after = late(cluster, expiresAt);
    expect(after).toBeGreaterThanOrEqual(0);
    expect(after).toBeLessThan(700 * MS);
  });

  it("a clock that begins to drift on the way stretches what is left, and no other member's does", () => {
    const cluster = new Cluster(3);
    cluster.call(N1, "Lease/LeaseGrant", { id: lease(7), ttl: 20 });
    const { expiresAt: first } = shownLease(cluster);
    cluster.pass(10 * SECOND);
    drift(cluster, cluster.follower, 100_000);
    expect(shownLease(cluster).expiresAt).toBe(first);
    drift(cluster, present(cluster.leader, "a leader"), -100_000);
    const { expiresAt: second } = shownLease(cluster);
    const left = present(first, "a count") - cluster.world.now;
    expect(Math.abs(present(second, "a count") - cluster.world.now - (left * 10) / 9)).toBeLessThan(2);
    expect(late(cluster, second)).toBeLessThan(700 * MS);
  });

  it("a wall clock that jumps moves no lease: they are counted by the monotonic one", () => {
    const cluster = new Cluster(3);
    cluster.call(N1, "Lease/LeaseGrant", { id: lease(7), ttl: 20 });
    const { expiresAt } = shownLease(cluster);
    for (const process of [N1, N2, N3]) drift(cluster, process, 0, 3_600 * SECOND);
    expect(shownLease(cluster).expiresAt).toBe(expiresAt);
    expect(late(cluster, expiresAt)).toBeLessThan(700 * MS);
  });

  it("the next leader counts by its own clock", () => {
    const cluster = new Cluster(3);
    const old = present(cluster.leader, "a leader");
    for (const process of [N1, N2, N3]) if (process !== old) drift(cluster, process, 250_000);
    cluster.call(old, "Lease/LeaseGrant", { id: lease(7), ttl: 20 });
    cluster.order({ type: "crash", process: old });
    cluster.until(() => cluster.leader !== old && shownLease(cluster).by === "leader-change");
    const { expiresAt } = shownLease(cluster);
    // Its full time and an election timeout, on a clock that is a quarter faster.
    expect((present(expiresAt, "a count") - cluster.world.now) / SECOND).toBeCloseTo(21 / 1.25, 1);
    expect(late(cluster, expiresAt)).toBeLessThan(700 * MS);
  });

  it("a member that was switched off for good and on again has a clock of its own", () => {
    const cluster = new Cluster(3);
    drift(cluster, N1, 250_000);
    cluster.order({ type: "retire", process: N1 });
    cluster.order({ type: "spawn", process: N1 });
    const fold = new EtcdFold(null);
    for (const traced of cluster.events) fold.add(traced);
    const counted = { type: "etcd-lease-counted", lease: lease(7), ttl: 20, expiresIn: 20 * SECOND, by: "grant" };
    fold.add({ id: 1_000_000, cause: 0, at: 0, process: N1, incarnation: 9, event: counted });
    expect(fold.keyframe().leases).toMatchObject([{ expiresAt: 20 * SECOND }]);
  });
});

describe("a request that is too large", () => {
  const shownRequest = (cluster: Cluster): RequestView => present(folded(cluster).requests?.at(-1), "a request");
  const stages = ({ steps }: RequestView): string[] => steps.map(({ stage }) => stage);

  it("of more than 1.5 MiB is refused before it comes to the log, with etcd's error", () => {
    const cluster = new Cluster(3);
    const value = "x".repeat(1_572_864);
    const { follower } = cluster;
    const refused = cluster.call(follower, "KV/Put", { key: "a", value });
    const error = "etcdserver: request is too large";
    expect(refused).toMatchObject({ code: 3, message: error });
    const view = shownRequest(cluster);
    expect(view).toMatchObject({ member: follower, method: "KV/Put", outcome: "failed", entry: null, error });
    expect(stages(view)).toEqual(["received", "refused"]);
    expect(view.label.length).toBeLessThan(100);
    expect(folded(cluster).keys).toEqual([]);
  });

  it("is measured whole: one byte over the limit is refused, one under goes through the log", () => {
    const cluster = new Cluster(1);
    const asked = (bytes: number): RequestView => {
      cluster.call(N1, "KV/Put", { key: "a", value: "x".repeat(bytes) });
      return shownRequest(cluster);
    };
    // What the key, the header and the tags take is found by halving.
    let [fits, over] = [1_572_000, 1_572_864];
    while (over - fits > 1) {
      const middle = (fits + over) >> 1;
      if (asked(middle).outcome === "done") fits = middle;
      else over = middle;
    }
    expect(over).toBeLessThan(1_572_864);
    expect(stages(asked(over))).toEqual(["received", "refused"]);
    expect(stages(asked(fits))).toContain("proposed");
  });

  it("a transaction of more than 128 operations is refused likewise", () => {
    const cluster = new Cluster(3);
    cluster.call(N1, "KV/Txn", txnOf({ success: Array.from({ length: 129 }, (_, i) => op.put(`k${i}`)) }));
    const view = shownRequest(cluster);
    expect(view).toMatchObject({
      outcome: "failed",
      entry: null,
      error: "etcdserver: too many operations in txn request",
    });
    expect(stages(view)).toEqual(["received", "refused"]);
  });

  it("a lease of too long a time too, which is found out at the log's other end", () => {
    const cluster = new Cluster(1);
    cluster.call(N1, "Lease/LeaseGrant", create(m.LeaseGrantRequest, { ttl: 9_000_000_001 }));
    const view = shownRequest(cluster);
    expect(view).toMatchObject({ outcome: "failed", error: "etcdserver: too large lease TTL" });
    expect(stages(view).at(-1)).toBe("refused");
    expect(folded(cluster).leases).toEqual([]);
  });
});

describe("changes of membership", () => {
  const N4 = id("n4");

  /** What is noted of them, by a fold that is taken up again at each of `cuts`. */
  function noted({ events }: Cluster, cuts: readonly number[] = []): object[] {
    const notes: object[] = [];
    let fold = new EtcdFold(null);
    for (const [i, traced] of events.entries()) {
      if (cuts.includes(i)) fold = new EtcdFold(null, structuredClone(fold.state()));
      fold.add(traced);
      const note = fold.takeNote();
      if (note?.what.startsWith("etcd-member-") === true) notes.push(note);
    }
    return notes;
  }

  /** n4 joins as a learner, is promoted, and n3 leaves; members restart on the way. */
  function changed(): { cluster: Cluster; wanted: object[] } {
    const cluster = new Cluster(3);
    const { member: added } = cluster.call<{ readonly member: m.Member }>(N1, "Cluster/MemberAdd", {
      peerUrls: ["http://n4:2380"],
      isLearner: true,
    });
    cluster.order({ type: "spawn", process: N4 });
    cluster.pass(5 * SECOND);
    cluster.call(N1, "Cluster/MemberPromote", { id: added.id });
    cluster.pass(1 * SECOND);
    cluster.order({ type: "crash", process: N2 });
    cluster.order({ type: "restart", process: N2 });
    cluster.pass(6 * SECOND);
    const { members } = cluster.call<{ readonly members: readonly m.Member[] }>(N1, "Cluster/MemberList");
    const third = present(
      members.find(({ name }) => name === "n3"),
      "n3",
    );
    cluster.call(N1, "Cluster/MemberUpdate", { id: third.id, peerUrls: ["http://n3:2381"] });
    cluster.call(N1, "Cluster/MemberRemove", { id: third.id });
    cluster.pass(1 * SECOND);
    const fourth = { member: N4, id: memberHex(added.id) };
    const gone = { member: N3, id: memberHex(third.id) };
    const wanted = [
      { what: "etcd-member-learner-added", figures: fourth },
      { what: "etcd-member-promoted", figures: fourth },
      { what: "etcd-member-updated", figures: gone },
      { what: "etcd-member-removed", figures: gone },
    ];
    return { cluster, wanted };
  }

  it("are noted once each, whoever applies them and however often", () => {
    const { cluster, wanted } = changed();
    expect(noted(cluster)).toEqual(wanted);
  });

  it("are noted once also by a fold that was taken up on the way", () => {
    const { cluster, wanted } = changed();
    const applied = cluster.events.flatMap(({ event }, i) => (event.type === "etcd-member-changed" ? [i + 1] : []));
    expect(applied.length).toBeGreaterThan(wanted.length);
    expect(noted(cluster, applied)).toEqual(wanted);
  });

  it("that are refused are not noted", () => {
    const cluster = new Cluster(3);
    cluster.call(N1, "Cluster/MemberAdd", { peerUrls: ["http://n1:2380"] });
    expect(noted(cluster)).toEqual([]);
  });

  it("that a person asks Raft for, past etcd's service, are noted too", () => {
    const cluster = new Cluster(3);
    const member = present(cluster.leader, "a leader");
    const ask = (operation: "add-learner" | "add-voter" | "remove"): void => {
      cluster.order({ type: "membership", member, transition: "auto", steps: [{ operation, id: N4 }] });
      cluster.pass(2 * SECOND);
    };
    cluster.order({ type: "spawn", process: N4 });
    for (const operation of ["add-learner", "add-voter", "remove", "add-voter"] as const) ask(operation);
    expect(noted(cluster)).toMatchObject([
      { what: "etcd-member-learner-added", figures: { member: N4 } },
      { what: "etcd-member-promoted", figures: { member: N4 } },
      { what: "etcd-member-removed", figures: { member: N4 } },
      { what: "etcd-member-added", figures: { member: N4 } },
    ]);
  });

  it("of one entry are noted for each who joins or leaves by it", () => {
    const cluster = new Cluster(3);
    const member = present(cluster.leader, "a leader");
    cluster.order({ type: "spawn", process: N4 });
    const steps = [
      { operation: "add-voter", id: N4 },
      { operation: "remove", id: cluster.follower },
    ] as const;
    cluster.order({ type: "membership", member, transition: "auto", steps });
    cluster.pass(3 * SECOND);
    expect(noted(cluster)).toMatchObject([
      { what: "etcd-member-added", figures: { member: N4 } },
      { what: "etcd-member-removed", figures: { member: cluster.follower } },
    ]);
  });
});
