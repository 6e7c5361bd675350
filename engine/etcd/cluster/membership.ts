/**
 * Who is a member of the cluster, by etcd's names: ids, URLs, who only learns, and whose id may never come back
 * (etcd server/etcdserver/api/membership). Replicated: changed by the log alone.
 *
 * Raft counts nodes, which are processes of the world; a member has the node on which it runs.
 */
import { ByteReader, ByteWriter } from "../../base/bytes.ts";
import { mixString } from "../../base/hash.ts";
import type { NodeId } from "../../raft/types.ts";
import { type EtcdError, etcdError } from "../api/errors.ts";
import { id64, type MemberId } from "../api/ids.ts";
import { Member } from "../api/messages.ts";
import { decode, encode } from "../api/proto.ts";

/** As many learners as etcd allows at once. */
const MAX_LEARNERS = 1;

export interface ClusterMember extends Member {
  readonly node: NodeId;
}

/** What a change of membership carries: the member as it shall be. */
export interface MemberChange {
  readonly kind: "add" | "promote" | "remove" | "update";
  readonly member: ClusterMember;
}

export interface MembershipCheckpoint {
  readonly members: readonly ClusterMember[];
  readonly removed: readonly MemberId[];
}

/** A member's id: of its peer URLs, the cluster's token, and for one that joins later the time. 16 hexadecimal digits. */
export function memberIdOf(peerUrls: readonly string[], token: string): MemberId {
  return idOf(`${peerUrls.toSorted().join("")}${token}`) as MemberId;
}

export function clusterIdOf(members: readonly MemberId[]): string {
  return idOf(members.toSorted().join(" "));
}

/** Its first digit is not 0, and as a signed number it is positive. */
function idOf(text: string): string {
  const high = ((mixString(1, text) >>> 0) & 0x7fffffff) | 0x10000000;
  return id64(high >>> 0, mixString(2, text) >>> 0);
}

export function encodeChange({ kind, member }: MemberChange): Uint8Array {
  const out = new ByteWriter();
  out.text(kind);
  out.text(member.node);
  out.bytes(encode(Member, member));
  return out.take();
}

export function decodeChange(bytes: Uint8Array): MemberChange {
  const reader = new ByteReader(bytes);
  const kind = reader.text() as MemberChange["kind"];
  const node = reader.text() as NodeId;
  return { kind, member: { ...decode(Member, reader.bytes()), node } };
}

export class Membership {
  #members = new Map<MemberId, ClusterMember>();
  /** By node, made when it is asked for: every call of a client's asks. */
  #byNode: ReadonlyMap<NodeId, ClusterMember> | null = null;
  readonly #removed = new Set<MemberId>();

  constructor(initial: readonly ClusterMember[]) {
    for (const member of initial) this.#members.set(member.id, member);
  }

  /** In the order of their ids, as etcd lists them. */
  list(): readonly ClusterMember[] {
    return [...this.#members.values()].sort((a, b) => compareIds(a.id, b.id));
  }

  get(id: MemberId): ClusterMember | null {
    return this.#members.get(id) ?? null;
  }

  byNode(node: NodeId): ClusterMember | null {
    this.#byNode ??= new Map(Array.from(this.#members.values(), (member) => [member.node, member] as const));
    return this.#byNode.get(node) ?? null;
  }

  voters(): readonly ClusterMember[] {
    return this.list().filter(({ isLearner }) => !isLearner);
  }

  // ── is it allowed? (ValidateConfigurationChange) ──

  checkAdd(id: MemberId, peerUrls: readonly string[], isLearner: boolean): EtcdError | null {
    if (this.#removed.has(id)) return etcdError("MemberNotFound");
    if (this.#members.has(id)) return etcdError("MemberExist");
    if (this.#hasUrl(peerUrls, null)) return etcdError("PeerURLExist");
    const learners = this.list().filter((member) => member.isLearner).length;
    return isLearner && learners >= MAX_LEARNERS ? etcdError("TooManyLearners") : null;
  }

  checkRemove(id: MemberId): EtcdError | null {
    return this.#members.has(id) ? null : etcdError("MemberNotFound");
  }

  checkUpdate(id: MemberId, peerUrls: readonly string[]): EtcdError | null {
    if (!this.#members.has(id)) return etcdError("MemberNotFound");
    return this.#hasUrl(peerUrls, id) ? etcdError("PeerURLExist") : null;
  }

  checkPromote(id: MemberId): EtcdError | null {
    const member = this.#members.get(id);
    if (member === undefined) return etcdError("MemberNotFound");
    return member.isLearner ? null : etcdError("MemberNotLearner");
  }

  #hasUrl(urls: readonly string[], except: MemberId | null): boolean {
    return this.list().some(({ id, peerUrls }) => id !== except && peerUrls.some((url) => urls.includes(url)));
  }

  // ── changes ──

  apply({ kind, member }: MemberChange): EtcdError | null {
    switch (kind) {
      case "add": {
        const problem = this.checkAdd(member.id, member.peerUrls, member.isLearner);
        if (problem === null) this.put(member);
        return problem;
      }
      case "promote": {
        const problem = this.checkPromote(member.id);
        const before = this.#members.get(member.id);
        if (problem === null && before !== undefined) this.put({ ...before, isLearner: false });
        return problem;
      }
      case "remove": {
        const problem = this.checkRemove(member.id);
        if (problem !== null) return problem;
        this.#forget(member.id);
        this.#removed.add(member.id);
        return null;
      }
      case "update": {
        const problem = this.checkUpdate(member.id, member.peerUrls);
        const before = this.#members.get(member.id);
        if (problem === null && before !== undefined)
          this.put({ ...before, peerUrls: member.peerUrls, isLearner: member.isLearner });
        return problem;
      }
    }
  }

  /** A member tells its name and where clients find it, once it has started. */
  setAttributes(id: MemberId, name: string, clientUrls: readonly string[]): void {
    const member = this.#members.get(id);
    if (member !== undefined) this.put({ ...member, name, clientUrls });
  }

  /** Raft dropped a node by hand, past etcd's own calls. */
  dropNode(node: NodeId): void {
    const member = this.byNode(node);
    if (member !== null) this.#forget(member.id);
  }

  put(member: ClusterMember): void {
    this.#members.set(member.id, member);
    this.#byNode = null;
  }

  #forget(id: MemberId): void {
    this.#members.delete(id);
    this.#byNode = null;
  }

  // ── state ──

  snapshot(out: ByteWriter): void {
    out.varint(this.#members.size);
    for (const member of this.list()) {
      out.text(member.node);
      out.bytes(encode(Member, member));
    }
    out.varint(this.#removed.size);
    for (const id of [...this.#removed].sort(compareIds)) out.text(id);
  }

  restore(reader: ByteReader): void {
    const members: ClusterMember[] = [];
    for (let left = reader.varint(); left > 0; left -= 1) {
      const node = reader.text() as NodeId;
      members.push({ ...decode(Member, reader.bytes()), node });
    }
    const removed: MemberId[] = [];
    for (let left = reader.varint(); left > 0; left -= 1) removed.push(reader.text() as MemberId);
    this.resume({ members, removed });
  }

  checkpoint(): MembershipCheckpoint {
    return { members: [...this.#members.values()], removed: [...this.#removed] };
  }

  resume({ members, removed }: MembershipCheckpoint): void {
    this.#members = new Map(members.map((member) => [member.id, member]));
    this.#byNode = null;
    this.#removed.clear();
    for (const id of removed) this.#removed.add(id);
  }
}

/** Decimal numbers without leading zeros: the longer one is the larger. */
function compareIds(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}
