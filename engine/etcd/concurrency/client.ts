/**
 * Sessions, locks, elections and transactional memory for a program that has an `EtcdClient`: it runs the routines of
 * this folder over the client's calls and watches.
 *
 * Its owner hands it what the client's `on` and `take` gave, and gets back what was not for it, and its own outcomes.
 */
import { assert, present, unreachable } from "../../base/assert.ts";
import { type Micros, SECOND } from "../../base/units.ts";
import type { Bytes } from "../api/bytes.ts";
import type { EtcdError } from "../api/errors.ts";
import type { LeaseId } from "../api/ids.ts";
import type { Compare, ResponseHeader } from "../api/messages.ts";
import type { ResponseOf } from "../api/methods.ts";
import { type ClientOutcome, earliest, type EtcdClient } from "../client/client.ts";
import type { Ticket } from "../client/channel.ts";
import type { ConcurrencyEvent, SessionEnd } from "../client/events.ts";
import { CANCELED, DEADLINE_EXCEEDED } from "../client/policy.ts";
import {
  abandonCampaign,
  beginCampaign,
  beginObserve,
  campaign,
  type CampaignState,
  type Elected,
  leaderOf,
  leaderRequest,
  type Leadership,
  observe,
  type Observed,
  type ObserveState,
  proclaimRefused,
  proclaimTxn,
  resignTxn,
} from "./election.ts";
import {
  abandonLock,
  beginLock,
  type Compat,
  isOwner,
  lock,
  type Locked,
  type LockState,
  unlockCall,
  unlockRefused,
  RELEASED_KEY,
} from "./mutex.ts";
import { call, type CallStep, type Reply, type Step, type WatchStep } from "./routine.ts";
import { beginStm, type Committed, type Isolation, stm, type Stm, type StmState } from "./stm.ts";

export const SESSION_TTL = 60;

/** Transactions by name, so that one under way is plain data. They must do the same for the same reads and arguments. */
export type StmFunctions = Readonly<Record<string, (stm: Stm, args: unknown) => void>>;

export interface TaskOptions {
  /** The whole task fails with DeadlineExceeded then; null or left out: never. */
  readonly timeout?: Micros | null;
}

export type ConcurrencyOutcome =
  | { readonly type: "session"; readonly session: number; readonly lease: LeaseId }
  /** It could not be granted; else it has ended. */
  | { readonly type: "session-failed"; readonly session: number; readonly error: EtcdError }
  | { readonly type: "session-ended"; readonly session: number; readonly why: SessionEnd }
  | ({ readonly type: "locked"; readonly task: number } & Locked)
  | { readonly type: "unlocked"; readonly task: number; readonly header: ResponseHeader | null }
  | ({ readonly type: "elected"; readonly task: number } & Elected)
  | { readonly type: "proclaimed" | "resigned"; readonly task: number; readonly header: ResponseHeader | null }
  /** Of `leader` once, of `observe` again and again. */
  | ({ readonly type: "leader"; readonly task: number } & Observed)
  | ({ readonly type: "committed"; readonly task: number } & Committed)
  | { readonly type: "task-failed"; readonly task: number; readonly error: EtcdError };

interface SessionState {
  readonly session: number;
  readonly ttl: number;
  readonly lease: LeaseId | null;
  /** Its grant, or its revocation. */
  readonly ticket: Ticket | null;
  readonly state: "granting" | "alive" | "closing" | "over";
}

type Work =
  | { readonly kind: "lock"; readonly state: LockState }
  | { readonly kind: "campaign"; readonly state: CampaignState }
  | { readonly kind: "observe"; readonly state: ObserveState }
  | { readonly kind: "stm"; readonly state: StmState; readonly name: string; readonly args: unknown }
  /** One call each. */
  | { readonly kind: "unlock" | "proclaim" | "resign" | "leader" };

interface Task {
  readonly task: number;
  readonly work: Work;
  readonly deadline: Micros | null;
  readonly ticket: Ticket | null;
  readonly watch: number | null;
}

