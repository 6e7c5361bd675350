/**
 * One input: first the rules of terms, which are the same in every role (§5.1), then what the role does with it.
 */
import { unreachable } from "../base/assert.ts";
import { confChangeProposal, ConfChangeMalformed, decodeConfChange } from "./conf-change.ts";
import { isCoherent } from "./configuration.ts";
import { answerVote, ignoredByLease, refuseVote, standForElection, tallyVote } from "./elections.ts";
import type { Reason } from "./events.ts";
import {
  dropRead,
  forgetLeader,
  forwardProposal,
  forwardRead,
  forwardTransfer,
  takeAppend,
  takeHeartbeat,
  takeSnapshot,
} from "./follower.ts";
import type { Input, StepError } from "./interface.ts";
import { noteSnapshotStatus, noteUnreachable, takeAppendReply, takeHeartbeatReply, transferTo } from "./leader.ts";
import { ZERO } from "./log.ts";
import type { Progress } from "./progress.ts";
import { dropProposal, proposeAsLeader } from "./proposals.ts";
import { askReadAsLeader } from "./reading.ts";
import type { ReadRequest } from "./reads.ts";
import { becomeFollower } from "./roles.ts";
import type { PeerState } from "./state.ts";
import { emit, resetElectionTimer, sendAfterPersist, setLeader } from "./state.ts";
import type { AppendEntries, Heartbeat, InstallSnapshot, Message, NodeId, Proposal, TimeoutNow } from "./types.ts";

export function step(peer: PeerState, input: Input): undefined | StepError {
  switch (input.type) {
    case "message":
      return stepMessage(peer, input.message);
    case "campaign":
      standForElection(peer, { rule: "campaign-asked" });
      return undefined;
    case "propose":
      return propose(peer, peer.id, input.proposals);
    case "propose-conf-change":
      return propose(peer, peer.id, [confChangeProposal(input.change)]);
    case "read-index":
      askRead(peer, { context: input.context, from: peer.id });
      return undefined;
    case "transfer-leadership":
      transfer(peer, input.to);
      return undefined;
    case "forget-leader":
      if (peer.role === "follower") forgetLeader(peer);
      return undefined;
    case "unreachable":
      aboutMember(peer, input.peer, (member) => noteUnreachable(peer, member));
      return undefined;
    case "snapshot-status":
      aboutMember(peer, input.peer, (member) => noteSnapshotStatus(peer, member, input.ok));
      return undefined;
    default:
      return unreachable(input);
  }
}

/** From the network: what contradicts itself is refused, and answers of those that were never asked are too. */
function stepMessage(peer: PeerState, message: Message): undefined | StepError {
  const detail = whyMalformed(peer, message);
  if (detail !== null) return { error: "malformed-message", why: { rule: "malformed", detail } };
  if (isReply(message) && !peer.progress.has(message.from))
    return { error: "peer-not-found", why: { rule: "unknown-member", id: message.from } };
  return receive(peer, message);
}

function isReply(message: Message): boolean {
  switch (message.type) {
    case "HeartbeatReply":
    case "AppendEntriesReply":
    case "RequestVoteReply":
    case "ReadIndexReply":
      return true;
    default:
      return false;
  }
}

/** The rules of terms (§5.1). Term 0 belongs to no term: proposals and reads are for whoever leads. */
export function receive(peer: PeerState, message: Message): undefined | StepError {
  const { term } = message;
  if (term !== peer.term && term !== 0) {
    if (term < peer.term) {
      receiveOld(peer, message);
      return undefined;
    }
    if (!receiveNew(peer, message)) return undefined;
  }
  if (message.type === "RequestVote") {
    answerVote(peer, message);
    return undefined;
  }
  if (peer.role === "leader") return stepLeader(peer, message);
  if (peer.role === "follower") return stepFollower(peer, message);
  return stepCandidate(peer, message);
}

/** A higher term ends the own one, unless it is only asked about. False: go no further. */
function receiveNew(peer: PeerState, message: Message): boolean {
  if (message.type === "RequestVote") {
    if (ignoredByLease(peer, message)) return false;
    if (message.pre) return true;
  }
  if (peer.role === "leader" && peer.broken.has("ignore-higher-term")) return true;
  // A pre-vote is granted with the term that was asked about; nobody has reached it yet.
  if (message.type === "RequestVoteReply" && message.pre && message.granted) return true;
  emit(peer, { type: "higher-term-seen", message, term: peer.term });
  const leader = isFromLeader(message) ? message.from : null;
  const why: Reason = { rule: "higher-term", theirs: message.term, ours: peer.term, message: message.type };
  becomeFollower(peer, message.term, leader, why);
  return true;
}

