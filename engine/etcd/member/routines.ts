/**
 * The Lock and Election services (etcd server/etcdserver/api/v3lock, v3election): recipes of the concurrency package that
 * the member runs for a client, over its own calls and watches. What goes wrong in them comes back with the code
 * Unknown, whatever it had.
 */
import { unreachable } from "../../base/assert.ts";
import type { ConnectionId, Stamp } from "../../sim/process.ts";
import type { Bytes } from "../api/bytes.ts";
import { CODES, type EtcdError } from "../api/errors.ts";
import { type LeaseId, NO_LEASE } from "../api/ids.ts";
import {
  CampaignResponse,
  DeleteRangeRequest,
  LeaderKey,
  LeaderResponse,
  LeaseGrantRequest,
  type LeaseGrantResponse,
  LockResponse,
  ProclaimResponse,
  type RangeResponse,
  ResignResponse,
  type TxnResponse,
  UnlockResponse,
  WatchCreateRequest,
  WatchRequest,
  type WatchResponse,
} from "../api/messages.ts";
import type { Metadata, RequestOf, UnaryMethod } from "../api/methods.ts";
import { create } from "../api/proto.ts";
import {
  abandonCampaign,
  beginCampaign,
  beginObserve,
  campaign,
  type CampaignState,
  type Elected,
  leaderOf,
  leaderRequest,
  observe,
  type ObserveState,
  proclaimRefused,
  proclaimTxn,
  resignTxn,
} from "../concurrency/election.ts";
import { abandonLock, beginLock, lock, type Locked, type LockState } from "../concurrency/mutex.ts";
import { ownError, type Reply, type Step } from "../concurrency/routine.ts";
import { type Caller, type Core, isFailure, NOBODY } from "./core.ts";
import type { Leases } from "./leases.ts";
import type { Watches } from "./watches.ts";

/** Seconds: the concurrency package's, for a session that brings no lease. */
const SESSION_TTL = 60;
const MISSING_LEADER = ownError('"leader" field must be provided');
const CANCELLED: EtcdError = { code: CODES.Canceled, message: "context canceled" };

export type ServiceMethod =
  | "Lock/Lock"
  | "Lock/Unlock"
  | "Election/Campaign"
  | "Election/Proclaim"
  | "Election/Leader"
  | "Election/Resign";

type Work =
  /** A lease of its own is being granted to it. */
  | { readonly at: "session"; readonly then: "lock" | "campaign"; readonly name: Bytes; readonly value: Bytes }
  | { readonly at: "lock"; readonly state: LockState }
  | { readonly at: "campaign"; readonly name: Bytes; readonly state: CampaignState }
  | { readonly at: "observe"; readonly state: ObserveState }
  /** One call, whose answer is the service's. */
  | { readonly at: "call"; readonly method: ServiceMethod };

interface Running {
  readonly caller: Caller;
  readonly metadata: Metadata;
  readonly work: Work;
  /** Counts its watches: each has a stream of its own. */
  readonly watches: number;
  readonly watching: boolean;
}

export interface RoutinesCheckpoint {
  readonly running: readonly (readonly [number, Running])[];
  readonly ids: number;
}

export class Routines {
  readonly #core: Core;
  readonly #watches: Watches;
  readonly #leases: Leases;
  /** One more leader for a client that observes. */
  readonly #tell: (caller: Caller, message: object, stamp: Stamp) => void;
  readonly #running = new Map<number, Running>();
  #ids = 0;

  constructor(
    core: Core,
    watches: Watches,
    leases: Leases,
    tell: (caller: Caller, message: object, stamp: Stamp) => void,
  ) {
    this.#core = core;
    this.#watches = watches;
    this.#leases = leases;
    this.#tell = tell;
  }

  begin(caller: Caller, method: ServiceMethod, metadata: Metadata, body: object, stamp: Stamp): void {
    switch (method) {
      case "Lock/Lock": {
        const { name, lease } = body as RequestOf<"Lock/Lock">;
        return this.#session(caller, metadata, "lock", { name, lease, value: "" }, stamp);
      }
      case "Election/Campaign":
        return this.#session(caller, metadata, "campaign", body as RequestOf<"Election/Campaign">, stamp);
      case "Lock/Unlock": {
        const { key } = body as RequestOf<"Lock/Unlock">;
        return this.#single(caller, metadata, method, "KV/DeleteRange", create(DeleteRangeRequest, { key }), stamp);
      }
      case "Election/Leader": {
        const { name } = body as RequestOf<"Election/Leader">;
        return this.#single(caller, metadata, method, "KV/Range", leaderRequest(name), stamp);
      }
      case "Election/Proclaim": {
        const { leader, value } = body as RequestOf<"Election/Proclaim">;
        if (leader === null) return this.#core.answer(caller, MISSING_LEADER, stamp);
        this.#leases.ask({ type: "renew", lease: leader.lease }, stamp);
        const txn = proclaimTxn({ key: leader.key, revision: leader.rev, lease: leader.lease }, value);
        return this.#single(caller, metadata, method, "KV/Txn", txn, stamp);
      }
      case "Election/Resign": {
        const { leader } = body as RequestOf<"Election/Resign">;
        if (leader === null) return this.#core.answer(caller, MISSING_LEADER, stamp);
        this.#leases.ask({ type: "renew", lease: leader.lease }, stamp);
        const txn = resignTxn({ key: leader.key, revision: leader.rev, lease: leader.lease });
        return this.#single(caller, metadata, method, "KV/Txn", txn, stamp);
      }
      default:
        return unreachable(method);
    }
  }

