/**
 * Requests over the log (etcd's processInternalRaftRequestOnce): what is proposed, who waits for it, and what is answered
 * when it takes too long. A proposal that timed out may yet be carried out: only nobody hears of it.
 */
import type { Micros } from "../../base/units.ts";
import type { ConfChange } from "../../raft/conf-change.ts";
import type { Reason } from "../../raft/events.ts";
import type { Ticket } from "../../replica/service.ts";
import type { Stamp } from "../../sim/process.ts";
import { MAX_REQUEST_BYTES } from "../api/check.ts";
import { CODES, type EtcdError, etcdError } from "../api/errors.ts";
import * as m from "../api/messages.ts";
import type { Metadata, UnaryMethod } from "../api/methods.ts";
import { create, encodeGiven } from "../api/proto.ts";
import type { AuthInfo } from "../auth/auth-store.ts";
import { withoutHeader } from "./answers.ts";
import { requestTimeout } from "./config.ts";
import { type Caller, type Core, type IsGone, isFailure, nameOf, NOBODY, sooner } from "./core.ts";
import { PROPOSED, withHeader } from "./requests.ts";

/** Commands that may be committed and not applied before new ones are refused (etcd's maxGapBetweenApplyAndCommitIndex). */
const APPLY_GAP_MAX = 5_000;
const LOST_PROPOSAL: EtcdError = { code: CODES.Unknown, message: "raft proposal dropped" };
const NO_SPACE = etcdError("NoSpace").message;
const isFull = (response: object | EtcdError): response is EtcdError =>
  isFailure(response) && response.message === NO_SPACE;

/** `publish`: what a member tells of itself; `checkpoint`: what is left of leases. Both are the member's own. */
type ProposedMethod = UnaryMethod | "publish" | "checkpoint";

/** What is in the log for somebody. */
interface Pending {
  readonly caller: Caller;
  readonly startedAt: Micros;
  readonly deadline: Micros;
  /** Told instead of the outcome: an alarm had to be raised first. */
  readonly instead: EtcdError | null;
  readonly method: ProposedMethod;
}

/** A proposal that waits until somebody leads. */
interface Held {
  readonly command: Uint8Array;
  readonly pending: Pending;
}

export interface ProposalsCheckpoint {
  readonly pending: readonly (readonly [Ticket, Pending])[];
  readonly held: readonly Held[];
}

export class Proposals {
  readonly #core: Core;
  readonly #pending = new Map<Ticket, Pending>();
  #held: Held[] = [];

  constructor(core: Core) {
    this.#core = core;
  }

  /** A call whose request goes into the log just as it is. */
  call(caller: Caller, method: UnaryMethod, metadata: Metadata, body: object, stamp: Stamp): void {
    const field = PROPOSED[method];
    if (field === undefined) {
      const message = `unknown method ${method.slice(method.indexOf("/") + 1)}`;
      return this.#core.answer(caller, { code: CODES.Unimplemented, message }, stamp);
    }
    const info = caller.type === "nobody" ? this.#root() : this.#core.state.auth.infoOf(metadata.token);
    if (info !== null && isFailure(info)) return this.#core.answer(caller, info, stamp);
    this.propose(caller, method, { [field]: body }, info, stamp);
  }

  propose(
    caller: Caller,
    method: ProposedMethod,
    given: Partial<m.InternalRaftRequest>,
    info: AuthInfo | null,
    stamp: Stamp,
    instead: EtcdError | null = null,
  ): void {
    const core = this.#core;
    const { commit, applied } = core.host;
    if (commit - applied.index > APPLY_GAP_MAX) return core.answer(caller, etcdError("TooManyRequests"), stamp);
    const request = withHeader(given, core.host, core.nextSerial(), info);
    const full = method !== "publish" && !core.state.hasRoom(request);
    if (full) return this.#raiseNoSpace(caller, etcdError("NoSpace"), stamp);
    const command = encodeGiven(m.InternalRaftRequest, request);
    if (command.length > MAX_REQUEST_BYTES) return core.answer(caller, etcdError("RequestTooLarge"), stamp);
    const pending = this.#pendingFor(caller, method, stamp, instead);
    if (core.leader === null) this.#held.push({ command: command.slice(), pending });
    else this.#toLog(command, pending);
  }

  proposeConfChange(caller: Caller, method: UnaryMethod, change: ConfChange, stamp: Stamp): void {
    const ticket = this.#core.host.proposeConfChange(change);
    this.#pending.set(ticket, this.#pendingFor(caller, method, stamp, null));
  }

