/**
 * The front door of the Raft core: one peer, made, driven, kept and continued.
 *
 * A peer is pure. It has no clock (it is ticked), no disk (it says what to write and is told when that is durable), no
 * network (it says what to send) and no randomness of its own (`draw`). One input is handled at a time; what is to be
 * done about it is taken with `ready()`, after one input or after a batch of them, which is group commit.
 */
import { assert } from "../base/assert.ts";
import { ALL_KEPT, type BrokenRules, type RaftRule } from "./broken.ts";
import type { ConfChange } from "./conf-change.ts";
import { allVoters, isCoherent, NO_CONF } from "./configuration.ts";
import type { ProgressView } from "./events.ts";
import { RaftPanic } from "./events.ts";
import type {
  Done,
  Input,
  Limits,
  PeerConfig,
  PeerStatus,
  ReadOnlyMode,
  Ready,
  ReadState,
  Sendable,
  StepError,
} from "./interface.ts";
import type { LogCheckpoint } from "./log.ts";
import { RaftLog } from "./log.ts";
import { applyConfChange, appliedTo, restoreMembers, setMembers } from "./membership.ts";
import type { ProgressCheckpoint } from "./progress.ts";
import { loadProgress, saveProgress, viewOf } from "./progress.ts";
import { advance, hasReady, takeReady } from "./ready.ts";
import type { ReadRequest } from "./reads.ts";
import { becomeFollower, drawElectionTimeout } from "./roles.ts";
import { type PeerState, type Settings, tellElectionTimer } from "./state.ts";
import { step } from "./step.ts";
import { tick, ticksUntilDue } from "./ticks.ts";
import type { Ack, ConfState, Entry, HardState, Index, NodeId, Role, Term } from "./types.ts";

export type {
  Done,
  Input,
  Limits,
  PeerConfig,
  PeerStatus,
  Persist,
  ReadOnlyMode,
  ReadState,
  Ready,
  Restored,
  Sendable,
  SoftState,
  StepError,
  Written,
} from "./interface.ts";

export interface Peer {
  /** Takes one input, or says why not; a refused message changes nothing. */
  step(input: Input): undefined | StepError;
  /** Time passes: at most `ticksUntilDue()` ticks at once. The same as that many calls with 1. */
  tick(ticks: number): void;
  /** How many ticks until a tick does something by itself; Infinity when none ever does. */
  ticksUntilDue(): number;

  hasReady(): boolean;
  /** What to do now, or null. What was handed out is under way and does not come again. */
  ready(): Ready | null;
  /** Something that a Ready asked for is done. Own acknowledgements are taken here, never through the network. */
  advance(done: Done): void;

  /** To be called when an entry that changes the membership is applied; returns the membership now in force. */
  applyConfChange(change: ConfChange): ConfState;
  /** Forgets entries up to `index`, which a snapshot of the host covers. */
  compact(index: Index): void;
  /** Cheap: the log is shared by length, truncation copies. */
  checkpoint(): PeerCheckpoint;

  readonly id: NodeId;
  readonly role: Role;
  readonly term: Term;
  readonly leader: NodeId | null;
  readonly commit: Index;
  readonly applied: Index;
  readonly firstIndex: Index;
  readonly lastIndex: Index;
  /** The membership in force. */
  readonly conf: ConfState;
  status(): PeerStatus;
  entry(index: Index): Entry | null;
  /** What it knows about each member, in order of id; only a leader's is meaningful. */
  progress(): readonly { readonly id: NodeId; readonly progress: ProgressView }[];

  setPreVote(on: boolean): void;
  setCheckQuorum(on: boolean): void;
  setReadOnly(mode: ReadOnlyMode): void;
  /** Switches rules off, and all others on again. */
  setBroken(rules: BrokenRules): void;
  /** Holds until the next transition draws anew. */
  setElectionTimeout(ticks: number): void;
}

/** A config that asks for what can't be. */
export class PeerConfigInvalid extends Error {
  override readonly name = "PeerConfigInvalid";
}

