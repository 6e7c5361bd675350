/** The members: role, term, log, timers, disk, as their events tell. */
import type { ConfState, NodeId } from "../../raft/types.ts";
import type { EntryShown, ReplicaEvent } from "../../replica/events.ts";
import type { ProcessId } from "../../sim/command.ts";
import type { TraceEvent, WorldEvent } from "../../sim/events.ts";
import type { Ballot, ConfView, MemberView } from "../../trace/view.ts";
import type { Clients } from "./clients.ts";
import type { Logs } from "./logs.ts";
import { entryText, type Notes, reasonFigures } from "./notes.ts";
import type { Reigns } from "./reigns.ts";

/** Its progress is its own object, and changes in place: a leader learns something five times for each write. */
export type MemberDraft = { -readonly [K in keyof Omit<MemberView, "progress">]: MemberView[K] } & {
  progress: Record<string, ProgressShown> | null;
};
type ProgressShown = NonNullable<MemberView["progress"]>[string];
type Of<Type extends ReplicaEvent["type"]> = Extract<ReplicaEvent, { type: Type }>;

interface Kept {
  readonly draft: MemberDraft;
  /** Since the last delta. */
  changed: boolean;
}

export class Members {
  readonly #members = new Map<ProcessId, Kept>();
  /** Whose event was the last: several of one member follow each other, and a map is slower than a look at it. */
  #recent: Kept | undefined;
  #gone: ProcessId[] = [];
  readonly #logs: Logs;
  readonly #clients: Clients;
  readonly #reigns: Reigns;
  readonly #notes: Notes;
  /** How often a role has changed. */
  roles: number;

  constructor(
    parts: { logs: Logs; clients: Clients; reigns: Reigns; notes: Notes },
    members: readonly MemberView[],
    roles: number,
  ) {
    this.#logs = parts.logs;
    this.#clients = parts.clients;
    this.#reigns = parts.reigns;
    this.#notes = parts.notes;
    this.roles = roles;
    for (const member of members) this.#members.set(member.id, { draft: copyOf(member), changed: false });
  }

  /** For an event of this member's; null when it is no member. */
  draft(id: ProcessId): MemberDraft | null {
    const recent = this.#recent;
    const kept = recent?.draft.id === id ? recent : this.#members.get(id);
    if (kept === undefined) return null;
    this.#recent = kept;
    kept.changed = true;
    return kept.draft;
  }

