/** Whole etcd clusters in a world, spoken to as a client's connections do. */
import { describe, expect, it } from "vitest";
import { MS, SECOND } from "../base/units.ts";
import type { EtcdError } from "../etcd/api/errors.ts";
import { WINDOW_BYTES } from "../etcd/api/flow.ts";
import * as m from "../etcd/api/messages.ts";
import type { Metadata, RequestOf } from "../etcd/api/methods.ts";
import { create } from "../etcd/api/proto.ts";
import { hashProblem, inspectSnapshot } from "../etcd/ctl/snapshot-file.ts";
import type { ProcessId } from "../sim/command.ts";
import { DEFAULT_CONFIG, type RunConfig } from "./config.ts";
import { Cluster, eventsOf, id, lease, N1, N2, N3, PLAIN } from "./etcd-probe.ts";
import { runEtcdSeed } from "./etcd-campaign.ts";
import { Run } from "./run.ts";
import { SYSTEMS_KIT } from "./systems.ts";

const failure = (name: string): object => expect.objectContaining({ message: `etcdserver: ${name}` }) as object;
describe("a follower", () => {
  it("takes writes: they come back through the leader's log, and all members hold the same", () => {
    const cluster = new Cluster(3);
    const { follower } = cluster;
    const put = cluster.call<m.PutResponse>(follower, "KV/Put", { key: "a", value: "1" });
    expect(put.header?.revision).toBe(2);
    const read = cluster.call<m.RangeResponse>(cluster.leader as ProcessId, "KV/Range", { key: "a" });
    expect(read.kvs).toMatchObject([{ key: "a", value: "1", modRevision: 2 }]);
    cluster.pass(1 * SECOND);
    expect(new Set(cluster.hashes()).size).toBe(1);
  });

  it("passes renewals and questions of leases on to the leader", () => {
    const cluster = new Cluster(3);
    const { follower } = cluster;
    cluster.call(follower, "Lease/LeaseGrant", { id: lease(7), ttl: 5 });
    const alive = cluster.open(follower, "Lease/LeaseKeepAlive");
    for (let i = 0; i < 5; i += 1) {
      cluster.pass(3 * SECOND);
      cluster.keepAlive(alive, lease(7));
      cluster.until(() => alive.got.length === i + 1);
    }
    expect(alive.got).toMatchObject(Array.from({ length: 5 }, () => ({ id: "7", ttl: 5 })));
    const left = cluster.call<RequestOf<"Lease/LeaseTimeToLive">>(follower, "Lease/LeaseTimeToLive", { id: lease(7) });
    expect(left).toMatchObject({ id: "7", ttl: 4, grantedTtl: 5 });
    cluster.keepAlive(alive, lease(8));
    cluster.until(() => alive.got.length === 6);
    expect(alive.got[5]).toMatchObject({ id: "8", ttl: 0 });
  });

  it("promotes no learner itself: the leader judges whether it has caught up", () => {
    const cluster = new Cluster(3);
    const { follower } = cluster;
    const added = cluster.call<{ readonly member: m.Member }>(follower, "Cluster/MemberAdd", {
      peerUrls: ["http://nowhere:2380"],
      isLearner: true,
    });
    expect(added).toMatchObject({ member: { isLearner: true, name: "" } });
    const refused = cluster.call<EtcdError>(follower, "Cluster/MemberPromote", { id: added.member.id });
    expect(refused).toEqual(failure("can only promote a learner member which is in sync with leader"));
  });
});

