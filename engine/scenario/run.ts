/**
 * A run that is being looked at: a world, its record, and any moment of it.
 *
 * The record is the seed, the config and the commands; everything else is derived. Checkpoints on the way make a moment
 * cheap to reach: the nearest one before it is restored in this thread and the rest is replayed. Going on from a moment
 * of the past with a new command starts a new future; the old one stays as a branch.
 *
 * The processes are in this thread or at an `AsyncHost`; the run moves between the two at any moment, and its hash does
 * not change.
 */
import { assert } from "../base/assert.ts";
import type { Micros } from "../base/units.ts";
import { Checks, type ChecksState } from "../check/checks.ts";
import { EntryPool } from "../replica/entry-pool.ts";
import type { Command, ProcessId, Recorded, Refusal } from "../sim/command.ts";
import { type AsyncHost, InlineHost } from "../sim/host.ts";
import { type Stopper, World, type WorldState } from "../sim/world.ts";
import { TraceHash, type TraceHashState } from "../trace/hash.ts";
import type { DiskView } from "../trace/disk-view.ts";
import type { Delta } from "../trace/view.ts";
import type { RunSpec } from "./config.ts";
import { Fold, type FoldState } from "./fold/fold.ts";
import { type Kit, REGISTER_KIT } from "./kit.ts";
import type { BreakpointHit, LabStepKind, LabSteps } from "./lab-steps.ts";

/** A moment: after `n` world events and the first `commands` commands, with the clock at `at`. */
export interface Position {
  readonly n: number;
  readonly at: Micros;
  readonly commands: number;
}

/**
 * What a step runs to: the next event, the next sending or arrival of a message, the next change of a role; in a lab the
 * next change of who believes that it holds the lock, or the next step of a client's program (`step:c1`; `step:*`: of any).
 */
export type StepKind = "event" | "message" | "role" | LabStepKind;

/** A future that was left for another one. */
export interface Branch {
  readonly commands: readonly Recorded[];
  readonly head: Position;
  /** Where the other one left it. */
  readonly forkedAt: Position;
}

interface Checkpoint {
  readonly position: Position;
  readonly world: WorldState;
  readonly processes: readonly (readonly [ProcessId, unknown])[];
  readonly fold: FoldState;
  readonly hash: TraceHashState;
  readonly checks: ChecksState;
}

/** A recording that does not come to what it says: it was made by another version, or damaged. */
export class Diverged extends Error {
  override readonly name = "Diverged";
}

/** To replay as many takes some 15 ms; to take and keep a checkpoint costs as much as three hundred events. */
const CHECKPOINT_EVENTS = 8_000;
const CHECKPOINTS_MAX = 32;
/** The newest ones are not thinned out. */
const CHECKPOINTS_FRESH = 8;
/** How far a step looks for what it steps to. */
const STEP_SPAN_MAX: Micros = 60_000_000;

/** A host elsewhere, with what a run asks of it besides. */
export interface RemoteHost extends AsyncHost {
  checkpoint(id: ProcessId): Promise<unknown>;
  /** Those that have not answered in time since the last call: they are as good as dead. */
  takeHung(): readonly ProcessId[];
  /** Ends every process. */
  clear(): void;
}

/** A world with what is derived from it, and how far it is in its record. */
class Live {
  readonly world: World;
  readonly fold: Fold;
  readonly hash: TraceHash;
  readonly checks: Checks;
  readonly labSteps: LabSteps | null;
  readonly inline: InlineHost;
  /** Commands of the record that are carried out. */
  done: number;

