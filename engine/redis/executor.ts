/**
 * Carries out commands for connections: arity and refusals, MULTI and WATCH, scripts, publish and subscribe, blocking
 * pops; and says what has to be passed on. Sockets, disk, replication and time are the server's (`server.ts`).
 *
 * The order of the checks is that of Redis 7.0's processCommand: it shows in which error comes first.
 */
import { present } from "../base/assert.ts";
import type { Rng } from "../base/rng.ts";
import type { Micros } from "../base/units.ts";
import type { ConnectionId } from "../sim/process.ts";
import { blockingTimeout, popFrom } from "./blocking.ts";
import { lower } from "./bytes.ts";
import type { CommandSpec } from "./call.ts";
import { readDb } from "./commands/keys.ts";
import type { RedisEvent } from "./events.ts";
import { shown } from "./events.ts";
import { globMatches } from "./glob.ts";
import { Keyspace, type KeyspaceCheckpoint, type NotifyClass } from "./keyspace.ts";
import { toInt64 } from "./numbers.ts";
import type { Options } from "./options.ts";
import {
  array,
  bulk,
  bulks,
  error,
  int,
  NIL_ARRAY,
  OK,
  QUEUED,
  READ_ONLY,
  Refused,
  type Reply,
  status,
  wrongArity,
} from "./reply.ts";
import { SCRIPT_START, ScriptEngine, type ScriptState } from "./scripting.ts";
import { type Blocked, newSession, type Session, subscriptions } from "./session.ts";
import { auth, hello } from "./greeting.ts";
import { sha1 } from "../base/sha1.ts";
import { COMMANDS, CONTAINERS } from "./table.ts";
import { arityError, inOneLine, inShort, unknownCommand } from "./wording.ts";

/** What the server around it does. */
export interface Surroundings {
  rng(): Rng;
  readonly options: Options;
  readonly emit: ((event: RedisEvent) => void) | null;
  /** Awake time of the input at hand. */
  now(): Micros;
  isReplica(): boolean;
  /** Answers a command that is the server's; null: it answers later, by `answer`. */
  serverCommand(session: Session, name: string, args: readonly string[], n: number, mayBlock: boolean): Reply | null;
  answer(session: Session, n: number, reply: Reply): void;
  push(session: Session, message: readonly string[]): void;
  /** Commands for the stream and, if `file`, the append-only file. @returns the offset after them */
  propagate(db: number, commands: readonly (readonly string[])[], file: boolean): number;
  closeAfterAnswer(session: Session): void;
  /** Whether enough replicas are near for a write to be taken (min-replicas-to-write). */
  enoughReplicas(): boolean;
}

export interface ExecutorCheckpoint {
  readonly keyspace: KeyspaceCheckpoint;
  readonly sessions: readonly Session[];
  readonly scripts: readonly (readonly [string, string])[];
  readonly numbers: number;
  readonly scriptState: ScriptState;
}

const UNRESTRICTED_IN_MULTI = new Set(["exec", "discard", "multi", "watch", "quit", "reset"]);
const SHA_DIGITS = 40;
const NO_SCRIPT = "NOSCRIPT No matching script. Please use EVAL.";

export class Executor {
  readonly keys: Keyspace;
  readonly #around: Surroundings;
  readonly #sessions = new Map<ConnectionId, Session>();
  readonly #scripts = new Map<string, string>();
  /** The SHA-1 of each script that was seen; worked out again after a restart. */
  readonly #shas = new Map<string, string>();
  #numbers = 0;
  #scriptState: ScriptState = SCRIPT_START;
  readonly #lua = new ScriptEngine();
  /** What the command at hand has to pass on. */
  #passOn: { readonly db: number; readonly args: readonly string[]; readonly file: boolean }[] = [];
  /** What it changed, to be put on record. */
  readonly #changed = new Map<string, { readonly db: number; readonly key: string }>();
  readonly #expired = new Set<string>();
  #calls = 0;

  constructor(around: Surroundings) {
    this.#around = around;
    this.keys = new Keyspace({
      touched: (db, key) => this.#touched(db, key),
      notify: (kind, event, key, db) => this.#notify(kind, event, key, db),
      expired: (db, key) => {
        this.#passOn.push({ db, args: ["DEL", key], file: true });
        this.#expired.add(`${db} ${key}`);
      },
    });
  }

