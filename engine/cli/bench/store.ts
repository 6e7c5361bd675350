/** What etcd's store costs by itself, with no Raft and no world around it: puts and reads, watches, checkpoints, memory. */
import { assert, present } from "../../base/assert.ts";
import { rngFor } from "../../base/rng.ts";
import type { LeaseId } from "../../etcd/api/ids.ts";
import { InternalRaftRequest, PutRequest, RangeRequest, WatchCreateRequest } from "../../etcd/api/messages.ts";
import { create, decode, encode } from "../../etcd/api/proto.ts";
import { EtcdState } from "../../etcd/state.ts";
import { Watchable } from "../../etcd/watch/watchable.ts";
import { type Measured, median, spread, stopwatch } from "./benchmark.ts";

const KEYS = 100_000;
const VALUE = "x".repeat(64);
const ROUNDS = 7;

const keyOf = (n: number): string => `key-${String(n).padStart(6, "0")}`;

function freshState(): EtcdState {
  return new EtcdState({ compat: "3.5", minLeaseTtl: 2, quotaBytes: -1, members: [] });
}

/** Puts each of the keys once, as entries of the log. */
function filled(keys: number): EtcdState {
  const state = freshState();
  for (let n = 0; n < keys; n += 1) putOne(state, n);
  return state;
}

function putOne(state: EtcdState, n: number, lease?: LeaseId): ReturnType<EtcdState["apply"]> {
  const put = create(PutRequest, { key: keyOf(n), value: VALUE, ...(lease === undefined ? {} : { lease }) });
  return state.apply(create(InternalRaftRequest, { put }), n, 0);
}

/** Which keys are touched, in an order without order, made before the clock runs. */
function chosen(count: number, keys: number): readonly number[] {
  const rng = rngFor(1, "store");
  return Array.from({ length: count }, () => rng.below(keys));
}

/** Times a second. */
function rate(count: number, work: () => void): number {
  const spent = stopwatch();
  work();
  return count / (spent() / 1_000);
}

/** A request of its own, a response, the history and the index, for each. */
export function measureStorePuts(): Measured {
  const COUNT = 100_000;
  const state = filled(KEYS);
  const keys = chosen(COUNT, KEYS);
  const round = (): number =>
    rate(COUNT, () => {
      for (const key of keys) putOne(state, key);
    });
  round();
  // What compaction would take away weighs on the collector: each round begins as the first.
  const rates = Array.from({ length: ROUNDS }, () => {
    state.mvcc.compact(state.mvcc.revision);
    return round();
  });
  return { value: median(rates), note: `into ${KEYS} keys, values of ${VALUE.length} bytes; ${spread(rates)}` };
}

export function measureStoreReads(): Measured {
  const COUNT = 500_000;
  const state = filled(KEYS);
  const keys = chosen(COUNT, KEYS).map(keyOf);
  let found = 0;
  const round = (): number =>
    rate(COUNT, () => {
      for (const key of keys) {
        const answer = state.range(create(RangeRequest, { key }));
        if ("kvs" in answer) found += answer.kvs.length;
      }
    });
  round();
  const rates = Array.from({ length: ROUNDS }, round);
  assert(found === COUNT * (ROUNDS + 1), "every key was found");
  return { value: median(rates), note: `from ${KEYS} keys; ${spread(rates)}` };
}

export function measureStoreRange(): Measured {
  const COUNT = 200;
  const LENGTH = 1_000;
  const state = filled(KEYS);
  const starts = chosen(COUNT, KEYS - LENGTH);
  let found = 0;
  const round = (): number => {
    const spent = stopwatch();
    for (const start of starts) {
      const answer = state.range(create(RangeRequest, { key: keyOf(start), rangeEnd: keyOf(start + LENGTH) }));
      if ("kvs" in answer) found += answer.kvs.length;
    }
    return spent() / COUNT;
  };
  round();
  const times = Array.from({ length: ROUNDS }, round);
  assert(found === COUNT * LENGTH * (ROUNDS + 1), "every key was found");
  return { value: median(times), note: `${LENGTH} of ${KEYS} keys; ${spread(times, 3)}` };
}