describe("without a leader", () => {
  it("local reads are answered, linearizable ones and writes wait until the request timeout", () => {
    const cluster = new Cluster(3);
    cluster.call(N1, "KV/Put", { key: "a", value: "1" });
    cluster.pass(1 * SECOND);
    for (const process of [N2, N3]) cluster.order({ type: "crash", process });
    cluster.pass(5 * SECOND);
    expect(cluster.call(N1, "KV/Range", { key: "a", serializable: true })).toMatchObject({ count: 1 });
    const before = cluster.world.now;
    expect(cluster.call(N1, "KV/Range", { key: "a" })).toEqual(failure("request timed out"));
    expect(cluster.world.now - before).toBeGreaterThan(6.9 * SECOND);
    expect(cluster.call(N1, "KV/Put", { key: "a" })).toEqual(failure("request timed out"));
    const demanding = { token: null, hasLeader: true };
    expect(cluster.call(N1, "KV/Put", { key: "a" }, demanding)).toEqual(failure("no leader"));
  });

  it("a write that waits goes through when a leader is found in time", () => {
    const cluster = new Cluster(3);
    for (const process of [N2, N3]) cluster.order({ type: "crash", process });
    cluster.pass(5 * SECOND);
    const call = cluster.start(N1, "KV/Put", { key: "a", value: "late" });
    cluster.pass(1 * SECOND);
    cluster.order({ type: "restart", process: N2 });
    cluster.until(() => cluster.answer(call) !== null);
    expect(cluster.answer(call)).toMatchObject({ header: { revision: 2 } });
  });

  it("a stream that demands a leader ends after three election timeouts", () => {
    const cluster = new Cluster(3);
    const stream = cluster.open(N1, "Watch/Watch", { token: null, hasLeader: true });
    cluster.pass(1 * SECOND);
    for (const process of [N2, N3]) cluster.order({ type: "crash", process });
    cluster.until(() => cluster.answer(stream.call) !== null);
    expect(cluster.answer(stream.call)).toEqual(failure("no leader"));
  });
});

describe("a restart", () => {
  it.each([1, 3])(
    "of all %i members at once brings back keys, leases and their bindings, also over a snapshot",
    (members) => {
      const cluster = new Cluster(members, { snapshotEntries: 20 });
      cluster.call(N1, "Lease/LeaseGrant", { id: lease(7), ttl: 600 });
      for (let i = 0; i < 50; i += 1) cluster.call(N1, "KV/Put", { key: `k${i % 9}`, value: `${i}`, lease: lease(7) });
      cluster.pass(1 * SECOND);
      const before = cluster.hashes();
      const all = [N1, N2, N3].slice(0, members);
      for (const process of all) cluster.order({ type: "crash", process });
      for (const process of all) cluster.order({ type: "restart", process });
      cluster.pass(5 * SECOND);
      for (const member of all) cluster.dial(member);
      cluster.call(N1, "KV/Range", { key: "k1" });
      expect(cluster.hashes()).toEqual(before);
      const left = cluster.call<{ readonly keys: readonly string[] }>(N1, "Lease/LeaseTimeToLive", {
        id: lease(7),
        keys: true,
      });
      expect([...left.keys].sort()).toEqual(Array.from({ length: 9 }, (_, i) => `k${i}`));
    },
  );
});

describe("a watch", () => {
  it("goes on over a change of leader: nothing is missing, doubled or out of order", () => {
    const cluster = new Cluster(3);
    const watching = cluster.follower;
    const stream = cluster.watch(watching, { key: "k", rangeEnd: "l" });
    for (let i = 0; i < 5; i += 1) cluster.call(watching, "KV/Put", { key: `k${i}` });
    const old = cluster.leader as ProcessId;
    cluster.order({ type: "crash", process: old });
    cluster.until(() => cluster.leader !== old);
    for (let i = 5; i < 10; i += 1) cluster.call(watching, "KV/Put", { key: `k${i}` });
    cluster.pass(1 * SECOND);
    expect(eventsOf(stream)).toEqual(Array.from({ length: 10 }, (_, i) => `PUT k${i}@${i + 2}`));
  });

  it("opened again after its member's restart tells the past from its start revision on", () => {
    const cluster = new Cluster(1);
    for (let i = 0; i < 4; i += 1) cluster.call(N1, "KV/Put", { key: "a", value: `${i}` });
    cluster.order({ type: "crash", process: N1 });
    cluster.order({ type: "restart", process: N1 });
    cluster.pass(5 * SECOND);
    cluster.dial(N1);
    const stream = cluster.watch(N1, { key: "a", startRevision: 3 });
    cluster.pass(1 * SECOND);
    expect(eventsOf(stream)).toEqual(["PUT a@3", "PUT a@4", "PUT a@5"]);
  });

  it("on a member that was brought up to date by a snapshot hears of all that happened meanwhile", () => {
    const cluster = new Cluster(3, { snapshotEntries: 20 });
    const watching = cluster.follower;
    const stream = cluster.watch(watching, { key: "a" });
    cluster.pass(500 * MS);
    const others = [N1, N2, N3].filter((member) => member !== watching);
    cluster.order({ type: "partition", groups: [[watching], others] });
    for (let i = 0; i < 60; i += 1) cluster.call(cluster.leader as ProcessId, "KV/Put", { key: "a", value: `${i}` });
    cluster.order({ type: "heal" });
    cluster.pass(5 * SECOND);
    expect(cluster.events.some(({ process, event }) => process === watching && event.type === "machine-restored")).toBe(
      true,
    );
    expect(eventsOf(stream)).toEqual(Array.from({ length: 60 }, (_, i) => `PUT a@${i + 2}`));
  });
});

