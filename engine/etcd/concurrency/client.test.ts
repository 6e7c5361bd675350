import { expect, it } from "vitest";
import { Bench } from "../client/testing.ts";
import type { LeaseId } from "../api/ids.ts";
import { Event, KeyValue, RangeResponse, ResponseHeader, TxnResponse, WatchResponse } from "../api/messages.ts";
import { create } from "../api/proto.ts";
import { Concurrency } from "./client.ts";

const lease = "255" as LeaseId;
const header = (revision: number) => create(ResponseHeader, { revision });
const kv = (key: string, createRevision: number, value = "") =>
  create(KeyValue, { key, createRevision, modRevision: createRevision, version: 1, value });

function start() {
  const bench = new Bench(["n1"]);
  const functions = {
    increment: (stm: { get(key: string): string; put(key: string, value: string): void }, args: unknown) =>
      stm.put(args as string, String(Number(stm.get(args as string)) + 1)),
  };
  const concurrency = new Concurrency(bench.client, null, { compat: "3.6", functions });
  const taken = () => concurrency.take(bench.outcomes.splice(0));
  const session = concurrency.session({ lease });
  bench.settle();
  taken();
  return { bench, concurrency, taken, session };
}

it("a waiter that is woken by its predecessor's delete reads again, owns, and tells nobody of its own watch", () => {
  const { bench, concurrency, taken, session } = start();
  const task = concurrency.lock(session, "l");
  bench.settle();
  const owner = { responseRange: create(RangeResponse, { kvs: [kv("l/1", 5)] }) };
  bench.answer(bench.last("call").call, { header: header(7), succeeded: true, responses: [{}, owner] });
  taken();
  bench.settle();
  bench.answer(bench.last("call").call, create(RangeResponse, { header: header(8), kvs: [kv("l/1", 5)] }));
  taken();
  bench.settle();
  expect(bench.last("send").body).toMatchObject({ createRequest: { key: "l/1", startRevision: 8 } });
  const stream = bench.last("open").call;
  bench.message(stream, create(WatchResponse, { header: header(8), created: true }));
  const gone = create(Event, { type: "DELETE", kv: kv("l/1", 0) });
  bench.message(stream, create(WatchResponse, { header: header(9), events: [gone] }));
  taken();
  bench.settle();
  bench.answer(bench.last("call").call, create(RangeResponse, { header: header(9) }));
  taken();
  bench.settle();
  bench.answer(bench.last("call").call, create(RangeResponse, { header: header(9), kvs: [kv("l/ff", 7)] }));
  expect(taken()).toEqual([{ type: "locked", task, key: "l/ff", ownRevision: 7, header: header(9) }]);
  expect(concurrency.ownerCompare(task)).toMatchObject({ key: "l/ff", createRevision: 7, target: "CREATE" });

  const unlock = concurrency.unlock(task);
  bench.settle();
  bench.answer(bench.last("call").call, { header: header(10), deleted: 1, prevKvs: [] });
  expect(taken()).toEqual([{ type: "unlocked", task: unlock, header: header(10) }]);
  const again = concurrency.unlock(task);
  expect(taken()).toMatchObject([{ task: again, error: { message: "mutex: lock has already been released" } }]);
});

it("a transaction by name is run again after a conflict, also from a checkpoint", () => {
  const { bench, concurrency, taken } = start();
  const task = concurrency.stm("increment", "n");
  bench.settle();
  const read = (revision: number, value: string) => ({
    responseRange: create(RangeResponse, { header: header(revision), kvs: [kv("n", revision, value)] }),
  });
  bench.answer(bench.last("call").call, { header: header(5), succeeded: true, responses: [read(5, "1")] });
  taken();
  concurrency.restore(structuredClone(concurrency.checkpoint()));
  bench.settle();
  bench.answer(bench.last("call").call, { header: header(6), succeeded: false, responses: [read(6, "7")] });
  taken();
  bench.settle();
  expect(bench.last("call").body).toMatchObject({ success: [{ requestPut: { key: "n", value: "8" } }] });
  bench.answer(bench.last("call").call, create(TxnResponse, { header: header(7), succeeded: true }));
  expect(taken()).toEqual([{ type: "committed", task, header: header(7), conflicts: 1, committed: true }]);
});

it("a leader that was replaced cannot proclaim, and no leader is an error", () => {
  const { bench, concurrency, taken } = start();
  const proclaim = concurrency.proclaim({ key: "e/ff", revision: 3, lease }, "new");
  bench.settle();
  bench.answer(bench.last("call").call, create(TxnResponse, { header: header(9) }));
  expect(taken()).toMatchObject([{ type: "task-failed", task: proclaim, error: { message: "election: not leader" } }]);
  const leader = concurrency.leader("e");
  bench.settle();
  bench.answer(bench.last("call").call, create(RangeResponse, { header: header(9) }));
  expect(taken()).toMatchObject([{ type: "task-failed", task: leader, error: { message: "election: no leader" } }]);
});