  checkpoint(): ExecutorCheckpoint {
    return {
      keyspace: this.keys.checkpoint(),
      sessions: [...this.#sessions.values()].map((session) => ({ ...session })),
      scripts: [...this.#scripts],
      numbers: this.#numbers,
      scriptState: this.#scriptState,
    };
  }

  restore(saved: ExecutorCheckpoint): void {
    this.keys.restore(saved.keyspace);
    for (const session of saved.sessions) this.#sessions.set(session.id, { ...session });
    for (const [sha, source] of saved.scripts) this.#scripts.set(sha, source);
    this.#numbers = saved.numbers;
    this.#scriptState = saved.scriptState;
  }

  // ── connections ──

  opened(id: ConnectionId): void {
    this.#numbers += 1;
    this.#sessions.set(id, newSession(id, this.#numbers));
  }

  closed(id: ConnectionId): void {
    this.#sessions.delete(id);
  }

  session(id: ConnectionId): Session | null {
    return this.#sessions.get(id) ?? null;
  }

  get sessions(): readonly Session[] {
    return [...this.#sessions.values()];
  }

  /** Takes one command of a client and answers it, now or when it can. */
  take(session: Session, n: number, args: readonly string[]): void {
    if (session.blocked !== null) {
      session.pending = [...session.pending, { n, args }];
      return;
    }
    const reply = this.#process(session, n, args);
    this.#settle(session);
    this.#around.emit?.({
      type: "redis-command",
      connection: session.id,
      args: args.map(shown),
      reply: reply === null ? null : shown(inOneLine(reply)),
    });
    if (reply !== null) this.#around.answer(session, n, reply);
    this.#serveBlocked();
  }

  /** Answers a blocked connection, and takes what it has sent since. */
  unblock(session: Session, reply: Reply): void {
    const { blocked } = session;
    if (blocked === null) return;
    session.blocked = null;
    this.#around.answer(session, blocked.n, reply);
    const { pending } = session;
    session.pending = [];
    for (const { n, args } of pending) this.take(session, n, args);
  }

  /** Ends waits whose time is over. */
  timeOut(): void {
    for (const session of this.#sessions.values()) {
      const { blocked } = session;
      if (blocked?.type === "list" && blocked.until !== null && this.#around.now() >= blocked.until)
        this.unblock(session, NIL_ARRAY);
    }
  }

  /** Blocked pops will not be served here any more. */
  becameReplica(): void {
    for (const session of this.#sessions.values())
      if (session.blocked?.type === "list")
        this.unblock(
          session,
          error("UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)"),
        );
  }

  // ── what comes from elsewhere ──

  /** The background cycle. */
  expireAll(): void {
    this.keys.expireAll();
    this.#settle(null);
  }

  /** Commands of the primary's stream, or of the file: nothing is asked, and nothing passed on. */
  apply(state: { db: number }, commands: readonly (readonly string[])[]): void {
    const { expiry } = this.keys;
    this.keys.expiry = "ignore";
    for (const args of commands) {
      const name = lower(args[0] ?? "");
      if (name === "select") state.db = Number(args[1]);
      const spec = COMMANDS.get(name);
      this.keys.selected = state.db;
      if (name === "publish") this.#publish(args[1] ?? "", args[2] ?? "");
      else if (spec?.handler) this.#handle(spec, args);
    }
    this.#passOn = [];
    this.keys.expiry = expiry;
    this.#record();
    this.#serveBlocked();
  }

  // ── one command ──

  #process(session: Session, n: number, args: readonly string[]): Reply | null {
    const name = lower(args[0] ?? "");
    if (name === "quit") {
      this.#around.closeAfterAnswer(session);
      return OK;
    }
    const refusal = this.#refusal(session, name, args);
    if (refusal !== null) {
      if (name === "exec") this.#leaveMulti(session);
      else if (session.queue !== null) session.aborted = true;
      return name === "exec"
        ? error(`EXECABORT Transaction discarded because of: ${refusal.replace(/^ERR /, "")}`)
        : error(refusal);
    }
    if (session.queue !== null && !UNRESTRICTED_IN_MULTI.has(name)) {
      session.queue = [...session.queue, args];
      return QUEUED;
    }
    this.keys.selected = session.db;
    return this.#run(session, n, args, true);
  }

  /** Why a command is not even tried, or null. */
  #refusal(session: Session, name: string, args: readonly string[]): string | null {
    const spec = COMMANDS.get(name);
    if (spec === undefined) return unknownCommand(args);
    const arity = arityError(spec, args);
    if (arity !== null) return arity;
    const isWrite = spec.flags.has("write");
    if (session.queue !== null && spec.flags.has("nomulti")) return "ERR Command not allowed inside a transaction";
    if (isWrite && !this.#around.enoughReplicas() && !this.#around.isReplica())
      return "NOREPLICAS Not enough good replicas to write.";
    if (isWrite && this.#isReadOnly) return READ_ONLY;
    if (subscriptions(session) > 0 && !spec.flags.has("pubsub"))
      return `ERR Can't execute '${spec.name}': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context`;
    return null;
  }

  get #isReadOnly(): boolean {
    return this.#around.isReplica() && this.#around.options.flag("replica-read-only");
  }

  /** Runs a command that nothing forbids. Null: the answer comes later. */
  #run(session: Session, n: number, args: readonly string[], mayBlock: boolean): Reply | null {
    const name = lower(args[0] ?? "");
    try {
      const spec = present(COMMANDS.get(name), "a command that was checked");
      if (spec.handler !== null) return this.#handle(spec, args);
      const [container] = [CONTAINERS[name]];
      if (container !== undefined) {
        const sub = container.find((one) => one.name === lower(args[1] ?? ""));
        if (sub?.handler) return this.#handle(sub, args);
      }
      return this.#special(session, name, args, n, mayBlock);
    } catch (failure) {
      if (failure instanceof Refused) return error(failure.message);
      throw failure;
    }
  }

  #handle(spec: CommandSpec, args: readonly string[]): Reply {
    const { keys } = this;
    const dirty = keys.dirty;
    const db = keys.selected;
    let rewritten: readonly (readonly string[])[] | null = null;
    let reply: Reply;
    try {
      reply = present(
        spec.handler,
        "its handler",
      )({
        keys,
        args,
        rng: this.#around.rng(),
        rewrite: (...commands) => {
          rewritten = commands;
        },
      });
    } catch (failure) {
      if (!(failure instanceof Refused)) throw failure;
      reply = error(failure.message);
    }
    if (keys.dirty > dirty)
      for (const command of rewritten ?? [args]) this.#passOn.push({ db, args: command, file: true });
    return reply;
  }

