/**
 * A ZooKeeper client's library, for programs that are stepped: plain state, inputs in, notices out, nothing that waits.
 *
 * A process embeds it: it passes on its inputs, sends calls, reads notices, and asks the world for a wake at `wakeAt`.
 * As in the Java client: one connection at a time, servers in a drawn order, a ping after a third of the session's
 * timeout in silence, a server given up when nothing was heard for two thirds of it, a moment's wait before the next.
 * When a connection breaks, all that is unanswered ends in ConnectionLoss: it may have happened, or not. That the session
 * has expired the library hears from a server only, never from its own clock.
 *
 * One thing is not the Java client's own but Curator's (`ConnectionState`), which makes another ZooKeeper handle when it had
 * no connection for as long as the session lasts: the session is given up by the client's clock, while at the servers it
 * may still live.
 */
import { MS, SECOND, type Micros } from "../base/units.ts";
import { type Rng, rngFromState, type RngState } from "../base/rng.ts";
import type { ProcessId } from "../sim/command.ts";
import type { ConnectionId, Input, Out, Stamp } from "../sim/process.ts";
import type { Answer, Call, Credentials, ToClient, ToServer, WatchEvent, WatchList, Zxid } from "./api.ts";
import { ClientWatches } from "./client-watches.ts";
import type { ZooKeeperClientEvent, ZooKeeperReason } from "./events.ts";
import { callLabel } from "./label.ts";

export interface ZkConfig {
  /** The connect string. */
  readonly servers: readonly ProcessId[];
  /** What is asked for; the server decides. */
  readonly timeout: Micros;
  /** Whether watches are said again on a new connection. Every real library does; a story needs one that does not. */
  readonly watchesAgain: boolean;
  /** Whether a session is given up, and another asked for, after its timeout without a connection. */
  readonly givesUp: boolean;
}

/** `new`: not started. `expired` and `closed` are for good: a program that goes on makes a new one. */
export type ZkState = "new" | "connecting" | "connected" | "disconnected" | "expired" | "closed";

/** What the program is told, in order. `Lost`: the library has given the session up (Curator's LOST). */
export type ZkNotice =
  | { readonly type: "state"; readonly state: "SyncConnected" | "Disconnected" | "Lost" | "Expired" | "Closed" }
  /** `zxid` null: the library's own answer (ConnectionLoss, SessionExpired). */
  | { readonly type: "reply"; readonly xid: number; readonly answer: Answer; readonly zxid: Zxid | null }
  | { readonly type: "event"; readonly event: WatchEvent };

interface Asked {
  readonly xid: number;
  readonly call: Call;
  /** Null: not yet. */
  readonly sentAt: Micros | null;
}

interface Saved {
  state: ZkState;
  incarnation: number;
  /** In the order in which they are tried. */
  servers: readonly ProcessId[];
  next: number;
  connections: number;
  connection: ConnectionId | null;
  server: ProcessId | null;
  credentials: Credentials | null;
  /** As granted; as asked for before the first answer. */
  timeout: Micros;
  xid: number;
  lastZxid: Zxid;
  /** Monotonic time. `heardAt`: of the last packet, or of the start of the attempt. */
  heardAt: Micros;
  sentAt: Micros;
  /** When what was answered last was sent: the server has begun the session's time anew no earlier. */
  renewedAt: Micros;
  greetedAt: Micros;
  pingedAt: Micros;
  /** While disconnected: when the next server is tried. */
  retryAt: Micros;
  /** Since when there is no connection; null while there is one, and before the first. */
  lostAt: Micros | null;
  /** Not sent yet, and sent and not answered. */
  queue: readonly Asked[];
  unanswered: readonly Asked[];
}

export interface ZkCheckpoint {
  readonly saved: Saved;
  readonly watches: WatchList;
  readonly rng: RngState;
}

const NO_WATCHES: WatchList = { data: [], exist: [], child: [], persistent: [], recursive: [] };
/** Xid of the library's own `setWatches`, as in the Java client. */
const SET_WATCHES_XID = -8;
/** The Java client waits a random part of this before it tries another server. */
const RETRY_MAX: Micros = 1 * SECOND;

