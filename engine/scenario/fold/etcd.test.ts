/** The fold over real runs of three members, a busy client and a console. */
import { describe, expect, it } from "vitest";
import { present } from "../../base/assert.ts";
import { SECOND } from "../../base/units.ts";
import { fromText } from "../../etcd/api/bytes.ts";
import { KeyValue } from "../../etcd/api/messages.ts";
import { create } from "../../etcd/api/proto.ts";
import type { ProcessId } from "../../sim/command.ts";
import type { EtcdDelta } from "../../trace/etcd-view.ts";
import { DEFAULT_CONFIG, type RunConfig } from "../config.ts";
import { Run } from "../run.ts";
import { SYSTEMS_KIT } from "../systems.ts";
import { EtcdFold } from "./etcd.ts";
import { textOf } from "./etcd-text.ts";

const CONSOLE = "c1" as ProcessId;
const CONFIG: RunConfig = {
  ...DEFAULT_CONFIG,
  system: "etcd",
  members: 3,
  timing: "etcd",
  preVote: true,
  clients: 0,
  etcd: { console: true },
};

class Typed {
  readonly run = new Run({ seed: 7, config: CONFIG }, [], undefined, SYSTEMS_KIT);

  /** Types a line, and lets some seconds pass. */
  async line(text: string, seconds = 1): Promise<EtcdDelta> {
    if (this.run.position.at === 0) await this.run.advance(4 * SECOND);
    expect(this.run.command({ type: "console", client: CONSOLE, input: { do: "line", text } })).toBeNull();
    await this.run.advance(this.run.position.at + seconds * SECOND);
    return this.view;
  }

  get view(): EtcdDelta {
    return present(this.run.keyframe().etcd, "etcd's part");
  }

  get leader(): ProcessId {
    return present(
      this.run.keyframe().members?.find(({ role, liveness }) => role === "leader" && liveness === "running"),
      "a leader",
    ).id;
  }
}

const shownKeys = (view: EtcdDelta): object =>
  Object.fromEntries(
    (view.keys ?? []).map(({ id, changes }) => [id, changes.map(({ type, value }) => (type === "put" ? value : null))]),
  );

describe("the keyspace", () => {
  it("has each put and delete, and who asked for it", async () => {
    const typed = new Typed();
    await typed.line("put a 1");
    await typed.line("put a 2");
    const view = await typed.line("del a");
    expect(shownKeys(view)).toEqual({ a: ["1", "2", null] });
    expect(view.revision).toBe(4);
    expect(view.keys?.[0]?.changes.map(({ client }) => client)).toEqual([CONSOLE, CONSOLE, CONSOLE]);
  });

  it("loses what a compaction takes, and keeps what can still be read", async () => {
    const typed = new Typed();
    for (const line of ["put a 1", "put a 2", "put gone x", "del gone", "put b 1"]) await typed.line(line, 0.5);
    const view = await typed.line("compaction 5");
    expect(view.compactRevision).toBe(5);
    expect(shownKeys(view)).toEqual({ a: ["2"], b: ["1"] });
    expect(typed.run.keyframe().notes?.filter(({ what }) => what === "etcd-compacted")).toHaveLength(1);
  });

  it("follows when committed entries are lost: what was written instead is in it, what was lost is not", () => {
    const fold = new EtcdFold(null, null);
    const applied = (id: number, index: number, key: string, revision: number, name: string): void => {
      const kv = create(KeyValue, {
        key: name,
        value: key,
        modRevision: revision,
        createRevision: revision,
        version: 1,
      });
      const change = { main: revision, sub: 0, tombstone: false, kv };
      const event = {
        type: "etcd-applied",
        key,
        index,
        revision,
        changes: [change],
        granted: null,
        ended: null,
        compacted: null,
      };
      fold.add({ id, cause: 0, at: id, process: "n1" as ProcessId, incarnation: 1, event });
    };
    applied(1, 5, "n1/1/1", 2, "a");
    applied(2, 6, "n1/1/2", 3, "b");
    applied(3, 7, "n1/1/3", 4, "a");
    // Another member that has applied as much: nothing new.
    applied(4, 6, "n1/1/2", 3, "b");
    expect(shownKeys(fold.keyframe())).toEqual({ b: ["n1/1/2"], a: ["n1/1/1", "n1/1/3"] });
    // All came back without the last two, and something else was written there.
    applied(5, 6, "n2/2/1", 3, "c");
    const view = fold.keyframe();
    expect(shownKeys(view)).toEqual({ a: ["n1/1/1"], c: ["n2/2/1"] });
    expect(view.revision).toBe(3);
  });

  it("stays what it was when every member is crashed and comes back from its disk", async () => {
    const typed = new Typed();
    const before = shownKeys(await typed.line("put a 1"));
    const members = ["n1", "n2", "n3"] as ProcessId[];
    for (const process of members) typed.run.command({ type: "crash", process });
    for (const process of members) typed.run.command({ type: "restart", process });
    await typed.run.advance(typed.run.position.at + 5 * SECOND);
    expect(shownKeys(typed.view)).toEqual(before);
    expect(shownKeys(await typed.line("put b 2"))).toEqual({ a: ["1"], b: ["2"] });
  });
});

