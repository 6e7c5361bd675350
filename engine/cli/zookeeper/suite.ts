/**
 * Replays a trace of a real ZooKeeper against the ensemble of this engine, of one member and of three, and shows the
 * lines whose answer differs.
 */
import { MS } from "../../base/units.ts";
import type { Credentials, Result, Stat, WatchEvent } from "../../zookeeper/api.ts";
import type { Suite } from "../suite.ts";
import { Ensemble, type Packet } from "./ensemble.ts";
import { callOf, type Line, parseTrace, TraceError } from "./trace.ts";

export const zookeeperSuite: Suite = {
  isCase: (path) => path.endsWith(".jsonl"),
  run: async (_path, text) => runTrace(text),
};

/** Null when both ensembles answer as the trace does. */
export function runTrace(text: string): string | null {
  let lines: readonly Line[];
  try {
    lines = parseTrace(text);
  } catch (error) {
    if (error instanceof TraceError) return error.message;
    throw error;
  }
  const differences = [1, 3].flatMap((members) => {
    const replay = new Replay(lines, members);
    replay.run();
    return replay.differences.map((difference) => `${members} member${members === 1 ? "" : "s"}, ${difference}`);
  });
  return differences.length === 0 ? null : differences.join("\n");
}

/** Waits for an event no longer than this. */
const EVENT_WAIT_MS = 10_000;
const POLL_MS = 5;

class Replay {
  readonly differences: string[] = [];
  readonly #lines: readonly Line[];
  readonly #ensemble: Ensemble;
  readonly #sessions = new Map<string, Credentials>();
  /** The zxid that the trace counts from. */
  #base: number | null = null;
  #at = 0;

  constructor(lines: readonly Line[], members: number) {
    const clients = new Set(lines.flatMap(({ client }) => (client === undefined ? [] : [client])));
    this.#lines = lines;
    this.#ensemble = new Ensemble(members, [...clients], Number(lines[0]?.["tickTime"] ?? 2_000) * MS);
  }

