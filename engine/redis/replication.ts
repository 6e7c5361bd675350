/**
 * Replication, both ends: the stream with its offsets and its backlog, the replicas that follow, the link to a primary.
 *
 * As in Redis: a replica asks for what comes after its offset (PSYNC); when the primary still has that it goes on, else
 * it gets everything anew. It tells each second how far it is. A replica that is promoted starts a stream with a new id
 * and remembers the old one, so that its siblings may go on from theirs. A full copy takes no time but the network's.
 */
import { assert } from "../base/assert.ts";
import type { Rng } from "../base/rng.ts";
import { type Micros, SECOND } from "../base/units.ts";
import type { ProcessId } from "../sim/command.ts";
import type { ConnectionId } from "../sim/process.ts";
import { encodeCommand } from "./bytes.ts";
import type { StreamPart } from "./protocol.ts";

export interface Follower {
  readonly id: ProcessId;
  readonly acked: number;
  /** Awake time of its last word. */
  readonly heardAt: Micros;
}

export type LinkState = "connect" | "connecting" | "sync" | "connected";

/** A replica's link to its primary. */
export interface Link {
  readonly primary: ProcessId;
  readonly state: LinkState;
  readonly connection: ConnectionId | null;
  /** Awake time of the primary's last word, or of the last try. */
  readonly heardAt: Micros;
  /** Since when it has been down; null while connected. */
  readonly downSince: Micros | null;
}

export interface StreamCheckpoint {
  readonly replid: string;
  readonly former: { readonly replid: string; readonly until: number } | null;
  readonly offset: number;
  readonly db: number;
  readonly parts: readonly StreamPart[];
  readonly isActive: boolean;
  readonly followers: readonly (readonly [ConnectionId, Follower])[];
}

const REPLID_DIGITS = 40;

export function newReplid(rng: Rng): string {
  return Array.from({ length: REPLID_DIGITS }, () => rng.below(16).toString(16)).join("");
}

/** The stream of writes that a server sends on, and who follows it. */
export class Stream {
  #replid: string;
  /** The id under which the stream went before this server was promoted, and how far. */
  #former: StreamCheckpoint["former"] = null;
  #offset = 0;
  /** The database that the followers are in; -1: they have to be told. */
  #db = -1;
  #parts: StreamPart[] = [];
  #isActive = false;
  readonly #followers = new Map<ConnectionId, Follower>();

  constructor(replid: string) {
    this.#replid = replid;
  }

  checkpoint(): StreamCheckpoint {
    return {
      replid: this.#replid,
      former: this.#former,
      offset: this.#offset,
      db: this.#db,
      parts: [...this.#parts],
      isActive: this.#isActive,
      followers: [...this.#followers],
    };
  }
  restore(saved: StreamCheckpoint): void {
    this.#replid = saved.replid;
    this.#former = saved.former;
    this.#offset = saved.offset;
    this.#db = saved.db;
    this.#parts = [...saved.parts];
    this.#isActive = saved.isActive;
    for (const [connection, follower] of saved.followers) this.#followers.set(connection, follower);
  }

  get replid(): string {
    return this.#replid;
  }
  get former(): StreamCheckpoint["former"] {
    return this.#former;
  }
  get offset(): number {
    return this.#offset;
  }
  get followers(): readonly (readonly [ConnectionId, Follower])[] {
    return [...this.#followers];
  }
  get backlogStart(): number {
    return this.#parts[0]?.from ?? this.#offset;
  }

  /** Adds commands, with a SELECT in front when the followers are elsewhere. */
  append(db: number, commands: readonly (readonly string[])[], backlogBytes: number): StreamPart {
    const whole = db === this.#db || db < 0 ? commands : [["SELECT", String(db)], ...commands];
    if (db >= 0) this.#db = db;
    for (const [name, text] of commands) if (name === "SELECT") this.#db = Number(text);
    const bytes = whole.reduce((sum, command) => sum + encodeCommand(command).length, 0);
    const part: StreamPart = { from: this.#offset, to: this.#offset + bytes, commands: whole };
    this.#keep(part, backlogBytes);
    return part;
  }

  /** Whether anybody has ever followed: before that no stream is kept. */
  get isActive(): boolean {
    return this.#isActive;
  }

  /** A part of the primary's stream is kept as it is, and sent on. */
  follow(part: StreamPart, backlogBytes: number): void {
    assert(part.from === this.#offset, "the stream has no gap");
    this.#keep(part, backlogBytes);
  }

  #keep(part: StreamPart, backlogBytes: number): void {
    this.#offset = part.to;
    this.#parts.push(part);
    const cut = this.#parts.findIndex(({ from }) => from >= part.to - backlogBytes);
    if (cut > 0) this.#parts.splice(0, cut);
  }

  /** What follows an offset of a stream with this id; null when that is not known here. */
  after(replid: string | null, offset: number): readonly StreamPart[] | null {
    const isOurs = replid === this.#replid;
    const isFormer = this.#former !== null && replid === this.#former.replid && offset <= this.#former.until;
    if ((!isOurs && !isFormer) || offset > this.#offset || offset < this.backlogStart) return null;
    const from = this.#parts.findIndex((part) => part.from === offset);
    if (from < 0) return offset === this.#offset ? [] : null;
    return this.#parts.slice(from);
  }

  /** This server leads now: a new stream goes on where the old one ended. */
  promote(replid: string): void {
    this.#former = { replid: this.#replid, until: this.#offset };
    this.#replid = replid;
    this.#db = -1;
  }

  /** It takes over the primary's stream at this offset, and has nothing from before. */
  resync(replid: string, offset: number): void {
    this.#replid = replid;
    this.#former = null;
    this.#offset = offset;
    this.#isActive = offset > 0;
    this.#parts = [];
  }

  /** The primary has a new id, and the stream goes on. */
  rename(replid: string): void {
    if (replid === this.#replid) return;
    this.#former = { replid: this.#replid, until: this.#offset };
    this.#replid = replid;
  }

  // ── followers ──

  add(connection: ConnectionId, follower: Follower): void {
    this.#followers.set(connection, follower);
    this.#isActive = true;
    this.#db = -1;
  }
  drop(connection: ConnectionId): void {
    this.#followers.delete(connection);
  }
  follower(connection: ConnectionId): Follower | null {
    return this.#followers.get(connection) ?? null;
  }
  acked(connection: ConnectionId, offset: number, now: Micros): void {
    const follower = this.#followers.get(connection);
    if (follower !== undefined) this.#followers.set(connection, { ...follower, acked: offset, heardAt: now });
  }
  /** How many have at least this offset. */
  countAt(offset: number): number {
    return [...this.#followers.values()].filter(({ acked }) => acked >= offset).length;
  }
  /** How many were heard of within so many seconds. */
  countNear(now: Micros, lagSeconds: number): number {
    return [...this.#followers.values()].filter(({ heardAt }) => now - heardAt <= lagSeconds * SECOND).length;
  }
}
