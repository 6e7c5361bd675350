/**
 * Short programs on etcd's store that lead straight to what a rule forbids: on `EtcdState`, `Watchable` and `Lessor`,
 * without a world around them. What must come of each is written out here, not asked of the store.
 */
import { crc32c } from "../../base/bytes.ts";
import { SECOND } from "../../base/units.ts";
import { checkTxn } from "../../etcd/api/check.ts";
import { toArray } from "../../etcd/api/bytes.ts";
import {
  AuthRoleGrantPermissionRequest,
  InternalRaftRequest,
  KeyValue,
  Member,
  Permission,
  WatchCreateRequest,
  type WatchResponse,
} from "../../etcd/api/messages.ts";
import { create, encode } from "../../etcd/api/proto.ts";
import type { MemberId } from "../../etcd/api/ids.ts";
import { type ClusterMember, Membership } from "../../etcd/cluster/membership.ts";
import { Lessor } from "../../etcd/lease/lessor.ts";
import { Bench, compareOf, lease, op, putOf, rangeOf, textOf, txnOf } from "../../etcd/testing.ts";
import { type Told, Watchable } from "../../etcd/watch/watchable.ts";
import type { NodeId } from "../../raft/types.ts";
import { first, type Wrong } from "./wrong.ts";

/** A store with a stream of watches. */
class Watching extends Bench {
  readonly watchable = new Watchable(this.state.mvcc, "3.5");
  readonly #told: Told[] = [];

  constructor() {
    super();
    this.watchable.openStream("s");
  }

  override apply(request: Parameters<Bench["apply"]>[0]): ReturnType<Bench["apply"]> {
    const outcome = super.apply(request);
    this.#told.push(...this.watchable.notify(outcome.changes));
    return outcome;
  }

  watch(key: string, given: Partial<WatchCreateRequest> = {}): WatchResponse {
    return this.watchable.create("s", create(WatchCreateRequest, { key, ...given }));
  }

  sync(): void {
    this.#told.push(...this.watchable.sync());
  }

  /** Each answer since the last time: `id@revision:+key@revision,-key@revision`. */
  heard(): readonly string[] {
    return this.#told.splice(0).map(({ response: { watchId, header, events, canceled } }) => {
      const shown = events.map(({ type, kv }) => `${type === "PUT" ? "+" : "-"}${kv?.key}@${kv?.modRevision}`);
      return `${watchId}@${header?.revision}:${canceled ? "canceled" : shown.join(",")}`;
    });
  }
}

const ALL = { rangeEnd: "\0" };

/** A row as `key=value c m v`. */
const rows = (kvs: readonly KeyValue[]): readonly string[] =>
  kvs.map(
    ({ key, value, createRevision, modRevision, version }) =>
      `${key}=${value} ${createRevision} ${modRevision} ${version}`,
  );

/** HashKV of changes, computed apart from the store. */
function hashOf(
  changes: readonly (readonly [main: number, sub: number, kv: Partial<KeyValue>, dead?: boolean])[],
): number {
  const bytes = [0x6b, 0x65, 0x79];
  for (const [main, sub, kv, dead = false] of changes) {
    bytes.push(0, 0, 0, 0, 0, 0, 0, main, 0x5f, 0, 0, 0, 0, 0, 0, 0, sub);
    if (dead) bytes.push(0x74);
    bytes.push(...encode(KeyValue, create(KeyValue, kv)));
  }
  return crc32c(toArray(String.fromCharCode(...bytes)));
}

function hashAt(bench: Bench, revision: number): unknown {
  const found = bench.state.mvcc.hash(revision);
  return "hash" in found ? found.hash : textOf(found);
}

const rowOf = (key: string, value: string, made: number, changed = made, version = 1): Partial<KeyValue> => ({
  key,
  value,
  createRevision: made,
  modRevision: changed,
  version,
});

const member = (n: number, isLearner = false): ClusterMember => ({
  ...create(Member, { id: String(n) as MemberId, peerUrls: [`http://n${n}:2380`], isLearner }),
  node: `n${n}` as NodeId,
});

