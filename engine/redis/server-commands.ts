/** The commands about the server itself: INFO, ROLE, REPLICAOF, WAIT, CONFIG, CLIENT, DEBUG and the like. */
import { type Micros, SECOND } from "../base/units.ts";
import type { ProcessId } from "../sim/command.ts";
import { lower } from "./bytes.ts";
import type { RedisServerConfig } from "./config.ts";
import type { RoleReason } from "./events.ts";
import type { Executor } from "./executor.ts";
import { toDouble, toInt64 } from "./numbers.ts";
import type { Options } from "./options.ts";
import type { Link, Stream } from "./replication.ts";
import { array, bulk, bulks, error, int, NIL, NIL_ARRAY, OK, type Reply, status, SYNTAX } from "./reply.ts";
import { type Session, subscriptions } from "./session.ts";
import { COMMANDS } from "./table.ts";

/** What these commands see of the server, and what they may have it do. */
export interface ServerView {
  readonly config: RedisServerConfig;
  readonly options: Options;
  readonly executor: Executor;
  readonly stream: Stream;
  readonly link: Link | null;
  /** Awake time of the command at hand. */
  readonly now: Micros;
  readonly startedAt: Micros;
  follow(primary: ProcessId, why: RoleReason): void;
  lead(why: RoleReason): void;
  requestAcks(): void;
  readonly isRewriting: boolean;
  rewriteFile(keepOld: boolean): void;
  removeFile(): void;
  setActiveExpire(on: boolean): void;
  sleepUntil(until: Micros): void;
  /** Closes a client's connection; that of the one who asks for it only after the answer. */
  hangUp(session: Session, asker: Session): void;
}

/** Null: the answer comes later. */
export function serverCommand(
  server: ServerView,
  session: Session,
  name: string,
  args: readonly string[],
  n: number,
  mayBlock: boolean,
): Reply | null {
  switch (name) {
    case "wait":
      return wait(server, session, args, n, mayBlock);
    case "config":
      return config(server, args);
    case "client":
      return client(server, session, args);
    case "command":
      return lower(args[1] ?? "") === "count" ? int(COMMANDS.size) : error("ERR COMMAND is not carried out here");
    case "debug":
      return debug(server, args);
    case "info":
      return bulk(info(server, args.slice(1).map(lower)));
    case "role":
      return role(server);
    case "replicaof":
    case "slaveof":
      return replicaOf(server, session, args);
    case "bgrewriteaof":
      if (server.isRewriting) return error("ERR Background append only file rewriting already in progress");
      if (server.options.flag("appendonly")) server.rewriteFile(true);
      return status("Background append only file rewriting started");
    case "slowlog":
      return lower(args[1] ?? "") === "len" ? int(0) : lower(args[1] ?? "") === "reset" ? OK : array([]);
    case "acl":
      return lower(args[1] ?? "") === "whoami" ? bulk("default") : bulks(["user default on nopass ~* &* +@all"]);
    case "cluster":
    case "readonly":
    case "readwrite":
    case "asking":
      return error("ERR This instance has cluster support disabled");
    case "lastsave":
      return int(Math.floor(server.startedAt / SECOND));
    default:
      return error(`ERR ${name.toUpperCase()}: there are no snapshot files here`);
  }
}

function wait(
  server: ServerView,
  session: Session,
  [, wanted = "", timeout = ""]: readonly string[],
  n: number,
  mayBlock: boolean,
): Reply | null {
  if (server.link !== null)
    return error(
      "ERR WAIT cannot be used with replica instances. Please also note that since Redis 4.0 if a replica is configured to be writable (which is not the default) writes to replicas are just local and are not propagated.",
    );
  const replicas = toInt64(wanted);
  const ms = toInt64(timeout);
  if (replicas === null) return error("ERR value is not an integer or out of range");
  if (ms === null) return error("ERR timeout is not an integer or out of range");
  if (ms < 0n) return error("ERR timeout is negative");
  const offset = session.wrote;
  const count = server.stream.countAt(offset);
  if (BigInt(count) >= replicas || !mayBlock) return int(count);
  const until = ms === 0n ? null : server.now + Number(ms) * 1_000;
  session.blocked = { type: "wait", n, replicas: Number(replicas), offset, until };
  server.requestAcks();
  return null;
}

function config(server: ServerView, args: readonly string[]): Reply {
  switch (lower(args[1] ?? "")) {
    case "get":
      return server.options.get(args.slice(2));
    case "set": {
      if (args.length % 2 !== 0) return error(SYNTAX);
      const had = server.options.flag("appendonly");
      const reply = server.options.set(args.slice(2));
      const has = server.options.flag("appendonly");
      if (!had && has) server.rewriteFile(false);
      if (had && !has) server.removeFile();
      return reply;
    }
    case "resetstat":
      return OK;
    default:
      return error("ERR The server is running without a config file");
  }
}

