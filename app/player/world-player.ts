/**
 * Owns one world: paces it, steps it, seeks, carries commands to it, shares and loads it.
 *
 * The frame loop asks the coordinator to advance to the instant that the wall clock calls for, one call at a time, and
 * puts what comes back into the store. Drawing that should not go through React hangs on `onFrame`. Paused and with
 * nothing changed, or hidden, it does nothing at all.
 *
 * Calls go one after another in the order in which they were asked for. A run is opened under a key of its own and
 * takes the place of the one before only once it stands: a link that cannot be replayed leaves the running one alone.
 */
import type {
  BranchInfo,
  Command,
  Coordinator,
  DiskView,
  Micros,
  Moment,
  Recorded,
  Refusal,
  RunSpec,
  StepKind,
  Story,
  Telling,
  WorldId,
} from "../../engine/index.ts";
import { applyDelta, EMPTY_MIRROR, type Mirror } from "../store/mirror.ts";
import type { LinkProblem, Problem } from "../store/problem.ts";
import { share } from "../store/share.ts";
import type { Speed } from "../store/speed.ts";
import { forgetWorld, patchWorld, readWorld } from "../store/worlds.ts";
import { restBetween } from "./pace.ts";
import {
  type Connect,
  type Engine,
  EngineFailure,
  messageOf,
  programFor,
  type ProgramName,
  watched,
} from "./engine.ts";
import type { Outcome } from "./link.ts";

/** Draws one frame: facts, and the virtual instant to draw them at. */
export type FrameListener = (view: Mirror, nowUs: Micros) => void;

export interface Player {
  /** The page has this tab open: it is shared along with the run. */
  tabOpened(tab: string): void;
  /** The tab that the last link wanted open. */
  readonly linkTab: string | null;
  readonly world: WorldId;
  /** How often a run, a story or a link was asked for: what still prepares one sees whether another was, meanwhile. */
  readonly runsAsked: number;
  /** Starts a run; the one before it goes on until the new one stands. Tells whether it does. */
  restart(spec: RunSpec, commands?: readonly Recorded[]): Promise<boolean>;
  /** Starts and plays a story. Its commands lie ahead, and are carried out when their time comes. */
  tell(story: Story, telling: Telling): Promise<boolean>;
  /** The members run in one thread from now on, until another speed moves them. */
  placeInline(): Promise<void>;
  /** Likewise a lock story, by its id. */
  tellLab(id: string): Promise<boolean>;
  play(): void;
  pause(): void;
  toggle(): void;
  setSpeed(speed: Speed): void;
  /** Pauses and runs to the next event, message or change of role. */
  step(kind: StepKind): Promise<void>;
  /** Steps of lab programs, by label, at which time stops. */
  setBreakpoints(labels: readonly string[]): Promise<void>;
  /** Pauses and shows the moment of the last one before. */
  stepBack(kind: StepKind): Promise<void>;
  /** Shows a moment of the run. Only the latest of several waiting calls is carried out: made for dragging. */
  seek(at: Micros): Promise<void>;
  /** Null when it was carried out. A refusal is also put into the store, where the page shows it. */
  dispatch(command: Command): Promise<Refusal | null>;
  dismissRefusal(): void;
  dismissProblem(problem: Problem): void;
  report(problem: Problem): void;
  /** The futures that were left for others, in the order in which they were. */
  branches(): Promise<readonly BranchInfo[]>;
  /** What lies on each member's disk at the moment shown; those without a file, and the register's, are left out. */
  disks(): Promise<readonly DiskView[]>;
  /** Goes to where this future was left, paused, with all of it ahead. */
  switchBranch(branch: number): Promise<void>;
  /** The address that replays this run up to the moment shown. */
  share(): Promise<Outcome<string>>;
  /**
   * Opens what a link describes, at its moment, paused. `link`: an address, a fragment or the bare text. When it cannot
   * be opened, the problem is in the store too, and the running world is untouched.
   */
  loadLink(link: string): Promise<LinkProblem | null>;
  /** Calls back on each animation frame for which something changed, and once soon after being added. */
  onFrame(listener: FrameListener): () => void;
  /** Asks for one more frame though no fact changed: a size, a theme, a language did. */
  invalidate(): void;
  close(): Promise<void>;
}

