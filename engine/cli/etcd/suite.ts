/**
 * Programs recorded from a real etcd (JSON lines, one step each), replayed against a cluster of one member and of three;
 * those that speak of the cluster itself, on one.
 */
import { MS } from "../../base/units.ts";
import { CODES, type EtcdError } from "../../etcd/api/errors.ts";
import { leaseFromHex } from "../../etcd/api/ids.ts";
import { LeaseKeepAliveRequest, LeaseTimeToLiveRequest, WatchRequest } from "../../etcd/api/messages.ts";
import { type StreamMethod, STREAMS, UNARY, type UnaryMethod } from "../../etcd/api/methods.ts";
import { create, type Descriptor } from "../../etcd/api/proto.ts";
import type { EtcdOptions } from "../../scenario/config.ts";
import type { Suite } from "../suite.ts";
import { type Answer, EtcdCluster, type OpenStream } from "./cluster.ts";
import { Compacting } from "./compacting.ts";
import { httpStatus, notFound, STREAM_PATHS, UNARY_PATHS } from "./gateway.ts";
import { filled, type Json, readMessage, readMessages, writeMessage } from "./json.ts";
import { JsonProblem } from "./json-text.ts";
import { Normaliser } from "./normalise.ts";

/** A recorded line. Which fields it has depends on its kind. */
interface Line {
  readonly n: number;
  readonly t: string;
  readonly d?: string;
  readonly id: string;
  readonly path: string;
  readonly raw?: string;
  readonly req?: Json;
  readonly msg: Json;
  readonly stream: string;
  readonly status?: number;
  readonly res?: Json;
  readonly err?: EtcdError;
  readonly text?: string;
  readonly blocked?: boolean;
  readonly got?: Json;
  readonly ended?: boolean;
  readonly lease: string;
  readonly mode: "graceful" | "kill";
  readonly flags?: readonly string[];
}

/** A stream falls quiet: so long nothing comes, beyond the loops that look after watches. */
const QUIET = 400 * MS;
const BLOCKED_AFTER = 250 * MS;

export const etcdSuite: Suite = {
  isCase: (path) => path.endsWith(".jsonl"),
  run: async (_path, text) => {
    const lines = text
      .split("\n")
      .filter((line) => line.trim() !== "")
      .map((line) => JSON.parse(line) as Line);
    const alone = lines.some(
      ({ t, path }) => t === "restart" || /\/v3\/(?:cluster|maintenance\/status)/u.test(path ?? ""),
    );
    for (const members of alone ? [1] : [1, 3]) {
      const failure = new Replay(members, lines[0] as Line).run(lines.slice(1));
      if (failure !== null) return `with ${members === 1 ? "one member" : `${members} members`}: ${failure}`;
    }
    return null;
  },
};

const requestOf = (method: UnaryMethod): Descriptor<object> => UNARY[method].request;
const streamRequestOf = (method: StreamMethod): Descriptor<object> => STREAMS[method].request;

class Replay {
  readonly #cluster: EtcdCluster;
  readonly #compacting: Compacting;
  readonly #names = new Normaliser();
  readonly #streams = new Map<string, { readonly stream: OpenStream; readonly path: string }>();
  readonly #pending = new Map<string, { readonly call: number; readonly path: string }>();

  constructor(members: number, meta: Line) {
    this.#cluster = new EtcdCluster(members, optionsOf(meta));
    this.#compacting = new Compacting(this.#cluster);
  }

  run(lines: readonly Line[]): string | null {
    for (const line of lines) {
      const failure = this.#step(line);
      if (failure !== null) return `step ${line.n} ${line.t} ${line.d ?? line.path ?? line.stream ?? ""}\n${failure}`;
    }
    return null;
  }

