/**
 * Random runs: a cluster, its workload and everything that is done to it, from a seed alone.
 *
 * Each seed draws which kinds of fault it uses and how hard (swarm testing: a run with a few kinds reaches corners that
 * a run with all of them does not). Storms, in which things break, alternate with calm, in which everything is put right
 * and the cluster has time to get on. The last calm lasts until the cluster has shown that it still works.
 */
import { type Rng, rngFor } from "../base/rng.ts";
import { MS, type Micros, SECOND } from "../base/units.ts";
import type {
  Command,
  DiskQuality,
  LinkEnds,
  LinkQuality,
  MembershipStep,
  MessageId,
  ProcessId,
  Recorded,
  Settings,
} from "../sim/command.ts";
import { InlineHost } from "../sim/host.ts";
import { World } from "../sim/world.ts";
import { TraceHash } from "../trace/hash.ts";
import { build, clientIds, MEMBER_IDS, memberIds, startSettings, worldConfig } from "./build.ts";
import { type RunConfig, type RunSpec, type TimingProfile, TIMINGS } from "./config.ts";

/** What chaos looks at before it acts. A command that makes no sense is refused by the world, which is fine. */
export interface ChaosFacts {
  stateOf(id: ProcessId): string | null;
  readonly messages: MessageId;
  messageState(id: MessageId): ReturnType<World["messageState"]>;
}

interface Act {
  /** How often, compared with the others, when the seed uses it. */
  readonly weight: number;
  /** Most seeds use it, or each of them does. */
  readonly always?: true;
  readonly commands: (chaos: Storm, world: ChaosFacts) => readonly Command[];
}

/** What a storm draws from. */
interface Storm {
  readonly rng: Rng;
  readonly members: readonly ProcessId[];
  readonly clients: readonly ProcessId[];
  /** The shortest election timeout. */
  readonly election: Micros;
  readonly held: MessageId[];
  readonly settings: Settings;
  /** Those that were switched on since; those that are to be removed, once each, never the first. */
  readonly spawned: ProcessId[];
  readonly removed: ProcessId[];
}

/** Every kind of thing that may be done to a world: a new command gets its row here, and what it needs in `calm`. */
const ACTS = {
  crash: { weight: 4, always: true, commands: ({ rng, members }) => [{ type: "crash", process: pick(rng, members) }] },
  restart: { weight: 6, always: true, commands: (storm, world) => restartSome(storm, world) },
  pause: { weight: 3, commands: ({ rng, members }) => [{ type: "pause", process: pick(rng, members) }] },
  resume: {
    weight: 4,
    always: true,
    commands: ({ rng, members }) => [{ type: "resume", process: pick(rng, members) }],
  },
  "client-crash": { weight: 1, commands: ({ rng, clients }) => [{ type: "crash", process: pick(rng, clients) }] },
  partition: { weight: 3, commands: (storm) => [{ type: "partition", groups: twoGroups(storm) }] },
  "partition-one-way": { weight: 2, commands: (storm) => [{ type: "cut", links: oneWay(storm) }] },
  isolate: {
    weight: 2,
    commands: ({ rng, members, clients }) => isolate(pick(rng, members), [...members, ...clients]),
  },
  cut: { weight: 3, commands: (storm) => [{ type: "cut", links: [someLink(storm)] }] },
  mend: { weight: 2, commands: (storm) => [{ type: "mend", links: [someLink(storm)] }] },
  heal: { weight: 2, always: true, commands: () => [{ type: "heal" }] },
  network: { weight: 3, commands: (storm) => [{ type: "network", quality: badNetwork(storm) }] },
  link: { weight: 2, commands: (storm) => [{ type: "link", link: someMemberLink(storm), quality: badNetwork(storm) }] },
  disk: {
    weight: 3,
    commands: (storm) => [{ type: "disk", process: pick(storm.rng, storm.members), quality: badDisk(storm) }],
  },
  "clock-drift": {
    weight: 2,
    commands: ({ rng, members }) => [clock(pick(rng, members), rng.between(-200_000, 200_000), 0)],
  },
  "clock-jump": {
    weight: 1,
    commands: ({ rng, members }) => [clock(pick(rng, members), 0, rng.between(-60, 60) * SECOND)],
  },
  hold: { weight: 2, commands: (storm, world) => hold(storm, world) },
  release: {
    weight: 2,
    commands: ({ rng, held }) => held.splice(0, 1 + rng.below(3)).map((message) => ({ type: "release", message })),
  },
  drop: { weight: 2, commands: ({ rng }, world) => recent(rng, world, (message) => ({ type: "drop", message })) },
  duplicate: {
    weight: 2,
    commands: ({ rng }, world) => recent(rng, world, (message) => ({ type: "duplicate", message })),
  },
  transfer: { weight: 3, commands: ({ rng, members }) => [{ type: "transfer", to: pick(rng, members) }] },
  snapshot: { weight: 2, commands: ({ rng, members }) => [{ type: "snapshot", process: pick(rng, members) }] },
  settings: {
    weight: 1,
    commands: ({ rng, settings }) => [{ type: "settings", settings: { ...settings, preVote: rng.below(2) === 0 } }],
  },
  "add-member": { weight: 2, commands: (storm) => addMember(storm) },
  promote: {
    weight: 2,
    commands: ({ rng, members, spawned }) =>
      spawned.map((id) => membership(pick(rng, members), [{ operation: "add-voter", id }])),
  },
  "remove-member": { weight: 1, commands: (storm) => removeMember(storm) },
  replace: { weight: 2, commands: (storm) => replaceMember(storm) },
  "leave-joint": { weight: 2, commands: ({ rng, members }) => [membership(pick(rng, members), [])] },
} as const satisfies Readonly<Record<string, Act>>;

