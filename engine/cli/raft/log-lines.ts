/**
 * The log lines of go.etcd.io/raft, made from a peer's events (FORMAT.md §5). The core knows none of this wording.
 */
import { unreachable } from "../../base/assert.ts";
import type { RaftEvent, Reason } from "../../raft/events.ts";
import type { EntryId, NodeId } from "../../raft/types.ts";
import {
  describeConf,
  describeConfChange,
  describeConfStateAsText,
  describeProgress,
  describeRole,
  hex,
  messageType,
} from "./print.ts";

export const LEVELS = ["DEBUG", "INFO", "WARN", "ERROR", "FATAL", "NONE"] as const;
export type Level = (typeof LEVELS)[number];

export interface LogLine {
  readonly level: Level;
  readonly text: string;
}

type EventOf<Type extends RaftEvent["type"]> = RaftEvent & { readonly type: Type };

const NOTHING: readonly LogLine[] = [];

/** What etcd's peer `id` would log; most events it passes over in silence. */
export function logLines(id: NodeId, event: RaftEvent): readonly LogLine[] {
  switch (event.type) {
    case "started": {
      const { voters, term, commit, applied, last } = event;
      const peers = voters.map(hex).join(",");
      return info(
        `newRaft ${id} [peers: [${peers}], term: ${term}, commit: ${commit}, applied: ${applied}, lastindex: ${last.index}, lastterm: ${last.term}]`,
      );
    }
    case "role-changed":
      return info(`${id} became ${event.role} at term ${event.term}`);
    case "election-started":
      return info(`${id} is starting a new election at term ${event.term}`);
    case "campaign-refused":
      return campaignRefused(id, event);
    case "vote-asked": {
      const { last, pre, to, term } = event;
      return info(`${id} ${logOf(last)} sent ${voteType(pre)} request to ${hex(to)} at term ${term}`);
    }
    case "vote-cast": {
      const { pre, candidate, theirs, term } = event;
      return info(
        `${id} ${voterOf(event)} cast ${voteType(pre)} for ${hex(candidate)} ${logOf(theirs)} at term ${term}`,
      );
    }
    case "vote-refused": {
      const { pre, candidate, theirs, term } = event;
      return info(
        `${id} ${voterOf(event)} rejected ${voteType(pre)} from ${hex(candidate)} ${logOf(theirs)} at term ${term}`,
      );
    }
    case "vote-ignored": {
      const { pre, candidate, theirs, term, why } = event;
      const remaining = why.electionTicks - why.elapsedTicks;
      return info(
        `${id} ${voterOf(event)} ignored ${voteType(pre)} from ${hex(candidate)} ${logOf(theirs)} at term ${term}: lease is not expired (remaining ticks: ${remaining})`,
      );
    }
    case "votes-tallied": {
      const type = `${voteType(event.pre)}Resp`;
      const answer = event.answer ? type : `${type} rejection`;
      return [
        ...info(`${id} received ${answer} from ${hex(event.from)} at term ${event.term}`),
        ...info(`${id} has received ${event.granted} ${type} votes and ${event.refused} vote rejections`),
      ];
    }
    case "higher-term-seen": {
      const { message, term } = event;
      return info(
        `${id} [term: ${term}] received a ${messageType(message)} message with higher term from ${hex(message.from)} [term: ${message.term}]`,
      );
    }
    case "message-ignored": {
      const { message, term, why } = event;
      if (why.rule !== "lower-term") return NOTHING;
      return info(
        `${id} [term: ${term}] ignored a ${messageType(message)} message with lower term from ${hex(message.from)} [term: ${message.term}]`,
      );
    }
    case "member-unknown":
      return debug(`${id} no progress available for ${hex(event.id)}`);
    case "step-down":
      return warn(`${id} stepped down to follower since quorum is not active`);
    case "conflict-found": {
      const { index, existing, conflicting } = event;
      return info(`found conflict at index ${index} [existing term: ${existing}, conflicting term: ${conflicting}]`);
    }
    case "entries-truncated":
      return event.unstable === "replaced"
        ? info(`replace the unstable entries from index ${event.from}`)
        : info(`truncate the unstable entries before index ${event.from}`);
    case "write-ignored":
      return writeIgnored(event);
    case "write-of-lower-term":
      return info(
        `${id} [term: ${event.term}] ignored entry appends from a MsgStorageAppendResp message with lower term [term: ${event.why.theirs}]`,
      );
    case "append-refused": {
      const { prev, ours } = event.why;
      return debug(
        `${id} [logterm: ${ours.term}, index: ${prev.index}] rejected MsgApp [logterm: ${prev.term}, index: ${prev.index}] from ${hex(event.from)}`,
      );
    }
    case "append-refusal-received": {
      const { hint, from, index } = event;
      return debug(
        `${id} received MsgAppResp(rejected, hint: (index ${hint.index}, term ${hint.term})) from ${hex(from)} for index ${index}`,
      );
    }
    case "progress-changed":
      return progressChanged(id, event);
    case "snapshot-sent": {
      const { to, snapshot, firstIndex, commit, before, after } = event;
      return [
        ...debug(
          `${id} [firstindex: ${firstIndex}, commit: ${commit}] sent snapshot${idOf(snapshot)} to ${hex(to)} [${describeProgress(before)}]`,
        ),
        ...debug(`${id} paused sending replication messages to ${hex(to)} [${describeProgress(after)}]`),
      ];
    }
    case "snapshot-not-sent":
      if (event.why.rule !== "not-recently-active") return NOTHING;
      return debug(`ignore sending snapshot to ${hex(event.to)} since it is not recently active`);
    case "snapshot-restoring": {
      const { commit, applied, applying, unstableFrom, inProgressTo, unstableCount, snapshot } = event;
      return info(
        `log [committed=${commit}, applied=${applied}, applying=${applying}, unstable.offset=${unstableFrom}, unstable.offsetInProgress=${inProgressTo}, len(unstable.Entries)=${unstableCount}] starts to restore snapshot ${idOf(snapshot)}`,
      );
    }
    case "snapshot-restored": {
      const { commit, last, snapshot } = event;
      return [
        ...info(`${id} [commit: ${commit}, ${endOf(last)}] restored snapshot ${idOf(snapshot)}`),
        ...info(`${id} [commit: ${commit}] restored snapshot ${idOf(snapshot)}`),
      ];
    }
    case "snapshot-ignored":
      return snapshotIgnored(id, event);
    case "proposal-dropped":
      return proposalDropped(id, event);
    case "conf-change-refused": {
      const change = describeConfChange(event.change);
      return info(
        `${id} ignoring conf change ${change} at config ${describeConf(event.conf)}: ${confChangeReason(event.why)}`,
      );
    }
    case "conf-switched":
      return info(`${id} switched to configuration ${describeConf(event.conf)}`);
    case "auto-leave": {
      const conf = describeConf(event.conf);
      return event.dropped === null
        ? info(`initiating automatic transition out of joint configuration ${conf}`)
        : debug(`not initiating automatic transition out of joint configuration ${conf}: raft proposal dropped`);
    }
    case "transfer-started":
      return info(`${id} [term ${event.term}] starts to transfer leadership to ${hex(event.to)}`);
    case "transfer-refused":
      return transferRefused(id, event);
    case "transfer-aborted":
      if (event.why.rule !== "new-target") return NOTHING;
      return info(`${id} [term ${event.term}] abort previous transferring leadership to ${hex(event.to)}`);
    case "transfer-dropped":
      return info(`${id} no leader at term ${event.term}; dropping leader transfer msg`);
    case "timeout-now-sent": {
      const to = hex(event.to);
      return event.after === "request"
        ? info(`${id} sends MsgTimeoutNow to ${to} immediately as ${to} already has up-to-date log`)
        : info(`${id} sent MsgTimeoutNow to ${to} after received MsgAppResp`);
    }
    case "timeout-now-received":
      return info(
        `${id} [term ${event.term}] received MsgTimeoutNow from ${hex(event.from)} and starts an election to get leadership.`,
      );
    case "timeout-now-ignored":
      return debug(
        `${id} [term ${event.term} state ${describeRole(event.role)}] ignored MsgTimeoutNow from ${hex(event.from)}`,
      );
    case "leader-forgotten":
      return info(`${id} forgetting leader ${hex(event.leader)} at term ${event.term}`);
    case "forget-refused":
      return [{ level: "ERROR", text: "ignoring MsgForgetLeader due to ReadOnlyLeaseBased" }];
    case "read-index-dropped":
      return event.why.rule === "no-leader"
        ? info(`${id} no leader at term ${event.term}; dropping index reading msg`)
        : NOTHING;
    case "leader-changed":
    case "election-timer-reset":
    case "heartbeat-timer-reset":
    case "entries-appended":
    case "commit-advanced":
    case "apply-handed-out":
    case "applied":
    case "log-compacted":
    case "stable-advanced":
    case "match-advanced":
    case "proposal-forwarded":
    case "read-index-asked":
    case "read-index-waits":
    case "read-index-confirmed":
      return NOTHING;
    default:
      return unreachable(event);
  }
}