describe("a lease", () => {
  const grant = async (typed: Typed, ttl: number): Promise<string> => {
    const { leases = [] } = await typed.line(`lease grant ${ttl}`);
    return present(leases[0], "a lease").id;
  };

  it("is counted to the instant at which it ends, with its keys", async () => {
    const typed = new Typed();
    const id = await grant(typed, 5);
    const { leases } = await typed.line(`put k v --lease=${id}`);
    expect(leases).toMatchObject([{ id, ttl: 5, grantedTo: CONSOLE, keys: ["k"], state: "alive", by: "grant" }]);
    const expiresAt = present(leases?.[0]?.expiresAt, "a count");
    await typed.run.advance(expiresAt + 2 * SECOND);
    const after = present(typed.view.leases?.[0], "an ended lease lingers");
    expect(after).toMatchObject({ state: "expired", keys: [], expiresAt: null });
    expect(present(after.endedAt, "an end") - expiresAt).toBeLessThan(SECOND);
    expect(shownKeys(typed.view)).toEqual({ k: ["v", null] });
    await typed.run.advance(expiresAt + 40 * SECOND);
    expect(typed.view.leases).toEqual([]);
  });

  it("is counted by nobody while nobody leads, and extended by the next leader", async () => {
    const typed = new Typed();
    await grant(typed, 20);
    typed.run.command({ type: "crash", process: typed.leader });
    expect(typed.view.leases).toMatchObject([{ expiresAt: null, state: "alive" }]);
    await typed.run.advance(typed.run.position.at + 5 * SECOND);
    expect(typed.view.leases).toMatchObject([{ by: "leader-change", state: "alive" }]);
    expect(typed.run.keyframe().notes?.map(({ what }) => what)).toContain("etcd-lease-extended");
  });

  it("counts its renewals", async () => {
    const typed = new Typed();
    const id = await grant(typed, 6);
    const { leases } = await typed.line(`lease keep-alive ${id}`, 10);
    expect(leases).toMatchObject([{ id, by: "keep-alive", state: "alive" }]);
    expect(leases?.[0]?.renewals).toBeGreaterThan(2);
  });
});

it("a watch lists what was delivered, and ends with its command", async () => {
  const typed = new Typed();
  await typed.line("put app/a 1");
  const { watches } = await typed.line("watch --prefix app/ --rev=1", 2);
  expect(watches).toMatchObject([{ client: CONSOLE, target: "app/*", startRevision: 1, state: "synced" }]);
  expect(watches?.[0]?.delivered).toMatchObject([{ type: "put", key: "app/a", revision: 2 }]);
  typed.run.command({ type: "console", client: CONSOLE, input: { do: "interrupt" } });
  await typed.run.advance(typed.run.position.at + SECOND);
  expect(typed.view.watches).toMatchObject([{ state: "cancelled" }]);
});

describe("a request's way", () => {
  const stages = async (typed: Typed, line: string): Promise<readonly string[]> => {
    const { requests = [] } = await typed.line(line, 2);
    return present(requests.at(-1), "a request").steps.map(({ stage }) => stage);
  };

  it("of a write leads through every log, disk and store", async () => {
    const way = await stages(new Typed(), "put a 1");
    const count = (stage: string): number => way.filter((each) => each === stage).length;
    expect([count("proposed"), count("durable"), count("committed"), count("applied"), count("answered")]).toEqual([
      1, 3, 1, 3, 1,
    ]);
    expect(way.indexOf("committed")).toBeGreaterThan(way.indexOf("durable"));
    expect(way.indexOf("applied")).toBeGreaterThan(way.indexOf("committed"));
  });

  it("of a read asks who leads and writes nothing; of a local read not even that", async () => {
    const typed = new Typed();
    expect(await stages(typed, "get a")).toEqual(["received", "confirmed", "answered"]);
    expect(await stages(typed, "get a --consistency=s")).toEqual(["received", "answered"]);
  });

  it("that is refused ends with etcd's own words", async () => {
    const typed = new Typed();
    expect(await stages(typed, "compaction 99")).toContain("refused");
    expect(typed.view.requests?.at(-1)).toMatchObject({ outcome: "failed", error: expect.stringContaining("future") });
  });
});

it("the console's screen has what was typed and what came of it", async () => {
  const typed = new Typed();
  const { console: screen } = await typed.line("put a 1");
  expect(screen?.lines).toEqual([
    { n: 0, stream: "typed", text: "put a 1\n" },
    { n: 1, stream: "stdout", text: "OK\n" },
  ]);
  expect(screen).toMatchObject({ busy: false, code: 0 });
});

it("after a jump to the past and back, the picture is the same", async () => {
  const typed = new Typed();
  await typed.line("put a 1");
  await typed.line("lease grant 60");
  const before = await typed.line("put b 2");
  const { at } = typed.run.position;
  typed.run.seek(at - 2 * SECOND);
  expect(shownKeys(typed.view)).toEqual({ a: ["1"] });
  typed.run.seek(at);
  expect(typed.view).toEqual(before);
});

it("bytes that are no text are escaped", () => {
  expect(textOf("plain")).toBe("plain");
  expect(textOf(fromText("grüß 锁"))).toBe("grüß 锁");
  expect(textOf("a\xff\n\x00")).toBe("a\\xff\\n\\x00");
});