type Transition = Extract<Command, { type: "membership" }>["transition"];

export type ActName = keyof typeof ACTS;

export const ACT_NAMES = Object.keys(ACTS) as readonly ActName[];

const STORM: Readonly<Record<ActName, Act>> = ACTS;

/** After the last calm has begun, the cluster has this many of its longest election timeouts to show that it works. */
const RECOVERY_TIMEOUTS = 30;

/** Attempts, in the order in which they are to be made, at the instant they are for. */
export interface Attempt {
  readonly at: Micros;
  readonly name: ActName | "write" | "read" | "calm";
  readonly commands: readonly Command[];
}

export class Chaos {
  readonly spec: RunSpec;
  /** How long the storms go on; the last calm begins then. */
  readonly stormsEnd: Micros;
  /** By when the cluster must have recovered. */
  readonly deadline: Micros;
  readonly #rng: Rng;
  readonly #storm: Storm;
  readonly #acts: readonly (readonly [ActName, Act])[];
  readonly #actEvery: Micros;
  readonly #writeEvery: Micros;
  #nextAct: Micros;
  #nextWrite: Micros;
  /** The present phase ends then; the first is calm, so that there is a leader to be attacked. */
  #phaseEnds: Micros;
  #stormy = false;
  #writes = 0;

  constructor(seed: number, length: Micros) {
    const rng = rngFor(seed, "chaos");
    this.#rng = rng;
    this.spec = { seed, config: drawConfig(rng) };
    const { config } = this.spec;
    const { tick, electionTicks, electionSpreadTicks } = TIMINGS[config.timing];
    const election = electionTicks * tick;
    const settings = startSettings(config);
    const drawn = { members: memberIds(config), clients: clientIds(config), held: [], spawned: [], removed: [] };
    this.#storm = { rng, election, settings, ...drawn };
    this.#acts = (Object.entries(STORM) as [ActName, Act][]).filter(
      ([, act]) => act.always === true || rng.below(2) === 0,
    );
    this.#actEvery = Math.floor(election / (1 + rng.below(8)));
    this.#writeEvery = Math.floor(election / (1 + rng.below(12)));
    this.stormsEnd = length;
    this.deadline = length + RECOVERY_TIMEOUTS * (electionTicks + electionSpreadTicks) * tick;
    this.#nextAct = election;
    this.#nextWrite = rng.below(election);
    this.#phaseEnds = Math.min(length, rng.between(election, 4 * election));
  }

  /** When it wants to act next. */
  get nextAt(): Micros {
    return Math.min(this.#nextWrite, this.#phaseEnds, this.#stormy ? this.#nextAct : this.#phaseEnds);
  }

  /** What it does at `nextAt`, which the world must have come to. */
  act(world: ChaosFacts): Attempt {
    const at = this.nextAt;
    if (at === this.#nextWrite) return this.#write(at);
    if (at === this.#phaseEnds) return this.#turn(at, world);
    this.#nextAct = at + 1 + this.#rng.below(2 * this.#actEvery);
    const [name, act] = this.#draw();
    return { at, name, commands: act.commands(this.#storm, world) };
  }

  #draw(): readonly [ActName, Act] {
    let left = this.#rng.below(this.#acts.reduce((sum, [, { weight }]) => sum + weight, 0));
    for (const drawn of this.#acts) {
      left -= drawn[1].weight;
      if (left < 0) return drawn;
    }
    return ["heal", STORM.heal];
  }

  #write(at: Micros): Attempt {
    const { clients, members } = this.#storm;
    this.#nextWrite = at + 1 + this.#rng.below(2 * this.#writeEvery);
    this.#writes += 1;
    const drawn = this.#rng.below(4) === 0 ? pick(this.#rng, members) : null;
    // In the last calm every member is asked in turn as well: a client may rely on one that was removed.
    const inTurn = this.#isLastCalm && this.#writes % 2 === 0;
    const member = inTurn ? (members[(this.#writes / 2) % members.length] as ProcessId) : drawn;
    const client = pick(this.#rng, clients);
    const command: Command =
      this.#rng.below(4) === 0
        ? { type: "read", client, member, serializable: this.#rng.below(4) === 0 }
        : { type: "write", client, member, value: `w${this.#writes}` };
    return { at, name: command.type, commands: [command] };
  }

  #turn(at: Micros, world: ChaosFacts): Attempt {
    const { election } = this.#storm;
    if (at >= this.stormsEnd) {
      this.#stormy = false;
      this.#phaseEnds = Number.POSITIVE_INFINITY;
      return { at, name: "calm", commands: this.#calm(world) };
    }
    this.#stormy = !this.#stormy;
    const length = this.#stormy
      ? this.#rng.between(4 * election, 20 * election)
      : this.#rng.between(2 * election, 8 * election);
    this.#phaseEnds = Math.min(this.stormsEnd, at + length);
    this.#nextAct = at + 1;
    return { at, name: "calm", commands: this.#stormy ? [] : this.#calm(world) };
  }

  /**
   * The settings of the start. In the last calm pre-vote is on where a member was removed and nothing else guards the
   * leader: one that does not know that it was removed stands for ever, and no leader would last (thesis §4.2.3).
   */
  #calmSettings(): Settings {
    const { settings, removed } = this.#storm;
    const unguarded = removed.length > 0 && !settings.preVote && !settings.checkQuorum;
    return unguarded && this.#isLastCalm ? { ...settings, preVote: true } : settings;
  }

  get #isLastCalm(): boolean {
    return this.#phaseEnds === Number.POSITIVE_INFINITY;
  }

  /** Puts everything right. */
  #calm(world: ChaosFacts): readonly Command[] {
    const { members, clients, spawned, held } = this.#storm;
    const { network, disk } = this.spec.config;
    const commands: Command[] = [
      { type: "heal" },
      { type: "network", quality: calmNetwork(network) },
      { type: "settings", settings: this.#calmSettings() },
    ];
    for (const process of [...members, ...spawned, ...clients]) {
      const state = world.stateOf(process);
      if (state === "paused") commands.push({ type: "resume", process });
      if (state === "crashed" || state === "panicked") commands.push({ type: "restart", process });
    }
    for (const process of [...members, ...spawned])
      commands.push(clock(process, 0, 0), { type: "disk", process, quality: { ...disk, tornWrites: true } });
    for (const message of held.splice(0)) commands.push({ type: "release", message });
    return commands;
  }
}

/** A random run as a recording, and the hash that it must have on any host. */
export interface ChaosRun {
  readonly spec: RunSpec;
  readonly commands: readonly Recorded[];
  readonly n: number;
  readonly at: Micros;
  readonly hash: string;
}

export function chaosRun(seed: number, seconds: number): ChaosRun {
  const end = Math.floor(seconds * SECOND);
  const chaos = new Chaos(seed, end);
  const hash = new TraceHash();
  const world = new World(worldConfig(chaos.spec), (event) => hash.add(event));
  const host = new InlineHost(build);
  const commands: Recorded[] = [];
  while (chaos.nextAt < end) {
    world.runHere(host, chaos.nextAt);
    for (const command of chaos.act(world).commands) {
      const { n, now: at } = world;
      if (world.command(command, host) === null) commands.push({ n, at, command });
    }
  }
  world.runHere(host, end);
  return { spec: chaos.spec, commands, n: world.n, at: world.now, hash: hash.digits() };
}

// ── drawing ──

function pick<T>(rng: Rng, items: readonly T[]): T {
  return items[rng.below(items.length)] as T;
}

const SIZES = [1, 2, 3, 3, 3, 3, 4, 5, 5, 5, 6, 7, 9] as const;
const PROFILES: readonly TimingProfile[] = ["paper", "paper", "wide", "wide", "etcd"];

function drawConfig(rng: Rng): RunConfig {
  const timing = pick(rng, PROFILES);
  const { tick, electionTicks } = TIMINGS[timing];
  const latencyMax = pick(rng, [1 * MS, 16 * MS, Math.floor((electionTicks * tick) / 8)]);
  return {
    members: pick(rng, SIZES),
    timing,
    preVote: rng.below(2) === 0,
    checkQuorum: rng.below(4) > 0,
    network: {
      latencyMin: Math.ceil(latencyMax / 4),
      latencyMax,
      lossPerMillion: pick(rng, [0, 0, 5_000, 20_000]),
      duplicatePerMillion: pick(rng, [0, 0, 10_000]),
      reorderPerMillion: pick(rng, [0, 0, 50_000]),
    },
    disk: { fsyncMin: 500, fsyncMax: pick(rng, [1 * MS, 3 * MS, 8 * MS]), tornWrites: rng.below(2) === 0 },
    clients: 1 + rng.below(3),
    snapshotEntries: pick(rng, [10, 30, 100, 1_000]),
  };
}

function calmNetwork(quality: LinkQuality): LinkQuality {
  return { ...quality, lossPerMillion: 0 };
}

function badNetwork({ rng, election }: Storm): LinkQuality {
  const latencyMax = rng.between(1 * MS, Math.max(2 * MS, Math.floor(election / 2)));
  return {
    latencyMin: rng.between(1, latencyMax),
    latencyMax,
    lossPerMillion: pick(rng, [0, 50_000, 200_000, 500_000]),
    duplicatePerMillion: pick(rng, [0, 50_000, 300_000]),
    reorderPerMillion: pick(rng, [0, 100_000, 800_000]),
  };
}

function badDisk({ rng, election }: Storm): DiskQuality {
  const fsyncMax = rng.between(1 * MS, election);
  return { fsyncMin: rng.between(1, fsyncMax), fsyncMax, tornWrites: rng.below(3) > 0 };
}

function twoGroups({ rng, members, clients }: Storm): readonly (readonly ProcessId[])[] {
  const groups: [ProcessId[], ProcessId[]] = [[], []];
  for (const id of [...members, ...clients]) groups[rng.below(2) as 0 | 1].push(id);
  return groups;
}

function oneWay(storm: Storm): readonly LinkEnds[] {
  const [some = [], others = []] = twoGroups(storm);
  return some.flatMap((from) => others.map((to) => ({ from, to })));
}

function isolate(member: ProcessId, everybody: readonly ProcessId[]): readonly Command[] {
  return [{ type: "partition", groups: [[member], everybody.filter((id) => id !== member)] }];
}

function someLink({ rng, members, clients }: Storm): LinkEnds {
  const all = [...members, ...clients];
  return { from: pick(rng, all), to: pick(rng, all) };
}

function someMemberLink({ rng, members }: Storm): LinkEnds {
  return { from: pick(rng, members), to: pick(rng, members) };
}

function restartSome({ rng, members, clients }: Storm, world: ChaosFacts): readonly Command[] {
  const down = [...members, ...clients].filter((id) => ["crashed", "panicked"].includes(world.stateOf(id) ?? ""));
  return down.length === 0 ? [] : [{ type: "restart", process: pick(rng, down) }];
}

function membership(member: ProcessId, steps: readonly MembershipStep[], transition: Transition = "auto"): Command {
  return { type: "membership", member, transition, steps };
}

/** A new machine joins, as a learner first or at once as a voter. */
function addMember({ rng, members, spawned }: Storm): readonly Command[] {
  const id = MEMBER_IDS[members.length + spawned.length];
  if (id === undefined || spawned.length >= 2) return [];
  spawned.push(id);
  const operation = rng.below(2) === 0 ? "add-learner" : "add-voter";
  return [{ type: "spawn", process: id }, membership(pick(rng, members), [{ operation, id }])];
}

/** One of those that were there from the start, but the first: somebody stays. */
function removable({ rng, members, removed }: Storm): ProcessId | null {
  const left = members.slice(1).filter((id) => !removed.includes(id));
  if (left.length === 0) return null;
  const id = pick(rng, left);
  removed.push(id);
  return id;
}

function removeMember(storm: Storm): readonly Command[] {
  const id = removable(storm);
  return id === null ? [] : [membership(pick(storm.rng, storm.members), [{ operation: "remove", id }])];
}

/** Two changes at once go through a joint configuration, which is left by itself, or when `leave-joint` comes. */
function replaceMember(storm: Storm): readonly Command[] {
  const { rng, members, spawned } = storm;
  const joins = spawned.at(-1);
  const leaves = joins === undefined ? null : removable(storm);
  if (joins === undefined || leaves === null) return [];
  const steps: readonly MembershipStep[] = [
    { operation: "add-voter", id: joins },
    { operation: rng.below(3) === 0 ? "add-learner" : "remove", id: leaves },
  ];
  return [membership(pick(rng, members), steps, pick(rng, ["auto", "implicit", "explicit"] as const))];
}

function clock(process: ProcessId, driftPpm: number, jumpUs: Micros): Command {
  return { type: "clock", process, driftPpm, jumpUs };
}

/** Does something to one of the last messages. Data on a connection that is held or lost stalls what is behind it, as with TCP. */
function recent(rng: Rng, world: ChaosFacts, command: (message: MessageId) => Command): readonly Command[] {
  return [command(Math.max(1, world.messages - rng.below(10)))];
}

function hold({ rng, held }: Storm, world: ChaosFacts): readonly Command[] {
  return recent(rng, world, (message) => {
    held.push(message);
    return { type: "hold", message };
  });
}