  observe(caller: Caller, metadata: Metadata, name: Bytes, stamp: Stamp): void {
    const { state, step } = beginObserve(name);
    this.#step(this.#add(caller, metadata, { at: "observe", state }), step, stamp);
  }

  /** What a routine's call came to. */
  answered(id: number, response: object | EtcdError, stamp: Stamp): void {
    const running = this.#running.get(id);
    if (running === undefined) return;
    const reply: Reply = isFailure(response) ? { type: "error", error: response } : { type: "answer", body: response };
    this.#reply(id, running, reply, stamp);
  }

  watched(id: number, response: WatchResponse, stamp: Stamp): void {
    const running = this.#running.get(id);
    if (running === undefined || !running.watching || response.created) return;
    if (response.canceled) {
      const message = "etcdserver: mvcc: required revision has been compacted";
      return this.#reply(id, running, { type: "watch-ended", error: { code: CODES.OutOfRange, message } }, stamp);
    }
    if (response.events.length === 0) return;
    this.#reply(id, running, { type: "events", header: response.header, events: response.events }, stamp);
  }

  /** Its client has gone, or has given the call up: a waiter takes its key back. */
  abandon(isGone: (caller: Caller) => boolean, stamp: Stamp): void {
    for (const [id, running] of Array.from(this.#running)) {
      if (!isGone(running.caller)) continue;
      const { work } = running;
      const turn =
        work.at === "lock"
          ? abandonLock(work.state, CANCELLED)
          : work.at === "campaign"
            ? abandonCampaign(work.state, CANCELLED)
            : null;
      this.#unwatch(id, running);
      if (turn === null || turn.step.type !== "call") {
        this.#running.delete(id);
        continue;
      }
      // Nobody hears how that ends.
      const next = this.#set(id, { ...running, caller: NOBODY, watching: false, work: withState(work, turn.state) });
      this.#callFor(id, next, turn.step.method, turn.step.body, stamp);
    }
  }

  checkpoint(): RoutinesCheckpoint {
    return { running: [...this.#running], ids: this.#ids };
  }

  resume({ running, ids }: RoutinesCheckpoint): void {
    for (const [id, each] of running) this.#running.set(id, each);
    this.#ids = ids;
  }

  // ── inside ──

  #add(caller: Caller, metadata: Metadata, work: Work): number {
    this.#ids += 1;
    this.#running.set(this.#ids, { caller, metadata, work, watches: 0, watching: false });
    return this.#ids;
  }

  #set(id: number, running: Running): Running {
    this.#running.set(id, running);
    return running;
  }

  #single(
    caller: Caller,
    metadata: Metadata,
    method: ServiceMethod,
    inner: UnaryMethod,
    body: object,
    stamp: Stamp,
  ): void {
    const id = this.#add(caller, metadata, { at: "call", method });
    this.#core.call({ type: "routine", id }, inner, metadata, body, stamp);
  }

