/**
 * What a peer does, as it does it: the events of a trace.
 *
 * A peer calls `emit` in the order in which things happen. An event is plain data that nothing mutates afterwards. The
 * figures are complete: go.etcd.io/raft's log lines and a picture of the cluster can both be drawn from them, but no
 * wording is made here. Whatever is refused, waits or steps down says `why`.
 */
import type { ConfChange } from "./conf-change.ts";
import type { ConfState, Entry, EntryId, Index, Message, MessageType, NodeId, Role, Term } from "./types.ts";

/** A peer's copy of Progress at one moment (etcd tracker.Progress). */
export interface ProgressView {
  readonly state: ProgressState;
  readonly match: Index;
  readonly next: Index;
  readonly learner: boolean;
  /** No append may leave for it now. */
  readonly paused: boolean;
  /** The index of the snapshot that is on its way; 0 when none is. */
  readonly pendingSnapshot: Index;
  /** Heard from since the last check of the quorum. */
  readonly active: boolean;
  /** Appends on their way, and whether no more may be. */
  readonly inflight: number;
  readonly full: boolean;
}

/** How a leader feeds a follower: one append a round, a stream, or not at all while a snapshot travels. */
export type ProgressState = "probe" | "replicate" | "snapshot";

/** Why a leader's view of a follower changed. */
export type ProgressCause =
  | "replicating" // a probe found the match: stream from here
  | "decreased" // a refusal lowered next
  | "probing" // a stream was refused: back to one append a round
  | "recovered" // an acknowledged entry made the snapshot on its way unnecessary, or proved that it arrived
  | "snapshot-succeeded"
  | "snapshot-failed"
  | "unreachable"
  | "heartbeat-answered";