function client(server: ServerView, session: Session, args: readonly string[]): Reply {
  const line = (one: Session): string =>
    `id=${one.number} addr=${one.id} name=${one.name} db=${one.db} sub=${one.channels.length} psub=${one.patterns.length} multi=${one.queue === null ? -1 : one.queue.length} watch=${one.watched.length}\n`;
  switch (lower(args[1] ?? "")) {
    case "id":
      return int(session.number);
    case "getname":
      return session.name === "" ? NIL : bulk(session.name);
    case "setname": {
      const name = args[2] ?? "";
      if (/[^!-~]/.test(name)) return error("ERR Client names cannot contain spaces, newlines or special characters.");
      session.name = name;
      return OK;
    }
    case "kill":
      return kill(server, session, args.slice(2));
    case "unblock":
      return unblock(server, args.slice(2));
    case "getredir":
      return int(-1);
    case "trackinginfo":
      return array([bulk("flags"), bulks(["off"]), bulk("redirect"), int(-1), bulk("prefixes"), array([])]);
    case "info":
      return bulk(line(session));
    case "list":
      return bulk(server.executor.sessions.map(line).join(""));
    default:
      return OK;
  }
}

/** By number or by address, the latter in the old form too; who asks is spared unless SKIPME says otherwise. */
function kill(server: ServerView, own: Session, args: readonly string[]): Reply {
  const { sessions } = server.executor;
  if (args.length === 1) {
    const found = sessions.find(({ id }) => id === args[0]);
    if (found === undefined) return error("ERR No such client");
    server.hangUp(found, own);
    return OK;
  }
  let skipsOwn = true;
  const tests: ((one: Session) => boolean)[] = [];
  for (let i = 0; i < args.length; i += 2) {
    const value = args[i + 1];
    if (value === undefined) return error(SYNTAX);
    switch (lower(args[i] as string)) {
      case "id": {
        const number = toInt64(value);
        if (number === null || number < 1n) return error("ERR client-id should be greater than 0");
        tests.push((one) => BigInt(one.number) === number);
        break;
      }
      case "addr":
        tests.push(({ id }) => id === value);
        break;
      case "type":
        if (!["normal", "master", "replica", "slave", "pubsub"].includes(lower(value)))
          return error(`ERR Unknown client type '${value}'`);
        tests.push((one) => lower(value) === (subscriptions(one) > 0 ? "pubsub" : "normal"));
        break;
      case "user":
        if (value !== "default") return error(`ERR No such user '${value}'`);
        break;
      case "skipme":
        if (lower(value) !== "yes" && lower(value) !== "no") return error(SYNTAX);
        skipsOwn = lower(value) === "yes";
        break;
      default:
        return error(SYNTAX);
    }
  }
  const doomed = sessions.filter((one) => !(skipsOwn && one === own) && tests.every((test) => test(one)));
  for (const one of doomed) server.hangUp(one, own);
  return int(doomed.length);
}

function unblock(server: ServerView, [number = "", how = "timeout", ...more]: readonly string[]): Reply {
  const word = lower(how);
  if (more.length > 0) return error(SYNTAX);
  if (word !== "timeout" && word !== "error") return error("ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR");
  const wanted = toInt64(number);
  if (wanted === null) return error("ERR value is not an integer or out of range");
  const found = server.executor.sessions.find((one) => BigInt(one.number) === wanted);
  if (found?.blocked == null) return int(0);
  if (word === "error") server.executor.unblock(found, error("UNBLOCKED client unblocked via CLIENT UNBLOCK"));
  else if (found.blocked.type === "list") server.executor.unblock(found, NIL_ARRAY);
  else server.executor.unblock(found, int(server.stream.countAt(found.blocked.offset)));
  return int(1);
}

function debug(server: ServerView, args: readonly string[]): Reply {
  const [, sub = "", value = ""] = args;
  switch (lower(sub)) {
    case "set-active-expire":
      if (args.length !== 3) break;
      server.setActiveExpire(toInt64(value) !== 0n);
      return OK;
    case "sleep":
      if (args.length !== 3) break;
      server.sleepUntil(server.now + Math.max(0, Math.round((toDouble(value) ?? 0) * SECOND)));
      return OK;
    case "jmap":
      return OK;
  }
  return error(`ERR unknown subcommand or wrong number of arguments for '${sub}'. Try DEBUG HELP.`);
}

function replicaOf(server: ServerView, session: Session, args: readonly string[]): Reply {
  const [, host = "", port = ""] = args;
  const why = { rule: "replicaof", by: session.id } as const;
  if (lower(host) === "no" && lower(port) === "one") {
    server.lead(why);
    return OK;
  }
  const number = toInt64(port);
  if (number === null || number < 0n || number > 65_535n) return error("ERR Invalid master port");
  const peer = server.config.peers.find((one) => one.port === Number(number) && (one.host === host || one.id === host));
  // Whoever is not known cannot be reached: the link stays down, as with a wrong address.
  const primary = peer?.id ?? (`${host}:${port}` as ProcessId);
  if (server.link?.primary === primary) return status("OK Already connected to specified master");
  server.follow(primary, why);
  return OK;
}