  all(): MemberView[] {
    return Array.from(this.#members.values(), ({ draft }) => viewOf(draft));
  }

  takeChanges(): { readonly members: MemberView[]; readonly gone: ProcessId[] } {
    const members: MemberView[] = [];
    for (const kept of this.#members.values()) {
      if (kept.changed) members.push(viewOf(kept.draft));
      kept.changed = false;
    }
    const gone = this.#gone;
    this.#gone = [];
    return { members, gone };
  }

  state(): MemberView[] {
    return Array.from(this.#members.values(), ({ draft }) => copyOf(draft));
  }

  spawn(traced: TraceEvent, id: ProcessId): void {
    this.#members.set(id, { draft: newMember(id), changed: true });
    this.#logs.reset(id, 0);
    this.#notes.add(traced, "spawned", {});
  }

  retire(traced: TraceEvent, id: ProcessId): void {
    this.#recent = undefined;
    this.#reigns.end(id, traced.at);
    this.#members.delete(id);
    this.#logs.remove(id);
    this.#gone.push(id);
    this.#notes.add(traced, "retired", {});
  }

  /**
   * What happens at every write or heartbeat: nine of ten events. A switch over strings looks at one case after the
   * other, so these have one to themselves.
   *
   * @returns false when it is none of these
   */
  addFrequent(traced: TraceEvent, member: MemberDraft, event: ReplicaEvent | WorldEvent): boolean {
    switch (event.type) {
      case "timer-set":
        if (event.timer === "election" && member.role === "leader") return true;
        member.timer = { kind: event.timer, setAt: traced.at, firesAt: traced.at + event.firesIn };
        return true;
      case "wrote":
        member.diskBytes += event.bytes;
        return true;
      case "persist-begun":
      case "apply-handed-out":
      case "woke":
        return true;
      case "sync-began":
        member.fsyncs += 1;
        return true;
      case "synced":
        member.fsyncs = Math.max(0, member.fsyncs - 1);
        return true;
      case "entries-shown":
        this.#append(traced, member, event.entries);
        return true;
      case "stable-advanced":
        member.durable = event.to;
        return true;
      case "commit-advanced":
        member.commit = event.to;
        if (member.role === "leader") this.#notes.add(traced, "committed", { index: event.to });
        return true;
      case "applied":
        member.applied = event.to;
        return true;
      case "command-applied":
        member.applied = event.index;
        member.value = event.summary;
        return true;
      case "match-advanced":
        knowProgress(member, event.peer, event);
        return true;
      default:
        return false;
    }
  }

  /** What the world does to a member, besides what it does to any process. */
  addWorld(traced: TraceEvent, member: MemberDraft, event: WorldEvent): void {
    switch (event.type) {
      case "booted":
        member.incarnation = traced.incarnation;
        member.diskBytes = event.bytes;
        member.panic = null;
        return;
      case "crashed":
      case "panicked":
        return this.#wentDown(traced, member, event);
      case "wiped":
        member.diskBytes = 0;
        return this.#cutLog(member, 1);
      case "truncated-file":
      case "removed-file":
        member.diskBytes -= event.bytes;
        return;
      default:
        return;
    }
  }

  add(traced: TraceEvent, member: MemberDraft, event: ReplicaEvent): void {
    switch (event.type) {
      case "recovered":
        return this.#recovered(traced, member, event);
      case "role-changed":
        return this.#roleChanged(traced, member, event);
      case "leader-changed":
        member.leader = processOf(event.leader);
        if (event.leader === null || processOf(event.leader) === member.id) return;
        return this.#notes.add(traced, "leader-known", { leader: event.leader, term: event.term });
      case "conf-switched":
        member.conf = confView(event.conf);
        return this.#confNote(traced, member);
      case "entries-truncated":
        return this.#truncated(traced, member, event.from);
      case "progress-changed":
        return knowProgress(member, event.peer, event.after);
      case "log-compacted":
        return this.#logs.compact(member.id, event.upTo.index);
      case "snapshot-restored":
        this.#logs.reset(member.id, event.snapshot.index);
        member.lastIndex = event.snapshot.index;
        member.commit = event.snapshot.index;
        member.durable = event.snapshot.index;
        return;
      case "machine-restored":
        member.applied = event.last.index;
        member.value = event.summary;
        return this.#notes.add(traced, "snapshot-installed", { index: event.last.index });
      case "request-received":
        return this.#clients.owns(event);
      default:
        this.#addElection(traced, member, event);
    }
  }

  #addElection(traced: TraceEvent, member: MemberDraft, event: ReplicaEvent): void {
    switch (event.type) {
      case "election-started": {
        const term = event.pre ? event.term : event.term + 1;
        const what = event.pre ? "pre-election-started" : "election-started";
        return this.#notes.add(traced, what, { term, ...reasonFigures(event.why) });
      }
      case "vote-asked":
        member.ballots = { ...member.ballots, [event.to]: "asked" };
        return;
      case "votes-tallied":
        member.ballots = Object.fromEntries(event.answers.map(({ id, granted }) => [id, ballot(granted)]));
        return;
      case "vote-cast":
        if (!event.pre) member.votedFor = processOf(event.candidate);
        return this.#notes.add(traced, event.pre ? "pre-voted" : "voted", {
          for: event.candidate,
          term: event.term,
          last: entryText(event.theirs),
          ours: entryText(event.ours),
        });
      case "vote-refused":
      case "vote-ignored":
        return this.#notes.add(traced, "vote-refused", {
          for: event.candidate,
          term: event.term,
          ...reasonFigures(event.why),
        });
      case "step-down":
        return this.#notes.add(traced, "stepped-down", { term: event.term, ...reasonFigures(event.why) });
      case "higher-term-seen":
        return this.#notes.add(traced, "higher-term", { from: event.message.from, term: event.message.term });
      default:
        this.#noteOnly(traced, event);
    }
  }

  /** What changes nothing in the picture of the member and is worth a line. */
  #noteOnly(traced: TraceEvent, event: ReplicaEvent): void {
    const notes = this.#notes;
    switch (event.type) {
      case "append-refused": {
        const figures = { from: event.from, index: event.why.prev.index, ...reasonFigures(event.why) };
        return notes.add(traced, "append-refused", figures);
      }
      case "proposal-dropped":
      case "conf-change-refused":
      case "transfer-dropped":
      case "read-index-waits":
        return notes.add(traced, event.type, reasonFigures(event.why));
      case "snapshot-taken":
        return notes.add(traced, "snapshot-taken", { index: event.last.index, bytes: event.bytes });
      case "snapshot-sent":
        return notes.add(traced, "snapshot-sent", { to: event.to, index: event.snapshot.index });
      case "transfer-started":
        return notes.add(traced, "transfer-started", { to: event.to, term: event.term });
      case "transfer-aborted":
      case "transfer-refused":
        return notes.add(traced, event.type, { to: event.to, ...reasonFigures(event.why) });
      case "timeout-now-received":
        return notes.add(traced, "timeout-now-received", { from: event.from });
      case "read-answered":
        return notes.add(traced, "read-answered", { index: event.index, mode: event.mode, client: event.client });
      default:
        return;
    }
  }

  #wentDown(traced: TraceEvent, member: MemberDraft, event: WorldEvent & { type: "crashed" | "panicked" }): void {
    this.#reigns.end(member.id, traced.at);
    if (member.role !== "follower") this.roles += 1;
    member.role = "follower";
    member.leader = null;
    member.ballots = null;
    member.timer = null;
    member.progress = null;
    member.value = null;
    member.fsyncs = 0;
    member.diskBytes -= event.lostBytes;
    if (event.type === "panicked") member.panic = { message: event.message, stack: event.stack };
    this.#cutLog(member, member.durable + 1);
  }

  #recovered(traced: TraceEvent, member: MemberDraft, event: Of<"recovered">): void {
    this.#logs.reset(member.id, event.snapshot.index);
    member.term = event.term;
    member.votedFor = processOf(event.vote);
    member.commit = event.commit;
    member.applied = event.snapshot.index;
    member.value = event.summary;
    member.lastIndex = event.snapshot.index;
    this.#append(traced, member, event.entries);
    member.durable = member.lastIndex;
    if (event.tornBytes > 0) this.#notes.add(traced, "torn-record", { bytes: event.tornBytes });
    if (traced.incarnation === 1) return;
    this.#notes.add(traced, "restarted", { incarnation: traced.incarnation, entries: event.entries.length });
  }

  #roleChanged(traced: TraceEvent, member: MemberDraft, event: Of<"role-changed">): void {
    const { role, from, term } = event;
    if (term > member.term) member.votedFor = null;
    if (role !== from) this.roles += 1;
    if (from === "leader" && role !== "leader") this.#reigns.end(member.id, traced.at);
    member.role = role;
    member.term = term;
    member.progress = null;
    if (role === "candidate") member.votedFor = member.id;
    member.ballots = role === "candidate" || role === "pre-candidate" ? { [member.id]: "asked" } : null;
    if (role === "leader") {
      member.timer = null;
      this.#reigns.begin(member.id, term, traced.at);
    }
    if (role === "follower" && from === "follower") return;
    this.#notes.add(traced, `became-${role}`, { term, ...reasonFigures(event.why) });
  }

  #append(traced: TraceEvent, member: MemberDraft, entries: readonly EntryShown[]): void {
    for (const entry of entries) {
      this.#logs.append(member.id, entry);
      member.lastIndex = entry.index;
      if (entry.request !== null) this.#clients.found(entry.request, entry.term, entry.index);
    }
    if (entries.length === 0 || member.role !== "leader") return;
    this.#notes.add(traced, "appended", { index: member.lastIndex, count: entries.length });
  }

  #truncated(traced: TraceEvent, member: MemberDraft, from: number): void {
    const count = member.lastIndex - from + 1;
    member.durable = Math.min(member.durable, from - 1);
    this.#cutLog(member, from);
    this.#notes.add(traced, "truncated", { index: from, count });
  }

  /** Entries from `index` on are gone. */
  #cutLog(member: MemberDraft, index: number): void {
    if (!this.#logs.cut(member.id, index)) return;
    member.lastIndex = index - 1;
    member.durable = Math.min(member.durable, member.lastIndex);
  }

  /** The leader's word for all: every member switches when it applies the entry. */
  #confNote(traced: TraceEvent, { role, conf }: MemberView): void {
    if (role !== "leader" || conf === null) return;
    this.#notes.add(traced, conf.votersOutgoing.length > 0 ? "conf-joint" : "conf-switched", {
      voters: conf.voters.join(" "),
      outgoing: conf.votersOutgoing.join(" "),
      learners: [...conf.learners, ...conf.learnersNext].join(" "),
    });
  }
}

export function newMember(id: ProcessId): MemberView {
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

function copyOf(member: MemberView): MemberDraft {
  return { ...member, progress: member.progress === null ? null : { ...member.progress } };
}

/** A copy for the picture, where a learner is called one. */
function viewOf(member: MemberView): MemberView {
  const view = copyOf(member);
  if (view.role === "follower" && view.conf?.learners.includes(view.id) === true) view.role = "learner";
  return view;
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

function knowProgress(member: MemberDraft, peer: NodeId, { match, next }: ProgressShown): void {
  member.progress ??= {};
  member.progress[peer] = { match, next };
}

function ballot(granted: boolean | null): Ballot {
  return granted === null ? "asked" : granted ? "granted" : "refused";
}

function processOf(node: NodeId | null): ProcessId | null {
  return node as string | null as ProcessId | null;
}