describe("a client that takes nothing up", () => {
  const value = "x".repeat(1_000);
  const putMany = (cluster: Cluster, from: number, to: number): void => {
    for (let i = from; i < to; i += 1) cluster.call(N1, "KV/Put", { key: "a", value });
  };
  const told = (count: number): string[] => Array.from({ length: count }, (_, i) => `PUT a@${i + 2}`);

  it("gets a window full; 128 responses wait for it, then its watch is a victim, and later nothing is missing", () => {
    const cluster = new Cluster(1);
    const stream = cluster.watch(N1, { key: "a" });
    stream.slow = true;
    putMany(cluster, 0, 400);
    const window = Math.ceil((WINDOW_BYTES - 40) / (1_001 + 80));
    // Its answer to the create request is on its way too.
    expect(eventsOf(stream)).toEqual(told(window));
    const slowed = () => cluster.events.flatMap(({ event }) => (event.type === "etcd-watch-slowed" ? [event] : []));
    expect(slowed()).toMatchObject([{ slow: true }]);
    cluster.takeUp(stream);
    cluster.pass(1 * SECOND);
    expect(eventsOf(stream)).toEqual(told(400));
    expect(slowed()).toMatchObject([{ slow: true }, { slow: false }]);
    putMany(cluster, 400, 420);
    cluster.pass(100 * MS);
    expect(eventsOf(stream)).toEqual(told(420));
  });

  it("holds up no other stream, and no write", () => {
    const cluster = new Cluster(3);
    const slow = cluster.watch(N1, { key: "a" });
    slow.slow = true;
    const quick = cluster.watch(N1, { key: "a" });
    putMany(cluster, 0, 300);
    cluster.pass(100 * MS);
    expect(eventsOf(quick)).toEqual(told(300));
    expect(eventsOf(slow).length).toBeLessThan(80);
  });

  it("whose watch is compacted meanwhile is told what it kept, then that it is over", () => {
    const cluster = new Cluster(1);
    const stream = cluster.watch(N1, { key: "a" });
    stream.slow = true;
    putMany(cluster, 0, 300);
    cluster.call(N1, "KV/Compact", { revision: 290 });
    cluster.takeUp(stream);
    cluster.pass(1 * SECOND);
    const seen = eventsOf(stream);
    expect(seen).toEqual(told(seen.length));
    expect(stream.got.at(-1)).toMatchObject({ canceled: true, compactRevision: 290 });
  });
});

describe("leases and leaders", () => {
  it("expire by the leader's count, their keys in one revision", () => {
    const cluster = new Cluster(3);
    cluster.call(N1, "Lease/LeaseGrant", { id: lease(7), ttl: 2 });
    for (const key of ["b", "a"]) cluster.call(N1, "KV/Put", { key, lease: lease(7) });
    const stream = cluster.watch(N1, { key: "a", rangeEnd: "c" });
    cluster.pass(4 * SECOND);
    expect(eventsOf(stream)).toEqual(["DELETE a@4", "DELETE b@4"]);
  });

  it("a new leader counts from the start, and one election timeout more: never shorter", () => {
    const cluster = new Cluster(3);
    const { follower } = cluster;
    cluster.call(follower, "Lease/LeaseGrant", { id: lease(7), ttl: 10 });
    cluster.call(follower, "KV/Put", { key: "a", lease: lease(7) });
    cluster.pass(8 * SECOND);
    const old = cluster.leader as ProcessId;
    cluster.order({ type: "crash", process: old });
    cluster.until(() => cluster.leader !== old);
    const counted = cluster.events.findLast(({ event }) => event.type === "etcd-lease-counted");
    expect(counted?.event).toMatchObject({ lease: "7", by: "leader-change", expiresIn: 11 * SECOND });
    cluster.pass(10 * SECOND);
    expect(cluster.call(follower, "KV/Range", { key: "a" })).toMatchObject({ count: 1 });
    cluster.pass(2 * SECOND);
    expect(cluster.call(follower, "KV/Range", { key: "a" })).toMatchObject({ count: 0 });
  });
});

