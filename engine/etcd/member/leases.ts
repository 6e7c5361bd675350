/**
 * Leases where they live: on the leader, which counts them by its own clock and ends them through the log. A member that
 * does not lead passes renewals and questions on to it, past the log (etcd leasehttp).
 *
 * Time here is the monotonic clock: it goes on while the process is stopped, as Go's does, so a leader that was paused
 * finds leases over when it wakes. Since 3.5.13 it then makes sure first that it still leads.
 */
import type { Micros } from "../../base/units.ts";
import type { NodeId } from "../../raft/types.ts";
import type { PeerStatus } from "../../raft/peer.ts";
import type { Stamp } from "../../sim/process.ts";
import { type EtcdError, etcdError } from "../api/errors.ts";
import type { LeaseId } from "../api/ids.ts";
import {
  LeaseTimeToLiveResponse,
  LeaseCheckpoint,
  type InternalRaftRequest,
  type LeaseTimeToLiveRequest,
} from "../api/messages.ts";
import { create } from "../api/proto.ts";
import type { Of } from "../api/proto.ts";
import { EXPIRY_LOOK } from "../lease/lessor.ts";
import { requestTimeout } from "./config.ts";
import { type Core, NO_METADATA, NOBODY, sooner } from "./core.ts";

type TimeToLive = Of<typeof LeaseTimeToLiveRequest>;
type TimeToLiveAnswer = Of<typeof LeaseTimeToLiveResponse>;

/** What a member asks of the leader for a client. */
export type LeaseQuestion =
  | { readonly type: "renew"; readonly lease: LeaseId }
  | { readonly type: "time-to-live"; readonly request: TimeToLive };

/** The new time to live, 0 for a lease that is none; or what `LeaseTimeToLive` answers; or an error. */
export type LeaseReply =
  | { readonly type: "renewed"; readonly lease: LeaseId; readonly ttl: number }
  | { readonly type: "time-to-live"; readonly response: TimeToLiveAnswer }
  | { readonly type: "failed"; readonly error: EtcdError };

/** Between the leases of two members. */
export type LeaseMessage =
  | { readonly type: "lease-ask"; readonly serial: number; readonly question: LeaseQuestion }
  | { readonly type: "lease-reply"; readonly serial: number; readonly reply: LeaseReply | null };

/** A question that is on its way to the leader, under a number that its asker knows. */
interface Forward {
  readonly question: LeaseQuestion;
  readonly deadline: Micros;
}

export interface LeasesCheckpoint {
  readonly leads: boolean;
  readonly forwards: readonly (readonly [number, Forward])[];
  readonly waiting: readonly Waiting[];
  readonly serials: number;
  readonly paused: Micros;
}

/** Another member's renewal of a lease that is over and not ended yet. */
interface Waiting {
  readonly node: NodeId;
  readonly serial: number;
  readonly lease: LeaseId;
}

export class Leases {
  readonly #core: Core;
  readonly #propose: (request: Partial<InternalRaftRequest>, stamp: Stamp) => void;
  /** Asks for a round that proves who leads; `lookAgain` follows. */
  readonly #verify: (stamp: Stamp) => void;
  readonly #replied: (serial: number, reply: LeaseReply, stamp: Stamp) => void;
  #leads = false;
  /** Questions that are on their way to the leader; on the leader, renewals that wait for a lease to be ended. */
  readonly #forwards = new Map<number, Forward>();
  #waiting: Waiting[] = [];
  #serials = 0;
  /** How much longer it has run than it was awake, when it last knew that it leads. */
  #paused: Micros = 0;

  constructor(
    core: Core,
    propose: (request: Partial<InternalRaftRequest>, stamp: Stamp) => void,
    verify: (stamp: Stamp) => void,
    replied: (serial: number, reply: LeaseReply, stamp: Stamp) => void,
  ) {
    this.#core = core;
    this.#propose = propose;
    this.#verify = verify;
    this.#replied = replied;
  }

