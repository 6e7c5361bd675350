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

  it("3.5 asks one endpoint for a token, and what it says is the end: Authenticate is not repeatable", () => {
    const bench = new Bench(["n1", "n2"], { user: { name: "root", password: "pw" } });
    bench.client.call("KV/Range", { key: "a" });
    bench.settle();
    bench.lose(bench.sent[0]?.to ?? "");
    bench.pass(10 * SECOND);
    expect(bench.frames("call")).toHaveLength(1);
    expect(bench.took("failed")).toMatchObject([{ method: "KV/Range", error: { code: CODES.Unavailable } }]);
  });

  it("3.4 asks the endpoints in their order until one gives a token", () => {
    const bench = new Bench(["n1", "n2", "n3"], { user: { name: "root", password: "pw" }, compat: "3.4" });
    bench.client.call("KV/Range", { key: "a" });
    bench.settle();
    bench.error(bench.last("call").call, etcdError("NotSupportedForLearner"));
    bench.lose("n2");
    expect(bench.sent.map(({ to }) => to)).toEqual(["n1", "n2", "n3"]);
    bench.answer(bench.last("call").call, { header: null, token: "t1" });
    expect(bench.last("call")).toMatchObject({ method: "KV/Range", metadata: { token: "t1" } });
  });

  it("3.4 tells the last endpoint's error when none gave a token, and begins with the first again", () => {
    const bench = new Bench(["n1", "n2"], { user: { name: "root", password: "pw" }, compat: "3.4" });
    bench.client.call("KV/Range", { key: "a" });
    bench.settle();
    bench.lose("n1");
    bench.error(bench.last("call").call, etcdError("AuthFailed"));
    expect(bench.took("failed")).toMatchObject([{ method: "KV/Range", error: etcdError("AuthFailed") }]);
    bench.client.call("KV/Range", { key: "a" });
    bench.settle();
    expect(bench.sent.map(({ to }) => to)).toEqual(["n1", "n2", "n1"]);
  });

  it("3.4 spends all of its time on an endpoint that cannot be reached (etcd issue 7012)", () => {
    const bench = new Bench(["n1", "n2"], {
      user: { name: "root", password: "pw" },
      compat: "3.4",
      dialTimeout: 2 * SECOND,
    });
    bench.up.set("n1" as never, false);
    bench.client.call("KV/Range", { key: "a" });
    bench.settle();
    bench.pass(2 * SECOND);
    expect(bench.sent).toEqual([]);
    expect(bench.took("failed")).toMatchObject([{ error: { code: CODES.DeadlineExceeded } }]);
  });

  it("3.4 does not go on where authentication is off: all members say the same", () => {
    const bench = new Bench(["n1", "n2"], { user: { name: "root", password: "pw" }, compat: "3.4" });
    bench.client.call("KV/Put", { key: "a" });
    bench.settle();
    bench.error(bench.last("call").call, etcdError("AuthNotEnabled"));
    expect(bench.frames("call").map(({ method }) => method)).toEqual(["Auth/Authenticate", "KV/Put"]);
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

  it("what happens after a checkpoint does not change it", () => {
    const bench = new Bench(["n1"], { requestTimeout: 5 * SECOND });
    bench.client.watch("k");
    bench.settle();
    const { call } = bench.last("open");
    bench.message(call, create(WatchResponse, { header: header(1), watchId: 0, created: true }));
    bench.client.call("KV/Range", { key: "a" });
    const checkpoint = bench.client.checkpoint();
    const then = structuredClone(checkpoint);
    bench.message(call, create(WatchResponse, { header: header(7), events: [put("k", 7)] }));
    bench.lose("n1");
    bench.settle();
    expect(bench.client.checkpoint()).not.toEqual(then);
    expect(checkpoint).toEqual(then);
  });
});