describe("locks in the server", () => {
  it("a waiter gets the lock when the holder's key goes, through any member", () => {
    const cluster = new Cluster(3);
    for (const n of [1, 2]) cluster.call(N1, "Lease/LeaseGrant", { id: lease(n), ttl: 600 });
    const first = cluster.call<{ readonly key: string }>(N1, "Lock/Lock", { name: "m", lease: lease(1) });
    const second = cluster.start(N2, "Lock/Lock", { name: "m", lease: lease(2) });
    cluster.pass(1 * SECOND);
    expect(cluster.answer(second)).toBeNull();
    cluster.call(N3, "Lock/Unlock", { key: first.key });
    cluster.until(() => cluster.answer(second) !== null);
    expect(cluster.answer(second)).toMatchObject({ key: "m/2" });
  });

  it("a waiter that is given up takes its key back", () => {
    const cluster = new Cluster(1);
    for (const n of [1, 2]) cluster.call(N1, "Lease/LeaseGrant", { id: lease(n), ttl: 600 });
    cluster.call(N1, "Lock/Lock", { name: "m", lease: lease(1) });
    const second = cluster.start(N1, "Lock/Lock", { name: "m", lease: lease(2) });
    cluster.pass(1 * SECOND);
    cluster.send(N1, { type: "cancel", call: second });
    cluster.pass(1 * SECOND);
    const keys = cluster.call<m.RangeResponse>(N1, "KV/Range", { key: "m/", rangeEnd: "m0" }).kvs;
    expect(keys.map(({ key }) => key)).toEqual(["m/1"]);
  });
});

describe("the quota", () => {
  it("raises the alarm through the log when it is used up; deletes go on", () => {
    const cluster = new Cluster(3, { etcd: { quotaBytes: 64 * 1024 } });
    const value = "x".repeat(10_000);
    let refused: object | null = null;
    for (let i = 0; i < 10 && refused === null; i += 1) {
      const answer = cluster.call(N1, "KV/Put", { key: `k${i}`, value });
      if ("code" in answer) refused = answer;
    }
    expect(refused).toEqual(failure("mvcc: database space exceeded"));
    expect(cluster.call(N2, "Maintenance/Alarm", { action: "GET" })).toMatchObject({ alarms: [{ alarm: "NOSPACE" }] });
    expect(cluster.call(N2, "KV/Put", { key: "a" })).toEqual(failure("mvcc: database space exceeded"));
    expect(cluster.call(N2, "KV/DeleteRange", { key: "k0" })).toMatchObject({ deleted: 1 });
  });
});

describe("the size of the database", () => {
  const sizeOf = (cluster: Cluster) => cluster.call<m.StatusResponse>(N1, "Maintenance/Status").dbSize;

  it("tells of a write once the backend has committed it, every 100 ms", () => {
    const cluster = new Cluster(1);
    cluster.pass(200 * MS);
    const before = sizeOf(cluster);
    // Just behind a commit, so that the next one is not over yet.
    cluster.pass(100 * MS - (cluster.world.now % (100 * MS)) + 1 * MS);
    cluster.call(N1, "KV/Put", { key: "a", value: "x".repeat(100_000) });
    expect(sizeOf(cluster)).toBe(before);
    expect(cluster.call(N1, "KV/Range", { key: "a" })).toMatchObject({ count: 1 });
    cluster.pass(100 * MS);
    expect(sizeOf(cluster)).toBeGreaterThan(before + 100_000);
  });

  it("a defragmentation and a backup commit what is pending", () => {
    const cluster = new Cluster(1);
    const before = sizeOf(cluster);
    cluster.call(N1, "KV/Put", { key: "a", value: "x".repeat(100_000) });
    cluster.call(N1, "Maintenance/Defragment");
    const after = sizeOf(cluster);
    expect(after).toBeGreaterThan(before + 90_000);
    cluster.call(N1, "KV/Put", { key: "b", value: "x".repeat(100_000) });
    cluster.send(N1, { type: "open", call: 999, method: "Maintenance/Snapshot", metadata: PLAIN });
    cluster.send(N1, { type: "send", call: 999, body: {} });
    expect(sizeOf(cluster)).toBeGreaterThan(after + 90_000);
  });
});

