import { describe, expect, it } from "vitest";
import { MS, SECOND } from "../../base/units.ts";
import { CODES, etcdError } from "../api/errors.ts";
import type { LeaseId } from "../api/ids.ts";
import {
  Event,
  KeyValue,
  LeaseKeepAliveResponse,
  RangeResponse,
  ResponseHeader,
  WatchResponse,
} from "../api/messages.ts";
import { create } from "../api/proto.ts";
import { Concurrency } from "../concurrency/client.ts";
import { Bench } from "./testing.ts";

const header = (revision: number) => create(ResponseHeader, { revision });
const put = (key: string, modRevision: number) =>
  create(Event, { type: "PUT", kv: create(KeyValue, { key, modRevision, version: 1, createRevision: modRevision }) });
const lease = "7" as LeaseId;

describe("calls", () => {
  it("take turns between the endpoints", () => {
    const bench = new Bench(["n1", "n2", "n3"]);
    for (let i = 0; i < 4; i += 1) {
      bench.client.call("KV/Range", { key: "a" });
      bench.settle();
    }
    expect(new Set(bench.sent.slice(-3).map(({ to }) => to)).size).toBe(3);
  });

  it("pick-first stays with one member, and goes to the next when that is lost", () => {
    const bench = new Bench(["n1", "n2"], { balance: "pick-first" });
    bench.client.call("KV/Range", { key: "a" });
    bench.settle();
    bench.lose("n1");
    bench.pass(1 * SECOND);
    expect(bench.sent.map(({ to }) => to)).toEqual(["n1", "n2"]);
  });

  it("a read whose connection is lost is sent again, under the same ticket", () => {
    const bench = new Bench(["n1"]);
    const ticket = bench.client.call("KV/Range", { key: "a" });
    bench.settle();
    bench.lose("n1");
    bench.pass(1 * SECOND);
    expect(bench.frames("call")).toHaveLength(2);
    bench.answer(bench.last("call").call, create(RangeResponse, { header: header(3) }));
    expect(bench.took("answer")).toMatchObject([{ ticket, member: "n1" }]);
    expect(bench.events.map(({ type }) => type)).toContain("call-retried");
  });

  it("a write that was sent is never sent again: its outcome is unknown", () => {
    const bench = new Bench(["n1", "n2"]);
    bench.client.call("KV/Put", { key: "a", value: "1" });
    bench.settle();
    bench.lose(bench.sent[0]?.to ?? "");
    bench.pass(10 * SECOND);
    expect(bench.frames("call")).toHaveLength(1);
    expect(bench.took("failed")).toMatchObject([{ unknown: true, error: { code: CODES.Unavailable } }]);
  });

  it("a write waits for a connection, as it has surely not been sent", () => {
    const bench = new Bench(["n1"]);
    bench.up.set("n1" as never, false);
    bench.client.call("KV/Put", { key: "a", value: "1" });
    bench.settle();
    bench.up.set("n1" as never, true);
    bench.pass(2 * SECOND);
    expect(bench.frames("call")).toHaveLength(1);
    expect(bench.took("failed")).toEqual([]);
  });

  it("a call without a connection ends at its deadline, and cannot have happened", () => {
    const bench = new Bench(["n1"], { requestTimeout: 5 * SECOND });
    bench.up.set("n1" as never, false);
    bench.client.call("KV/Put", { key: "a", value: "1" });
    bench.settle();
    bench.pass(5 * SECOND);
    expect(bench.took("failed")).toMatchObject([
      { unknown: false, error: { code: 4, message: "context deadline exceeded" } },
    ]);
  });

  it("a deadline while it waits for the answer leaves the outcome open, and the member is told", () => {
    const bench = new Bench(["n1"], { requestTimeout: 5 * SECOND });
    bench.client.call("KV/Put", { key: "a", value: "1" });
    bench.settle();
    bench.pass(5 * SECOND);
    expect(bench.took("failed")).toMatchObject([{ unknown: true, error: { code: 4 } }]);
    expect(bench.frames("cancel")).toHaveLength(1);
  });

  it("an error that is an answer ends a read too; only Unavailable is tried again", () => {
    const bench = new Bench(["n1"]);
    bench.client.call("KV/Range", { key: "a" });
    bench.settle();
    bench.error(bench.last("call").call, etcdError("LeaderChanged"));
    bench.pass(1 * SECOND);
    expect(bench.frames("call")).toHaveLength(2);
    bench.error(bench.last("call").call, etcdError("Compacted"));
    bench.pass(1 * SECOND);
    expect(bench.frames("call")).toHaveLength(2);
    expect(bench.took("failed")).toMatchObject([{ unknown: false, error: etcdError("Compacted") }]);
  });

  it("a write refused for lack of a leader has not happened; one that timed out at the member may have", () => {
    const bench = new Bench(["n1"]);
    for (const name of ["NoLeader", "Timeout"] as const) {
      bench.client.call("KV/Put", { key: "a" });
      bench.settle();
      bench.error(bench.last("call").call, etcdError(name));
    }
    expect(bench.took("failed").map(({ unknown }) => unknown)).toEqual([false, true]);
  });

  it("a connection that answers no ping is given up", () => {
    const bench = new Bench(["n1"], { keepAlive: { time: 2 * SECOND, timeout: 6 * SECOND } });
    bench.client.call("KV/Put", { key: "a" });
    bench.settle();
    bench.pass(2 * SECOND);
    expect(bench.frames("ping")).toHaveLength(1);
    bench.frame("n1", { type: "pong" });
    bench.pass(9 * SECOND);
    expect(bench.took("failed")).toMatchObject([{ unknown: true }]);
    expect(bench.events).toContainEqual(expect.objectContaining({ type: "connection-lost", why: "ping-unanswered" }));
  });

  it("a token is fetched before the first call, and again when it is found invalid", () => {
    const bench = new Bench(["n1"], { user: { name: "root", password: "pw" } });
    bench.client.call("KV/Put", { key: "a" });
    bench.settle();
    expect(bench.last("call")).toMatchObject({ method: "Auth/Authenticate", body: { name: "root", password: "pw" } });
    bench.answer(bench.last("call").call, { header: null, token: "t1" });
    expect(bench.last("call")).toMatchObject({ method: "KV/Put", metadata: { token: "t1" } });
    bench.error(bench.last("call").call, etcdError("InvalidAuthToken"));
    bench.answer(bench.last("call").call, { header: null, token: "t2" });
    expect(bench.last("call")).toMatchObject({ method: "KV/Put", metadata: { token: "t2" } });
  });

  it("where authentication is off, calls go without a token", () => {
    const bench = new Bench(["n1"], { user: { name: "root", password: "pw" } });
    bench.client.call("KV/Put", { key: "a" });
    bench.settle();
    bench.error(bench.last("call").call, etcdError("AuthNotEnabled"));
    expect(bench.last("call")).toMatchObject({ method: "KV/Put", metadata: { token: null } });
  });

  it("goes on from a checkpoint as if it had never stopped", () => {
    const one = new Bench(["n1"], { requestTimeout: 5 * SECOND });
    one.client.call("KV/Range", { key: "a" });
    one.client.watch("k");
    one.client.keepAlive(lease);
    one.settle();
    const saved = structuredClone(one.client.checkpoint());
    const two = new Bench(["n1"], { requestTimeout: 5 * SECOND });
    two.client.restore(saved);
    expect(two.client.checkpoint()).toEqual(one.client.checkpoint());
    expect(two.client.wakeAt()).toBe(one.client.wakeAt());
  });
});

