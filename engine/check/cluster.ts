/**
 * What the checks know of all members together: who voted for whom and who led, which entry was made where, what is
 * committed, and what the machines have come to.
 *
 * Memory is bounded: entries are forgotten once every member's disk is past them, or when too many are kept for the
 * sake of one that stays away; terms are forgotten when many newer ones have come.
 */
import type { ConfState, Index, NodeId, Term } from "../raft/types.ts";
import type { ProcessId } from "../sim/command.ts";
import { type Link, ROOT } from "./link.ts";
import { Member, type MemberState } from "./member.ts";
import { Tail, type TailState } from "../base/tail.ts";

const TERMS_KEPT = 256;
/** Committed entries kept for a member that is far behind. */
const HISTORY_KEPT = 50_000;
/** How many commits pass between two looks at what may be forgotten. */
const FORGET_EVERY = 256;

export interface Leadership {
  readonly id: ProcessId;
  readonly incarnation: number;
}

/** A configuration, and the entry that put it in force. */
export interface ConfAt {
  readonly index: Index;
  readonly conf: ConfState;
}

export interface ClusterState {
  readonly members: readonly MemberState[];
  readonly committed: TailState<Link>;
  readonly machines: TailState<number>;
  readonly made: readonly (readonly [Term, TailState<Link>])[];
  readonly leaders: readonly (readonly [Term, Leadership])[];
  readonly votes: readonly (readonly [Term, readonly (readonly [ProcessId, NodeId])[]])[];
  readonly commits: readonly (readonly [Term, Index])[];
  readonly confs: readonly ConfAt[];
  readonly sinceForget: number;
}

export class Cluster {
  readonly members = new Map<ProcessId, Member>();
  /** What leaders have committed, in order. It only grows: whoever commits something else breaks a rule. */
  committed = new Tail<Link>(1);
  /** A hash of the machine's state behind each entry, from whoever applied it first. */
  machines = new Tail<number>(1);
  /** The entries that each term's leader made, by index: one leader makes them, in order. */
  readonly made = new Map<Term, Tail<Link>>();
  readonly leaders = new Map<Term, Leadership>();
  readonly votes = new Map<Term, Map<ProcessId, NodeId>>();
  /** How far each term's leader committed. */
  readonly commits = new Map<Term, Index>();
  /** Configurations by the committed entry that put them in force; the first one is that of index 0. */
  confs: ConfAt[] = [];
  #sinceForget = 0;

  get commit(): Index {
    return this.committed.last;
  }

  committedAt(index: Index): Link | undefined {
    return index === 0 ? ROOT : this.committed.at(index);
  }

  member(id: ProcessId): Member {
    let member = this.members.get(id);
    if (member === undefined) {
      member = new Member(id);
      this.members.set(id, member);
    }
    return member;
  }

  /** The configuration in force behind an entry; null when that is not known. */
  confAt(index: Index): ConfState | null {
    return this.confs.findLast((known) => known.index <= index)?.conf ?? null;
  }

  /** The entry of this id as its term's leader made it. */
  madeAt(term: Term, index: Index): Link | undefined {
    return this.made.get(term)?.at(index);
  }

  noteMade(link: Link): void {
    const tail = this.made.get(link.term);
    if (tail === undefined) {
      const first = new Tail<Link>(link.index);
      first.push(link);
      this.made.set(link.term, first);
    } else if (tail.last + 1 === link.index) tail.push(link);
  }

  noteTerm(term: Term): void {
    for (const map of [this.leaders, this.votes, this.commits])
      if (map.size > TERMS_KEPT) for (const old of map.keys()) if (old < term - TERMS_KEPT / 2) map.delete(old);
  }

  /** Looks now and then at what nobody needs any more. */
  noteCommits(count: number): void {
    this.#sinceForget += count;
    if (this.#sinceForget < FORGET_EVERY) return;
    this.#sinceForget = 0;
    let floor = this.commit;
    for (const { disk, log } of this.members.values()) floor = Math.min(floor, disk.base.index, log.base.index);
    this.#forget(Math.max(floor, this.commit - HISTORY_KEPT) - 1);
  }

  #forget(index: Index): void {
    this.committed.forget(index);
    this.machines.forget(Math.min(index, this.machines.last - 1));
    for (const [term, tail] of this.made) {
      tail.forget(index);
      if (tail.last <= index) this.made.delete(term);
    }
    const needed = this.confs.findLastIndex((known) => known.index <= index);
    if (needed > 0) this.confs = this.confs.slice(needed);
  }

  state(): ClusterState {
    return {
      members: [...this.members.values()].map((member) => member.state()),
      committed: this.committed.state(),
      machines: this.machines.state(),
      made: [...this.made].map(([term, tail]) => [term, tail.state()] as const),
      leaders: [...this.leaders],
      votes: [...this.votes].map(([term, votes]) => [term, [...votes]] as const),
      commits: [...this.commits],
      confs: [...this.confs],
      sinceForget: this.#sinceForget,
    };
  }

  static from(state: ClusterState): Cluster {
    const cluster = new Cluster();
    for (const member of state.members) cluster.members.set(member.id, Member.from(member));
    cluster.committed = Tail.from(state.committed);
    cluster.machines = Tail.from(state.machines);
    for (const [term, tail] of state.made) cluster.made.set(term, Tail.from(tail));
    for (const [term, leadership] of state.leaders) cluster.leaders.set(term, leadership);
    for (const [term, votes] of state.votes) cluster.votes.set(term, new Map(votes));
    for (const [term, index] of state.commits) cluster.commits.set(term, index);
    cluster.confs = [...state.confs];
    cluster.#sinceForget = state.sinceForget;
    return cluster;
  }
}

/** Whether a majority of each half of the configuration is among those that `has` names; an empty half agrees. */
export function hasQuorum(conf: ConfState, has: (id: NodeId) => boolean): boolean {
  return isMajority(conf.voters, has) && isMajority(conf.votersOutgoing, has);
}

function isMajority(half: readonly NodeId[], has: (id: NodeId) => boolean): boolean {
  if (half.length === 0) return true;
  let count = 0;
  for (const id of half) if (has(id)) count += 1;
  return count > half.length / 2;
}
