/**
 * One ZooKeeper member, on a log that somebody else replicates.
 *
 * Raft stands in ZAB's place, as in ClickHouse Keeper: this file proposes commands and is given those that were agreed
 * on, each once and in the order of the log. It answers reads from its own tree, which may be behind; it keeps its own
 * clients' connections, requests and watches; while its member leads it watches over the sessions of all.
 *
 * Kept from ZooKeeper: a client's requests are answered in order, a read waits for the writes before it; an event goes
 * out before any reply that shows its change; a member whose leader is gone drops its clients, who come back with their
 * session; a client that has seen more than this member is turned away. Stronger than ZooKeeper: `sync` goes through
 * the log.
 */
import { type Acl, allows, authenticated, type Id, idsOf, PERMS } from "./acl.ts";
import { present, unreachable } from "../base/assert.ts";
import { MS, type Micros } from "../base/units.ts";
import type { ProcessId } from "../sim/command.ts";
import type { ConnectionId, Stamp } from "../sim/process.ts";
import type { Answer, Call, Credentials, ReadCall, SessionId, ToClient, ToServer, Zxid } from "./api.ts";
import { isWrite } from "./api.ts";
import { type Applied, ZooKeeperMachine } from "./machine.ts";
import type { Command as LogCommand } from "../replica/command.ts";
import { type Body, type Command, decodeCommand, labelOf } from "./command.ts";
import type { ZooKeeperReason, ZooKeeperServerEvent } from "./events.ts";
import { ExpiryQueue } from "./expiry.ts";
import { callLabel } from "./label.ts";
import { Outbox, type OutboxState } from "./outbox.ts";
import { type Touch, TouchReport, type TouchReportState } from "./touches.ts";
import type { Change, TreeOptions } from "./tree.ts";
import { type Notice, type WatchSet, Watches } from "./watches.ts";

export interface ZooKeeperConfig {
  /** ZooKeeper's tickTime; sessions run out at its multiples. */
  readonly tick: Micros;
  /** A session's timeout is at least this many ticks (2) … */
  readonly minTimeoutTicks: number;
  /** … and at most this many (20). */
  readonly maxTimeoutTicks: number;
  /** A command that has not come back after this time is proposed again: it may have been lost on the way. */
  readonly proposeAgain: Micros;
  readonly tree: TreeOptions;
}

export const DEFAULT_ZOOKEEPER: ZooKeeperConfig = {
  tick: 2_000 * MS,
  minTimeoutTicks: 2,
  maxTimeoutTicks: 20,
  proposeAgain: 1_000 * MS,
  tree: { overflow: "wraps", counters: {} },
};

/** A follower tells the leader which sessions it heard of; what is not acknowledged is told again. Datagrams. */
export type PeerMessage =
  | {
      readonly type: "touched";
      readonly report: number;
      readonly sessions: readonly Touch[];
    }
  | { readonly type: "touched-ack"; readonly report: number };

/** What a member needs of the replica that it runs on. Calls take effect in the order in which they are made. */
export interface ZooKeeperHost {
  /** Hands a command to whoever leads. It may come to nothing, silently, and may come twice. */
  propose(command: Uint8Array): void;
  transmit(connection: ConnectionId, packet: ToClient): void;
  close(connection: ConnectionId): void;
  /** A datagram to another member: it may be lost, doubled or overtaken. */
  tell(member: ProcessId, message: PeerMessage): void;
  /** Null when nobody listens. */
  readonly emit: ((event: ZooKeeperServerEvent) => void) | null;
}

/** What waits, in order, for its answer. Reads wait only for the writes before them. */
type Waiting =
  | { readonly type: "ping" }
  | { readonly type: "request"; readonly xid: number; readonly call: Call; readonly inLog: boolean };

interface Client {
  readonly id: ProcessId;
  /** `greeting`: its first packet has not come; `joining`: its session is on its way through the log. */
  readonly state: "greeting" | "joining" | "ready";
  readonly session: SessionId | null;
  readonly timeout: Micros;
  readonly waiting: readonly Waiting[];
  /** What it has shown of itself, beside its address. */
  readonly ids: readonly Id[];
}

export interface ServerCheckpoint {
  readonly clients: readonly (readonly [ConnectionId, Client])[];
  readonly watches: readonly WatchSet[];
  readonly leader: ProcessId | null;
  readonly outbox: OutboxState;
  readonly expiry: readonly (readonly [SessionId, Micros])[];
  readonly touches: TouchReportState;
  readonly cleanedAt: Micros;
}

