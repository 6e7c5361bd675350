/** Short plays that lead straight to what a rule forbids. Each runs a world with every check on. */
import { assert } from "../../base/assert.ts";
import { rngFor } from "../../base/rng.ts";
import { MS, type Micros, SECOND } from "../../base/units.ts";
import { Checks } from "../../check/checks.ts";
import type { Violation } from "../../check/violation.ts";
import { build, worldConfig } from "../../scenario/build.ts";
import { DEFAULT_CONFIG, type RunConfig } from "../../scenario/config.ts";
import type { AnyEvent } from "../../scenario/events.ts";
import type { Message } from "../../raft/types.ts";
import type { Command, MembershipStep, MessageId, ProcessId } from "../../sim/command.ts";
import type { TraceEvent } from "../../sim/events.ts";
import { InlineHost } from "../../sim/host.ts";
import { World } from "../../sim/world.ts";

const id = (name: string): ProcessId => name as ProcessId;

class Stage {
  readonly checks = new Checks();
  readonly #host = new InlineHost(build);
  readonly #world: World;
  readonly members: readonly ProcessId[];
  readonly #leads = new Set<ProcessId>();
  #values = 0;
  /** The type of message that is waited for, and the first one that came since. */
  #watched = "";
  #seen: MessageId = 0;

