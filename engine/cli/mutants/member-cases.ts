/**
 * Short stories of whole etcd clusters, and of clients whose members a story plays, that lead straight to what a rule
 * forbids. What must come of each is written out here.
 */
import { MS, SECOND } from "../../base/units.ts";
import { CODES, etcdError } from "../../etcd/api/errors.ts";
import * as m from "../../etcd/api/messages.ts";
import { create } from "../../etcd/api/proto.ts";
import { Bench } from "../../etcd/client/testing.ts";
import { Concurrency } from "../../etcd/concurrency/client.ts";
import { Cluster, eventsOf, lease, N1, N2, N3 } from "../../scenario/etcd-probe.ts";
import type { ProcessId } from "../../sim/command.ts";
import { first, type Wrong } from "./wrong.ts";

const DEMANDING = { token: null, hasLeader: true };
const messageOf = (answer: object | null): string | null =>
  answer !== null && "message" in answer ? String(answer.message) : null;
const header = (revision: number): m.ResponseHeader => create(m.ResponseHeader, { revision });

/** The members but one. */
function others(than: ProcessId): ProcessId[] {
  return [N1, N2, N3].filter((member) => member !== than);
}

function isolate(cluster: Cluster, member: ProcessId): void {
  cluster.order({ type: "partition", groups: [[member], others(member)] });
}

function eventsNamed(cluster: Cluster, type: string): readonly object[] {
  return cluster.events.filter(({ event }) => event.type === type);
}

