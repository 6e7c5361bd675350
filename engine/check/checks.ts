/**
 * The Raft invariants, checked on the events of a trace as they come.
 *
 * Every rule is judged from what is on record, never from inside a process, at a cost per event that does not grow with
 * the log. The first violation stays; what comes after it is not judged. The state is plain data: a run goes back to a
 * checkpoint and its checks go with it.
 */
import type { Message } from "../raft/types.ts";
import type { ClientEvent } from "../replica/client.ts";
import type { ReplicaEvent } from "../replica/events.ts";
import type { TraceEvent, WorldEvent } from "../sim/events.ts";
import { Cluster, type ClusterState } from "./cluster.ts";
import {
  ackTooEarly,
  onOwnVote,
  onPersist,
  onRecoveredDisk,
  onSent,
  onSnapshotTaken,
  onSyncBegan,
  onSynced,
} from "./disks.ts";
import { onHigherTerm, onRole, onTimeoutNow } from "./elections.ts";
import { onCommit, onEntries, onRecoveredCommit, onRecoveredLog, onSnapshot, onTruncated } from "./logs.ts";
import {
  onAnswered,
  onApplied,
  onCommand,
  onConf,
  onHandedOut,
  onMachineRestored,
  onReadAsked,
  onReadConfirmed,
  onRequest,
} from "./machines.ts";
import type { Member } from "./member.ts";
import { type Breach, breach, type Violation } from "./violation.ts";

export interface ChecksState {
  readonly cluster: ClusterState;
  readonly violation: Violation | null;
  readonly panicAsked: number;
}

export class Checks {
  readonly #cluster: Cluster;
  /** Whose event was the last: several of one member follow each other, and a map is slower than a look at it. */
  #recent: Member | undefined;
  #violation: Violation | null;
  /** The event of the newest command by which somebody ended a process as panicked. */
  #panicAsked: number;

  constructor(state: ChecksState | null = null) {
    this.#cluster = state === null ? new Cluster() : Cluster.from(state.cluster);
    this.#violation = state?.violation ?? null;
    this.#panicAsked = state?.panicAsked ?? 0;
  }

  /** What broke first, if anything did. */
  get violation(): Violation | null {
    return this.#violation;
  }

  add(traced: TraceEvent): void {
    if (this.#violation !== null) return;
    const found = this.#judge(traced, traced.event as WorldEvent | ReplicaEvent | ClientEvent);
    if (found === null) return;
    this.#violation = { ...found, event: traced.id, at: traced.at, process: traced.process };
  }

  state(): ChecksState {
    return { cluster: this.#cluster.state(), violation: this.#violation, panicAsked: this.#panicAsked };
  }

  #judge(traced: TraceEvent, event: WorldEvent | ReplicaEvent | ClientEvent): Breach | null {
    if (traced.process === null) {
      if (event.type === "command" && event.command.type === "panic") this.#panicAsked = traced.id;
      return null;
    }
    const { process } = traced;
    const recent = this.#recent;
    const member = recent?.id === process ? recent : this.#cluster.members.get(process);
    if (member === undefined)
      return event.type === "recovered" ? this.#recovered(this.#cluster.member(process), event) : null;
    this.#recent = member;
    return this.#judgeMember(traced, member, event);
  }

  /** What happens at every write or heartbeat has a switch to itself: to look at an event's type is what costs most. */
  #judgeMember(traced: TraceEvent, member: Member, event: WorldEvent | ReplicaEvent | ClientEvent): Breach | null {
    const cluster = this.#cluster;
    switch (event.type) {
      case "delivered":
      case "timer-set":
      case "wrote":
      case "stable-advanced":
        return null;
      case "sent":
        return event.copyOf === null && event.body !== null ? onSent(cluster, member, event.body as Message) : null;
      case "persist-begun":
        onPersist(member, event);
        return null;
      case "sync-began":
        onSyncBegan(member, event.token);
        return null;
      case "synced":
        onSynced(member, event.token);
        return null;
      case "entries-shown":
        return onEntries(cluster, member, event.entries);
      case "match-advanced":
        // A leader counts itself like any member: when its entries are durable.
        return event.peer === member.node ? ackTooEarly(member, member.term, event.match) : null;
      case "commit-advanced":
        return onCommit(cluster, member, event);
      case "apply-handed-out":
        return onHandedOut(member, event);
      case "applied":
        return onApplied(member, event);
      case "command-applied":
        return onCommand(cluster, member, event);
      default:
        return this.#judgeRare(traced, member, event);
    }
  }

  #judgeRare(traced: TraceEvent, member: Member, event: WorldEvent | ReplicaEvent | ClientEvent): Breach | null {
    const cluster = this.#cluster;
    switch (event.type) {
      case "recovered":
        return this.#recovered(member, event);
      case "crashed":
        member.goDown();
        return null;
      case "panicked":
        return this.#panicked(member, traced.cause, event.message);
      case "retired":
        member.goDown();
        member.damaged = true;
        return null;
      case "wiped":
      case "corrupted":
        member.damaged = true;
        return null;
      case "role-changed":
        return onRole(cluster, member, traced.incarnation, event);
      case "higher-term-seen":
        return onHigherTerm(event);
      case "votes-tallied":
        return event.answer && !event.pre && event.from === member.node ? onOwnVote(cluster, member, event.term) : null;
      case "timeout-now-sent":
        return onTimeoutNow(cluster, member, event);
      case "entries-truncated":
        return onTruncated(member, event.from);
      case "snapshot-restoring":
        return onSnapshot(cluster, member, event);
      case "log-compacted":
        member.log.compact(event.upTo.index);
        return null;
      default:
        return this.#judgeMachine(member, event);
    }
  }

  #judgeMachine(member: Member, event: WorldEvent | ReplicaEvent | ClientEvent): Breach | null {
    const cluster = this.#cluster;
    switch (event.type) {
      case "machine-restored":
        return onMachineRestored(cluster, member, event.last.index, event.summary);
      case "snapshot-taken":
        onSnapshotTaken(member, event);
        return null;
      case "conf-switched":
        return onConf(cluster, member, event.conf);
      case "request-received":
        onRequest(member, event);
        return null;
      case "request-refused":
        member.forgetRequest(event.client, event.request);
        return null;
      case "request-answered":
        return onAnswered(cluster, member, event);
      case "read-index-asked":
      case "read-index-waits":
        onReadAsked(cluster, member, event.context);
        return null;
      case "read-index-confirmed":
        return onReadConfirmed(cluster, member, event);
      default:
        return null;
    }
  }

  #recovered(member: Member, event: Extract<ReplicaEvent, { type: "recovered" }>): Breach | null {
    const cluster = this.#cluster;
    const { snapshot, entries, commit, summary } = event;
    member.up = true;
    member.term = event.term;
    member.confChanges = [];
    member.confFrom = snapshot.index;
    return (
      onRecoveredLog(cluster, member, snapshot, entries) ??
      onRecoveredDisk(member, event, member.log) ??
      onRecoveredCommit(cluster, member, commit, snapshot.index) ??
      onMachineRestored(cluster, member, snapshot.index, summary)
    );
  }

  #panicked(member: Member, cause: number, message: string): Breach | null {
    const excused = member.damaged || (cause !== 0 && cause === this.#panicAsked);
    member.goDown();
    return excused ? null : breach("no-panic", { message });
  }
}