/** A peer as its disk left it: a follower that knows no leader. */
export function createPeer(config: PeerConfig): Peer {
  const { restored } = config;
  if (!isCoherent(restored.conf)) throw new PeerConfigInvalid("the restored membership contradicts itself");
  const peer = newState(
    config,
    new RaftLog(restored.base, restored.entries, limitsOf(config).maxCommittedBytesPerReady),
  );
  restoreMembers(peer, restored.conf);
  if (restored.hardState !== null) loadHardState(peer, restored.hardState);
  if (restored.applied > peer.log.applied) appliedTo(peer, restored.applied, 0);
  const why = { rule: "started" } as const;
  becomeFollower(peer, peer.term, null, why);
  peer.givenHardState = { term: peer.term, vote: peer.vote, commit: peer.log.commit };
  if (peer.emit !== null)
    peer.emit({
      type: "started",
      voters: allVoters(peer.conf),
      term: peer.term,
      commit: peer.log.commit,
      applied: peer.log.applied,
      last: peer.log.last(),
    });
  return new RaftPeer(peer);
}

function loadHardState(peer: PeerState, { term, vote, commit }: HardState): void {
  if (commit > peer.log.lastIndex)
    throw new RaftPanic(
      `the restored commit ${commit} is beyond the restored log, which ends at ${peer.log.lastIndex}`,
    );
  peer.term = term;
  peer.vote = peer.broken.has("forget-vote") ? null : vote;
  peer.log.commit = Math.max(commit, peer.log.commit); // what a snapshot covers is committed, whoever wrote it first
}

function limitsOf(config: PeerConfig): Limits {
  const no = Number.POSITIVE_INFINITY;
  return {
    maxMessageBytes: no,
    maxInflightMessages: no,
    maxInflightBytes: no,
    maxUncommittedBytes: no,
    maxCommittedBytesPerReady: no,
    ...config.limits,
  };
}

function settingsOf(config: PeerConfig): Settings {
  const { electionTicks, heartbeatTicks } = config;
  if (!Number.isSafeInteger(heartbeatTicks) || heartbeatTicks < 1)
    throw new PeerConfigInvalid("the heartbeat interval must be a tick at least");
  if (!Number.isSafeInteger(electionTicks) || electionTicks <= heartbeatTicks)
    throw new PeerConfigInvalid("the election timeout must be longer than the heartbeat interval");
  const spread = config.electionSpreadTicks ?? electionTicks;
  if (!Number.isSafeInteger(spread) || spread < 1)
    throw new PeerConfigInvalid("the spread of the election timeout must be a tick at least");
  const limits = limitsOf(config);
  for (const [name, limit] of Object.entries(limits))
    if (!(limit > 0) && name !== "maxMessageBytes") throw new PeerConfigInvalid(`${name} must be more than zero`);
  return {
    id: config.id,
    electionTicks,
    electionSpreadTicks: spread,
    heartbeatTicks,
    stepDownOnRemoval: config.stepDownOnRemoval ?? false,
    disableProposalForwarding: config.disableProposalForwarding ?? false,
    disableConfChangeValidation: config.disableConfChangeValidation ?? false,
    limits,
    asyncStorage: config.asyncStorage,
    draw: config.draw,
    snapshot: config.snapshot,
  };
}

function newState(config: PeerConfig, log: RaftLog): PeerState {
  const peer: PeerState = {
    settings: settingsOf(config),
    id: config.id,
    log,
    emit: config.emit,
    preVote: config.preVote ?? false,
    checkQuorum: config.checkQuorum ?? false,
    readOnly: config.readOnly ?? "safe",
    broken: config.broken ?? ALL_KEPT,
    role: "follower",
    term: 0,
    vote: null,
    leader: null,
    conf: NO_CONF,
    progress: new Map(),
    own: null,
    peers: [],
    incoming: [],
    outgoing: [],
    votes: new Map(),
    transferee: null,
    pendingConfIndex: 0,
    uncommittedBytes: 0,
    electionElapsed: 0,
    heartbeatElapsed: 0,
    electionTimeout: config.electionTicks,
    pendingReads: [],
    earlyReads: [],
    readStates: [],
    send: [],
    acks: [],
    givenRole: "follower",
    givenLeader: null,
    givenHardState: { term: 0, vote: null, commit: 0 },
  };
  log.emit = config.emit;
  checkLease(peer.readOnly, peer.checkQuorum);
  return peer;
}