  #special(session: Session, name: string, args: readonly string[], n: number, mayBlock: boolean): Reply | null {
    const [, first = "", second = ""] = args;
    switch (name) {
      case "ping":
        if (args.length > 2) return error(wrongArity("ping"));
        if (subscriptions(session) > 0) return bulks(["pong", first]);
        return args.length === 2 ? bulk(first) : status("PONG");
      case "echo":
        return bulk(first);
      case "time": {
        const { now } = this.keys;
        return bulks([String(Math.floor(now / 1_000)), String((now % 1_000) * 1_000)]);
      }
      case "select":
        session.db = readDb(first);
        this.keys.selected = session.db;
        return OK;
      case "hello":
        return hello(session, args, this.#around.isReplica());
      case "auth":
        return auth(args.slice(1));
      case "reset":
        this.#leaveMulti(session);
        Object.assign(session, { name: "", db: 0, channels: [], patterns: [] });
        return status("RESET");
      case "multi":
        if (session.queue !== null) return error("ERR MULTI calls can not be nested");
        session.queue = [];
        return OK;
      case "discard":
        if (session.queue === null) return error("ERR DISCARD without MULTI");
        this.#leaveMulti(session);
        return OK;
      case "exec":
        return this.#exec(session);
      case "watch":
        if (session.queue !== null) return error("ERR WATCH inside MULTI is not allowed");
        for (const key of args.slice(1)) this.#watch(session, key);
        return OK;
      case "unwatch":
        session.watched = [];
        session.broken = false;
        return OK;
      case "eval":
      case "eval_ro":
      case "evalsha":
      case "evalsha_ro":
        return this.#eval(session, name, args);
      case "script":
        return this.#script(args);
      case "subscribe":
      case "psubscribe":
      case "unsubscribe":
      case "punsubscribe":
        return this.#subscription(session, name, args.slice(1));
      case "publish": {
        const receivers = this.#publish(first, second);
        this.#passOn.push({ db: session.db, args, file: false });
        return int(receivers);
      }
      case "pubsub":
        return this.#pubsub(args);
      case "blpop":
      case "brpop":
      case "blmove":
      case "brpoplpush":
      case "bzpopmin":
      case "bzpopmax":
        return this.#blockingPop(session, args, n, mayBlock);
      default:
        return this.#around.serverCommand(session, name, args, n, mayBlock);
    }
  }