  #step(line: Line): string | null {
    switch (line.t) {
      case "note":
        return null;
      case "call":
        if (line.status === 200 && line.path === "/v3/kv/compaction") return this.#compaction(line);
        if (line.status === 200 && line.path === "/v3/maintenance/hashkv") return this.#hash(line);
        return differ(pick(line), this.#call(line.path, line.raw, line.req));
      case "call_async": {
        this.#names.noteChosen(line.path, line.req ?? {});
        const method = UNARY_PATHS[line.path];
        if (method === undefined) return `no call at ${line.path}`;
        const body = readMessage(requestOf(method), this.#textOf(line.req));
        const call = this.#cluster.start(method, body);
        this.#pending.set(line.id, { call, path: line.path });
        this.#cluster.pass(BLOCKED_AFTER);
        return differ({ blocked: line.blocked }, { blocked: this.#cluster.answerOf(call) === null });
      }
      case "still_blocked": {
        const call = this.#pendingOf(line.id).call;
        return differ({ blocked: line.blocked }, { blocked: this.#cluster.answerOf(call) === null });
      }
      case "await": {
        const { call, path } = this.#pendingOf(line.id);
        return differ(pick(line), this.#shown(path, this.#cluster.await(call)));
      }
      case "abort":
        this.#cluster.cancel(this.#pendingOf(line.id).call);
        this.#cluster.pass(BLOCKED_AFTER);
        return null;
      case "watch_open":
        this.#streams.set(line.stream, { stream: this.#cluster.open("Watch/Watch"), path: "/v3/watch" });
        return null;
      case "watch_send":
        return this.#watchSend(line);
      case "watch_drain": {
        this.#cluster.pass(QUIET);
        this.#compacting.settled();
        const { stream } = this.#streamOf(line.stream);
        const got = stream.got.splice(0).map((body) => writeMessage(STREAMS["Watch/Watch"].response, body));
        const split = splitRevision(got);
        return split ?? differ(line.got, this.#names.watchGroups(got));
      }
      case "stream_open": {
        const method = STREAM_PATHS[line.path];
        if (method === undefined) return `no stream at ${line.path}`;
        const stream = this.#cluster.open(method);
        this.#names.noteChosen(line.path, line.req ?? {});
        this.#cluster.send(stream, readMessage(streamRequestOf(method), this.#textOf(line.req)));
        this.#streams.set(line.stream, { stream, path: line.path });
        this.#cluster.pass(BLOCKED_AFTER);
        return null;
      }
      case "stream_drain": {
        this.#cluster.pass(QUIET);
        const { stream, path } = this.#streamOf(line.stream);
        const method = STREAM_PATHS[path] as keyof typeof STREAMS;
        const got = stream.got
          .splice(0)
          .map((body) => this.#names.answer(path, writeMessage(STREAMS[method].response, body)));
        return differ({ got: line.got, ended: line.ended }, { got, ended: stream.ended });
      }
      case "watch_close":
      case "stream_close":
        this.#cluster.close(this.#streamOf(line.stream).stream);
        this.#streams.delete(line.stream);
        return null;
      case "until_expired":
        return this.#untilExpired(line.lease);
      case "restart":
        this.#streams.clear();
        this.#cluster.restart(line.mode);
        return null;
      default:
        return `a step of an unknown kind: ${line.t}`;
    }
  }

  #compaction(line: Line): string | null {
    const { physical = false } = (line.req ?? {}) as { readonly physical?: boolean };
    const told = this.#compacting.begin(physical);
    const difference = differ(pick(line), this.#call(line.path, line.raw, line.req));
    if (difference === null) told();
    return difference;
  }

  /** The recorded one may be that of a store whose compaction was under way. */
  #hash(line: Line): string | null {
    const answer = this.#call(line.path, line.raw, line.req);
    const difference = differ(pick(line), answer);
    const { res } = answer as { readonly res?: { readonly header?: { readonly revision?: string } } };
    if (difference === null || res === undefined) return difference;
    const { revision: asked = "0" } = (line.req ?? {}) as { readonly revision?: string };
    const revision = asked === "0" ? Number(res.header?.revision) : Number(asked);
    const isOther = (hash: number) => differ(pick(line), { ...answer, res: { ...res, hash } }) === null;
    return this.#compacting.hashes(revision).some(isOther) ? null : difference;
  }

  #pendingOf(id: string): { readonly call: number; readonly path: string } {
    const found = this.#pending.get(id);
    if (found === undefined) throw new Error(`no call ${id} is under way`);
    return found;
  }

  #streamOf(id: string): { readonly stream: OpenStream; readonly path: string } {
    const found = this.#streams.get(id);
    if (found === undefined) throw new Error(`no stream ${id} is open`);
    return found;
  }

  /** A request as JSON text, its placeholders and abbreviations filled in. */
  #textOf(request: Json = {}): string {
    return JSON.stringify(fill(this.#names.expand(request)));
  }

  #call(path: string, raw: string | undefined, request: Json = {}): object {
    if (raw === undefined) this.#names.noteChosen(path, request);
    const text = raw ?? this.#textOf(request);
    const method = UNARY_PATHS[path];
    const isStream = path === "/v3/lease/keepalive";
    try {
      if (isStream) return this.#keepAlive(path, text);
      if (method === undefined) return { status: 404, text: notFound(path) };
      return this.#shown(path, this.#cluster.call(method, readMessage(requestOf(method), text)));
    } catch (error) {
      // A stream has begun before it is read from: what is wrong then is of an unknown kind.
      if (error instanceof JsonProblem) {
        const code = isStream ? CODES.Unknown : CODES.InvalidArgument;
        return { status: httpStatus({ code }), err: { code, message: JSON_TEXT } };
      }
      throw error;
    }
  }

  #shown(path: string, answer: Answer): object {
    if ("error" in answer) return { status: httpStatus(answer.error), err: answer.error };
    const method = UNARY_PATHS[path] as keyof typeof UNARY;
    return { status: 200, res: this.#names.answer(path, writeMessage(UNARY[method].response, answer.body)) };
  }

  /** Through the gateway: the requests, and the stream ends. */
  #keepAlive(path: string, text: string): object {
    const requests = readMessages(LeaseKeepAliveRequest, text);
    const stream = this.#cluster.open("Lease/LeaseKeepAlive");
    for (const request of requests) this.#cluster.send(stream, request);
    this.#cluster.until(() => stream.got.length >= requests.length || stream.ended);
    this.#cluster.halfClose(stream);
    const rows = stream.got.map((body) =>
      this.#names.answer(path, writeMessage(STREAMS["Lease/LeaseKeepAlive"].response, body)),
    );
    const errors = stream.error === null ? [] : [{ error: stream.error }];
    this.#cluster.close(stream);
    return { status: 200, stream: [...rows, ...errors] };
  }

  #watchSend(line: Line): string | null {
    const { stream } = this.#streamOf(line.stream);
    this.#cluster.send(stream, readMessage(WatchRequest, this.#textOf(line.msg)));
    // The server has acted on it before the next line: it is answered, and one from the past has caught up.
    this.#cluster.pass(QUIET);
    return null;
  }

  #untilExpired(lease: string): string | null {
    const id = this.#names.expand(lease) as string;
    const body = create(LeaseTimeToLiveRequest, { id: (leaseFromHex(BigInt(id).toString(16)) ?? "0") as never });
    for (let looks = 0; looks < 600; looks += 1) {
      const answer = this.#cluster.call("Lease/LeaseTimeToLive", body);
      if ("body" in answer && (answer.body as { readonly ttl: number }).ttl === -1) {
        this.#cluster.pass(120 * MS);
        return null;
      }
      this.#cluster.pass(50 * MS);
    }
    return `lease ${lease} does not expire`;
  }
}

/** Error texts of Go's JSON reader are not compared. */
const JSON_TEXT = "(of the JSON reader)";
const FROM_READER =
  /^(?:json:|invalid character|illegal base64|unknown value|unexpected EOF|unexpected end of JSON|strconv\.)/u;

/** Of a recorded line, what the answer is compared with. */
function pick({ status, res, err, stream, text }: Line): object {
  const error = err === undefined ? undefined : FROM_READER.test(err.message) ? { ...err, message: JSON_TEXT } : err;
  return {
    status,
    ...(res !== undefined && { res }),
    ...(error !== undefined && { err: error }),
    ...(stream !== undefined && { stream }),
    ...(text !== undefined && { text }),
  };
}

function fill(json: Json): Json {
  if (Array.isArray(json)) return json.map((item: Json) => fill(item));
  if (json === null || typeof json !== "object") return json;
  if ("$fill" in json) return filled(json["$fill"] as unknown as readonly [string, number]);
  return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, fill(value as Json)]));
}