  constructor(spec: RunSpec, from: Checkpoint | null, kit: Kit) {
    this.inline = new InlineHost(kit.build);
    this.fold = new Fold(spec.config, kit.parts(spec.config, from?.fold.parts ?? null), from?.fold);
    this.hash = new TraceHash(from?.hash);
    this.checks = new Checks(from?.checks);
    this.done = from?.position.commands ?? 0;
    this.labSteps = kit.labSteps(spec.config);
    const { fold, hash, checks, labSteps } = this;
    this.world = new World(
      kit.world(spec),
      (event) => {
        hash.add(event);
        fold.add(event);
        checks.add(event);
        labSteps?.add(event);
      },
      from?.world ?? null,
    );
    const states = new Map(from?.processes);
    if (from === null) return;
    for (const living of this.world.living()) {
      this.inline.restore(living, states.get(living.id), this.world.outOf(living.id));
    }
  }

  get position(): Position {
    return { n: this.world.n, at: this.world.now, commands: this.done };
  }

  /** What comes next on the way to `limit`: a command of the record, a round, or nothing. */
  next(commands: readonly Recorded[], limit: Position): Recorded | "round" | null {
    const { world } = this;
    const command = commands[this.done];
    if (command !== undefined && this.done < limit.commands && world.n >= command.n)
      return command.at <= limit.at ? command : null;
    return world.n < limit.n && world.nextAt <= limit.at ? "round" : null;
  }

  /** Carries out a command of the record: the world must have come to the very moment that it names. */
  redo({ n, at, command }: Recorded, stopper: Stopper): void {
    const { world } = this;
    if (world.n !== n || at < world.now || at > world.nextAt) {
      throw new Diverged(`the command after event ${n} does not fit: the world is at event ${world.n}`);
    }
    world.idleUntil(at);
    const refusal = world.command(command, stopper);
    if (refusal !== null) throw new Diverged(`the command after event ${n} was refused: ${refusal.rule}`);
    this.done += 1;
  }

  /** One thing of the record, here. False when there is none on the way to `limit`. */
  replayOne(commands: readonly Recorded[], limit: Position): boolean {
    const next = this.next(commands, limit);
    if (next === null) return false;
    if (next === "round") this.world.runRoundHere(this.inline);
    else this.redo(next, this.inline);
    return true;
  }

  /** The clock goes on to `at` if nothing happens before. */
  idleUntil(at: Micros): void {
    if (at > this.world.now && at <= this.world.nextAt) this.world.idleUntil(at);
  }
}

export class Run {
  readonly spec: RunSpec;
  readonly #kit: Kit;
  readonly #checkpointEvents: number;
  #live: Live;
  /** Where the processes are; null when they are in this thread. */
  #remote: RemoteHost | null = null;
  #commands: Recorded[];
  #head: Position = { n: 0, at: 0, commands: 0 };
  /** In order of position. */
  #checkpoints: Checkpoint[] = [];
  /** From a checkpoint's event on, up to another, none is due: asked after every round, the list is not looked through. */
  #calmFrom = 0;
  #calmUntil = 0;
  readonly #branches: Branch[] = [];
  readonly #entries = new EntryPool();
  #keyframeDue = true;
  /** The event of the violation that the run has met; 0 before any. */
  #stoppedAt = 0;
  #breakpoints: ReadonlySet<string> = new Set();
  #brokeAt: BreakpointHit | null = null;

  constructor(
    spec: RunSpec,
    commands: readonly Recorded[] = [],
    checkpointEvents = CHECKPOINT_EVENTS,
    kit: Kit = REGISTER_KIT,
  ) {
    this.spec = spec;
    this.#kit = kit;
    this.#checkpointEvents = checkpointEvents;
    this.#commands = [...commands];
    this.#live = new Live(spec, null, kit);
  }

  get position(): Position {
    return this.#live.position;
  }
  /** The furthest moment of this future that was reached. */
  get head(): Position {
    return this.#head;
  }
  get commands(): readonly Recorded[] {
    return this.#commands;
  }
  get branches(): readonly Branch[] {
    return this.#branches;
  }
  get hash(): string {
    return this.#live.hash.digits();
  }
  get isRemote(): boolean {
    return this.#remote !== null;
  }

