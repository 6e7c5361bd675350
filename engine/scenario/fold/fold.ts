/**
 * The fold: from the events of a trace to the picture's facts, and what changed since the picture was last told.
 *
 * Nothing here asks a process anything; what is not in the trace is not in the picture. Drafts are changed in place (a
 * fold at full speed sees hundreds of thousands of events a second) and copied when a delta is taken, once a frame.
 */
import { byLengthThenUnits } from "../../base/compare.ts";
import { Tail } from "../../base/tail.ts";
import type { Micros } from "../../base/units.ts";
import type { ClientEvent } from "../../replica/client.ts";
import type { ReplicaEvent } from "../../replica/events.ts";
import { type LinkEnds, type LinkQuality, linkKey, type Settings } from "../../sim/command.ts";
import type { TraceEvent, WorldEvent } from "../../sim/events.ts";
import type { Delta, LogCell, MemberView, Reign, ViolationView } from "../../trace/view.ts";
import { clientIds, memberIds, startSettings } from "../build.ts";
import type { RunConfig } from "../config.ts";
import type { AnyEvent } from "../events.ts";
import type { Parts, PartStates } from "./parts.ts";
import { Clients, type ClientsState, newClient } from "./clients.ts";
import { Flights, type Travelling } from "./flights.ts";
import { Logs, type LogsState } from "./logs.ts";
import { type MemberDraft, Members, newMember } from "./members.ts";
import { Notes, type NotesState } from "./notes.ts";
import { Reigns } from "./reigns.ts";

/** How often what one can step to has happened. */
export interface Counts {
  readonly messages: number;
  readonly roles: number;
}

/** What holds for the world as a whole. */
interface Whole {
  readonly cuts: readonly string[];
  readonly network: LinkQuality;
  readonly settings: Settings;
  readonly violation: ViolationView | null;
}

/** Everything that the fold knows, as plain data. */
export interface FoldState {
  readonly at: Micros;
  readonly n: number;
  readonly whole: Whole;
  readonly members: readonly MemberView[];
  readonly logs: LogsState;
  readonly clients: ClientsState;
  readonly travelling: readonly Travelling[];
  readonly reigns: readonly Reign[];
  readonly notes: NotesState;
  readonly counts: Counts;
  readonly parts: PartStates;
}

export class Fold {
  #at: Micros = 0;
  #n = 0;
  #messages: number;
  #whole: Whole;
  /** What the page was told last; what is not the same object has changed. */
  #told: Whole;
  readonly #notes: Notes;
  readonly #reigns: Reigns;
  readonly #logs: Logs;
  readonly #clients: Clients;
  readonly #members: Members;
  readonly #flights: Flights;
  readonly #parts: Parts;