function optionsOf({ flags = [] }: Line): EtcdOptions {
  const at = flags.indexOf("--experimental-watch-progress-notify-interval");
  const quota = flags.indexOf("--quota-backend-bytes");
  return {
    compat: "3.4",
    ...(at >= 0 && { progressEvery: spanOf(flags[at + 1] ?? "") }),
    ...(quota >= 0 && { quotaBytes: Number(flags[quota + 1]) }),
  };
}

/** A span as Go writes it: 300ms, 5s, 1m. */
function spanOf(text: string): number {
  const [, figure, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/u.exec(text) ?? [];
  const units: Readonly<Record<string, number>> = { ms: 1_000, s: 1_000_000, m: 60_000_000, h: 3_600_000_000 };
  const size = units[unit ?? ""];
  if (size === undefined) throw new Error(`${text} is no span of time`);
  return Number(figure) * size;
}

interface WatchJson {
  readonly watch_id?: string;
  readonly events?: readonly { readonly kv: { readonly mod_revision: string } }[];
  readonly fragment?: boolean;
}

/** A revision is never split over two responses of a watch. */
function splitRevision(responses: readonly Json[]): string | null {
  const last = new Map<string, string | undefined>();
  for (const response of responses) {
    const { watch_id: id = "0", events = [], fragment } = response as WatchJson;
    const revisions = events.map(({ kv }) => kv.mod_revision);
    if (revisions.length === 0) continue;
    if (last.get(id) === revisions[0]) return `watch ${id}: revision ${revisions[0]} is split over two responses`;
    if (fragment !== true) last.set(id, revisions.at(-1));
  }
  return null;
}

/** Null when they are alike; else both, the recorded one first. */
function differ(expected: unknown, actual: unknown): string | null {
  const [a, b] = [canonical(expected), canonical(actual)];
  return a === b ? null : `recorded ${a}\nanswered ${b}`;
}

function canonical(json: unknown): string {
  return JSON.stringify(json, (_key, value: unknown) =>
    value !== null && typeof value === "object" && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}
