/**
 * Standing for election, and voting (§5.2, §5.4.1; PreVote: thesis §9.6; leader lease: thesis §4.2.3).
 */
import { allVoters } from "./configuration.ts";
import type { Reason } from "./events.ts";
import { compareEntryId } from "./log.ts";
import { jointVoteResult } from "./quorum.ts";
import { appendOwn, broadcastAppend } from "./replication.ts";
import { becomeCandidate, becomeFollower, becomeLeader, becomePreCandidate } from "./roles.ts";
import type { PeerState } from "./state.ts";
import { emit, isPromotable, resetElectionTimer, send, sendAfterPersist } from "./state.ts";
import type { EntryId, RequestVote, RequestVoteReply, Term } from "./types.ts";
import { NO_DATA } from "./types.ts";

const EMPTY_ENTRY = [{ type: "normal", data: NO_DATA }] as const;

/**
 * Stands for election if it may (etcd MsgHup): not as leader, only as a member that can lead, and only when no
 * committed change of membership waits to be applied, for it says who votes.
 */
export function standForElection(peer: PeerState, why: Reason): void {
  const refusal = whyNotStand(peer);
  if (refusal !== null) return emit(peer, { type: "campaign-refused", term: peer.term, why: refusal });
  const pre = peer.preVote && why.rule !== "leadership-transfer";
  if (peer.emit !== null) peer.emit({ type: "election-started", term: peer.term, pre, last: peer.log.last(), why });
  campaign(peer, pre, why);
}

function whyNotStand(peer: PeerState): Reason | null {
  if (peer.role === "leader") return { rule: "already-leader" };
  if (!isPromotable(peer)) {
    const { own } = peer;
    return {
      rule: "not-promotable",
      member: own !== null,
      learner: own?.learner ?? false,
      snapshot: peer.log.pendingSnapshot !== null,
    };
  }
  if (peer.log.hasUnappliedConfChange())
    return { rule: "unapplied-conf-change", applied: peer.log.applied, commit: peer.log.commit };
  return null;
}

/** Asks every voter of both halves. A pre-vote names the term that the real election would have. */
function campaign(peer: PeerState, pre: boolean, why: Reason): void {
  if (pre) becomePreCandidate(peer, why);
  else becomeCandidate(peer, why);
  const term = pre ? peer.term + 1 : peer.term;
  const last = peer.log.last();
  const transfer = why.rule === "leadership-transfer";
  for (const to of allVoters(peer.conf)) {
    if (to === peer.id) {
      // Its own vote counts when it is durable, like anybody's.
      sendAfterPersist(peer, { type: "RequestVoteReply", from: peer.id, to, term, pre, granted: true });
      continue;
    }
    if (peer.emit !== null) peer.emit({ type: "vote-asked", to, pre, last, term: peer.term });
    send(peer, { type: "RequestVote", from: peer.id, to, term, pre, last, transfer });
  }
}

/**
 * One vote a term, and only for a log at least as up to date as ours (§5.2, §5.4.1). A pre-vote binds nobody, so it may
 * be given to anyone who stands for a later term. Who votes need not know that it is a voter: the candidate does.
 */
export function answerVote(peer: PeerState, ask: RequestVote): void {
  const free =
    peer.vote === ask.from || (peer.vote === null && peer.leader === null) || (ask.pre && ask.term > peer.term);
  const ours = peer.log.last();
  if (!free) return refuseVote(peer, ask, ours, { rule: "one-vote-a-term", vote: peer.vote, leader: peer.leader });
  if (compareEntryId(ask.last, ours) < 0 && !peer.broken.has("vote-without-log-check"))
    return refuseVote(peer, ask, ours, { rule: "log-up-to-date", theirs: ask.last, ours });
  emit(peer, {
    type: "vote-cast",
    candidate: ask.from,
    pre: ask.pre,
    theirs: ask.last,
    ours,
    voteBefore: peer.vote,
    term: peer.term,
  });
  replyVote(peer, ask, ask.term, true);
  if (ask.pre) return;
  resetElectionTimer(peer);
  peer.vote = ask.from;
}

export function refuseVote(peer: PeerState, ask: RequestVote, ours: EntryId, why: Reason): void {
  emit(peer, {
    type: "vote-refused",
    candidate: ask.from,
    pre: ask.pre,
    theirs: ask.last,
    ours,
    voteBefore: peer.vote,
    term: peer.term,
    why,
  });
  replyVote(peer, ask, peer.term, false);
}

function replyVote(peer: PeerState, ask: RequestVote, term: Term, granted: boolean): void {
  sendAfterPersist(peer, { type: "RequestVoteReply", from: peer.id, to: ask.from, term, pre: ask.pre, granted });
}

/** Whether a leader heard from lately protects its term from this candidate; if so, it gets no answer. */
export function ignoredByLease(peer: PeerState, ask: RequestVote): boolean {
  const { electionTicks } = peer.settings;
  const leased = peer.checkQuorum && peer.leader !== null && peer.electionElapsed < electionTicks;
  if (!leased || ask.transfer || peer.leader === null) return false;
  emit(peer, {
    type: "vote-ignored",
    candidate: ask.from,
    pre: ask.pre,
    theirs: ask.last,
    ours: peer.log.last(),
    voteBefore: peer.vote,
    term: peer.term,
    why: { rule: "leader-lease", leader: peer.leader, elapsedTicks: peer.electionElapsed, electionTicks },
  });
  return true;
}

/** A voter's first answer counts. Won: lead, or after a pre-vote stand for real. Lost: follow at the own term. */
export function tallyVote(peer: PeerState, reply: RequestVoteReply): void {
  if (!peer.votes.has(reply.from)) peer.votes.set(reply.from, reply.granted);
  const { granted, refused } = countVotes(peer);
  if (peer.emit !== null)
    peer.emit({
      type: "votes-tallied",
      from: reply.from,
      answer: reply.granted,
      pre: reply.pre,
      term: peer.term,
      granted,
      refused,
      answers: allVoters(peer.conf).map((id) => ({ id, granted: peer.votes.get(id) ?? null })),
    });
  const result = jointVoteResult(peer.conf.voters, peer.conf.votersOutgoing, peer.votes);
  if (result === "lost") becomeFollower(peer, peer.term, null, { rule: "votes-lost", granted, refused });
  if (result !== "won") return;
  if (peer.role === "pre-candidate") return campaign(peer, false, { rule: "pre-votes-won", granted, refused });
  becomeLeader(peer, { rule: "votes-won", granted, refused }, () => {
    if (!peer.broken.has("commit-old-term-by-counting")) appendOwn(peer, EMPTY_ENTRY);
  });
  broadcastAppend(peer);
}

/** Answers of learners are not counted, should one come. */
function countVotes(peer: PeerState): { readonly granted: number; readonly refused: number } {
  let granted = 0;
  let refused = 0;
  for (const progress of peer.peers) {
    const vote: boolean | undefined = progress.learner ? undefined : peer.votes.get(progress.id);
    if (vote === true) granted += 1;
    if (vote === false) refused += 1;
  }
  return { granted, refused };
}
