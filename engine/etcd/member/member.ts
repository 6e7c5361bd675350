/**
 * An etcd member: the calls of etcd's services over its replicated state (etcd server/etcdserver, api/v3rpc).
 *
 * A call is checked by itself, then goes one of three ways: into the log (writes), through a round that proves who leads
 * (linearizable reads), or straight to what this member has. What waits is plain data by ticket. The parts beside it:
 * `reads.ts` rounds, `watches.ts` streams of watches, `leases.ts` the leader's count, `cluster.ts` who may join,
 * `routines.ts` the Lock and Election services.
 */
import { present } from "../../base/assert.ts";
import { ByteReader, ByteWriter, crc32c } from "../../base/bytes.ts";
import type { Micros } from "../../base/units.ts";
import type { ConfChange } from "../../raft/conf-change.ts";
import type { Reason } from "../../raft/events.ts";
import type { PeerStatus } from "../../raft/peer.ts";
import type { ConfState, NodeId } from "../../raft/types.ts";
import { Seen, type SeenCheckpoint } from "../../replica/seen.ts";
import type { Applied, Service, ServiceHost, Ticket } from "../../replica/service.ts";
import type { ProcessId } from "../../sim/command.ts";
import type { ConnectionId, Stamp } from "../../sim/process.ts";
import { fromArray } from "../api/bytes.ts";
import { isReadOnlyTxn, isSerializableTxn, MAX_REQUEST_BYTES } from "../api/check.ts";
import { CODES, type EtcdError, etcdError } from "../api/errors.ts";
import { mixString } from "../../base/hash.ts";
import { id64, type LeaseId, type MemberId, NO_LEASE, NO_MEMBER } from "../api/ids.ts";
import * as m from "../api/messages.ts";
import type { ClientFrame, Metadata, RequestOf, ServerFrame, StreamMethod, UnaryMethod } from "../api/methods.ts";
import { create, decode, encode } from "../api/proto.ts";
import type { AuthInfo } from "../auth/auth-store.ts";
import { clusterIdOf, decodeChange, type MemberChange } from "../cluster/membership.ts";
import type { EtcdEvent } from "../events.ts";
import { type EtcdCheckpoint, EtcdState, type Outcome } from "../state.ts";
import { checkCall } from "./calls.ts";
import { confChangeOf, mayAdd, mayPromote, mayRemove } from "./cluster.ts";
import { badUrls, type EtcdMemberConfig, joiningId, memberOf, minLeaseTtl, nodeAt, requestTimeout } from "./config.ts";
import { callId, type Caller, type Core, isFailure, nameOf, NOBODY, sooner, TIMERS, type Timers } from "./core.ts";
import { type LeaseMessage, Leases, type LeasesCheckpoint, type LeaseReply } from "./leases.ts";
import { type Reader, Reads, type ReadsCheckpoint } from "./reads.ts";
import { callLabel, labelOf, PROPOSED, withHeader } from "./requests.ts";
import { Routines, type RoutinesCheckpoint, type ServiceMethod } from "./routines.ts";
import { type StreamOwner, Watches, type WatchesCheckpoint } from "./watches.ts";

/** Commands that may be committed and not applied before new ones are refused (etcd's maxGapBetweenApplyAndCommitIndex). */
const APPLY_GAP_MAX = 5_000;
const SNAPSHOT_CHUNK = 32 * 1024;
const LOST_PROPOSAL: EtcdError = { code: CODES.Unknown, message: "raft proposal dropped" };

/** What is in the log for somebody. */
interface Pending {
  readonly caller: Caller;
  readonly startedAt: Micros;
  readonly deadline: Micros;
  /** Told instead of the outcome: an alarm had to be raised first. */
  readonly instead: EtcdError | null;
  readonly method: UnaryMethod | "publish" | "checkpoint";
}

/** A proposal that waits until somebody leads. */
interface Held {
  readonly command: Uint8Array;
  readonly pending: Pending;
}

interface Stream {
  readonly method: StreamMethod;
  readonly connection: ConnectionId;
  readonly call: number;
  readonly metadata: Metadata;
}

/** A hand-over that was asked for. */
interface Move {
  readonly caller: Caller;
  readonly to: NodeId;
  readonly deadline: Micros;
}

/** A promotion that only the leader can judge. */
interface Promotion {
  readonly caller: Caller;
  readonly deadline: Micros;
}

type PeerMessage =
  | LeaseMessage
  | { readonly type: "promote-ask"; readonly serial: number; readonly id: MemberId; readonly metadata: Metadata }
  | { readonly type: "promote-reply"; readonly serial: number; readonly response: object };

interface EtcdMemberCheckpoint {
  readonly state: EtcdCheckpoint;
  readonly seen: SeenCheckpoint;
  readonly timers: Timers;
  readonly leader: NodeId | null;
  readonly leaderSince: Micros | null;
  readonly serials: number;
  readonly connections: readonly (readonly [ConnectionId, ProcessId])[];
  readonly pending: readonly (readonly [Ticket, Pending])[];
  readonly held: readonly Held[];
  readonly streams: readonly (readonly [string, Stream])[];
  readonly questions: readonly (readonly [number, Caller])[];
  readonly moves: readonly Move[];
  readonly promotions: readonly (readonly [number, Promotion])[];
  readonly verifying: Ticket | null;
  readonly figures: Figures | null;
  readonly reads: ReadsCheckpoint;
  readonly watches: WatchesCheckpoint;
  readonly leases: LeasesCheckpoint;
  readonly routines: RoutinesCheckpoint;
}

type Figures = Extract<EtcdEvent, { readonly type: "etcd-figures" }>;

export class EtcdMember implements Service, Core {
  readonly config: EtcdMemberConfig;
  readonly state: EtcdState;
  readonly timers: Timers = Object.fromEntries(TIMERS.map((name) => [name, null])) as Timers;
  readonly #clusterId: string;
  readonly #seen = new Seen();
  #host: ServiceHost | null = null;
  #wakeAt: Micros | null = null;
  #leader: NodeId | null = null;
  /** When the present leader became known. */
  #leaderSince: Micros | null = null;
  #serials = 0;
  readonly #connections = new Map<ConnectionId, ProcessId>();
  readonly #pending = new Map<Ticket, Pending>();
  #held: Held[] = [];
  readonly #streams = new Map<string, Stream>();
  /** By the number that `Leases` gave: streams of keep-alives, and callers of TimeToLive. */
  readonly #questions = new Map<number, Caller>();
  #moves: Move[] = [];
  readonly #promotions = new Map<number, Promotion>();
  /** A round that proves who leads, for the leases. */
  #verifying: Ticket | null = null;
  #figures: Figures | null = null;
  /** A snapshot was taken over before there was anybody to tell. */
  #restored = false;
  readonly #reads: Reads;
  readonly #watches: Watches;
  readonly #leases: Leases;
  readonly #routines: Routines;

