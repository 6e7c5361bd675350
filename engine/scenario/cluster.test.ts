/** Whole clusters, as a person drives them, seen through the view that the page gets. */
import { describe, expect, it } from "vitest";
import { present } from "../base/assert.ts";
import { MS, SECOND } from "../base/units.ts";
import type { Command, MembershipStep, ProcessId } from "../sim/command.ts";
import type { Delta, Flight, MemberView, Note } from "../trace/view.ts";
import { DEFAULT_CONFIG, type RunConfig } from "./config.ts";
import { Run } from "./run.ts";

const id = (name: string): ProcessId => name as ProcessId;
const C1 = id("c1");

/** A run and what its view says now. */
class Cluster {
  readonly run: Run;
  #notes: Note[] = [];
  #last: Delta | null = null;

  constructor(seed: number, config: Partial<RunConfig> = {}) {
    this.run = new Run({ seed, config: { ...DEFAULT_CONFIG, ...config } });
  }
  async go(ms: number): Promise<void> {
    const to = this.run.position.at + ms * MS;
    await this.run.advance(to);
    if (this.run.position.at < to) await this.run.advance(to); // a violation stops it once
    this.#look();
  }
  #look(): void {
    this.#last = this.run.keyframe();
    this.#notes = [...(this.#last.notes ?? [])];
  }
  order(command: Command): void {
    expect(this.run.command(command)).toBeNull();
  }
  get members(): MemberView[] {
    return [...(this.#last?.members ?? [])];
  }
  member(name: string): MemberView {
    const found = this.members.find((member) => member.id === name);
    if (found === undefined) throw new Error(`${name} is not shown`);
    return found;
  }
  get leaders(): ProcessId[] {
    return this.members.filter(({ role }) => role === "leader").map(({ id: leader }) => leader);
  }
  get leader(): ProcessId {
    expect(this.leaders).toHaveLength(1);
    return this.leaders[0] as ProcessId;
  }
  followers(): ProcessId[] {
    return this.members.filter(({ role }) => role === "follower").map(({ id: follower }) => follower);
  }
  log(name: string): string[] {
    return (this.#last?.logs?.[name]?.cells ?? []).map(({ term, label }) => `${term}:${label}`);
  }
  firstIndex(name: string): number {
    return this.#last?.logs?.[name]?.firstIndex ?? 0;
  }
  get violation() {
    return this.#last?.violation ?? null;
  }
  get client() {
    const client = this.#last?.clients?.[0];
    if (client === undefined) throw new Error("no client");
    return client;
  }
  noted(what: string): Note[] {
    return this.#notes.filter((note) => note.what === what);
  }
  async elected(): Promise<void> {
    for (let i = 0; i < 100 && this.leaders.length === 0; i += 1) await this.go(50);
    await this.go(100);
  }
  async write(value: string, member: string | null = null): Promise<void> {
    this.order({ type: "write", client: C1, member: member as ProcessId | null, value });
    await this.go(300);
  }
  async change(steps: MembershipStep[], transition: "auto" | "explicit" = "auto"): Promise<void> {
    this.order({ type: "membership", member: this.leader, transition, steps });
    await this.go(500);
  }
}

async function started(seed: number, config: Partial<RunConfig> = {}): Promise<Cluster> {
  const cluster = new Cluster(seed, config);
  await cluster.elected();
  return cluster;
}

describe("a cluster of one to nine members", () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8, 9])("%i: elects one leader and applies a write on every member", async (members) => {
    const cluster = await started(members, { members });
    await cluster.write("a");
    expect(cluster.leaders).toHaveLength(1);
    expect(cluster.members.map(({ value }) => value)).toEqual(Array(members).fill("a"));
    expect(cluster.client.writes).toMatchObject([{ value: "a", outcome: "done", entry: { index: 2 } }]);
  });
});

