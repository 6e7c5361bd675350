/**
 * An etcd member: etcd's services over its replicated state (etcd server/etcdserver, api/v3rpc). This is its life: what
 * its replica tells it goes to the parts, and what each part holds is kept here as plain data.
 *
 *     streams       connections of clients, and the streams on them
 *     calls         which way a call goes ─► proposals  over the log
 *                                         ─► reads      through a round that proves who leads
 *     watches, leases, lease-calls, members, maintenance, routines   the services
 *     record        what is told of the store
 */
import { present } from "../../base/assert.ts";
import { ByteReader, ByteWriter } from "../../base/bytes.ts";
import type { Micros } from "../../base/units.ts";
import type { ConfChange } from "../../raft/conf-change.ts";
import type { Reason } from "../../raft/events.ts";
import type { PeerStatus } from "../../raft/peer.ts";
import type { ConfState, NodeId } from "../../raft/types.ts";
import type { Command } from "../../replica/command.ts";
import { Seen, type SeenCheckpoint } from "../../replica/seen.ts";
import type { Applied, Service, ServiceHost, Ticket } from "../../replica/service.ts";
import type { ProcessId } from "../../sim/command.ts";
import type { ConnectionId, Stamp } from "../../sim/process.ts";
import type { EtcdError } from "../api/errors.ts";
import { type MemberId, NO_MEMBER } from "../api/ids.ts";
import * as m from "../api/messages.ts";
import type { ClientFrame, Metadata, UnaryMethod } from "../api/methods.ts";
import { clusterIdOf } from "../cluster/membership.ts";
import type { EtcdEvent } from "../events.ts";
import { BATCH_LIMIT } from "../mvcc/mvcc.ts";
import { type EtcdCheckpoint, EtcdState } from "../state.ts";
import { headed } from "./answers.ts";
import { Calls } from "./calls.ts";
import { BATCH_INTERVAL, type EtcdMemberConfig, minLeaseTtl } from "./config.ts";
import { type Caller, type Core, isFailure, NOBODY, sooner, type TimerName, TIMERS, type Timers } from "./core.ts";
import { LeaseCalls, type LeaseCallsCheckpoint } from "./lease-calls.ts";
import { type LeaseMessage, Leases, type LeasesCheckpoint } from "./leases.ts";
import { Maintenance, type MaintenanceCheckpoint } from "./maintenance.ts";
import { Members, type MembersCheckpoint, type MembersMessage } from "./members.ts";
import { Proposals, type ProposalsCheckpoint } from "./proposals.ts";
import { Reads, type ReadsCheckpoint } from "./reads.ts";
import { type Figures, tellApplied, tellFigures, tellRestored } from "./record.ts";
import { labelOf, readRequest } from "./requests.ts";
import { Routines, type RoutinesCheckpoint } from "./routines.ts";
import { Streams, type StreamsCheckpoint } from "./streams.ts";
import { Tokens, type TokensCheckpoint } from "./tokens.ts";
import { Watches, type WatchesCheckpoint } from "./watches.ts";

interface EtcdMemberCheckpoint {
  readonly state: EtcdCheckpoint;
  readonly seen: SeenCheckpoint;
  readonly timers: Timers;
  readonly leader: NodeId | null;
  readonly leaderSince: Micros | null;
  readonly serials: number;
  readonly verifying: Ticket | null;
  readonly figures: Figures | null;
  readonly streams: StreamsCheckpoint;
  readonly proposals: ProposalsCheckpoint;
  readonly reads: ReadsCheckpoint;
  readonly watches: WatchesCheckpoint;
  readonly leases: LeasesCheckpoint;
  readonly leaseCalls: LeaseCallsCheckpoint;
  readonly members: MembersCheckpoint;
  readonly maintenance: MaintenanceCheckpoint;
  readonly routines: RoutinesCheckpoint;
  readonly tokens: TokensCheckpoint;
}

export class EtcdMember implements Service, Core {
  readonly config: EtcdMemberConfig;
  readonly state: EtcdState;
  readonly timers: Timers = Object.fromEntries(TIMERS.map((name) => [name, null])) as Timers;
  readonly #clusterId: string;
  readonly #seen = new Seen();
  #host: ServiceHost | null = null;
  #wakeAt: Micros | null = null;
  #leader: NodeId | null = null;
  #leaderSince: Micros | null = null;
  #serials = 0;
  /** A round that proves who leads, for the leases. */
  #verifying: Ticket | null = null;
  #figures: Figures | null = null;
  /** A snapshot was taken over before there was anybody to tell. */
  #restored = false;
  readonly #streams: Streams;
  readonly #calls: Calls;
  readonly #proposals: Proposals;
  readonly #reads: Reads;
  readonly #watches: Watches;
  readonly #leases: Leases;
  readonly #leaseCalls: LeaseCalls;
  readonly #members: Members;
  readonly #maintenance: Maintenance;
  readonly #routines: Routines;
  readonly #tokens: Tokens;