  /** A lease that is given is renewed once and then left to its client; without one it gets one of its own. */
  #session(
    caller: Caller,
    metadata: Metadata,
    then: "lock" | "campaign",
    { name, lease, value }: { readonly name: Bytes; readonly lease: LeaseId; readonly value: Bytes },
    stamp: Stamp,
  ): void {
    const id = this.#add(caller, metadata, { at: "session", then, name, value });
    if (lease === NO_LEASE) {
      const body = create(LeaseGrantRequest, { ttl: SESSION_TTL });
      return this.#core.call({ type: "routine", id }, "Lease/LeaseGrant", metadata, body, stamp);
    }
    this.#leases.ask({ type: "renew", lease }, stamp);
    this.#withLease(id, lease, stamp);
  }

  #withLease(id: number, lease: LeaseId, stamp: Stamp): void {
    const running = this.#running.get(id);
    if (running === undefined || running.work.at !== "session") return;
    const { then, name, value } = running.work;
    if (then === "lock") {
      const { state, step } = beginLock(name, lease, this.#core.config.compat);
      this.#set(id, { ...running, work: { at: "lock", state } });
      return this.#step(id, step, stamp);
    }
    const { state, step } = beginCampaign(name, lease, value);
    this.#set(id, { ...running, work: { at: "campaign", name, state } });
    this.#step(id, step, stamp);
  }

  #reply(id: number, running: Running, reply: Reply, stamp: Stamp): void {
    const { work } = running;
    switch (work.at) {
      case "session":
        if (reply.type === "answer") return this.#withLease(id, (reply.body as LeaseGrantResponse).id, stamp);
        return this.#finish(id, reply.type === "error" ? reply.error : CANCELLED, stamp);
      case "call":
        if (reply.type === "answer") return this.#finish(id, serviceAnswer(work.method, reply.body), stamp);
        return this.#finish(id, reply.type === "error" ? reply.error : CANCELLED, stamp);
      case "lock": {
        const { state, step } = lock(work.state, reply);
        this.#set(id, { ...running, work: { at: "lock", state } });
        return this.#step(id, step, stamp);
      }
      case "campaign": {
        const { state, step } = campaign(work.state, reply);
        this.#set(id, { ...running, work: { ...work, state } });
        return this.#step(id, step, stamp);
      }
      case "observe": {
        const { state, step, told } = observe(work.state, reply);
        this.#set(id, { ...running, work: { at: "observe", state } });
        for (const { header, kv } of told) this.#tell(running.caller, create(LeaderResponse, { header, kv }), stamp);
        return this.#step(id, step, stamp);
      }
      default:
        return unreachable(work);
    }
  }

  #step(id: number, step: Step<Locked | Elected>, stamp: Stamp): void {
    const running = this.#running.get(id);
    if (running === undefined) return;
    switch (step.type) {
      case "watch-on":
        return;
      case "call":
        this.#unwatch(id, running);
        return this.#callFor(id, this.#set(id, { ...running, watching: false }), step.method, step.body, stamp);
      case "watch": {
        this.#unwatch(id, running);
        const watches = running.watches + 1;
        this.#set(id, { ...running, watches, watching: true });
        const stream = streamOf(id, watches);
        this.#watches.open(stream, { type: "routine", id });
        const { key, rangeEnd, startRevision } = step;
        const createRequest = create(WatchCreateRequest, { key, rangeEnd, startRevision });
        return this.#watches.request(stream, create(WatchRequest, { createRequest }), stamp);
      }
      case "done":
        this.#unwatch(id, running);
        return this.#finish(id, doneAnswer(running.work, step.result), stamp);
      case "failed":
        this.#unwatch(id, running);
        return this.#finish(id, step.error, stamp);
      default:
        return unreachable(step);
    }
  }

  #callFor(id: number, { metadata }: Running, method: UnaryMethod, body: object, stamp: Stamp): void {
    this.#core.call({ type: "routine", id }, method, metadata, body, stamp);
  }

  #unwatch(id: number, { watching, watches }: Running): void {
    if (watching) this.#watches.close(streamOf(id, watches));
  }

  #finish(id: number, response: object | EtcdError, stamp: Stamp): void {
    const running = this.#running.get(id);
    if (running === undefined) return;
    this.#running.delete(id);
    const answer = isFailure(response) ? { code: CODES.Unknown, message: response.message } : response;
    this.#core.answer(running.caller, answer, stamp);
  }
}

function withState(work: Work, state: LockState | CampaignState): Work {
  if (work.at === "lock") return { at: "lock", state: state as LockState };
  return work.at === "campaign" ? { ...work, state: state as CampaignState } : work;
}

function streamOf(id: number, watch: number): ConnectionId {
  return `routine ${id}/${watch}`;
}

function doneAnswer(work: Work, result: Locked | Elected): object {
  if (work.at === "campaign") {
    const { leadership, header } = result as Elected;
    const { key, revision: rev, lease } = leadership;
    return create(CampaignResponse, { header, leader: create(LeaderKey, { name: work.name, key, rev, lease }) });
  }
  const { header, key } = result as Locked;
  return create(LockResponse, { header, key });
}

function serviceAnswer(method: ServiceMethod, body: object): object | EtcdError {
  const { header } = body as TxnResponse;
  switch (method) {
    case "Lock/Unlock":
      return create(UnlockResponse, { header });
    case "Election/Proclaim":
      return proclaimRefused((body as TxnResponse).succeeded) ?? create(ProclaimResponse, { header });
    case "Election/Resign":
      return create(ResignResponse, { header });
    case "Election/Leader": {
      const leader = leaderOf(body as RangeResponse);
      return isFailure(leader) ? leader : create(LeaderResponse, leader);
    }
    case "Lock/Lock":
    case "Election/Campaign":
      return body;
    default:
      return unreachable(method);
  }
}
