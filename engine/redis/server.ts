/**
 * A Redis server as a process of the world: connections, the append-only file, replication, and the cycle of time.
 *
 * Wall time decides when keys are over, as in Redis: a clock that jumps ends locks. The cycle (`hz`) runs only while
 * there is something for it to do. What differs from Redis is said where it stands; there are no snapshot files (RDB).
 */
import { present } from "../base/assert.ts";
import { type Rng, rngFromState, type RngState } from "../base/rng.ts";
import { MS, type Micros, SECOND } from "../base/units.ts";
import type { ProcessId } from "../sim/command.ts";
import type { ConnectionId, Env, Input, Out, Process, Stamp } from "../sim/process.ts";
import { AppendOnlyFile, type FileCheckpoint } from "./append-only-file.ts";
import { lower } from "./bytes.ts";
import type { RedisServerConfig } from "./config.ts";
import type { RedisEvent, RoleReason } from "./events.ts";
import { Executor, type ExecutorCheckpoint } from "./executor.ts";
import { Options } from "./options.ts";
import type { ClientCommand, PrimaryMessage, ReplicaMessage, ServerMessage } from "./protocol.ts";
import { type Link, newReplid, Stream, type StreamCheckpoint } from "./replication.ts";
import { int, type Reply } from "./reply.ts";
import { serverCommand, type ServerView } from "./server-commands.ts";
import type { Session } from "./session.ts";
import { copyOf } from "./values.ts";

/** What waits for the disk: an answer must not be there before its write. */
interface Held {
  readonly connection: ConnectionId;
  readonly data: unknown;
  readonly close: boolean;
}

interface Checkpoint {
  readonly rng: RngState;
  readonly executor: ExecutorCheckpoint;
  readonly options: ReadonlyMap<string, string>;
  readonly stream: StreamCheckpoint;
  readonly file: FileCheckpoint;
  readonly state: State;
}

interface State {
  incarnation: number;
  connections: number;
  link: Link | null;
  /** The database that the primary's stream is in. */
  applied: { db: number };
  activeExpire: boolean;
  /** DEBUG SLEEP: until then nothing is looked at. */
  asleepUntil: Micros | null;
  asleep: Input[];
  held: Held[];
  /** The fsync that `held` waits for; null: none. */
  holdsFor: number | null;
  /** The fsync that makes a rewritten file durable; null: none. */
  rewrites: number | null;
  tokens: number;
  cronAt: Micros;
  pingAt: Micros;
  startedAt: Micros;
  wakeAt: Micros | null;
  closing: ConnectionId[];
}

/** A replica tries again, and acknowledges, each second. */
const CRON: Micros = SECOND;
const NO_LINK_HEARD = 0;

