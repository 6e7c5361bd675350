/**
 * The fold: from the events of a trace to the picture's facts, and what changed since the picture was last told.
 *
 * Nothing here asks a process anything; what is not in the trace is not in the picture. The drafts are changed in place
 * (a fold at full speed sees hundreds of thousands of events a second) and copied when a delta is taken, once a frame.
 */
import { assert, present } from "../base/assert.ts";
import type { Micros } from "../base/units.ts";
import type { Reason } from "../raft/events.ts";
import type { ConfState, Message, NodeId } from "../raft/types.ts";
import type { ClientEvent } from "../replica/client.ts";
import type { EntryShown, ReplicaEvent } from "../replica/events.ts";
import {
  type LinkEnds,
  type LinkQuality,
  linkKey,
  type MessageId,
  type ProcessId,
  type Settings,
} from "../sim/command.ts";
import type { Segment, TraceEvent, WorldEvent } from "../sim/events.ts";
import {
  type Ballot,
  type ClientView,
  type ConfView,
  type Delta,
  type Flight,
  LOG_WINDOW,
  type LogCell,
  type LogChange,
  type MemberView,
  type Note,
  NOTES_KEPT,
  type ReadView,
  type Reign,
  type ViolationView,
  type WriteView,
} from "../trace/view.ts";
import { clientIds, memberIds, startSettings } from "./build.ts";
import type { RunConfig } from "./config.ts";
import { describeMessage, describeSegment } from "./describe.ts";
import type { AnyEvent } from "./events.ts";

type Draft<T> = { -readonly [K in keyof T]: T[K] };

/** A message on its way, as the trace told of it; it is described for the picture only if a picture is taken of it. */
interface Travelling {
  readonly id: MessageId;
  readonly from: ProcessId;
  readonly to: ProcessId;
  readonly sentAt: Micros;
  readonly arrivesAt: Micros | null;
  readonly lost: Flight["lost"];
  readonly copyOf: MessageId | null;
  readonly body: unknown;
  readonly segment: Segment | null;
}

interface LogDraft {
  firstIndex: number;
  cells: LogCell[];
  /** The lowest index that changed since the last delta; Infinity when none did. */
  dirtyFrom: number;
}

/** Everything that the fold knows, as plain data. */
export interface FoldState {
  readonly at: Micros;
  readonly n: number;
  readonly members: readonly MemberView[];
  readonly logs: readonly (readonly [ProcessId, { readonly firstIndex: number; readonly cells: readonly LogCell[] }])[];
  readonly clients: readonly ClientView[];
  readonly travelling: readonly Travelling[];
  readonly cuts: readonly string[];
  readonly network: LinkQuality;
  readonly settings: Settings;
  readonly violation: ViolationView | null;
  readonly reigns: readonly Reign[];
  readonly notes: readonly Note[];
  readonly requests: readonly (readonly [string, { readonly client: ProcessId; readonly request: number }])[];
  readonly counts: Counts;
}

/** How often what one can step to has happened. */
export interface Counts {
  readonly messages: number;
  readonly roles: number;
}

const WRITES_KEPT = 20;
const REQUESTS_KEPT = 1_000;

export class Fold {
  #at: Micros = 0;
  #n = 0;
  readonly #members = new Map<ProcessId, Draft<MemberView>>();
  readonly #logs = new Map<ProcessId, LogDraft>();
  readonly #clients = new Map<ProcessId, Draft<ClientView>>();
  readonly #travelling = new Map<MessageId, Travelling>();
  readonly #cuts = new Set<string>();
  #network: LinkQuality;
  #settings: Settings;
  #reigns: Reign[] = [];
  #notes: Note[] = [];
  /** Which client's request a log entry stands for. */
  readonly #requests = new Map<string, { readonly client: ProcessId; readonly request: number }>();
  #messages = 0;
  #roles = 0;

  readonly #dirtyMembers = new Set<ProcessId>();
  readonly #dirtyClients = new Set<ProcessId>();
  readonly #dirtyFlights = new Set<MessageId>();
  #landed: MessageId[] = [];
  #newNotes: Note[] = [];
  #cutsDirty = false;
  #networkDirty = false;
  #settingsDirty = false;
  #violation: ViolationView | null;
  #violationDirty = false;
  #gone: ProcessId[] = [];
  #reignsDirtyFrom = Number.POSITIVE_INFINITY;