describe("a downgrade", () => {
  const ask = (cluster: Cluster, member: ProcessId, action: string, version = "") =>
    cluster.call(member, "Maintenance/Downgrade", { action, version });
  const [FORMAT, TARGET] = ["wrong downgrade target version format", "invalid downgrade target version"].map(
    (text) => ({ code: 3, message: `etcdserver: ${text}` }),
  );
  const [RUNS, NONE] = ["cluster has a downgrade job in progress", "no inflight downgrade job"].map((text) => ({
    code: 9,
    message: `etcdserver: ${text}`,
  }));
  const GOOD = { header: { revision: 1 }, version: "3.5.0" };

  it("is possible by one minor version, and asking changes nothing", () => {
    const cluster = new Cluster(3);
    for (const version of ["3.4", "3.4.0", "3.4.23", "3.4.0-rc.1", "3.4.1+git"])
      expect(ask(cluster, N1, "VALIDATE", version)).toMatchObject(GOOD);
    for (const version of ["3.5.0", "3.6.0", "3.3", "2.4.0", "4.4.0"])
      expect(ask(cluster, N1, "VALIDATE", version)).toEqual(TARGET);
    for (const version of ["", "3", "v3.4", "3.4.x", "3.4.0.0", "three"])
      expect(ask(cluster, N1, "VALIDATE", version)).toEqual(FORMAT);
    expect(ask(cluster, N1, "CANCEL")).toEqual(NONE);
  });

  it("once enabled is under way for all members, until it is cancelled through any of them", () => {
    const cluster = new Cluster(3);
    expect(ask(cluster, N1, "ENABLE", "3.3")).toEqual(TARGET);
    expect(ask(cluster, N1, "ENABLE", "3.4.0")).toMatchObject(GOOD);
    for (const member of [N1, N2, N3]) {
      expect(ask(cluster, member, "VALIDATE", "3.4.0")).toEqual(RUNS);
      expect(ask(cluster, member, "ENABLE", "3.4.0")).toEqual(RUNS);
      expect(ask(cluster, member, "ENABLE", "3.3.0")).toEqual(TARGET);
    }
    expect(ask(cluster, N2, "CANCEL", "whatever")).toMatchObject(GOOD);
    expect(ask(cluster, N3, "CANCEL")).toEqual(NONE);
    expect(ask(cluster, N3, "ENABLE", "3.4")).toMatchObject(GOOD);
  });

  it("outlives restarts, with and without a snapshot, and a backup does not mistake its last page for one", () => {
    for (const snapshotEntries of [1_000, 5]) {
      const cluster = new Cluster(1, { snapshotEntries });
      const restart = (): void => {
        for (let i = 0; i < 10; i += 1) cluster.call(N1, "KV/Put", { key: "a" });
        cluster.pass(1 * SECOND);
        cluster.order({ type: "crash", process: N1 });
        cluster.order({ type: "restart", process: N1 });
        cluster.pass(5 * SECOND);
        cluster.dial(N1);
      };
      ask(cluster, N1, "ENABLE", "3.4");
      restart();
      expect(ask(cluster, N1, "ENABLE", "3.4")).toEqual(RUNS);
      ask(cluster, N1, "CANCEL");
      restart();
      expect(ask(cluster, N1, "CANCEL")).toEqual(NONE);
    }
  });

  it("is looked up with the leader: without a quorum there is no answer but to a malformed version", () => {
    const cluster = new Cluster(3);
    for (const process of [N2, N3]) cluster.order({ type: "crash", process });
    cluster.pass(5 * SECOND);
    expect(ask(cluster, N1, "VALIDATE", "x")).toEqual(FORMAT);
    expect(ask(cluster, N1, "VALIDATE", "3.4")).toEqual(failure("request timed out"));
  });

  it("is unknown to 3.4", () => {
    const cluster = new Cluster(1, { etcd: { compat: "3.4" } });
    expect(ask(cluster, N1, "VALIDATE", "3.3")).toMatchObject({ code: 12 });
  });

  it("may be asked for by anybody, but what goes into the log needs a token that is good", () => {
    const cluster = new Cluster(1);
    for (const name of ["root", "eve"]) {
      cluster.call(N1, "Auth/UserAdd", { name, password: name });
      cluster.call(N1, "Auth/RoleAdd", { name });
      cluster.call(N1, "Auth/UserGrantRole", { user: name, role: name });
    }
    cluster.call(N1, "Auth/AuthEnable");
    const { token } = cluster.call<{ readonly token: string }>(N1, "Auth/Authenticate", {
      name: "eve",
      password: "eve",
    });
    const by = (whose: string | null, action: string) =>
      cluster.call(N1, "Maintenance/Downgrade", { action, version: "3.4" }, { token: whose, hasLeader: false });
    expect(by(null, "VALIDATE")).toMatchObject(GOOD);
    expect(by("none", "ENABLE")).toEqual(failure("invalid auth token"));
    expect(by(token, "ENABLE")).toMatchObject(GOOD);
    expect(by(null, "VALIDATE")).toEqual(RUNS);
  });
});