  roleChanged({ role }: PeerStatus, stamp: Stamp): void {
    const leads = role === "leader";
    if (leads === this.#leads) return;
    this.#leads = leads;
    const { state, timers, config } = this.#core;
    if (!leads) {
      // The one that looks for leases does not wait for the one that hears who leads: before 3.5.13 it finds them over
      // when both wake, and what it then asks for goes on to the new leader, who has renewed them.
      if (this.#wasPaused(stamp) && config.compat === "3.4") this.#look(stamp);
      state.lessor.demote();
      timers.expiry = null;
      // Whoever leads now may give these leases their time again.
      for (const { node, serial } of this.#waiting) this.#tell(node, serial, null);
      this.#waiting = [];
      this.#core.emit?.({ type: "etcd-leases-uncounted" });
      return;
    }
    this.#paused = stamp.mono - stamp.awake;
    state.lessor.promote(config.electionTimeout, stamp.mono);
    for (const lease of state.lessor.ids()) this.#counted(lease, "leader-change", stamp);
    timers.expiry = stamp.awake + EXPIRY_LOOK;
  }

  /** Looks for leases whose time is over, every half second while it leads. */
  due(stamp: Stamp): void {
    if (!this.#leads) return;
    this.#core.timers.expiry = stamp.awake + EXPIRY_LOOK;
    if (this.#wasPaused(stamp) && this.#core.config.compat !== "3.4") return this.#verify(stamp);
    this.#look(stamp);
  }

  /** For three of etcd's ticks, since it last knew that it leads. */
  #wasPaused({ mono, awake }: Stamp): boolean {
    return mono - awake - this.#paused > (3 * this.#core.config.electionTimeout) / 10;
  }

  /** It leads still. */
  verified(stamp: Stamp): void {
    this.#paused = stamp.mono - stamp.awake;
    if (this.#leads) this.#look(stamp);
  }

  granted(lease: LeaseId, stamp: Stamp): void {
    if (this.#leads) this.#counted(lease, "grant", stamp);
  }

  /** One has been ended: renewals have waited for that, and others that are over for their turn. */
  revoked(lease: LeaseId, stamp: Stamp): void {
    if (!this.#leads) return;
    const gone: LeaseReply = { type: "renewed", lease, ttl: 0 };
    for (const [serial, { question }] of Array.from(this.#forwards)) {
      if (question.type !== "renew" || question.lease !== lease || !this.#forwards.delete(serial)) continue;
      this.#replied(serial, gone, stamp);
    }
    for (const each of this.#waiting) if (each.lease === lease) this.#tell(each.node, each.serial, gone);
    this.#waiting = this.#waiting.filter((each) => each.lease !== lease);
    const { state, config } = this.#core;
    this.#revoke(state.lessor.takeMore(stamp.mono, requestTimeout(config)), stamp);
  }

  /** @returns under which number `replied` will tell, or the reply itself where this member leads */
  ask(question: LeaseQuestion, stamp: Stamp): number | LeaseReply {
    const own = this.#leads ? this.#answer(question, stamp) : null;
    if (own !== null) return own;
    this.#serials += 1;
    const serial = this.#serials;
    this.#forwards.set(serial, { question, deadline: stamp.awake + requestTimeout(this.#core.config) });
    this.#forward(serial, question);
    const { timers } = this.#core;
    timers.forwards = sooner(timers.forwards, this.#retryAt(stamp));
    return serial;
  }

  forget(serial: number): void {
    this.#forwards.delete(serial);
  }

  message(from: NodeId, message: LeaseMessage, stamp: Stamp): void {
    const { serial } = message;
    if (message.type === "lease-ask") {
      const { question } = message;
      const reply = this.#leads ? this.#answer(question, stamp) : null;
      if (!this.#leads || reply !== null || question.type !== "renew") return this.#tell(from, serial, reply);
      const isKnown = this.#waiting.some((each) => each.node === from && each.serial === serial);
      if (!isKnown) this.#waiting.push({ node: from, serial, lease: question.lease });
      return;
    }
    // One that does not lead says so: it is tried again in a while.
    if (message.reply === null || !this.#forwards.delete(serial)) return;
    this.#replied(serial, message.reply, stamp);
  }

  retry(stamp: Stamp): void {
    for (const [serial, { question, deadline }] of Array.from(this.#forwards)) {
      // It may lead by now.
      const own = this.#leads ? this.#answer(question, stamp) : null;
      if (own === null && stamp.awake < deadline) {
        this.#forward(serial, question);
        continue;
      }
      this.#forwards.delete(serial);
      this.#replied(serial, own ?? { type: "failed", error: etcdError("Timeout") }, stamp);
    }
    this.#core.timers.forwards = this.#forwards.size === 0 ? null : this.#retryAt(stamp);
  }

  checkpoint(): LeasesCheckpoint {
    return {
      leads: this.#leads,
      forwards: [...this.#forwards],
      waiting: [...this.#waiting],
      serials: this.#serials,
      paused: this.#paused,
    };
  }

  resume({ leads, forwards, waiting, serials, paused }: LeasesCheckpoint): void {
    this.#leads = leads;
    this.#waiting = [...waiting];
    for (const [serial, forward] of forwards) this.#forwards.set(serial, forward);
    this.#serials = serials;
    this.#paused = paused;
  }

  #look(stamp: Stamp): void {
    const { state, config } = this.#core;
    this.#revoke(state.lessor.takeExpired(stamp.mono, requestTimeout(config)), stamp);
    if (!config.leaseCheckpoints) return;
    for (;;) {
      const left = state.lessor.takeCheckpoints(stamp.mono);
      if (left.length === 0) return;
      this.#checkpoint(left, stamp);
    }
  }

  #revoke(leases: readonly LeaseId[], stamp: Stamp): void {
    for (const id of leases) {
      this.#core.emit?.({ type: "etcd-lease-expired", lease: id });
      this.#core.call(NOBODY, "Lease/LeaseRevoke", NO_METADATA, { id }, stamp);
    }
  }

  #checkpoint(left: readonly { readonly id: LeaseId; readonly remaining: number }[], stamp: Stamp): void {
    const checkpoints = left.map(({ id, remaining }) => create(LeaseCheckpoint, { id, remainingTtl: remaining }));
    this.#propose({ leaseCheckpoint: { checkpoints } }, stamp);
  }

  #tell(to: NodeId, serial: number, reply: LeaseReply | null): void {
    this.#core.host.send(to, { type: "lease-reply", serial, reply } satisfies LeaseMessage);
  }

  /** On the leader. Null: the lease is over, and whether it ends the log will tell. */
  #answer(question: LeaseQuestion, stamp: Stamp): LeaseReply | null {
    const { lessor } = this.#core.state;
    if (question.type === "renew") {
      const ttl = lessor.renew(question.lease, stamp.mono);
      if (ttl === null && lessor.has(question.lease)) return null;
      if (ttl !== null) {
        // Or who leads next would count from the checkpoint.
        if (lessor.isCheckpointed(question.lease)) this.#checkpoint([{ id: question.lease, remaining: 0 }], stamp);
        this.#counted(question.lease, "keep-alive", stamp);
      }
      return { type: "renewed", lease: question.lease, ttl: ttl ?? 0 };
    }
    const { id, keys } = question.request;
    const left = lessor.remainingTtl(id, stamp.mono);
    const response =
      left === null
        ? create(LeaseTimeToLiveResponse, { id, ttl: -1 })
        : create(LeaseTimeToLiveResponse, {
            id,
            ttl: left,
            grantedTtl: lessor.grantedTtl(id) ?? 0,
            keys: keys ? lessor.keysOf(id) : [],
          });
    return { type: "time-to-live", response };
  }

  #forward(serial: number, question: LeaseQuestion): void {
    const { host } = this.#core;
    const { leader } = host.status();
    if (leader === null || leader === host.id) return;
    host.send(leader, { type: "lease-ask", serial, question } satisfies LeaseMessage);
  }

  /** etcd sleeps 50 ms between attempts, at an election timeout of a second. */
  #retryAt({ awake }: Stamp): Micros {
    return awake + Math.ceil(this.#core.config.electionTimeout / 20);
  }

  #counted(lease: LeaseId, by: "grant" | "keep-alive" | "leader-change", stamp: Stamp): void {
    const { emit, state } = this.#core;
    if (emit === null) return;
    const end = state.lessor.expiresAt(lease) ?? stamp.mono;
    emit({
      type: "etcd-lease-counted",
      lease,
      ttl: state.lessor.grantedTtl(lease) ?? 0,
      expiresIn: end - stamp.mono,
      by,
    });
  }
}