function isFromLeader(message: Message): message is AppendEntries | Heartbeat | InstallSnapshot {
  return message.type === "AppendEntries" || message.type === "Heartbeat" || message.type === "InstallSnapshot";
}

/**
 * From a term that is over. A leader of an old term is told of ours, if otherwise it might never learn it: with
 * CheckQuorum or PreVote we may be unable to depose it by an election (etcd; thesis §9.6).
 */
function receiveOld(peer: PeerState, message: Message): void {
  const why: Reason = { rule: "lower-term", theirs: message.term, ours: peer.term };
  if ((peer.checkQuorum || peer.preVote) && (message.type === "Heartbeat" || message.type === "AppendEntries")) {
    sendAfterPersist(peer, {
      type: "AppendEntriesReply",
      from: peer.id,
      to: message.from,
      term: peer.term,
      rejected: false,
      index: 0,
      hint: ZERO,
    });
  } else if (message.type === "RequestVote" && message.pre) {
    refuseVote(peer, message, peer.log.last(), why);
  } else {
    emit(peer, { type: "message-ignored", message, term: peer.term, why });
  }
}

function stepLeader(peer: PeerState, message: Message): undefined | StepError {
  if (message.type === "ForwardProposal") return dropped(proposeAsLeader(peer, message.entries));
  if (message.type === "ReadIndex") {
    askReadAsLeader(peer, message);
    return undefined;
  }
  const from = peer.progress.get(message.from);
  if (from === undefined) {
    emit(peer, { type: "member-unknown", id: message.from });
    return undefined;
  }
  if (message.type === "AppendEntriesReply") takeAppendReply(peer, from, message);
  else if (message.type === "HeartbeatReply") takeHeartbeatReply(peer, from, message);
  else if (message.type === "ForwardTransfer") transferTo(peer, from);
  else ignoreInRole(peer, message);
  return undefined;
}

function stepFollower(peer: PeerState, message: Message): undefined | StepError {
  if (isFromLeader(message)) {
    resetElectionTimer(peer);
    setLeader(peer, message.from);
    takeFromLeader(peer, message);
  } else if (message.type === "TimeoutNow") takeTimeoutNow(peer, message);
  else if (message.type === "ForwardProposal") return dropped(forwardProposal(peer, message.from, message.entries));
  else if (message.type === "ForwardTransfer") forwardTransfer(peer, message.from);
  else if (message.type === "ReadIndex") forwardRead(peer, message);
  else if (message.type === "ReadIndexReply") peer.readStates.push({ context: message.context, index: message.index });
  else ignoreInRole(peer, message);
  return undefined;
}

function stepCandidate(peer: PeerState, message: Message): undefined | StepError {
  if (isFromLeader(message)) {
    // Somebody else won this term (§5.2).
    becomeFollower(peer, message.term, message.from, { rule: "leader-exists", leader: message.from });
    takeFromLeader(peer, message);
  } else if (message.type === "RequestVoteReply" && message.pre === (peer.role === "pre-candidate"))
    tallyVote(peer, message);
  else if (message.type === "TimeoutNow")
    emit(peer, { type: "timeout-now-ignored", from: message.from, term: peer.term, role: peer.role });
  else if (message.type === "ForwardProposal") return dropped(dropProposal(peer, { rule: "no-leader" }));
  else ignoreInRole(peer, message);
  return undefined;
}

function takeFromLeader(peer: PeerState, message: AppendEntries | Heartbeat | InstallSnapshot): void {
  if (message.type === "Heartbeat") takeHeartbeat(peer, message);
  else if (message.type === "AppendEntries") takeAppend(peer, message);
  else takeSnapshot(peer, message);
}

/** The leader hands over: campaign without waiting, and without asking whether it would do harm (thesis §3.10). */
function takeTimeoutNow(peer: PeerState, { from }: TimeoutNow): void {
  emit(peer, { type: "timeout-now-received", from, term: peer.term });
  standForElection(peer, { rule: "leadership-transfer", from });
}

function ignoreInRole(peer: PeerState, message: Message): void {
  emit(peer, { type: "message-ignored", message, term: peer.term, why: { rule: "not-for-role", role: peer.role } });
}