  constructor(config: EtcdMemberConfig) {
    this.config = config;
    const { compat, quotaBytes, members } = config;
    this.state = new EtcdState({ compat, quotaBytes, members, minLeaseTtl: minLeaseTtl(config) });
    this.#clusterId = clusterIdOf(members.map(({ id }) => id));
    this.#reads = new Reads(this, (reader, problem, stamp) => this.#readDone(reader, problem, stamp));
    this.#watches = new Watches(this, (owner, response, stamp) => this.#deliver(owner, response, stamp));
    this.#leases = new Leases(
      this,
      (request, stamp) => this.#propose(NOBODY, "checkpoint", request, null, stamp),
      (stamp) => this.#verify(stamp),
      (serial, reply, stamp) => this.#leaseReplied(serial, reply, stamp),
    );
    this.#routines = new Routines(this, this.#watches, this.#leases, (caller, message) =>
      this.#message(caller, message),
    );
  }

  get host(): ServiceHost {
    return present(this.#host, "a service is started before it is asked");
  }

  get emit(): ((event: EtcdEvent) => void) | null {
    return this.#host?.emit ?? null;
  }

  // ── the service ──

  start(host: ServiceHost): void {
    this.#host = host;
    if (this.#restored) this.#tellRestored();
    this.#tellFigures();
  }

  accepted(connection: ConnectionId, from: ProcessId): void {
    this.#connections.set(connection, from);
  }

  received(connection: ConnectionId, data: unknown, stamp: Stamp): void {
    this.#frame(connection, data as ClientFrame, stamp);
    this.#settle();
  }

  closed(connection: ConnectionId): void {
    this.#connections.delete(connection);
    for (const [id, stream] of this.#streams) if (stream.connection === connection) this.#endStream(id);
    this.#gone(connection, null);
    this.#settle();
  }

  message(from: NodeId, data: unknown, stamp: Stamp): void {
    const message = data as PeerMessage;
    switch (message.type) {
      case "promote-ask": {
        const caller: Caller = { type: "peer", node: from, serial: message.serial };
        if (this.#leader === this.host.id) this.#promote(caller, message.id, message.metadata, stamp);
        else this.answer(caller, etcdError("NotLeader"), stamp);
        break;
      }
      case "promote-reply": {
        const asked = this.#promotions.get(message.serial);
        this.#promotions.delete(message.serial);
        if (asked !== undefined) this.answer(asked.caller, message.response, stamp);
        break;
      }
      default:
        this.#leases.message(from, message, stamp);
    }
    this.#settle();
  }

  apply(command: Uint8Array, applied: Applied, stamp: Stamp): void {
    const { entry, key, ticket } = applied;
    if (!this.#seen.add(key)) return;
    const request = decode(m.InternalRaftRequest, command);
    const outcome = this.state.apply(request, entry.index, stamp.mono);
    if (outcome.changes.length > 0) this.#watches.applied(outcome.changes, stamp);
    const failed = isFailure(outcome.response);
    if (request.leaseGrant !== null && !failed) this.#leases.granted(request.leaseGrant.id, stamp);
    if (request.leaseRevoke !== null) this.#leases.revoked(stamp);
    this.#tellApplied(request, applied, outcome, failed);
    if (ticket !== null) this.#applied(ticket, outcome.response, stamp);
    // each member looks at its own disk, whoever asked
    else if (isFullDisk(outcome.response) && !this.state.hasAlarm("NOSPACE"))
      this.#raiseNoSpace(NOBODY, etcdError("NoSpace"), stamp);
    this.#settle();
  }

  vetoes(change: ConfChange): boolean {
    if (change.context.length === 0) return false;
    return this.#checkChange(decodeChange(change.context)) !== null;
  }

  confApplied(change: ConfChange, _conf: ConfState, { ticket }: Applied, stamp: Stamp): void {
    const { membership } = this.state;
    if (change.context.length === 0) {
      for (const { operation, id } of change.steps) {
        if (operation === "remove") membership.dropNode(id);
        else if (operation !== "update" && membership.byNode(id) === null)
          membership.put({ ...memberOf(id), isLearner: operation === "add-learner" });
        else if (operation === "add-voter") {
          const known = membership.byNode(id);
          if (known !== null) membership.put({ ...known, isLearner: false });
        }
      }
    } else {
      const taken = decodeChange(change.context);
      const problem = membership.apply(taken);
      if (problem === null && taken.kind === "remove") this.state.forgetMember(taken.member.id);
      if (ticket !== null) this.#applied(ticket, problem ?? this.#changed(taken), stamp);
    }
    this.#publish(stamp);
    this.#settle();
  }

  readable(ticket: Ticket, stamp: Stamp): void {
    if (ticket === this.#verifying) {
      this.#verifying = null;
      this.#leases.verified(stamp);
    } else this.#reads.readable(ticket, stamp);
    this.#settle();
  }

  refused(ticket: Ticket, why: Reason, stamp: Stamp): void {
    const pending = this.#pending.get(ticket);
    if (pending === undefined) return;
    this.#pending.delete(ticket);
    // A change of membership is not asked for again: etcd's client hears of it.
    if (pending.method !== "publish") this.answer(pending.caller, refusal(why), stamp);
    this.#settle();
  }

  roleChanged(status: PeerStatus, stamp: Stamp): void {
    const before = this.#leader;
    this.#leader = status.leader;
    this.#leases.roleChanged(status, stamp);
    if (status.leader === null) {
      this.timers.leaderless ??= stamp.awake + 3 * this.config.electionTimeout;
    } else if (status.leader !== before) {
      this.#leaderSince = stamp.awake;
      this.timers.leaderless = null;
      this.#reads.leaderChanged(stamp);
      this.#proposeHeld();
      this.#publish(stamp);
    }
    const moved = this.#moves.filter(({ to }) => to === status.leader);
    if (moved.length > 0) {
      this.#moves = this.#moves.filter(({ to }) => to !== status.leader);
      for (const { caller } of moved) this.answer(caller, withoutHeader(create(m.MoveLeaderResponse)), stamp);
    }
    this.#settle();
  }

  woke(stamp: Stamp): void {
    this.#wakeAt = null;
    const { timers } = this;
    for (const name of TIMERS) {
      const at = timers[name];
      if (at === null || at > stamp.awake) continue;
      timers[name] = null;
      switch (name) {
        case "requests":
          this.#expire(stamp);
          break;
        case "reads":
          this.#reads.due(stamp);
          break;
        case "sync":
          this.#watches.sync(stamp);
          this.#publish(stamp);
          break;
        case "progress":
          this.#watches.progress(stamp);
          break;
        case "expiry":
          this.#leases.due(stamp);
          break;
        case "forwards":
          this.#leases.retry(stamp);
          break;
        case "leaderless":
          this.#endLeaderless();
          break;
      }
    }
    this.#settle();
  }

  label(command: Uint8Array): string {
    return labelOf(decode(m.InternalRaftRequest, command));
  }

  summary(): string | null {
    const { revision } = this.state.mvcc;
    return revision === 1 ? null : `rev ${revision}`;
  }

  snapshot(): Uint8Array {
    const out = new ByteWriter();
    this.#seen.snapshot(out);
    out.raw(this.state.snapshot());
    return out.take();
  }

  restore(snapshot: Uint8Array): void {
    const reader = new ByteReader(snapshot);
    this.#seen.restore(reader);
    this.state.restore(reader.raw(reader.left));
    this.#watches.restored();
    if (this.#host === null) {
      this.#restored = true;
      return;
    }
    // Its own name may have come with it, or be missing in it.
    this.timers.sync = 0;
    this.#tellRestored();
    this.#settle();
  }

  checkpoint(): EtcdMemberCheckpoint {
    return {
      state: this.state.checkpoint(),
      seen: this.#seen.checkpoint(),
      timers: { ...this.timers },
      leader: this.#leader,
      leaderSince: this.#leaderSince,
      serials: this.#serials,
      connections: [...this.#connections],
      pending: [...this.#pending],
      held: [...this.#held],
      streams: [...this.#streams],
      questions: [...this.#questions],
      moves: [...this.#moves],
      promotions: [...this.#promotions],
      verifying: this.#verifying,
      figures: this.#figures,
      reads: this.#reads.checkpoint(),
      watches: this.#watches.checkpoint(),
      leases: this.#leases.checkpoint(),
      routines: this.#routines.checkpoint(),
    };
  }

  resume(checkpoint: unknown): void {
    const saved = checkpoint as EtcdMemberCheckpoint;
    this.state.resume(saved.state);
    this.#seen.resume(saved.seen);
    Object.assign(this.timers, saved.timers);
    this.#wakeAt = this.#nextTimer();
    this.#leader = saved.leader;
    this.#leaderSince = saved.leaderSince;
    this.#serials = saved.serials;
    for (const [connection, client] of saved.connections) this.#connections.set(connection, client);
    for (const [ticket, pending] of saved.pending) this.#pending.set(ticket, pending);
    this.#held = [...saved.held];
    for (const [id, stream] of saved.streams) this.#streams.set(id, stream);
    for (const [serial, caller] of saved.questions) this.#questions.set(serial, caller);
    this.#moves = [...saved.moves];
    for (const [serial, promotion] of saved.promotions) this.#promotions.set(serial, promotion);
    this.#verifying = saved.verifying;
    this.#figures = saved.figures;
    this.#reads.resume(saved.reads);
    this.#watches.resume(saved.watches);
    this.#leases.resume(saved.leases);
    this.#routines.resume(saved.routines);
  }

  // ── frames ──

  #frame(connection: ConnectionId, frame: ClientFrame, stamp: Stamp): void {
    switch (frame.type) {
      case "ping":
        return this.#transmit(connection, { type: "pong" });
      case "call": {
        const { call, method, metadata, body } = frame;
        this.emit?.({
          type: "etcd-received",
          call: callId(connection, call),
          client: this.#clientOf(connection),
          method,
          label: callLabel(method, body),
        });
        return this.call({ type: "client", connection, call }, method, metadata, body, stamp);
      }
      case "open":
        return this.#open(connection, frame, stamp);
      case "send": {
        const stream = this.#streams.get(callId(connection, frame.call));
        if (stream !== undefined) this.#streamRequest(stream, frame.body, stamp);
        return;
      }
      case "half-close": {
        const id = callId(connection, frame.call);
        const method = this.#streams.get(id)?.method;
        if (method !== "Watch/Watch" && method !== "Lease/LeaseKeepAlive") return;
        this.#endStream(id);
        return this.#transmit(connection, { type: "end", call: frame.call });
      }
      case "cancel":
        this.#endStream(callId(connection, frame.call));
        return this.#gone(connection, frame.call, stamp);
    }
  }

  #open(connection: ConnectionId, { call, method, metadata }: ClientFrame & { type: "open" }, stamp: Stamp): void {
    const caller: Caller = { type: "client", connection, call };
    if (this.#isLearner && method !== "Maintenance/Snapshot")
      return this.answer(caller, etcdError("NotSupportedForLearner"), stamp);
    if (metadata.hasLeader && this.#leader === null) return this.answer(caller, etcdError("NoLeader"), stamp);
    const id = callId(connection, call);
    this.#streams.set(id, { method, connection, call, metadata });
    if (method === "Watch/Watch")
      this.#watches.open(id, { type: "client", connection, call, metadata, client: this.#clientOf(connection) });
  }

  #streamRequest({ method, connection, call, metadata }: Stream, body: object, stamp: Stamp): void {
    const caller: Caller = { type: "client", connection, call };
    switch (method) {
      case "Watch/Watch":
        return this.#watches.request(callId(connection, call), body as m.WatchRequest, stamp);
      case "Lease/LeaseKeepAlive": {
        const lease = (body as m.LeaseKeepAliveRequest).id;
        const reply = this.#leases.ask({ type: "renew", lease }, stamp);
        if (typeof reply === "number") this.#questions.set(reply, caller);
        else this.#keptAlive(caller, lease, reply, stamp);
        return;
      }
      case "Election/Observe":
        return this.#routines.observe(caller, metadata, (body as RequestOf<"Election/Observe">).name, stamp);
      case "Maintenance/Snapshot":
        return this.#sendSnapshot(caller, metadata, stamp);
    }
  }

  #endStream(id: string): void {
    this.#watches.close(id);
    this.#streams.delete(id);
  }

  /** Streams that demand a leader end when there is none for three election timeouts. */
  #endLeaderless(): void {
    if (this.#leader !== null) return;
    for (const [id, { metadata, connection, call }] of Array.from(this.#streams)) {
      if (!metadata.hasLeader) continue;
      this.#endStream(id);
      this.#transmit(connection, { type: "error", call, error: etcdError("NoLeader") });
    }
  }

  // ── calls ──

  call(caller: Caller, method: UnaryMethod, metadata: Metadata, body: object, stamp: Stamp): void {
    const refused = this.#refusedAtOnce(method, metadata, body);
    if (refused !== null) return this.answer(caller, refused, stamp);
    switch (method) {
      case "KV/Range":
        return this.#read(caller, method, metadata, body, (body as m.RangeRequest).serializable, stamp);
      case "KV/Txn": {
        const txn = body as m.TxnRequest;
        if (isReadOnlyTxn(txn)) return this.#read(caller, method, metadata, txn, isSerializableTxn(txn), stamp);
        return this.#proposeCall(caller, method, metadata, body, stamp);
      }
      case "Lease/LeaseGrant": {
        const asked = body as m.LeaseGrantRequest;
        const id = asked.id === NO_LEASE ? this.#newLease() : asked.id;
        return this.#proposeCall(caller, method, metadata, { ...asked, id }, stamp);
      }
      case "Lease/LeaseTimeToLive": {
        const request = body as RequestOf<"Lease/LeaseTimeToLive">;
        const reply = this.#leases.ask({ type: "time-to-live", request }, stamp);
        if (typeof reply === "number") this.#questions.set(reply, caller);
        else this.#answerTimeToLive(caller, reply, stamp);
        return;
      }
      case "Lease/LeaseLeases": {
        const leases = this.state.lessor.ids().map((id) => create(m.LeaseStatus, { id }));
        return this.answer(caller, create(m.LeaseLeasesResponse, { leases }), stamp);
      }
      case "Auth/Authenticate":
        return this.#read(caller, method, metadata, body, false, stamp);
      case "Lock/Lock":
      case "Lock/Unlock":
      case "Election/Campaign":
      case "Election/Proclaim":
      case "Election/Leader":
      case "Election/Resign":
        return this.#routines.begin(caller, method satisfies ServiceMethod, metadata, body, stamp);
      case "Cluster/MemberAdd":
      case "Cluster/MemberRemove":
      case "Cluster/MemberUpdate":
      case "Cluster/MemberPromote":
        return this.#memberCall(caller, method, metadata, body, stamp);
      case "Cluster/MemberList": {
        const linearizable = this.config.compat !== "3.4" && (body as RequestOf<"Cluster/MemberList">).linearizable;
        return this.#read(caller, method, metadata, body, !linearizable, stamp);
      }
      case "Maintenance/Status":
        return this.answer(caller, this.#statusNow(), stamp);
      case "Maintenance/Defragment":
      case "Maintenance/Hash":
      case "Maintenance/HashKV":
      case "Maintenance/MoveLeader":
      case "Maintenance/Downgrade":
        return this.#maintain(caller, method, metadata, body, stamp);
      default:
        return this.#proposeCall(caller, method, metadata, body, stamp);
    }
  }

  #refusedAtOnce(method: UnaryMethod, { hasLeader }: Metadata, body: object): EtcdError | null {
    if (this.#isLearner) {
      const local = method === "KV/Range" && (body as m.RangeRequest).serializable;
      if (!local && method !== "Maintenance/Status") return etcdError("NotSupportedForLearner");
    }
    if (hasLeader && this.#leader === null) return etcdError("NoLeader");
    return checkCall(method, body, this.config.compat);
  }

  get #isLearner(): boolean {
    return this.state.membership.byNode(this.host.id)?.isLearner === true;
  }

  // ── reads ──

  #read(caller: Caller, method: UnaryMethod, metadata: Metadata, body: object, local: boolean, stamp: Stamp): void {
    const reader: Reader = { caller, method, metadata, body };
    if (local) return this.#readNow(reader, stamp);
    this.#reads.add(reader, stamp);
  }

  #readDone(reader: Reader, problem: EtcdError | null, stamp: Stamp): void {
    if (problem !== null) return this.answer(reader.caller, problem, stamp);
    const call = nameOf(reader.caller);
    if (call !== null) this.emit?.({ type: "etcd-read-confirmed", call });
    this.#readNow(reader, stamp);
  }

  #readNow({ caller, method, metadata, body }: Reader, stamp: Stamp): void {
    const { state } = this;
    if (method === "Cluster/MemberList")
      return this.answer(caller, { header: this.#memberHeader(), members: this.#members() }, stamp);
    if (method === "Auth/Authenticate") return this.#authenticate(caller, body as RequestOf<typeof method>, stamp);
    const info = this.#infoOf(metadata);
    if (info !== null && isFailure(info)) return this.answer(caller, info, stamp);
    if (method === "KV/Txn") {
      const txn = body as m.TxnRequest;
      return this.answer(caller, state.auth.checkTxn(info, txn) ?? state.readTxn(txn), stamp);
    }
    const range = body as m.RangeRequest;
    this.answer(caller, state.auth.checkRange(info, range) ?? state.range(range), stamp);
  }

  #infoOf({ token }: Metadata): AuthInfo | EtcdError | null {
    return this.state.auth.infoOf(token);
  }

  /** A round that proves that this member still leads. */
  #verify(stamp: Stamp): void {
    if (this.#verifying === null) this.#verifying = this.host.readIndex();
    this.timers.expiry = stamp.awake + this.config.electionTimeout;
  }

  // ── writes ──

  #proposeCall(caller: Caller, method: UnaryMethod, metadata: Metadata, body: object, stamp: Stamp): void {
    const field = PROPOSED[method];
    if (field === undefined) {
      const message = `unknown method ${method.slice(method.indexOf("/") + 1)}`;
      return this.answer(caller, { code: CODES.Unimplemented, message }, stamp);
    }
    const info = caller.type === "nobody" ? this.#root() : this.#infoOf(metadata);
    if (info !== null && isFailure(info)) return this.answer(caller, info, stamp);
    this.#propose(caller, method, { [field]: body }, info, stamp);
  }

  /** What the member does of itself nobody has to permit. */
  #root(): AuthInfo | null {
    const { auth } = this.state;
    return auth.enabled ? { username: "root", revision: auth.revision } : null;
  }

  #propose(
    caller: Caller,
    method: Pending["method"],
    given: Partial<m.InternalRaftRequest>,
    info: AuthInfo | null,
    stamp: Stamp,
    instead: EtcdError | null = null,
  ): void {
    const { commit, applied } = this.host.status();
    if (commit - applied > APPLY_GAP_MAX) return this.answer(caller, etcdError("TooManyRequests"), stamp);
    this.#serials += 1;
    const request = withHeader(given, this.host, this.#serials, info);
    const full = method !== "publish" && !this.state.hasRoom(request);
    if (full) return this.#raiseNoSpace(caller, etcdError("NoSpace"), stamp);
    const command = encode(m.InternalRaftRequest, request);
    if (command.length > MAX_REQUEST_BYTES) return this.answer(caller, etcdError("RequestTooLarge"), stamp);
    const pending: Pending = {
      caller,
      method,
      startedAt: stamp.awake,
      deadline: stamp.awake + requestTimeout(this.config),
      instead,
    };
    this.timers.requests ??= pending.deadline;
    if (this.#leader === null) {
      this.#held.push({ command, pending });
      return;
    }
    this.#toLog(command, pending);
  }

  #toLog(command: Uint8Array, pending: Pending): void {
    const ticket = this.host.propose(command);
    this.#pending.set(ticket, pending);
    const call = nameOf(pending.caller);
    if (call !== null && this.emit !== null)
      this.emit({
        type: "etcd-proposed",
        call,
        key: this.host.keyOf(ticket),
        forwarded: this.#leader !== this.host.id,
      });
  }

  #proposeHeld(): void {
    const held = this.#held;
    this.#held = [];
    for (const { command, pending } of held) this.#toLog(command, pending);
  }

  /** The alarm goes through the log first; then the caller hears why. */
  #raiseNoSpace(caller: Caller, error: EtcdError, stamp: Stamp): void {
    if (this.state.hasAlarm("NOSPACE")) return this.answer(caller, error, stamp);
    const alarm = create(m.AlarmRequest, { action: "ACTIVATE", memberId: this.#ownId(), alarm: "NOSPACE" });
    this.#propose(caller, "Maintenance/Alarm", { alarm }, this.#root(), stamp, error);
  }

  #applied(ticket: Ticket, response: object | EtcdError, stamp: Stamp): void {
    const pending = this.#pending.get(ticket);
    if (pending === undefined) return;
    this.#pending.delete(ticket);
    const { caller, instead } = pending;
    if (instead !== null) return this.answer(caller, instead, stamp);
    if (pending.method === "Maintenance/Alarm" && this.config.compat === "3.4")
      return this.answer(caller, withoutHeader(response), stamp);
    if (isFullDisk(response) && !this.state.hasAlarm("NOSPACE")) return this.#raiseNoSpace(caller, response, stamp);
    this.answer(caller, response, stamp);
  }

  /** What waited too long is answered so; what the log yet does with it nobody hears. */
  #expire(stamp: Stamp): void {
    const now = stamp.awake;
    const late: Pending[] = [];
    for (const [ticket, pending] of this.#pending) {
      if (pending.deadline > now) continue;
      this.#pending.delete(ticket);
      late.push(pending);
    }
    late.push(...this.#held.filter(({ pending }) => pending.deadline <= now).map(({ pending }) => pending));
    this.#held = this.#held.filter(({ pending }) => pending.deadline > now);
    for (const { caller, startedAt } of late) this.answer(caller, this.#timeout(startedAt), stamp);
    for (const { caller, deadline } of this.#moves) if (deadline <= now) this.answer(caller, TRANSFER_TIMEOUT, stamp);
    this.#moves = this.#moves.filter(({ deadline }) => deadline > now);
    for (const [serial, { caller, deadline }] of Array.from(this.#promotions)) {
      if (deadline > now) continue;
      this.#promotions.delete(serial);
      this.answer(caller, etcdError("Timeout"), stamp);
    }
    this.#publish(stamp);
    let next: Micros | null = null;
    for (const { deadline } of this.#pending.values()) next = sooner(next, deadline);
    for (const { pending } of this.#held) next = sooner(next, pending.deadline);
    for (const { deadline } of this.#moves) next = sooner(next, deadline);
    for (const { deadline } of this.#promotions.values()) next = sooner(next, deadline);
    this.timers.requests = sooner(this.timers.requests, next);
  }

  /** etcd's parseProposeCtxErr. */
  #timeout(startedAt: Micros): EtcdError {
    const since = this.#leaderSince;
    if (since !== null && startedAt < since && startedAt > since - 2 * this.config.electionTimeout)
      return etcdError("TimeoutDueToLeaderFail");
    if (this.#leader === this.host.id) {
      const voters = this.host.progress().filter(({ progress }) => !progress.learner);
      const active = voters.filter(({ id, progress }) => id === this.host.id || progress.active).length;
      if (active * 2 <= voters.length) return etcdError("TimeoutDueToConnectionLost");
    }
    return etcdError("Timeout");
  }

  /**
   * Positive, of sixteen hexadecimal digits, and rising while a member lives, as etcd's are: they begin with a mark of
   * the member and its start, and end with a count (etcd pkg/idutil).
   */
  #newLease(): LeaseId {
    this.#serials += 1;
    const { id, incarnation } = this.host;
    const mark = 0x1000 + ((mixString(4, id) >>> 0) % 0x7000);
    return id64(mark * 0x10000 + (incarnation & 0xffff), this.#serials >>> 0) as LeaseId;
  }

  // ── leases ──

  #leaseReplied(serial: number, reply: LeaseReply, stamp: Stamp): void {
    const caller = this.#questions.get(serial);
    this.#questions.delete(serial);
    if (caller === undefined) return;
    if (reply.type === "time-to-live") return this.#answerTimeToLive(caller, reply, stamp);
    if (reply.type === "renewed") return this.#keptAlive(caller, reply.lease, reply, stamp);
    const stream = caller.type === "client" ? callId(caller.connection, caller.call) : null;
    if (stream !== null) this.#endStream(stream);
    this.answer(caller, reply.error, stamp);
  }

  #keptAlive(caller: Caller, id: LeaseId, reply: LeaseReply, stamp: Stamp): void {
    if (reply.type === "failed") return this.answer(caller, reply.error, stamp);
    const ttl = reply.type === "renewed" ? reply.ttl : 0;
    this.#message(caller, create(m.LeaseKeepAliveResponse, { id, ttl }));
  }

  #answerTimeToLive(caller: Caller, reply: LeaseReply, stamp: Stamp): void {
    if (reply.type === "failed") return this.answer(caller, reply.error, stamp);
    if (reply.type === "time-to-live") this.answer(caller, reply.response, stamp);
  }

  // ── membership ──

  #memberCall(caller: Caller, method: UnaryMethod, metadata: Metadata, body: object, stamp: Stamp): void {
    const refused = this.#unlessAdmin(metadata);
    if (refused !== null) return this.answer(caller, refused, stamp);
    const { membership } = this.state;
    switch (method) {
      case "Cluster/MemberAdd": {
        const { peerUrls, isLearner } = body as RequestOf<typeof method>;
        if (badUrls(peerUrls)) return this.answer(caller, etcdError("MemberBadURLs"), stamp);
        const problem = mayAdd(this, isLearner);
        if (problem !== null) return this.answer(caller, problem, stamp);
        const id = joiningId(peerUrls, Math.floor(stamp.wall / 1_000_000));
        const node = nodeAt(peerUrls[0] as string, id, this.config);
        const member = { ...create(m.Member, { id, peerUrls, isLearner }), node };
        return this.#proposeChange(caller, method, { kind: "add", member }, stamp);
      }
      case "Cluster/MemberRemove": {
        const { id } = body as RequestOf<typeof method>;
        const problem = mayRemove(this, id);
        if (problem !== null) return this.answer(caller, problem, stamp);
        const member = membership.get(id);
        if (member === null) return this.answer(caller, membership.checkRemove(id) as EtcdError, stamp);
        return this.#proposeChange(caller, method, { kind: "remove", member }, stamp);
      }
      case "Cluster/MemberUpdate": {
        const { id, peerUrls } = body as RequestOf<typeof method>;
        if (badUrls(peerUrls)) return this.answer(caller, etcdError("MemberBadURLs"), stamp);
        const member = membership.get(id);
        if (member === null) return this.answer(caller, etcdError("MemberNotFound"), stamp);
        // etcd's own slip: what is updated counts as a voter from then on, though raft knows better.
        const updated = { ...member, peerUrls, isLearner: false };
        return this.#proposeChange(caller, method, { kind: "update", member: updated }, stamp);
      }
      default:
        return this.#promote(caller, (body as RequestOf<"Cluster/MemberPromote">).id, metadata, stamp);
    }
  }

  #promote(caller: Caller, id: MemberId, metadata: Metadata, stamp: Stamp): void {
    const leader = this.#leader;
    if (leader !== this.host.id) {
      if (leader === null) return this.answer(caller, etcdError("NoLeader"), stamp);
      this.#serials += 1;
      const deadline = stamp.awake + requestTimeout(this.config);
      this.#promotions.set(this.#serials, { caller, deadline });
      this.timers.requests = sooner(this.timers.requests, deadline);
      const ask: PeerMessage = { type: "promote-ask", serial: this.#serials, id, metadata };
      return this.host.send(leader, ask);
    }
    const problem = this.#unlessAdmin(metadata) ?? mayPromote(this, id) ?? this.state.membership.checkPromote(id);
    const member = this.state.membership.get(id);
    if (problem !== null || member === null) return this.answer(caller, problem ?? etcdError("MemberNotFound"), stamp);
    this.#proposeChange(caller, "Cluster/MemberPromote", { kind: "promote", member }, stamp);
  }

  #proposeChange(caller: Caller, method: UnaryMethod, change: MemberChange, stamp: Stamp): void {
    const deadline = stamp.awake + requestTimeout(this.config);
    const ticket = this.host.proposeConfChange(confChangeOf(change));
    this.#pending.set(ticket, { caller, method, startedAt: stamp.awake, deadline, instead: null });
    this.timers.requests ??= deadline;
  }

  #checkChange({ kind, member }: MemberChange): EtcdError | null {
    const { membership } = this.state;
    switch (kind) {
      case "add":
        return membership.checkAdd(member.id, member.peerUrls, member.isLearner);
      case "remove":
        return membership.checkRemove(member.id);
      case "promote":
        return membership.checkPromote(member.id);
      case "update":
        return membership.checkUpdate(member.id, member.peerUrls);
    }
  }

  /** What a change of membership is answered. */
  #changed({ kind, member }: MemberChange): object {
    const answer = { header: this.#memberHeader(), members: this.#members() };
    return kind === "add" ? { ...answer, member: withoutNode(member) } : answer;
  }

  #members(): readonly m.Member[] {
    return this.state.membership.list().map(withoutNode);
  }

  /** A member that has joined tells its name and where clients find it. */
  #publish(stamp: Stamp): void {
    const own = this.state.membership.byNode(this.host.id);
    if (own === null || own.name !== "" || this.#leader === null) return;
    for (const { method } of this.#pending.values()) if (method === "publish") return;
    const usual = memberOf(this.host.id);
    const { name, clientUrls } = this.config.names[this.host.id] ?? usual;
    const clusterMemberAttrSet = { memberId: own.id, name, clientUrls };
    this.#propose(NOBODY, "publish", { clusterMemberAttrSet }, null, stamp);
  }

  // ── maintenance ──

  #unlessAdmin(metadata: Metadata): EtcdError | null {
    const info = this.#infoOf(metadata);
    return info !== null && isFailure(info) ? info : this.state.auth.checkAdmin(info);
  }

  #maintain(caller: Caller, method: UnaryMethod, metadata: Metadata, body: object, stamp: Stamp): void {
    // anybody may move the leader: etcd asks nobody who he is
    const refused = method === "Maintenance/MoveLeader" ? null : this.#unlessAdmin(metadata);
    if (refused !== null) return this.answer(caller, unmapped(refused), stamp);
    const { mvcc } = this.state;
    switch (method) {
      case "Maintenance/Defragment":
        mvcc.defragment();
        return this.answer(caller, withoutHeader(create(m.DefragmentResponse)), stamp);
      case "Maintenance/Hash":
        return this.answer(caller, create(m.HashResponse, { hash: hashOf(this.state.snapshot()) }), stamp);
      case "Maintenance/HashKV": {
        const found = mvcc.hash((body as RequestOf<typeof method>).revision);
        if (isFailure(found)) return this.answer(caller, found, stamp);
        const { hash, compactRevision, revision } = found;
        const hashRevision = this.config.compat === "3.4" ? 0 : revision;
        return this.answer(caller, create(m.HashKVResponse, { hash, compactRevision, hashRevision }), stamp);
      }
      case "Maintenance/MoveLeader":
        return this.#moveLeader(caller, (body as RequestOf<typeof method>).targetId, stamp);
      default:
        return this.answer(caller, this.#downgrade(body as RequestOf<"Maintenance/Downgrade">), stamp);
    }
  }

  #moveLeader(caller: Caller, target: MemberId, stamp: Stamp): void {
    const { host } = this;
    if (this.#leader !== host.id) return this.answer(caller, etcdError("NotLeader"), stamp);
    const member = this.state.membership.get(target);
    if (member === null || member.isLearner) return this.answer(caller, etcdError("BadLeaderTransferee"), stamp);
    if (member.node === host.id) return this.answer(caller, withoutHeader(create(m.MoveLeaderResponse)), stamp);
    const deadline = stamp.awake + requestTimeout(this.config);
    this.#moves.push({ caller, to: member.node, deadline });
    this.timers.requests = sooner(this.timers.requests, deadline);
    host.transferTo(member.node);
  }

  /** Only what a cluster of one version answers: no downgrade is ever under way. */
  #downgrade({ action, version }: RequestOf<"Maintenance/Downgrade">): object | EtcdError {
    if (this.config.compat === "3.4") return { code: CODES.Unimplemented, message: "unknown method Downgrade" };
    if (action === "CANCEL") return precondition("etcdserver: no inflight downgrade job");
    const own = /^(\d+)\.(\d+)/u.exec(this.config.version);
    const target = /^(\d+)\.(\d+)(?:\.\d+)?$/u.exec(version);
    if (target === null) return invalid("etcdserver: wrong downgrade target version format");
    const isAllowed = own !== null && target[1] === own[1] && Number(target[2]) === Number(own[2]) - 1;
    if (!isAllowed) return invalid("etcdserver: invalid downgrade target version");
    return create(m.DowngradeResponse, { version: `${own[1]}.${own[2]}.0` });
  }

  #statusNow(): object {
    const { host, state } = this;
    const status = host.status();
    const { total, inUse } = state.mvcc.size;
    const errors = this.#leader === null ? ["etcdserver: no leader"] : [];
    for (const { memberId, alarm } of state.alarms) errors.push(`memberID:${memberId} alarm:${alarm} `);
    return create(m.StatusResponse, {
      version: this.config.version,
      dbSize: total,
      dbSizeInUse: inUse,
      leader: this.#leader === null ? NO_MEMBER : (state.membership.byNode(this.#leader)?.id ?? NO_MEMBER),
      raftIndex: status.commit,
      raftTerm: status.term,
      raftAppliedIndex: host.applied.index,
      isLearner: this.#isLearner,
      errors,
    });
  }

  #sendSnapshot(caller: Caller, metadata: Metadata, stamp: Stamp): void {
    if (caller.type !== "client") return;
    const refused = this.#unlessAdmin(metadata);
    if (refused !== null) return this.answer(caller, unmapped(refused), stamp);
    const bytes = this.state.snapshot();
    const version = this.config.compat === "3.4" ? "" : this.config.version;
    for (let at = 0; at < bytes.length; at += SNAPSHOT_CHUNK) {
      const end = Math.min(bytes.length, at + SNAPSHOT_CHUNK);
      const blob = fromArray(bytes.subarray(at, end));
      this.#message(caller, create(m.SnapshotResponse, { remainingBytes: bytes.length - end, blob, version }));
    }
    this.#endStream(callId(caller.connection, caller.call));
    this.#transmit(caller.connection, { type: "end", call: caller.call });
  }

  // ── auth ──

  #authenticate(caller: Caller, { name, password }: RequestOf<"Auth/Authenticate">, stamp: Stamp): void {
    const problem = this.state.auth.checkPassword(name, password);
    if (problem !== null) return this.answer(caller, problem, stamp);
    const letters = Array.from({ length: 16 }, () => LETTERS.charAt(this.host.rng.below(LETTERS.length))).join("");
    const authenticate = create(m.InternalAuthenticateRequest, { name, simpleToken: letters });
    this.#propose(caller, "Auth/Authenticate", { authenticate }, null, stamp);
  }

  // ── answers ──

  header(given: m.ResponseHeader | null): m.ResponseHeader {
    const revision = given?.revision ?? 0;
    return { ...this.#memberHeader(), revision: revision === 0 ? this.state.mvcc.revision : revision };
  }

  /** Without a revision, as the cluster's calls have it. */
  #memberHeader(): m.ResponseHeader {
    const { term } = this.host.status();
    return { clusterId: this.#clusterId, memberId: this.#ownId(), revision: 0, raftTerm: term };
  }

  #ownId(): MemberId {
    return this.state.membership.byNode(this.host.id)?.id ?? NO_MEMBER;
  }

  answer(caller: Caller, response: object | EtcdError, stamp: Stamp): void {
    switch (caller.type) {
      case "nobody":
        return;
      case "routine":
        return this.#routines.answered(caller.id, isFailure(response) ? response : this.#headed(response), stamp);
      case "peer":
        return this.host.send(caller.node, { type: "promote-reply", serial: caller.serial, response });
      case "client": {
        const { connection, call } = caller;
        if (!this.#connections.has(connection)) return;
        if (isFailure(response)) {
          this.#streams.delete(callId(connection, call));
          this.emit?.({ type: "etcd-answered", call: callId(connection, call), revision: null, error: response });
          return this.#transmit(connection, { type: "error", call, error: response });
        }
        const body = this.#headed(response);
        const revision = body.header?.revision ?? null;
        this.emit?.({ type: "etcd-answered", call: callId(connection, call), revision, error: null });
        return this.#transmit(connection, { type: "answer", call, body });
      }
    }
  }

  /** A header that a member's call made is whole; others are filled. */
  #headed(response: object): { readonly header: m.ResponseHeader | null } {
    const { header } = response as { readonly header?: m.ResponseHeader | null };
    if (header === NO_HEADER) return { ...response, header: null };
    if (header !== undefined && header !== null && header.memberId !== NO_MEMBER) return { ...response, header };
    return { ...response, header: this.header(header ?? null) };
  }

  /** One response of a stream. */
  #message(caller: Caller, response: object): void {
    if (caller.type !== "client" || !this.#streams.has(callId(caller.connection, caller.call))) return;
    this.#transmit(caller.connection, { type: "message", call: caller.call, body: this.#headed(response) });
  }

  #deliver(owner: StreamOwner, response: m.WatchResponse, stamp: Stamp): void {
    if (owner.type === "routine") return this.#routines.watched(owner.id, response, stamp);
    const { connection, call } = owner;
    // A watch's header says what it was given, also when that is 0.
    const header = { ...this.#memberHeader(), revision: response.header?.revision ?? 0 };
    this.#transmit(connection, { type: "message", call, body: { ...response, header } });
  }

  #transmit(connection: ConnectionId, frame: ServerFrame): void {
    if (this.#connections.has(connection)) this.host.transmit(connection, frame);
  }

  #clientOf(connection: ConnectionId): ProcessId | "" {
    return this.#connections.get(connection) ?? "";
  }

  /** A client gave a call up, or is gone with all of them. What is in the log is carried out all the same. */
  #gone(connection: ConnectionId, call: number | null, stamp: Stamp = NO_TIME): void {
    const isGone = (caller: Caller): boolean =>
      caller.type === "client" && caller.connection === connection && (call === null || caller.call === call);
    for (const [ticket, pending] of this.#pending)
      if (isGone(pending.caller)) this.#pending.set(ticket, { ...pending, caller: NOBODY });
    this.#held = this.#held.filter(({ pending }) => !isGone(pending.caller));
    this.#moves = this.#moves.filter(({ caller }) => !isGone(caller));
    for (const [serial, { caller }] of this.#promotions) if (isGone(caller)) this.#promotions.delete(serial);
    for (const [serial, caller] of this.#questions) {
      if (!isGone(caller)) continue;
      this.#questions.delete(serial);
      this.#leases.forget(serial);
    }
    this.#reads.drop(isGone);
    this.#routines.abandon(isGone, stamp);
  }

  // ── time ──

  #nextTimer(): Micros | null {
    let next: Micros | null = null;
    for (const name of TIMERS) next = sooner(next, this.timers[name]);
    return next;
  }

  /** After every input: asks for the next wake, and tells figures that are others now. */
  #settle(): void {
    const next = this.#nextTimer();
    if (next !== this.#wakeAt) {
      this.#wakeAt = next;
      this.host.wakeAt(next);
    }
    if (this.emit !== null) this.#tellFigures();
  }

  // ── the record ──

  #tellApplied(request: m.InternalRaftRequest, { entry, key }: Applied, outcome: Outcome, failed: boolean): void {
    if (this.emit === null) return;
    const { leaseGrant, leaseRevoke, compaction } = request;
    const granted =
      leaseGrant !== null && !failed
        ? { lease: leaseGrant.id, ttl: (outcome.response as m.LeaseGrantResponse).ttl }
        : null;
    this.emit({
      type: "etcd-applied",
      key,
      index: entry.index,
      revision: this.state.mvcc.revision,
      changes: outcome.changes,
      granted,
      ended: leaseRevoke !== null && !failed ? leaseRevoke.id : null,
      compacted: compaction !== null && !failed ? compaction.revision : null,
    });
  }

  #tellRestored(): void {
    this.#restored = false;
    if (this.emit === null) return;
    const { mvcc, lessor } = this.state;
    this.emit({
      type: "etcd-restored",
      revision: mvcc.revision,
      compactRevision: mvcc.compactRevision,
      changes: mvcc.changesFrom(0),
      leases: lessor.ids().map((lease) => ({ lease, ttl: lessor.grantedTtl(lease) ?? 0 })),
    });
  }

  #tellFigures(): void {
    if (this.emit === null) return;
    const { mvcc, alarms } = this.state;
    const figures: Figures = {
      type: "etcd-figures",
      revision: mvcc.revision,
      compactRevision: mvcc.compactRevision,
      keys: mvcc.keyCount,
      dbSize: mvcc.size.total,
      dbSizeInUse: mvcc.size.inUse,
      alarms: alarms.map(({ alarm }) => alarm),
      watchers: this.#watches.count,
      isLearner: this.#isLearner,
    };
    if (this.#figures !== null && isSame(figures, this.#figures)) return;
    this.#figures = figures;
    this.emit(figures);
  }
}

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const NO_SPACE = etcdError("NoSpace").message;
const isFullDisk = (response: object | EtcdError): response is EtcdError =>
  isFailure(response) && response.message === NO_SPACE;