export class ZooKeeperServer {
  readonly #id: ProcessId;
  readonly #config: ZooKeeperConfig;
  readonly #host: ZooKeeperHost;
  readonly #machine: ZooKeeperMachine;
  readonly #watches = new Watches();
  readonly #clients = new Map<ConnectionId, Client>();
  /** Its own commands that are on their way. */
  readonly #outbox = new Outbox();
  /** Used only while this member leads. */
  readonly #expiry: ExpiryQueue;
  /** Used only while another one leads. */
  readonly #touches: TouchReport;
  #leader: ProcessId | null = null;
  /** When the leader last looked for what is to be cleaned away, on its monotonic clock. */
  #cleanedAt: Micros = 0;
  /** Of the input at hand. */
  #stamp: Stamp = { mono: 0, wall: 0, awake: 0 };

  constructor(id: ProcessId, config: ZooKeeperConfig, host: ZooKeeperHost) {
    this.#id = id;
    this.#config = config;
    this.#host = host;
    this.#machine = new ZooKeeperMachine(config.tree);
    this.#expiry = new ExpiryQueue(config.tick);
    this.#touches = new TouchReport(Math.floor(config.tick / 2));
  }

  get #emit(): ZooKeeperHost["emit"] {
    return this.#host.emit;
  }

  // ── inputs ──

  boot(incarnation: number): void {
    this.#outbox.boot(incarnation);
  }

  /** Its replica follows another leader, itself, or none. */
  follows(leader: ProcessId | null, stamp: Stamp): void {
    this.#stamp = stamp;
    if (leader === this.#leader) return;
    const from = this.#leader;
    this.#leader = leader;
    this.#outbox.newPipe();
    this.#touches.clear();
    this.#expiry.clear();
    const why: ZooKeeperReason = leader === null ? { rule: "no-leader" } : { rule: "leader-changed", from, to: leader };
    for (const connection of this.#clients.keys()) this.#drop(connection, why);
    if (leader === this.#id) {
      this.#cleanedAt = stamp.mono;
      this.#countSessions();
    }
  }

  accepted(connection: ConnectionId, client: ProcessId): void {
    this.#clients.set(connection, { id: client, state: "greeting", session: null, timeout: 0, waiting: [], ids: [] });
    if (this.#leader === null) this.#drop(connection, { rule: "no-leader" });
  }

  received(connection: ConnectionId, packet: ToServer, stamp: Stamp): void {
    this.#stamp = stamp;
    const client = this.#clients.get(connection);
    if (client === undefined) return;
    if (packet.type === "connect") return this.#greeted(connection, client, packet);
    const { session } = client;
    if (client.state !== "ready" || session === null) return this.#drop(connection, { rule: "connection-closed" });
    this.#touch(session, client.timeout);
    if (packet.type === "ping") this.#wait(connection, { type: "ping" });
    else this.#request(connection, client, session, packet.xid, packet.call);
  }

  closed(connection: ConnectionId): void {
    this.#forget(connection);
  }

  heard(from: ProcessId, message: PeerMessage, stamp: Stamp): void {
    this.#stamp = stamp;
    switch (message.type) {
      case "touched":
        if (this.#leader !== this.#id) return;
        for (const [session, timeout, age] of message.sessions)
          this.#recount(session, timeout, () => this.#expiry.touchPast(session, timeout, stamp.mono - age));
        return this.#host.tell(from, { type: "touched-ack", report: message.report });
      case "touched-ack":
        return this.#touches.acknowledged(message.report);
      default:
        return unreachable(message);
    }
  }

  /** A command of the log, of whichever member. */
  apply(logged: LogCommand, stamp: Stamp): void {
    this.#stamp = stamp;
    const command = logged.as(decodeCommand);
    const applied = this.#machine.apply(command);
    if (applied.type === "passed-over") return;
    this.#note(command, applied);
    const origin = this.#outbox.arrived(command, this.#id, stamp.awake);
    if ("changes" in applied) this.#tellWatchers(applied.changes);
    this.#followSession(applied);
    if (origin !== null) this.#answer(origin, applied);
    this.#closeConnectionsOf(applied, origin);
  }

  /** What is due: sessions that ran out, reports, commands that got lost. Called at `wakeAt`, and may be at any time. */
  tick(stamp: Stamp): void {
    this.#stamp = stamp;
    for (const session of this.#expiry.expire(stamp.mono)) {
      const timeout = this.#machine.sessions.get(session)?.timeout ?? 0;
      this.#emit?.({ type: "session-ran-out", session, timeout });
      this.#propose(null, { type: "close", session, why: "expired" });
    }
    this.#clean();
    const report = this.#leader === this.#id ? null : this.#touches.due(stamp.mono);
    if (report !== null && this.#leader !== null) this.#host.tell(this.#leader, report);
    for (const bytes of this.#outbox.again(stamp.awake, this.#config.proposeAgain)) this.#host.propose(bytes);
  }

  /** The awake time at which `tick` has something to do; infinite when nothing waits. */
  wakeAt({ mono, awake }: Stamp): Micros {
    const due = Math.min(this.#expiry.nextAt, this.#leader === this.#id ? this.#cleanAt() : this.#touches.nextAt);
    return Math.min(awake + Math.max(0, due - mono), this.#outbox.againAt(this.#config.proposeAgain));
  }

  /** On the leader, once a minute: containers and nodes with a ttl whose time is over. */
  #clean(): void {
    const { mono, wall } = this.#stamp;
    if (this.#leader !== this.#id || mono < this.#cleanAt()) return;
    this.#cleanedAt = mono;
    for (const path of this.#machine.tree.over(Math.floor(wall / MS))) this.#propose(null, { type: "clean", path });
  }

  /** On the monotonic clock; infinite while there is nothing of the kind. */
  #cleanAt(): Micros {
    return this.#machine.tree.hasTransient ? this.#cleanedAt + CLEAN_EVERY : Number.POSITIVE_INFINITY;
  }

  // ── what others show ──

  label(command: LogCommand): string {
    return labelOf(command.as(decodeCommand));
  }

  summary(): string {
    return `zxid ${this.#machine.zxid}`;
  }

  get machine(): ZooKeeperMachine {
    return this.#machine;
  }

  // ── keeping ──

  snapshot(): Uint8Array {
    return this.#machine.snapshot();
  }

  /** From a snapshot of the log. Its clients' watches cannot be told what they missed: they are dropped. */
  restore(snapshot: Uint8Array): void {
    for (const connection of this.#clients.keys()) this.#drop(connection, { rule: "snapshot-installed" });
    this.#machine.restore(snapshot);
  }

  checkpoint(): ServerCheckpoint {
    return {
      clients: [...this.#clients],
      watches: this.#watches.all(),
      leader: this.#leader,
      outbox: this.#outbox.state(),
      expiry: this.#expiry.state(),
      touches: this.#touches.state(),
      cleanedAt: this.#cleanedAt,
    };
  }

  /** After the machine was restored, on a new object. */
  resume(saved: ServerCheckpoint): void {
    for (const [connection, client] of saved.clients) this.#clients.set(connection, client);
    this.#watches.load(saved.watches);
    this.#leader = saved.leader;
    this.#outbox.load(saved.outbox);
    this.#expiry.load(saved.expiry);
    this.#touches.load(saved.touches);
    this.#cleanedAt = saved.cleanedAt;
  }

  // ── connections ──

  #greeted(connection: ConnectionId, client: Client, packet: ToServer & { readonly type: "connect" }): void {
    if (client.state !== "greeting") return this.#drop(connection, { rule: "connection-closed" });
    const { lastZxid, session } = packet;
    if (lastZxid > this.#machine.zxid) {
      return this.#drop(connection, { rule: "client-is-ahead", theirs: lastZxid, ours: this.#machine.zxid });
    }
    const { tick, minTimeoutTicks, maxTimeoutTicks } = this.#config;
    const timeout = Math.min(Math.max(packet.timeout, minTimeoutTicks * tick), maxTimeoutTicks * tick);
    this.#clients.set(connection, { ...client, state: "joining", timeout });
    if (session === null) return this.#propose(connection, { type: "open", timeout });
    this.#propose(connection, { type: "renew", ...session, timeout });
  }

  #joined(connection: ConnectionId, credentials: Credentials): void {
    const client = this.#clients.get(connection);
    if (client === undefined) return;
    const { session } = credentials;
    const { id, timeout } = client;
    for (const [other, { session: old }] of this.#clients) {
      if (old === session && other !== connection) this.#drop(other, { rule: "client-reconnected", session });
    }
    this.#clients.set(connection, { ...client, state: "ready", session });
    this.#emit?.({ type: "zk-client-connected", client: id, session, timeout });
    this.#host.transmit(connection, { type: "connected", timeout, session: credentials });
    this.#touch(session, timeout);
  }

  #drop(connection: ConnectionId, why: ZooKeeperReason): void {
    const client = this.#clients.get(connection);
    if (client === undefined) return;
    this.#emit?.({ type: "zk-client-dropped", client: client.id, session: client.session, why });
    this.#host.close(connection);
    this.#forget(connection);
  }

  #forget(connection: ConnectionId): void {
    const client = this.#clients.get(connection);
    this.#clients.delete(connection);
    const lost = this.#watches.forget(connection);
    if (client === undefined || lost.length === 0) return;
    const paths = [...new Set(lost.map(({ path }) => path))];
    this.#emit?.({ type: "watches-lost", client: client.id, paths });
  }

  // ── requests ──

  #request(connection: ConnectionId, client: Client, session: SessionId, xid: number, call: Call): void {
    const body = bodyOf(call, session, client.ids);
    this.#emit?.({
      type: "zk-request-received",
      client: client.id,
      xid,
      label: callLabel(call),
      key: body === null ? null : this.#outbox.nextKey(this.#id),
    });
    if (body !== null) this.#propose(connection, body);
    this.#wait(connection, { type: "request", xid, call, inLog: body !== null });
  }

  #wait(connection: ConnectionId, waiting: Waiting): void {
    const client = present(this.#clients.get(connection), "the client that asks");
    if (client.waiting.length === 0 && !isInLog(waiting)) return this.#answerRead(connection, client, waiting);
    this.#clients.set(connection, { ...client, waiting: [...client.waiting, waiting] });
    this.#answerReads(connection);
  }

  /** As far as the next that waits for the log. */
  #answerReads(connection: ConnectionId): void {
    for (;;) {
      const client = this.#clients.get(connection);
      const first = client?.waiting[0];
      if (client === undefined || first === undefined || isInLog(first)) return;
      this.#clients.set(connection, { ...client, waiting: client.waiting.slice(1) });
      this.#answerRead(connection, client, first);
    }
  }

  #answerRead(connection: ConnectionId, client: Client, asked: Waiting): void {
    const { zxid } = this.#machine;
    if (asked.type === "ping") this.#host.transmit(connection, { type: "pong", zxid });
    else this.#reply(connection, asked.xid, zxid, this.#read(connection, client, asked.call as ReadCall));
  }

  #read(connection: ConnectionId, client: Client, call: ReadCall): Answer {
    const { tree } = this.#machine;
    switch (call.call) {
      case "exists":
      case "getData":
      case "getChildren": {
        const answer = call.call === "exists" ? tree.exists(call.path) : tree[call.call](call.path, client.ids);
        // Of a node that is not there only `exists` leaves a watch: for its creation.
        const leaves = answer.err === "OK" || (call.call === "exists" && answer.err === "NoNode");
        if (call.watch && leaves)
          this.#watch(connection, client, call.path, call.call === "getChildren" ? "children" : "data");
        return answer;
      }
      case "getACL":
        return tree.getAcl(call.path, client.ids);
      case "getAllChildrenNumber":
        return tree.getAllChildrenNumber(call.path, client.ids);
      case "whoAmI":
        return { err: "OK", result: { ids: idsOf(client.ids).map(({ scheme, id }) => ({ scheme, id: userOf(id) })) } };
      case "addAuth":
        return this.#addAuth(connection, client, call);
      case "getEphemerals":
        return tree.getEphemerals(present(client.session, "a ready client has a session"), call.prefix);
      case "setWatches": {
        const events = this.#watches.set(call, connection, tree);
        for (const event of events)
          if (this.#mayHear(connection, tree.aclOf(event.path))) this.#fire({ connection, event });
        for (const { path, kind, mode } of this.#watches.all().filter((watch) => watch.connection === connection)) {
          this.#emit?.({ type: "watch-set", client: client.id, path, kind, mode });
        }
        return OK;
      }
      case "addWatch":
        this.#watches.addWatch(call.path, connection, call.mode);
        for (const kind of ["data", "children"] as const) {
          this.#emit?.({ type: "watch-set", client: client.id, path: call.path, kind, mode: call.mode });
        }
        return OK;
      case "removeWatches":
        if (!this.#watches.remove(call.path, connection, call.type)) return { err: "NoWatcher" };
        this.#emit?.({ type: "watch-removed", client: client.id, path: call.path });
        return OK;
      default:
        return unreachable(call);
    }
  }

  /** A scheme that nobody knows ends the connection, after the answer. */
  #addAuth(
    connection: ConnectionId,
    client: Client,
    { scheme, auth }: ReadCall & { readonly call: "addAuth" },
  ): Answer {
    const shown = authenticated(scheme, auth);
    if (shown === null) return { err: "AuthFailed" };
    const known = shown.scheme === "ip" || client.ids.some(({ id }) => id === shown.id);
    const now = present(this.#clients.get(connection), "the client that asks");
    if (!known) this.#clients.set(connection, { ...now, ids: [...client.ids, shown] });
    return OK;
  }

  #watch(connection: ConnectionId, { id }: Client, path: string, kind: "data" | "children"): void {
    if (kind === "data") this.#watches.watchData(path, connection);
    else this.#watches.watchChildren(path, connection);
    this.#emit?.({ type: "watch-set", client: id, path, kind, mode: "standard" });
  }

  #reply(connection: ConnectionId, xid: number, zxid: Zxid, answer: Answer): void {
    const client = this.#clients.get(connection);
    if (client === undefined) return;
    this.#emit?.({ type: "zk-request-answered", client: client.id, xid, zxid, err: answer.err });
    this.#host.transmit(connection, { type: "reply", xid, zxid, answer });
  }

  // ── the log ──

  /** `connection`: who is told what comes of it. */
  #propose(connection: ConnectionId | null, body: Body): void {
    const time = Math.floor(this.#stamp.wall / MS);
    this.#host.propose(this.#outbox.add({ member: this.#id, time, body }, connection, this.#stamp.awake));
  }

  /** Tells the client what came of its command, and what waited for that. */
  #answer(connection: ConnectionId, applied: Applied): void {
    const client = this.#clients.get(connection);
    if (client === undefined) return;
    if (applied.type === "opened") return this.#joined(connection, applied.credentials);
    if (applied.type === "renewed") {
      const session = applied.ok ? this.#machine.sessions.get(applied.session) : undefined;
      if (session !== undefined)
        return this.#joined(connection, { session: applied.session, password: session.password });
      this.#host.transmit(connection, { type: "connected", timeout: 0, session: null });
      return this.#drop(connection, { rule: "session-expired", session: applied.session });
    }
    const [first, ...rest] = client.waiting;
    if (first?.type !== "request") return;
    this.#clients.set(connection, { ...client, waiting: rest });
    if (applied.type === "written" && applied.answer.err === "SessionMoved") {
      return this.#drop(connection, { rule: "session-moved", session: applied.session });
    }
    this.#reply(connection, first.xid, this.#machine.zxid, answerOf(applied));
    this.#answerReads(connection);
  }

  /** Those of a session that has ended. The one that asked for it has its reply by now. */
  #closeConnectionsOf(applied: Applied, origin: ConnectionId | null): void {
    if (applied.type !== "ended") return;
    const { session, why } = applied;
    for (const [connection, client] of this.#clients) {
      if (client.session !== session && connection !== origin) continue;
      this.#drop(connection, { rule: why === "asked" ? "session-closed" : "session-expired", session });
    }
  }

  #tellWatchers(changes: readonly Change[]): void {
    for (const change of changes)
      for (const notice of this.#watches.trigger(change)) {
        const acl = notice.event.type === "NodeChildrenChanged" ? change.parentAcl : change.acl;
        if (this.#mayHear(notice.connection, acl)) this.#fire(notice);
      }
  }

  /** A watch tells nothing to whom the node may not be read by; it is used up all the same. */
  #mayHear(connection: ConnectionId, acl: readonly Acl[] | null): boolean {
    const client = this.#clients.get(connection);
    return acl === null || client === undefined || allows(acl, PERMS.read, idsOf(client.ids));
  }

  #fire({ connection, event }: Notice): void {
    const client = this.#clients.get(connection);
    if (client === undefined) return;
    const { type, path } = event;
    this.#emit?.({ type: "watch-fired", client: client.id, path, event: type, zxid: this.#machine.zxid });
    this.#host.transmit(connection, { type: "event", event });
  }

  // ── sessions ──

  /** A member that begins to lead has heard nobody: each session has the whole of its timeout from now. */
  #countSessions(): void {
    const { sessions } = this.#machine;
    for (const [session, { timeout }] of sessions)
      this.#recount(session, timeout, () => this.#expiry.track(session, timeout, this.#stamp.mono));
    this.#emit?.({ type: "session-timers-restarted", sessions: sessions.size });
  }

  #followSession(applied: Applied): void {
    if (this.#leader !== this.#id) return;
    const { mono } = this.#stamp;
    if (applied.type === "opened") {
      const { session } = applied.credentials;
      this.#recount(session, applied.timeout, () => this.#expiry.track(session, applied.timeout, mono));
    }
    if (applied.type === "renewed" && applied.ok) this.#touch(applied.session, applied.timeout);
    if (applied.type === "ended") this.#expiry.remove(applied.session);
  }

  #touch(session: SessionId, timeout: Micros): void {
    const { mono } = this.#stamp;
    if (this.#leader === this.#id) this.#recount(session, timeout, () => this.#expiry.touch(session, timeout, mono));
    else this.#touches.add(session, timeout, this.#stamp.mono);
  }

  /** Tells a new end of a session's time: what is heard within one tick makes no other. */
  #recount(session: SessionId, timeout: Micros, count: () => void): void {
    const before = this.#expiry.endOf(session);
    count();
    const end = this.#expiry.endOf(session);
    if (end === null || end === before) return;
    this.#emit?.({ type: "session-counted", session, timeout, expiresIn: end - this.#stamp.mono });
  }

  // ── the record ──

  #note({ member }: Command, applied: Applied): void {
    const emit = this.#emit;
    if (emit === null) return;
    switch (applied.type) {
      case "opened": {
        const { zxid, timeout, credentials } = applied;
        return emit({ type: "session-opened", session: credentials.session, zxid, timeout, member });
      }
      case "renewed":
        if (!applied.ok || applied.from === null || applied.from === member) return;
        return emit({ type: "session-moved", session: applied.session, from: applied.from, to: member });
      case "written":
      case "ended":
      case "cleaned":
        this.#noteChanges(applied);
        if (applied.type !== "ended" || applied.zxid === null) return;
        return emit({
          type: applied.why === "expired" ? "session-expired" : "session-closed",
          session: applied.session,
          zxid: applied.zxid,
          ephemerals: applied.changes.map(({ path }) => path),
        });
      case "synced":
      case "passed-over":
        return;
      default:
        return unreachable(applied);
    }
  }

  #noteChanges(applied: Applied & { readonly type: "written" | "ended" | "cleaned" }): void {
    const emit = this.#emit;
    const { zxid, changes } = applied;
    if (emit === null || zxid === null) return;
    for (const { type, path } of changes) {
      const found = type === "NodeDeleted" ? null : this.#machine.tree.dataOf(path);
      // One that a multi made and deleted is gone by now.
      const { data, stat } = found ?? { data: "", stat: null };
      if (type === "NodeCreated")
        emit({ type: "znode-created", path, zxid, data, owner: stat?.ephemeralOwner ?? null });
      else if (type === "NodeDataChanged") emit({ type: "znode-changed", path, zxid, data });
      else emit({ type: "znode-deleted", path, zxid, session: applied.type === "ended" ? applied.session : null });
    }
  }
}

const OK: Answer = { err: "OK", result: {} };

function isInLog(waiting: Waiting): boolean {
  return waiting.type === "request" && waiting.inLog;
}

/** ZooKeeper's ContainerManager: how often it looks. */
const CLEAN_EVERY: Micros = 60_000 * MS;

/** Of `user:hash` the user. */
const userOf = (id: string): string => id.split(":")[0] ?? id;

/** The command that a call needs in the log; null for what the member answers by itself. */
function bodyOf(call: Call, session: SessionId, ids: readonly Id[]): Body | null {
  if (isWrite(call)) return { type: "write", session, call, ...(ids.length === 0 ? {} : { ids }) };
  if (call.call === "sync") return { type: "sync", session, path: call.path };
  return call.call === "closeSession" ? { type: "close", session, why: "asked" } : null;
}

function answerOf(applied: Applied): Answer {
  if (applied.type === "written") return applied.answer;
  return applied.type === "synced" ? { err: "OK", result: { path: applied.path } } : OK;
}
