/**
 * All that a peer knows, in one place, and the small things every chapter does with it: send, emit, hand out.
 *
 * The chapters that follow are functions over this state, in the order in which an engineer may read them: `roles`
 * (transitions), `elections`, `replication`, `proposals`, `membership`, `reading`, then what each role does with an
 * input (`leader`, `follower`, `candidate`), the rules of terms before that (`step`), time (`ticks`) and what goes out
 * (`ready`). The state is changed in place: a spread for each step costs a hundred times as much.
 */
import type { BrokenRules } from "./broken.ts";
import type { Emit, RaftEvent } from "./events.ts";
import type { Limits, ReadOnlyMode, ReadState, Sendable } from "./interface.ts";
import type { RaftLog } from "./log.ts";
import type { Progress } from "./progress.ts";
import type { PendingRead, ReadRequest } from "./reads.ts";
import type { Ack, ConfState, HardState, Index, NodeId, Role, Snapshot, Term } from "./types.ts";

/** What never changes while a peer lives. */
export interface Settings {
  readonly id: NodeId;
  readonly electionTicks: number;
  readonly electionSpreadTicks: number;
  readonly heartbeatTicks: number;
  readonly stepDownOnRemoval: boolean;
  readonly disableProposalForwarding: boolean;
  readonly disableConfChangeValidation: boolean;
  readonly limits: Limits;
  readonly asyncStorage: boolean;
  readonly draw: (n: number) => number;
  readonly snapshot: () => Snapshot | null;
}

export interface PeerState {
  readonly settings: Settings;
  readonly id: NodeId;
  readonly log: RaftLog;
  emit: Emit | null;

  preVote: boolean;
  checkQuorum: boolean;
  readOnly: ReadOnlyMode;
  broken: BrokenRules;

  role: Role;
  term: Term;
  vote: NodeId | null;
  leader: NodeId | null;

  /** The membership in force, and what a leader knows of each member. The next four follow from it. */
  conf: ConfState;
  progress: ReadonlyMap<NodeId, Progress>;
  /** The peer's own; null when it is no member. It is asked for at every tick and message. */
  own: Progress | null;
  /** In ascending order of id: the order of every broadcast. */
  peers: readonly Progress[];
  incoming: readonly Progress[];
  outgoing: readonly Progress[];

  /** A candidate's answers so far; only the first of each voter counts. */
  readonly votes: Map<NodeId, boolean>;

  transferee: NodeId | null;
  /** The newest change of membership in the log may be here; only one may be unapplied. */
  pendingConfIndex: Index;
  uncommittedBytes: number;

  /** Since the last message from the leader, or (leader) since the last check of the quorum. */
  electionElapsed: number;
  heartbeatElapsed: number;
  electionTimeout: number;

  pendingReads: PendingRead[];
  /** Asked before this leader committed an entry of its term. As in etcd, they outlast the term and wait for the next. */
  earlyReads: ReadRequest[];
  readStates: ReadState[];

  /** Empty, or a list of their own: a Ready takes them as they are. */
  send: Sendable[];
  acks: Ack[];
  /** What was last handed out: only changes are. */
  givenRole: Role;
  givenLeader: NodeId | null;
  givenHardState: HardState;
}

export function emit(peer: PeerState, event: RaftEvent): void {
  if (peer.emit !== null) peer.emit(event);
}

/** An array that grows from nothing gets room for seventeen; most of these hold one message. */
export function send(peer: PeerState, message: Sendable): void {
  if (peer.send.length === 0) peer.send = [message];
  else peer.send.push(message);
}

/** May leave only when all that was handed out with it, and before it, is durable (thesis §3.8). */
export function sendAfterPersist(peer: PeerState, message: Ack): void {
  if (peer.acks.length === 0) peer.acks = [message];
  else peer.acks.push(message);
}

export function setLeader(peer: PeerState, leader: NodeId | null): void {
  if (peer.leader === leader) return;
  peer.leader = leader;
  if (peer.emit !== null) peer.emit({ type: "leader-changed", leader, term: peer.term });
}

export function resetElectionTimer(peer: PeerState): void {
  peer.electionElapsed = 0;
  tellElectionTimer(peer);
}

/** It runs out when it has come from `elapsedTicks` to `timeoutTicks`. */
export function tellElectionTimer({ emit: tell, electionTimeout, electionElapsed }: PeerState): void {
  if (tell !== null)
    tell({ type: "election-timer-reset", timeoutTicks: electionTimeout, elapsedTicks: electionElapsed });
}

/** May become leader: a voter (also of the outgoing half), and not waiting for a snapshot to be stored. */
export function isPromotable(peer: PeerState): boolean {
  return peer.own !== null && !peer.own.learner && peer.log.pendingSnapshot === null;
}