const NO_TIME: Stamp = { mono: 0, wall: 0, awake: 0 };
const TRANSFER_TIMEOUT: EtcdError = {
  code: CODES.Unavailable,
  message: "etcdserver: request timed out, leader transfer took too long",
};

/** The maintenance service gives the errors of the auth store away as they are: of no kind that gRPC knows. */
function unmapped({ message }: EtcdError): EtcdError {
  return { code: CODES.Unknown, message: message.replace("etcdserver:", "auth:") };
}

/** Marks an answer whose header etcd leaves out. */
const NO_HEADER = create(m.ResponseHeader);

function withoutHeader(response: object): object {
  return isFailure(response) ? response : { ...response, header: NO_HEADER };
}

/** What raft would not take. */
function refusal(why: Reason): EtcdError {
  return why.rule === "no-leader" ? etcdError("NoLeader") : LOST_PROPOSAL;
}

function precondition(message: string): EtcdError {
  return { code: CODES.FailedPrecondition, message };
}

function invalid(message: string): EtcdError {
  return { code: CODES.InvalidArgument, message };
}

/** Where its process is, is no part of a member's message. */
function withoutNode({ id, name, peerUrls, clientUrls, isLearner }: m.Member): m.Member {
  return { id, name, peerUrls, clientUrls, isLearner };
}

function hashOf(bytes: Uint8Array): number {
  return crc32c(bytes, 0, bytes.length) >>> 0;
}

function isSame(a: Figures, b: Figures): boolean {
  return (
    a.revision === b.revision &&
    a.compactRevision === b.compactRevision &&
    a.keys === b.keys &&
    a.dbSize === b.dbSize &&
    a.dbSizeInUse === b.dbSizeInUse &&
    a.watchers === b.watchers &&
    a.isLearner === b.isLearner &&
    a.alarms.join() === b.alarms.join()
  );
}
