import { describe, expect, it } from "vitest";
import { SECOND } from "../base/units.ts";
import type { ProcessId } from "../sim/command.ts";
import type { Call, CreateMode } from "./api.ts";
import { type Heard, type Script, Stage } from "./testing.ts";

const ALL = ["n1", "n2", "n3"];
const process = (name: string): ProcessId => name as ProcessId;
const create = (path: string, mode: CreateMode = "PERSISTENT"): Call => ({ call: "create", path, data: "", mode });
const watch = (path: string): Call => ({ call: "exists", path, watch: true });

function replies(heard: readonly Heard[]): readonly unknown[] {
  return heard.flatMap(({ notice }) =>
    notice.type !== "reply"
      ? []
      : [notice.answer.err === "OK" ? (notice.answer.result.path ?? "OK") : notice.answer.err],
  );
}

function told(heard: readonly Heard[], what: string): readonly number[] {
  return heard
    .filter(
      ({ notice }) =>
        (notice.type === "event" ? notice.event.type : notice.type === "state" ? notice.state : "") === what,
    )
    .map(({ at }) => at / SECOND);
}

/** A makes the node that B watches. */
function holderAndWaiter(waiter: Partial<Script> = {}, holder: Partial<Script> = {}): Stage {
  return new Stage(3, [
    { name: "A", servers: ALL, calls: [[4 * SECOND, create("/a", "EPHEMERAL")]], ...holder },
    { name: "B", servers: ALL, calls: [[5 * SECOND, watch("/a")]], ...waiter },
  ]);
}

describe("a session", () => {
  it("whose client was killed ends at the first tick after its timeout, wherever its client was connected", () => {
    for (const member of ALL) {
      const stage = holderAndWaiter({}, { servers: [member] }).until(13 * SECOND);
      stage.command({ type: "crash", process: process("A") });
      stage.until(60 * SECOND);
      const [gone] = told(stage.heard("B"), "NodeDeleted");
      // The last thing heard of A is a ping of at most 10 s before.
      expect(gone).toBeGreaterThan(13 + 20);
      expect(gone).toBeLessThan(13 + 30 + 2 + 0.1);
      expect(stage.of("session-expired")).toHaveLength(3);
    }
  });

  it("lives on while its client pings, also over a network that loses a tenth of what members say", () => {
    const scripts = ALL.map(
      (server): Script => ({ name: `c${server}`, servers: [server], timeout: 4 * SECOND, calls: [] }),
    );
    const stage = new Stage(3, scripts, 100_000).until(120 * SECOND);
    expect(stage.of("session-opened").length).toBeGreaterThan(0);
    expect(stage.of("session-ran-out")).toEqual([]);
  });

  it("is given up by a library that counts for itself after its timeout without a connection, and another one opened", () => {
    const early = { servers: ["n1"], timeout: 10 * SECOND, givesUp: true };
    const stage = holderAndWaiter({ servers: ["n3"] }, early).until(6 * SECOND);
    stage.command({ type: "crash", process: process("n1") });
    stage.until(20 * SECOND);
    stage.command({ type: "restart", process: process("n1") });
    stage.until(22 * SECOND);
    const [lost] = told(stage.heard("A"), "Lost");
    expect(lost).toBeGreaterThanOrEqual(16);
    expect(lost).toBeLessThan(16.2);
    const sessions = stage.of("zk-connected").map(({ event }) => (event as { readonly session: string }).session);
    expect(new Set(sessions).size).toBe(3); // two of A's, and B's
    expect(told(stage.heard("A"), "Expired")).toEqual([]);
  });

  it("outlives the leader: each has its whole timeout again, clients come back, nodes stay", () => {
    const stage = holderAndWaiter().until(9 * SECOND);
    stage.command({ type: "crash", process: stage.leader() });
    stage.until(60 * SECOND);
    expect(told(stage.heard("A"), "Disconnected").length).toBeGreaterThan(0);
    expect(told(stage.heard("A"), "SyncConnected")).toHaveLength(2);
    expect(told(stage.heard("B"), "NodeDeleted")).toEqual([]);
    expect(stage.of("session-expired")).toEqual([]);
  });

  it("of a client cut off with the old leader ends on the other side, and the client hears of it when the cut is mended", () => {
    const stage = holderAndWaiter().until(8 * SECOND);
    const old = stage.leader();
    const others = ALL.filter((id) => id !== old).map(process);
    // A's place in the queue of servers is drawn, so it is A with the old leader that are cut off, whoever it talks to.
    stage.command({
      type: "partition",
      groups: [
        [process("A"), old],
        [...others, process("B")],
      ],
    });
    stage.until(60 * SECOND);
    expect(told(stage.heard("B"), "NodeDeleted")).toHaveLength(1);
    expect(told(stage.heard("A"), "Disconnected")).toHaveLength(1);
    expect(told(stage.heard("A"), "Expired")).toEqual([]);
    stage.command({ type: "heal" });
    stage.until(120 * SECOND);
    expect(told(stage.heard("A"), "Expired")).toHaveLength(1);
  });
});