/** What the player needs of the browser; tests bring their own. */
export interface Surroundings {
  readonly connect: Connect;
  /** The next animation frame, once `restMs` have passed. Gives back what calls it off. */
  readonly requestFrame: (callback: (nowMs: number) => void, restMs: number) => () => void;
  readonly isHidden: () => boolean;
  readonly onVisibility: (listener: () => void) => () => void;
  /** The page's address without its fragment. */
  readonly address: () => string;
}

/** A frame that comes late counts for no more than this: a tab that was away does not leap ahead. */
const FRAME_MS_MAX = 100;
/** Wall time that one advance may take before it gives back. */
const BUDGET_MS = 12;
/** As far as "as fast as it goes" may run in one call; the budget ends it long before. */
const HORIZON_US: Micros = 3_600_000_000;
/** A fast run is stopped a little behind the event that broke a rule; further than this, it goes back to it. */
const OVERSHOT_MAX: Micros = 20_000;
const CALL_LIMIT_S = 15;
/** How long before its first client a lock story is shown. */
const STORY_LEAD: Micros = 300_000;
/** Replaying from a checkpoint, or a whole link, may rightly take longer. */
const REPLAY_LIMIT_S = 120;

export class WorldPlayer implements Player {
  readonly world: WorldId;
  readonly #around: Surroundings;
  readonly #listeners = new Set<FrameListener>();
  readonly #offVisibility: () => void;
  #engine: Engine | null = null;
  /** The coordinator's name of the run that is shown. */
  #key: WorldId | null = null;
  #runsAsked = 0;
  #opened = 0;
  #refusals = 0;
  #tail: Promise<unknown> = Promise.resolve();
  #pending = 0;
  #seekTo: Micros | null = null;
  /** Calls off the frame that was asked for. */
  #frame: (() => void) | null = null;
  /** How long that frame was to wait. */
  #restMs = 0;
  #lastFrameMs: number | null = null;
  /** Where virtual time should be by the wall clock; runs ahead of the view by less than a frame, in fractions. */
  #clockUs = 0;
  #dirty = false;
  #closed = false;

  constructor(world: WorldId, around: Surroundings) {
    this.world = world;
    this.#around = around;
    this.#offVisibility = around.onVisibility(() => this.#onVisibility());
    patchWorld(world, { status: "opening" });
  }

  get runsAsked(): number {
    return this.#runsAsked;
  }

  async restart(spec: RunSpec, commands: readonly Recorded[] = []): Promise<boolean> {
    this.#runsAsked += 1;
    return await this.#start(spec, commands);
  }

