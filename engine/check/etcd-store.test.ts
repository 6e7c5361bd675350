/** The store against the model: random programs, each answer judged, and each watch's events compared with the past. */
import fc from "fast-check";
import { expect, it } from "vitest";
import type { Bytes } from "../etcd/api/bytes.ts";
import { checkTxn } from "../etcd/api/check.ts";
import { type Event, RangeRequest, WatchCreateRequest, type WatchResponse } from "../etcd/api/messages.ts";
import { create } from "../etcd/api/proto.ts";
import { contains, type Span } from "../etcd/mvcc/span.ts";
import { isError } from "../etcd/mvcc/txn.ts";
import { Bench, compareOf, deleteOf, lease, op, putOf, txnOf } from "../etcd/testing.ts";
import { type Told, Watchable } from "../etcd/watch/watchable.ts";
import {
  EMPTY_STORE,
  ETCD_MODEL,
  eventsOf,
  sameKv,
  type StoreInput,
  type StoreOutput,
  type StoreState,
} from "./etcd-model.ts";

const KEYS: readonly Bytes[] = ["a", "a\0", "ab", "b", "b\xff", "c", "\xff"];
const key = fc.constantFrom(...KEYS);
const end = fc.constantFrom("", "", "\0", "b", "c", "\xff");
const value = fc.constantFrom("", "x", "y");
const someLease = fc.integer({ min: 0, max: 3 }).map(lease);
const revision = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 60 }));

const put = fc
  .tuple(key, value, someLease, fc.boolean(), fc.boolean(), fc.boolean())
  .map(([k, v, l, prevKv, ignoreValue, ignoreLease]) => {
    const [iv, il] = [ignoreValue && v === "", ignoreLease && l === "0"];
    return putOf(k, v, { lease: l, prevKv, ignoreValue: iv, ignoreLease: il });
  });
const range = fc
  .record({
    key,
    rangeEnd: end,
    revision,
    limit: fc.constantFrom(0, 0, 1, 2, 9),
    sortOrder: fc.constantFrom("NONE", "ASCEND", "DESCEND"),
    sortTarget: fc.constantFrom("KEY", "VERSION", "CREATE", "MOD", "VALUE"),
    keysOnly: fc.boolean(),
    countOnly: fc.constantFrom(false, false, true),
    minModRevision: fc.constantFrom(0, 0, 5),
    maxCreateRevision: fc.constantFrom(0, 0, 9),
  })
  .map((given) => create(RangeRequest, given as Partial<RangeRequest>));
const del = fc.tuple(key, end, fc.boolean()).map(([k, e, prevKv]) => deleteOf(k, e, prevKv));
const compare = fc
  .tuple(
    key,
    end,
    fc.constantFrom("EQUAL", "NOT_EQUAL", "GREATER", "LESS"),
    fc.constantFrom(
      { target: "VERSION", version: 1 },
      { target: "CREATE", createRevision: 4 },
      { target: "MOD", modRevision: 6 },
      { target: "VALUE", value: "x" },
      { target: "LEASE", lease: lease(1) },
    ),
  )
  .map(([k, rangeEnd, result, given]) => compareOf(k, { rangeEnd, result, ...given }));
const leaf = fc.oneof(
  put.map((p) => op.put(p.key, p.value, p)),
  range.map((r) => op.get(r.key, r)),
  del.map((d) => op.del(d.key, d.rangeEnd, d.prevKv)),
);
const flat = fc
  .tuple(fc.array(compare, { maxLength: 2 }), fc.array(leaf, { maxLength: 3 }), fc.array(leaf, { maxLength: 2 }))
  .map(([c, success, failure]) => ({ compare: c, success, failure }));
const txn = fc
  .tuple(flat, fc.array(flat, { maxLength: 1 }))
  .map(([outer, inner]) => txnOf({ ...outer, success: [...outer.success, ...inner.map((one) => op.txn(one))] }));

const input: fc.Arbitrary<StoreInput> = fc.oneof(
  { weight: 5, arbitrary: put.map((body) => ({ method: "KV/Put", body }) as const) },
  { weight: 4, arbitrary: range.map((body) => ({ method: "KV/Range", body }) as const) },
  { weight: 2, arbitrary: del.map((body) => ({ method: "KV/DeleteRange", body }) as const) },
  { weight: 5, arbitrary: txn.map((body) => ({ method: "KV/Txn", body }) as const) },
  {
    weight: 1,
    arbitrary: revision.map((at) => ({ method: "KV/Compact", body: { revision: at, physical: false } }) as const),
  },
  {
    weight: 1,
    arbitrary: fc
      .integer({ min: 1, max: 3 })
      .map((id) => ({ method: "Lease/LeaseGrant", body: { id: lease(id), ttl: 60 } }) as const),
  },
  {
    weight: 1,
    arbitrary: fc
      .integer({ min: 1, max: 3 })
      .map((id) => ({ method: "Lease/LeaseRevoke", body: { id: lease(id) } }) as const),
  },
);

const FIELDS = {
  "KV/Put": "put",
  "KV/DeleteRange": "deleteRange",
  "KV/Txn": "txn",
  "KV/Compact": "compaction",
  "Lease/LeaseGrant": "leaseGrant",
  "Lease/LeaseRevoke": "leaseRevoke",
} as const;