function addressOf(server: ServerView, id: ProcessId): { readonly host: string; readonly port: number } {
  const peer = server.config.peers.find((one) => one.id === id);
  if (peer !== undefined) return peer;
  const [host = "", port = "0"] = id.split(":");
  return { host, port: Number(port) };
}

function role(server: ServerView): Reply {
  const { link, stream } = server;
  if (link === null)
    return array([
      bulk("master"),
      int(stream.offset),
      array(
        stream.followers.map(([, { id, acked }]) => {
          const { host, port } = addressOf(server, id);
          return bulks([host, String(port), String(acked)]);
        }),
      ),
    ]);
  const { host, port } = addressOf(server, link.primary);
  const offset = link.state === "connected" ? stream.offset : -1;
  return array([bulk("slave"), bulk(host), int(port), bulk(link.state), int(offset)]);
}

type Section = (server: ServerView) => readonly string[];

const SECTIONS: Readonly<Record<string, Section>> = {
  server: ({ now, startedAt, options }) => [
    "redis_version:7.0.15",
    "redis_mode:standalone",
    `tcp_port:${options.text("port")}`,
    `uptime_in_seconds:${Math.floor((now - startedAt) / SECOND)}`,
    `hz:${options.text("hz")}`,
  ],
  clients: ({ executor: { sessions } }) => [
    `connected_clients:${sessions.length}`,
    `blocked_clients:${sessions.filter(({ blocked }) => blocked !== null).length}`,
  ],
  persistence: ({ options }) => ["loading:0", `aof_enabled:${options.flag("appendonly") ? 1 : 0}`],
  stats: ({ executor: { sessions } }) => [
    `pubsub_channels:${new Set(sessions.flatMap(({ channels }) => channels)).size}`,
    `pubsub_patterns:${new Set(sessions.flatMap(({ patterns }) => patterns)).size}`,
    `pubsub_clients:${sessions.filter((session) => subscriptions(session) > 0).length}`,
  ],
  replication,
  keyspace: ({ executor: { keys } }) => {
    const counts = new Map<number, { keys: number; expires: number }>();
    for (const { db, expireAt } of keys.entries()) {
      const count = counts.get(db) ?? { keys: 0, expires: 0 };
      counts.set(db, { keys: count.keys + 1, expires: count.expires + (expireAt === null ? 0 : 1) });
    }
    return [...counts]
      .sort(([a], [b]) => a - b)
      .map(([db, count]) => `db${db}:keys=${count.keys},expires=${count.expires},avg_ttl=0`);
  },
};

function replication(server: ServerView): readonly string[] {
  const { link, stream, now } = server;
  const lines = [`role:${link === null ? "master" : "slave"}`];
  if (link !== null) {
    const { host, port } = addressOf(server, link.primary);
    lines.push(
      `master_host:${host}`,
      `master_port:${port}`,
      `master_link_status:${link.state === "connected" ? "up" : "down"}`,
      `master_last_io_seconds_ago:${link.state === "connected" ? Math.floor((now - link.heardAt) / SECOND) : -1}`,
      `master_sync_in_progress:${link.state === "sync" ? 1 : 0}`,
      `slave_read_repl_offset:${stream.offset}`,
      `slave_repl_offset:${stream.offset}`,
    );
    if (link.downSince !== null)
      lines.push(`master_link_down_since_seconds:${Math.floor((now - link.downSince) / SECOND)}`);
    lines.push("slave_priority:100", `slave_read_only:${server.options.flag("replica-read-only") ? 1 : 0}`);
  }
  lines.push(`connected_slaves:${stream.followers.length}`);
  for (const [i, [, { id, acked, heardAt }]] of stream.followers.entries()) {
    const { host, port } = addressOf(server, id);
    const lag = Math.floor((now - heardAt) / SECOND);
    lines.push(`slave${i}:ip=${host},port=${port},state=online,offset=${acked},lag=${lag}`);
  }
  lines.push(
    "master_failover_state:no-failover",
    `master_replid:${stream.replid}`,
    `master_replid2:${stream.former?.replid ?? "0".repeat(40)}`,
    `master_repl_offset:${stream.offset}`,
    `second_repl_offset:${stream.former === null ? -1 : stream.former.until + 1}`,
    `repl_backlog_active:${stream.offset > 0 ? 1 : 0}`,
    `repl_backlog_size:${server.options.text("repl-backlog-size")}`,
    `repl_backlog_first_byte_offset:${stream.backlogStart + 1}`,
    `repl_backlog_histlen:${stream.offset - stream.backlogStart}`,
  );
  return lines;
}

function info(server: ServerView, wanted: readonly string[]): string {
  const all = wanted.length === 0 || wanted.some((name) => ["all", "default", "everything"].includes(name));
  return Object.entries(SECTIONS)
    .filter(([name]) => all || wanted.includes(name))
    .map(([name, lines]) => `# ${name.slice(0, 1).toUpperCase()}${name.slice(1)}\r\n${lines(server).join("\r\n")}\r\n`)
    .join("\r\n");
}