  constructor(seed: number, config: Partial<RunConfig>) {
    const spec = { seed, config: { ...DEFAULT_CONFIG, members: 3, clients: 2, checkQuorum: false, ...config } };
    this.members = Array.from({ length: spec.config.members }, (_, i) => id(`n${i + 1}`));
    this.#world = new World(worldConfig(spec), (event) => {
      this.checks.add(event);
      this.#watch(event as TraceEvent<AnyEvent>);
    });
  }

  #watch({ process, event }: TraceEvent<AnyEvent>): void {
    if (process === null) return;
    if (event.type === "role-changed" && event.role === "leader") this.#leads.add(process);
    else if (event.type === "role-changed" || event.type === "crashed" || event.type === "panicked")
      this.#leads.delete(process);
    if (event.type === "sent" && this.#seen === 0 && (event.body as Message | null)?.type === this.#watched)
      this.#seen = event.message;
  }

  get broken(): boolean {
    return this.checks.violation !== null;
  }

  run(span: Micros): this {
    const end = this.#world.now + span;
    while (!this.broken && this.#world.nextAt <= end) this.#world.runRoundHere(this.#host);
    if (!this.broken) this.#world.idleUntil(end);
    return this;
  }

  do(...commands: readonly Command[]): this {
    if (!this.broken) for (const command of commands) this.#world.command(command, this.#host);
    return this;
  }

  /** Runs until somebody leads, besides those who are not asked about. */
  leader(not: readonly ProcessId[] = []): ProcessId {
    for (let i = 0; i < 1_000 && !this.broken; i += 1) {
      const found = [...this.#leads].find((member) => !not.includes(member));
      if (found !== undefined) return found;
      this.run(10 * MS);
    }
    return this.members[0] as ProcessId;
  }

  others(...not: readonly ProcessId[]): readonly ProcessId[] {
    return this.members.filter((member) => !not.includes(member));
  }

  /** Runs until a message of this type is on its way, and holds back a copy of it. */
  holdCopyOf(type: string): MessageId {
    this.#watched = type;
    while (this.#seen === 0 && this.#world.now < 60 * SECOND && !this.broken) this.run(MS);
    this.do({ type: "duplicate", message: this.#seen });
    const copy = this.#world.messages;
    this.do({ type: "hold", message: copy });
    return copy;
  }

  write(member: ProcessId | null, client = "c1"): this {
    this.#values += 1;
    return this.do({ type: "write", client: id(client), member, value: `v${this.#values}` });
  }

  read(member: ProcessId, client = "c1"): this {
    return this.do({ type: "read", client: id(client), member, serializable: false });
  }

  apart(...groups: readonly (readonly ProcessId[])[]): this {
    return this.do({ type: "partition", groups });
  }

  membership(
    member: ProcessId,
    transition: "auto" | "implicit" | "explicit",
    ...steps: readonly MembershipStep[]
  ): this {
    return this.do({ type: "membership", member, transition, steps });
  }
}

const add = (member: string): MembershipStep => ({ operation: "add-voter", id: id(member) });
const learn = (member: string): MembershipStep => ({ operation: "add-learner", id: id(member) });
const remove = (member: ProcessId): MembershipStep => ({ operation: "remove", id: member });
const spawn = (member: string): Command => ({ type: "spawn", process: id(member) });
const [C1, C2] = [id("c1"), id("c2")];

const CASES = {
  /** Members crash and come back in the middle of elections, again and again. */
  restarts: (seed) => {
    const stage = new Stage(seed, { members: 5, preVote: false });
    const rng = rngFor(seed, "restarts");
    for (let i = 0; i < 300 && !stage.broken; i += 1) {
      const process = stage.members[rng.below(5)] as ProcessId;
      stage
        .run(rng.between(1, 60) * MS)
        .do({ type: "crash", process })
        .run(rng.between(1, 5) * MS);
      stage.do({ type: "restart", process });
    }
    return stage;
  },
  /** Two of four: half, and no majority. */
  even: (seed) => {
    const stage = new Stage(seed, { members: 4, preVote: false });
    const [a, b, c, d] = stage.members as [ProcessId, ProcessId, ProcessId, ProcessId];
    return stage.apart([a, b], [c, d]).run(3 * SECOND);
  },
  /** A leader alone writes what nobody gets; another one writes on; then they meet. */
  conflict: (seed) => {
    const stage = new Stage(seed, { members: 3 });
    const old = stage.leader();
    const rest = stage.others(old);
    stage
      .write(null)
      .run(SECOND)
      .apart([old, C1], [...rest, C2]);
    for (let i = 0; i < 5; i += 1) stage.write(old).run(100 * MS);
    stage.leader([old]);
    stage
      .write(rest[0] ?? old, "c2")
      .run(300 * MS)
      .write(rest[0] ?? old, "c2")
      .run(2 * SECOND);
    stage.do({ type: "heal" }).run(2 * SECOND);
    for (const process of stage.members)
      stage.do({ type: "crash", process }, { type: "restart", process }).run(500 * MS);
    return stage.write(null, "c2").run(3 * SECOND);
  },
  /** A leader that is cut off appends two entries; one of another leader replaces both, and it is restarted. */
  replaced: (seed) => {
    const stage = new Stage(seed, { clients: 3 });
    const old = stage.leader();
    stage
      .write(null)
      .run(SECOND)
      .apart([old, C1, id("c3")], [...stage.others(old), C2]);
    stage.write(old).write(old, "c3").leader([old]);
    stage
      .run(200 * MS)
      .do({ type: "heal" })
      .run(300 * MS)
      .do({ type: "crash", process: old });
    return stage.do({ type: "restart", process: old }).run(SECOND);
  },
  /** A snapshot that was held up arrives when its receiver has long passed it. */
  "late-snapshot": (seed) => {
    const stage = new Stage(seed, { snapshotEntries: 10 });
    const leader = stage.leader();
    const away = stage.others(leader)[0] ?? leader;
    stage.do({ type: "crash", process: away });
    for (let i = 0; i < 30; i += 1) stage.write(leader).run(60 * MS);
    stage.do({ type: "restart", process: away });
    const copy = stage.holdCopyOf("InstallSnapshot");
    for (let i = 0; i < 60; i += 1) stage.write(leader).run(60 * MS);
    return stage.do({ type: "release", message: copy }).run(SECOND);
  },
  /** Crashes in the middle of writes, with disks that tear. */
  torn: (seed) => {
    const stage = new Stage(seed, { disk: { fsyncMin: 5 * MS, fsyncMax: 20 * MS, tornWrites: true } });
    const rng = rngFor(seed, "torn");
    for (let i = 0; i < 60 && !stage.broken; i += 1) {
      const process = stage.members[rng.below(3)] as ProcessId;
      for (let k = 0; k < 4; k += 1)
        stage
          .write(null)
          .write(null, "c2")
          .run(rng.between(5, 60) * MS);
      stage.do({ type: "crash", process }, { type: "restart", process });
    }
    return stage;
  },
  /** Of two voters one is cut off; the learner alone must not make a majority. */
  learner: (seed) => {
    const stage = new Stage(seed, { members: 2 });
    const leader = stage.leader();
    stage.do(spawn("n3")).membership(leader, "auto", learn("n3")).run(SECOND);
    return stage
      .apart([leader, id("n3"), C1], stage.others(leader))
      .write(leader)
      .run(SECOND);
  },
  /** A learner that hears from nobody. */
  "learner-alone": (seed) => {
    const stage = new Stage(seed, { members: 2 });
    stage.do(spawn("n3")).membership(stage.leader(), "auto", learn("n3")).run(SECOND);
    return stage.apart([id("n3")], [...stage.members, C1, C2]).run(3 * SECOND);
  },
  /** In a joint configuration the old half is cut off. */
  joint: (seed) => {
    const stage = new Stage(seed, {});
    const leader = stage.leader();
    const old = stage.others(leader);
    stage
      .do(spawn("n4"), spawn("n5"))
      .membership(leader, "explicit", add("n4"), add("n5"), ...old.map(remove))
      .run(SECOND);
    return stage
      .apart([leader, id("n4"), id("n5"), C1], old)
      .write(leader)
      .run(SECOND);
  },
  /** The same, and the new half has to elect. */
  "joint-election": (seed) => {
    const stage = new Stage(seed, { preVote: false });
    const leader = stage.leader();
    const old = stage.others(leader);
    stage
      .do(spawn("n4"), spawn("n5"))
      .membership(leader, "explicit", add("n4"), add("n5"), ...old.map(remove))
      .run(SECOND);
    return stage.apart([leader, ...old], [id("n4"), id("n5")]).run(3 * SECOND);
  },
  "two-changes": (seed) => {
    const stage = new Stage(seed, {});
    const leader = stage.leader();
    stage.run(SECOND).do(spawn("n4"), spawn("n5"));
    return stage.membership(leader, "auto", add("n4")).membership(leader, "auto", add("n5")).run(SECOND);
  },
  /** A member was away while the membership changed and the log was compacted: it gets a snapshot, and is restarted. */
  "snapshot-conf": (seed) => {
    const stage = new Stage(seed, { snapshotEntries: 10 });
    const leader = stage.leader();
    const away = stage.others(leader)[0] ?? leader;
    stage.do({ type: "crash", process: away }, spawn("n4")).membership(leader, "auto", add("n4")).run(SECOND);
    for (let i = 0; i < 40; i += 1) stage.write(leader).run(100 * MS);
    stage
      .do({ type: "snapshot", process: leader })
      .run(SECOND)
      .do({ type: "restart", process: away })
      .run(2 * SECOND);
    return stage.do({ type: "crash", process: leader }, { type: "restart", process: leader }).run(2 * SECOND);
  },
  /** A leader that was cut off, and does not know that others have written since. */
  "old-leader-reads": (seed) => {
    const stage = new Stage(seed, {});
    const old = stage.leader();
    stage
      .write(null)
      .run(SECOND)
      .apart([old, C1], [...stage.others(old), C2]);
    const next = stage.leader([old]);
    return stage
      .write(next, "c2")
      .run(2 * SECOND)
      .read(old)
      .run(2 * SECOND);
  },
  /** A leader stands still, others write, and it wakes up with a question waiting. */
  "lease-after-pause": (seed) => {
    const stage = new Stage(seed, { checkQuorum: true });
    const old = stage.leader();
    stage.write(null).run(SECOND).do({ type: "pause", process: old });
    const next = stage.leader([old]);
    stage
      .apart([old, C1], [...stage.others(old), C2])
      .write(next, "c2")
      .run(2 * SECOND)
      .read(old)
      .run(100 * MS);
    return stage.do({ type: "resume", process: old }).run(SECOND);
  },
  /** A new leader is asked before it can know what its predecessor committed. */
  "early-read": (seed) => {
    const stage = new Stage(seed, { disk: { fsyncMin: 30 * MS, fsyncMax: 60 * MS, tornWrites: false } });
    for (let i = 0; i < 20 && !stage.broken; i += 1) {
      const old = stage.leader();
      stage
        .write(old)
        .run(150 * MS)
        .do({ type: "crash", process: old });
      const next = stage.leader([old]);
      stage
        .read(next, "c2")
        .run(200 * MS)
        .do({ type: "restart", process: old })
        .run(SECOND);
    }
    return stage;
  },
  /** One that the leader cannot reach asks to lead. */
  "transfer-lagging": (seed) => {
    const stage = new Stage(seed, {});
    const leader = stage.leader();
    const to = stage.others(leader)[0] ?? leader;
    stage
      .run(SECOND)
      .do({ type: "cut", links: [{ from: leader, to }] })
      .write(leader)
      .run(50 * MS);
    return stage.do({ type: "transfer", to }).run(500 * MS);
  },
} as const satisfies Readonly<Record<string, (seed: number) => Stage>>;

export type CaseName = keyof typeof CASES;
export const CASE_NAMES = Object.keys(CASES) as readonly CaseName[];

export function playCase(name: CaseName, seed: number): Violation | null {
  assert(name in CASES, `there is a case ${name}`);
  return CASES[name](seed).checks.violation;
}