  constructor(config: EtcdMemberConfig) {
    this.config = config;
    const { compat, quotaBytes, members } = config;
    this.state = new EtcdState({ compat, quotaBytes, members, minLeaseTtl: minLeaseTtl(config) });
    this.#clusterId = clusterIdOf(members.map(({ id }) => id));
    const message = (caller: Caller, response: object): void => this.#streams.message(caller, response);
    this.#proposals = new Proposals(this);
    this.#tokens = new Tokens(this);
    this.#reads = new Reads(this, (reader, problem, stamp) => this.#calls.readDone(reader, problem, stamp));
    this.#watches = new Watches(this, (owner, response, stamp) => {
      if (owner.type === "client") this.#streams.deliver(owner, response);
      else this.#routines.watched(owner.id, response, stamp);
    });
    this.#leases = new Leases(
      this,
      (request, stamp) => this.#proposals.propose(NOBODY, "checkpoint", request, null, stamp),
      (stamp) => this.#verify(stamp),
      (serial, reply, stamp) => this.#leaseCalls.replied(serial, reply, stamp),
    );
    this.#leaseCalls = new LeaseCalls(this, this.#leases, message);
    this.#members = new Members(this, this.#proposals);
    this.#maintenance = new Maintenance(this);
    this.#routines = new Routines(this, this.#watches, this.#leases, message);
    this.#streams = new Streams(this, {
      watches: this.#watches,
      leases: this.#leaseCalls,
      routines: this.#routines,
      maintenance: this.#maintenance,
      tokens: this.#tokens,
      drop: (isGone, stamp) => {
        for (const part of [this.#proposals, this.#maintenance, this.#members, this.#leaseCalls, this.#reads])
          part.drop(isGone);
        this.#routines.abandon(isGone, stamp);
      },
    });
    this.#calls = new Calls(this, {
      proposals: this.#proposals,
      reads: this.#reads,
      leases: this.#leaseCalls,
      routines: this.#routines,
      members: this.#members,
      maintenance: this.#maintenance,
    });
  }

  // ── what its parts ask of it ──

  get host(): ServiceHost {
    return present(this.#host, "a service is started before it is asked");
  }

  get emit(): ((event: EtcdEvent) => void) | null {
    return this.#host?.emit ?? null;
  }

  get leader(): NodeId | null {
    return this.#leader;
  }

  get leaderSince(): Micros | null {
    return this.#leaderSince;
  }

  get isLearner(): boolean {
    return this.state.membership.byNode(this.host.id)?.isLearner === true;
  }

  get ownId(): MemberId {
    return this.state.membership.byNode(this.host.id)?.id ?? NO_MEMBER;
  }

  nextSerial(): number {
    this.#serials += 1;
    return this.#serials;
  }

  header(given: m.ResponseHeader | null): m.ResponseHeader {
    const revision = given?.revision ?? 0;
    return {
      clusterId: this.#clusterId,
      memberId: this.ownId,
      revision: revision === 0 ? this.state.mvcc.revision : revision,
      raftTerm: this.host.term,
    };
  }

  memberHeader(): m.ResponseHeader {
    return { clusterId: this.#clusterId, memberId: this.ownId, revision: 0, raftTerm: this.host.term };
  }

  call(caller: Caller, method: UnaryMethod, metadata: Metadata, body: object, stamp: Stamp): void {
    this.#calls.call(caller, method, metadata, body, stamp);
  }

  answer(caller: Caller, response: object | EtcdError, stamp: Stamp): void {
    switch (caller.type) {
      case "nobody":
        return;
      case "routine":
        return this.#routines.answered(caller.id, isFailure(response) ? response : headed(this, response), stamp);
      case "peer": {
        const reply: MembersMessage = { type: "promote-reply", serial: caller.serial, response };
        return this.host.send(caller.node, reply);
      }
      case "client":
        return this.#streams.answer(caller, response);
    }
  }

  // ── the service ──

  start(host: ServiceHost): void {
    this.#host = host;
    if (this.#restored) this.#tellRestored();
    this.#tellFigures();
  }

  accepted(connection: ConnectionId, from: ProcessId): void {
    this.#streams.accepted(connection, from);
  }

  received(connection: ConnectionId, data: unknown, stamp: Stamp): void {
    this.#streams.frame(connection, data as ClientFrame, stamp);
    this.#settle();
  }

  closed(connection: ConnectionId): void {
    this.#streams.closed(connection);
    this.#settle();
  }

  message(from: NodeId, data: unknown, stamp: Stamp): void {
    const message = data as LeaseMessage | MembersMessage;
    switch (message.type) {
      case "promote-ask":
      case "promote-reply":
        this.#members.message(from, message, stamp);
        break;
      case "lease-ask":
      case "lease-reply":
        this.#leases.message(from, message, stamp);
        break;
    }
    this.#settle();
  }

  apply(command: Command, applied: Applied, stamp: Stamp): void {
    const { entry, origin, ticket } = applied;
    if (origin !== null && !this.#seen.add(origin)) return;
    const request = command.as(readRequest);
    const outcome = this.state.apply(request, entry.index, stamp.mono);
    if (outcome.changes.length > 0) {
      this.#watches.applied(outcome.changes, stamp);
      this.#written(stamp);
    }
    const { leaseGrant, leaseRevoke, authenticate } = request;
    if (leaseGrant !== null && !isFailure(outcome.response)) this.#leases.granted(leaseGrant.id, stamp);
    if (leaseRevoke !== null) this.#leases.revoked(leaseRevoke.id, stamp);
    if (authenticate !== null && "token" in outcome.response)
      this.#tokens.made(String(outcome.response.token), stamp.mono);
    tellApplied(this, request, applied, outcome);
    if (ticket !== null) this.#proposals.applied(ticket, outcome.response, stamp);
    else this.#proposals.appliedForOthers(outcome.response, stamp);
    this.#settle();
  }

  vetoes(change: ConfChange): boolean {
    return this.#members.vetoes(change);
  }

  confApplied(change: ConfChange, _conf: ConfState, { entry, ticket }: Applied, stamp: Stamp): void {
    const answer = this.#members.applied(change, entry.index);
    if (answer !== null && ticket !== null) this.#proposals.applied(ticket, answer, stamp);
    this.#members.publish(stamp);
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
    this.#proposals.refused(ticket, why, stamp);
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
      this.#proposals.leaderKnown();
      this.#members.publish(stamp);
    }
    this.#maintenance.leaderChanged(stamp);
    this.#settle();
  }

  woke(stamp: Stamp): void {
    this.#wakeAt = null;
    const { timers } = this;
    for (const name of TIMERS) {
      const at = timers[name];
      if (at === null || at > stamp.awake) continue;
      timers[name] = null;
      this.#due(name, stamp);
    }
    this.#settle();
  }

  label(command: Command): string {
    return labelOf(command.as(readRequest));
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
      verifying: this.#verifying,
      figures: this.#figures,
      streams: this.#streams.checkpoint(),
      proposals: this.#proposals.checkpoint(),
      reads: this.#reads.checkpoint(),
      watches: this.#watches.checkpoint(),
      leases: this.#leases.checkpoint(),
      leaseCalls: this.#leaseCalls.checkpoint(),
      members: this.#members.checkpoint(),
      maintenance: this.#maintenance.checkpoint(),
      routines: this.#routines.checkpoint(),
      tokens: this.#tokens.checkpoint(),
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
    this.#verifying = saved.verifying;
    this.#figures = saved.figures;
    this.#streams.resume(saved.streams);
    this.#proposals.resume(saved.proposals);
    this.#reads.resume(saved.reads);
    this.#watches.resume(saved.watches);
    this.#leases.resume(saved.leases);
    this.#leaseCalls.resume(saved.leaseCalls);
    this.#members.resume(saved.members);
    this.#maintenance.resume(saved.maintenance);
    this.#routines.resume(saved.routines);
    this.#tokens.resume(saved.tokens);
  }

  // ── inside ──

  #due(name: TimerName, stamp: Stamp): void {
    switch (name) {
      case "requests":
        return this.#expire(stamp);
      case "reads":
        return this.#reads.due(stamp);
      case "sync":
        this.#watches.sync(stamp);
        return this.#members.publish(stamp);
      case "progress":
        return this.#watches.progress(stamp);
      case "expiry":
        return this.#leases.due(stamp);
      case "forwards":
        return this.#leases.retry(stamp);
      case "leaderless":
        return this.#streams.leaderless();
      case "commit":
        return this.state.mvcc.commit();
    }
  }

  /**
   * The backend looks every 100 ms whether something is pending; here a timer runs only if something is. 10,000 changes
   * do not wait for it (etcd server/storage/backend, run and batchTx.Unlock).
   */
  #written({ awake }: Stamp): void {
    this.timers.commit ??= (Math.floor(awake / BATCH_INTERVAL) + 1) * BATCH_INTERVAL;
    const { mvcc } = this.state;
    if (mvcc.pending >= BATCH_LIMIT) mvcc.commit();
  }

  /** What waited too long is answered so. */
  #expire(stamp: Stamp): void {
    const parts = [this.#proposals, this.#maintenance, this.#members];
    for (const part of parts) part.expire(stamp);
    this.#members.publish(stamp);
    for (const part of parts) this.timers.requests = sooner(this.timers.requests, part.nextDeadline());
  }

  /** A round that proves that this member still leads. */
  #verify(stamp: Stamp): void {
    if (this.#verifying === null) this.#verifying = this.host.readIndex();
    this.timers.expiry = stamp.awake + this.config.electionTimeout;
  }

  #nextTimer(): Micros | null {
    // By name: it is asked after every input, and a loop over names costs four times as much.
    const { requests, reads, sync, progress, expiry, forwards, leaderless, commit } = this.timers;
    const streams = sooner(sooner(sync, progress), sooner(forwards, commit));
    return sooner(sooner(sooner(requests, reads), sooner(expiry, leaderless)), streams);
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

  #tellRestored(): void {
    this.#restored = false;
    tellRestored(this);
  }

  #tellFigures(): void {
    this.#figures = tellFigures(this, this.#watches.count, this.#figures);
  }
}