/** Why something was refused, waits or ended. Each rule names its source; the figures are those it was judged by. */
export type Reason =
  /** One vote a term; and none while a leader of the term is known (§5.2, Figure 2 RequestVote 2). */
  | { readonly rule: "one-vote-a-term"; readonly vote: NodeId | null; readonly leader: NodeId | null }
  /** A candidate's log must hold all that may be committed: compare last term, then last index (§5.4.1). */
  | { readonly rule: "log-up-to-date"; readonly theirs: EntryId; readonly ours: EntryId }
  /** A leader was heard from within the election timeout: it is not voted out (thesis §4.2.3, §6.4.1; CheckQuorum). */
  | {
      readonly rule: "leader-lease";
      readonly leader: NodeId;
      readonly elapsedTicks: number;
      readonly electionTicks: number;
    }
  /** A message of an older term is from a past that is over (§5.1). */
  | { readonly rule: "lower-term"; readonly theirs: Term; readonly ours: Term }
  /** A higher term ends every role of the old one (§5.1). */
  | { readonly rule: "higher-term"; readonly theirs: Term; readonly ours: Term; readonly message: MessageType }
  /** An append or heartbeat of this term proves that somebody else won it (§5.2). */
  | { readonly rule: "leader-exists"; readonly leader: NodeId }
  /** A leader that did not hear from a majority within an election timeout may be cut off (thesis §6.2; CheckQuorum). */
  | { readonly rule: "quorum-inactive"; readonly active: readonly NodeId[]; readonly voters: readonly NodeId[] }
  | { readonly rule: "votes-won"; readonly granted: number; readonly refused: number }
  | { readonly rule: "votes-lost"; readonly granted: number; readonly refused: number }
  /** Nothing was heard for the randomised timeout (§5.2). */
  | { readonly rule: "election-timeout"; readonly ticks: number }
  /** Somebody asked for an election by hand (etcd MsgHup). */
  | { readonly rule: "campaign-asked" }
  /** The leader hands over and lets its successor start at once (thesis §3.10). */
  | { readonly rule: "leadership-transfer"; readonly from: NodeId }
  /** Enough would vote for us: the real election may raise the term (thesis §9.6). */
  | { readonly rule: "pre-votes-won"; readonly granted: number; readonly refused: number }
  | { readonly rule: "started" }
  | { readonly rule: "already-leader" }
  /** Not in the configuration, a learner (thesis §4.2.1), or waiting for a snapshot to be stored. */
  | { readonly rule: "not-promotable"; readonly member: boolean; readonly learner: boolean; readonly snapshot: boolean }
  /** A committed change of membership must be applied before we count voters (etcd). */
  | { readonly rule: "unapplied-conf-change"; readonly applied: Index; readonly commit: Index }
  /** Nobody is known to lead: there is nobody to ask (§8). */
  | { readonly rule: "no-leader" }
  | { readonly rule: "forwarding-off"; readonly leader: NodeId }
  /** No proposals while leadership is handed over, so that the successor can catch up (thesis §3.10). */
  | { readonly rule: "transfer-in-progress"; readonly to: NodeId }
  /** A leader that left the configuration appends no more (thesis §4.2.2). */
  | { readonly rule: "not-a-member" }
  /** More is uncommitted already than the limit allows (etcd MaxUncommittedEntriesSize). */
  | {
      readonly rule: "uncommitted-limit";
      readonly bytes: number;
      readonly uncommitted: number;
      readonly limit: number;
    }
  /** One change of membership at a time (thesis §4.1). */
  | { readonly rule: "conf-change-pending"; readonly index: Index; readonly applied: Index }
  /** Without a voter nobody could agree on anything again: the application refuses the step (etcd, at apply). */
  | { readonly rule: "last-voter" }
  /** In a joint configuration the only change is to leave it (thesis §4.3). */
  | { readonly rule: "leave-joint-first" }
  | { readonly rule: "not-joint" }
  /** The log holds no entry of that index and term: appending behind it would break log matching (§5.3). */
  | { readonly rule: "log-matching"; readonly prev: EntryId; readonly ours: EntryId; readonly last: EntryId }
  /** What arrived is older than what is committed here. */
  | { readonly rule: "behind-commit"; readonly index: Index; readonly commit: Index }
  /** The log already holds the snapshot's last entry: only the commit moves. */
  | { readonly rule: "already-in-log"; readonly commit: Index }
  | { readonly rule: "not-in-snapshot-conf"; readonly conf: ConfState }
  /** A write was overtaken: the entry is no longer unstable, or another one stands at its index (etcd unstable). */
  | { readonly rule: "write-overtaken"; readonly found: "missing" | "snapshot" | "mismatch"; readonly ours: EntryId }
  /** Lease-based reads rest on the leader that is known: it must not be forgotten (etcd ReadOnlyLeaseBased). */
  | { readonly rule: "lease-based-reads" }
  /** A snapshot is not sent to one that has not been heard from. */
  | { readonly rule: "not-recently-active" }
  /** The host has no snapshot to give now. */
  | { readonly rule: "snapshot-unavailable" }
  | { readonly rule: "same-target"; readonly to: NodeId }
  | { readonly rule: "new-target"; readonly to: NodeId }
  | { readonly rule: "to-self" }
  /** A learner cannot lead (thesis §4.2.1). */
  | { readonly rule: "learner"; readonly id: NodeId }
  /** The successor did not take over within an election timeout (thesis §3.10). */
  | { readonly rule: "transfer-timeout" }
  /** A transition of role ends a transfer. */
  | { readonly rule: "role-changed"; readonly role: Role }
  /** The target is no voter any more. */
  | { readonly rule: "target-removed"; readonly to: NodeId }
  /** Removed from the configuration, or made a learner, while leading (thesis §4.2.2; etcd StepDownOnRemoval). */
  | { readonly rule: "removed"; readonly learner: boolean }
  /** No entry of this term is committed yet: what is committed is not known for sure (thesis §6.4, §5.4.2). */
  | { readonly rule: "commit-own-term-first"; readonly term: Term; readonly commit: Index }
  /** Who sent it is not in our configuration. */
  | { readonly rule: "unknown-member"; readonly id: NodeId }
  /** The message has no meaning in this role. */
  | { readonly rule: "not-for-role"; readonly role: Role }
  /** The message contradicts itself, or is addressed to somebody else. */
  | { readonly rule: "malformed"; readonly detail: string };

export type RuleName = Reason["rule"];

