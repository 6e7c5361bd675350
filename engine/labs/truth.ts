/**
 * Who really holds the lock: read off what the servers say, by the highest index that any of them has applied; for Redis
 * by the present primary. One for each way of keeping a lock.
 */
import type { Micros } from "../base/units.ts";
import { MS, SECOND } from "../base/units.ts";
import type { LeaseId } from "../etcd/api/ids.ts";
import type { EtcdEvent } from "../etcd/events.ts";
import type { SessionId } from "../zookeeper/api.ts";
import type { ZooKeeperServerEvent } from "../zookeeper/events.ts";
import { lockQueue } from "../zookeeper/recipes.ts";
import type { RedisEvent, SentinelEvent } from "../redis/events.ts";
import type { ProcessId } from "../sim/command.ts";
import type { TraceEvent } from "../sim/events.ts";

/** One place in the queue, as the servers have it. */
export interface Place {
  readonly identity: string;
  readonly order: number | null;
  readonly expiresAt: Micros | null;
  readonly renewedAt: Micros | null;
  readonly span: Micros | null;
}

/** Why an identity is in no queue any more. */
export type Gone = "deleted" | "lease-ended" | "expired" | "overwritten" | "forgotten";

export interface Truth {
  /** @returns whether the queue may be another one now */
  add(traced: TraceEvent): boolean;
  /** In order; the first really holds. */
  queue(now: Micros): readonly Place[];
  /** When the queue changes by itself; null: it does not. */
  endsAt(now: Micros): Micros | null;
  whyGone(identity: string): Gone | null;
  state(): unknown;
  restore(state: unknown): void;
}

interface EtcdKey {
  readonly created: number;
  readonly lease: LeaseId;
  readonly value: string;
}

interface Counted {
  readonly at: Micros;
  readonly expiresAt: Micros;
  readonly span: Micros;
}

interface EtcdFacts {
  index: number;
  revision: number;
  keys: Map<string, EtcdKey>;
  readonly leases: Map<LeaseId, Counted>;
  readonly gone: Map<string, Gone>;
}

/** `prefix`: the keys under it, the lowest create revision first. `key`: that key, and the lease that it hangs on. */
export class EtcdTruth implements Truth {
  readonly #name: string;
  readonly #mode: "prefix" | "key";
  /** As it was last asked for; null: something has changed since. */
  #queue: readonly Place[] | null = null;
  #facts: EtcdFacts = { index: 0, revision: 0, keys: new Map(), leases: new Map(), gone: new Map() };

  constructor(name: string, mode: "prefix" | "key") {
    this.#name = name;
    this.#mode = mode;
  }

