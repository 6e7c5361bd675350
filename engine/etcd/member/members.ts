/**
 * The Cluster service's changes: who joins, leaves, is promoted, and what a member that has joined tells of itself.
 * The checks are in `cluster.ts`; a change is checked once more by all when it is applied.
 */
import type { Micros } from "../../base/units.ts";
import type { ConfChange } from "../../raft/conf-change.ts";
import type { NodeId } from "../../raft/types.ts";
import type { Stamp } from "../../sim/process.ts";
import { type EtcdError, etcdError } from "../api/errors.ts";
import type { MemberId } from "../api/ids.ts";
import * as m from "../api/messages.ts";
import type { Metadata, RequestOf, UnaryMethod } from "../api/methods.ts";
import { create } from "../api/proto.ts";
import { type ClusterMember, decodeChange, type MemberChange } from "../cluster/membership.ts";
import type { MemberChanged } from "../events.ts";
import { unlessAdmin } from "./answers.ts";
import { confChangeOf, mayAdd, mayPromote, mayRemove } from "./cluster.ts";
import { badUrls, joiningId, memberOf, nodeAt, requestTimeout } from "./config.ts";
import { type Caller, type Core, type IsGone, NOBODY, sooner } from "./core.ts";
import type { Proposals } from "./proposals.ts";

/** Between two members: only the leader knows how far a learner is. */
export type MembersMessage =
  | { readonly type: "promote-ask"; readonly serial: number; readonly id: MemberId; readonly metadata: Metadata }
  | { readonly type: "promote-reply"; readonly serial: number; readonly response: object };

/** A promotion that the leader was asked to judge. */
interface Promotion {
  readonly caller: Caller;
  readonly deadline: Micros;
}

export interface MembersCheckpoint {
  readonly promotions: readonly (readonly [number, Promotion])[];
}

type MembersMethod = "Cluster/MemberAdd" | "Cluster/MemberRemove" | "Cluster/MemberUpdate" | "Cluster/MemberPromote";

export class Members {
  readonly #core: Core;
  readonly #proposals: Proposals;
  readonly #promotions = new Map<number, Promotion>();

  constructor(core: Core, proposals: Proposals) {
    this.#core = core;
    this.#proposals = proposals;
  }

  list(): readonly m.Member[] {
    return this.#core.state.membership.list().map(withoutNode);
  }

  call(caller: Caller, method: MembersMethod, metadata: Metadata, body: object, stamp: Stamp): void {
    const core = this.#core;
    const refused = unlessAdmin(core, metadata);
    if (refused !== null) return core.answer(caller, refused, stamp);
    const { membership } = core.state;
    switch (method) {
      case "Cluster/MemberAdd": {
        const { peerUrls, isLearner } = body as RequestOf<typeof method>;
        if (badUrls(peerUrls)) return core.answer(caller, etcdError("MemberBadURLs"), stamp);
        const problem = mayAdd(core, isLearner);
        if (problem !== null) return core.answer(caller, problem, stamp);
        const id = joiningId(peerUrls, Math.floor(stamp.wall / 1_000_000));
        const node = nodeAt(peerUrls[0] as string, id, core.config);
        const member = { ...create(m.Member, { id, peerUrls, isLearner }), node };
        return this.#propose(caller, method, { kind: "add", member }, stamp);
      }
      case "Cluster/MemberRemove": {
        const { id } = body as RequestOf<typeof method>;
        const problem = mayRemove(core, id);
        if (problem !== null) return core.answer(caller, problem, stamp);
        const member = membership.get(id);
        if (member === null) return core.answer(caller, membership.checkRemove(id) as EtcdError, stamp);
        return this.#propose(caller, method, { kind: "remove", member }, stamp);
      }
      case "Cluster/MemberUpdate": {
        const { id, peerUrls } = body as RequestOf<typeof method>;
        const member = membership.get(id);
        if (member === null) return core.answer(caller, etcdError("MemberNotFound"), stamp);
        // etcd takes any, and ends itself over one that is none: that is refused here.
        if (badUrls(peerUrls)) return core.answer(caller, etcdError("MemberBadURLs"), stamp);
        // etcd's own slip: what is updated counts as a voter from then on, though raft knows better.
        const updated = { ...member, peerUrls, isLearner: false };
        return this.#propose(caller, method, { kind: "update", member: updated }, stamp);
      }
      case "Cluster/MemberPromote":
        return this.#promote(caller, (body as RequestOf<typeof method>).id, metadata, stamp);
    }
  }

  message(from: NodeId, message: MembersMessage, stamp: Stamp): void {
    const core = this.#core;
    if (message.type === "promote-ask") {
      const caller: Caller = { type: "peer", node: from, serial: message.serial };
      if (core.leader === core.host.id) this.#promote(caller, message.id, message.metadata, stamp);
      else core.answer(caller, etcdError("NotLeader"), stamp);
      return;
    }
    const asked = this.#promotions.get(message.serial);
    this.#promotions.delete(message.serial);
    if (asked !== undefined) core.answer(asked.caller, message.response, stamp);
  }