const CASES = {
  /** A write is answered when it is applied here, and not before a quorum has it. */
  replies(): Wrong {
    const cluster = new Cluster(3);
    const { follower } = cluster;
    cluster.call(follower, "KV/Put", { key: "a", value: "1" });
    const seen = cluster.call<m.RangeResponse>(follower, "KV/Range", { key: "a", serializable: true });
    const leader = cluster.leader as ProcessId;
    isolate(cluster, leader);
    const alone = cluster.start(leader, "KV/Put", { key: "a", value: "2" });
    cluster.pass(500 * MS);
    return first(
      ["what its member has when a write is answered", seen.kvs.map(({ value }) => value), ["1"]],
      ["a write without a quorum", cluster.answer(alone), null],
    );
  },

  /** A linearizable read at a member that is cut off must not tell what it has. */
  "linearizable reads"(): Wrong {
    const cluster = new Cluster(3);
    const { follower } = cluster;
    cluster.call(follower, "KV/Put", { key: "a", value: "old" });
    cluster.pass(1 * SECOND);
    isolate(cluster, follower);
    cluster.call(cluster.leader as ProcessId, "KV/Put", { key: "a", value: "new" });
    const read = cluster.start(follower, "KV/Range", { key: "a" });
    const txn = cluster.start(follower, "KV/Txn", {
      success: [create(m.RequestOp, { requestRange: create(m.RangeRequest, { key: "a" }) })],
    });
    cluster.pass(2 * SECOND);
    return first(["a read", cluster.answer(read), null], ["a transaction of reads", cluster.answer(txn), null]);
  },

  /** A read that comes while a round is under way may be younger than the answer that is on its way. */
  "read rounds"(): Wrong {
    const cluster = new Cluster(3);
    const { follower } = cluster;
    const leader = cluster.leader as ProcessId;
    cluster.call(follower, "KV/Put", { key: "a", value: "old" });
    cluster.pass(1 * SECOND);
    const quality = {
      latencyMin: 300 * MS,
      latencyMax: 300 * MS,
      lossPerMillion: 0,
      duplicatePerMillion: 0,
      reorderPerMillion: 0,
    };
    cluster.order({ type: "link", link: { from: leader, to: follower }, quality });
    const early = cluster.start(follower, "KV/Range", { key: "a" });
    cluster.pass(100 * MS);
    cluster.call(leader, "KV/Put", { key: "a", value: "new" });
    const late = cluster.start(follower, "KV/Range", { key: "a" });
    cluster.until(() => cluster.answer(early) !== null && cluster.answer(late) !== null);
    const { kvs } = cluster.answer(late) as m.RangeResponse;
    return first(["a read that began after the write was answered", kvs.map(({ value }) => value), ["new"]]);
  },

  /** A round that the old leader was asked is answered as such when another one leads. */
  "leader changes"(): Wrong {
    const cluster = new Cluster(3);
    const { follower } = cluster;
    const old = cluster.leader as ProcessId;
    cluster.order({ type: "crash", process: old });
    const read = cluster.start(follower, "KV/Range", { key: "a" });
    cluster.until(() => cluster.answer(read) !== null);
    const since = cluster.events.findLast(({ event }) => event.type === "role-changed" && "role" in event)?.at ?? 0;
    return first(
      ["a read under way", messageOf(cluster.answer(read)), "etcdserver: leader changed"],
      ["how soon", cluster.world.now - since < 1 * SECOND, true],
    );
  },

  /** Renewals at a follower reach the leader: the lease lives, and no longer than it is renewed. */
  renewals(): Wrong {
    const cluster = new Cluster(3);
    const { follower } = cluster;
    cluster.call(follower, "Lease/LeaseGrant", { id: lease(7), ttl: 5 });
    const alive = cluster.open(follower, "Lease/LeaseKeepAlive");
    for (let i = 0; i < 4; i += 1) {
      cluster.pass(3 * SECOND);
      cluster.keepAlive(alive, lease(7));
    }
    cluster.pass(1 * SECOND);
    const ids = (): unknown => cluster.call<RequestedLeases>(follower, "Lease/LeaseLeases").leases.map(({ id }) => id);
    const kept = ids();
    cluster.pass(6 * SECOND);
    return first(
      ["answers", alive.got.map((each) => (each as m.LeaseKeepAliveResponse).ttl), [5, 5, 5, 5]],
      ["leases while it is renewed", kept, ["7"]],
      ["leases after that", ids(), []],
    );
  },

  /** A leader that was deposed without hearing of it renews nothing. */
  "deposed leader"(): Wrong {
    const cluster = new Cluster(3);
    const old = cluster.leader as ProcessId;
    cluster.call(old, "Lease/LeaseGrant", { id: lease(7), ttl: 60 });
    const alive = cluster.open(old, "Lease/LeaseKeepAlive");
    isolate(cluster, old);
    cluster.pass(4 * SECOND);
    cluster.keepAlive(alive, lease(7));
    cluster.pass(2 * SECOND);
    return first(["another leads", cluster.leader === old, false], ["what the old one answered", alive.got, []]);
  },

  /** One revocation for a lease whose time is over, however long that takes. */
  expiry(): Wrong {
    const cluster = new Cluster(3);
    const { follower } = cluster;
    cluster.call(follower, "Lease/LeaseGrant", { id: lease(7), ttl: 2 });
    cluster.call(follower, "KV/Put", { key: "a", lease: lease(7) });
    const stream = cluster.watch(follower, { key: "a" });
    const quality = { fsyncMin: 900 * MS, fsyncMax: 900 * MS, tornWrites: false };
    for (const process of [N1, N2, N3]) cluster.order({ type: "disk", process, quality });
    cluster.pass(12 * SECOND);
    const found = eventsNamed(cluster, "etcd-lease-expired").length;
    return first(["revocations", found, 1], ["events", eventsOf(stream), ["DELETE a@3"]]);
  },

  /** A leader that was stopped for longer than a lease makes sure that it still leads. */
  "paused leader"(): Wrong {
    const cluster = new Cluster(3);
    const old = cluster.leader as ProcessId;
    cluster.call(old, "Lease/LeaseGrant", { id: lease(7), ttl: 3 });
    isolate(cluster, old);
    cluster.order({ type: "pause", process: old });
    cluster.pass(6 * SECOND);
    const asked = cluster.events.length;
    cluster.order({ type: "resume", process: old });
    cluster.pass(1 * SECOND);
    const expired = cluster.events.slice(asked).filter(({ event }) => event.type === "etcd-lease-expired");
    return first(["what it ended before it knew better", expired.length, 0]);
  },

  /** Leases that a member makes ids for are others in each of its lives. */
  "generated ids"(): Wrong {
    const cluster = new Cluster(1);
    const grant = (): unknown => cluster.call<m.LeaseGrantResponse>(N1, "Lease/LeaseGrant", { ttl: 600 });
    const one = grant() as m.LeaseGrantResponse;
    cluster.order({ type: "crash", process: N1 });
    cluster.order({ type: "restart", process: N1 });
    cluster.pass(5 * SECOND);
    cluster.dial(N1);
    const two = grant() as m.LeaseGrantResponse;
    return first(["the second is granted", messageOf(two), null], ["the same id", one.id === two.id, false]);
  },

  /** The alarm holds until it is taken back, whatever room there is. */
  quota(): Wrong {
    const cluster = new Cluster(1, { etcd: { quotaBytes: 64 * 1024 } });
    const value = "x".repeat(10_000);
    for (let i = 0; i < 9; i += 1) {
      cluster.call(N1, "KV/Put", { key: "k", value });
      // The backend commits, and the quota sees it.
      cluster.pass(100 * MS);
    }
    const raised = cluster.call<m.AlarmResponse>(N1, "Maintenance/Alarm", { action: "GET" }).alarms;
    const { header: now } = cluster.call<m.RangeResponse>(N1, "KV/Range", { key: "k" });
    cluster.call(N1, "KV/Compact", { revision: now?.revision, physical: true });
    cluster.call(N1, "Maintenance/Defragment");
    const still = cluster.call(N1, "KV/Put", { key: "a" });
    cluster.call(N1, "Maintenance/Alarm", { action: "DEACTIVATE", ...raised[0] });
    const after = cluster.call(N1, "KV/Put", { key: "a" });
    const full = "etcdserver: mvcc: database space exceeded";
    return first(
      ["alarms", raised.map(({ alarm }) => alarm), ["NOSPACE"]],
      ["a put under the alarm", messageOf(still), full],
      ["a put after it", messageOf(after), null],
    );
  },

  /** Who demands a leader hears at once that there is none; streams of such after three election timeouts. */
  "no leader"(): Wrong {
    const cluster = new Cluster(3);
    const stream = cluster.open(N1, "Watch/Watch", DEMANDING);
    for (const process of [N2, N3]) cluster.order({ type: "crash", process });
    cluster.pass(2_500 * MS);
    const early = cluster.answer(stream.call);
    const put = cluster.start(N1, "KV/Put", { key: "a" }, DEMANDING);
    const opened = cluster.open(N1, "Watch/Watch", DEMANDING);
    cluster.pass(100 * MS);
    const told = "etcdserver: no leader";
    const once = [messageOf(cluster.answer(put)), messageOf(cluster.answer(opened.call))];
    cluster.pass(4 * SECOND);
    return first(
      ["the stream before its time", early, null],
      ["a put and a new stream", once, [told, told]],
      ["the stream", messageOf(cluster.answer(stream.call)), told],
    );
  },

  /** A write that came without a leader goes through when there is one; one that comes in vain is told so in time. */
  waiting(): Wrong {
    const cluster = new Cluster(3);
    for (const process of [N2, N3]) cluster.order({ type: "crash", process });
    cluster.pass(5 * SECOND);
    const inVain = cluster.start(N1, "KV/Put", { key: "a" });
    cluster.pass(7_100 * MS);
    const late = messageOf(cluster.answer(inVain));
    const put = cluster.start(N1, "KV/Put", { key: "a" });
    cluster.order({ type: "restart", process: N2 });
    cluster.pass(6 * SECOND);
    return first(
      ["after the request timeout", late, "etcdserver: request timed out"],
      ["the other", (cluster.answer(put) as m.PutResponse | null)?.header?.revision, 2],
    );
  },

  /** A client that is gone waits for no lock. */
  "abandoned waiters"(): Wrong {
    const cluster = new Cluster(1);
    for (const n of [1, 2]) cluster.call(N1, "Lease/LeaseGrant", { id: lease(n), ttl: 600 });
    cluster.call(N1, "Lock/Lock", { name: "m", lease: lease(1) });
    const second = cluster.start(N1, "Lock/Lock", { name: "m", lease: lease(2) });
    cluster.pass(1 * SECOND);
    cluster.send(N1, { type: "cancel", call: second });
    cluster.pass(1 * SECOND);
    const { kvs } = cluster.call<m.RangeResponse>(N1, "KV/Range", { key: "m/", rangeEnd: "m0" });
    return first(["keys under the lock", kvs.map(({ key }) => key), ["m/1"]]);
  },

  /** What is applied once is not applied again after a restart, and the others agree. */
  "restored watches"(): Wrong {
    const cluster = new Cluster(3, { snapshotEntries: 20 });
    const watching = cluster.follower;
    const stream = cluster.watch(watching, { key: "a" });
    cluster.pass(500 * MS);
    isolate(cluster, watching);
    for (let i = 0; i < 60; i += 1) cluster.call(cluster.leader as ProcessId, "KV/Put", { key: "a", value: `${i}` });
    cluster.order({ type: "heal" });
    cluster.pass(5 * SECOND);
    const all = Array.from({ length: 60 }, (_, i) => `PUT a@${i + 2}`);
    return first(["events over a snapshot", eventsOf(stream), all]);
  },

  /** A client that takes nothing up costs a bounded amount of memory, and misses nothing. */
  "slow watches"(): Wrong {
    const cluster = new Cluster(1);
    const stream = cluster.watch(N1, { key: "a" });
    stream.slow = true;
    const value = "x".repeat(1_000);
    for (let i = 0; i < 400; i += 1) cluster.call(N1, "KV/Put", { key: "a", value });
    const inFlight = eventsOf(stream).length;
    const slowed = eventsNamed(cluster, "etcd-watch-slowed").length;
    cluster.takeUp(stream);
    cluster.pass(1 * SECOND);
    const all = Array.from({ length: 400 }, (_, i) => `PUT a@${i + 2}`);
    return first(
      ["events on their way stay below a window", inFlight < 80, true],
      ["victims while 400 events wait", slowed, 1],
      ["events in the end", eventsOf(stream), all],
    );
  },

  /** A client gives back to the window what it has taken up. */
  "client windows"(): Wrong {
    const bench = new Bench(["n1"]);
    bench.client.watch("k");
    bench.settle();
    bench.message(bench.last("open").call, create(m.WatchResponse, { header: header(1), created: true, watchId: 0 }));
    for (let i = 2; i < 40; i += 1) {
      const kv = create(m.KeyValue, { key: "k", value: "x".repeat(1_000), modRevision: i });
      bench.message(
        bench.last("open").call,
        create(m.WatchResponse, { header: header(i), events: [create(m.Event, { kv })] }),
      );
    }
    const back = bench.frames("window").reduce((sum, { bytes }) => sum + bytes, 0);
    return first(["most of 38 kB is given back", back > 20_000 && back < 45_000, true]);
  },

  /** A learner serves local reads and its status, nothing else. */
  learners(): Wrong {
    const cluster = new Cluster(1);
    const n4 = "n4" as ProcessId;
    cluster.call(N1, "Cluster/MemberAdd", { peerUrls: ["http://n4:2380"], isLearner: true });
    cluster.order({ type: "spawn", process: n4 });
    cluster.pass(5 * SECOND);
    cluster.dial(n4);
    const refused = "etcdserver: rpc not supported for learner";
    return first(
      ["a put", messageOf(cluster.call(n4, "KV/Put", { key: "a" })), refused],
      ["a linearizable read", messageOf(cluster.call(n4, "KV/Range", { key: "a" })), refused],
      ["a local read", messageOf(cluster.call(n4, "KV/Range", { key: "a", serializable: true })), null],
    );
  },

  // ── clients ──

  /** A watch goes on behind the last event that its client has seen. */
  "client watches"(): Wrong {
    const bench = new Bench(["n1", "n2"]);
    bench.client.watch("k");
    bench.settle();
    const event = create(m.Event, { type: "PUT", kv: create(m.KeyValue, { key: "k", modRevision: 8 }) });
    bench.message(bench.last("open").call, create(m.WatchResponse, { header: header(5), created: true, watchId: 0 }));
    bench.lose(bench.sent[0]?.to ?? "");
    bench.pass(1 * SECOND);
    const unseen = bench.last("send").body as m.WatchRequest;
    bench.message(bench.last("open").call, create(m.WatchResponse, { header: header(7), created: true, watchId: 0 }));
    bench.message(bench.last("open").call, create(m.WatchResponse, { header: header(9), events: [event] }));
    bench.lose(bench.sent.at(-1)?.to ?? "");
    bench.pass(1 * SECOND);
    const seen = bench.last("send").body as m.WatchRequest;
    return first(
      ["after a break before the first event", unseen.createRequest?.startRevision, 6],
      ["after a break behind an event", seen.createRequest?.startRevision, 9],
    );
  },

  /** A write that was sent is never sent again; a read is. */
  "client retries"(): Wrong {
    const bench = new Bench(["n1", "n2"]);
    bench.client.call("KV/Put", { key: "a" });
    bench.settle();
    bench.lose(bench.sent.at(-1)?.to ?? "");
    bench.pass(10 * SECOND);
    const puts = bench.frames("call").length;
    bench.client.call("KV/Range", { key: "a" });
    bench.settle();
    bench.lose(bench.sent.at(-1)?.to ?? "");
    bench.pass(3 * SECOND);
    return first(
      ["a put is sent", puts, 1],
      [
        "its outcome",
        bench.took("failed").map(({ unknown, error }) => [unknown, error.code]),
        [[true, CODES.Unavailable]],
      ],
      ["a read is sent", bench.frames("call").length - puts, 2],
    );
  },

  /** A backup is opened again until it has brought something; 3.4 goes from endpoint to endpoint for a token. */
  "client streams"(): Wrong {
    const bench = new Bench(["n1", "n2"]);
    bench.client.open("Maintenance/Snapshot");
    bench.settle();
    bench.lose(bench.sent.at(-1)?.to ?? "");
    bench.pass(1 * SECOND);
    const opened = bench.frames("open").length;
    bench.message(bench.last("open").call, { header: null, remainingBytes: 0, blob: "x", version: "" });
    bench.lose(bench.sent.at(-1)?.to ?? "");
    bench.pass(1 * SECOND);
    const older = new Bench(["n1", "n2"], { user: { name: "u", password: "p" }, compat: "3.4" });
    older.client.call("KV/Put", { key: "a" });
    older.settle();
    older.lose("n1");
    return first(
      ["an empty backup is opened", opened, 2],
      ["one that has begun ends", [bench.frames("open").length, bench.took("ended").length], [2, 1]],
      ["asked for a token", older.sent.map(({ to }) => to), ["n1", "n2"]],
    );
  },

  /** A client counts its leases by its own clock, and does not keep alive what was closed. */
  "client leases"(): Wrong {
    const bench = new Bench(["n1"]);
    const concurrency = new Concurrency(bench.client, null);
    const session = concurrency.session({ ttl: 9 });
    bench.settle();
    bench.answer(bench.last("call").call, { header: header(1), id: lease(7), ttl: 9, error: "" });
    concurrency.take(bench.outcomes.splice(0));
    bench.settle();
    const kept = create(m.LeaseKeepAliveResponse, { id: lease(7), ttl: 9 });
    bench.message(bench.last("open").call, kept);
    bench.pass(3_100 * MS);
    const asked = bench.frames("send").length;
    concurrency.close(session);
    bench.settle();
    bench.pass(8 * SECOND);
    const afterClose = bench.frames("send").length - asked;
    const silent = new Bench(["n1"]);
    silent.client.keepAlive(lease(7));
    silent.settle();
    silent.message(silent.last("open").call, kept);
    silent.pass(9 * SECOND);
    return first(
      ["requests in the first third and at its end", asked, 2],
      ["requests after it was closed", afterClose, 0],
      ["without an answer", silent.took("keep-alive-ended").map(({ why }) => why), ["no-answer"]],
    );
  },

  /** A client's deadlines and pings. */
  "client deadlines"(): Wrong {
    const bench = new Bench(["n1"], { requestTimeout: 5 * SECOND });
    bench.client.call("KV/Put", { key: "a" });
    bench.settle();
    bench.pass(5 * SECOND);
    const quiet = new Bench(["n1"], { keepAlive: { time: 2 * SECOND, timeout: 6 * SECOND } });
    quiet.client.call("KV/Put", { key: "a" });
    quiet.settle();
    quiet.pass(9 * SECOND);
    const refused = new Bench(["n1"]);
    refused.client.call("KV/Put", { key: "a" });
    refused.settle();
    refused.error(refused.last("call").call, etcdError("NoLeader"));
    return first(
      ["after its deadline", bench.took("failed").map(({ unknown, error }) => [unknown, error.code]), [[true, 4]]],
      ["the member is told", bench.frames("cancel").length, 1],
      ["a connection that answers no ping", quiet.took("failed").length, 1],
      ["refused for lack of a leader", refused.took("failed").map(({ unknown }) => unknown), [false]],
    );
  },
} as const;

interface RequestedLeases {
  readonly leases: readonly { readonly id: string }[];
}

export type MemberCase = keyof typeof CASES;
export const MEMBER_CASES = Object.keys(CASES) as readonly MemberCase[];

/** What is wrong, or null. A case that cannot go on, or in which a process fails, counts too. */
export function playMemberCase(name: MemberCase): Wrong {
  try {
    return CASES[name]();
  } catch (error) {
    return `${name} ended: ${error instanceof Error ? error.message : String(error)}`;
  }
}
