/**
 * The words of the Raft core: entries, messages, what a peer takes in and what it asks for.
 *
 * Named as in the Raft paper (Ongaro and Ousterhout, extended version, Figures 2 and 13) and in go.etcd.io/raft, whose
 * name stands beside each message. Everything here is plain data: it can be posted to a worker, kept in a trace and
 * replayed. Whether and when a message arrives, a write is durable or a tick passes is decided elsewhere.
 */
import { assert } from "../base/assert.ts";
import type { Brand } from "../base/brand.ts";

/** A member. Peers order ids by length, then by code unit: numeric order for hexadecimal ids, and n2 before n10. */
export type NodeId = Brand<string, "NodeId">;

function isNodeId(text: string): text is NodeId {
  return text.length > 0;
}

/** Names a member by any text but the empty one. */
export function nodeId(text: string): NodeId {
  assert(isNodeId(text), "a member has a name");
  return text;
}

/** What an entry without data holds. */
export const NO_DATA: Uint8Array = new Uint8Array(0);

export type Term = number;
export type Index = number;

/** Names one entry for good: two logs that hold an entry of the same id are equal up to it (§5.3, log matching). */
export interface EntryId {
  readonly term: Term;
  readonly index: Index;
}

/** `conf-change` is etcd's old form (one change), `conf-change-v2` the one that can be joint. */
export type EntryType = "normal" | "conf-change" | "conf-change-v2";

export interface Entry extends EntryId {
  readonly type: EntryType;
  /** What the state machine is given; empty for the entry that a new leader appends (§8). */
  readonly data: Uint8Array;
  /** A change of membership that was refused stood here: etcd writes this entry's type out, which counts in its size. */
  readonly refused?: true;
}

/** A peer's part in a term (§5.1); a pre-candidate asks whether an election would have a chance (thesis §9.6). */
export type Role = "follower" | "pre-candidate" | "candidate" | "leader";

/** What must survive a crash besides the log (Figure 2, persistent state). `commit` may lag; it only saves work. */
export interface HardState {
  readonly term: Term;
  readonly vote: NodeId | null;
  readonly commit: Index;
}

/** The membership as a snapshot keeps it. */
export interface ConfState {
  readonly voters: readonly NodeId[];
  readonly votersOutgoing: readonly NodeId[];
  readonly learners: readonly NodeId[];
  readonly learnersNext: readonly NodeId[];
  readonly autoLeave: boolean;
}

/** The state machine up to and with entry `last`. */
export interface Snapshot {
  readonly last: EntryId;
  readonly conf: ConfState;
  readonly data: Uint8Array;
}

interface Envelope {
  readonly from: NodeId;
  readonly to: NodeId;
  readonly term: Term;
}

/** MsgVote, and MsgPreVote when `pre` (thesis §9.6). */
export interface RequestVote extends Envelope {
  readonly type: "RequestVote";
  readonly pre: boolean;
  readonly last: EntryId;
  /** Campaigns on behalf of a leader that hands over: a lease does not stop it (thesis §3.10). */
  readonly transfer: boolean;
}
/** MsgVoteResp, MsgPreVoteResp. */
export interface RequestVoteReply extends Envelope {
  readonly type: "RequestVoteReply";
  readonly pre: boolean;
  readonly granted: boolean;
}
/** MsgApp. */
export interface AppendEntries extends Envelope {
  readonly type: "AppendEntries";
  /** The entry just before `entries`; a follower that lacks it refuses (§5.3). */
  readonly prev: EntryId;
  readonly entries: readonly Entry[];
  readonly leaderCommit: Index;
}
/** MsgAppResp. Accepted: `index` is the last entry that is now known to match. Refused: `index` is the refused prev. */
export interface AppendEntriesReply extends Envelope {
  readonly type: "AppendEntriesReply";
  readonly rejected: boolean;
  readonly index: Index;
  /** Where the logs may agree, so that probing takes one round a term and not one an entry; 0/0 when accepted. */
  readonly hint: EntryId;
}
/** MsgHeartbeat. `context` carries a ReadIndex request's id. */
export interface Heartbeat extends Envelope {
  readonly type: "Heartbeat";
  readonly leaderCommit: Index;
  readonly context: string | null;
}
/** MsgHeartbeatResp. */
export interface HeartbeatReply extends Envelope {
  readonly type: "HeartbeatReply";
  readonly context: string | null;
}
/** MsgSnap. */
export interface InstallSnapshot extends Envelope {
  readonly type: "InstallSnapshot";
  readonly snapshot: Snapshot;
}
/** MsgTimeoutNow: the leader asks its successor to campaign at once (thesis §3.10). */
export interface TimeoutNow extends Envelope {
  readonly type: "TimeoutNow";
}
/** MsgProp that a follower forwards. Its term is 0: it belongs to none until a leader appends it. */
export interface ForwardProposal extends Envelope {
  readonly type: "ForwardProposal";
  readonly entries: readonly Proposal[];
}
/** MsgTransferLeader that a follower forwards; `from` is the one that shall lead. */
export interface ForwardTransfer extends Envelope {
  readonly type: "ForwardTransfer";
}
/** MsgReadIndex, forwarded by a follower (thesis §6.4). */
export interface ReadIndex extends Envelope {
  readonly type: "ReadIndex";
  readonly context: string;
}
/** MsgReadIndexResp. */
export interface ReadIndexReply extends Envelope {
  readonly type: "ReadIndexReply";
  readonly context: string;
  readonly index: Index;
}

/** Replies that promise something the disk must already hold: they leave only from inside `Persist.then`. */
export type Ack = RequestVoteReply | AppendEntriesReply;

export type Message =
  | RequestVote
  | AppendEntries
  | Heartbeat
  | HeartbeatReply
  | InstallSnapshot
  | TimeoutNow
  | ForwardProposal
  | ForwardTransfer
  | ReadIndex
  | ReadIndexReply
  | Ack;

export type MessageType = Message["type"];

/** What is asked to be appended; it has no term and index yet. */
export interface Proposal {
  readonly type: EntryType;
  readonly data: Uint8Array;
  readonly refused?: true;
}
