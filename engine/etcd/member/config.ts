/** How an etcd member is set up: what the flags of a real one say, and how the names of the world are etcd's. */
import type { Micros } from "../../base/units.ts";
import { MS, SECOND } from "../../base/units.ts";
import type { NodeId } from "../../raft/types.ts";
import type { MemberId } from "../api/ids.ts";
import { Member } from "../api/messages.ts";
import { create } from "../api/proto.ts";
import { type ClusterMember, memberIdOf } from "../cluster/membership.ts";
import type { Compat } from "../mvcc/mvcc.ts";

export interface EtcdMemberConfig {
  readonly compat: Compat;
  /** The least election timeout: many of etcd's times are counted from it. */
  readonly electionTimeout: Micros;
  readonly quotaBytes: number;
  /** Whether what is left of long leases is told to the others now and then (off, as in etcd before 3.6). */
  readonly leaseCheckpoints: boolean;
  /** How often quiet watches that asked for it are told of progress. */
  readonly progressEvery: Micros;
  /** How long a simple token holds without being used; etcd's --auth-token-ttl. */
  readonly authTokenTtl: Micros;
  readonly version: string;
  /** The members that the cluster starts with. */
  readonly members: readonly ClusterMember[];
  /** The node that answers at a peer's `host:port`; others have no process. */
  readonly addresses: Readonly<Record<string, NodeId>>;
  /** What this node publishes of itself when it has joined. */
  readonly names: Readonly<Record<string, { readonly name: string; readonly clientUrls: readonly string[] }>>;
}

/** etcd's 5 s and twice the election timeout, by the same measure for shorter timings. */
export function requestTimeout({ electionTimeout }: EtcdMemberConfig): Micros {
  return 7 * electionTimeout;
}

/** Seconds: one and a half election timeouts, rounded up. */
export function minLeaseTtl({ electionTimeout }: EtcdMemberConfig): number {
  return Math.ceil((3 * electionTimeout) / (2 * SECOND));
}

export const DEFAULT_QUOTA_BYTES = 2 * 1024 * 1024 * 1024;
/** How often the backend commits what is pending (defaultBatchInterval). */
export const BATCH_INTERVAL: Micros = 100 * MS;
export const PROGRESS_EVERY: Micros = 600 * SECOND;
export const AUTH_TOKEN_TTL: Micros = 300 * SECOND;

const CLUSTER_TOKEN = "lockstep";

/** A member by the name of its node: n1 at http://n1:2380 and http://n1:2379. */
export function memberOf(node: NodeId): ClusterMember {
  return memberAt(node, node, `http://${node}:2380`, `http://${node}:2379`);
}

export function memberAt(node: NodeId, name: string, peerUrl: string, clientUrl: string): ClusterMember {
  const id = memberIdOf([peerUrl], CLUSTER_TOKEN);
  return { ...create(Member, { id, name, peerUrls: [peerUrl], clientUrls: [clientUrl] }), node };
}

/** The id of a member that joins: the same URLs at another time are another member. */
export function joiningId(peerUrls: readonly string[], at: Micros): MemberId {
  return memberIdOf(peerUrls, `${CLUSTER_TOKEN}${at}`);
}

/** The process that a peer's URL leads to; a name that nobody has when it leads nowhere. */
export function nodeAt(peerUrl: string, id: MemberId, { addresses }: EtcdMemberConfig): NodeId {
  const host = /^https?:\/\/([^/]+)/u.exec(peerUrl)?.[1] ?? peerUrl;
  return addresses[host] ?? (`m${id}` as NodeId);
}

/** etcd's check of a list of URLs; null when they will do. */
export function badUrls(urls: readonly string[]): boolean {
  return urls.length === 0 || urls.some((url) => !/^https?:\/\/[^\s/:?#]+:\d{1,5}$/u.test(url.trim()));
}