export class ZkConn {
  readonly #name: string;
  readonly #config: ZkConfig;
  readonly #out: Out;
  #rng: Rng;
  readonly #watches = new ClientWatches();
  #notices: ZkNotice[] = [];
  #s: Saved;

  /** @param name begins the names of its connections: the process's id, and a number when it has several of these */
  constructor(name: string, config: ZkConfig, out: Out, rng: Rng) {
    this.#name = name;
    this.#config = config;
    this.#out = out;
    this.#rng = rng;
    this.#s = {
      state: "new",
      incarnation: 0,
      servers: config.servers,
      next: 0,
      connections: 0,
      connection: null,
      server: null,
      credentials: null,
      timeout: config.timeout,
      xid: 0,
      lastZxid: 0,
      heardAt: 0,
      sentAt: 0,
      renewedAt: 0,
      greetedAt: 0,
      pingedAt: 0,
      retryAt: 0,
      lostAt: null,
      queue: [],
      unanswered: [],
    };
  }

  get state(): ZkState {
    return this.#s.state;
  }

  get session(): Credentials["session"] | null {
    return this.#s.credentials?.session ?? null;
  }

  /** The session's timeout, as granted by the server. */
  get timeout(): Micros {
    return this.#s.timeout;
  }

  /** Monotonic: from then on the session lasts for its timeout at least, by this clock. */
  get renewedAt(): Micros {
    return this.#s.renewedAt;
  }

  get lastZxid(): Zxid {
    return this.#s.lastZxid;
  }

  start(incarnation: number, stamp: Stamp): void {
    this.#s.incarnation = incarnation;
    this.#s.servers = shuffled(this.#config.servers, this.#rng);
    this.#connect(stamp);
  }

  /** Sent in order; answered with this number. One that is made while there is no connection waits for the next. */
  request(call: Call, stamp: Stamp): number {
    this.#s.xid += 1;
    const asked: Asked = { xid: this.#s.xid, call, sentAt: null };
    this.#emit({ type: "zk-request", xid: asked.xid, label: callLabel(call) });
    if (this.#s.state === "expired" || this.#s.state === "closed") this.#end([asked], "SessionExpired");
    else if (this.#s.state === "connected") this.#send(asked, stamp);
    else this.#s.queue = [...this.#s.queue, asked];
    return asked.xid;
  }

  /** Ends the session in order: its ephemeral nodes go at once. */
  close(stamp: Stamp): number {
    return this.request({ call: "closeSession" }, stamp);
  }

  /** Any input of the process: what is not this connection's is left alone. */
  step(input: Input, stamp: Stamp): void {
    this.#checkTimes(stamp);
    if (!("connection" in input) || input.connection !== this.#s.connection) return;
    switch (input.type) {
      case "connected":
        return this.#greet(stamp);
      case "received":
        this.#s.heardAt = stamp.mono;
        return this.#packet(input.data as ToClient, stamp);
      case "closed":
        return this.#lost({ rule: "connection-closed" }, stamp);
      default:
        return;
    }
  }

  /** What has been learned since the last call. */
  take(): readonly ZkNotice[] {
    const notices = this.#notices;
    this.#notices = [];
    return notices;
  }

  /** The awake time at which `step` should be given a wake; null when nothing waits. */
  wakeAt({ mono, awake }: Stamp): Micros | null {
    const { state, heardAt, sentAt, retryAt, timeout } = this.#s;
    const due = (at: Micros): Micros => awake + Math.max(0, at - mono);
    switch (state) {
      case "connecting":
        return due(Math.min(heardAt + this.#connectTimeout, this.#givesUpAt));
      case "connected":
        return due(Math.min(heardAt + this.#readTimeout, sentAt + Math.floor(timeout / 3)));
      case "disconnected":
        return due(Math.min(retryAt, this.#givesUpAt));
      default:
        return null;
    }
  }

  checkpoint(): ZkCheckpoint {
    return { saved: { ...this.#s }, watches: this.#watches.list(), rng: this.#rng.state() };
  }

  restore({ saved, watches, rng }: ZkCheckpoint): void {
    this.#s = { ...saved };
    this.#watches.load(watches);
    this.#rng = rngFromState(rng);
  }

  // ── connections ──

  get #readTimeout(): Micros {
    return Math.floor((this.#s.timeout * 2) / 3);
  }

  get #connectTimeout(): Micros {
    return Math.floor(this.#s.timeout / this.#config.servers.length);
  }

  /** Infinite when the session is not to be given up. */
  get #givesUpAt(): Micros {
    const { lostAt, credentials, timeout } = this.#s;
    const mayGiveUp = this.#config.givesUp && lostAt !== null && credentials !== null;
    return mayGiveUp ? lostAt + timeout : Number.POSITIVE_INFINITY;
  }

  /** As with a new handle: nothing of the old session is known any more, and the next greeting asks for another. */
  #giveSessionUp(stamp: Stamp): void {
    const s = this.#s;
    if (s.connection !== null) this.#out.close(s.connection);
    if (s.credentials !== null) this.#emit({ type: "zk-given-up", session: s.credentials.session, timeout: s.timeout });
    s.credentials = null;
    s.timeout = this.#config.timeout;
    s.lastZxid = 0;
    this.#watches.load(NO_WATCHES);
    this.#notices.push({ type: "state", state: "Lost" });
    this.#endAll("ConnectionLoss");
    this.#connect(stamp);
  }

  #connect({ mono }: Stamp): void {
    const s = this.#s;
    const server = s.servers[s.next % s.servers.length] as ProcessId;
    s.next += 1;
    s.connections += 1;
    s.connection = `${this.#name}/${s.incarnation}/${s.connections}`;
    s.server = server;
    s.state = "connecting";
    s.heardAt = mono;
    this.#emit({ type: "zk-connecting", member: server, session: this.session });
    this.#out.open(s.connection, server);
  }

  #greet(stamp: Stamp): void {
    const { credentials, lastZxid } = this.#s;
    this.#s.greetedAt = stamp.mono;
    this.#transmit({ type: "connect", timeout: this.#config.timeout, lastZxid, session: credentials }, stamp);
  }

  #checkTimes(stamp: Stamp): void {
    const { state, heardAt, sentAt, retryAt, timeout } = this.#s;
    const silent = stamp.mono - heardAt;
    if ((state === "disconnected" || state === "connecting") && stamp.mono >= this.#givesUpAt)
      return this.#giveSessionUp(stamp);
    if (state === "disconnected" && stamp.mono >= retryAt) return this.#connect(stamp);
    if (state === "connecting" && silent >= this.#connectTimeout)
      return this.#giveUp({ rule: "connect-timeout", timeout: this.#connectTimeout }, stamp);
    if (state !== "connected") return;
    if (silent >= this.#readTimeout) return this.#giveUp({ rule: "read-timeout", timeout: this.#readTimeout }, stamp);
    if (stamp.mono - sentAt < Math.floor(timeout / 3)) return;
    this.#s.pingedAt = stamp.mono;
    this.#transmit({ type: "ping" }, stamp);
  }

  #giveUp(why: ZooKeeperReason, stamp: Stamp): void {
    if (this.#s.connection !== null) this.#out.close(this.#s.connection);
    this.#lost(why, stamp);
  }

  #lost(why: ZooKeeperReason, { mono }: Stamp): void {
    const s = this.#s;
    const wasConnected = s.state === "connected";
    s.connection = null;
    if (s.state === "expired" || s.state === "closed") return;
    s.state = "disconnected";
    s.lostAt ??= mono;
    s.retryAt = mono + this.#rng.below(RETRY_MAX / MS) * MS;
    if (s.server !== null) this.#emit({ type: "zk-disconnected", member: s.server, session: this.session, why });
    // The program is told the state first, then what became of its calls.
    if (wasConnected) this.#notices.push({ type: "state", state: "Disconnected" });
    this.#endAll("ConnectionLoss");
  }

  // ── packets ──

  #packet(packet: ToClient, stamp: Stamp): void {
    switch (packet.type) {
      case "connected":
        return packet.session === null ? this.#expired() : this.#joined(packet.session, packet.timeout, stamp);
      case "pong":
        return this.#renewed(this.#s.pingedAt);
      case "event":
        this.#watches.fired(packet.event);
        this.#emit({ type: "zk-event", event: packet.event.type, path: packet.event.path });
        this.#notices.push({ type: "event", event: packet.event });
        return;
      case "reply":
        return this.#replied(packet);
    }
  }

  #joined(credentials: Credentials, timeout: Micros, stamp: Stamp): void {
    const s = this.#s;
    const again = s.credentials !== null;
    s.credentials = credentials;
    s.timeout = timeout;
    this.#renewed(s.greetedAt);
    s.state = "connected";
    s.lostAt = null;
    const member = s.server as ProcessId;
    this.#emit({ type: "zk-connected", member, session: credentials.session, timeout, again });
    this.#notices.push({ type: "state", state: "SyncConnected" });
    // Before anything else, so that no change falls between the old watches and the new.
    if (again && this.#config.watchesAgain && !this.#watches.isEmpty) {
      const call: Call = { call: "setWatches", lastZxid: s.lastZxid, ...this.#watches.list() };
      this.#send({ xid: SET_WATCHES_XID, call, sentAt: null }, stamp);
    }
    const queue = s.queue;
    s.queue = [];
    for (const asked of queue) this.#send(asked, stamp);
  }

  #replied({ xid, zxid, answer }: ToClient & { readonly type: "reply" }): void {
    const s = this.#s;
    const asked = s.unanswered.find((one) => one.xid === xid);
    s.unanswered = s.unanswered.filter((one) => one.xid !== xid);
    s.lastZxid = Math.max(s.lastZxid, zxid);
    if (asked === undefined) return;
    this.#renewed(asked.sentAt ?? 0);
    if (xid === SET_WATCHES_XID) return;
    this.#watches.answered(asked.call, answer);
    this.#emit({ type: "zk-reply", xid, err: answer.err, zxid });
    this.#notices.push({ type: "reply", xid, answer, zxid });
    if (asked.call.call !== "closeSession") return;
    s.state = "closed";
    this.#notices.push({ type: "state", state: "Closed" });
    if (s.connection !== null) this.#out.close(s.connection);
    s.connection = null;
    this.#endAll("SessionExpired");
  }

  #renewed(at: Micros): void {
    this.#s.renewedAt = Math.max(this.#s.renewedAt, at);
  }

  #expired(): void {
    const s = this.#s;
    s.state = "expired";
    s.connection = null;
    if (s.credentials !== null) this.#emit({ type: "zk-expired", session: s.credentials.session });
    this.#notices.push({ type: "state", state: "Expired" });
    this.#endAll("SessionExpired");
  }

  #send(asked: Asked, stamp: Stamp): void {
    this.#s.unanswered = [...this.#s.unanswered, { ...asked, sentAt: stamp.mono }];
    this.#transmit({ type: "request", xid: asked.xid, call: asked.call }, stamp);
  }

  #transmit(packet: ToServer, { mono }: Stamp): void {
    if (this.#s.connection === null) return;
    this.#s.sentAt = mono;
    this.#out.transmit(this.#s.connection, packet);
  }

  #endAll(err: "ConnectionLoss" | "SessionExpired"): void {
    const asked = [...this.#s.unanswered, ...this.#s.queue];
    this.#s.unanswered = [];
    this.#s.queue = [];
    this.#end(asked, err);
  }

  #end(asked: readonly Asked[], err: "ConnectionLoss" | "SessionExpired"): void {
    for (const { xid } of asked) {
      if (xid === SET_WATCHES_XID) continue;
      this.#emit({ type: "zk-reply", xid, err, zxid: null });
      this.#notices.push({ type: "reply", xid, answer: { err }, zxid: null });
    }
  }

  #emit(event: ZooKeeperClientEvent): void {
    this.#out.emit?.(event);
  }
}

function shuffled<T>(items: readonly T[], rng: Rng): readonly T[] {
  const mixed = [...items];
  for (let i = mixed.length - 1; i > 0; i -= 1) {
    const j = rng.below(i + 1);
    [mixed[i], mixed[j]] = [mixed[j] as T, mixed[i] as T];
  }
  return mixed;
}