  constructor(config: RunConfig, parts: Parts, state: FoldState = startState(config)) {
    this.#parts = parts;
    this.#whole = state.whole;
    this.#told = state.whole;
    this.#messages = state.counts.messages;
    this.#notes = new Notes(state.notes);
    this.#reigns = new Reigns(state.reigns);
    this.#logs = new Logs(state.logs);
    this.#clients = new Clients(this.#notes, state.clients);
    const seenBy = { logs: this.#logs, clients: this.#clients, reigns: this.#reigns, notes: this.#notes };
    this.#members = new Members(seenBy, state.members, state.counts.roles);
    this.#flights = new Flights(parts.describe, state.travelling);
  }

  get counts(): Counts {
    return { messages: this.#messages, roles: this.#members.roles };
  }

  /** The moment up to which it has seen everything, and what the checks say. */
  settle(at: Micros, n: number, violation: ViolationView | null): void {
    this.#at = at;
    this.#n = n;
    this.#parts.etcd?.settle(at);
    this.#parts.lab?.settle(at);
    if (violation?.event !== this.#whole.violation?.event) this.#whole = { ...this.#whole, violation };
  }

  add(traced: TraceEvent): void {
    this.#at = traced.at;
    this.#parts.etcd?.add(traced);
    this.#parts.lab?.add(traced);
    const note = this.#parts.note?.(traced) ?? null;
    if (note !== null) this.#notes.add(traced, note.what, note.figures);
    const { process } = traced;
    const event = traced.event as AnyEvent;
    if (this.#addMessage(traced, event as WorldEvent)) return;
    if (process === null) return this.#addWorld(traced, event as WorldEvent);
    // Nine of ten of the others are a member's, so it is looked for before the clients.
    const member = this.#members.draft(process);
    if (member !== null) return this.#addMember(traced, process, member);
    const { type } = event;
    if (type === "spawned") return this.#members.spawn(traced, process);
    const client = this.#clients.draft(process);
    // Others have no part in the picture of the cluster: a lab's resource, a sentinel.
    if (client === null) return;
    this.#addLife(traced, client, event as WorldEvent);
    if (type === "crashed" || type === "panicked") return this.#clients.wentDown(client);
    this.#clients.add(traced, client, event as ClientEvent);
  }

  #addMember(traced: TraceEvent, process: MemberDraft["id"], member: MemberDraft): void {
    const event = traced.event as AnyEvent;
    if (this.#members.addFrequent(traced, member, event as WorldEvent | ReplicaEvent)) return;
    if (event.type === "retired") return this.#members.retire(traced, process);
    this.#addLife(traced, member, event as WorldEvent);
    this.#members.addWorld(traced, member, event as WorldEvent);
    this.#members.add(traced, member, event as ReplicaEvent);
  }

  /** What changed since the last call. */
  delta(): Delta {
    const { members, gone } = this.#members.takeChanges();
    const { flights, landed } = this.#flights.takeChanges(this.#at);
    const logs = this.#logs.takeChanges();
    const clients = this.#clients.takeChanges();
    const reigns = this.#reigns.takeChanges();
    const { notes, faults } = this.#notes.takeFresh();
    const { cuts, network, settings, violation } = this.#whole;
    const told = this.#told;
    const etcd = this.#parts.etcd?.delta() ?? null;
    const lab = this.#parts.lab?.delta() ?? null;
    this.#told = this.#whole;
    const delta: { -readonly [K in keyof Delta]: Delta[K] } = { whole: false, at: this.#at, n: this.#n };
    if (members.length > 0) delta.members = members;
    if (gone.length > 0) delta.gone = gone;
    if (Object.keys(logs).length > 0) delta.logs = logs;
    if (clients.length > 0) delta.clients = clients;
    if (flights.length > 0) delta.flights = flights;
    if (landed.length > 0) delta.landed = landed;
    if (cuts !== told.cuts) delta.cuts = cuts;
    if (network !== told.network) delta.network = network;
    if (settings !== told.settings) delta.settings = settings;
    if (violation !== told.violation) delta.violation = violation;
    if (reigns !== null) delta.reigns = reigns;
    if (notes.length > 0) delta.notes = notes;
    if (faults.length > 0) delta.faults = faults;
    if (etcd !== null) delta.etcd = etcd;
    if (lab !== null) delta.lab = lab;
    return delta;
  }

  /** Everything, for one that knows nothing. */
  keyframe(): Delta {
    this.delta();
    return {
      whole: true,
      at: this.#at,
      n: this.#n,
      members: this.#members.all(),
      logs: this.#logs.all(),
      clients: this.#clients.all(),
      flights: this.#flights.all(this.#at),
      ...this.#whole,
      reigns: { from: 0, reigns: this.#reigns.all },
      ...this.#notes.state(),
      ...(this.#parts.etcd !== null && { etcd: this.#parts.etcd.keyframe() }),
      ...(this.#parts.lab !== null && { lab: this.#parts.lab.keyframe() }),
    };
  }

  state(): FoldState {
    return {
      at: this.#at,
      n: this.#n,
      whole: this.#whole,
      members: this.#members.state(),
      logs: this.#logs.state(),
      clients: this.#clients.state(),
      travelling: this.#flights.state(),
      reigns: this.#reigns.all,
      notes: this.#notes.state(),
      counts: this.counts,
      parts: { etcd: this.#parts.etcd?.state() ?? null, lab: this.#parts.lab?.state() ?? null },
    };
  }

  /** @returns whether the event was one of a message's coming and going */
  #addMessage(traced: TraceEvent, event: WorldEvent): boolean {
    switch (event.type) {
      case "sent":
        this.#messages += 1;
        this.#flights.sent(traced, event);
        return true;
      case "delivered":
        this.#messages += 1;
        this.#flights.land(event.message);
        return true;
      case "buffered":
        this.#flights.land(event.message);
        return true;
      case "lost":
        this.#messages += 1;
        this.#flights.lost(traced.at, event.message, event.why);
        return true;
      case "held":
      case "stalled":
        this.#flights.stopped(traced.at, event.message);
        return true;
      case "released":
        this.#flights.released(traced.at, event.message, event.arrivesAt);
        return true;
      default:
        return false;
    }
  }

  #addWorld(traced: TraceEvent, event: WorldEvent): void {
    switch (event.type) {
      case "cut": {
        const cuts = [...new Set([...this.#whole.cuts, ...event.links.map(linkKey)])];
        this.#whole = { ...this.#whole, cuts };
        return this.#noteLinks(traced, "cut", event.links);
      }
      case "mended": {
        const mended = new Set(event.links.map(linkKey));
        const cuts = this.#whole.cuts.filter((link) => !mended.has(link));
        this.#whole = { ...this.#whole, cuts };
        if (cuts.length === 0 && event.links.length > 2) return this.#notes.add(traced, "healed", {});
        return this.#noteLinks(traced, "mended", event.links);
      }
      case "network":
        this.#whole = { ...this.#whole, network: event.quality };
        return this.#notes.add(traced, "network-changed", {});
      case "settings": {
        const { settings } = event;
        const { preVote, checkQuorum, readOnly, broken } = settings;
        this.#whole = { ...this.#whole, settings };
        return this.#notes.add(traced, "settings-changed", {
          preVote: String(preVote),
          checkQuorum: String(checkQuorum),
          readOnly,
          broken: broken.join(" "),
        });
      }
      default:
        return;
    }
  }

  #noteLinks(traced: TraceEvent, what: "cut" | "mended", links: readonly LinkEnds[]): void {
    const [first] = links;
    if (first === undefined) return;
    if (links.length <= 2) return this.#notes.add(traced, what, { from: first.from, to: first.to });
    if (what === "mended") return this.#notes.add(traced, "mended-many", { count: links.length });
    this.#notes.add(traced, "partitioned", { count: links.length, groups: this.#groups().join(" | ") });
  }

  /** The processes that can still reach each other, both ways or one: a group is a few names apart by blanks. */
  #groups(): string[] {
    const cut = new Set(this.#whole.cuts);
    const left = new Set(this.#members.all().map(({ id }) => id));
    const groups: string[] = [];
    for (const start of left) {
      const group = [start];
      left.delete(start);
      for (const id of group) {
        for (const other of left) {
          if (cut.has(linkKey({ from: id, to: other })) && cut.has(linkKey({ from: other, to: id }))) continue;
          group.push(other);
          left.delete(other);
        }
      }
      groups.push(group.sort(byLengthThenUnits).join(" "));
    }
    return groups;
  }

  /** What happens to any process, member or client. */
  #addLife(traced: TraceEvent, process: { liveness: MemberView["liveness"] }, event: WorldEvent): void {
    switch (event.type) {
      case "booted":
        process.liveness = "running";
        return;
      case "crashed":
        process.liveness = "crashed";
        return this.#notes.add(traced, "crashed", { bytes: event.lostBytes });
      case "panicked":
        process.liveness = "panicked";
        return this.#notes.add(traced, "panicked", { message: event.message });
      case "paused":
        process.liveness = "paused";
        return this.#notes.add(traced, "paused", {});
      case "resumed":
        process.liveness = "running";
        return this.#notes.add(traced, "resumed", {});
      case "wiped":
        return this.#notes.add(traced, "wiped", {});
      case "corrupted":
        return this.#notes.add(traced, "corrupted", { file: event.file, offset: event.offset });
      case "clock":
        return this.#notes.add(traced, "clock-changed", { driftPpm: event.driftPpm, jumpUs: event.jumpUs });
      default:
        return;
    }
  }
}

function startState(config: RunConfig): FoldState {
  const members = memberIds(config);
  return {
    at: 0,
    n: 0,
    whole: { cuts: [], network: config.network, settings: startSettings(config), violation: null },
    members: members.map(newMember),
    logs: members.map((id) => [id, new Tail<LogCell>(1).state()] as const),
    clients: { clients: clientIds(config).map(newClient), owners: [] },
    travelling: [],
    reigns: [],
    notes: { notes: [], faults: [] },
    counts: { messages: 0, roles: 0 },
    parts: { etcd: null, lab: null },
  };
}