describe("streams", () => {
  function saving(given: ConstructorParameters<typeof Bench>[1] = {}, endpoints = ["n1", "n2", "n3"]) {
    const bench = new Bench(endpoints, given);
    const ticket = bench.client.open("Maintenance/Snapshot", {});
    bench.client.send(ticket, {});
    bench.client.halfClose(ticket);
    bench.settle();
    return { bench, ticket };
  }
  const part = { header: null, remainingBytes: 0, blob: "x", version: "" };

  it("a Snapshot that has brought nothing is opened again elsewhere, with what was sent on it", () => {
    const { bench, ticket } = saving();
    bench.lose(bench.sent[0]?.to ?? "");
    expect(bench.frames("open")).toHaveLength(2);
    expect(bench.frames("send")).toHaveLength(2);
    expect(bench.frames("half-close")).toHaveLength(2);
    expect(bench.sent.at(-1)?.to).not.toBe(bench.sent[0]?.to);
    expect(bench.events).toContainEqual(
      expect.objectContaining({ type: "call-retried", call: ticket, method: "Maintenance/Snapshot", attempt: 1 }),
    );
    bench.message(bench.last("open").call, part);
    bench.frame(bench.sent.at(-1)?.to ?? "", { type: "end", call: bench.last("open").call });
    expect(bench.took("message")).toMatchObject([{ ticket }]);
    expect(bench.took("ended")).toEqual([{ type: "ended", ticket, error: null }]);
  });

  it("waits after each round through a quorum of endpoints, and has attempts without end", () => {
    const { bench } = saving({}, ["n1"]);
    for (let attempt = 1; attempt <= 150; attempt += 1) {
      expect(bench.frames("open")).toHaveLength(attempt);
      bench.error(bench.last("open").call, etcdError("LeaderChanged"));
      bench.pass(22 * MS);
      expect(bench.frames("open")).toHaveLength(attempt);
      bench.pass(6 * MS);
    }
    expect(bench.took("ended")).toEqual([]);
  });

  it("one that has brought a part ends with the error: another would begin at the beginning", () => {
    const { bench, ticket } = saving();
    bench.message(bench.last("open").call, part);
    bench.lose(bench.sent[0]?.to ?? "");
    bench.pass(1 * SECOND);
    expect(bench.frames("open")).toHaveLength(1);
    expect(bench.took("ended")).toMatchObject([{ ticket, error: { code: CODES.Unavailable } }]);
  });

  it("only Unavailable opens it again, and a learner's refusal if there is somebody else to ask", () => {
    for (const [name, endpoints, opened] of [
      ["PermissionDenied", ["n1", "n2"], 1],
      ["NotSupportedForLearner", ["n1", "n2"], 2],
      ["NotSupportedForLearner", ["n1"], 1],
    ] as const) {
      const { bench } = saving({}, [...endpoints]);
      bench.error(bench.last("open").call, etcdError(name));
      bench.pass(1 * SECOND);
      expect(bench.frames("open")).toHaveLength(opened);
    }
  });

  /** A member that has forgotten the token. */
  function refusedToken() {
    const { bench } = saving({ user: { name: "root", password: "pw" } }, ["n1"]);
    bench.answer(bench.last("call").call, { header: null, token: "t1" });
    bench.error(bench.last("open").call, etcdError("InvalidAuthToken"));
    return bench;
  }

  it("an invalid token is renewed for it", () => {
    const bench = refusedToken();
    bench.answer(bench.last("call").call, { header: null, token: "t2" });
    expect(bench.frames("open").map(({ metadata }) => metadata.token)).toEqual(["t1", "t2"]);
  });

  it("without another token it ends with what it was refused for", () => {
    const bench = refusedToken();
    bench.error(bench.last("call").call, etcdError("AuthFailed"));
    expect(bench.took("ended")).toMatchObject([{ error: etcdError("InvalidAuthToken") }]);
  });

  it("a deadline ends it while it waits to be opened again", () => {
    const bench = new Bench(["n1"]);
    const ticket = bench.client.open("Maintenance/Snapshot", { timeout: 10 * MS });
    bench.settle();
    bench.error(bench.last("open").call, etcdError("LeaderChanged"));
    bench.pass(1 * SECOND);
    expect(bench.frames("open")).toHaveLength(1);
    expect(bench.took("ended")).toMatchObject([{ ticket, error: { code: CODES.DeadlineExceeded } }]);
  });

  it("Observe of the Election service is not opened again: no wrapper of clientv3 says that it may be", () => {
    const bench = new Bench(["n1", "n2"]);
    const ticket = bench.client.open("Election/Observe");
    bench.settle();
    bench.lose(bench.sent[0]?.to ?? "");
    bench.pass(1 * SECOND);
    expect(bench.frames("open")).toHaveLength(1);
    expect(bench.took("ended")).toMatchObject([{ ticket, error: { code: CODES.Unavailable } }]);
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

  it("who observes an election outlives the connection: the range is repeated, the watch goes on where it was", () => {
    const bench = new Bench(["n1"]);
    const concurrency = new Concurrency(bench.client, null);
    const taken = () => concurrency.take(bench.outcomes.splice(0));
    const task = concurrency.observe("e");
    bench.settle();
    bench.lose("n1");
    bench.pass(1 * SECOND);
    expect(bench.frames("call").map(({ method }) => method)).toEqual(["KV/Range", "KV/Range"]);
    const kvs = [create(KeyValue, { key: "e/1", createRevision: 3, modRevision: 3, value: "a" })];
    bench.answer(bench.last("call").call, create(RangeResponse, { header: header(5), kvs }));
    expect(taken()).toContainEqual(expect.objectContaining({ type: "leader", task, header: header(5) }));
    bench.settle();
    const created = create(WatchResponse, { header: header(5), created: true, watchId: 0 });
    bench.message(bench.last("open").call, created);
    bench.message(bench.last("open").call, create(WatchResponse, { header: header(8), events: [put("e/1", 7)] }));
    expect(taken()).toContainEqual(expect.objectContaining({ type: "leader", task, header: header(7) }));
    bench.lose("n1");
    bench.pass(1 * SECOND);
    expect(bench.last("send").body).toMatchObject({ createRequest: { key: "e/1", startRevision: 8 } });
    bench.message(bench.last("open").call, created);
    bench.message(bench.last("open").call, create(WatchResponse, { header: header(9), events: [put("e/1", 9)] }));
    expect(taken()).toContainEqual(expect.objectContaining({ type: "leader", task, header: header(9) }));
  });

  it("observing ends with what the member refuses, as the channel of Observe is closed", () => {
    const bench = new Bench(["n1"]);
    const concurrency = new Concurrency(bench.client, null);
    const task = concurrency.observe("e");
    bench.settle();
    bench.error(bench.last("call").call, etcdError("PermissionDenied"));
    expect(concurrency.take(bench.outcomes.splice(0))).toContainEqual(
      expect.objectContaining({ type: "task-failed", task, error: etcdError("PermissionDenied") }),
    );
  });
});