/** Leases 1 to `count` of `ttl` seconds, counted from 0. */
function counting(count: number, ttl: number): Lessor {
  const lessor = new Lessor(2);
  lessor.promote(0, 0);
  for (let n = 1; n <= count; n += 1) lessor.grant(lease(n), ttl, 0);
  return lessor;
}

const RETRY = 7 * SECOND;

const CASES = {
  revisions: () => {
    const bench = new Bench();
    bench.put("a");
    bench.put("b");
    const two = bench.revision;
    bench.del("nothing");
    bench.txn({ compare: [compareOf("a", { target: "VERSION", version: 9 })], success: [op.put("c")] });
    return first(["after two puts", two, 3], ["after what changes nothing", bench.revision, 3]);
  },
  generations: () => {
    const bench = new Bench();
    bench.put("a", "1");
    bench.put("a", "2");
    bench.del("a");
    const gone = bench.all();
    bench.put("a", "3");
    return first(["after the delete", gone, []], ["the next generation", rows(bench.get("a").kvs), ["a=3 5 5 1"]]);
  },
  reads: () => {
    const bench = new Bench();
    for (const key of ["a", "b", "c"]) bench.put(key, key);
    const at = (revision: number) => {
      const found = bench.state.range(rangeOf("a", { revision }));
      return textOf(found) ?? "read";
    };
    const before = at(9);
    bench.compact(3);
    return first(
      ["above now", before, "mvcc: required revision is a future revision"],
      ["the compacted one", at(3), "read"],
      ["below it", at(2), "mvcc: required revision has been compacted"],
      ["compacting again", textOf(bench.compact(3)), "mvcc: required revision has been compacted"],
      ["[a, c)", bench.get("a", { rangeEnd: "c" }).kvs.map(({ key }) => key), ["a", "b"]],
    );
  },
  ranges: () => {
    const bench = new Bench();
    for (const key of ["c", "b", "a", "d"]) bench.put(key, key);
    const cut = bench.get("a", { ...ALL, limit: 2 });
    const byMod = bench.get("a", { ...ALL, limit: 2, sortTarget: "MOD", sortOrder: "DESCEND" });
    const quirk = bench.get("a", { ...ALL, limit: 1, sortTarget: "MOD" });
    return first(
      ["count", [cut.count, cut.more, cut.kvs.length], [4, true, 2]],
      ["the limit behind the order", byMod.kvs.map(({ key }) => key), ["d", "a"]],
      ["the limit before no order", quirk.kvs.map(({ key }) => key), ["b"]],
      ["exactly as many", bench.get("a", { ...ALL, limit: 4 }).more, false],
      ["keys only", bench.get("a", { keysOnly: true }).kvs[0]?.value, ""],
    );
  },
  compaction: () => {
    const bench = new Bench();
    bench.put("a", "1");
    bench.put("a", "2");
    bench.put("b", "1");
    bench.del("b");
    bench.put("c", "1");
    bench.put("d", "1");
    bench.compact(6);
    const { mvcc } = bench.state;
    return first(
      ["what is left", bench.all(), ["a=2", "c=1", "d=1"]],
      ["at the compacted revision", bench.all(6), ["a=2", "c=1"]],
      ["changes that are kept", mvcc.changesFrom(0).map(({ main }) => main), [3, 6, 7]],
      ["keys that are known", mvcc.keyCount, 3],
    );
  },
  /** A tombstone at the compacted revision stays for watches from there on, and does not count in the hash. */
  tombstone: () => {
    const bench = new Watching();
    bench.put("a");
    bench.del("a");
    bench.put("b", "1");
    bench.compact(3);
    bench.watch("a", { startRevision: 3 });
    bench.sync();
    return first(
      ["from the delete on", bench.heard(), ["0@4:-a@3"]],
      ["the hash", hashAt(bench, 0), hashOf([[4, 0, rowOf("b", "1", 4)]])],
    );
  },
  hash: () => {
    const bench = new Bench();
    bench.put("a", "1");
    bench.txn({ success: [op.put("b", "1"), op.put("c", "1")] });
    bench.del("b");
    bench.put("a", "2");
    const early = hashAt(bench, 4);
    const all = hashAt(bench, 0);
    bench.compact(4);
    const inTxn = [
      [3, 0, rowOf("b", "1", 3)],
      [3, 1, rowOf("c", "1", 3)],
      [4, 0, { key: "b" }, true],
    ] as const;
    return first(
      ["up to 4", early, hashOf([[2, 0, rowOf("a", "1", 2)], ...inTxn])],
      ["up to now", all, hashOf([[2, 0, rowOf("a", "1", 2)], ...inTxn, [5, 0, rowOf("a", "2", 2, 5, 2)]])],
      [
        "compacted",
        hashAt(bench, 0),
        hashOf([
          [3, 1, rowOf("c", "1", 3)],
          [5, 0, rowOf("a", "2", 2, 5, 2)],
        ]),
      ],
    );
  },
  txn: () => {
    const bench = new Bench();
    const isNew = compareOf("a", { target: "CREATE", createRevision: 0 });
    const { responses, header } = bench.txn({
      success: [
        op.get("a"),
        op.put("a", "1"),
        op.get("a"),
        op.txn({ compare: [isNew], success: [op.put("new")], failure: [op.put("old")] }),
      ],
    });
    const revisions = responses.map((each) => (each.responseRange ?? each.responsePut)?.header?.revision ?? null);
    return first(
      ["revisions so far", revisions, [1, 2, 2, null]],
      ["of the whole", header?.revision, 2],
      ["what a read behind the put sees", responses[2]?.responseRange?.kvs[0]?.value, "1"],
      ["the nested compare saw the store before", bench.all(), ["a=1", "new="]],
    );
  },
  "txn-checks": () => {
    const bench = new Bench();
    bench.grant(1);
    const noLease = textOf(
      bench.apply({ txn: txnOf({ success: [op.put("a"), op.put("b", "", { lease: lease(9) })] }) }).response,
    );
    bench.put("k", "1", { lease: lease(1) });
    const kept = bench.put("k", "2", { ignoreLease: true, prevKv: true });
    const tooMany = txnOf({ success: [op.txn({ success: Array.from({ length: 128 }, (_, i) => op.put(`k${i}`)) })] });
    const most = txnOf({ success: Array.from({ length: 128 }, (_, i) => op.put(`k${i}`)) });
    return first(
      ["an unknown lease", noLease, "requested lease not found"],
      ["nothing was put", [bench.revision, bench.all()], [3, ["k=2"]]],
      ["the lease that is kept", bench.leaseOf("k"), "1"],
      ["the value before", kept.prevKv?.value, "1"],
      ["129 in all", textOf(checkTxn(tooMany, false)), "too many operations in txn request"],
      ["128", checkTxn(most, false), null],
      [
        "delete, then put",
        textOf(checkTxn(txnOf({ success: [op.del("a", "c"), op.put("b")] }), false)),
        "duplicate key given in txn request",
      ],
      [
        "put twice",
        textOf(checkTxn(txnOf({ success: [op.put("b"), op.put("b")] }), false)),
        "duplicate key given in txn request",
      ],
    );
  },
  compares: () => {
    const bench = new Bench();
    bench.put("a", "1");
    bench.put("b", "2");
    const holds = (...given: Parameters<typeof compareOf>) => bench.txn({ compare: [compareOf(...given)] }).succeeded;
    return first(
      ["no value differs from a missing one", holds("x", { target: "VALUE", result: "NOT_EQUAL", value: "1" }), false],
      ["a missing version is 0", holds("x", { target: "VERSION", result: "EQUAL", version: 0 }), true],
      ["one of two", holds("a", { ...ALL, target: "VALUE", result: "EQUAL", value: "1" }), false],
      ["both", holds("a", { ...ALL, target: "VERSION", result: "EQUAL", version: 1 }), true],
    );
  },
  /** A put takes a key off its lease, a delete too; the end of a lease takes its keys in one revision, in order. */
  "lease-keys": () => {
    const bench = new Watching();
    bench.grant(1);
    bench.grant(2);
    for (const key of ["c", "a", "b", "free", "moved", "again"]) bench.put(key, "", { lease: lease(1) });
    bench.put("free");
    bench.put("moved", "", { lease: lease(2) });
    bench.del("again");
    bench.put("again");
    const before = bench.revision;
    bench.watch("\0", ALL);
    bench.revoke(1);
    return first(
      ["one revision", bench.revision, before + 1],
      ["what is told", bench.heard(), [`0@12:-a@12,-b@12,-c@12`]],
      ["what stays", bench.all(), ["again=", "free=", "moved="]],
    );
  },
  "lease-grants": () => {
    const bench = new Bench();
    return first(
      [
        "below the minimum",
        bench.grant(1, 1),
        { header: { clusterId: "0", memberId: "0", revision: 1, raftTerm: 0 }, id: "1", ttl: 2, error: "" },
      ],
      ["a taken id", textOf(bench.grant(1)), "lease already exists"],
      ["too long", textOf(bench.grant(2, 9_000_000_001)), "too large lease TTL"],
    );
  },
  "lease-counts": () => {
    const lessor = counting(1, 10);
    const early = lessor.takeExpired(10 * SECOND - 1, RETRY);
    const renewed = lessor.renew(lease(1), 5 * SECOND);
    const put = lessor.takeExpired(14 * SECOND, RETRY);
    const over = lessor.takeExpired(15 * SECOND, RETRY);
    return first(
      ["before its time", early, []],
      ["renewed", renewed, 10],
      ["its first time has passed", put, []],
      ["its time has passed", over, ["1"]],
      ["renewing what is over", lessor.renew(lease(1), 15 * SECOND), null],
      ["on its way", lessor.takeExpired(16 * SECOND, RETRY), []],
      ["came to nothing", lessor.takeExpired(22 * SECOND, RETRY), ["1"]],
      ["sixteen at once", counting(40, 5).takeExpired(5 * SECOND, RETRY).length, 16],
    );
  },
  "lease-leaders": () => {
    const lessor = counting(1, 10);
    lessor.grant(lease(2), 1_000, 0);
    lessor.setRemaining(lease(2), 700, 0);
    lessor.demote();
    const deposed = lessor.takeExpired(99 * SECOND, RETRY);
    const follower = lessor.renew(lease(1), SECOND);
    lessor.promote(SECOND, 100 * SECOND);
    return first(
      ["a deposed leader ends", deposed, []],
      ["a follower renews", follower, null],
      ["a new leader counts in full and an election timeout", lessor.expiresAt(lease(1)), 111 * SECOND],
      ["or from the checkpoint", lessor.expiresAt(lease(2)), 801 * SECOND],
    );
  },
  "lease-spread": () => {
    const lessor = counting(1_500, 10);
    lessor.promote(0, 0);
    const ends = Array.from({ length: 1_500 }, (_, i) => lessor.expiresAt(lease(i + 1)) ?? 0);
    return first(["ends within the same second", ends.filter((end) => end === 10 * SECOND).length, 750]);
  },
  watches: () => {
    const bench = new Watching();
    bench.put("a");
    bench.watch("a", { startRevision: 2 });
    bench.watch("a", { startRevision: 5 });
    bench.watch("a", { rangeEnd: "b", filters: ["NOPUT"] });
    bench.watch("a", { rangeEnd: "b" });
    bench.watch("a", { rangeEnd: "z", filters: ["NOPUT", "NODELETE"] });
    bench.put("a");
    bench.sync();
    bench.put("b");
    bench.txn({ success: [op.del("a", "\0"), op.put("a")] });
    return first(
      [
        "what is told",
        bench.heard(),
        ["3@3:+a@3", "0@3:+a@2,+a@3", "0@5:-a@5,+a@5", "1@5:-a@5,+a@5", "2@5:-a@5", "3@5:-a@5,+a@5"],
      ],
      ["progress", bench.watchable.progress("s")?.header?.revision, 5],
    );
  },
  "watch-batches": () => {
    const bench = new Watching();
    for (let i = 0; i < 999; i += 1) bench.put("k");
    bench.txn({ success: [op.put("k"), op.put("l")] });
    for (let i = 0; i < 10; i += 1) bench.put("k");
    bench.watch("k", { rangeEnd: "m", startRevision: 1 });
    const waiting = bench.watchable.progress("s");
    bench.sync();
    const some = bench.heard();
    const later = bench.watchable.progress("s");
    bench.sync();
    const rest = bench.heard();
    const count = (told: readonly string[]): readonly number[] => told.map((each) => each.split(",").length);
    return first(
      ["progress ahead of events", [waiting, later], [null, null]],
      ["a thousand revisions", [count(some), some[0]?.endsWith("+k@1001,+l@1001")], [[1_001], true]],
      ["the others", [count(rest), rest[0]?.startsWith("0@1011:+k@1002,")], [[10], true]],
    );
  },
  "watch-prev": () => {
    const bench = new Watching();
    bench.put("a", "1");
    const found: (string | undefined)[] = [];
    bench.watch("a", { prevKv: true });
    for (const value of ["2", "3"]) {
      const { changes } = bench.state.apply(create(InternalRaftRequest, { put: putOf("a", value) }), 9, 0);
      for (const { response } of bench.watchable.notify(changes)) found.push(response.events[0]?.prevKv?.value);
    }
    return first(["the values before", found, ["1", "2"]]);
  },
  "watch-ids": () => {
    const bench = new Watching();
    const ids = [bench.watch("a").watchId, bench.watch("a").watchId];
    bench.watchable.cancel("s", 0);
    bench.watchable.cancel("s", 1);
    return first(
      ["after a cancel", [...ids, bench.watch("a").watchId], [0, 1, 2]],
      ["a taken one", bench.watch("b", { watchId: 2 }).watchId, -1],
    );
  },
  "watch-compacted": () => {
    const bench = new Watching();
    for (let i = 0; i < 5; i += 1) bench.put("a");
    bench.compact(4);
    bench.watch("a", { watchId: 7, startRevision: 3 });
    bench.sync();
    return first(
      ["told", bench.heard(), ["7@0:canceled"]],
      ["its id is still taken", bench.watch("a", { watchId: 7 }).canceled, true],
    );
  },
  /** A member that lags gets a snapshot: its watches go on from where they were. */
  "watch-restored": () => {
    const ahead = new Bench();
    const behind = new Watching();
    for (const bench of [ahead, behind]) bench.put("a");
    behind.watch("a");
    behind.watch("a", { startRevision: 5 });
    for (const bench of [ahead, behind]) bench.put("a");
    for (let i = 0; i < 3; i += 1) ahead.put("a");
    behind.state.restore(ahead.state.snapshot());
    behind.watchable.restored();
    behind.sync();
    behind.put("a");
    return first([
      "what is told",
      behind.heard(),
      ["0@3:+a@3", "0@6:+a@4,+a@5,+a@6", "1@6:+a@5,+a@6", "0@7:+a@7", "1@7:+a@7"],
    ]);
  },
  "watch-progress": () => {
    const bench = new Watching();
    bench.watch("a", { progressNotify: true });
    bench.put("a");
    const busy = bench.watchable.notifyProgress().length;
    const quiet = bench.watchable.notifyProgress().length;
    bench.watch("a", { startRevision: 9 });
    return first(["after events", busy, 0], ["after none", quiet, 1], ["ahead", bench.watchable.progress("s"), null]);
  },
  alarms: () => {
    const bench = new Bench();
    bench.put("a");
    bench.apply({ alarm: { action: "ACTIVATE", memberId: "1" as MemberId, alarm: "NOSPACE" } });
    const refused = textOf(bench.apply({ put: putOf("b") }).response);
    const full = new Bench({ quotaBytes: 1 });
    return first(
      ["a put", refused, "mvcc: database space exceeded"],
      ["a delete", bench.del("a").deleted, 1],
      ["above the quota", textOf(full.apply({ put: putOf("b") }).response), "mvcc: database space exceeded"],
    );
  },
  permissions: () => {
    const bench = new Bench();
    const user = (name: string) => ({
      authUserAdd: { name, password: "p", options: { noPassword: false }, hashedPassword: "" },
    });
    for (const name of ["root", "u"]) {
      const role = name === "root" ? "root" : "r";
      bench.apply(user(name));
      bench.apply({ authRoleAdd: { name: role } });
      bench.apply({ authUserGrantRole: { user: name, role } });
    }
    const perm = create(Permission, { permType: "WRITE", key: "mine" });
    bench.apply({ authRoleGrantPermission: create(AuthRoleGrantPermissionRequest, { name: "r", perm }) });
    bench.apply({ authEnable: {} });
    const as = (request: Parameters<Bench["apply"]>[0], revision = bench.state.auth.revision) =>
      textOf(bench.apply({ ...request, header: { id: "1", username: "u", authRevision: revision } }).response);
    return first(
      ["what is granted", as({ put: putOf("mine") }), null],
      ["what is not", as({ put: putOf("other") }), "permission denied"],
      ["reading it", as({ put: putOf("mine", "", { prevKv: true }) }), "permission denied"],
      ["by a transaction", as({ txn: txnOf({ failure: [op.put("other")] }) }), "permission denied"],
      ["with an old look", as({ put: putOf("mine") }, 1), "revision of auth store is old"],
    );
  },
  membership: () => {
    const cluster = new Membership([member(1), member(2), member(3)]);
    cluster.apply({ kind: "remove", member: member(3) });
    const again = textOf(cluster.apply({ kind: "add", member: member(3) }));
    const learner = textOf(cluster.apply({ kind: "add", member: member(4, true) }));
    return first(
      ["a removed id", again, "member not found"],
      ["a learner", learner, null],
      [
        "another one",
        textOf(cluster.apply({ kind: "add", member: member(5, true) })),
        "too many learner members in cluster",
      ],
      [
        "promoting a voter",
        textOf(cluster.apply({ kind: "promote", member: member(1) })),
        "can only promote a learner member",
      ],
    );
  },
  snapshot: () => {
    const one = new Bench();
    one.grant(1);
    for (const key of ["a", "b"]) one.put(key, key, { lease: lease(1) });
    one.del("b");
    one.put("c");
    one.compact(3);
    const other = new Bench();
    other.state.restore(one.state.snapshot());
    const same = [[...one.state.snapshot()], hashAt(one, 0)];
    const restored = [[...other.state.snapshot()], hashAt(other, 0)];
    other.revoke(1);
    return first(["bytes and hash", restored, same], ["its lease knows its keys", other.all(), ["c="]]);
  },
  checkpoint: () => {
    const bench = new Bench();
    bench.grant(1);
    for (const key of ["a", "b", "a"]) bench.put(key, key, { lease: lease(1) });
    const before = [bench.all(), bench.all(3), bench.revision, bench.state.lessor.keysOf(lease(1))];
    const hash = hashAt(bench, 0);
    const saved = bench.state.checkpoint();
    bench.put("late", "", { lease: lease(1) });
    bench.del("a");
    bench.compact(bench.revision);
    const other = new Bench();
    other.state.resume(saved);
    const after = [other.all(), other.all(3), other.revision, other.state.lessor.keysOf(lease(1))];
    const itsHash = hashAt(other, 0);
    const again = other.state.checkpoint();
    other.put("other");
    const third = new Bench();
    third.state.resume(again);
    return first(
      ["as it was", after, before],
      ["its hash", itsHash, hash],
      ["a put behind it", [third.get("other").count, third.state.mvcc.changeCount], [0, 3]],
      ["who goes on does not see the other", bench.get("other").count, 0],
    );
  },
} as const satisfies Readonly<Record<string, () => Wrong>>;

export type StoreCase = keyof typeof CASES;
export const STORE_CASES = Object.keys(CASES) as readonly StoreCase[];

/** What is wrong, or null. What the store itself finds wrong counts too. */
export function playStoreCase(name: StoreCase): Wrong {
  try {
    return CASES[name]();
  } catch (error) {
    return `${name} ended: ${error instanceof Error ? error.message : String(error)}`;
  }
}