/** A lock that was got: what `unlock` and `ownerCompare` need. */
interface Held {
  readonly prefix: Bytes;
  /** Null once it was released. */
  readonly key: Bytes | null;
  readonly ownRevision: number;
}

interface State {
  count: number;
  sessions: Map<number, SessionState>;
  tasks: Map<number, Task>;
  held: Map<number, Held>;
}

export class Concurrency {
  readonly #client: EtcdClient;
  readonly #compat: Compat;
  readonly #functions: StmFunctions;
  readonly #emit: ((event: ConcurrencyEvent) => void) | null;
  #outcomes: ConcurrencyOutcome[] = [];
  #state: State = { count: 0, sessions: new Map(), tasks: new Map(), held: new Map() };

  constructor(
    client: EtcdClient,
    emit: ((event: ConcurrencyEvent) => void) | null,
    { compat = "3.5", functions = {} }: { readonly compat?: Compat; readonly functions?: StmFunctions } = {},
  ) {
    this.#client = client;
    this.#compat = compat;
    this.#functions = functions;
    this.#emit = emit;
  }

  // ── sessions ──

  /** A lease that is kept alive: a new one of `ttl` seconds, or the one that is given. */
  session({ ttl = SESSION_TTL, lease }: { readonly ttl?: number; readonly lease?: LeaseId } = {}): number {
    const session = this.#next();
    if (lease === undefined) {
      const ticket = this.#client.call("Lease/LeaseGrant", { ttl });
      this.#state.sessions.set(session, { session, ttl, lease: null, ticket, state: "granting" });
    } else {
      this.#state.sessions.set(session, { session, ttl, lease, ticket: null, state: "alive" });
      this.#alive(session, lease, ttl);
    }
    return session;
  }

  /** The session's lease; null before it was granted. */
  leaseOf(session: number): LeaseId | null {
    return this.#state.sessions.get(session)?.lease ?? null;
  }

  /** Keeps its lease alive no more: it lives on for as long as it has. */
  orphan(session: number): void {
    const known = this.#state.sessions.get(session);
    if (known?.state === "alive") this.#endSession(known, "orphaned");
  }

  /** Orphans the session, and revokes its lease. */
  close(session: number): void {
    const known = this.#state.sessions.get(session);
    if (known?.lease === null || known?.state !== "alive") return;
    const { lease, ttl } = known;
    this.#client.releaseLease(lease);
    const ticket = this.#client.call("Lease/LeaseRevoke", { id: lease }, { timeout: ttl * SECOND });
    this.#state.sessions.set(session, { ...known, state: "closing", ticket });
  }

  // ── locks ──