  run(): void {
    try {
      while (this.#at < this.#lines.length) this.#step(this.#take());
    } catch (error) {
      this.differences.push(`line ${this.#at - 1}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  #take(): Line {
    this.#at += 1;
    return this.#lines[this.#at - 1] as Line;
  }

  #step(line: Line): void {
    const client = line.client ?? "";
    const ensemble = this.#ensemble;
    switch (line.op) {
      case "case":
      case "note":
      case "summary":
        return;
      case "open":
        return this.#compare(line, line["timeout"], this.#open(client, Number(line["askedTimeout"])));
      case "reopen": {
        const hello = ensemble.connect(client, Number(line["askedTimeout"]) * MS, this.#sessions.get(client) ?? null);
        const result = hello.session === null ? "SessionExpired" : "SameSession";
        const want = { result: line["result"], timeout: line["timeout"] };
        return this.#compare(line, want, { result, timeout: hello.timeout / MS });
      }
      case "closeSession":
        ensemble.exchange(client, [{ call: "closeSession" }]);
        return ensemble.wire(client).close();
      case "cut":
        ensemble.wire(client).close();
        return ensemble.settle();
      case "stall":
        ensemble.wire(client).stalled = true;
        return;
      case "sleep":
        return ensemble.run(Number(line["ms"]) * MS);
      case "event":
        return this.#compare(line, { type: line["type"], path: line["path"] }, this.#nextEvent(client));
      case "noevent":
        return this.#compare(line, null, this.#pollForEvent(client));
      case "gone":
        return this.#gone(line);
      case "closedByServer":
        return this.#compare(line, true, this.#closedByServer(client));
      case "restartServer":
        return ensemble.restart();
      case "request":
        return this.#request(line, client);
      default:
        throw new TraceError(`unknown op ${line.op}`);
    }
  }

  #open(client: string, askedTimeout: number): number {
    const { session, timeout } = this.#ensemble.connect(client, askedTimeout * MS, null);
    if (session !== null) this.#sessions.set(client, session);
    if (this.#base === null) {
      this.#ensemble.exchange(client, [{ call: "exists", path: "/zookeeper", watch: false }]);
      this.#base = this.#ensemble.wire(client).lastZxid;
    }
    return timeout / MS;
  }

  /** One request, or several at once; what the trace shows after them, up to the last reply, is what must come. */
  #request(line: Line, client: string): void {
    const next = this.#lines[this.#at];
    if (next?.op === "cut" && next["lost"] !== undefined) {
      this.#take();
      this.#ensemble.exchange(client, [this.#call(line)]);
      return this.#ensemble.wire(client).close();
    }
    const requests = [line];
    while (this.#lines[this.#at]?.op === "request") requests.push(this.#take());
    const want: unknown[] = [];
    for (let replies = 0; replies < requests.length; ) {
      if (this.#at >= this.#lines.length) throw new TraceError("a request has no reply in the trace");
      const { i: _i, op, client: _client, ...fields } = this.#take();
      if (op === "event") want.push({ event: fields });
      else {
        want.push({ reply: fields });
        replies += 1;
      }
    }
    const { first, packets } = this.#ensemble.exchange(
      client,
      requests.map((request) => this.#call(request)),
    );
    const numbered = line["n"] !== undefined;
    const withZxid = line["call"] !== "setWatches" && line["call"] !== "addAuth";
    this.#compare(
      line,
      want,
      packets.map((packet) => this.#shown(packet, numbered ? first : null, withZxid)),
    );
  }

  #call(line: Line): ReturnType<typeof callOf> {
    return callOf(String(line["call"]), (line["args"] ?? []) as readonly unknown[], this.#base ?? 0);
  }

  #shown(packet: Packet, first: number | null, withZxid: boolean): unknown {
    if (packet.type === "event") return { event: packet.event };
    const { xid, zxid, answer } = packet;
    const n = first === null ? {} : { n: xid - first + 1 };
    const result = answer.err === "OK" ? this.#result(answer.result) : {};
    return { reply: { ...n, err: answer.err, ...result, ...(withZxid ? { zxid: this.#relative(zxid) } : {}) } };
  }

  #result(result: Result): object {
    const { stat, results } = result;
    return {
      ...result,
      ...(stat === undefined ? {} : { stat: this.#stat(stat) }),
      ...(results === undefined
        ? {}
        : { results: results.map((one) => ("stat" in one ? { ...one, stat: this.#stat(one.stat) } : one)) }),
    };
  }

  #stat(stat: Stat): object {
    const { czxid, mzxid, pzxid, version, cversion, ephemeralOwner, dataLength, numChildren } = stat;
    const zxids = { czxid: this.#relative(czxid), mzxid: this.#relative(mzxid), pzxid: this.#relative(pzxid) };
    return { ...zxids, version, cversion, ephemeralOwner: this.#ownerName(ephemeralOwner), dataLength, numChildren };
  }

  #ownerName(owner: Stat["ephemeralOwner"]): string | null {
    if (owner === null) return null;
    for (const [client, { session }] of this.#sessions) if (session === owner) return client;
    return "?";
  }

  #relative(zxid: number): number {
    return zxid - (this.#base ?? 0);
  }

  #nextEvent(client: string): WatchEvent | null {
    for (let ms = 0; ms < EVENT_WAIT_MS; ms += POLL_MS) {
      const event = this.#takeEvent(client);
      if (event !== null) return event;
      this.#ensemble.run(POLL_MS * MS);
    }
    return null;
  }

  #takeEvent(client: string): WatchEvent | null {
    const wire = this.#ensemble.wire(client);
    const events = wire.packets.filter((packet) => packet.type === "event");
    wire.packets = events.slice(1);
    return events[0]?.event ?? null;
  }

  /** After an answer from the server, all that it had sent before has come. */
  #pollForEvent(client: string): WatchEvent | null {
    const { packets } = this.#ensemble.exchange(client, [{ call: "exists", path: "/zookeeper", watch: false }]);
    return packets.find((packet) => packet.type === "event")?.event ?? null;
  }

  #gone(line: Line): void {
    const [least, most] = line["betweenMs"] as readonly [number, number];
    const seenBy = String(line["seenBy"]);
    const wire = this.#ensemble.wire(seenBy);
    const from = this.#ensemble.now;
    const elapsed = (): number => (this.#ensemble.now - from) / MS;
    for (;;) {
      const { packets } = this.#ensemble.exchange(seenBy, [
        { call: "exists", path: String(line["path"]), watch: false },
      ]);
      wire.packets.push(...packets.filter(({ type }) => type === "event"));
      if (packets.some((packet) => packet.type === "reply" && packet.answer.err === "NoNode")) break;
      if (elapsed() > most) return this.#compare(line, `gone within ${most} ms`, "still there");
      this.#ensemble.run(POLL_MS * MS);
    }
    if (elapsed() < least) this.#compare(line, `gone after ${least} ms`, `gone after ${elapsed()} ms`);
  }

  #closedByServer(client: string): boolean {
    for (let ms = 0; ms < EVENT_WAIT_MS; ms += POLL_MS) {
      if (this.#ensemble.wire(client).connection === null) return true;
      this.#ensemble.run(POLL_MS * MS);
    }
    return false;
  }

  #compare(line: Line, want: unknown, got: unknown): void {
    const [wanted, found] = [canonical(want), canonical(got)];
    if (wanted === found) return;
    const { i, ...rest } = line;
    this.differences.push(`line ${i}: ${JSON.stringify(rest)}\n  want ${wanted}\n  got  ${found}`);
  }
}

/** JSON with sorted keys and without what is undefined. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    inner !== null && typeof inner === "object" && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