  isUnderWay(method: ProposedMethod): boolean {
    for (const pending of this.#pending.values()) if (pending.method === method) return true;
    return false;
  }

  /** An entry that this member proposed has been applied. */
  applied(ticket: Ticket, response: object | EtcdError, stamp: Stamp): void {
    const core = this.#core;
    const pending = this.#pending.get(ticket);
    if (pending === undefined) return;
    this.#pending.delete(ticket);
    const { caller, instead } = pending;
    if (instead !== null) return core.answer(caller, instead, stamp);
    if (pending.method === "Maintenance/Alarm" && core.config.compat === "3.4")
      return core.answer(caller, withoutHeader(response), stamp);
    if (isFull(response) && !core.state.hasAlarm("NOSPACE")) return this.#raiseNoSpace(caller, response, stamp);
    core.answer(caller, response, stamp);
  }

  /** What another member proposed: each member looks at its own disk, whoever asked. */
  appliedForOthers(response: object | EtcdError, stamp: Stamp): void {
    if (isFull(response)) this.#raiseNoSpace(NOBODY, response, stamp);
  }

  /** Raft would not take it. A change of membership is not asked for again: etcd's client hears of it. */
  refused(ticket: Ticket, why: Reason, stamp: Stamp): void {
    const pending = this.#pending.get(ticket);
    if (pending === undefined) return;
    this.#pending.delete(ticket);
    if (pending.method === "publish") return;
    this.#core.answer(pending.caller, why.rule === "no-leader" ? etcdError("NoLeader") : LOST_PROPOSAL, stamp);
  }

  /** Somebody leads: what waited for that goes into the log. */
  leaderKnown(): void {
    const held = this.#held;
    this.#held = [];
    for (const { command, pending } of held) this.#toLog(command, pending);
  }

  /** What is in the log is carried out all the same. */
  drop(isGone: IsGone): void {
    for (const [ticket, pending] of this.#pending)
      if (isGone(pending.caller)) this.#pending.set(ticket, { ...pending, caller: NOBODY });
    this.#held = this.#held.filter(({ pending }) => !isGone(pending.caller));
  }

  /** What waited too long is answered so. */
  expire(stamp: Stamp): void {
    const now = stamp.awake;
    const late: Pending[] = [];
    for (const [ticket, pending] of this.#pending) {
      if (pending.deadline > now) continue;
      this.#pending.delete(ticket);
      late.push(pending);
    }
    late.push(...this.#held.filter(({ pending }) => pending.deadline <= now).map(({ pending }) => pending));
    this.#held = this.#held.filter(({ pending }) => pending.deadline > now);
    for (const { caller, startedAt } of late) this.#core.answer(caller, this.#timeout(startedAt), stamp);
  }

  nextDeadline(): Micros | null {
    let next: Micros | null = null;
    for (const { deadline } of this.#pending.values()) next = sooner(next, deadline);
    for (const { pending } of this.#held) next = sooner(next, pending.deadline);
    return next;
  }

  checkpoint(): ProposalsCheckpoint {
    return { pending: [...this.#pending], held: [...this.#held] };
  }

  resume({ pending, held }: ProposalsCheckpoint): void {
    for (const [ticket, each] of pending) this.#pending.set(ticket, each);
    this.#held = [...held];
  }

  // ── inside ──

  #pendingFor(caller: Caller, method: ProposedMethod, { awake }: Stamp, instead: EtcdError | null): Pending {
    const { timers, config } = this.#core;
    const deadline = awake + requestTimeout(config);
    timers.requests ??= deadline;
    return { caller, method, startedAt: awake, deadline, instead };
  }

  #toLog(command: Uint8Array, pending: Pending): void {
    const { host, emit, leader } = this.#core;
    const ticket = host.propose(command);
    this.#pending.set(ticket, pending);
    const call = nameOf(pending.caller);
    if (call !== null && emit !== null)
      emit({ type: "etcd-proposed", call, key: host.keyOf(ticket), forwarded: leader !== host.id });
  }

  /** The alarm goes through the log first; then the caller hears why. */
  #raiseNoSpace(caller: Caller, error: EtcdError, stamp: Stamp): void {
    const { state, ownId } = this.#core;
    if (state.hasAlarm("NOSPACE")) return this.#core.answer(caller, error, stamp);
    const alarm = create(m.AlarmRequest, { action: "ACTIVATE", memberId: ownId, alarm: "NOSPACE" });
    this.propose(caller, "Maintenance/Alarm", { alarm }, this.#root(), stamp, error);
  }

  /** What the member does of itself nobody has to permit. */
  #root(): AuthInfo | null {
    const { auth } = this.#core.state;
    return auth.enabled ? { username: "root", revision: auth.revision } : null;
  }

  /** etcd's parseProposeCtxErr. */
  #timeout(startedAt: Micros): EtcdError {
    const { host, leader, leaderSince: since, config } = this.#core;
    if (since !== null && startedAt < since && startedAt > since - 2 * config.electionTimeout)
      return etcdError("TimeoutDueToLeaderFail");
    if (leader === host.id) {
      const voters = host.progress().filter(({ progress }) => !progress.learner);
      const active = voters.filter(({ id, progress }) => id === host.id || progress.active).length;
      if (active * 2 <= voters.length) return etcdError("TimeoutDueToConnectionLost");
    }
    return etcdError("Timeout");
  }
}