describe("a crashed leader", () => {
  it("is followed by another of a higher term, and comes back as its follower with its log", async () => {
    const cluster = await started(2);
    await cluster.write("a");
    const first = cluster.leader;
    cluster.order({ type: "crash", process: first });
    await cluster.go(1_000);
    expect(cluster.leader).not.toBe(first);
    expect(cluster.member(first).liveness).toBe("crashed");
    await cluster.write("b");
    cluster.order({ type: "restart", process: first });
    await cluster.go(500);
    expect(cluster.member(first)).toMatchObject({ liveness: "running", role: "follower", incarnation: 2, value: "b" });
    expect(cluster.log(first)).toEqual(cluster.log(cluster.leader));
  });
});

describe("a follower's timer", () => {
  it("is shown to run out when the follower stands", async () => {
    const cluster = await started(2, { members: 3 });
    cluster.order({ type: "crash", process: cluster.leader });
    await cluster.go(20); // what was in flight has arrived
    const timers = cluster.members.flatMap(({ liveness, timer }) => (liveness === "running" && timer ? [timer] : []));
    await cluster.go(400);
    const stood = cluster.noted("election-started").at(-1)?.at ?? 0;
    expect(timers.map(({ firesAt }) => firesAt)).toContain(stood);
  });
});

describe("a minority", () => {
  it("takes a write and never commits it; mended, its log is made equal to the majority's", async () => {
    const cluster = await started(3);
    await cluster.write("before");
    const old = cluster.leader;
    const [with1, ...rest] = cluster.followers();
    cluster.order({ type: "partition", groups: [[old, with1 as ProcessId], rest] });
    await cluster.write("lost", old);
    await cluster.go(600);
    expect(cluster.log(old).at(-1)).toMatch(/lost$/);
    expect(cluster.member(old).commit).toBeLessThan(cluster.member(old).lastIndex);
    await cluster.write("kept", rest[0] ?? null);
    await cluster.go(1_000);
    cluster.order({ type: "heal" });
    await cluster.go(1_000);
    expect(cluster.log(old)).toEqual(cluster.log(rest[0] ?? ""));
    expect(cluster.log(old).some((cell) => cell.endsWith("lost"))).toBe(false);
    expect(cluster.noted("truncated").length).toBeGreaterThan(0);
    expect(cluster.member(old).value).toBe("kept");
    expect(cluster.client.writes.find(({ value }) => value === "lost")?.outcome).not.toBe("done");
  });
});

describe("a member's disk", () => {
  it("damaged in the middle makes it panic with the reason when it starts, and the others go on", async () => {
    const cluster = await started(4);
    await cluster.write("a");
    await cluster.write("b");
    const [victim] = cluster.followers() as [ProcessId];
    cluster.order({ type: "crash", process: victim });
    cluster.order({ type: "corrupt", process: victim, back: 60 });
    cluster.order({ type: "restart", process: victim });
    await cluster.write("c");
    expect(cluster.member(victim)).toMatchObject({
      liveness: "panicked",
      panic: { message: expect.stringMatching(/WalCorrupt/) },
    });
    expect(cluster.member(cluster.leader).value).toBe("c");
  });

  it("wiped comes back knowing nothing, and panics when it hears of commits that it has promised to hold, as etcd does", async () => {
    const cluster = await started(4);
    await cluster.write("a");
    const [victim] = cluster.followers() as [ProcessId];
    cluster.order({ type: "crash", process: victim });
    cluster.order({ type: "wipe", process: victim });
    cluster.order({ type: "restart", process: victim });
    await cluster.go(500);
    expect(cluster.member(victim)).toMatchObject({
      liveness: "panicked",
      panic: { message: expect.stringMatching(/RaftPanic/) },
    });
  });
});

