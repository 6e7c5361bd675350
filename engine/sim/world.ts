/**
 * The world: virtual time, a queue of events ordered by (at, seq), and everything that turns effects into later inputs.
 *
 * It advances in rounds. A round takes every event of one instant that was in the queue when the round began, gives each
 * process its batch of inputs, and carries out the effects in the order in which the processes were met. What effects
 * put at the same instant makes the next round. The processes run in this thread (`runRoundHere`) or wherever an
 * `AsyncHost` keeps them (`runRound`): the order of effects is the same, so the run is the same.
 */
import TinyQueue from "tinyqueue";
import { assert, present, unreachable } from "../base/assert.ts";
import { removeAll } from "../base/lists.ts";
import { type Rng, rngFor, rngFromState, type RngState } from "../base/rng.ts";
import type { Micros } from "../base/units.ts";
import {
  type Cell,
  type CellState,
  isUp,
  NEVER,
  type Pending,
  type PendingKind,
  type PendingState,
  savePending,
  type Way,
} from "./cell.ts";
import { Clock, type ClockState } from "./clock.ts";
import { checkCommand, type Facts } from "./command-check.ts";
import {
  type Command,
  type DiskQuality,
  type LinkEnds,
  type LinkQuality,
  linkKey,
  type MessageId,
  type ProcessId,
  type Refusal,
  type Settings,
} from "./command.ts";
import { type Carrier, Connections, type ConnectionsState } from "./connections.ts";
import { Disk, type DiskState } from "./disk.ts";
import type { Lost, Segment, TraceEvent, WorldEvent } from "./events.ts";
import { type AsyncHost, describeError, type SyncHost } from "./host.ts";
import { type Link, Network, type NetworkState } from "./network.ts";
import { type Ask, carryOut, type ConnectionId, type Input, type Out, type ProcessSpec } from "./process.ts";

/** Hears of each event when it happens. The object is the same at every call: read it, or keep a copy. */
export type Listener = (traced: TraceEvent) => void;

/** What ends processes: all that a command needs of a host. */
export interface Stopper {
  stop(id: ProcessId): void;
}

export interface WorldConfig {
  readonly seed: number;
  readonly processes: readonly ProcessSpec[];
  readonly network: LinkQuality;
  readonly disk: DiskQuality;
  readonly settings: Settings;
}

interface SavedCell {
  readonly id: ProcessId;
  readonly state: CellState;
  readonly incarnation: number;
  readonly clock: ClockState;
  readonly disk: DiskState;
  readonly diskQuality: DiskQuality;
  readonly diskRng: RngState;
  readonly syncEndsAt: Micros;
  readonly wakeAwake: Micros | null;
  readonly wakeAt: Micros;
  readonly wakeQueuedAt: Micros;
  readonly waiting: readonly PendingState[];
}

/** The whole world between two rounds, but for the processes' own states, which their host gives. */
export interface WorldState {
  readonly now: Micros;
  readonly n: number;
  readonly seq: number;
  readonly messages: number;
  readonly traced: number;
  readonly queue: readonly PendingState[];
  readonly held: readonly PendingState[];
  readonly cells: readonly SavedCell[];
  readonly connections: ConnectionsState;
  readonly network: NetworkState;
  readonly settings: Settings;
}

const WAKE: Input = { type: "wake" };
/** Clients' and members' calendars start together; the figure only has to look like a date. */
const WALL_AT_START: Micros = 1_800_000_000_000_000;

export class World implements Facts, Carrier {
  readonly config: WorldConfig;
  readonly #listener: Listener | null;
  readonly #network: Network;
  readonly #connections: Connections;
  readonly #cells = new Map<ProcessId, Cell>();
  readonly #held = new Map<MessageId, Pending>();
  readonly #queue = new TinyQueue<Pending>([], earlier);
  #settings: Settings;
  /**
   * Instants outgrow what an engine keeps as small integers after some minutes. A field that has held `NEVER` holds
   * doubles, and so does what is first reckoned from it: nothing has to be compiled again when that moment comes.
   */
  #now: Micros = NEVER;
  #n = 0;
  #seq = 0;
  #messages = 0;
  #traced = 0;
  /** What the listener is told, filled in anew for each event: there are a hundred of them for one write. */
  readonly #told = { id: 0, cause: 0, at: 0, process: null as ProcessId | null, incarnation: 0, event: {} as object };
  /** The trace event that what happens now is put down to. */
  #cause = 0;
  #round: Cell[] = [];
  #started: Cell[] = [];
  #ended: ProcessId[] = [];