  constructor(config: RunConfig, state: FoldState | null = null) {
    this.#network = state?.network ?? config.network;
    this.#settings = state?.settings ?? startSettings(config);
    this.#violation = state?.violation ?? null;
    if (state !== null) {
      this.#restore(state);
      return;
    }
    for (const id of memberIds(config)) this.#addMember(id);
    for (const id of clientIds(config)) {
      this.#clients.set(id, { id, liveness: "running", step: "idle", member: null, writes: [], reads: [] });
    }
  }

  get counts(): Counts {
    return { messages: this.#messages, roles: this.#roles };
  }

  /** The moment up to which it has seen everything, and what the checks say. */
  settle(at: Micros, n: number, violation: ViolationView | null): void {
    this.#at = at;
    this.#n = n;
    if (violation?.event === this.#violation?.event) return;
    this.#violation = violation;
    this.#violationDirty = true;
  }

  add(traced: TraceEvent): void {
    this.#at = traced.at;
    const { process } = traced;
    const event = traced.event as AnyEvent;
    switch (event.type) {
      case "sent":
        this.#messages += 1;
        return this.#sent(traced, event);
      case "delivered":
        this.#messages += 1;
        return this.#land(event.message);
      case "lost":
        this.#messages += 1;
        return this.#lost(event.message, event.why);
      default:
        break;
    }
    if (process === null) return this.#world(traced, event as WorldEvent);
    const client = this.#clients.get(process);
    if (client !== undefined) return this.#client(traced, client, event as ClientEvent | WorldEvent);
    if (event.type === "spawned") this.#addMember(process);
    this.#dirtyMembers.add(process);
    return this.#member(traced, present(this.#members.get(process), process), event as ReplicaEvent | WorldEvent);
  }

  // ── deltas ──

  /** What changed since the last call. */
  delta(): Delta {
    this.#pruneLost();
    const logs = this.#logChanges();
    const members = [...this.#dirtyMembers].map((id) => viewOf(this.#members.get(id) as MemberView));
    const clients = [...this.#dirtyClients].map((id) => ({ ...(this.#clients.get(id) as ClientView) }));
    const flights = [...this.#dirtyFlights].map((id) => describe(this.#travelling.get(id) as Travelling));
    const from = this.#reignsDirtyFrom;
    const delta: Delta = {
      whole: false,
      at: this.#at,
      n: this.#n,
      ...(members.length > 0 && { members }),
      ...(this.#gone.length > 0 && { gone: this.#gone }),
      ...(logs !== null && { logs }),
      ...(clients.length > 0 && { clients }),
      ...(flights.length > 0 && { flights }),
      ...(this.#landed.length > 0 && { landed: this.#landed }),
      ...(this.#cutsDirty && { cuts: [...this.#cuts] }),
      ...(this.#networkDirty && { network: this.#network }),
      ...(this.#settingsDirty && { settings: this.#settings }),
      ...(this.#violationDirty && { violation: this.#violation }),
      ...(from !== Number.POSITIVE_INFINITY && { reigns: { from, reigns: this.#reigns.slice(from) } }),
      ...(this.#newNotes.length > 0 && { notes: this.#newNotes }),
    };
    this.#clean();
    return delta;
  }

  /** Everything, for one that knows nothing. */
  keyframe(): Delta {
    this.#pruneLost();
    const delta: Delta = {
      whole: true,
      at: this.#at,
      n: this.#n,
      members: [...this.#members.values()].map(viewOf),
      logs: Object.fromEntries(
        [...this.#logs].map(([id, { firstIndex, cells }]) => [id, { from: firstIndex, firstIndex, cells: [...cells] }]),
      ),
      clients: [...this.#clients.values()].map((client) => ({ ...client })),
      flights: [...this.#travelling.values()].map(describe),
      cuts: [...this.#cuts],
      network: this.#network,
      settings: this.#settings,
      violation: this.#violation,
      reigns: { from: 0, reigns: [...this.#reigns] },
      notes: [...this.#notes],
    };
    this.#clean();
    return delta;
  }

  state(): FoldState {
    return {
      at: this.#at,
      n: this.#n,
      members: [...this.#members.values()].map((member) => ({ ...member })),
      logs: [...this.#logs].map(([id, { firstIndex, cells }]) => [id, { firstIndex, cells: [...cells] }] as const),
      clients: [...this.#clients.values()].map((client) => ({ ...client })),
      travelling: [...this.#travelling.values()],
      cuts: [...this.#cuts],
      network: this.#network,
      settings: this.#settings,
      violation: this.#violation,
      reigns: [...this.#reigns],
      notes: [...this.#notes],
      requests: [...this.#requests],
      counts: this.counts,
    };
  }

  #restore(state: FoldState): void {
    this.#at = state.at;
    this.#n = state.n;
    for (const member of state.members) this.#members.set(member.id, { ...member });
    for (const [id, { firstIndex, cells }] of state.logs) {
      this.#logs.set(id, { firstIndex, cells: [...cells], dirtyFrom: Number.POSITIVE_INFINITY });
    }
    for (const client of state.clients) this.#clients.set(client.id, { ...client });
    for (const flight of state.travelling) this.#travelling.set(flight.id, flight);
    for (const cut of state.cuts) this.#cuts.add(cut);
    this.#reigns = [...state.reigns];
    this.#notes = [...state.notes];
    for (const [key, request] of state.requests) this.#requests.set(key, request);
    this.#messages = state.counts.messages;
    this.#roles = state.counts.roles;
  }

  #clean(): void {
    this.#dirtyMembers.clear();
    this.#dirtyClients.clear();
    this.#dirtyFlights.clear();
    for (const log of this.#logs.values()) log.dirtyFrom = Number.POSITIVE_INFINITY;
    this.#landed = [];
    this.#newNotes = [];
    this.#cutsDirty = false;
    this.#networkDirty = false;
    this.#settingsDirty = false;
    this.#violationDirty = false;
    this.#gone = [];
    this.#reignsDirtyFrom = Number.POSITIVE_INFINITY;
  }

  #logChanges(): Record<string, LogChange> | null {
    let changes: Record<string, LogChange> | null = null;
    for (const [id, { firstIndex, cells, dirtyFrom }] of this.#logs) {
      if (dirtyFrom === Number.POSITIVE_INFINITY) continue;
      const from = Math.max(dirtyFrom, firstIndex);
      changes ??= {};
      changes[id] = { from, firstIndex, cells: cells.slice(from - firstIndex) };
    }
    return changes;
  }

  // ── messages ──

  #sent({ process, at }: TraceEvent, event: WorldEvent & { type: "sent" }): void {
    const { message: id, to, arrivesAt, lost, copyOf, body, segment } = event;
    this.#travelling.set(id, {
      id,
      from: process as ProcessId,
      to,
      sentAt: at,
      arrivesAt,
      lost,
      copyOf,
      body,
      segment,
    });
    this.#dirtyFlights.add(id);
    if (lost !== null && this.#travelling.size > 10_000) this.#pruneLost();
  }

  #land(id: MessageId): void {
    if (!this.#travelling.delete(id)) return;
    if (!this.#dirtyFlights.delete(id)) this.#landed.push(id);
  }

  #lost(id: MessageId, why: NonNullable<Flight["lost"]>): void {
    const flight = this.#travelling.get(id);
    if (flight === undefined) return;
    // What is lost on arrival has been seen to travel; what is taken from its way is shown as lost where it was.
    if (why === "receiver-down" || why === "closed" || flight.arrivesAt === null || flight.arrivesAt <= this.#at)
      return this.#land(id);
    this.#change(id, { lost: why, arrivesAt: flight.sentAt + 2 * (this.#at - flight.sentAt) + LOST_LINGERS });
  }

  #change(id: MessageId, change: Partial<Travelling>): void {
    const flight = this.#travelling.get(id);
    if (flight === undefined) return;
    this.#travelling.set(id, { ...flight, ...change });
    this.#dirtyFlights.add(id);
  }

  /** A lost message is drawn until half way. */
  #pruneLost(): void {
    for (const { id, lost, sentAt, arrivesAt } of this.#travelling.values()) {
      if (lost !== null && arrivesAt !== null && this.#at >= (sentAt + arrivesAt) / 2) this.#land(id);
    }
  }

  // ── the world ──

  #world(traced: TraceEvent, event: WorldEvent): void {
    switch (event.type) {
      case "cut":
        this.#cutsDirty = true;
        for (const link of event.links) this.#cuts.add(linkKey(link));
        return this.#noteLinks(traced, "cut", event.links);
      case "mended":
        this.#cutsDirty = true;
        for (const link of event.links) this.#cuts.delete(linkKey(link));
        if (this.#cuts.size === 0 && event.links.length > 2) return this.#note(traced, "healed", {});
        return this.#noteLinks(traced, "mended", event.links);
      case "network":
        this.#network = event.quality;
        this.#networkDirty = true;
        return this.#note(traced, "network-changed", {});
      case "settings":
        this.#settings = event.settings;
        this.#settingsDirty = true;
        return this.#note(traced, "settings-changed", {
          preVote: String(event.settings.preVote),
          checkQuorum: String(event.settings.checkQuorum),
          readOnly: event.settings.readOnly,
          broken: event.settings.broken.join(" "),
        });
      default:
        return;
    }
  }

  #noteLinks(traced: TraceEvent, what: "cut" | "mended", links: readonly LinkEnds[]): void {
    const [first] = links;
    if (first === undefined) return;
    if (links.length <= 2) return this.#note(traced, what, { from: first.from, to: first.to });
    this.#note(traced, what === "cut" ? "partitioned" : "mended-many", { count: links.length });
  }

  /** What happens to any process, member or client. */
  #life(traced: TraceEvent, process: { liveness: MemberView["liveness"] }, event: WorldEvent): void {
    switch (event.type) {
      case "booted":
        process.liveness = "running";
        return;
      case "crashed":
        process.liveness = "crashed";
        return this.#note(traced, "crashed", { bytes: event.lostBytes });
      case "panicked":
        process.liveness = "panicked";
        return this.#note(traced, "panicked", { message: event.message });
      case "paused":
        process.liveness = "paused";
        return this.#note(traced, "paused", {});
      case "resumed":
        process.liveness = "running";
        return this.#note(traced, "resumed", {});
      case "wiped":
        return this.#note(traced, "wiped", {});
      case "corrupted":
        return this.#note(traced, "corrupted", { file: event.file, offset: event.offset });
      case "clock":
        return this.#note(traced, "clock-changed", { driftPpm: event.driftPpm, jumpUs: event.jumpUs });
      case "buffered":
        return this.#land(event.message);
      case "held":
        return this.#change(event.message, { arrivesAt: null });
      case "stalled":
        return this.#change(event.message, { arrivesAt: null });
      case "released":
        return this.#change(event.message, { sentAt: this.#at, arrivesAt: event.arrivesAt });
      default:
        return;
    }
  }

  // ── members ──

  #addMember(id: ProcessId): void {
    this.#members.set(id, newMember(id));
    this.#logs.set(id, { firstIndex: 1, cells: [], dirtyFrom: 1 });
  }

  #member(traced: TraceEvent, member: Draft<MemberView>, event: ReplicaEvent | WorldEvent): void {
    switch (event.type) {
      case "spawned":
        return this.#note(traced, "spawned", {});
      case "retired":
        this.#endReign(member.id);
        this.#members.delete(member.id);
        this.#logs.delete(member.id);
        this.#dirtyMembers.delete(member.id);
        this.#gone.push(member.id);
        return this.#note(traced, "retired", {});
      case "conf-switched":
        member.conf = confView(event.conf);
        return this.#confNote(traced, member);
      case "conf-change-refused":
        return this.#note(traced, "conf-change-refused", reasonFigures(event.why));
      case "transfer-started":
        return this.#note(traced, "transfer-started", { to: event.to, term: event.term });
      case "transfer-aborted":
      case "transfer-refused":
        return this.#note(traced, event.type, { to: event.to, ...reasonFigures(event.why) });
      case "transfer-dropped":
        return this.#note(traced, "transfer-dropped", reasonFigures(event.why));
      case "timeout-now-received":
        return this.#note(traced, "timeout-now-received", { from: event.from });
      case "read-answered":
        return this.#note(traced, "read-answered", { index: event.index, mode: event.mode, client: event.client });
      case "read-index-waits":
        return this.#note(traced, "read-index-waits", reasonFigures(event.why));
      case "booted":
        member.incarnation = traced.incarnation;
        member.diskBytes = event.bytes;
        member.panic = null;
        return this.#life(traced, member, event);
      case "crashed":
      case "panicked":
        this.#wentDown(member, event);
        return this.#life(traced, member, event);
      case "wiped":
        member.diskBytes = 0;
        this.#cutLog(member, 1);
        return this.#life(traced, member, event);
      case "wrote":
        member.diskBytes += event.bytes;
        return;
      case "truncated-file":
      case "removed-file":
        member.diskBytes -= event.bytes;
        return;
      case "sync-began":
        member.fsyncs += 1;
        return;
      case "synced":
        member.fsyncs = Math.max(0, member.fsyncs - 1);
        return;
      case "recovered":
        return this.#recovered(traced, member, event);
      case "role-changed":
        return this.#roleChanged(traced, member, event);
      case "leader-changed":
        member.leader = processOf(event.leader);
        if (event.leader !== null && event.leader !== (member.id as string)) {
          this.#note(traced, "leader-known", { leader: event.leader, term: event.term });
        }
        return;
      case "timer-set":
        if (event.timer === "election" && member.role === "leader") return;
        member.timer = { kind: event.timer, setAt: traced.at, firesAt: traced.at + event.firesIn };
        return;
      case "election-started":
        return this.#note(traced, event.pre ? "pre-election-started" : "election-started", {
          term: event.pre ? event.term : event.term + 1,
          ...reasonFigures(event.why),
        });
      case "vote-asked":
        member.ballots = { ...member.ballots, [event.to]: "asked" };
        return;
      case "votes-tallied":
        member.ballots = Object.fromEntries(event.answers.map(({ id, granted }) => [id, ballot(granted)]));
        return;
      case "vote-cast":
        if (!event.pre) member.votedFor = processOf(event.candidate);
        return this.#note(traced, event.pre ? "pre-voted" : "voted", {
          for: event.candidate,
          term: event.term,
          last: entryText(event.theirs),
          ours: entryText(event.ours),
        });
      case "vote-refused":
      case "vote-ignored":
        return this.#note(traced, "vote-refused", {
          for: event.candidate,
          term: event.term,
          ...reasonFigures(event.why),
        });
      case "step-down":
        return this.#note(traced, "stepped-down", { term: event.term, ...reasonFigures(event.why) });
      case "higher-term-seen":
        return this.#note(traced, "higher-term", { from: event.message.from, term: event.message.term });
      case "entries-shown":
        return this.#append(traced, member, event.entries);
      case "entries-truncated": {
        const count = member.lastIndex - event.from + 1;
        member.durable = Math.min(member.durable, event.from - 1);
        this.#cutLog(member, event.from);
        return this.#note(traced, "truncated", { index: event.from, count });
      }
      case "stable-advanced":
        member.durable = event.to;
        return;
      case "commit-advanced":
        member.commit = event.to;
        if (member.role === "leader") this.#note(traced, "committed", { index: event.to });
        return;
      case "applied":
        member.applied = event.to;
        return;
      case "command-applied":
        member.applied = event.index;
        member.value = event.summary;
        return;
      case "append-refused":
        return this.#note(traced, "append-refused", {
          from: event.from,
          index: event.why.prev.index,
          ...reasonFigures(event.why),
        });
      case "progress-changed": {
        const { match, next } = event.after;
        member.progress = { ...member.progress, [event.peer]: { match, next } };
        return;
      }
      case "snapshot-restored":
      case "machine-restored":
        return this.#installed(traced, member, event);
      case "snapshot-taken":
        return this.#note(traced, "snapshot-taken", { index: event.last.index, bytes: event.bytes });
      case "snapshot-sent":
        return this.#note(traced, "snapshot-sent", { to: event.to, index: event.snapshot.index });
      case "log-compacted":
        return this.#compacted(member, event.upTo.index);
      case "proposal-dropped":
        return this.#note(traced, "proposal-dropped", reasonFigures(event.why));
      case "request-received":
        return this.#requestReceived(event);
      default:
        return this.#life(traced, member, event as WorldEvent);
    }
  }

  #wentDown(member: Draft<MemberView>, event: WorldEvent & { type: "crashed" | "panicked" }): void {
    this.#endReign(member.id);
    if (member.role !== "follower") this.#roles += 1;
    Object.assign(member, {
      role: "follower",
      leader: null,
      ballots: null,
      timer: null,
      progress: null,
      fsyncs: 0,
      value: null,
    });
    member.diskBytes -= event.lostBytes;
    if (event.type === "panicked") member.panic = { message: event.message, stack: event.stack };
    this.#cutLog(member, member.durable + 1);
  }

  #recovered(traced: TraceEvent, member: Draft<MemberView>, event: ReplicaEvent & { type: "recovered" }): void {
    const log = this.#log(member.id);
    log.firstIndex = event.snapshot.index + 1;
    log.cells = [];
    log.dirtyFrom = log.firstIndex;
    member.term = event.term;
    member.votedFor = processOf(event.vote);
    member.commit = event.commit;
    member.applied = event.snapshot.index;
    member.value = event.summary;
    member.lastIndex = event.snapshot.index;
    this.#append(traced, member, event.entries);
    member.durable = member.lastIndex;
    if (event.tornBytes > 0) this.#note(traced, "torn-record", { bytes: event.tornBytes });
    if (traced.incarnation > 1)
      this.#note(traced, "restarted", { incarnation: traced.incarnation, entries: event.entries.length });
  }

  #roleChanged(traced: TraceEvent, member: Draft<MemberView>, event: ReplicaEvent & { type: "role-changed" }): void {
    if (event.term > member.term) member.votedFor = null;
    if (event.role !== event.from) this.#roles += 1;
    if (event.from === "leader" && event.role !== "leader") this.#endReign(member.id);
    member.role = event.role;
    member.term = event.term;
    member.progress = null;
    if (event.role === "candidate") member.votedFor = member.id;
    member.ballots = event.role === "candidate" || event.role === "pre-candidate" ? { [member.id]: "asked" } : null;
    if (event.role === "leader") {
      member.timer = null;
      this.#reigns.push({ leader: member.id, term: event.term, from: traced.at, to: null });
      this.#reignsDirtyFrom = Math.min(this.#reignsDirtyFrom, this.#reigns.length - 1);
    }
    if (event.role === event.from && event.role === "follower") return;
    this.#note(traced, `became-${event.role}`, { term: event.term, ...reasonFigures(event.why) });
  }

  /** The leader's word for all: every member switches when it applies the entry. */
  #confNote(traced: TraceEvent, { role, conf }: MemberView): void {
    if (role !== "leader" || conf === null) return;
    this.#note(traced, conf.votersOutgoing.length > 0 ? "conf-joint" : "conf-switched", {
      voters: conf.voters.join(" "),
      outgoing: conf.votersOutgoing.join(" "),
      learners: [...conf.learners, ...conf.learnersNext].join(" "),
    });
  }

  #append(traced: TraceEvent, member: Draft<MemberView>, entries: readonly EntryShown[]): void {
    const log = this.#log(member.id);
    for (const { term, index, type, label, request } of entries) {
      assert(index === log.firstIndex + log.cells.length, `entry ${index} follows the log of ${member.id}`);
      log.cells.push({ term, kind: type !== "normal" ? "config" : request === null ? "no-op" : "write", label });
      log.dirtyFrom = Math.min(log.dirtyFrom, index);
      member.lastIndex = index;
      if (request !== null) this.#found(request, term, index);
    }
    this.#trimLog(log);
    if (entries.length > 0 && member.role === "leader") {
      this.#note(traced, "appended", { index: member.lastIndex, count: entries.length });
    }
  }

  /** Cells from `index` on are gone. */
  #cutLog(member: Draft<MemberView>, index: number): void {
    const log = this.#log(member.id);
    if (index >= log.firstIndex + log.cells.length) return;
    log.cells.length = Math.max(0, index - log.firstIndex);
    log.dirtyFrom = Math.min(log.dirtyFrom, index);
    member.lastIndex = index - 1;
    member.durable = Math.min(member.durable, member.lastIndex);
  }

  #compacted(member: Draft<MemberView>, upTo: number): void {
    const log = this.#log(member.id);
    const gone = Math.min(log.cells.length, Math.max(0, upTo + 1 - log.firstIndex));
    log.cells.splice(0, gone);
    log.firstIndex += gone;
    log.dirtyFrom = Math.min(log.dirtyFrom, log.firstIndex + log.cells.length);
  }

  #installed(
    traced: TraceEvent,
    member: Draft<MemberView>,
    event: ReplicaEvent & { type: "snapshot-restored" | "machine-restored" },
  ): void {
    if (event.type === "machine-restored") {
      member.applied = event.last.index;
      member.value = event.summary;
      return this.#note(traced, "snapshot-installed", { index: event.last.index });
    }
    const log = this.#log(member.id);
    log.cells = [];
    log.firstIndex = event.snapshot.index + 1;
    log.dirtyFrom = log.firstIndex;
    member.lastIndex = event.snapshot.index;
    member.commit = event.snapshot.index;
    member.durable = event.snapshot.index;
  }

  #trimLog(log: LogDraft): void {
    if (log.cells.length <= 2 * LOG_WINDOW) return;
    const gone = log.cells.length - LOG_WINDOW;
    log.cells = log.cells.slice(gone);
    log.firstIndex += gone;
  }

  #log(id: ProcessId): LogDraft {
    return present(this.#logs.get(id), `the log of ${id}`);
  }

  #endReign(leader: ProcessId): void {
    const at = this.#reigns.findLastIndex((reign) => reign.leader === leader && reign.to === null);
    const reign = this.#reigns[at];
    if (reign === undefined) return;
    this.#reigns[at] = { ...reign, to: this.#at };
    this.#reignsDirtyFrom = Math.min(this.#reignsDirtyFrom, at);
  }

  // ── clients and their requests ──

  #requestReceived({ client, request, key }: ReplicaEvent & { type: "request-received" }): void {
    this.#requests.set(key, { client: client as ProcessId, request });
    const [oldest] = this.#requests.keys();
    if (this.#requests.size > REQUESTS_KEPT && oldest !== undefined) this.#requests.delete(oldest);
  }

  /** Some log holds the entry of a request. */
  #found(key: string, term: number, index: number): void {
    const owner = this.#requests.get(key);
    const client = owner === undefined ? undefined : this.#clients.get(owner.client);
    if (owner === undefined || client === undefined) return;
    const write = client.writes.find(({ request }) => request === owner.request);
    if (write === undefined || write.entry !== null) return;
    this.#setWrite(client, owner.request, { entry: { term, index } });
  }