describe("membership", () => {
  it("a learner is fed and does not vote, promoted it does, removed it is gone from the configuration", async () => {
    const cluster = await started(5, { members: 3 });
    await cluster.write("a");
    cluster.order({ type: "spawn", process: id("n4") });
    await cluster.change([{ operation: "add-learner", id: id("n4") }]);
    expect(cluster.member("n4")).toMatchObject({ role: "learner", value: "a" });
    expect(cluster.member(cluster.leader).conf).toMatchObject({ voters: ["n1", "n2", "n3"], learners: ["n4"] });
    await cluster.change([{ operation: "add-voter", id: id("n4") }]);
    expect(cluster.member("n4")).toMatchObject({
      role: "follower",
      conf: { voters: ["n1", "n2", "n3", "n4"], learners: [] },
    });
    const [leaving] = cluster.followers() as [ProcessId];
    await cluster.change([{ operation: "remove", id: leaving }]);
    expect(cluster.member(cluster.leader).conf?.voters).not.toContain(leaving);
    cluster.order({ type: "retire", process: leaving });
    await cluster.write("b", cluster.leader);
    expect(cluster.members.map(({ id: shown }) => shown)).not.toContain(leaving);
    expect(cluster.member("n4").value).toBe("b");
  });

  it("two at a time go through a joint configuration that is left by itself, or when asked", async () => {
    const cluster = await started(6, { members: 3 });
    for (const name of ["n4", "n5"]) cluster.order({ type: "spawn", process: id(name) });
    await cluster.change([
      { operation: "add-voter", id: id("n4") },
      { operation: "add-voter", id: id("n5") },
    ]);
    expect(cluster.noted("conf-joint")).toHaveLength(1);
    expect(cluster.member("n5").conf).toMatchObject({ voters: ["n1", "n2", "n3", "n4", "n5"], votersOutgoing: [] });
    const [leaving] = cluster.followers() as [ProcessId];
    await cluster.change([{ operation: "remove", id: leaving }], "explicit");
    expect(cluster.member(cluster.leader).conf?.votersOutgoing).toHaveLength(5);
    await cluster.change([]);
    expect(cluster.member(cluster.leader).conf).toMatchObject({ votersOutgoing: [] });
    expect(cluster.member(cluster.leader).conf?.voters).toHaveLength(4);
  });

  it("a new member behind a compacted log is caught up by a snapshot, and knows the configuration from it", async () => {
    const cluster = await started(7, { members: 3 });
    for (const value of ["a", "b", "c"]) await cluster.write(value);
    for (const { id: member } of cluster.members) cluster.order({ type: "snapshot", process: member });
    await cluster.go(100);
    cluster.order({ type: "spawn", process: id("n4") });
    await cluster.change([{ operation: "add-learner", id: id("n4") }]);
    expect(cluster.noted("snapshot-installed").map(({ process }) => process)).toEqual(["n4"]);
    expect(cluster.member("n4")).toMatchObject({ value: "c", role: "learner" });
    cluster.order({ type: "crash", process: id("n4") });
    cluster.order({ type: "restart", process: id("n4") });
    await cluster.go(500);
    expect(cluster.member("n4")).toMatchObject({ value: "c", role: "learner", liveness: "running" });
  });

  it("the last voter cannot be removed: the change is refused when it is applied, and the cluster goes on", async () => {
    const cluster = await started(20, { members: 1 });
    await cluster.change([{ operation: "remove", id: id("n1") }]);
    expect(cluster.noted("conf-change-refused")[0]?.figures).toMatchObject({ rule: "last-voter" });
    await cluster.write("a");
    expect(cluster.member("n1")).toMatchObject({ role: "leader", value: "a", conf: { voters: ["n1"] } });
  });

  it("a change while another is pending is refused with its reason", async () => {
    const cluster = await started(8, { members: 3 });
    const change: Command = {
      type: "membership",
      member: cluster.leader,
      transition: "auto",
      steps: [{ operation: "add-learner", id: id("n4") }],
    };
    cluster.order({ type: "spawn", process: id("n4") });
    cluster.order(change);
    cluster.order(change);
    await cluster.go(300);
    expect(cluster.noted("conf-change-refused")[0]?.figures).toMatchObject({ rule: "conf-change-pending" });
  });
});