  /** With `state` it goes on from there; the caller restores the living processes at their host. */
  constructor(config: WorldConfig, listener: Listener | null, state: WorldState | null = null) {
    this.config = config;
    this.#listener = listener;
    this.#now = 0;
    this.#network = new Network(config.seed, config.network, state?.network ?? null);
    this.#connections = new Connections(this);
    this.#settings = state?.settings ?? config.settings;
    const saved = new Map(state?.cells.map((cell) => [cell.id, cell]));
    for (const spec of config.processes) this.#cells.set(spec.id, this.#makeCell(spec, saved.get(spec.id) ?? null));
    if (state === null) {
      for (const cell of this.#cells.values()) if (cell.state === "booting") this.#push("boot", cell, null, 0, null, 0);
      return;
    }
    const load = (event: PendingState): Pending => ({
      ...event,
      cell: this.cell(event.cell),
      from: event.from === null ? null : this.cell(event.from),
    });
    for (const { id, waiting } of state.cells) this.cell(id).waiting = waiting.map(load);
    for (const event of state.queue) this.#queue.push(load(event));
    for (const event of state.held) this.#held.set(event.id, load(event));
    this.#connections.restore(state.connections, load);
    this.#now = state.now;
    this.#n = state.n;
    this.#seq = state.seq;
    this.#messages = state.messages;
    this.#traced = state.traced;
  }

  /** Virtual time. */
  get now(): Micros {
    return this.#now;
  }
  /** World events processed so far; it names the moment between two rounds. */
  get n(): number {
    return this.#n;
  }

  /** The number of the newest message. */
  get messages(): MessageId {
    return this.#messages;
  }

  /** The instant of the next event; NEVER when nothing is left to happen. */
  get nextAt(): Micros {
    for (let next = this.#queue.peek(); next !== undefined; next = this.#queue.peek()) {
      if (next.live && (next.kind !== "wake" || wakeIsDue(next))) return next.at;
      this.#queue.pop();
      if (next.live) this.#putOffWake(next);
    }
    return NEVER;
  }

  get settings(): Settings {
    return this.#settings;
  }

  /** Lets time pass in which nothing happens. */
  idleUntil(to: Micros): void {
    assert(to >= this.#now && to <= this.nextAt, "time passes only up to the next event");
    this.#now = to;
  }

  /** Those that a host keeps now. */
  living(): ProcessSpec[] {
    return [...this.#cells.values()].filter(isUp).map((cell) => cell.spec);
  }
  outOf(id: ProcessId): Out {
    return this.cell(id).out;
  }

  state(): WorldState {
    return {
      now: this.#now,
      n: this.#n,
      seq: this.#seq,
      messages: this.#messages,
      traced: this.#traced,
      queue: this.#queue.data.filter((event) => event.live).map(savePending),
      held: [...this.#held.values()].map(savePending),
      cells: [...this.#cells.values()].map(saveCell),
      connections: this.#connections.state(),
      network: this.#network.state(),
      settings: this.#settings,
    };
  }

  // ── rounds ──

  /** One round with the processes in this thread. */
  runRoundHere(host: SyncHost): void {
    this.#gather();
    for (const cell of this.#started) host.start(cell.spec, this.#rngOf(cell), cell.out);
    for (const cell of this.#round) {
      const { batch } = cell;
      const stamp = cell.clock.stamp(this.#now);
      try {
        const process = host.get(cell.id);
        for (const event of batch) {
          this.#begin(cell, event);
          process.step(event.input as Input, stamp);
        }
        process.flush(stamp);
      } catch (error) {
        this.#panic(cell, describeError(error));
      }
      removeAll(batch);
    }
    this.#endRound(host);
  }

  /** All rounds up to and with the instant `to`; the clock then stands there. */
  runHere(host: SyncHost, to: Micros): void {
    while (this.nextAt <= to) this.runRoundHere(host);
    if (this.#now < to) this.#now = to;
  }

  /** One round with the processes at a host that answers when it can. */
  async runRound(host: AsyncHost): Promise<void> {
    this.#gather();
    for (const cell of this.#started) host.start(cell.spec, this.#rngOf(cell).state());
    const round = this.#round.map((cell) => {
      const batch = cell.batch;
      cell.batch = [];
      const inputs = batch.map(({ input }) => input as Input);
      return { cell, batch, result: host.step(cell.id, inputs, { ...cell.clock.stamp(this.#now) }) };
    });
    for (const { cell, batch, result } of round) {
      // All are at work by now; whoever is first, effects are taken in the order of the round.
      // oxlint-disable-next-line no-await-in-loop
      const { effects, error } = result instanceof Promise ? await result : result;
      for (const [i, list] of effects.entries()) {
        this.#begin(cell, batch[i] as Pending);
        for (const effect of list) carryOut(effect, cell.out);
      }
      if (error !== null) this.#panic(cell, error);
    }
    this.#endRound(host);
  }

  #gather(): void {
    const at = this.nextAt;
    assert(at !== NEVER, "a round needs an event");
    this.#now = at;
    const limit = this.#seq;
    let next = this.#queue.peek();
    while (next !== undefined && next.at === at && next.seq <= limit) {
      this.#queue.pop();
      if (next.live) this.#admit(next);
      next = this.#queue.peek();
    }
  }

  #endRound(host: Stopper): void {
    removeAll(this.#round);
    removeAll(this.#started);
    this.#cause = 0;
    this.#stopEnded(host);
  }

  #stopEnded(host: Stopper): void {
    if (this.#ended.length === 0) return;
    for (const id of this.#ended) host.stop(id);
    this.#ended = [];
  }

  /** An event's time has come: what it means for its process. */
  #admit(event: Pending): void {
    const { cell } = event;
    switch (event.kind) {
      case "datagram":
        this.#n += 1;
        if (isUp(cell))
          this.#arrive(cell, { type: "message", from: (event.from as Cell).id, message: event.body }, event);
        else this.#emit(cell, event.cause, { type: "lost", message: event.id, why: "receiver-down" });
        return;
      case "segment":
        this.#n += 1;
        this.#cause = event.cause;
        return this.#connections.arrives(event);
      case "wake":
        if (!wakeIsDue(event)) return this.#putOffWake(event);
        this.#n += 1;
        cell.wakeQueuedAt = NEVER;
        cell.wakeAt = NEVER;
        cell.wakeAwake = null;
        return this.#arrive(cell, WAKE, event);
      case "synced":
        if (event.incarnation !== cell.incarnation || !isUp(cell)) return;
        this.#n += 1;
        cell.disk.syncEnds();
        return this.#arrive(cell, { type: "synced", token: event.id }, event);
      case "boot":
        if (event.incarnation !== cell.incarnation || cell.state !== "booting") return;
        this.#n += 1;
        cell.state = "running";
        this.#started.push(cell);
        return this.#arrive(cell, this.#bootInput(cell), event);
      case "asked":
        this.#n += 1;
        if (isUp(cell)) this.#arrive(cell, { type: "asked", ask: event.body as Ask }, event);
        return;
      case "thawed":
        if (event.incarnation !== cell.incarnation || !isUp(cell)) return;
        this.#n += 1;
        return this.#hand(cell, event);
      default:
        unreachable(event.kind);
    }
  }

  #bootInput({ incarnation, disk }: Cell): Input {
    return { type: "boot", incarnation, files: disk.read(), settings: this.#settings };
  }

  #arrive(cell: Cell, input: Input, event: Pending): void {
    event.input = input;
    this.#hand(cell, event);
  }

  #hand(cell: Cell, event: Pending): void {
    if (cell.state === "paused") {
      const { id, cause, from } = event;
      if (from !== null) this.#emit(cell, cause, { type: "buffered", message: id, from: from.id });
      cell.waiting.push(event);
      return;
    }
    if (cell.batch.length === 0) this.#round.push(cell);
    cell.batch.push(event);
  }

  /** Puts the input itself on record; what the process does about it has that for its cause. */
  #begin(cell: Cell, event: Pending): void {
    if (this.#listener === null) return;
    this.#cause = this.#emit(cell, event.cause, inputEvent(event));
  }

  // ── effects ──

  #makeCell(spec: ProcessSpec, saved: SavedCell | null): Cell {
    const { id } = spec;
    const cell: Cell = {
      id,
      spec,
      out: this.#makeOut(() => cell),
      ways: new Map(),
      state: saved?.state ?? (spec.present ? "booting" : "absent"),
      incarnation: saved?.incarnation ?? 1,
      clock: saved === null ? Clock.started(0, WALL_AT_START) : new Clock(saved.clock),
      disk: new Disk(saved?.disk ?? null),
      diskQuality: saved?.diskQuality ?? this.config.disk,
      diskRng: saved === null ? rngFor(this.config.seed, `disk/${id}`) : rngFromState(saved.diskRng),
      syncEndsAt: saved?.syncEndsAt ?? this.#now,
      wakeAwake: saved?.wakeAwake ?? null,
      wakeAt: saved?.wakeAt ?? NEVER,
      wakeQueuedAt: saved?.wakeQueuedAt ?? NEVER,
      waiting: [],
      batch: [],
    };
    return cell;
  }

  #makeOut(self: () => Cell): Out {
    return {
      send: (to, message) => {
        const from = self();
        const way = from.ways.get(to) ?? this.#findWay(from, to);
        // An address at which there is no machine: nobody will ever know.
        if (way !== undefined) this.#send(from, way, message);
      },
      wake: (awake) => this.#setWake(self(), awake),
      append: (file, bytes) => {
        self().disk.append(file, bytes);
        if (this.#listener !== null) this.#emit(self(), this.#cause, { type: "wrote", file, bytes: bytes.length });
      },
      truncate: (file, length) => {
        const bytes = self().disk.size(file) - length;
        self().disk.truncate(file, length);
        this.#emit(self(), this.#cause, { type: "truncated-file", file, bytes });
      },
      remove: (file) => {
        const bytes = self().disk.size(file);
        self().disk.remove(file);
        this.#emit(self(), this.#cause, { type: "removed-file", file, bytes });
      },
      sync: (token) => this.#sync(self(), token),
      open: (connection, to) => this.#connections.open(connection, self(), this.cell(to)),
      transmit: (connection, data) => this.#connections.transmit(connection, self(), data),
      close: (connection) => this.#connections.close(connection, self()),
      emit: this.#listener === null ? null : (event) => void this.#emit(self(), this.#cause, event),
    };
  }

  #findWay(from: Cell, id: ProcessId): Way | undefined {
    const to = this.#cells.get(id);
    if (to === undefined) return undefined;
    const way = { to, link: this.#network.link(from.id, id) };
    from.ways.set(id, way);
    return way;
  }

  #send(from: Cell, { to, link }: Way, body: unknown): void {
    const arrivesAt = link.arrival(this.#now);
    const lost = link.cut ? "cut" : link.rng.chance(link.quality.lossPerMillion) ? "loss" : null;
    const first = this.#datagram(from, to, body, arrivesAt, lost, null);
    if (lost === null && link.rng.chance(link.quality.duplicatePerMillion)) {
      this.#datagram(from, to, body, link.arrival(this.#now), null, first);
    }
  }

  #datagram(
    from: Cell,
    to: Cell,
    body: unknown,
    arrivesAt: Micros,
    lost: Lost | null,
    copyOf: MessageId | null,
  ): MessageId {
    this.#messages += 1;
    const message = this.#messages;
    let cause = 0;
    if (this.#listener !== null) {
      cause = this.#emit(from, this.#cause, {
        type: "sent",
        message,
        to: to.id,
        arrivesAt,
        lost,
        copyOf,
        body,
        segment: null,
      });
    }
    if (lost === null) this.#push("datagram", to, from, message, body, cause, arrivesAt);
    return message;
  }

  #setWake(cell: Cell, awake: Micros | null): void {
    cell.wakeAwake = awake;
    if (awake === null) {
      cell.wakeAt = NEVER;
      return;
    }
    cell.wakeAt = Math.max(this.#now, cell.clock.instantOf(awake));
    if (cell.wakeAt < cell.wakeQueuedAt) this.#queueWake(cell);
  }

  #queueWake(cell: Cell): void {
    cell.wakeQueuedAt = cell.wakeAt;
    this.#push("wake", cell, null, 0, null, 0, cell.wakeAt);
  }

  /** A queued wake that is not due is forgotten; if the process wants to be woken later, it is queued for then. */
  #putOffWake({ cell, at, incarnation }: Pending): void {
    if (at !== cell.wakeQueuedAt || incarnation !== cell.incarnation) return;
    cell.wakeQueuedAt = NEVER;
    if (cell.state === "running" && cell.wakeAt !== NEVER) this.#queueWake(cell);
  }

  #sync(cell: Cell, token: number): void {
    cell.disk.syncBegins();
    const { fsyncMin, fsyncMax } = cell.diskQuality;
    cell.syncEndsAt = Math.max(this.#now, cell.syncEndsAt) + cell.diskRng.between(fsyncMin, fsyncMax);
    const cause = this.#emit(cell, this.#cause, { type: "sync-began", token, endsAt: cell.syncEndsAt });
    this.#push("synced", cell, null, token, null, cause, cell.syncEndsAt);
  }

  // ── commands ──

  /** Carries out a command now, or says why not and changes nothing. */
  command(command: Command, host: Stopper): Refusal | null {
    const refusal = checkCommand(command, this);
    if (refusal !== null) return refusal;
    this.#cause = this.#emit(null, 0, { type: "command", command });
    this.#carryOut(command);
    this.#cause = 0;
    this.#stopEnded(host);
    return null;
  }

  #carryOut(command: Command): void {
    switch (command.type) {
      case "crash": {
        const cell = this.cell(command.process);
        const lostBytes = this.#goDown(cell, "crashed");
        this.#emit(cell, this.#cause, { type: "crashed", lostBytes });
        return;
      }
      case "restart": {
        const cell = this.cell(command.process);
        cell.state = "booting";
        cell.incarnation += 1;
        this.#push("boot", cell, null, 0, null, this.#cause, this.#now);
        return;
      }
      case "pause": {
        const cell = this.cell(command.process);
        cell.state = "paused";
        cell.clock.pause(this.#now);
        this.#emit(cell, this.#cause, { type: "paused" });
        return;
      }
      case "resume":
        return this.#resume(this.cell(command.process));
      case "wipe": {
        const cell = this.cell(command.process);
        cell.disk.wipe();
        this.#emit(cell, this.#cause, { type: "wiped" });
        return;
      }
      case "corrupt": {
        const cell = this.cell(command.process);
        const file = present(cell.disk.read().at(-1), "checked: the disk has a file");
        const offset = file.bytes.length - command.back;
        const bit = cell.diskRng.below(8);
        cell.disk.flip(file.name, offset, bit);
        this.#emit(cell, this.#cause, { type: "corrupted", file: file.name, offset, bit });
        return;
      }
      case "spawn": {
        const cell = this.cell(command.process);
        cell.clock = Clock.started(this.#now, WALL_AT_START + this.#now);
        cell.state = "booting";
        this.#emit(cell, this.#cause, { type: "spawned" });
        this.#push("boot", cell, null, 0, null, this.#cause);
        return;
      }
      case "retire": {
        const cell = this.cell(command.process);
        if (isUp(cell)) this.#goDown(cell, "crashed");
        cell.state = "absent";
        cell.incarnation += 1;
        cell.disk.wipe();
        this.#emit(cell, this.#cause, { type: "retired" });
        return;
      }
      case "membership":
        return this.#ask(command.member, { type: "membership", transition: command.transition, steps: command.steps });
      case "transfer":
        return this.#ask(command.to, { type: "transfer" });
      case "snapshot":
        return this.#ask(command.process, { type: "snapshot" });
      case "settings":
        this.#settings = command.settings;
        this.#emit(null, this.#cause, { type: "settings", settings: command.settings });
        for (const cell of this.#cells.values()) {
          if (cell.spec.kind === "member" && isUp(cell))
            this.#ask(cell.id, { type: "settings", settings: command.settings });
        }
        return;
      case "cut":
        return this.#cut(command.links);
      case "mend":
        return this.#mend(command.links);
      case "partition": {
        const pairs = command.groups.flatMap((group, g) =>
          command.groups.flatMap((other, o) =>
            group.flatMap((from) => other.map((to) => ({ from, to, apart: g !== o }))),
          ),
        );
        this.#mend(pairs.filter(({ from, to, apart }) => !apart && from !== to).map(({ from, to }) => ({ from, to })));
        return this.#cut(pairs.filter(({ apart }) => apart).map(({ from, to }) => ({ from, to })));
      }
      case "heal":
        return this.#mend([...this.#network.all()].map(({ from, to }) => ({ from, to })));
      case "network":
        this.#network.quality = command.quality;
        for (const link of this.#network.all()) {
          if (this.kindOf(link.from) === "member" && this.kindOf(link.to) === "member") link.quality = command.quality;
        }
        this.#emit(null, this.#cause, { type: "network", quality: command.quality });
        return;
      case "link":
        this.#network.link(command.link.from, command.link.to).quality = command.quality;
        this.#emit(null, this.#cause, { type: "link", link: command.link, quality: command.quality });
        return;
      case "disk": {
        const cell = this.cell(command.process);
        cell.diskQuality = command.quality;
        this.#emit(cell, this.#cause, { type: "disk", quality: command.quality });
        return;
      }
      case "clock": {
        const cell = this.cell(command.process);
        cell.clock.drift(this.#now, command.driftPpm);
        cell.clock.jump(command.jumpUs);
        if (cell.state === "running") this.#setWake(cell, cell.wakeAwake);
        this.#emit(cell, this.#cause, { type: "clock", driftPpm: command.driftPpm, jumpUs: command.jumpUs });
        return;
      }
      case "hold": {
        const event = present(this.#find(command.message), "checked: it travels");
        event.live = false;
        this.#held.set(event.id, { ...event, live: true });
        this.#emit(event.from, this.#cause, { type: "held", message: event.id });
        if (event.kind === "segment") this.#connections.held(event);
        return;
      }
      case "release": {
        const event = this.#takeHeld(command.message);
        if (event.kind === "segment") return this.#connections.letGo(event);
        return this.release(event, this.#now + this.link(event.from as Cell, event.cell).latency());
      }
      case "drop": {
        const event = this.#held.has(command.message)
          ? this.#takeHeld(command.message)
          : present(this.#find(command.message), "checked");
        event.live = false;
        this.#emit(event.from, this.#cause, { type: "lost", message: event.id, why: "dropped" });
        if (event.kind === "segment") this.#connections.lost(event, command.swallow === true);
        return;
      }
      case "duplicate": {
        const event = present(
          this.#held.get(command.message) ?? this.#find(command.message),
          "checked: it travels or is held",
        );
        const from = event.from as Cell;
        this.#datagram(from, event.cell, event.body, this.#now + this.link(from, event.cell).latency(), null, event.id);
        return;
      }
      case "write":
        return this.#ask(command.client, { type: "write", member: command.member, value: command.value });
      case "read":
        return this.#ask(command.client, { type: "read", member: command.member, serializable: command.serializable });
      case "console":
        return this.#ask(command.client, { type: "console", input: command.input });
      case "hold-back":
        return this.#ask(command.client, { type: "hold-back", on: command.on });
      case "step-client":
        return this.#ask(command.client, { type: "step-client" });
      case "fence":
        return this.#ask(command.process, { type: "fence", on: command.on });
      case "panic":
        return this.#panic(this.cell(command.process), { message: command.message, stack: command.stack });
      default:
        unreachable(command);
    }
  }

  #ask(process: ProcessId, ask: Ask): void {
    this.#push("asked", this.cell(process), null, 0, ask, this.#cause);
  }

  /** @returns the bytes that its disk lost */
  #goDown(cell: Cell, state: "crashed" | "panicked"): number {
    const before = cell.disk.bytes;
    cell.disk.crash(cell.diskQuality.tornWrites, cell.diskRng);
    cell.state = state;
    cell.waiting = [];
    cell.syncEndsAt = this.#now;
    cell.wakeAwake = null;
    cell.wakeAt = NEVER;
    cell.wakeQueuedAt = NEVER;
    this.#ended.push(cell.id);
    this.#connections.endDies(cell);
    return before - cell.disk.bytes;
  }

  #panic(cell: Cell, { message, stack }: { readonly message: string; readonly stack: string }): void {
    const lostBytes = this.#goDown(cell, "panicked");
    this.#emit(cell, this.#cause, { type: "panicked", lostBytes, message, stack });
  }

  #resume(cell: Cell): void {
    cell.clock.resume(this.#now);
    cell.state = "running";
    this.#emit(cell, this.#cause, { type: "resumed" });
    const waiting = cell.waiting;
    cell.waiting = [];
    for (const { from, id, body, cause, input } of waiting) {
      this.#push("thawed", cell, from, id, body, cause).input = input;
    }
    // Its monotonic clock went on: what was due meanwhile is due now, and only the process knows what that is.
    if (cell.wakeAwake !== null) this.#setWake(cell, cell.clock.stamp(this.#now).awake);
  }

  #cut(links: readonly LinkEnds[]): void {
    const cut = links.filter(({ from, to }) => !this.isCut(from, to));
    if (cut.length === 0) return;
    this.#emit(null, this.#cause, { type: "cut", links: cut });
    const keys = new Set(cut.map(linkKey));
    for (const { from, to } of cut) this.#network.link(from, to).cut = true;
    const caught = this.#queue.data
      .filter((event) => travels(event) && event.from !== null && keys.has(`${event.from.id}>${event.cell.id}`))
      .sort(earlier);
    for (const event of caught) {
      event.live = false;
      if (event.kind === "datagram")
        this.#emit(event.from, this.#cause, { type: "lost", message: event.id, why: "cut" });
      else this.#emit(event.from, this.#cause, { type: "stalled", message: event.id });
    }
    this.#connections.stall(caught.filter((event) => event.kind === "segment"));
  }

  #mend(links: readonly LinkEnds[]): void {
    const mended = links.filter(({ from, to }) => this.isCut(from, to));
    if (mended.length === 0) return;
    this.#emit(null, this.#cause, { type: "mended", links: mended });
    for (const { from, to } of mended) {
      const link = this.#network.link(from, to);
      link.cut = false;
      this.#connections.mended(link);
    }
  }

  // ── what `checkCommand` asks ──

  kindOf(id: ProcessId): ProcessSpec["kind"] | null {
    return this.#cells.get(id)?.spec.kind ?? null;
  }
  stateOf(id: ProcessId): CellState | null {
    return this.#cells.get(id)?.state ?? null;
  }
  messageState(id: MessageId): "travelling" | "held" | "data-on-connection" | "on-connection" | "gone" {
    if (this.#held.has(id)) return "held";
    const event = this.#find(id);
    if (event !== undefined) {
      if (event.kind !== "segment") return "travelling";
      return (event.body as Segment).part === "data" ? "data-on-connection" : "on-connection";
    }
    return this.#connections.isWaiting(id) ? "on-connection" : "gone";
  }
  isCut(from: ProcessId, to: ProcessId): boolean {
    return this.#network.link(from, to).cut;
  }
  anyCut(): boolean {
    return [...this.#network.all()].some((link) => link.cut);
  }
  /** For a picture of what lies on each. */
  disks(): readonly { readonly id: ProcessId; readonly disk: DiskState }[] {
    return Array.from(this.#cells.values(), ({ id, disk }) => ({ id, disk: disk.state() }));
  }
  newestFileBytes(id: ProcessId): number {
    return this.cell(id).disk.read().at(-1)?.bytes.length ?? 0;
  }

  // ── what `Connections` asks ──

  cell(id: ProcessId): Cell {
    return present(this.#cells.get(id), `process ${id}`);
  }

  link(from: Cell, to: Cell): Link {
    const way = from.ways.get(to.id) ?? this.#findWay(from, to.id);
    return present(way, "a process of this world").link;
  }

  segment(from: Cell, to: Cell, segment: Segment, arrivesAt: Micros | null, copyOf: MessageId | null): Pending {
    this.#messages += 1;
    const message = this.#messages;
    const cause = this.#emit(from, this.#cause, {
      type: "sent",
      message,
      to: to.id,
      arrivesAt,
      lost: null,
      copyOf,
      body: null,
      segment,
    });
    if (arrivesAt !== null) return this.#push("segment", to, from, message, segment, cause, arrivesAt);
    return this.#pending("segment", to, from, message, segment, cause, this.#now);
  }

  onTheWay(from: Cell, to: Cell, connection: ConnectionId): readonly Pending[] {
    return this.#queue.data
      .filter((event) => event.live && event.kind === "segment" && event.from === from && event.cell === to)
      .filter(({ body }) => (body as Segment).connection === connection)
      .sort(earlier);
  }

  stop(part: Pending): void {
    part.live = false;
    this.#emit(part.from, this.#cause, { type: "stalled", message: part.id });
  }

  release(part: Pending, arrivesAt: Micros): void {
    this.#emit(part.from, this.#cause, { type: "released", message: part.id, arrivesAt });
    this.#push(part.kind, part.cell, part.from, part.id, part.body, part.cause, arrivesAt);
  }

  deliver(cell: Cell, input: Input, event: Pending): void {
    this.#arrive(cell, input, event);
  }

  ignore(event: Pending, why: Lost): void {
    this.#emit(event.cell, event.cause, { type: "lost", message: event.id, why });
  }

  // ── the queue and the record ──

  #push(
    kind: PendingKind,
    cell: Cell,
    from: Cell | null,
    id: number,
    body: unknown,
    cause: number,
    at: Micros = this.#now,
  ): Pending {
    const event = this.#pending(kind, cell, from, id, body, cause, at);
    this.#queue.push(event);
    return event;
  }

  #pending(
    kind: PendingKind,
    cell: Cell,
    from: Cell | null,
    id: number,
    body: unknown,
    cause: number,
    at: Micros,
  ): Pending {
    this.#seq += 1;
    const { incarnation } = cell;
    return { at, seq: this.#seq, kind, cell, incarnation, from, id, body, cause, input: null, live: true };
  }

  #find(message: MessageId): Pending | undefined {
    return this.#queue.data.find((event) => travels(event) && event.id === message);
  }

  #takeHeld(message: MessageId): Pending {
    const event = present(this.#held.get(message), "checked: it is held");
    this.#held.delete(message);
    return event;
  }

  /** @returns the event's id; 0 when nobody listens */
  #emit(cell: Cell | null, cause: number, event: WorldEvent | object): number {
    if (this.#listener === null) return 0;
    this.#traced += 1;
    const told = this.#told;
    told.id = this.#traced;
    told.cause = cause;
    told.at = this.#now;
    told.process = cell === null ? null : cell.id;
    told.incarnation = cell === null ? 0 : cell.incarnation;
    told.event = event;
    this.#listener(told);
    return this.#traced;
  }

  #rngOf(cell: Cell): Rng {
    return rngFor(this.config.seed, `process/${cell.id}/${cell.incarnation}`);
  }
}

function earlier(a: Pending, b: Pending): number {
  return a.at - b.at || a.seq - b.seq;
}

/** A message on its way; one that waited at a paused process has arrived. */
function travels({ live, kind, from }: Pending): boolean {
  return live && from !== null && kind !== "thawed";
}

/** Wakes are not taken back when the process changes its mind: one that comes is looked at again. */
function wakeIsDue({ at, cell, incarnation }: Pending): boolean {
  return incarnation === cell.incarnation && at === cell.wakeQueuedAt && cell.wakeAt <= at && cell.state === "running";
}

function inputEvent({ input, id, from, cell }: Pending): WorldEvent {
  if (from !== null) return { type: "delivered", message: id, from: from.id };
  switch (input?.type) {
    case "boot":
      return { type: "booted", bytes: cell.disk.bytes };
    case "wake":
      return { type: "woke" };
    case "synced":
      return { type: "synced", token: input.token };
    default:
      return { type: "asked" };
  }
}

function saveCell(cell: Cell): SavedCell {
  assert(cell.batch.length === 0, "a world is kept between rounds");
  return {
    id: cell.id,
    state: cell.state,
    incarnation: cell.incarnation,
    clock: cell.clock.state(),
    disk: cell.disk.state(),
    diskQuality: cell.diskQuality,
    diskRng: cell.diskRng.state(),
    syncEndsAt: cell.syncEndsAt,
    wakeAwake: cell.wakeAwake,
    wakeAt: cell.wakeAt,
    wakeQueuedAt: cell.wakeQueuedAt,
    waiting: cell.waiting.map(savePending),
  };
}
