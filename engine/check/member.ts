/**
 * A member as the trace shows it: its log in memory, what of it is durable, and its part in the cluster.
 *
 * Nothing here asks a process anything. The durable side follows `persist-begun`, `sync-began` and `synced`.
 */
import { removeAt } from "../base/lists.ts";
import type { ConfState, HardState, Index, NodeId, Role, Term } from "../raft/types.ts";
import type { ProcessId } from "../sim/command.ts";
import { type Link, ROOT } from "./link.ts";
import { Tail, type TailState } from "../base/tail.ts";

export interface LogState {
  readonly base: Link;
  readonly links: TailState<Link>;
}

/** A log from behind its base: the last entry that is compacted away or covered by a snapshot. */
export class CheckedLog {
  base: Link = ROOT;
  #links = new Tail<Link>(1);

  get last(): Link {
    return this.#links.at(this.#links.last) ?? this.base;
  }

  at(index: Index): Link | undefined {
    return index === this.base.index ? this.base : this.#links.at(index);
  }

  push(link: Link): void {
    this.#links.push(link);
  }

  cut(from: Index): void {
    this.#links.cut(from);
  }

  compact(index: Index): void {
    const base = this.at(index);
    if (base === undefined || index <= this.base.index) return;
    this.base = base;
    this.#links.forget(index);
  }

  restart(base: Link): void {
    this.base = base;
    this.#links.restart(base.index + 1);
  }

  state(): LogState {
    return { base: this.base, links: this.#links.state() };
  }

  static from({ base, links }: LogState): CheckedLog {
    const log = new CheckedLog();
    log.base = base;
    log.#links = Tail.from(links);
    return log;
  }
}

/** A write on its way to the disk. */
export interface Writing {
  /** The sync that makes it durable; null until one has begun. */
  token: number | null;
  readonly hardState: HardState | null;
  /** In place of everything from the first on. */
  readonly links: readonly Link[];
  /** A received snapshot, behind which the log begins anew. */
  readonly snapshot: Link | null;
  /** A snapshot of the own machine: what it covers is not needed any more. */
  readonly compact: Index;
}

/** A client's request that was taken and not answered, and the entries that may stand for it. */
export interface Asked {
  readonly client: string;
  readonly request: number;
  keys: readonly string[];
}

interface MemberFields {
  readonly id: ProcessId;
  up: boolean;
  /** Somebody wiped its disk or turned a bit over: what it promised may be gone. */
  damaged: boolean;
  role: Role;
  term: Term;
  commit: Index;
  applied: Index;
  /** The last entry that its machine has. */
  machine: Index;
  conf: ConfState | null;
  diskTerm: Term;
  diskVote: NodeId | null;
  /** Indexes of changes of membership that were handed out to be applied and are not in force yet. */
  confChanges: readonly Index[];
  /** The last change of membership in its log. */
  lastConfChange: Index;
  /** The snapshot that the next configuration comes from; null when it comes from an applied entry. */
  confFrom: Index | null;
}

export interface MemberState extends Readonly<MemberFields> {
  readonly log: LogState;
  readonly disk: LogState;
  readonly writing: readonly Writing[];
  readonly requests: readonly Asked[];
  readonly reads: readonly (readonly [string, Index])[];
}

export class Member implements MemberFields {
  readonly id: ProcessId;
  /** The same id as Raft names it. */
  readonly node: NodeId;
  log = new CheckedLog();
  disk = new CheckedLog();
  up = false;
  damaged = false;
  role: Role = "follower";
  term: Term = 0;
  commit: Index = 0;
  applied: Index = 0;
  machine: Index = 0;
  conf: ConfState | null = null;
  diskTerm: Term = 0;
  diskVote: NodeId | null = null;
  confChanges: readonly Index[] = [];
  lastConfChange: Index = 0;
  confFrom: Index | null = null;
  readonly writing: Writing[] = [];
  /**
   * Requests that were taken and not answered: which entry each stands for. Several, when a client that was restarted
   * counts from one again while its old connection is not known to be gone.
   */
  readonly requests: Asked[] = [];
  /** Reads that are not confirmed: what was committed, anywhere, when they came. */
  readonly reads = new Map<string, Index>();

  constructor(id: ProcessId) {
    this.id = id;
    this.node = id as string as NodeId;
  }

  /** Its memory is gone. */
  goDown(): void {
    this.up = false;
    this.role = "follower";
    this.term = this.diskTerm;
    this.requests.length = 0;
    this.reads.clear();
    this.confChanges = [];
  }

  /** Mostly there are one or two: looking is faster than a map, and leaves less behind. */
  request(client: string, request: number): Asked | null {
    return this.requests.find((asked) => asked.request === request && asked.client === client) ?? null;
  }

  forgetRequest(client: string, request: number): void {
    const at = this.requests.findIndex((asked) => asked.request === request && asked.client === client);
    if (at >= 0) removeAt(this.requests, at);
  }

  isVoter(): boolean {
    return this.conf === null || this.conf.voters.includes(this.node) || this.conf.votersOutgoing.includes(this.node);
  }

  state(): MemberState {
    const { id, up, damaged, role, term, commit, applied, machine, conf, diskTerm, diskVote } = this;
    const { confChanges, lastConfChange, confFrom } = this;
    const fields: MemberFields = {
      id,
      up,
      damaged,
      role,
      term,
      commit,
      applied,
      machine,
      conf,
      diskTerm,
      diskVote,
      confChanges,
      lastConfChange,
      confFrom,
    };
    return {
      ...fields,
      log: this.log.state(),
      disk: this.disk.state(),
      writing: this.writing.map((write) => ({ ...write })),
      requests: this.requests.map((asked) => ({ ...asked })),
      reads: [...this.reads],
    };
  }

  static from({ id, log, disk, writing, requests, reads, ...fields }: MemberState): Member {
    const member = new Member(id);
    Object.assign(member, fields);
    member.log = CheckedLog.from(log);
    member.disk = CheckedLog.from(disk);
    member.writing.push(...writing.map((write) => ({ ...write })));
    member.requests.push(...requests.map((asked) => ({ ...asked })));
    for (const [context, index] of reads) member.reads.set(context, index);
    return member;
  }
}