export class RedisServer implements Process, ServerView {
  readonly id: ProcessId;
  readonly config: RedisServerConfig;
  readonly options = new Options();
  readonly executor: Executor;
  readonly #out: Out;
  readonly #emit: ((event: RedisEvent) => void) | null;
  readonly #file: AppendOnlyFile;
  readonly #stream: Stream;
  #rng: Rng;
  #now: Micros = 0;
  #outbox: Held[] = [];
  #state: State = {
    incarnation: 0,
    connections: 0,
    link: null,
    applied: { db: 0 },
    activeExpire: true,
    asleepUntil: null,
    asleep: [],
    held: [],
    holdsFor: null,
    rewrites: null,
    tokens: 0,
    cronAt: 0,
    pingAt: 0,
    startedAt: 0,
    wakeAt: null,
    closing: [],
  };

  constructor(config: RedisServerConfig, env: Env) {
    this.id = env.id;
    this.config = config;
    this.#out = env.out;
    this.#emit = env.out.emit;
    this.#rng = env.rng;
    this.#file = new AppendOnlyFile(env.out);
    this.#stream = new Stream("");
    this.options.read(config.options);
    this.executor = new Executor({
      options: this.options,
      emit: this.#emit,
      rng: () => this.#rng,
      now: () => this.#now,
      isReplica: () => this.#state.link !== null,
      enoughReplicas: () => this.#enoughReplicas(),
      serverCommand: (session, name, args, n, mayBlock) => serverCommand(this, session, name, args, n, mayBlock),
      answer: (session, n, reply) => this.#answer(session, n, reply),
      push: (session, message) => this.#send(session.id, { type: "push", message } satisfies ServerMessage),
      propagate: (db, commands, file) => this.#propagate(db, commands, file),
      closeAfterAnswer: (session) => void this.#state.closing.push(session.id),
    });
  }

  // ── the process ──

  step(input: Input, stamp: Stamp): void {
    this.#now = stamp.awake;
    const state = this.#state;
    if (input.type === "boot") return this.#boot(input, stamp);
    if (state.asleepUntil !== null && this.#now < state.asleepUntil) {
      if (input.type !== "wake") state.asleep.push(input);
      return;
    }
    this.#wakeUp(stamp);
    this.#take(input, stamp);
  }

  flush(stamp: Stamp): void {
    this.#write();
    this.#schedule(stamp);
  }

  checkpoint(): Checkpoint {
    return {
      rng: this.#rng.state(),
      executor: this.executor.checkpoint(),
      options: this.options.checkpoint(),
      stream: this.#stream.checkpoint(),
      file: this.#file.checkpoint(),
      state: copied(this.#state),
    };
  }

  restore(checkpoint: unknown): void {
    const saved = checkpoint as Checkpoint;
    this.#rng = rngFromState(saved.rng);
    this.executor.restore(saved.executor);
    this.options.restore(saved.options);
    this.#stream.restore(saved.stream);
    this.#file.restore(saved.file);
    this.#state = copied(saved.state);
    this.executor.keys.expiry = this.#state.link === null ? "remove" : "hide";
  }

  // ── start ──

  #boot({ incarnation, files }: Input & { type: "boot" }, stamp: Stamp): void {
    const state = this.#state;
    state.incarnation = incarnation;
    state.startedAt = this.#now;
    state.cronAt = this.#now + CRON;
    state.pingAt = this.#now + this.options.number("repl-ping-replica-period") * SECOND;
    this.#stream.resync(newReplid(this.#rng), 0);
    const { keys } = this.executor;
    keys.now = wallMs(stamp);
    let tornBytes = 0;
    if (this.options.flag("appendonly")) {
      const loaded = this.#file.load(files);
      ({ tornBytes } = loaded);
      this.executor.apply({ db: 0 }, loaded.commands);
    }
    this.#emit?.({ type: "redis-started", keys: keys.size, tornBytes });
    const { replicaOf } = this.config;
    if (replicaOf === null) this.#tellRole({ rule: "configured" });
    else this.follow(replicaOf, { rule: "configured" });
  }

  // ── inputs ──

  #take(input: Input, stamp: Stamp): void {
    const { keys } = this.executor;
    keys.now = wallMs(stamp);
    switch (input.type) {
      case "accepted":
        return this.executor.opened(input.connection);
      case "connected":
        return this.#linkOpened(input.connection);
      case "received":
        if (input.connection === this.#state.link?.connection) return this.#fromPrimary(input.data as PrimaryMessage);
        return this.#received(input.connection, input.data as ClientCommand | ReplicaMessage);
      case "closed":
        if (input.connection === this.#state.link?.connection) return this.#linkDown();
        this.#stream.drop(input.connection);
        return this.executor.closed(input.connection);
      case "synced":
        return this.#synced(input.token);
      case "wake":
        this.#state.wakeAt = null;
        return this.#timers();
      case "message":
      case "asked":
      case "boot":
        return;
    }
  }

  #received(connection: ConnectionId, data: ClientCommand | ReplicaMessage): void {
    const session = this.executor.session(connection);
    if (session === null) return;
    switch (data.type) {
      case "cmd":
        return this.executor.take(session, data.n, data.args);
      case "psync":
        return this.#psync(connection, data);
      case "ack": {
        const follower = this.#stream.follower(connection);
        if (follower === null) return;
        this.#stream.acked(connection, data.offset, this.#now);
        if (data.offset !== follower.acked)
          this.#emit?.({ type: "redis-acked", replica: follower.id, offset: data.offset });
        return this.#serveWaits();
      }
    }
  }

  #wakeUp(stamp: Stamp): void {
    const state = this.#state;
    if (state.asleepUntil === null) return;
    state.asleepUntil = null;
    const missed = state.asleep;
    state.asleep = [];
    for (const [i, input] of missed.entries()) {
      if (state.asleepUntil !== null) {
        state.asleep.push(...missed.slice(i));
        return;
      }
      this.#take(input, stamp);
    }
  }

  // ── time ──

  #timers(): void {
    const { executor } = this;
    if (this.#state.link === null && this.#state.activeExpire) executor.expireAll();
    executor.timeOut();
    this.#serveWaits();
    while (this.#now >= this.#state.cronAt) {
      this.#state.cronAt += CRON;
      this.#cron();
    }
  }

  /** Once a second: acknowledge, try again, ping. */
  #cron(): void {
    const { link } = this.#state;
    const timeout = this.options.number("repl-timeout") * SECOND;
    if (link !== null) {
      const { connection, state } = link;
      if (state === "connect") this.#connect();
      else if (this.#now - link.heardAt > timeout) this.#linkDown();
      else if (state === "connected" && connection !== null) this.#acknowledge(connection);
    }
    for (const [connection, { heardAt }] of this.#stream.followers)
      if (this.#now - heardAt > timeout) {
        this.#stream.drop(connection);
        this.executor.closed(connection);
        this.#outbox.push({ connection, data: null, close: true });
      }
    if (link === null && this.#now >= this.#state.pingAt) {
      this.#state.pingAt += this.options.number("repl-ping-replica-period") * SECOND;
      if (this.#stream.followers.length > 0) this.#feed(-1, [["PING"]]);
    }
  }

  #schedule(stamp: Stamp): void {
    const state = this.#state;
    const { keys, sessions } = this.executor;
    const due: Micros[] = [];
    if (state.asleepUntil !== null) due.push(state.asleepUntil);
    if (state.link === null && state.activeExpire && keys.hasVolatile) {
      const period = Math.floor(SECOND / this.options.number("hz"));
      due.push((Math.floor(stamp.awake / period) + 1) * period);
    }
    if (state.link !== null || this.#stream.followers.length > 0) due.push(state.cronAt);
    else if (state.cronAt <= this.#now) state.cronAt = this.#now + CRON;
    for (const { blocked } of sessions) if (blocked?.until != null) due.push(blocked.until);
    const syncDue = this.#file.syncDue(this.options.text("appendfsync"));
    if (syncDue !== null) due.push(Math.max(syncDue, this.#now + MS));
    const wakeAt = due.length === 0 ? null : Math.min(...due);
    if (wakeAt === state.wakeAt) return;
    state.wakeAt = wakeAt;
    this.#out.wake(wakeAt);
  }

  // ── answers and the disk ──

  #answer(session: Session, n: number, reply: Reply): void {
    this.#send(session.id, { type: "reply", n, reply } satisfies ServerMessage);
    this.executor.answered();
    const closing = this.#state.closing.indexOf(session.id);
    if (closing < 0) return;
    this.#state.closing.splice(closing, 1);
    this.#outbox.push({ connection: session.id, data: null, close: true });
    this.executor.closed(session.id);
  }

  hangUp(session: Session, asker: Session): void {
    if (session === asker) {
      this.#state.closing.push(session.id);
      return;
    }
    this.#outbox.push({ connection: session.id, data: null, close: true });
    this.executor.closed(session.id);
  }

  #send(connection: ConnectionId, data: unknown): void {
    this.#outbox.push({ connection, data, close: false });
  }

  /** The end of a batch: what it wrote goes to the file, and what it says leaves when the file allows. */
  #write(): void {
    const state = this.#state;
    const policy = this.options.text("appendfsync");
    const wrote = this.#file.write(this.#now);
    const due = this.#file.syncDue(policy);
    if (wrote && policy === "always") {
      state.holdsFor = this.#sync();
    } else if (due !== null && due <= this.#now) this.#sync();
    const outbox = this.#outbox;
    this.#outbox = [];
    if (state.holdsFor !== null) state.held.push(...outbox);
    else for (const one of outbox) this.#release(one);
  }

  #sync(): number {
    this.#state.tokens += 1;
    this.#file.sync(this.#state.tokens);
    return this.#state.tokens;
  }

  #synced(token: number): void {
    const state = this.#state;
    if (token === state.rewrites) {
      this.#file.rewritten();
      state.rewrites = null;
    }
    if (token !== state.holdsFor) return;
    state.holdsFor = null;
    const { held } = state;
    state.held = [];
    for (const one of held) this.#release(one);
  }

  #release({ connection, data, close }: Held): void {
    if (close) this.#out.close(connection);
    else this.#out.transmit(connection, data);
  }

  #propagate(db: number, commands: readonly (readonly string[])[], file: boolean): number {
    if (file && this.options.flag("appendonly")) this.#file.append(db, commands);
    if (!this.#stream.isActive) return 0;
    return this.#feed(db, commands);
  }

  /** BGREWRITEAOF, and what switching the file on does. */
  rewriteFile(keepOld: boolean): void {
    this.#file.rewrite(this.executor.keys.entries(), keepOld, this.#now);
    this.#state.rewrites = this.#sync();
  }
  removeFile(): void {
    this.#file.remove();
  }

  // ── primary ──

  #feed(db: number, commands: readonly (readonly string[])[]): number {
    const part = this.#stream.append(db, commands, this.options.number("repl-backlog-size"));
    this.#sendOn({ type: "stream", part });
    this.#emit?.({ type: "redis-offset", offset: part.to });
    return part.to;
  }

  #enoughReplicas(): boolean {
    const least = this.options.number("min-replicas-to-write");
    const lag = this.options.number("min-replicas-max-lag");
    return least === 0 || lag === 0 || this.#stream.countNear(this.#now, lag) >= least;
  }

  #sendOn(message: PrimaryMessage): void {
    for (const [connection] of this.#stream.followers) this.#send(connection, message);
  }

  #psync(connection: ConnectionId, { replica, replid, offset }: ReplicaMessage & { type: "psync" }): void {
    const { link } = this.#state;
    if (link !== null && link.state !== "connected")
      return this.#send(connection, { type: "not-now" } satisfies PrimaryMessage);
    const stream = this.#stream;
    const parts = stream.after(replid, offset);
    this.executor.closed(connection);
    this.executor.opened(connection);
    if (parts !== null) {
      this.#send(connection, { type: "continue", replid: stream.replid } satisfies PrimaryMessage);
      for (const part of parts) this.#send(connection, { type: "stream", part } satisfies PrimaryMessage);
    } else {
      const entries = [...this.executor.keys.entries()].map((entry) => ({ ...entry, value: copyOf(entry.value, -1) }));
      const message: PrimaryMessage = { type: "fullresync", replid: stream.replid, offset: stream.offset, entries };
      this.#send(connection, message);
    }
    const acked = parts === null ? stream.offset : offset;
    stream.add(connection, { id: replica, acked: parts === null ? 0 : acked, heardAt: this.#now });
  }

  /** Those whose writes enough replicas have, or whose time is over. */
  #serveWaits(): void {
    for (const session of this.executor.sessions) {
      const { blocked } = session;
      if (blocked?.type !== "wait") continue;
      const count = this.#stream.countAt(blocked.offset);
      if (count >= blocked.replicas || (blocked.until !== null && this.#now >= blocked.until))
        this.executor.unblock(session, int(count));
    }
  }

  /** WAIT asks those that have not told yet. */
  requestAcks(): void {
    if (this.#stream.isActive) this.#feed(-1, [["REPLCONF", "GETACK", "*"]]);
  }

  // ── replica ──

  /** Follows another from now on. What it holds stays until the other has sent its own. */
  follow(primary: ProcessId, why: RoleReason): void {
    const { link } = this.#state;
    if (link?.primary === primary) return;
    if (link !== null) this.#closeLink(link);
    else this.executor.becameReplica();
    this.#state.link = { primary, state: "connect", connection: null, heardAt: NO_LINK_HEARD, downSince: this.#now };
    this.executor.keys.expiry = "hide";
    this.#dropFollowers();
    this.#tellRole(why);
    this.#state.cronAt = this.#now + CRON;
    this.#connect();
  }

  /** REPLICAOF NO ONE. */
  lead(why: RoleReason): void {
    const { link } = this.#state;
    if (link === null) return;
    this.#closeLink(link);
    this.#state.link = null;
    this.executor.keys.expiry = "remove";
    this.#stream.promote(newReplid(this.#rng));
    // Followers of this one have the same stream under its old id: they are asked to go on from there.
    this.#dropFollowers();
    this.#tellRole(why);
  }

  #tellRole(why: RoleReason): void {
    const { link } = this.#state;
    const primary = link?.primary ?? null;
    this.#emit?.({
      type: "redis-role",
      role: link === null ? "primary" : "replica",
      primary,
      offset: this.#stream.offset,
      why,
    });
  }

  #dropFollowers(): void {
    for (const [connection] of this.#stream.followers) {
      this.#stream.drop(connection);
      this.executor.closed(connection);
      this.#outbox.push({ connection, data: null, close: true });
    }
  }

  #connect(): void {
    const link = present(this.#state.link, "a link to open");
    const isKnown = this.config.peers.some(({ id }) => id === link.primary);
    if (!isKnown) return;
    this.#state.connections += 1;
    const connection = `${this.id}/${this.#state.incarnation}/${this.#state.connections}`;
    this.#state.link = { ...link, state: "connecting", connection, heardAt: this.#now };
    this.#emit?.({ type: "redis-link", primary: link.primary, state: "connecting", offset: this.#stream.offset });
    this.#out.open(connection, link.primary);
  }

  #closeLink({ connection }: Link): void {
    if (connection !== null) this.#outbox.push({ connection, data: null, close: true });
  }

  #linkOpened(connection: ConnectionId): void {
    const { link } = this.#state;
    if (link === null || link.connection !== connection) return;
    this.#state.link = { ...link, state: "sync", heardAt: this.#now };
    const { replid, offset } = this.#stream;
    this.#send(connection, { type: "psync", replica: this.id, replid, offset } satisfies ReplicaMessage);
  }

  #linkDown(): void {
    const link = present(this.#state.link, "a link that broke");
    this.#closeLink(link);
    const downSince = link.downSince ?? this.#now;
    this.#state.link = { ...link, state: "connect", connection: null, downSince };
    this.#emit?.({ type: "redis-link", primary: link.primary, state: "down", offset: this.#stream.offset });
  }

  #fromPrimary(message: PrimaryMessage): void {
    const link = present(this.#state.link, "a link to hear from");
    const connection = present(link.connection, "its connection");
    this.#state.link = { ...link, heardAt: this.#now };
    switch (message.type) {
      case "not-now":
        return this.#linkDown();
      case "continue":
        this.#stream.rename(message.replid);
        return this.#linked(connection, "partial-sync");
      case "fullresync":
        this.#load(message);
        return this.#linked(connection, "full-sync");
      case "stream": {
        const { part } = message;
        this.#stream.follow(part, this.options.number("repl-backlog-size"));
        if (this.options.flag("appendonly")) this.#file.append(this.#state.applied.db, replayable(part.commands));
        this.executor.apply(this.#state.applied, part.commands);
        this.#sendOn(message);
        this.#emit?.({ type: "redis-offset", offset: part.to });
        if (part.commands.some(([name]) => name === "REPLCONF")) this.#acknowledge(connection);
      }
    }
  }

  #linked(connection: ConnectionId, state: "full-sync" | "partial-sync"): void {
    const link = present(this.#state.link, "its link");
    this.#state.link = { ...link, state: "connected", downSince: null };
    this.#emit?.({ type: "redis-link", primary: link.primary, state, offset: this.#stream.offset });
    this.#acknowledge(connection);
  }

  #load({ replid, offset, entries }: PrimaryMessage & { type: "fullresync" }): void {
    const { keys } = this.executor;
    keys.flush(true);
    for (const { db, key, value, expireAt } of entries) {
      keys.selected = db;
      keys.put(key, value, expireAt);
    }
    this.executor.apply(this.#state.applied, []);
    this.#state.applied.db = 0;
    this.#dropFollowers();
    this.#stream.resync(replid, offset);
    if (this.options.flag("appendonly")) this.rewriteFile(true);
  }

  #acknowledge(connection: ConnectionId): void {
    this.#send(connection, { type: "ack", offset: this.#stream.offset } satisfies ReplicaMessage);
  }

  // ── what the commands of `server-commands.ts` see ──

  get now(): Micros {
    return this.#now;
  }
  get link(): Link | null {
    return this.#state.link;
  }
  get stream(): Stream {
    return this.#stream;
  }
  get isRewriting(): boolean {
    return this.#state.rewrites !== null;
  }
  get startedAt(): Micros {
    return this.#state.startedAt;
  }
  get incarnation(): number {
    return this.#state.incarnation;
  }
  setActiveExpire(on: boolean): void {
    this.#state.activeExpire = on;
  }
  sleepUntil(until: Micros): void {
    this.#state.asleepUntil = until;
  }
}

function copied(state: State): State {
  return {
    ...state,
    applied: { ...state.applied },
    asleep: [...state.asleep],
    held: [...state.held],
    closing: [...state.closing],
  };
}

/** Whole milliseconds. */
function wallMs({ wall }: Stamp): number {
  return Math.floor(wall / MS);
}

/** Commands of the stream that belong into the file. */
function replayable(commands: readonly (readonly string[])[]): readonly (readonly string[])[] {
  return commands.filter(([name = ""]) => !["ping", "replconf", "publish"].includes(lower(name)));
}