/** Each watch its own key; puts go to keys that are watched in both. */
export function measureStoreWatchers(): Measured {
  const COUNT = 50_000;
  const costWith = (watchers: number): (() => number) => {
    const state = filled(10_000);
    const watchable = new Watchable(state.mvcc, "3.5");
    watchable.openStream("s");
    for (let n = 0; n < watchers; n += 1) watchable.create("s", create(WatchCreateRequest, { key: keyOf(n) }));
    const keys = chosen(COUNT, 10);
    return () => {
      let told = 0;
      const spent = stopwatch();
      for (const key of keys) told += watchable.notify(putOne(state, key).changes).length;
      const cost = spent() / COUNT;
      assert(told === COUNT, "one watch was told of each put");
      state.mvcc.compact(state.mvcc.revision);
      return cost * 1_000;
    };
  };
  const [few, many] = [costWith(10), costWith(10_000)];
  few();
  many();
  const pairs = Array.from({ length: ROUNDS }, () => [few(), many()] as const);
  const [a, b] = [median(pairs.map(([each]) => each)), median(pairs.map(([, each]) => each))];
  return { value: b / a, note: `${a.toFixed(2)} µs a put with 10, ${b.toFixed(2)} with 10,000` };
}

/** 10,000 keys, each on a lease of its own, and a history ten times as long. */
export function measureStoreCheckpoint(): Measured {
  const state = freshState();
  for (let n = 0; n < 10_000; n += 1) {
    const id = String(n + 1) as LeaseId;
    state.apply(create(InternalRaftRequest, { leaseGrant: { id, ttl: 60 } }), n, 0);
    for (let i = 0; i < 10; i += 1) putOne(state, n, id);
  }
  let kept = 0;
  const round = (): number => {
    const spent = stopwatch();
    for (let i = 0; i < 10; i += 1) kept += state.checkpoint().lessor.leases.length;
    return spent() / 10;
  };
  round();
  const times = Array.from({ length: ROUNDS }, round);
  assert(kept === 100_000 * (ROUNDS + 1), "every lease is in it");
  return { value: median(times), note: `10,000 keys and leases, 100,000 changes; ${spread(times, 2)}` };
}

/** A put to the bytes that Raft carries, and back: once by the leader, once by each member. */
export function measureProposalCoding(): Measured {
  const COUNT = 100_000;
  let bytes = 0;
  const round = (): number =>
    rate(COUNT, () => {
      for (let n = 0; n < COUNT; n += 1) {
        const put = create(PutRequest, { key: keyOf(n), value: VALUE });
        const coded = encode(InternalRaftRequest, create(InternalRaftRequest, { put }));
        bytes += coded.length;
        assert(decode(InternalRaftRequest, coded).put?.key.length === put.key.length, "it comes back");
      }
    });
  round();
  const rates = Array.from({ length: ROUNDS }, round);
  return { value: median(rates), note: `${Math.round(bytes / (COUNT * (ROUNDS + 1)))} bytes each; ${spread(rates)}` };
}

declare const gc: (() => void) | undefined;

export function measureStoreMemory(): Measured {
  const collect = present(gc, "node --expose-gc");
  const heap = (): number => process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers;
  const COUNT = 200_000;
  const state = filled(10_000);
  collect();
  const before = heap();
  // Values that differ, as a client's do: one string for all would count once.
  for (let n = 0; n < COUNT; n += 1) {
    const value = `${String(n).padStart(8, "0")}${VALUE.slice(8)}`;
    state.apply(create(InternalRaftRequest, { put: create(PutRequest, { key: keyOf(n % 10_000), value }) }), n, 0);
  }
  collect();
  const each = (heap() - before) / COUNT;
  assert(state.mvcc.changeCount === COUNT + 10_000, "all are kept");
  return { value: each, note: `${COUNT} changes of 10,000 keys, values of ${VALUE.length} bytes` };
}