  add(traced: TraceEvent): boolean {
    const told = traced.event as EtcdEvent;
    if (told.type === "etcd-lease-counted") {
      this.#queue = null;
      const { at } = traced;
      const counted = { at, expiresAt: at + told.expiresIn, span: told.ttl * SECOND };
      this.#facts.leases.set(told.lease, counted);
      return [...this.#facts.keys.values()].some(({ lease }) => lease === told.lease);
    }
    if (told.type === "etcd-restored") return this.#restored(told);
    if (told.type !== "etcd-applied" || told.index <= this.#facts.index) return false;
    this.#facts.index = told.index;
    this.#facts.revision = told.revision;
    if (told.changes.length === 0) return false;
    if (!told.changes.some(({ kv }) => this.#isOurs(kv.key))) return false;
    this.#queue = null;
    const { keys, gone } = this.#facts;
    for (const { tombstone, kv, main } of told.changes) {
      if (!this.#isOurs(kv.key)) continue;
      const before = keys.get(kv.key);
      if (before !== undefined && tombstone)
        gone.set(this.#identity(kv.key, before), told.ended === null ? "deleted" : "lease-ended");
      if (tombstone) keys.delete(kv.key);
      else keys.set(kv.key, { created: kv.createRevision || main, lease: kv.lease, value: kv.value });
    }
    return true;
  }

  /** A member starts from a snapshot: news only when it is ahead of all that was told before. */
  #restored({ revision, changes }: Extract<EtcdEvent, { readonly type: "etcd-restored" }>): boolean {
    if (revision <= this.#facts.revision) return false;
    this.#queue = null;
    this.#facts.revision = revision;
    const keys = new Map<string, EtcdKey>();
    for (const { tombstone, kv, main } of changes) {
      if (!this.#isOurs(kv.key)) continue;
      if (tombstone) keys.delete(kv.key);
      else keys.set(kv.key, { created: kv.createRevision || main, lease: kv.lease, value: kv.value });
    }
    for (const [key, held] of this.#facts.keys)
      if (!keys.has(key)) this.#facts.gone.set(this.#identity(key, held), "forgotten");
    this.#facts.keys = keys;
    return true;
  }

  queue(): readonly Place[] {
    this.#queue ??= this.#sorted();
    return this.#queue;
  }

  #sorted(): readonly Place[] {
    const { keys, leases } = this.#facts;
    return [...keys]
      .map(([key, held]): Place => {
        const counted = leases.get(held.lease);
        return {
          identity: this.#identity(key, held),
          order: held.created,
          expiresAt: counted?.expiresAt ?? null,
          renewedAt: counted?.at ?? null,
          span: counted?.span ?? null,
        };
      })
      .sort((a, b) => (a.order ?? 0) - (b.order ?? 0));
  }

  endsAt(): null {
    return null;
  }

  whyGone(identity: string): Gone | null {
    return this.#facts.gone.get(identity) ?? null;
  }

  state(): unknown {
    return copyOfEtcd(this.#facts);
  }

  restore(state: unknown): void {
    this.#facts = copyOfEtcd(state as EtcdFacts);
    this.#queue = null;
  }

  #isOurs(key: string): boolean {
    return this.#mode === "key" ? key === this.#name : key.startsWith(`${this.#name}/`);
  }

  #identity(key: string, { lease }: EtcdKey): string {
    return this.#mode === "key" ? lease : key;
  }
}

function copyOfEtcd(facts: EtcdFacts): EtcdFacts {
  return { ...facts, keys: new Map(facts.keys), leases: new Map(facts.leases), gone: new Map(facts.gone) };
}

interface RedisFacts {
  primary: ProcessId;
  /** What each server has under the lock's name. */
  values: ReadonlyMap<ProcessId, { readonly value: string; readonly expireAt: number | null; readonly at: Micros }>;
  gone: ReadonlyMap<string, Gone>;
  /** `timestamp`: what the one who won the lock wrote; a loser may have written over it. */
  owner: string | null;
  /** What GET last showed on each connection. */
  shown: ReadonlyMap<string, string | null>;
}

/**
 * `value`: whose token the primary has. `timestamp`: who set it first, or whose GETSET gave back what GET had shown; what
 * they wrote says until when. `majority`: whose token most of the servers have.
 */
export class RedisTruth implements Truth {
  readonly #key: string;
  readonly #mode: "value" | "timestamp" | "majority";
  readonly #servers: readonly ProcessId[];
  readonly #wallAtStart: Micros;
  #facts: RedisFacts;

  constructor(
    key: string,
    mode: "value" | "timestamp" | "majority",
    servers: readonly ProcessId[],
    wallAtStart: Micros,
  ) {
    this.#key = key;
    this.#mode = mode;
    this.#servers = servers;
    this.#wallAtStart = wallAtStart;
    const primary = servers[0] as ProcessId;
    this.#facts = { primary, values: new Map(), gone: new Map(), owner: null, shown: new Map() };
  }

  add(traced: TraceEvent): boolean {
    const { process } = traced;
    const told = traced.event as RedisEvent | SentinelEvent;
    if (process === null) return false;
    if (told.type === "redis-role") {
      if (told.role !== "primary" || told.why.rule === "configured" || this.#mode === "majority") return false;
      const before = this.#facts.values.get(this.#facts.primary);
      this.#facts.primary = process;
      const now = this.#facts.values.get(process);
      if (before !== undefined && before.value !== now?.value) this.#lose(before.value, "forgotten");
      this.#facts.owner = now?.value ?? null;
      return true;
    }
    if (told.type === "redis-key" && told.key === this.#key) {
      const before = this.#facts.values.get(process);
      if (before !== undefined && before.value !== told.value) this.#lose(before.value, "overwritten");
      const value = { value: told.value, expireAt: told.expireAt, at: traced.at };
      this.#facts.values = new Map(this.#facts.values).set(process, value);
      return true;
    }
    if (told.type === "redis-key-gone" && told.key === this.#key) {
      const before = this.#facts.values.get(process);
      if (before !== undefined) this.#lose(before.value, told.why);
      if (process === this.#facts.primary) this.#disown(told.why);
      const values = new Map(this.#facts.values);
      values.delete(process);
      this.#facts.values = values;
      return true;
    }
    if (told.type === "redis-command" && this.#mode === "timestamp" && process === this.#facts.primary)
      return this.#command(told, traced.at);
    if (told.type === "redis-started") {
      if (process === this.#facts.primary) this.#disown("forgotten");
      const before = this.#facts.values.get(process);
      if (before !== undefined) this.#lose(before.value, "forgotten");
      const values = new Map(this.#facts.values);
      values.delete(process);
      this.#facts.values = values;
      return true;
    }
    return false;
  }

  queue(now: Micros): readonly Place[] {
    const { values, primary } = this.#facts;
    if (this.#mode === "majority") {
      const counts = new Map<string, number>();
      for (const { value } of values.values()) counts.set(value, (counts.get(value) ?? 0) + 1);
      const most = [...counts].filter(([, count]) => count > this.#servers.length / 2);
      return most.map(([identity]) => ({ identity, order: null, expiresAt: null, renewedAt: null, span: null }));
    }
    if (this.#mode === "timestamp") return this.#owned(now);
    const held = values.get(primary);
    const expiresAt = this.#endOf(held);
    if (held === undefined || (expiresAt !== null && expiresAt <= now)) return [];
    const span = expiresAt === null ? null : expiresAt - held.at;
    return [{ identity: held.value, order: null, expiresAt, renewedAt: held.at, span }];
  }

  endsAt(now: Micros): Micros | null {
    if (this.#mode !== "timestamp") return null;
    const end = this.#ownersEnd();
    return end !== null && end > now ? end : null;
  }

  whyGone(identity: string): Gone | null {
    return this.#facts.gone.get(identity) ?? null;
  }

  state(): unknown {
    return { ...this.#facts };
  }

  restore(state: unknown): void {
    this.#facts = { ...(state as RedisFacts) };
  }

  #endOf(held: { readonly expireAt: number | null } | undefined): Micros | null {
    const wall = held?.expireAt ?? null;
    return wall === null ? null : wall * MS - this.#wallAtStart;
  }

  // ── the timestamp lock ──

  #command({ connection, args, reply }: Extract<RedisEvent, { readonly type: "redis-command" }>, at: Micros): boolean {
    const { owner, shown } = this.#facts;
    const [name, key, value] = args;
    if (name === "EVAL") {
      // The owner found another's value, and left it: nobody owns it until that one's time is over.
      if (reply !== "0" || owner === null || !args.includes(owner)) return false;
      this.#disown("overwritten");
      return true;
    }
    if (key !== this.#key) return false;
    if (name === "GET") {
      this.#facts.shown = new Map(shown).set(connection, reply);
      return false;
    }
    const isTaken =
      name === "SET" || (name === "SETNX" && reply === "1") || (name === "GETSET" && reply === shown.get(connection));
    if (!isTaken || value === undefined) return false;
    if (owner !== null) this.#lose(owner, (this.#ownersEnd() ?? 0) <= at ? "expired" : "overwritten");
    this.#facts.owner = value;
    return true;
  }

  #owned(now: Micros): readonly Place[] {
    const { owner, values, primary } = this.#facts;
    const expiresAt = this.#ownersEnd();
    if (owner === null || expiresAt === null || expiresAt <= now) return [];
    const renewedAt = values.get(primary)?.at ?? null;
    const span = renewedAt === null ? null : expiresAt - renewedAt;
    return [{ identity: owner, order: null, expiresAt, renewedAt, span }];
  }

  #ownersEnd(): Micros | null {
    const until = Number(this.#facts.owner ?? Number.NaN);
    return Number.isSafeInteger(until) ? until * MS - this.#wallAtStart : null;
  }

  #disown(why: Gone): void {
    if (this.#facts.owner !== null) this.#lose(this.#facts.owner, why);
    this.#facts.owner = null;
  }

  #lose(identity: string, why: Gone): void {
    this.#facts.gone = new Map(this.#facts.gone).set(identity, why);
  }
}

/** Nobody holds anything: there is no lock. */
export class NoTruth implements Truth {
  add(): boolean {
    return false;
  }
  queue(): readonly Place[] {
    return [];
  }
  endsAt(): null {
    return null;
  }
  whyGone(): null {
    return null;
  }
  state(): null {
    return null;
  }
  restore(): void {}
}

interface ZkNode {
  readonly number: number;
  readonly owner: SessionId | null;
}

interface ZkFacts {
  zxid: number;
  readonly nodes: Map<string, ZkNode>;
  /** As the leader counts them. */
  readonly sessions: Map<SessionId, Counted>;
  readonly gone: Map<string, Gone>;
}

/** The lock's nodes under the root; the lowest number holds. */
export class ZooKeeperTruth implements Truth {
  readonly #root: string;
  readonly #lock: string;
  #queue: readonly Place[] | null = null;
  #facts: ZkFacts = { zxid: 0, nodes: new Map(), sessions: new Map(), gone: new Map() };

  constructor(root: string, lock: string) {
    this.#root = root;
    this.#lock = lock;
  }

  add(traced: TraceEvent): boolean {
    const told = traced.event as ZooKeeperServerEvent;
    if (told.type === "session-counted") {
      const { at } = traced;
      const { session, expiresIn, timeout: span } = told;
      this.#facts.sessions.set(session, { at, expiresAt: at + expiresIn, span });
      this.#queue = null;
      return [...this.#facts.nodes.values()].some(({ owner }) => owner === session);
    }
    if (told.type !== "znode-created" && told.type !== "znode-deleted") return false;
    // One write may change several nodes: the same again from another member changes nothing.
    if (told.zxid < this.#facts.zxid || !told.path.startsWith(`${this.#root}/`)) return false;
    this.#facts.zxid = told.zxid;
    const [node] = lockQueue([told.path.slice(this.#root.length + 1)], this.#lock);
    if (node === undefined) return false;
    const isKnown = this.#facts.nodes.has(told.path);
    if (isKnown === (told.type === "znode-created")) return false;
    this.#queue = null;
    const { nodes, gone } = this.#facts;
    if (told.type === "znode-created") nodes.set(told.path, { number: node.number, owner: told.owner });
    else if (nodes.delete(told.path)) {
      const why = told.session === null ? "deleted" : "lease-ended";
      gone.set(told.path, why);
    }
    return true;
  }

  queue(): readonly Place[] {
    this.#queue ??= [...this.#facts.nodes]
      .sort(([, a], [, b]) => (a.number - b.number) | 0)
      .map(([identity, { number: order, owner }]): Place => {
        const counted = owner === null ? undefined : this.#facts.sessions.get(owner);
        return {
          identity,
          order,
          expiresAt: counted?.expiresAt ?? null,
          renewedAt: counted?.at ?? null,
          span: counted?.span ?? null,
        };
      });
    return this.#queue;
  }

  endsAt(): null {
    return null;
  }

  whyGone(identity: string): Gone | null {
    return this.#facts.gone.get(identity) ?? null;
  }

  state(): unknown {
    return copyOfZooKeeper(this.#facts);
  }

  restore(state: unknown): void {
    this.#facts = copyOfZooKeeper(state as ZkFacts);
    this.#queue = null;
  }
}

function copyOfZooKeeper(facts: ZkFacts): ZkFacts {
  return { ...facts, nodes: new Map(facts.nodes), sessions: new Map(facts.sessions), gone: new Map(facts.gone) };
}