describe("a watch", () => {
  const later = (script: Partial<Script>): Stage => {
    const stage = new Stage(3, [
      {
        name: "A",
        servers: ALL,
        calls: [
          [4 * SECOND, create("/a")],
          [20 * SECOND, { call: "delete", path: "/a", version: -1 }],
        ],
      },
      { name: "B", servers: ALL, calls: [[5 * SECOND, watch("/a")]], ...script },
    ]).until(9 * SECOND);
    stage.command({ type: "crash", process: stage.leader() });
    return stage.until(60 * SECOND);
  };

  it("is said again on the new connection and fires", () => {
    expect(told(later({}).heard("B"), "NodeDeleted")).toHaveLength(1);
  });

  it("that the library does not say again never fires: a waiter waits for ever", () => {
    expect(told(later({ watchesAgain: false }).heard("B"), "NodeDeleted")).toEqual([]);
  });
});

describe("requests", () => {
  const many = Array.from({ length: 60 }, (): readonly [number, Call] => [
    6 * SECOND,
    create("/q/n", "PERSISTENT_SEQUENTIAL"),
  ]);
  const script: Script = { name: "A", servers: ALL, calls: [[5 * SECOND, create("/q")], ...many] };
  const names = Array.from({ length: 60 }, (_, n) => `/q/n${String(n).padStart(10, "0")}`);

  it("of one client are carried out once and in order, though the members' messages are lost, doubled and overtaken", () => {
    const stage = new Stage(3, [script], 100_000).until(60 * SECOND);
    const done = replies(stage.heard("A")).filter((reply) => reply !== "ConnectionLoss");
    expect(done).toEqual(["/q", ...names].slice(0, done.length));
    expect(done.length).toBeGreaterThan(30);
    const zxids = stage.of("znode-created").map(({ event }) => (event as { zxid: number }).zxid);
    for (const zxid of zxids) expect(zxids.filter((other) => other === zxid).length).toBeLessThanOrEqual(3);
  });

  it("go on from a checkpoint as in the run that never stopped", () => {
    const straight = new Stage(3, [script, { ...script, name: "B", calls: [[7 * SECOND, watch("/q")]] }], 20_000);
    const broken = new Stage(3, [script, { ...script, name: "B", calls: [[7 * SECOND, watch("/q")]] }], 20_000);
    straight.until(30 * SECOND);
    for (const at of [1, 4, 6.003, 6.02, 7.001, 9]) {
      broken.until(at * SECOND);
      broken.goOnFromCheckpoint();
    }
    broken.until(30 * SECOND);
    expect(broken.events.length).toBe(straight.events.length);
    expect(JSON.stringify(broken.events)).toBe(JSON.stringify(straight.events));
  });

  it("sync, then read: shows what another client wrote before, at whichever member", () => {
    const stage = new Stage(3, [
      { name: "A", servers: ["n1"], calls: [[5 * SECOND, create("/s")]] },
      {
        name: "B",
        servers: ["n2"],
        calls: [
          [5.1 * SECOND, { call: "sync", path: "/s" }],
          [5.1 * SECOND, watch("/s")],
        ],
      },
    ]).until(8 * SECOND);
    expect(replies(stage.heard("B"))).toEqual(["/s", "OK"]);
  });
});