describe("watches", () => {
  function watching(): Bench {
    const bench = new Bench(["n1", "n2"]);
    bench.client.watch("k", { rangeEnd: "l" });
    bench.settle();
    bench.message(bench.last("open").call, create(WatchResponse, { header: header(5), created: true, watchId: 0 }));
    return bench;
  }

  it("hand on events in order", () => {
    const bench = watching();
    const events = [put("k1", 6), put("k2", 7)];
    bench.message(bench.last("open").call, create(WatchResponse, { header: header(7), events }));
    expect(bench.took("watch-events")).toMatchObject([{ events }]);
  });

  it("go on after a break from the revision after the last one seen", () => {
    const bench = watching();
    bench.message(bench.last("open").call, create(WatchResponse, { header: header(9), events: [put("k1", 8)] }));
    bench.lose(bench.sent[0]?.to ?? "");
    bench.pass(1 * SECOND);
    expect(bench.last("send").body).toMatchObject({ createRequest: { key: "k", startRevision: 9 } });
  });

  it("go on after a break from where they began when nothing was seen yet", () => {
    const bench = watching();
    bench.lose(bench.sent[0]?.to ?? "");
    bench.pass(1 * SECOND);
    expect(bench.last("send").body).toMatchObject({ createRequest: { startRevision: 6 } });
    expect(bench.took("watch-closed")).toEqual([]);
  });

  it("put the fragments of a response together, and forget those of a stream that broke", () => {
    const bench = watching();
    const { call } = bench.last("open");
    bench.message(call, create(WatchResponse, { header: header(6), events: [put("k1", 6)], fragment: true }));
    expect(bench.took("watch-events")).toEqual([]);
    bench.message(call, create(WatchResponse, { header: header(6), events: [put("k2", 6)] }));
    expect(bench.took("watch-events")).toMatchObject([{ events: [{ kv: { key: "k1" } }, { kv: { key: "k2" } }] }]);
    bench.message(call, create(WatchResponse, { header: header(7), events: [put("k1", 7)], fragment: true }));
    bench.lose(bench.sent[0]?.to ?? "");
    bench.pass(1 * SECOND);
    expect(bench.last("send").body).toMatchObject({ createRequest: { startRevision: 7 } });
  });

  it("a progress notification moves the place from which they go on", () => {
    const bench = watching();
    bench.message(bench.last("open").call, create(WatchResponse, { header: header(20) }));
    bench.lose(bench.sent[0]?.to ?? "");
    bench.pass(1 * SECOND);
    expect(bench.last("send").body).toMatchObject({ createRequest: { startRevision: 21 } });
  });

  it("end with Compacted when what they want is gone", () => {
    const bench = watching();
    bench.message(bench.last("open").call, create(WatchResponse, { canceled: true, compactRevision: 30 }));
    expect(bench.took("watch-closed")).toMatchObject([{ error: etcdError("Compacted"), compactRevision: 30 }]);
  });

  it("are created one after the other, and told apart by the member's ids", () => {
    const bench = watching();
    const second = bench.client.watch("z");
    bench.client.watch("y");
    bench.settle();
    expect(bench.frames("send")).toHaveLength(2);
    const { call } = bench.last("open");
    bench.message(call, create(WatchResponse, { header: header(5), created: true, watchId: 1 }));
    expect(bench.frames("send")).toHaveLength(3);
    bench.message(call, create(WatchResponse, { header: header(6), watchId: 1, events: [put("z", 6)] }));
    expect(bench.took("watch-events")).toMatchObject([{ watch: second }]);
  });

  it("one that is cancelled while it is created is taken back at the member, and the last one ends the stream", () => {
    const bench = watching();
    const second = bench.client.watch("z");
    bench.client.cancelWatch(second);
    bench.settle();
    bench.message(bench.last("open").call, create(WatchResponse, { header: header(5), created: true, watchId: 1 }));
    expect(bench.last("send").body).toMatchObject({ cancelRequest: { watchId: 1 } });
    bench.client.cancelWatch(1);
    bench.settle();
    expect(bench.frames("cancel")).toHaveLength(1);
  });
});