/** One step of the store; what it told its watches goes to `told`. */
function step(bench: Bench, watchable: Watchable, asked: StoreInput, told: Told[]): object {
  if (asked.method === "KV/Range") return bench.state.range(asked.body);
  const { response, changes } = bench.apply({ [FIELDS[asked.method]]: asked.body });
  told.push(...watchable.notify(changes));
  return response;
}

function sane(asked: StoreInput): boolean {
  return asked.method !== "KV/Txn" || checkTxn(asked.body, true) === null;
}

/** Null when the model takes the answer; what it took for right otherwise. */
function judge(model: StoreState, asked: StoreInput, response: object): StoreState | string {
  const output = isError(response) ? null : (response as StoreOutput);
  const after = ETCD_MODEL.step(model, asked, output);
  // Refused by the store: the model must have nothing to do either.
  if (after === null || (output === null && after !== model)) return JSON.stringify({ asked, response });
  return after;
}

it("answers as the model does, and refuses what the model refuses", () => {
  fc.assert(
    fc.property(fc.array(input, { minLength: 10, maxLength: 80 }), (program) => {
      const bench = new Bench();
      const watchable = new Watchable(bench.state.mvcc, "3.5");
      let model: StoreState = EMPTY_STORE;
      for (const asked of program.filter(sane)) {
        const judged = judge(model, asked, step(bench, watchable, asked, []));
        expect(judged).toBeTypeOf("object");
        model = judged as StoreState;
        expect(bench.revision).toBe(model.revision);
      }
    }),
    { numRuns: 300 },
  );
});

/** Up to the end of all keys, a range covers none of a transaction's puts as etcd sees it: both are carried out. */
const PUT_AND_DELETED_AT_ONCE: [[StoreInput, boolean][], WatchAsked[]] = [
  [
    [{ method: "KV/Put", body: putOf("a\0", "x") }, true],
    [{ method: "KV/Txn", body: txnOf({ success: [op.put("a\0", "y"), op.del("a", "\0")] }) }, true],
  ],
  [{ key: "a\0", rangeEnd: "", at: 0, back: 0 }],
];

interface WatchAsked extends Span {
  /** Before which step, and how many revisions back it starts. */
  readonly at: number;
  readonly back: number;
}

it("each watch hears of all that matches from its start on, in order, each revision whole, nothing twice", () => {
  const watch = fc.record({
    key,
    rangeEnd: end,
    at: fc.integer({ min: 0, max: 60 }),
    back: fc.integer({ min: -3, max: 10 }),
  });
  const program = fc.array(fc.tuple(input, fc.boolean()), { minLength: 10, maxLength: 60 });
  fc.assert(
    fc.property(program, fc.array(watch, { maxLength: 6 }), (steps, watches) => {
      const bench = new Bench();
      const watchable = new Watchable(bench.state.mvcc, "3.5");
      watchable.openStream("s");
      const told: Told[] = [];
      const starts = new Map<number, Span & { readonly from: number }>();
      let model: StoreState = EMPTY_STORE;
      for (const [i, [asked, syncs]] of steps.entries()) {
        for (const { key: k, rangeEnd, at, back } of watches) {
          if (at !== i) continue;
          const startRevision = Math.max(0, bench.revision - back);
          const answer = watchable.create(
            "s",
            create(WatchCreateRequest, { key: k, rangeEnd, startRevision, prevKv: true }),
          );
          const from = startRevision === 0 ? bench.revision + 1 : startRevision;
          if (!answer.canceled) starts.set(answer.watchId, { from, key: k, rangeEnd });
        }
        if (!sane(asked)) continue;
        const response = step(bench, watchable, asked, told);
        if (!isError(response)) model = ETCD_MODEL.step(model, asked, response as StoreOutput) as StoreState;
        if (syncs) told.push(...watchable.sync());
      }
      while (watchable.lags) told.push(...watchable.sync());
      for (const [id, start] of starts) {
        const responses = told.map(({ response }) => response).filter(({ watchId }) => watchId === id);
        const past = eventsOf(model).filter(
          ({ kv }) => kv !== null && kv.modRevision >= start.from && contains(start, kv.key),
        );
        expect(faultIn(responses, past)).toBeNull();
      }
    }),
    { numRuns: 300, examples: [PUT_AND_DELETED_AT_ONCE] },
  );
});

const plain = ({ type, kv }: Event): string => JSON.stringify([type, kv?.key, kv?.modRevision, kv?.value]);

/** What is wrong with what a watch was told. One that is told of compaction has heard of all up to then. */
function faultIn(responses: readonly WatchResponse[], past: readonly Event[]): string | null {
  const heard = responses.flatMap(({ events }) => events);
  const isEnded = responses.some(({ canceled }) => canceled);
  if (!isEnded && heard.length !== past.length) return `${heard.length} events of ${past.length}`;
  for (const [i, event] of heard.entries()) {
    const right = past[i];
    if (plain(event) !== (right === undefined ? null : plain(right))) return `event ${i} is ${plain(event)}`;
    if (event.prevKv !== null && !sameKv(event.prevKv, right?.prevKv ?? null))
      return `event ${i}: another value before`;
  }
  let last = 0;
  for (const { events } of responses) {
    const revisions = events.map(({ kv }) => kv?.modRevision ?? 0);
    if (revisions.some((revision) => revision <= last)) return `revision ${last} is split`;
    last = Math.max(last, ...revisions);
  }
  return null;
}