  #client(traced: TraceEvent, client: Draft<ClientView>, event: ClientEvent | WorldEvent): void {
    this.#dirtyClients.add(client.id);
    switch (event.type) {
      case "client-step":
        client.step = event.step;
        client.member = event.member;
        return;
      case "write-asked": {
        const { request, value, member } = event;
        const write: WriteView = {
          request,
          value,
          member,
          askedAt: traced.at,
          outcome: "pending",
          why: null,
          entry: null,
        };
        client.writes = [...client.writes, write].slice(-WRITES_KEPT);
        return this.#note(traced, "write-asked", { value, member });
      }
      case "request-sent":
        this.#setRead(client, event.request, { member: event.member });
        return this.#setWrite(client, event.request, { member: event.member });
      case "write-done":
        this.#setWrite(client, event.request, { outcome: "done" });
        return this.#note(traced, "write-done", { value: event.value });
      case "write-refused":
        this.#setWrite(client, event.request, { outcome: "refused", why: event.why.rule });
        return this.#note(traced, "write-refused", { value: event.value, ...reasonFigures(event.why) });
      case "write-unknown":
        this.#setWrite(client, event.request, { outcome: "unknown", why: event.why.rule });
        return this.#note(traced, "write-unknown", { value: event.value, ...reasonFigures(event.why) });
      case "read-asked": {
        const { request, serializable, member } = event;
        const read: ReadView = {
          request,
          serializable,
          member,
          askedAt: traced.at,
          outcome: "pending",
          value: null,
          why: null,
        };
        client.reads = [...client.reads, read].slice(-WRITES_KEPT);
        return this.#note(traced, "read-asked", { member, serializable: String(serializable) });
      }
      case "read-done":
        this.#setRead(client, event.request, { outcome: "done", value: event.value });
        return this.#note(traced, "read-done", { value: event.value, member: event.member });
      case "read-refused":
        this.#setRead(client, event.request, { outcome: "refused", why: event.why.rule });
        return this.#note(traced, "read-refused", reasonFigures(event.why));
      case "read-unknown":
        this.#setRead(client, event.request, { outcome: "unknown", why: event.why.rule });
        return this.#note(traced, "read-unknown", reasonFigures(event.why));
      case "crashed":
      case "panicked":
        client.step = "idle";
        client.member = null;
        return this.#life(traced, client, event);
      default:
        return this.#life(traced, client, event);
    }
  }

  #setWrite(client: Draft<ClientView>, request: number, change: Partial<WriteView>): void {
    client.writes = client.writes.map((write) => (write.request === request ? { ...write, ...change } : write));
    this.#dirtyClients.add(client.id);
  }

  #setRead(client: Draft<ClientView>, request: number, change: Partial<ReadView>): void {
    client.reads = client.reads.map((read) => (read.request === request ? { ...read, ...change } : read));
    this.#dirtyClients.add(client.id);
  }

  #note({ id, at, process }: TraceEvent, what: string, figures: Note["figures"]): void {
    const note: Note = { event: id, at, process, what, figures };
    this.#notes.push(note);
    this.#newNotes.push(note);
    if (this.#notes.length > 2 * NOTES_KEPT) this.#notes = this.#notes.slice(-NOTES_KEPT);
    if (this.#newNotes.length > 2 * NOTES_KEPT) this.#newNotes = this.#newNotes.slice(-NOTES_KEPT);
  }
}