describe("keep-alive", () => {
  const kept = (ttl: number) => create(LeaseKeepAliveResponse, { id: lease, ttl });

  it("asks at once, and then each third of the lease's time", () => {
    const bench = new Bench(["n1"]);
    bench.client.keepAlive(lease);
    bench.settle();
    expect(bench.frames("send")).toHaveLength(1);
    bench.message(bench.last("open").call, kept(9));
    bench.pass(3 * SECOND - 1 * MS);
    expect(bench.frames("send")).toHaveLength(1);
    bench.pass(1 * MS);
    expect(bench.frames("send")).toHaveLength(2);
  });

  it("opens another stream half a second after a break", () => {
    const bench = new Bench(["n1"]);
    bench.client.keepAlive(lease);
    bench.settle();
    bench.message(bench.last("open").call, kept(9));
    bench.lose("n1");
    bench.pass(499 * MS);
    expect(bench.frames("open")).toHaveLength(1);
    bench.pass(3 * SECOND);
    expect(bench.frames("open")).toHaveLength(2);
    expect(bench.frames("send")).toHaveLength(2);
  });

  it("without an answer within its time the lease counts as lost, by the client's own clock", () => {
    const bench = new Bench(["n1"]);
    bench.client.keepAlive(lease);
    bench.settle();
    bench.message(bench.last("open").call, kept(9));
    bench.pass(9 * SECOND);
    expect(bench.took("keep-alive-ended")).toMatchObject([{ lease, why: "no-answer" }]);
  });

  it("a process that was paused for longer than the lease finds it lost with its next input", () => {
    const bench = new Bench(["n1"]);
    bench.client.keepAlive(lease);
    bench.settle();
    bench.message(bench.last("open").call, kept(9));
    bench.now += 20 * SECOND;
    bench.paused = 20 * SECOND;
    bench.input({ type: "wake" });
    expect(bench.took("keep-alive-ended")).toMatchObject([{ lease, why: "no-answer" }]);
  });

  it("an answer with TTL 0 ends it", () => {
    const bench = new Bench(["n1"]);
    bench.client.keepAlive(lease);
    bench.settle();
    bench.message(bench.last("open").call, kept(0));
    expect(bench.took("keep-alive-ended")).toMatchObject([{ why: "expired" }]);
    expect(bench.client.wakeAt()).toBeNull();
  });
});