function debug(text: string): readonly LogLine[] {
  return [{ level: "DEBUG", text }];
}

function info(text: string): readonly LogLine[] {
  return [{ level: "INFO", text }];
}

function warn(text: string): readonly LogLine[] {
  return [{ level: "WARN", text }];
}

function voteType(pre: boolean): string {
  return pre ? "MsgPreVote" : "MsgVote";
}

function logOf(last: EntryId): string {
  return `[logterm: ${last.term}, index: ${last.index}]`;
}

function voterOf({ ours, voteBefore }: { readonly ours: EntryId; readonly voteBefore: NodeId | null }): string {
  return `[logterm: ${ours.term}, index: ${ours.index}, vote: ${hex(voteBefore)}]`;
}

function idOf(snapshot: EntryId): string {
  return `[index: ${snapshot.index}, term: ${snapshot.term}]`;
}

function endOf(last: EntryId): string {
  return `lastindex: ${last.index}, lastterm: ${last.term}`;
}

function campaignRefused(id: NodeId, { term, why }: EventOf<"campaign-refused">): readonly LogLine[] {
  if (why.rule === "already-leader") return debug(`${id} ignoring MsgHup because already leader`);
  if (why.rule === "unapplied-conf-change")
    return warn(`${id} cannot campaign at term ${term} since there are still pending configuration changes to apply`);
  return warn(`${id} is unpromotable and can not campaign`);
}