describe("leadership", () => {
  it("is handed over to a follower that asks for it, without an election timeout", async () => {
    const cluster = await started(9);
    const [heir] = cluster.followers() as [ProcessId];
    cluster.order({ type: "transfer", to: heir });
    await cluster.go(120);
    expect(cluster.leader).toBe(heir);
    expect(cluster.noted("timeout-now-received").map(({ process }) => process)).toEqual([heir]);
  });
});

describe("the log", () => {
  it("is compacted by a snapshot, and a restarted member starts from it", async () => {
    const cluster = await started(10, { members: 3 });
    for (const value of ["a", "b", "c"]) await cluster.write(value);
    const [member] = cluster.followers() as [ProcessId];
    cluster.order({ type: "snapshot", process: member });
    await cluster.go(100);
    expect(cluster.log(member)).toEqual([]);
    cluster.order({ type: "crash", process: member });
    cluster.order({ type: "restart", process: member });
    await cluster.write("d", cluster.leader);
    expect(cluster.member(member).value).toBe("d");
    expect(cluster.log(member).map((cell) => cell.slice(2))).toEqual(["d"]);
  });

  it("is compacted without being asked after a thousand entries, and the run still repeats", async () => {
    const cluster = await started(11, { members: 3 });
    for (let i = 0; i < 1_100; i += 1) {
      cluster.order({ type: "write", client: C1, member: null, value: `v${i}` });
      await cluster.run.advance(cluster.run.position.at + 100 * MS);
    }
    await cluster.go(5_000);
    expect(cluster.member(cluster.leader).diskBytes).toBeLessThan(64_000);
    expect(cluster.firstIndex(cluster.leader)).toBeGreaterThan(500);
    const again = new Run(cluster.run.spec, cluster.run.commands);
    again.replay(cluster.run.position.n, cluster.run.position.at);
    expect(again.hash).toBe(cluster.run.hash);
  });
});

describe("a read", () => {
  const readAt = async (cluster: Cluster, member: string, serializable = false) => {
    cluster.order({ type: "read", client: C1, member: id(member), serializable });
    await cluster.go(300);
    return cluster.client.reads.at(-1);
  };

  it("through any member gives the last acknowledged write", async () => {
    const cluster = await started(12);
    await cluster.write("a");
    for (const { id: member } of cluster.members) {
      expect(await readAt(cluster, member)).toMatchObject({ outcome: "done", value: "a" });
    }
  });

  it("through a leader that is cut off is not answered; a serializable one is, with what it has", async () => {
    const cluster = await started(13);
    await cluster.write("old");
    const cut = cluster.leader;
    const others = cluster.members.map(({ id: member }) => member).filter((member) => member !== cut);
    cluster.order({ type: "partition", groups: [[cut], others] });
    await cluster.go(1_000);
    await cluster.write("new", others[0] ?? null);
    expect(await readAt(cluster, cut, true)).toMatchObject({ outcome: "done", value: "old" });
    expect((await readAt(cluster, cut))?.outcome).not.toBe("done");
  });

  it("stale, from a paused old leader that trusts its lease; never in the safe mode", async () => {
    const outcome = async (readOnly: "safe" | "lease-based") => {
      const cluster = await started(14);
      const settings = { preVote: false, checkQuorum: true, readOnly, broken: [] };
      cluster.order({ type: "settings", settings });
      await cluster.write("old");
      const paused = cluster.leader;
      const rest = cluster.members.map(({ id: member }) => member).filter((member) => member !== paused);
      cluster.order({ type: "pause", process: paused });
      cluster.order({ type: "partition", groups: [[paused], rest] });
      await cluster.go(1_500);
      const [other] = cluster.members.filter(({ role, id: member }) => role === "leader" && member !== paused);
      await cluster.write("new", other?.id ?? null);
      cluster.order({ type: "read", client: C1, member: paused, serializable: false });
      await cluster.go(50);
      // It wakes up, cut off, and its ticks tell it that no time has passed.
      cluster.order({ type: "resume", process: paused });
      await cluster.go(100);
      return { read: cluster.client.reads.at(-1), violation: cluster.violation };
    };
    expect(await outcome("lease-based")).toMatchObject({
      read: { outcome: "done", value: "old" },
      violation: { rule: "linearizable-read" },
    });
    const safe = await outcome("safe");
    expect(safe.read?.outcome).not.toBe("done");
    expect(safe.violation).toBeNull();
  });
});