  /** Whether a committed change is against the rules of the membership that holds by then. */
  vetoes(change: ConfChange): boolean {
    return change.context.length > 0 && this.#check(decodeChange(change.context)) !== null;
  }

  /**
   * A change has taken effect in raft.
   *
   * @param index of its entry
   * @returns what its caller is answered; null when it was none of etcd's
   */
  applied(change: ConfChange, index: number): object | EtcdError | null {
    const { membership } = this.#core.state;
    if (change.context.length > 0) {
      const taken = decodeChange(change.context);
      const problem = membership.apply(taken);
      if (problem !== null) return problem;
      if (taken.kind === "remove") this.#core.state.forgetMember(taken.member.id);
      this.#tell(index, changedBy(taken), taken.member);
      return this.#changed(taken);
    }
    for (const { operation, id } of change.steps) {
      const known = membership.byNode(id);
      if (operation === "remove") {
        membership.dropNode(id);
        if (known !== null) this.#tell(index, "removed", known);
      } else if (operation !== "update" && known === null) {
        const member = { ...memberOf(id), isLearner: operation === "add-learner" };
        membership.put(member);
        this.#tell(index, changedBy({ kind: "add", member }), member);
      } else if (operation === "add-voter" && known !== null) {
        membership.put({ ...known, isLearner: false });
        if (known.isLearner) this.#tell(index, "promoted", known);
      }
    }
    return null;
  }

  /** A member that has joined tells its name and where clients find it. */
  publish(stamp: Stamp): void {
    const { host, state, config, leader } = this.#core;
    const own = state.membership.byNode(host.id);
    if (own === null || own.name !== "" || leader === null || this.#proposals.isUnderWay("publish")) return;
    const { name, clientUrls } = config.names[host.id] ?? memberOf(host.id);
    const clusterMemberAttrSet = { memberId: own.id, name, clientUrls };
    this.#proposals.propose(NOBODY, "publish", { clusterMemberAttrSet }, null, stamp);
  }

  drop(isGone: IsGone): void {
    for (const [serial, { caller }] of this.#promotions) if (isGone(caller)) this.#promotions.delete(serial);
  }

  expire(stamp: Stamp): void {
    for (const [serial, { caller, deadline }] of Array.from(this.#promotions)) {
      if (deadline > stamp.awake) continue;
      this.#promotions.delete(serial);
      this.#core.answer(caller, etcdError("Timeout"), stamp);
    }
  }

  nextDeadline(): Micros | null {
    let next: Micros | null = null;
    for (const { deadline } of this.#promotions.values()) next = sooner(next, deadline);
    return next;
  }

  checkpoint(): MembersCheckpoint {
    return { promotions: [...this.#promotions] };
  }

  resume({ promotions }: MembersCheckpoint): void {
    for (const [serial, promotion] of promotions) this.#promotions.set(serial, promotion);
  }

  // ── inside ──

  #promote(caller: Caller, id: MemberId, metadata: Metadata, stamp: Stamp): void {
    const core = this.#core;
    const { host, leader, state } = core;
    if (leader === null) return core.answer(caller, etcdError("NoLeader"), stamp);
    if (leader !== host.id) {
      const serial = core.nextSerial();
      const deadline = stamp.awake + requestTimeout(core.config);
      this.#promotions.set(serial, { caller, deadline });
      core.timers.requests = sooner(core.timers.requests, deadline);
      return host.send(leader, { type: "promote-ask", serial, id, metadata } satisfies MembersMessage);
    }
    const problem = unlessAdmin(core, metadata) ?? mayPromote(core, id) ?? state.membership.checkPromote(id);
    const member = state.membership.get(id);
    if (problem !== null || member === null) return core.answer(caller, problem ?? etcdError("MemberNotFound"), stamp);
    this.#propose(caller, "Cluster/MemberPromote", { kind: "promote", member }, stamp);
  }

  #propose(caller: Caller, method: UnaryMethod, change: MemberChange, stamp: Stamp): void {
    this.#proposals.proposeConfChange(caller, method, confChangeOf(change), stamp);
  }

  #check({ kind, member }: MemberChange): EtcdError | null {
    const { membership } = this.#core.state;
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

  #tell(index: number, change: MemberChanged, { id, node }: ClusterMember): void {
    this.#core.emit?.({ type: "etcd-member-changed", index, change, id, member: node });
  }

  #changed({ kind, member }: MemberChange): object {
    const answer = { header: this.#core.memberHeader(), members: this.list() };
    return kind === "add" ? { ...answer, member: withoutNode(member) } : answer;
  }
}

function changedBy({ kind, member }: MemberChange): MemberChanged {
  switch (kind) {
    case "add":
      return member.isLearner ? "learner-added" : "added";
    case "promote":
      return "promoted";
    case "remove":
      return "removed";
    case "update":
      return "updated";
  }
}

/** Where its process is, is no part of a member's message. */
function withoutNode({ id, name, peerUrls, clientUrls, isLearner }: m.Member): m.Member {
  return { id, name, peerUrls, clientUrls, isLearner };
}