/** The lease is what a quorum check renews; without the check it would never end (thesis §6.4.1). */
function checkLease(readOnly: ReadOnlyMode, checkQuorum: boolean): void {
  if (readOnly === "lease-based" && !checkQuorum)
    throw new PeerConfigInvalid("lease-based reads need the quorum check");
}

class RaftPeer implements Peer {
  readonly #peer: PeerState;

  constructor(peer: PeerState) {
    this.#peer = peer;
  }

  step(input: Input): undefined | StepError {
    return step(this.#peer, input);
  }

  tick(ticks: number): void {
    assert(ticks >= 1 && ticks <= ticksUntilDue(this.#peer), "ticks are taken up to the next that does something");
    tick(this.#peer, ticks);
  }

  ticksUntilDue(): number {
    return ticksUntilDue(this.#peer);
  }

  hasReady(): boolean {
    return hasReady(this.#peer);
  }

  ready(): Ready | null {
    return takeReady(this.#peer);
  }

  advance(done: Done): void {
    advance(this.#peer, done);
  }

  applyConfChange(change: ConfChange): ConfState {
    return applyConfChange(this.#peer, change);
  }

  compact(index: Index): void {
    this.#peer.log.compact(index);
  }

  checkpoint(): PeerCheckpoint {
    return save(this.#peer);
  }

  get id(): NodeId {
    return this.#peer.id;
  }

  get role(): Role {
    return this.#peer.role;
  }

  get term(): Term {
    return this.#peer.term;
  }

  get leader(): NodeId | null {
    return this.#peer.leader;
  }

  get commit(): Index {
    return this.#peer.log.commit;
  }

  get applied(): Index {
    return this.#peer.log.applied;
  }

  get firstIndex(): Index {
    return this.#peer.log.firstIndex;
  }

  get lastIndex(): Index {
    return this.#peer.log.lastIndex;
  }

  get conf(): ConfState {
    return this.#peer.conf;
  }

  status(): PeerStatus {
    const peer = this.#peer;
    return {
      id: peer.id,
      role: peer.role,
      term: peer.term,
      vote: peer.vote,
      leader: peer.leader,
      commit: peer.log.commit,
      applied: peer.log.applied,
      firstIndex: peer.log.firstIndex,
      last: peer.log.last(),
      transferee: peer.transferee,
      conf: peer.conf,
    };
  }

  entry(index: Index): Entry | null {
    return this.#peer.log.entryAt(index);
  }

  progress(): readonly { readonly id: NodeId; readonly progress: ProgressView }[] {
    return this.#peer.peers.map((progress) => ({ id: progress.id, progress: viewOf(progress) }));
  }

  setPreVote(on: boolean): void {
    this.#peer.preVote = on;
  }

  setCheckQuorum(on: boolean): void {
    checkLease(this.#peer.readOnly, on);
    this.#peer.checkQuorum = on;
  }

  setReadOnly(mode: ReadOnlyMode): void {
    checkLease(mode, this.#peer.checkQuorum);
    this.#peer.readOnly = mode;
  }

  setBroken(rules: BrokenRules): void {
    const peer = this.#peer;
    const same = peer.broken.has("same-election-timeouts");
    peer.broken = rules;
    if (rules.has("same-election-timeouts") === same) return;
    drawElectionTimeout(peer);
    tellElectionTimer(peer);
  }

  setElectionTimeout(ticks: number): void {
    assert(Number.isSafeInteger(ticks) && ticks > 0, "an election timeout is a number of ticks");
    this.#peer.electionTimeout = ticks;
  }
}

/**
 * All of a peer as plain data, to be posted or kept; `restorePeer` goes on from it exactly as the peer would have. Only
 * the config, and the host's generator, are not in it.
 */
export interface PeerCheckpoint {
  readonly id: NodeId;
  readonly log: LogCheckpoint;
  readonly preVote: boolean;
  readonly checkQuorum: boolean;
  readonly readOnly: ReadOnlyMode;
  readonly broken: readonly RaftRule[];
  readonly role: Role;
  readonly term: Term;
  readonly vote: NodeId | null;
  readonly leader: NodeId | null;
  readonly conf: ConfState;
  readonly progress: readonly ProgressCheckpoint[];
  readonly votes: readonly (readonly [NodeId, boolean])[];
  readonly transferee: NodeId | null;
  readonly pendingConfIndex: Index;
  readonly uncommittedBytes: number;
  readonly electionElapsed: number;
  readonly heartbeatElapsed: number;
  readonly electionTimeout: number;
  readonly pendingReads: readonly (ReadRequest & {
    readonly index: Index;
    readonly acks: readonly (readonly [NodeId, boolean])[];
  })[];
  readonly earlyReads: readonly ReadRequest[];
  readonly readStates: readonly ReadState[];
  readonly send: readonly Sendable[];
  readonly acks: readonly Ack[];
  readonly givenRole: Role;
  readonly givenLeader: NodeId | null;
  readonly givenHardState: HardState;
}

function save(peer: PeerState): PeerCheckpoint {
  return {
    id: peer.id,
    log: peer.log.save(),
    preVote: peer.preVote,
    checkQuorum: peer.checkQuorum,
    readOnly: peer.readOnly,
    broken: [...peer.broken],
    role: peer.role,
    term: peer.term,
    vote: peer.vote,
    leader: peer.leader,
    conf: peer.conf,
    progress: peer.peers.map(saveProgress),
    votes: [...peer.votes],
    transferee: peer.transferee,
    pendingConfIndex: peer.pendingConfIndex,
    uncommittedBytes: peer.uncommittedBytes,
    electionElapsed: peer.electionElapsed,
    heartbeatElapsed: peer.heartbeatElapsed,
    electionTimeout: peer.electionTimeout,
    pendingReads: peer.pendingReads.map((read) => ({ ...read, acks: [...read.acks] })),
    earlyReads: peer.earlyReads.slice(),
    readStates: peer.readStates.slice(),
    send: peer.send.slice(),
    acks: peer.acks.slice(),
    givenRole: peer.givenRole,
    givenLeader: peer.givenLeader,
    givenHardState: peer.givenHardState,
  };
}

/** Goes on where a checkpoint was taken. `config.restored` is not looked at. */
export function restorePeer(config: PeerConfig, saved: PeerCheckpoint): Peer {
  assert(config.id === saved.id, "a checkpoint belongs to one peer");
  const limits = limitsOf(config);
  const peer = newState(
    {
      ...config,
      preVote: saved.preVote,
      checkQuorum: saved.checkQuorum,
      readOnly: saved.readOnly,
      broken: new Set(saved.broken),
    },
    RaftLog.load(saved.log, limits.maxCommittedBytesPerReady),
  );
  const progress = new Map(saved.progress.map((one) => [one.id, loadProgress(one, limits)]));
  setMembers(peer, { conf: saved.conf, progress });
  peer.role = saved.role;
  peer.term = saved.term;
  peer.vote = saved.vote;
  peer.leader = saved.leader;
  for (const [id, granted] of saved.votes) peer.votes.set(id, granted);
  peer.transferee = saved.transferee;
  peer.pendingConfIndex = saved.pendingConfIndex;
  peer.uncommittedBytes = saved.uncommittedBytes;
  peer.electionElapsed = saved.electionElapsed;
  peer.heartbeatElapsed = saved.heartbeatElapsed;
  peer.electionTimeout = saved.electionTimeout;
  peer.pendingReads = saved.pendingReads.map((read) => ({ ...read, acks: new Map(read.acks) }));
  peer.earlyReads = saved.earlyReads.slice();
  peer.readStates = saved.readStates.slice();
  peer.send = saved.send.slice();
  peer.acks = saved.acks.slice();
  peer.givenRole = saved.givenRole;
  peer.givenLeader = saved.givenLeader;
  peer.givenHardState = saved.givenHardState;
  return new RaftPeer(peer);
}