export type RaftEvent =
  /** The end of creation. */
  | {
      readonly type: "started";
      readonly voters: readonly NodeId[];
      readonly term: Term;
      readonly commit: Index;
      readonly applied: Index;
      readonly last: EntryId;
    }
  | {
      readonly type: "role-changed";
      readonly from: Role;
      readonly role: Role;
      readonly term: Term;
      readonly why: Reason;
    }
  /** The leader that this peer knows, or that it knows none any more. */
  | { readonly type: "leader-changed"; readonly leader: NodeId | null; readonly term: Term }
  /**
   * Nothing resets the timer but these: a granted vote, a leader's message, a transition (§5.2). When only the timeout
   * is another one, `elapsedTicks` of it are over already; they are 0 otherwise.
   */
  | { readonly type: "election-timer-reset"; readonly timeoutTicks: number; readonly elapsedTicks: number }
  | { readonly type: "heartbeat-timer-reset"; readonly timeoutTicks: number }

  // Elections
  | {
      readonly type: "election-started";
      readonly term: Term;
      readonly pre: boolean;
      readonly last: EntryId;
      readonly why: Reason;
    }
  | { readonly type: "campaign-refused"; readonly term: Term; readonly why: Reason }
  | {
      readonly type: "vote-asked";
      readonly to: NodeId;
      readonly pre: boolean;
      readonly last: EntryId;
      /** The asker's own term; a pre-vote's message names the next one. */
      readonly term: Term;
    }
  | {
      readonly type: "vote-cast";
      readonly candidate: NodeId;
      readonly pre: boolean;
      readonly theirs: EntryId;
      readonly ours: EntryId;
      readonly voteBefore: NodeId | null;
      readonly term: Term;
    }
  | {
      readonly type: "vote-refused";
      readonly candidate: NodeId;
      readonly pre: boolean;
      readonly theirs: EntryId;
      readonly ours: EntryId;
      readonly voteBefore: NodeId | null;
      readonly term: Term;
      readonly why: Reason;
    }
  /** No answer at all: the lease of the leader stands. */
  | {
      readonly type: "vote-ignored";
      readonly candidate: NodeId;
      readonly pre: boolean;
      readonly theirs: EntryId;
      readonly ours: EntryId;
      readonly voteBefore: NodeId | null;
      readonly term: Term;
      readonly why: Reason & { readonly rule: "leader-lease" };
    }
  /** An answer came in; the counts are those with it. */
  | {
      readonly type: "votes-tallied";
      readonly from: NodeId;
      readonly answer: boolean;
      readonly pre: boolean;
      readonly term: Term;
      readonly granted: number;
      readonly refused: number;
      readonly answers: readonly { readonly id: NodeId; readonly granted: boolean | null }[];
    }

  // Terms
  | { readonly type: "higher-term-seen"; readonly message: Message; readonly term: Term }
  /** A leader was told something by or about one that is not in its configuration. */
  | { readonly type: "member-unknown"; readonly id: NodeId }
  | { readonly type: "message-ignored"; readonly message: Message; readonly term: Term; readonly why: Reason }
  | {
      readonly type: "step-down";
      readonly term: Term;
      readonly why: Reason & { readonly rule: "quorum-inactive" };
    }

  // The log
  | { readonly type: "entries-appended"; readonly entries: readonly Entry[] }
  | { readonly type: "conflict-found"; readonly index: Index; readonly existing: Term; readonly conflicting: Term }
  /** Everything from `from` on is gone; `unstable` says what that did to the part that was not yet known durable. */
  | {
      readonly type: "entries-truncated";
      readonly from: Index;
      readonly last: EntryId;
      readonly unstable: "replaced" | "truncated";
    }
  | { readonly type: "commit-advanced"; readonly from: Index; readonly to: Index }
  | { readonly type: "apply-handed-out"; readonly from: Index; readonly to: Index }
  | { readonly type: "applied"; readonly from: Index; readonly to: Index }
  | { readonly type: "log-compacted"; readonly upTo: EntryId }
  /** The world reported entries up to `last` durable. */
  | { readonly type: "stable-advanced"; readonly from: Index; readonly to: Index }
  | {
      readonly type: "write-ignored";
      readonly last: EntryId;
      readonly why: Reason & { readonly rule: "write-overtaken" };
    }
  /** A report about a write of an older term; its entries may have been replaced since. */
  | {
      readonly type: "write-of-lower-term";
      readonly term: Term;
      readonly why: Reason & { readonly rule: "lower-term" };
    }

  // Replication
  | { readonly type: "append-refused"; readonly from: NodeId; readonly why: Reason & { readonly rule: "log-matching" } }
  | {
      readonly type: "append-refusal-received";
      readonly from: NodeId;
      readonly index: Index;
      readonly hint: EntryId;
    }
  /** A reply moved what a member is known to hold. It is the most frequent change by far, and so it is short. */
  | { readonly type: "match-advanced"; readonly peer: NodeId; readonly match: Index; readonly next: Index }
  | {
      readonly type: "progress-changed";
      readonly peer: NodeId;
      readonly cause: ProgressCause;
      /** Only when it recovered from a snapshot; else what the events before say. */
      readonly before: ProgressView | null;
      readonly after: ProgressView;
    }

  // Snapshots
  | {
      readonly type: "snapshot-sent";
      readonly to: NodeId;
      readonly snapshot: EntryId;
      readonly firstIndex: Index;
      readonly commit: Index;
      readonly before: ProgressView;
      readonly after: ProgressView;
    }
  | { readonly type: "snapshot-not-sent"; readonly to: NodeId; readonly why: Reason }
  | {
      readonly type: "snapshot-restoring";
      readonly snapshot: EntryId;
      readonly commit: Index;
      readonly applied: Index;
      readonly applying: Index;
      readonly unstableFrom: Index;
      readonly inProgressTo: Index;
      readonly unstableCount: number;
    }
  | { readonly type: "snapshot-restored"; readonly snapshot: EntryId; readonly commit: Index; readonly last: EntryId }
  | {
      readonly type: "snapshot-ignored";
      readonly snapshot: EntryId;
      readonly commit: Index;
      readonly last: EntryId;
      readonly why: Reason;
    }

  // Proposals
  | { readonly type: "proposal-dropped"; readonly term: Term; readonly why: Reason }
  | { readonly type: "proposal-forwarded"; readonly to: NodeId; readonly count: number }
  | {
      readonly type: "conf-change-refused";
      readonly change: ConfChange;
      readonly conf: ConfState;
      readonly why: Reason;
    }

  // Membership
  | { readonly type: "conf-switched"; readonly conf: ConfState }
  | { readonly type: "auto-leave"; readonly conf: ConfState; readonly dropped: Reason | null }

  // Leadership transfer
  | { readonly type: "transfer-started"; readonly to: NodeId; readonly term: Term }
  | { readonly type: "transfer-refused"; readonly to: NodeId; readonly term: Term; readonly why: Reason }
  | { readonly type: "transfer-aborted"; readonly to: NodeId; readonly term: Term; readonly why: Reason }
  /** `after` tells whether the target had everything at once or had to catch up first. */
  | { readonly type: "timeout-now-sent"; readonly to: NodeId; readonly after: "request" | "caught-up" }
  | { readonly type: "timeout-now-received"; readonly from: NodeId; readonly term: Term }
  | { readonly type: "timeout-now-ignored"; readonly from: NodeId; readonly term: Term; readonly role: Role }
  | { readonly type: "transfer-dropped"; readonly term: Term; readonly why: Reason }

  // Forgetting, reading
  | { readonly type: "leader-forgotten"; readonly leader: NodeId; readonly term: Term }
  | { readonly type: "forget-refused"; readonly term: Term; readonly why: Reason }
  | { readonly type: "read-index-asked"; readonly context: string; readonly from: NodeId; readonly index: Index }
  | { readonly type: "read-index-waits"; readonly context: string; readonly from: NodeId; readonly why: Reason }
  | { readonly type: "read-index-confirmed"; readonly context: string; readonly to: NodeId; readonly index: Index }
  | { readonly type: "read-index-dropped"; readonly context: string; readonly term: Term; readonly why: Reason };

export type Emit = (event: RaftEvent) => void;

/** What the protocol rules out was found: data was lost, or somebody breaks the rules. The peer must not go on. */
export class RaftPanic extends Error {
  override readonly name = "RaftPanic";
}