  lock(session: number, name: Bytes, options: TaskOptions & { readonly tryOnly?: boolean } = {}): number {
    const { state, step } = beginLock(name, this.#leaseOf(session), this.#compat, options.tryOnly);
    return this.#begin({ kind: "lock", state }, step, options);
  }

  /** @param locked the task that got the lock */
  unlock(locked: number, options: TaskOptions = {}): number {
    const held = this.#state.held.get(locked);
    assert(held !== undefined, "what is unlocked was locked");
    const refused = unlockRefused(held.prefix, held.key, this.#compat);
    if (refused !== null) return this.#begin({ kind: "unlock" }, { type: "failed", error: refused }, options);
    const task = this.#begin({ kind: "unlock" }, unlockCall(held.key ?? RELEASED_KEY), options);
    this.#state.held.set(locked, { ...held, key: null });
    return task;
  }

  /** Holds in a txn while the lock is owned by the one who got it with that task. */
  ownerCompare(locked: number): Compare {
    const { key, ownRevision } = present(this.#state.held.get(locked), "a lock that was got");
    return isOwner(key ?? RELEASED_KEY, key === null ? -1 : ownRevision);
  }

  // ── elections ──

  campaign(session: number, name: Bytes, value: Bytes, options: TaskOptions = {}): number {
    const { state, step } = beginCampaign(name, this.#leaseOf(session), value);
    return this.#begin({ kind: "campaign", state }, step, options);
  }

  proclaim(leadership: Leadership, value: Bytes, options: TaskOptions = {}): number {
    return this.#begin({ kind: "proclaim" }, call("KV/Txn", proclaimTxn(leadership, value)), options);
  }

  resign(leadership: Leadership, options: TaskOptions = {}): number {
    return this.#begin({ kind: "resign" }, call("KV/Txn", resignTxn(leadership)), options);
  }

  leader(name: Bytes, options: TaskOptions = {}): number {
    return this.#begin({ kind: "leader" }, call("KV/Range", leaderRequest(name)), options);
  }

  /** Tells leaders until it is abandoned, or fails. */
  observe(name: Bytes, options: TaskOptions = {}): number {
    const { state, step } = beginObserve(name);
    return this.#begin({ kind: "observe", state }, step, options);
  }

  // ── transactional memory ──

  stm(name: string, args: unknown, isolation: Isolation = "serializable-snapshot", options: TaskOptions = {}): number {
    const { state, step } = beginStm(isolation, this.#function(name, args));
    return this.#begin({ kind: "stm", state, name, args }, step, options);
  }

  /** The caller's context is cancelled: what waits is given up, and its key taken back. */
  abandon(task: number, error: EtcdError = CANCELED): void {
    const known = this.#state.tasks.get(task);
    if (known === undefined) return;
    const { work } = known;
    if (work.kind === "lock") {
      const turn = abandonLock(work.state, error);
      if (turn !== null) this.#go(this.#drop({ ...known, work: { ...work, state: turn.state } }), turn.step);
    } else if (work.kind === "campaign") {
      const turn = abandonCampaign(work.state, error);
      if (turn !== null) this.#go(this.#drop({ ...known, work: { ...work, state: turn.state } }), turn.step);
    } else this.#go(this.#drop(known), { type: "failed", error });
  }

  /** After the client's `on` or `take`: what of its outcomes was for somebody else, and what came of sessions and tasks. */
  take(outcomes: readonly ClientOutcome[]): readonly (ClientOutcome | ConcurrencyOutcome)[] {
    const others = outcomes.filter((outcome) => !this.#mine(outcome));
    const { now } = this.#client;
    for (const { task, deadline } of this.#state.tasks.values())
      if (deadline !== null && deadline <= now) this.abandon(task, DEADLINE_EXCEEDED);
    const own = this.#outcomes;
    this.#outcomes = [];
    return own.length === 0 ? others : [...others, ...own];
  }

  /** As the client's: an awake time. */
  wakeAt(): Micros | null {
    return this.#client.awake(earliest([...this.#state.tasks.values()].map(({ deadline }) => deadline)));
  }

  checkpoint(): unknown {
    return copy(this.#state);
  }

  restore(checkpoint: unknown): void {
    this.#state = copy(checkpoint as State);
  }

  // ── running ──

  #next(): number {
    this.#state.count += 1;
    return this.#state.count;
  }

  #leaseOf(session: number): LeaseId {
    return present(this.leaseOf(session), "the lease of the session");
  }

  #function(name: string, args: unknown): (stm: Stm) => void {
    const apply = present(this.#functions[name], `the transaction ${name}`);
    return (access) => apply(access, args);
  }

  #begin(work: Work, step: Step<unknown>, { timeout = null }: TaskOptions): number {
    const task = this.#next();
    const deadline = timeout === null ? null : this.#client.now + timeout;
    this.#go({ task, work, deadline, ticket: null, watch: null }, step);
    return task;
  }

  /** Nothing of what was under way matters any more. */
  #drop(task: Task): Task {
    if (task.ticket !== null) this.#client.discard(task.ticket);
    if (task.watch !== null) this.#client.discardWatch(task.watch);
    return { ...task, ticket: null, watch: null, deadline: null };
  }

  #go(task: Task, step: Step<unknown>): void {
    const { tasks } = this.#state;
    if (step.type === "watch-on") {
      tasks.set(task.task, task);
      return;
    }
    if (task.watch !== null) this.#client.discardWatch(task.watch);
    switch (step.type) {
      case "call":
        tasks.set(task.task, { ...task, ticket: this.#ask(step), watch: null });
        return;
      case "watch":
        tasks.set(task.task, { ...task, ticket: null, watch: this.#watch(step) });
        return this.#tellWaiting(task.task, task.work);
      case "done":
        tasks.delete(task.task);
        return this.#done(task, step.result);
      case "failed":
        tasks.delete(task.task);
        this.#emit?.({ type: "task-failed", task: task.task, kind: task.work.kind, error: step.error });
        this.#outcomes.push({ type: "task-failed", task: task.task, error: step.error });
        return;
      default:
        unreachable(step);
    }
  }

  /** Without a limit of its own: the task's is the one that counts, as one context serves the whole of it. */
  #ask({ method, body }: CallStep): Ticket {
    return this.#client.call(method, body, { timeout: null });
  }

  #watch({ key, rangeEnd, startRevision }: WatchStep): number {
    return this.#client.watch(key, { rangeEnd, startRevision });
  }

  /** Whether it was for a task or a session of this one. */
  #mine(outcome: ClientOutcome): boolean {
    switch (outcome.type) {
      case "answer":
      case "failed": {
        const reply: Reply =
          outcome.type === "answer" ? { type: "answer", body: outcome.body } : { type: "error", error: outcome.error };
        for (const session of this.#state.sessions.values())
          if (session.ticket === outcome.ticket) return this.#sessionReply(session, reply);
        for (const task of this.#state.tasks.values())
          if (task.ticket === outcome.ticket) return this.#reply({ ...task, ticket: null }, reply);
        return false;
      }
      case "watch-events":
        return this.#watchReply(outcome.watch, { type: "events", header: outcome.header, events: outcome.events });
      case "watch-closed":
        return this.#watchReply(outcome.watch, { type: "watch-ended", error: outcome.error ?? CANCELED });
      case "keep-alive-ended": {
        let mine = false;
        for (const session of this.#state.sessions.values()) {
          if (session.lease !== outcome.lease || session.state !== "alive") continue;
          this.#endSession(session, outcome.why);
          mine = true;
        }
        return mine;
      }
      case "kept-alive":
      case "message":
      case "ended":
      case "connection":
      case "watch-created":
        return false;
      default:
        return unreachable(outcome);
    }
  }

  #watchReply(watch: number, reply: Reply): boolean {
    for (const task of this.#state.tasks.values()) {
      if (task.watch !== watch) continue;
      return this.#reply(reply.type === "watch-ended" ? { ...task, watch: null } : task, reply);
    }
    return false;
  }

  #reply(task: Task, reply: Reply): true {
    const { work } = task;
    switch (work.kind) {
      case "lock": {
        const { state, step } = lock(work.state, reply);
        this.#go({ ...task, work: { ...work, state } }, step);
        return true;
      }
      case "campaign": {
        const { state, step } = campaign(work.state, reply);
        this.#go({ ...task, work: { ...work, state } }, step);
        return true;
      }
      case "observe": {
        const { state, step, told } = observe(work.state, reply);
        for (const seen of told) this.#outcomes.push({ type: "leader", task: task.task, ...seen });
        this.#go({ ...task, work: { ...work, state } }, step);
        return true;
      }
      case "stm": {
        const { state, step } = stm(work.state, reply, this.#function(work.name, work.args));
        this.#go({ ...task, work: { ...work, state } }, step);
        return true;
      }
      case "unlock":
      case "proclaim":
      case "resign":
      case "leader":
        if (reply.type === "error") this.#go(task, { type: "failed", error: reply.error });
        else if (reply.type === "answer") this.#go(task, { type: "done", result: reply.body });
        return true;
      default:
        return unreachable(work);
    }
  }

  #done({ task, work }: Task, result: unknown): void {
    switch (work.kind) {
      case "lock": {
        const locked = result as Locked;
        const { prefix } = work.state;
        this.#state.held.set(task, { prefix, key: locked.key, ownRevision: locked.ownRevision });
        this.#tellOwned(task, "lock", locked.key, locked.ownRevision);
        this.#outcomes.push({ type: "locked", task, ...locked });
        return;
      }
      case "campaign": {
        const elected = result as Elected;
        this.#tellOwned(task, "campaign", elected.leadership.key, elected.leadership.revision);
        this.#outcomes.push({ type: "elected", task, ...elected });
        return;
      }
      case "stm":
        this.#outcomes.push({ type: "committed", task, ...(result as Committed) });
        return;
      case "unlock":
        this.#outcomes.push({ type: "unlocked", task, header: (result as ResponseOf<"KV/DeleteRange">).header });
        return;
      case "resign":
        this.#outcomes.push({ type: "resigned", task, header: (result as ResponseOf<"KV/Txn">).header });
        return;
      case "proclaim": {
        const { succeeded, header } = result as ResponseOf<"KV/Txn">;
        const error = proclaimRefused(succeeded);
        this.#outcomes.push(
          error === null ? { type: "proclaimed", task, header } : { type: "task-failed", task, error },
        );
        return;
      }
      case "leader": {
        const found = leaderOf(result as ResponseOf<"KV/Range">);
        this.#outcomes.push(
          "kv" in found ? { type: "leader", task, ...found } : { type: "task-failed", task, error: found },
        );
        return;
      }
      case "observe":
        return;
      default:
        unreachable(work);
    }
  }

  #tellOwned(task: number, kind: "lock" | "campaign", key: Bytes, revision: number): void {
    this.#emit?.({ type: "queue-owned", task, kind, key, revision });
  }

  #tellWaiting(task: number, work: Work): void {
    if (work.kind !== "lock" && work.kind !== "campaign") return;
    const watching = work.state.wait?.watching ?? null;
    if (this.#emit === null || watching === null) return;
    const own =
      work.kind === "lock"
        ? { key: work.state.key, revision: work.state.ownRevision }
        : present(work.state.leadership, "the key of a candidate that waits");
    this.#emit({
      type: "queue-waiting",
      task,
      kind: work.kind,
      key: own.key,
      revision: own.revision,
      behind: watching.key,
      behindRevision: watching.createRevision,
    });
  }

  // ── sessions ──

  #sessionReply(session: SessionState, reply: Reply): true {
    if (session.state === "closing") {
      this.#over(session, "closed");
      return true;
    }
    if (reply.type === "error") {
      this.#state.sessions.delete(session.session);
      this.#outcomes.push({ type: "session-failed", session: session.session, error: reply.error });
    } else if (reply.type === "answer") {
      const { id, ttl } = reply.body as ResponseOf<"Lease/LeaseGrant">;
      this.#state.sessions.set(session.session, { ...session, lease: id, ttl, ticket: null, state: "alive" });
      this.#alive(session.session, id, ttl);
    }
    return true;
  }

  #alive(session: number, lease: LeaseId, ttl: number): void {
    this.#client.keepAlive(lease);
    this.#emit?.({ type: "session-begun", session, lease, ttl });
    this.#outcomes.push({ type: "session", session, lease });
  }

  #endSession(session: SessionState, why: SessionEnd): void {
    if (why === "orphaned" && session.lease !== null) this.#client.releaseLease(session.lease);
    this.#over(session, why);
  }

  #over(session: SessionState, why: SessionEnd): void {
    this.#state.sessions.set(session.session, { ...session, state: "over", ticket: null });
    if (session.lease !== null)
      this.#emit?.({ type: "session-ended", session: session.session, lease: session.lease, why });
    this.#outcomes.push({ type: "session-ended", session: session.session, why });
  }
}

function copy(state: State): State {
  return {
    count: state.count,
    sessions: new Map(state.sessions),
    tasks: new Map(state.tasks),
    held: new Map(state.held),
  };
}