  /** What lies on the members' disks at this moment. */
  disks(): readonly DiskView[] {
    return this.#kit.disks?.(this.#live.world) ?? [];
  }

  /** What changed since the last call; a keyframe after a jump. */
  delta(): Delta {
    const { fold, world, checks } = this.#live;
    fold.settle(world.now, world.n, checks.violation);
    if (!this.#keyframeDue) return fold.delta();
    this.#keyframeDue = false;
    return fold.keyframe();
  }

  /** Everything, whatever was told before. */
  keyframe(): Delta {
    this.#keyframeDue = true;
    return this.delta();
  }

  // ── forwards ──

  /** Steps of lab programs, by their labels: the run stops when a program comes to one of them. */
  set breakpoints(labels: ReadonlySet<string>) {
    this.#breakpoints = labels;
  }

  /** The breakpoint at which the last `advance` stopped; null when it did not. */
  get brokeAt(): BreakpointHit | null {
    return this.#brokeAt;
  }

  /** Runs to the instant `to`, or until `expired` says to give back; recorded commands are carried out on the way. */
  async advance(to: Micros, expired: () => boolean = never): Promise<void> {
    if (await this.#run(to, expired)) this.#live.idleUntil(to);
    this.#reached();
  }

  /** Runs until `kind` has happened once more. False when that is not within a virtual minute: then nothing has moved. */
  async step(kind: StepKind): Promise<boolean> {
    const limit = this.#live.world.now + STEP_SPAN_MAX;
    const happened = happens(kind, this.#live);
    if (kind !== "event" && kind !== "message") {
      // It may never come: look for it in a copy first.
      const scout = new Live(this.spec, await this.#checkpoint(), this.#kit);
      const found = happens(kind, scout);
      const end = { n: NO_LIMIT, at: limit, commands: NO_LIMIT };
      while (!found()) if (!scout.replayOne(this.#commands, end)) return false;
    }
    const ended = await this.#run(limit, happened);
    this.#reached();
    return !ended;
  }

  /** Carries out a command at the present moment. */
  command(command: Command): Refusal | null {
    const before = this.position;
    const refusal = this.#live.world.command(command, this.#remote ?? this.#live.inline);
    if (refusal !== null) return refusal;
    if (comparePositions(before, this.#head) < 0 || before.commands < this.#commands.length) this.#fork(before);
    this.#commands.push({ n: before.n, at: before.at, command });
    this.#live.done = this.#commands.length;
    this.#reached();
    return null;
  }

  /** @returns true when it came to `to`, false when it was stopped before */
  async #run(to: Micros, expired: () => boolean): Promise<boolean> {
    const live = this.#live;
    const limit = { n: NO_LIMIT, at: to, commands: NO_LIMIT };
    this.#brokeAt = null;
    if (live.labSteps !== null) live.labSteps.breakpoints = this.#breakpoints;
    for (let next = live.next(this.#commands, limit); next !== null; next = live.next(this.#commands, limit)) {
      if (next !== "round") live.redo(next, this.#remote ?? live.inline);
      else if (this.#remote === null) live.world.runRoundHere(live.inline);
      // One round after the other: that is what makes a run repeatable.
      // oxlint-disable-next-line no-await-in-loop
      else await this.#remoteRound(this.#remote);
      // oxlint-disable-next-line no-await-in-loop
      if (this.#checkpointDue(live)) this.#insert(await this.#checkpoint());
      this.#brokeAt = live.labSteps?.takeHit() ?? null;
      if (expired() || this.#brokeAt !== null || this.#mustStop(live)) return false;
    }
    return true;
  }

  /** A rule was broken that nobody switched off: the run stops there once, and goes on when it is told to. */
  #mustStop({ world, checks: { violation } }: Live): boolean {
    if (violation === null || violation.event === this.#stoppedAt) return false;
    this.#stoppedAt = violation.event;
    return world.settings.broken.length === 0;
  }

  async #remoteRound(remote: RemoteHost): Promise<void> {
    await this.#live.world.runRound(remote);
    for (const process of remote.takeHung()) {
      const refusal = this.command({ type: "panic", process, message: "it did not answer in time", stack: "" });
      assert(refusal === null || refusal.rule === "already-down", "a hung process can be ended");
    }
  }

  #reached(): void {
    const { position } = this;
    if (comparePositions(position, this.#head) > 0) this.#head = position;
  }

  #fork(at: Position): void {
    this.#branches.push({ commands: this.#commands, head: this.#head, forkedAt: at });
    this.#commands = this.#commands.slice(0, at.commands);
    this.#keepCheckpointsUpTo(at);
    this.#head = at;
  }

  // ── any moment ──

  /** Shows the moment at an instant, no further than the head. The processes are then in this thread. */
  seek(at: Micros): void {
    if (at >= this.#head.at) return this.#goTo(this.#head);
    const later = this.#commands.findIndex((recorded) => recorded.at > at);
    this.#goTo({ n: NO_LIMIT, at, commands: later < 0 ? this.#commands.length : later });
  }

  /**
   * To the moment that a link names: after `n` events and the commands up to there, with the clock at `at`. Commands
   * behind it are the future, and are carried out when their time comes.
   */
  replay(n: number, at: Micros): void {
    const future = this.#commands.findIndex((recorded) => recorded.n > n || recorded.at > at);
    const commands = future < 0 ? this.#commands.length : future;
    this.#goTo({ n, at, commands });
    const { position } = this;
    if (comparePositions(position, { n, at, commands }) !== 0) {
      throw new Diverged(
        `event ${n} at ${at} µs is not reached: the world is at event ${position.n}, at ${position.at} µs`,
      );
    }
  }

  /** The last moment before this one at which `kind` had just happened; the start when there is none. */
  stepBack(kind: StepKind): void {
    const here = this.position;
    for (const start of [null, ...this.#checkpoints].toReversed()) {
      if (start !== null && comparePositions(start.position, here) >= 0) continue;
      const found = this.#lastBefore(here, start, kind);
      if (found !== null) return this.#goTo(found);
    }
    this.#goTo({ n: 0, at: 0, commands: 0 });
  }

  /** Leaves this future for one that was left before; it becomes a branch in its place. */
  switchTo(branch: number): void {
    const chosen = this.#branches[branch];
    assert(chosen !== undefined, "a branch that exists");
    this.#branches[branch] = { commands: this.#commands, head: this.#head, forkedAt: chosen.forkedAt };
    this.#commands = [...chosen.commands];
    this.#keepCheckpointsUpTo(chosen.forkedAt);
    this.#head = chosen.head;
    this.#goTo(chosen.forkedAt);
  }

  #goTo(target: Position): void {
    const start = this.#checkpoints.findLast(({ position }) => isOnTheWay(position, target)) ?? null;
    const live = new Live(this.spec, start, this.#kit);
    while (live.replayOne(this.#commands, target)) if (this.#checkpointDue(live)) this.#insert(checkpointHere(live));
    live.idleUntil(target.at);
    this.#remote?.clear();
    this.#remote = null;
    this.#live = live;
    this.#stoppedAt = live.checks.violation?.event ?? 0;
    this.#keyframeDue = true;
    this.#reached();
  }

  #lastBefore(here: Position, start: Checkpoint | null, kind: StepKind): Position | null {
    const live = new Live(this.spec, start, this.#kit);
    let found: Position | null = null;
    for (;;) {
      const happened = happens(kind, live);
      if (!live.replayOne(this.#commands, here)) return found;
      const { position } = live;
      if (comparePositions(position, here) >= 0) return found;
      if (happened()) found = position;
    }
  }

  // ── checkpoints and placement ──

  /** Moves the processes to a host elsewhere. */
  moveTo(remote: RemoteHost): void {
    assert(this.#remote === null, "the run is here");
    const { world, inline } = this.#live;
    for (const spec of world.living()) {
      remote.restore(spec, inline.get(spec.id).checkpoint());
      inline.stop(spec.id);
    }
    this.#remote = remote;
  }

  /** Brings the processes back into this thread. */
  async moveHere(): Promise<void> {
    const remote = this.#remote;
    if (remote === null) return;
    const { world, inline } = this.#live;
    const states = new Map(await this.#processStates());
    for (const spec of world.living()) inline.restore(spec, states.get(spec.id), world.outOf(spec.id));
    remote.clear();
    this.#remote = null;
  }

  async #processStates(): Promise<(readonly [ProcessId, unknown])[]> {
    const { world, inline } = this.#live;
    const remote = this.#remote;
    const ids = world.living().map(({ id }) => id);
    if (remote === null) return ids.map((id) => [id, inline.get(id).checkpoint()] as const);
    const states = await Promise.all(ids.map((id) => remote.checkpoint(id)));
    this.#entries.share(states);
    return ids.map((id, i) => [id, states[i]] as const);
  }

  async #checkpoint(): Promise<Checkpoint> {
    return makeCheckpoint(this.#live, await this.#processStates());
  }

  #checkpointDue({ world: { n } }: Live): boolean {
    if (n >= this.#calmFrom && n < this.#calmUntil) return false;
    const before = this.#checkpoints.findLast((checkpoint) => checkpoint.position.n <= n);
    this.#calmFrom = before?.position.n ?? 0;
    this.#calmUntil = this.#calmFrom + this.#checkpointEvents;
    return n >= this.#calmUntil;
  }

  #insert(checkpoint: Checkpoint): void {
    const at = this.#checkpoints.findLastIndex(({ position }) => comparePositions(position, checkpoint.position) <= 0);
    this.#checkpoints.splice(at + 1, 0, checkpoint);
    this.#calmUntil = 0;
    if (this.#checkpoints.length <= CHECKPOINTS_MAX) return;
    const fresh = this.#checkpoints.length - CHECKPOINTS_FRESH;
    this.#checkpoints = this.#checkpoints.filter((_, i) => i >= fresh || i % 2 === 1);
  }

  #keepCheckpointsUpTo(end: Position): void {
    this.#checkpoints = this.#checkpoints.filter(({ position }) => comparePositions(position, end) <= 0);
    this.#calmUntil = 0;
  }
}

const NO_LIMIT = Number.POSITIVE_INFINITY;

function checkpointHere(live: Live): Checkpoint {
  return makeCheckpoint(
    live,
    live.world.living().map(({ id }) => [id, live.inline.get(id).checkpoint()] as const),
  );
}

function makeCheckpoint(live: Live, processes: Checkpoint["processes"]): Checkpoint {
  const { world, fold, hash, checks, position } = live;
  fold.settle(world.now, world.n, checks.violation);
  return {
    position,
    world: world.state(),
    processes,
    fold: fold.state(),
    hash: hash.state(),
    checks: checks.state(),
  };
}

/** Tells, from now on, whether `kind` has happened. */
function happens(kind: StepKind, { fold, labSteps }: Live): () => boolean {
  const { messages, roles } = fold.counts;
  switch (kind) {
    case "event":
      return () => true;
    case "message":
      return () => fold.counts.messages > messages;
    case "role":
      return () => fold.counts.roles > roles;
    default:
      return labSteps?.happens(kind) ?? never;
  }
}

function comparePositions(a: Position, b: Position): number {
  return a.n - b.n || a.commands - b.commands || a.at - b.at;
}

function isOnTheWay({ n, at, commands }: Position, target: Position): boolean {
  return n <= target.n && at <= target.at && commands <= target.commands;
}

function never(): boolean {
  return false;
}