function writeIgnored({ last, why }: EventOf<"write-ignored">): readonly LogLine[] {
  if (why.found === "missing") return info(`entry at index ${last.index} missing from unstable log; ignoring`);
  if (why.found === "snapshot") return info(`entry at index ${last.index} matched unstable snapshot; ignoring`);
  return info(
    `entry at (index,term)=(${last.index},${last.term}) mismatched with entry at (${why.ours.index},${why.ours.term}) in unstable log; ignoring`,
  );
}

function progressChanged(id: NodeId, event: EventOf<"progress-changed">): readonly LogLine[] {
  const peer = hex(event.peer);
  const after = describeProgress(event.after);
  switch (event.cause) {
    case "decreased":
      return debug(`${id} decreased progress of ${peer} to [${after}]`);
    case "recovered":
      return debug(
        `${id} recovered from needing snapshot, resumed sending replication messages to ${peer} [${describeProgress(event.before ?? event.after)}]`,
      );
    case "snapshot-succeeded":
      return debug(`${id} snapshot succeeded, resumed sending replication messages to ${peer} [${after}]`);
    case "snapshot-failed":
      return debug(`${id} snapshot failed, resumed sending replication messages to ${peer} [${after}]`);
    case "unreachable":
      return debug(`${id} failed to send message to ${peer} because it is unreachable [${after}]`);
    case "replicating":
    case "probing":
    case "heartbeat-answered":
      return NOTHING;
    default:
      return unreachable(event.cause);
  }
}

function snapshotIgnored(id: NodeId, event: EventOf<"snapshot-ignored">): readonly LogLine[] {
  const { snapshot, commit, last, why } = event;
  const ignored = info(`${id} [commit: ${commit}] ignored snapshot ${idOf(snapshot)}`);
  if (why.rule === "already-in-log")
    return [
      ...info(`${id} [commit: ${why.commit}, ${endOf(last)}] fast-forwarded commit to snapshot ${idOf(snapshot)}`),
      ...ignored,
    ];
  if (why.rule === "not-in-snapshot-conf")
    return [
      ...warn(
        `${id} attempted to restore snapshot but it is not in the ConfState ${describeConfStateAsText(why.conf)}; should never happen`,
      ),
      ...ignored,
    ];
  return ignored;
}

function proposalDropped(id: NodeId, { term, why }: EventOf<"proposal-dropped">): readonly LogLine[] {
  if (why.rule === "transfer-in-progress")
    return debug(`${id} [term ${term}] transfer leadership to ${hex(why.to)} is in progress; dropping proposal`);
  if (why.rule === "uncommitted-limit")
    return warn(`${id} appending new entries to log would exceed uncommitted entry size limit; dropping proposal`);
  if (why.rule === "no-leader") return info(`${id} no leader at term ${term}; dropping proposal`);
  if (why.rule === "forwarding-off")
    return info(`${id} not forwarding to leader ${hex(why.leader)} at term ${term}; dropping proposal`);
  return NOTHING;
}

function confChangeReason(why: Reason): string {
  if (why.rule === "conf-change-pending")
    return `possible unapplied conf change at index ${why.index} (applied to ${why.applied})`;
  if (why.rule === "leave-joint-first") return "must transition out of joint config first";
  return "not in joint state; refusing empty conf change";
}

function transferRefused(id: NodeId, { to, term, why }: EventOf<"transfer-refused">): readonly LogLine[] {
  if (why.rule === "same-target")
    return info(
      `${id} [term ${term}] transfer leadership to ${hex(to)} is in progress, ignores request to same node ${hex(to)}`,
    );
  if (why.rule === "to-self") return debug(`${id} is already leader. Ignored transferring leadership to self`);
  if (why.rule === "learner") return debug(`${id} is learner. Ignored transferring leadership`);
  return NOTHING;
}