  async #start(spec: RunSpec, commands: readonly Recorded[]): Promise<boolean> {
    const opened = await this.#open(spec, commands, null);
    if (opened instanceof Error) this.#fail(opened);
    return !(opened instanceof Error);
  }

  async tell(story: Story, telling: Telling): Promise<boolean> {
    this.#runsAsked += 1;
    const ticket = this.#runsAsked;
    const recorded = await this.#call((coordinator) => coordinator.recordStory(story, telling), REPLAY_LIMIT_S);
    if (recorded === null || ticket !== this.#runsAsked) return false;
    const stands = await this.#start(recorded.spec, recorded.commands);
    if (stands) this.play();
    return stands;
  }

  async placeInline(): Promise<void> {
    await this.#move((coordinator, key) => coordinator.place(key, "inline"), CALL_LIMIT_S);
  }

  async tellLab(id: string): Promise<boolean> {
    this.#runsAsked += 1;
    const ticket = this.#runsAsked;
    const recorded = await this.#queue(async () => {
      try {
        const engine = await this.#connected("systems");
        return await watched(engine.coordinator.recordLabStory(id), REPLAY_LIMIT_S, engine.lastError);
      } catch (error) {
        this.#fail(error);
        return null;
      }
    });
    if (recorded === null || ticket !== this.#runsAsked) return false;
    const stands = await this.#start(recorded.spec, recorded.commands);
    if (!stands || ticket !== this.#runsAsked) return false;
    // The cluster finds its leader before the story begins: nobody need wait for that.
    const start = (recorded.spec.config.lab?.warmUp ?? 0) - STORY_LEAD;
    if (start > 0)
      await this.#jump((coordinator, key) => coordinator.advance(key, start, REPLAY_LIMIT_S * 1_000), REPLAY_LIMIT_S);
    this.setSpeed(1);
    this.play();
    return true;
  }

  play(): void {
    if (readWorld(this.world).playing) return;
    patchWorld(this.world, { playing: true });
    this.#lastFrameMs = null;
    this.#clockUs = readWorld(this.world).view.at;
    this.#wake();
  }

  pause(): void {
    if (readWorld(this.world).playing) patchWorld(this.world, { playing: false });
  }

  toggle(): void {
    if (readWorld(this.world).playing) this.pause();
    else this.play();
  }

  setSpeed(speed: Speed): void {
    const before = readWorld(this.world).speed;
    if (before === speed) return;
    patchWorld(this.world, { speed });
    this.#clockUs = readWorld(this.world).view.at;
    if (this.#key !== null && (before === "max") !== (speed === "max")) void this.#placeForSpeed();
  }

  async step(kind: StepKind): Promise<void> {
    this.pause();
    await this.#jump(async (coordinator, key) => {
      const { found, moment } = await coordinator.step(key, kind);
      if (!found) this.report({ kind: "nothing-to-step-to", step: kind });
      return moment;
    }, CALL_LIMIT_S);
  }

  async setBreakpoints(labels: readonly string[]): Promise<void> {
    await this.#call((coordinator, key) => coordinator.setBreakpoints(key, labels), CALL_LIMIT_S);
  }

  async stepBack(kind: StepKind): Promise<void> {
    this.pause();
    await this.#jump((coordinator, key) => coordinator.stepBack(key, kind), REPLAY_LIMIT_S);
  }

  async seek(at: Micros): Promise<void> {
    const waiting = this.#seekTo !== null;
    this.#seekTo = Math.max(0, Math.floor(at));
    if (waiting) return;
    await this.#jump((coordinator, key) => {
      const to = this.#seekTo ?? at;
      this.#seekTo = null;
      return coordinator.seek(key, to);
    }, REPLAY_LIMIT_S);
    this.#seekTo = null;
  }

  async dispatch(command: Command): Promise<Refusal | null> {
    const answer = await this.#call((coordinator, key) => coordinator.dispatch(key, command), CALL_LIMIT_S);
    if (answer === null) return null;
    this.#show(answer.moment);
    if (answer.refused !== null) {
      this.#refusals += 1;
      patchWorld(this.world, { refused: { serial: this.#refusals, command, why: answer.refused } });
    } else if (readWorld(this.world).refused !== null) {
      patchWorld(this.world, { refused: null });
    }
    return answer.refused;
  }

  dismissRefusal(): void {
    patchWorld(this.world, { refused: null });
  }

  dismissProblem(problem: Problem): void {
    patchWorld(this.world, { problems: readWorld(this.world).problems.filter((other) => other !== problem) });
  }

  report(problem: Problem): void {
    const { problems } = readWorld(this.world);
    if (problems.some((other) => share(other, problem) === other)) return;
    patchWorld(this.world, { problems: [...problems, problem] });
  }

  async branches(): Promise<readonly BranchInfo[]> {
    return (await this.#call((coordinator, key) => coordinator.branches(key), CALL_LIMIT_S)) ?? [];
  }

  async disks(): Promise<readonly DiskView[]> {
    return (await this.#call((coordinator, key) => coordinator.disks(key), CALL_LIMIT_S)) ?? [];
  }

  async switchBranch(branch: number): Promise<void> {
    this.pause();
    await this.#jump((coordinator, key) => coordinator.switchBranch(key, branch), REPLAY_LIMIT_S);
  }

  linkTab: string | null = null;
  #tab: string | null = null;

  tabOpened(tab: string): void {
    this.#tab = tab;
  }

  async share(): Promise<Outcome<string>> {
    const recording = await this.#call((coordinator, key) => coordinator.recording(key), REPLAY_LIMIT_S);
    if (recording === null) return { ok: false, problem: { why: "not-replayable", detail: "no run" } };
    const { encodeLink } = await import("./link.ts");
    const view = { speed: readWorld(this.world).speed, ...(this.#tab !== null && { tab: this.#tab }) };
    const fragment = await encodeLink({ ...recording, view });
    return fragment.ok ? { ok: true, value: `${this.#around.address()}#${fragment.value}` } : fragment;
  }

  async loadLink(link: string): Promise<LinkProblem | null> {
    this.#runsAsked += 1;
    const { decodeLink, ENGINE_VERSION } = await import("./link.ts");
    const decoded = await decodeLink(link);
    if (!decoded.ok) return this.#refuseLink(decoded.problem);
    const { spec, commands, at, n, hash, version, view } = decoded.value;
    this.linkTab = view.tab ?? null;
    const opened = await this.#open(spec, commands, { n, at });
    if (opened instanceof EngineFailure) this.#fail(opened);
    if (opened instanceof Error) return this.#refuseLink({ why: "not-replayable", detail: messageOf(opened) });
    this.pause();
    if (view.speed !== undefined) this.setSpeed(view.speed);
    if (opened.hash !== hash)
      this.report({ kind: "diverged", n, expected: hash, actual: opened.hash, theirs: version, ours: ENGINE_VERSION });
    return null;
  }

  onFrame(listener: FrameListener): () => void {
    this.#listeners.add(listener);
    this.invalidate();
    return () => this.#listeners.delete(listener);
  }

  invalidate(): void {
    this.#dirty = true;
    this.#wake();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#offVisibility();
    this.#frame?.();
    this.#frame = null;
    this.#listeners.clear();
    await this.#call((coordinator, key) => coordinator.close(key), CALL_LIMIT_S);
    this.#key = null;
    forgetWorld(this.world);
  }

  #refuseLink(problem: LinkProblem): LinkProblem {
    this.report({ kind: "link", link: problem, kept: this.#key !== null });
    return problem;
  }

  /** Opens a run under a new key, and on success lets it take the place of the one before. */
  async #open(
    spec: RunSpec,
    commands: readonly Recorded[],
    moment: { readonly n: number; readonly at: Micros } | null,
  ): Promise<Moment | Error> {
    this.#opened += 1;
    const key = `${this.world}.${this.#opened}`;
    return await this.#queue(async () => {
      try {
        const engine = await this.#connected(programFor(spec));
        const opening = engine.coordinator.open(key, spec, commands, moment);
        const opened = await watched(opening, REPLAY_LIMIT_S, engine.lastError);
        const old = { engine: this.#engine, key: this.#key };
        this.#engine = engine;
        this.#key = key;
        patchWorld(this.world, { status: "open", spec, view: EMPTY_MIRROR, refused: null });
        this.#show(opened);
        this.#clockUs = opened.delta.at;
        if (old.engine !== null && old.key !== null) this.#retire(old.engine, old.key);
        if (readWorld(this.world).speed === "max") void this.#placeForSpeed();
        return opened;
      } catch (error) {
        return error instanceof Error ? error : new EngineFailure(messageOf(error));
      }
    });
  }

  /** The engine at hand if it runs that program; else another, which takes its place once its run stands. */
  async #connected(name: ProgramName): Promise<Engine> {
    if (this.#engine?.name === name) return this.#engine;
    const engine = await this.#around.connect(name);
    this.#engine ??= engine;
    return engine;
  }

  #retire(engine: Engine, key: WorldId): void {
    watched(engine.coordinator.close(key), CALL_LIMIT_S, engine.lastError).catch((error: unknown) => this.#fail(error));
  }

  async #placeForSpeed(): Promise<void> {
    await this.#move((coordinator, key) => {
      const placement = readWorld(this.world).speed === "max" ? "inline" : "workers";
      return coordinator.place(key, placement);
    }, CALL_LIMIT_S);
  }

  async #move(call: (coordinator: Coordinator, key: WorldId) => Promise<Moment>, limitS: number): Promise<void> {
    const moment = await this.#call(call, limitS);
    if (moment !== null) this.#show(moment);
  }

  /** A move after which the wall clock counts from where the world then is. */
  async #jump(call: (coordinator: Coordinator, key: WorldId) => Promise<Moment>, limitS: number): Promise<void> {
    await this.#move(call, limitS);
    this.#clockUs = readWorld(this.world).view.at;
  }

  /** Null when there is no run to ask, or when the engine failed; the store then says so. */
  async #call<T>(call: (coordinator: Coordinator, key: WorldId) => Promise<T>, limitS: number): Promise<T | null> {
    return await this.#queue(async () => {
      const engine = this.#engine;
      const key = this.#key;
      if (engine === null || key === null) return null;
      try {
        return await watched(call(engine.coordinator, key), limitS, engine.lastError);
      } catch (error) {
        this.#fail(error);
        return null;
      }
    });
  }

  async #queue<T>(job: () => Promise<T>): Promise<T> {
    this.#pending += 1;
    const turn = this.#tail.then(job);
    this.#tail = turn.catch(() => null);
    try {
      return await turn;
    } finally {
      this.#pending -= 1;
    }
  }

  #fail(error: unknown): void {
    const kind = this.#engine === null ? "engine-start" : "engine-failed";
    this.#engine?.dispose();
    this.#engine = null;
    this.#key = null;
    patchWorld(this.world, { status: "failed", playing: false });
    this.report({ kind, detail: messageOf(error) });
  }

  #show(moment: Moment): void {
    const { delta, ...facts } = moment;
    // It may come out only after a while: the first moments do not wait for the members' threads.
    if (!facts.workers && readWorld(this.world).workers) this.#tellInline();
    const { view, playing } = readWorld(this.world);
    const after = applyDelta(view, delta);
    patchWorld(this.world, { ...facts, view: after });
    this.#dirty = true;
    if (facts.brokeAt !== null && playing) this.pause();
    // While it plays, the loop comes by itself, as often as there is something to see.
    if (!playing) this.#wake();
    else if (after.violation !== null && after.violation.event !== view.violation?.event) this.#stopAt(after);
  }

  /** Something must not have happened: it is looked at where it did. */
  #stopAt({ at, violation }: Mirror): void {
    this.pause();
    this.#wake();
    if (violation !== null && at - violation.at > OVERSHOT_MAX) void this.seek(violation.at);
  }

  #tellInline(): void {
    this.report({ kind: "no-workers", detail: this.#engine?.inPageBecause ?? this.#engine?.lastError() ?? "" });
  }

  #onVisibility(): void {
    this.#lastFrameMs = null;
    if (!this.#around.isHidden()) this.#wake();
  }

  #wake(restMs = 0): void {
    if (this.#closed || this.#around.isHidden()) return;
    if (this.#frame !== null) {
      if (restMs >= this.#restMs) return;
      this.#frame();
    }
    this.#restMs = restMs;
    this.#frame = this.#around.requestFrame((nowMs) => this.#onFrameTime(nowMs), restMs);
  }

  /** Asks for the next moment first, so that the engine works while the page draws this one. */
  #onFrameTime(nowMs: number): void {
    this.#frame = null;
    if (this.#around.isHidden()) return;
    const world = readWorld(this.world);
    const going = world.playing && world.status === "open";
    if (going) {
      const dtMs = this.#lastFrameMs === null ? 0 : Math.min(nowMs - this.#lastFrameMs, FRAME_MS_MAX);
      this.#lastFrameMs = nowMs;
      this.#pace(world.view.at, dtMs, world.speed);
      this.#wake(restBetween(world.view, world.speed));
    }
    if (!this.#dirty) return;
    this.#dirty = false;
    for (const listener of this.#listeners) listener(world.view, world.view.at);
  }

  #pace(at: Micros, dtMs: number, speed: Speed): void {
    if (speed === "max") {
      if (this.#pending === 0) void this.#advance(at + HORIZON_US);
      return;
    }
    const lead = FRAME_MS_MAX * 1_000 * speed;
    this.#clockUs = Math.min(this.#clockUs + dtMs * 1_000 * speed, at + lead);
    const target = Math.floor(this.#clockUs);
    if (this.#pending === 0 && target > at) void this.#advance(target);
  }

  async #advance(target: Micros): Promise<void> {
    await this.#move((coordinator, key) => coordinator.advance(key, target, BUDGET_MS), CALL_LIMIT_S);
    const { at } = readWorld(this.world).view;
    // The budget ran out: virtual time waits for the engine. Or the speed was changed meanwhile: it goes on from here.
    if (at < target) this.#clockUs = at;
  }
}