describe("users and roles", () => {
  it("who has no right to a key is refused, and root may do everything", () => {
    const cluster = new Cluster(3);
    for (const name of ["root", "eve"]) {
      cluster.call(N1, "Auth/UserAdd", { name, password: name });
      cluster.call(N1, "Auth/RoleAdd", { name });
      cluster.call(N1, "Auth/UserGrantRole", { user: name, role: name });
    }
    const perm = create(m.Permission, { permType: "READWRITE", key: "e" });
    cluster.call(N1, "Auth/RoleGrantPermission", { name: "eve", perm });
    cluster.call(N1, "Auth/AuthEnable");
    const tokenOf = (name: string): Metadata => ({
      token: cluster.call<{ readonly token: string }>(N2, "Auth/Authenticate", { name, password: name }).token,
      hasLeader: false,
    });
    const [root, eve] = [tokenOf("root"), tokenOf("eve")];
    expect(cluster.call(N3, "KV/Put", { key: "e" }, eve)).toMatchObject({ header: { revision: 2 } });
    expect(cluster.call(N3, "KV/Put", { key: "f" }, eve)).toEqual(failure("permission denied"));
    expect(cluster.call(N3, "KV/Range", { key: "f" }, eve)).toEqual(failure("permission denied"));
    expect(cluster.call(N3, "KV/Put", { key: "f" }, root)).toMatchObject({ header: { revision: 3 } });
    expect(cluster.call(N3, "KV/Put", { key: "f" })).toEqual(failure("user name is empty"));
    expect(cluster.call(N3, "KV/Range", { key: "f" }, { ...root, token: "none" })).toEqual(
      failure("invalid auth token"),
    );
    // Maintenance passes an auth error on as it is: no code of its own, and the text of the package.
    expect(cluster.call(N3, "Maintenance/Defragment", {}, eve)).toEqual({
      code: 2,
      message: "auth: permission denied",
    });
  });
});

it("a token holds for its time since it was last used at a member, and others go on", () => {
  const cluster = new Cluster(3, { etcd: { authTokenTtl: 10 * SECOND } });
  cluster.call(N1, "Auth/UserAdd", { name: "root", password: "pw" });
  cluster.call(N1, "Auth/RoleAdd", { name: "root" });
  cluster.call(N1, "Auth/UserGrantRole", { user: "root", role: "root" });
  cluster.call(N1, "Auth/AuthEnable");
  const { token } = cluster.call<{ readonly token: string }>(N1, "Auth/Authenticate", { name: "root", password: "pw" });
  const root: Metadata = { token, hasLeader: false };
  for (let i = 0; i < 3; i += 1) {
    cluster.pass(8 * SECOND);
    expect(cluster.call(N1, "KV/Put", { key: "a" }, root)).toMatchObject({ header: { revision: i + 2 } });
  }
  // At another member nobody has used it.
  expect(cluster.call(N2, "KV/Put", { key: "a" }, root)).toEqual(failure("invalid auth token"));
  cluster.pass(10 * SECOND);
  expect(cluster.call(N1, "KV/Range", { key: "a" }, root)).toEqual(failure("invalid auth token"));
});

describe("renewing a lease that is over and not ended yet", () => {
  /** Nothing is committed for a while, so that the revocation waits. */
  function over(cluster: Cluster, member: ProcessId): ReturnType<Cluster["open"]> {
    const leader = cluster.leader as ProcessId;
    cluster.call(member, "Lease/LeaseGrant", { id: lease(7), ttl: 3 });
    const alive = cluster.open(member, "Lease/LeaseKeepAlive");
    const followers = [N1, N2, N3].filter((each) => each !== leader);
    cluster.pass(2_500 * MS);
    cluster.order({ type: "cut", links: followers.map((from) => ({ from, to: leader })) });
    cluster.pass(700 * MS);
    cluster.keepAlive(alive, lease(7));
    cluster.pass(100 * MS);
    expect(alive.got).toEqual([]);
    return alive;
  }

  it("is answered with 0 once it is ended", () => {
    const cluster = new Cluster(3);
    const alive = over(cluster, cluster.leader as ProcessId);
    cluster.order({ type: "heal" });
    cluster.pass(2 * SECOND);
    expect(alive.got).toMatchObject([{ id: "7", ttl: 0 }]);
  });
});