  // ── transactions ──

  #watch(session: Session, key: string): void {
    const { db } = session;
    if (session.watched.some((one) => one.db === db && one.key === key)) return;
    session.watched = [...session.watched, { db, key, wasOver: this.keys.isOver(db, key) }];
  }

  #leaveMulti(session: Session): void {
    session.queue = null;
    session.aborted = false;
    session.watched = [];
    session.broken = false;
  }

  #exec(session: Session): Reply {
    const { queue, aborted, broken, watched } = session;
    if (queue === null) return error("ERR EXEC without MULTI");
    const isOver = watched.some(({ db, key, wasOver }) => !wasOver && this.keys.isOver(db, key));
    this.#leaveMulti(session);
    if (aborted) return error("EXECABORT Transaction discarded because of previous errors.");
    if (broken || isOver) return NIL_ARRAY;
    return array(
      queue.map((args) => {
        this.keys.selected = session.db;
        return this.#run(session, 0, args, false) ?? OK;
      }),
    );
  }

  #touched(db: number, key: string): void {
    for (const session of this.#sessions.values())
      if (session.watched.some((one) => one.db === db && one.key === key)) session.broken = true;
    if (this.#around.emit !== null) this.#changed.set(`${db} ${key}`, { db, key });
  }

  // ── scripts ──

  #eval(session: Session, name: string, args: readonly string[]): Reply {
    const count = toInt64(args[2] ?? "");
    const bySha = name.startsWith("evalsha");
    const source = bySha ? this.#scripts.get(lower(args[1] ?? "")) : args[1];
    if (bySha && args[1]?.length !== SHA_DIGITS) return error(NO_SCRIPT);
    if (count === null) return error("ERR value is not an integer or out of range");
    if (count > BigInt(args.length - 3)) return error("ERR Number of keys can't be greater than number of args");
    if (count < 0n) return error("ERR Number of keys can't be negative");
    if (source === undefined) return error(NO_SCRIPT);
    const shebang = bySha ? null : this.#load(source);
    if (shebang !== null) return error(shebang);
    const split = 3 + Number(count);
    const isReadOnly = name.endsWith("_ro");
    this.#calls = 0;
    this.#lua.state = this.#scriptState;
    const reply = this.#lua.run(source, args.slice(3, split), args.slice(split), {
      call: (words, isReader) => this.#scriptCall(session, words, isReadOnly || isReader),
      checkCommand: (words) => {
        const spec = COMMANDS.get(lower(words[0] ?? ""));
        if (spec === undefined || arityError(spec, words) !== null)
          return "ERR Invalid command passed to redis.acl_check_cmd()";
        return null;
      },
    });
    this.#scriptState = this.#lua.state;
    this.#around.emit?.({ type: "redis-script", connection: session.id, sha: this.#shaOf(source), calls: this.#calls });
    return reply;
  }

  #shaOf(source: string): string {
    const sha = this.#shas.get(source) ?? sha1(source);
    this.#shas.set(source, sha);
    return sha;
  }

  /** Keeps a script that can be read; otherwise says why it cannot. */
  #load(source: string): string | null {
    const sha = this.#shaOf(source);
    if (this.#scripts.has(sha)) return null;
    const failure = this.#lua.check(source);
    if (failure === null) this.#scripts.set(sha, source);
    return failure;
  }

  #scriptCall(session: Session, args: readonly string[], isReadOnly: boolean): Reply {
    this.#calls += 1;
    const spec = COMMANDS.get(lower(args[0] ?? ""));
    if (spec === undefined) return error("ERR Unknown Redis command called from script");
    const arity = arityError(spec, args);
    if (arity !== null) return error("ERR Wrong number of args calling Redis command from script");
    if (spec.flags.has("noscript")) return error("ERR This Redis command is not allowed from script");
    if (spec.flags.has("write")) {
      if (isReadOnly) return error("ERR Write commands are not allowed from read-only scripts.");
      if (this.#isReadOnly) return error(READ_ONLY);
      if (!this.#around.enoughReplicas() && !this.#around.isReplica())
        return error("NOREPLICAS Not enough good replicas to write.");
    }
    const { db } = session;
    const selected = this.keys.selected;
    const reply = this.#run(session, 0, args, false) ?? OK;
    // A script's SELECT is its own.
    if (spec.name !== "select") this.keys.selected = selected;
    session.db = db;
    return reply;
  }

  #script(args: readonly string[]): Reply {
    const sub = lower(args[1] ?? "");
    switch (sub) {
      case "load": {
        const source = args[2] ?? "";
        const failure = this.#load(source);
        return failure === null ? bulk(this.#shaOf(source)) : error(failure);
      }
      case "exists":
        return array(args.slice(2).map((sha) => int(this.#scripts.has(lower(sha)))));
      case "flush": {
        const mode = lower(args[2] ?? "sync");
        if (args.length > 3 || (mode !== "sync" && mode !== "async"))
          return error("ERR SCRIPT FLUSH only support SYNC|ASYNC option");
        this.#scripts.clear();
        this.#shas.clear();
        return OK;
      }
      default:
        return error("NOTBUSY No scripts in execution right now.");
    }
  }

  // ── publish and subscribe ──

  #subscription(session: Session, name: string, names: readonly string[]): Reply {
    const isPattern = name.startsWith("p");
    const kind = isPattern ? "patterns" : "channels";
    const isLeaving = name.includes("unsub");
    const all = isLeaving && names.length === 0 ? session[kind] : names;
    const rows = all.map((channel) => {
      const others = session[kind].filter((one) => one !== channel);
      session[kind] = isLeaving ? others : session[kind].includes(channel) ? session[kind] : [...others, channel];
      return { channel, count: subscriptions(session) };
    });
    const [first, ...rest] = rows;
    for (const { channel, count } of rest)
      this.#after(() => this.#around.push(session, [name, channel, String(count)]));
    return array([bulk(name), bulk(first?.channel ?? null), int(first?.count ?? subscriptions(session))]);
  }

  /** What has to follow the answer of the command at hand. */
  readonly #afterAnswer: (() => void)[] = [];
  #after(action: () => void): void {
    this.#afterAnswer.push(action);
  }
  answered(): void {
    for (const action of this.#afterAnswer.splice(0)) action();
  }

  #publish(channel: string, message: string): number {
    let receivers = 0;
    for (const session of this.#sessions.values())
      if (session.channels.includes(channel)) {
        this.#around.push(session, ["message", channel, message]);
        receivers += 1;
      }
    for (const session of this.#sessions.values())
      for (const pattern of session.patterns)
        if (globMatches(pattern, channel)) {
          this.#around.push(session, ["pmessage", pattern, channel, message]);
          receivers += 1;
        }
    return receivers;
  }

  #notify(kind: NotifyClass, event: string, key: string, db: number): void {
    const { events } = this.#around.options;
    if (events === "") return;
    const wanted = events.includes(kind) || (events.includes("A") && kind !== "n" && kind !== "m");
    if (!wanted) return;
    if (events.includes("K")) this.#publish(`__keyspace@${db}__:${key}`, event);
    if (events.includes("E")) this.#publish(`__keyevent@${db}__:${event}`, key);
  }

  #pubsub(args: readonly string[]): Reply {
    const all = [...this.#sessions.values()];
    const channels = [...new Set(all.flatMap((session) => session.channels))];
    switch (lower(args[1] ?? "")) {
      case "channels":
        return bulks(channels.filter((channel) => args[2] === undefined || globMatches(args[2], channel)));
      case "numsub":
        return array(
          args
            .slice(2)
            .flatMap((channel) => [
              bulk(channel),
              int(all.filter((session) => session.channels.includes(channel)).length),
            ]),
        );
      default:
        return int(new Set(all.flatMap((session) => session.patterns)).size);
    }
  }

  // ── blocking pops ──

  #blockingPop(session: Session, args: readonly string[], n: number, mayBlock: boolean): Reply | null {
    const seconds = blockingTimeout(args);
    const popped = this.#pop(args);
    if (popped !== null) return popped;
    const name = lower(args[0] ?? "");
    if (!mayBlock) return name === "blmove" || name === "brpoplpush" ? { type: "nil" } : NIL_ARRAY;
    const until = seconds === 0 ? null : this.#around.now() + Math.ceil(seconds * 1_000_000);
    session.blocked = { type: "list", n, args, until } satisfies Blocked;
    return null;
  }

  #pop(args: readonly string[]): Reply | null {
    const dirty = this.keys.dirty;
    const db = this.keys.selected;
    const popped = popFrom(this.keys, args);
    if (popped !== null && this.keys.dirty > dirty) this.#passOn.push({ db, args: popped.done, file: true });
    return popped?.reply ?? null;
  }

  /** Those that came first are served first. */
  #serveBlocked(): void {
    if (this.#around.isReplica()) return;
    for (const session of this.#sessions.values()) {
      if (session.blocked?.type !== "list") continue;
      this.keys.selected = session.db;
      let reply: Reply | null;
      try {
        reply = this.#pop(session.blocked.args);
      } catch (failure) {
        // A key of the wrong kind is waited out.
        if (!(failure instanceof Refused)) throw failure;
        continue;
      }
      if (reply === null) continue;
      this.#settle(session);
      this.unblock(session, reply);
    }
  }

  // ── passing on ──

  /** What a command did goes to the stream and the file; several commands go as one transaction. */
  #settle(session: Session | null): void {
    const all = this.#passOn;
    this.#passOn = [];
    this.#record();
    if (all.length === 0) return;
    if (this.#around.isReplica()) return;
    const offset = this.#passAll(all);
    if (session !== null) session.wrote = offset;
  }

  #passAll(all: readonly { readonly db: number; readonly args: readonly string[]; readonly file: boolean }[]): number {
    const [first] = all;
    const file = all.some((one) => one.file);
    if (all.length === 1 && first !== undefined) return this.#around.propagate(first.db, [first.args], file);
    let db = first?.db ?? 0;
    const commands: (readonly string[])[] = [["MULTI"]];
    for (const { db: its, args } of all) {
      if (its !== db) commands.push(["SELECT", String(its)]);
      db = its;
      commands.push(args);
    }
    commands.push(["EXEC"]);
    return this.#around.propagate(first?.db ?? 0, commands, file);
  }

  /** Puts on record what became of the keys that were touched. */
  #record(): void {
    const { emit } = this.#around;
    if (emit === null || this.#changed.size === 0) {
      this.#expired.clear();
      return;
    }
    const { selected, expiry } = this.keys;
    this.keys.expiry = "ignore";
    for (const [id, { db, key }] of this.#changed) {
      this.keys.selected = db;
      const value = this.keys.peek(key);
      const expired = this.#expired.has(id);
      // One that was over, and was found so by the command that wrote it anew, was gone in between.
      if (value === null || expired)
        emit({ type: "redis-key-gone", db, key: shown(key), why: expired ? "expired" : "deleted" });
      if (value !== null)
        emit({
          type: "redis-key",
          db,
          key: shown(key),
          kind: value.type,
          value: shown(inShort(value)),
          expireAt: this.keys.expireAt(key),
        });
    }
    this.keys.selected = selected;
    this.keys.expiry = expiry;
    this.#changed.clear();
    this.#expired.clear();
  }
}