/** How long a message that was taken from its way is still shown there. */
const LOST_LINGERS: Micros = 10_000;

function newMember(id: ProcessId): Draft<MemberView> {
  return {
    id,
    incarnation: 1,
    liveness: "running",
    panic: null,
    role: "follower",
    term: 0,
    votedFor: null,
    leader: null,
    ballots: null,
    timer: null,
    conf: null,
    commit: 0,
    applied: 0,
    durable: 0,
    lastIndex: 0,
    value: null,
    progress: null,
    fsyncs: 0,
    diskBytes: 0,
  };
}

/** A copy for the picture, where a learner is called one. */
function viewOf(member: MemberView): MemberView {
  const learns = member.role === "follower" && member.conf?.learners.includes(member.id) === true;
  return learns ? { ...member, role: "learner" } : { ...member };
}

function confView({ voters, votersOutgoing, learners, learnersNext }: ConfState): ConfView {
  const ids = (nodes: readonly NodeId[]): ProcessId[] => nodes.map((node) => node as string as ProcessId);
  return {
    voters: ids(voters),
    votersOutgoing: ids(votersOutgoing),
    learners: ids(learners),
    learnersNext: ids(learnersNext),
  };
}

function describe(flight: Travelling): Flight {
  const { id, from, to, sentAt, arrivesAt, lost, copyOf, body, segment } = flight;
  const described = segment === null ? describeMessage(body as Message) : describeSegment(segment);
  return { id, from, to, sentAt, arrivesAt, lost, copyOf, ...described };
}

function ballot(granted: boolean | null): Ballot {
  return granted === null ? "asked" : granted ? "granted" : "refused";
}

function processOf(node: string | null): ProcessId | null {
  return node as ProcessId | null;
}

function entryText({ term, index }: { readonly term: number; readonly index: number }): string {
  return `${term}/${index}`;
}

/** A reason as flat figures: what is nested is named by both names, entries become "term/index". */
function reasonFigures(why: Reason | { readonly rule: string }): Record<string, string | number | null> {
  const figures: Record<string, string | number | null> = {};
  for (const [name, value] of Object.entries(why)) {
    if (typeof value === "string" || typeof value === "number" || value === null) figures[name] = value;
    else if (typeof value === "boolean") figures[name] = String(value);
    else if (Array.isArray(value)) figures[name] = value.join(" ");
    else if (isEntryId(value)) figures[name] = entryText(value);
  }
  return figures;
}

function isEntryId(value: unknown): value is { readonly term: number; readonly index: number } {
  return typeof value === "object" && value !== null && "term" in value && "index" in value;
}