function propose(peer: PeerState, from: NodeId, proposals: readonly Proposal[]): undefined | StepError {
  const detail = whyBadProposals(proposals);
  if (detail !== null) return { error: "malformed-message", why: { rule: "malformed", detail } };
  if (peer.role === "leader") return dropped(proposeAsLeader(peer, proposals));
  if (peer.role === "follower") return dropped(forwardProposal(peer, from, proposals));
  return dropped(dropProposal(peer, { rule: "no-leader" }));
}

function dropped(why: Reason | null): undefined | StepError {
  return why === null ? undefined : { error: "proposal-dropped", why };
}

function askRead(peer: PeerState, request: ReadRequest): void {
  if (peer.role === "leader") askReadAsLeader(peer, request);
  else if (peer.role === "follower") forwardRead(peer, request);
  else dropRead(peer, request.context, { rule: "not-for-role", role: peer.role });
}

function transfer(peer: PeerState, to: NodeId): void {
  if (peer.role === "leader") aboutMember(peer, to, (target) => transferTo(peer, target));
  else if (peer.role === "follower") forwardTransfer(peer, to);
  else emit(peer, { type: "transfer-refused", to, term: peer.term, why: { rule: "not-for-role", role: peer.role } });
}

/** A report or a request about a member means something to a leader only. */
function aboutMember(peer: PeerState, id: NodeId, act: (member: Progress) => void): void {
  if (peer.role !== "leader") return;
  const member = peer.progress.get(id);
  if (member === undefined) emit(peer, { type: "member-unknown", id });
  else act(member);
}

// What no peer that follows the rules could have sent

function isCounter(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

function whyMalformed(peer: PeerState, message: Message): string | null {
  if (message.to !== peer.id) return `addressed to ${message.to}`;
  if (!isCounter(message.term)) return `term ${message.term}`;
  if (message.from === message.to && isFromLeader(message)) return "a leader's message to itself";
  switch (message.type) {
    case "AppendEntries":
      return whyBadAppend(message);
    case "Heartbeat":
      return isCounter(message.leaderCommit) ? null : `commit ${message.leaderCommit}`;
    case "AppendEntriesReply":
      return isCounter(message.index) && isCounter(message.hint.index) && isCounter(message.hint.term)
        ? null
        : `index ${message.index}, hint ${message.hint.term}/${message.hint.index}`;
    case "RequestVote":
      return isCounter(message.last.index) && isCounter(message.last.term) && message.last.term <= message.term
        ? null
        : `a candidate of term ${message.term} with last entry ${message.last.term}/${message.last.index}`;
    case "InstallSnapshot": {
      const { last, conf } = message.snapshot;
      if (!isCounter(last.term) || !isCounter(last.index)) return `a snapshot up to ${last.term}/${last.index}`;
      return isCoherent(conf) ? null : "a snapshot whose membership contradicts itself";
    }
    case "ForwardProposal":
      return whyBadProposals(message.entries);
    case "HeartbeatReply":
    case "RequestVoteReply":
    case "TimeoutNow":
    case "ForwardTransfer":
    case "ReadIndex":
      return null;
    case "ReadIndexReply":
      return isCounter(message.index) ? null : `index ${message.index}`;
    default:
      return `unknown type ${(message as { readonly type: string }).type}`;
  }
}

/** Entries follow one another and never fall in term; no entry is of a term that its leader has not reached. */
function whyBadAppend({ prev, entries, term, leaderCommit }: AppendEntries): string | null {
  if (!isCounter(prev.index) || !isCounter(prev.term)) return `prev ${prev.term}/${prev.index}`;
  if (!isCounter(leaderCommit)) return `commit ${leaderCommit}`;
  let before = prev;
  for (const entry of entries) {
    if (entry.index !== before.index + 1 || entry.term < before.term || entry.term > term)
      return `entry ${entry.term}/${entry.index} after ${before.term}/${before.index} in term ${term}`;
    before = entry;
  }
  return null;
}

function whyBadProposals(proposals: readonly Proposal[]): string | null {
  if (proposals.length === 0) return "a proposal of nothing";
  for (const { type, data } of proposals) {
    if (type === "normal") continue;
    try {
      decodeConfChange(type, data);
    } catch (error) {
      if (error instanceof ConfChangeMalformed) return error.message;
      throw error;
    }
  }
  return null;
}