describe("sessions and locks over the client", () => {
  it("a session that was granted locks; closing it revokes the lease", () => {
    const bench = new Bench(["n1"]);
    const concurrency = new Concurrency(bench.client, null);
    const taken = () => concurrency.take(bench.outcomes.splice(0));
    const session = concurrency.session({ ttl: 10 });
    bench.settle();
    bench.answer(bench.last("call").call, { header: header(1), id: lease, ttl: 10, error: "" });
    expect(taken()).toContainEqual({ type: "session", session, lease });
    const task = concurrency.lock(session, "l");
    bench.settle();
    expect(bench.last("call")).toMatchObject({ method: "KV/Txn", body: { compare: [{ key: "l/7" }] } });
    bench.answer(bench.last("call").call, { header: header(2), succeeded: true, responses: [{}, {}] });
    expect(taken()).toContainEqual(expect.objectContaining({ type: "locked", task, key: "l/7", ownRevision: 2 }));
    concurrency.close(session);
    bench.settle();
    expect(bench.last("call")).toMatchObject({ method: "Lease/LeaseRevoke", body: { id: lease } });
    bench.answer(bench.last("call").call, { header: header(3) });
    expect(taken()).toContainEqual({ type: "session-ended", session, why: "closed" });
  });

  it("a waiter whose time is over takes its key back and is told of the deadline", () => {
    const bench = new Bench(["n1"]);
    const concurrency = new Concurrency(bench.client, null);
    const session = concurrency.session({ lease });
    const task = concurrency.lock(session, "l", { timeout: 4 * SECOND });
    bench.settle();
    const owner = create(RangeResponse, { kvs: [create(KeyValue, { key: "l/1", createRevision: 1 })] });
    const responses = [{}, { responseRange: owner }];
    bench.answer(bench.last("call").call, { header: header(2), succeeded: true, responses });
    concurrency.take(bench.outcomes.splice(0));
    bench.now = 4 * SECOND;
    bench.input({ type: "wake" });
    concurrency.take(bench.outcomes.splice(0));
    bench.settle();
    expect(bench.last("call")).toMatchObject({ method: "KV/DeleteRange", body: { key: "l/7" } });
    bench.answer(bench.last("call").call, { header: header(3), deleted: 1, prevKvs: [] });
    expect(concurrency.take(bench.outcomes.splice(0))).toContainEqual(
      expect.objectContaining({ type: "task-failed", task, error: { code: 4, message: "context deadline exceeded" } }),
    );
  });
});
