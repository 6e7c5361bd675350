/**
 * One random run with every check on: what happened in it, and what broke.
 *
 * The processes run in this thread, without fold or hash. After the storms the run goes on until the cluster has shown
 * that it works: somebody leads, a client has its answer, and every member has applied what was committed.
 */
import { Checks } from "../check/checks.ts";
import type { Violation } from "../check/violation.ts";
import type { Micros } from "../base/units.ts";
import type { ConfState, NodeId } from "../raft/types.ts";
import type { ProcessId, Recorded } from "../sim/command.ts";
import type { TraceEvent } from "../sim/events.ts";
import type { Build } from "../sim/process.ts";
import { InlineHost } from "../sim/host.ts";
import { World } from "../sim/world.ts";
import { build, worldConfig } from "./build.ts";
import { type Attempt, Chaos } from "./chaos.ts";
import type { RunSpec } from "./config.ts";
import type { AnyEvent } from "./events.ts";

/** All is well again, everything is up and connected, and yet the cluster does not get on within its time. */
export interface Stuck extends Omit<Violation, "rule"> {
  readonly rule: "liveness";
}

export interface SeedResult {
  readonly seed: number;
  readonly spec: RunSpec;
  readonly commands: readonly Recorded[];
  readonly n: number;
  readonly at: Micros;
  readonly counts: Counts;
  readonly violation: Violation | Stuck | null;
}

export interface Counts {
  events: number;
  elections: number;
  commits: number;
  /** Writes that a client got an answer for. */
  writes: number;
  snapshots: number;
  /** What was done to the world, by kind: attempts of which the world took something. */
  readonly faults: Map<Attempt["name"], number>;
}

export function newCounts(): Counts {
  return { events: 0, elections: 0, commits: 0, writes: 0, snapshots: 0, faults: new Map() };
}

export function addCounts(to: Counts, from: Counts): void {
  to.events += from.events;
  to.elections += from.elections;
  to.commits += from.commits;
  to.writes += from.writes;
  to.snapshots += from.snapshots;
  for (const [name, count] of from.faults) to.faults.set(name, (to.faults.get(name) ?? 0) + count);
}

export interface CampaignOptions {
  readonly length: Micros;
  /** Every event as it comes, besides the checks. */
  readonly listener?: (event: TraceEvent<AnyEvent>) => void;
  /** Other programs than the product's, for a campaign that shall find something. */
  readonly build?: Build;
}

/** Looks at how far the cluster is, which no check needs. */
class Watch {
  readonly counts = newCounts();
  readonly #applied = new Map<ProcessId, number>();
  #commit = 0;
  #lastEvent = 0;
  readonly #leading = new Set<ProcessId>();
  /** The newest configuration that each member has in force. */
  readonly #confs = new Map<ProcessId, ConfState>();
  /** What must be passed to have recovered; null before the last calm. */
  #goal: { readonly commit: number; readonly writes: number } | null = null;

  get lastEvent(): number {
    return this.#lastEvent;
  }

  add({ id, process, event }: TraceEvent<AnyEvent>): void {
    this.#lastEvent = id;
    this.counts.events += 1;
    if (process === null) return;
    switch (event.type) {
      case "role-changed":
        if (event.role === "leader") {
          this.counts.elections += 1;
          this.#leading.add(process);
        } else if (event.from === "leader") this.#leading.delete(process);
        return;
      case "crashed":
      case "panicked":
        this.#leading.delete(process);
        return;
      case "recovered":
        this.#applied.set(process, event.snapshot.index);
        return;
      case "commit-advanced":
        if (event.to <= this.#commit) return;
        this.counts.commits += event.to - this.#commit;
        this.#commit = event.to;
        return;
      case "applied":
        this.#applied.set(process, event.to);
        return;
      case "conf-switched":
        this.#confs.set(process, event.conf);
        return;
      case "snapshot-restored":
        this.counts.snapshots += 1;
        return;
      case "write-done":
        this.counts.writes += 1;
        return;
      default:
        return;
    }
  }

  setGoal(): void {
    this.#goal = { commit: this.#commit, writes: this.counts.writes };
  }

  /** Members, by the leaders' configurations, that have not applied what was committed before. */
  behind(): readonly ProcessId[] {
    const commit = this.#goal?.commit ?? 0;
    const confs = [...this.#leading].flatMap((id) => this.#confs.get(id) ?? []);
    const isMember = (id: ProcessId): boolean =>
      confs.some(({ voters, votersOutgoing, learners }) =>
        [...voters, ...votersOutgoing, ...learners].includes(id as string as NodeId),
      );
    return [...this.#applied].filter(([id, applied]) => applied < commit && isMember(id)).map(([id]) => id);
  }

  get recovered(): boolean {
    const writes = this.#goal?.writes ?? 0;
    return this.#leading.size > 0 && this.counts.writes > writes && this.behind().length === 0;
  }

  figures(): Stuck["figures"] {
    const { commit, writes } = this.#goal ?? { commit: 0, writes: 0 };
    return { leading: [...this.#leading], answered: this.counts.writes - writes, commit, behind: this.behind() };
  }
}

export function runSeed(seed: number, { length, listener, build: make = build }: CampaignOptions): SeedResult {
  const chaos = new Chaos(seed, length);
  const checks = new Checks();
  const watch = new Watch();
  const world = new World(worldConfig(chaos.spec), (event) => {
    checks.add(event);
    watch.add(event as TraceEvent<AnyEvent>);
    listener?.(event as TraceEvent<AnyEvent>);
  });
  const host = new InlineHost(make);
  const commands: Recorded[] = [];
  const deadline = chaos.deadline;
  let calm = false;
  while (checks.violation === null && !(calm && watch.recovered) && chaos.nextAt < deadline) {
    runUntil(world, host, chaos.nextAt, checks);
    if (checks.violation !== null) break;
    const attempt = chaos.act(world);
    let taken = 0;
    for (const command of attempt.commands) {
      const { n, now: at } = world;
      if (world.command(command, host) !== null) continue;
      commands.push({ n, at, command });
      taken += 1;
    }
    const { faults } = watch.counts;
    if (taken > 0) faults.set(attempt.name, (faults.get(attempt.name) ?? 0) + 1);
    if (calm || world.now < chaos.stormsEnd || attempt.name !== "calm") continue;
    calm = true;
    watch.setGoal();
  }
  const { counts, recovered } = watch;
  const stuck = checks.violation === null && !recovered;
  const violation: Stuck | Violation | null = stuck
    ? { rule: "liveness", event: watch.lastEvent, at: world.now, process: null, figures: watch.figures() }
    : checks.violation;
  return { seed, spec: chaos.spec, commands, n: world.n, at: world.now, counts, violation };
}

/** Round by round, so that the run ends with the event that broke a rule. */
function runUntil(world: World, host: InlineHost, to: Micros, checks: Checks): void {
  while (world.nextAt <= to) {
    world.runRoundHere(host);
    if (checks.violation !== null) return;
  }
  world.idleUntil(to);
}