it("a backup is whole pages and their SHA-256, which tells when a byte is another", () => {
  const cluster = new Cluster(1);
  for (let i = 0; i < 50; i += 1) cluster.call(N1, "KV/Put", { key: `k${i}`, value: "x".repeat(2_000) });
  const stream = cluster.open(N1, "Maintenance/Snapshot");
  cluster.send(N1, { type: "send", call: stream.call, body: {} });
  cluster.pass(1 * SECOND);
  const parts = stream.got as m.SnapshotResponse[];
  expect(parts.at(-1)?.remainingBytes).toBe(0);
  expect(parts.at(-1)?.blob).toHaveLength(32);
  const file = parts.map(({ blob }) => blob).join("");
  expect(file.length % 4_096).toBe(32);
  expect(hashProblem(file)).toBeNull();
  expect(inspectSnapshot(file)).toEqual({ revision: 51, totalKeys: 50 });
  expect(hashProblem(`y${file.slice(1)}`)).toMatch(/^expected sha256 \[/u);
  expect(hashProblem(file.slice(0, -32))).toBe("snapshot missing hash but --skip-hash-check=false");
});

describe("membership", () => {
  it("a machine that joins as a learner publishes its name, catches up and is promoted", () => {
    const cluster = new Cluster(3);
    const N4 = id("n4");
    for (let i = 0; i < 20; i += 1) cluster.call(N1, "KV/Put", { key: "a", value: `${i}` });
    const added = cluster.call<{ readonly member: m.Member }>(N1, "Cluster/MemberAdd", {
      peerUrls: ["http://n4:2380"],
      isLearner: true,
    });
    cluster.order({ type: "spawn", process: N4 });
    cluster.pass(5 * SECOND);
    cluster.dial(N4);
    expect(cluster.call(N4, "KV/Put", { key: "a" })).toEqual(failure("rpc not supported for learner"));
    expect(cluster.call(N4, "KV/Range", { key: "a", serializable: true })).toMatchObject({ count: 1 });
    cluster.call(N1, "Cluster/MemberPromote", { id: added.member.id });
    cluster.pass(1 * SECOND);
    const { members } = cluster.call<{ readonly members: readonly m.Member[] }>(N4, "Cluster/MemberList");
    expect(members.find(({ name }) => name === "n4")).toMatchObject({
      isLearner: false,
      clientUrls: ["http://n4:2379"],
    });
    expect(cluster.call(N4, "KV/Put", { key: "a" })).toMatchObject({ header: { revision: 22 } });
  });

  it("leadership moves where the leader is told to move it", () => {
    const cluster = new Cluster(3);
    const { leader, follower } = cluster;
    const { members } = cluster.call<{ readonly members: readonly m.Member[] }>(N1, "Cluster/MemberList");
    const target = members.find(({ name }) => name === (follower as string))?.id;
    expect(cluster.call(follower, "Maintenance/MoveLeader", { targetId: target })).toEqual(failure("not leader"));
    cluster.call(leader as ProcessId, "Maintenance/MoveLeader", { targetId: target });
    expect(cluster.leader).toBe(follower);
  });
});

describe("runs of etcd", () => {
  const config: RunConfig = { ...DEFAULT_CONFIG, system: "etcd", members: 3, clients: 2 };

  it("repeat, and go on from a checkpoint to the hash of the run that never stopped", async () => {
    const whole = new Run({ seed: 5, config }, [], 50, SYSTEMS_KIT);
    await whole.advance(3 * SECOND);
    const parts = new Run({ seed: 5, config }, [], 50, SYSTEMS_KIT);
    await parts.advance(2 * SECOND);
    parts.seek(1 * SECOND);
    await parts.advance(3 * SECOND);
    expect(parts.hash).toBe(whole.hash);
  });

  it.each([1, 2, 3, 4])("under faults keep to the guarantees (seed %i)", (seed) => {
    const { violation, history } = runEtcdSeed(seed, { length: 3 * SECOND, kit: SYSTEMS_KIT });
    expect(violation).toBeNull();
    expect(history.operations).toBeGreaterThan(5);
  });
});