describe("PreVote", () => {
  it("off, a member that comes back deposes a healthy leader; on, it does not", async () => {
    const termsAfter = async (preVote: boolean) => {
      const cluster = await started(15, { checkQuorum: false });
      cluster.order({ type: "settings", settings: { preVote, checkQuorum: false, readOnly: "safe", broken: [] } });
      const { leader } = cluster;
      const { term } = cluster.member(leader);
      const [away, ...rest] = cluster.followers() as [ProcessId, ...ProcessId[]];
      cluster.order({ type: "partition", groups: [[away], [leader, ...rest]] });
      await cluster.go(2_000);
      cluster.order({ type: "heal" });
      await cluster.go(2_000);
      return cluster.member(cluster.leader).term - term;
    };
    expect(await termsAfter(true)).toBe(0);
    expect(await termsAfter(false)).toBeGreaterThan(0);
  });
});

describe("a message", () => {
  const travelling = (run: Run) => run.keyframe().flights?.find(({ kind }) => kind === "heartbeat");
  const way = ({ sentAt, arrivesAt, heldAt }: Flight, now: number): number =>
    ((heldAt ?? now) - sentAt) / ((arrivesAt ?? Number.POSITIVE_INFINITY) - sentAt);

  it("held by hand stands still, and released goes on from where it stood", async () => {
    const cluster = await started(18);
    const { run } = cluster;
    for (let i = 0; i < 200 && travelling(run) === undefined; i += 1) await cluster.go(1);
    const flight = present(travelling(run), "a heartbeat");
    await run.advance(Math.floor((flight.sentAt + present(flight.arrivesAt, "an arrival")) / 2));
    cluster.order({ type: "hold", message: flight.id });
    const shown = () =>
      present(
        run.keyframe().flights?.find(({ id: shownId }) => shownId === flight.id),
        "the heartbeat",
      );
    const stood = way(shown(), run.position.at);
    await cluster.go(500);
    expect(way(shown(), run.position.at)).toBe(stood);
    cluster.order({ type: "release", message: flight.id });
    expect(way(shown(), run.position.at)).toBeCloseTo(stood, 2);
    await cluster.go(100);
    expect(run.keyframe().flights?.some(({ id: shownId }) => shownId === flight.id)).toBe(false);
  });
});

it("a split is told with the groups that can still reach each other, and stays among the faults", async () => {
  const cluster = await started(19);
  cluster.order({ type: "partition", groups: [["n1", "n3"].map(id), ["n2", "n4", "n5"].map(id)] });
  await cluster.go(20_000);
  expect(cluster.run.keyframe().faults?.at(0)).toMatchObject({
    what: "partitioned",
    figures: { groups: "n1 n3 | n2 n4 n5" },
  });
});

it("two runs in turn do not touch each other", async () => {
  const alone = new Run({ seed: 16, config: DEFAULT_CONFIG });
  await alone.advance(1 * SECOND);
  const one = new Run({ seed: 16, config: DEFAULT_CONFIG });
  const other = new Run({ seed: 17, config: DEFAULT_CONFIG });
  for (let at = 100 * MS; at <= 1 * SECOND; at += 100 * MS) {
    await one.advance(at);
    await other.advance(at);
  }
  expect(one.hash).toBe(alone.hash);
});
