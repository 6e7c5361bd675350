/**
 * A lab that runs in this thread: its world, its fold, and the commands that were given, each recorded with the moment
 * at which it was carried out. What a story asks for in words ("when c1 is about to write") becomes such a command.
 */
import type { Micros } from "../base/units.ts";
import type { Command, MessageId, ProcessId, Recorded, Refusal } from "../sim/command.ts";
import type { TraceEvent, WorldEvent } from "../sim/events.ts";
import type { ConnectionId } from "../sim/process.ts";
import { InlineHost } from "../sim/host.ts";
import { World } from "../sim/world.ts";
import type { LabView } from "../trace/lab-view.ts";
import type { LabConfig } from "./config.ts";
import type { LabEvent } from "./events.ts";
import { LabFold } from "./fold.ts";
import type { LabKit } from "./world.ts";

/** A message of a client that is still on its way, or the answer to one, in the words of its system. */
export interface MessageMatch {
  /** The client that asks, or whose question is answered. */
  readonly from: ProcessId;
  /** A part of what `messageWords` makes of it. */
  readonly words: string;
  /** Not the question is meant, but what a server answers. */
  readonly answer?: boolean;
}

interface Sent {
  readonly message: MessageId;
  readonly from: ProcessId;
  readonly to: ProcessId;
  readonly connection: ConnectionId;
  readonly data: unknown;
}

export class LabRun {
  readonly config: LabConfig;
  readonly world: World;
  readonly fold: LabFold;
  readonly commands: Recorded[] = [];
  readonly #host: InlineHost;
  readonly #listener: ((event: TraceEvent) => void) | null;
  #sent: Sent[] = [];
  /** What was asked, by connection and number: kept only where answers are to be told apart. */
  #asked: Map<string, string> | null = null;
  #steps: { readonly client: ProcessId; readonly step: string | null }[] = [];
  /** Whether somebody asks after each round what has happened in it. */
  #isLookedAt = false;
  #believes = 0;
  events = 0;

  constructor(config: LabConfig, seed: number, kit: LabKit, listener: ((event: TraceEvent) => void) | null = null) {
    this.config = config;
    this.fold = new LabFold(config);
    this.#listener = listener;
    this.#host = new InlineHost((spec, env) => kit.build(spec, env));
    this.world = new World(kit.world(config, seed), (event) => this.#took(event));
  }

  /** The story's clock. */
  get now(): Micros {
    return this.world.now - this.config.warmUp;
  }

  view(): LabView {
    this.fold.settle(this.world.now);
    return this.fold.view();
  }

  command(command: Command): Refusal | null {
    const { n, now: at } = this.world;
    const refusal = this.world.command(command, this.#host);
    if (refusal === null) this.commands.push({ n, at, command });
    return refusal;
  }

  /** To an instant of the story, or until `stop` says so after a round. @returns whether it was stopped */
  runTo(to: Micros, stop: (() => boolean) | null = null): boolean {
    const end = to + this.config.warmUp;
    this.#isLookedAt = stop !== null;
    while (this.world.nextAt <= end) {
      if (this.#sent.length > 0) this.#sent = [];
      if (this.#steps.length > 0) this.#steps = [];
      this.world.runRoundHere(this.#host);
      if (stop?.() === true) return true;
    }
    if (this.world.now < end) this.world.idleUntil(end);
    return false;
  }

  /** Until a thread of the client has come to its next step. */
  stepClient(client: ProcessId, within: Micros): boolean {
    return this.runTo(this.now + within, () => this.#steps.some((one) => one.client === client));
  }

  /** Until somebody begins or ceases to believe. */
  runToLockChange(within: Micros): boolean {
    const before = this.#believes;
    return this.runTo(this.now + within, () => this.#believes > before);
  }

  /** Until the client has come to this step: a breakpoint. */
  runToStep(client: ProcessId, step: string, to: Micros): boolean {
    return this.runTo(to, () => this.cameTo(client, step));
  }

  cameTo(client: ProcessId, step: string): boolean {
    return this.#steps.some((one) => one.client === client && one.step === step);
  }

  /** From now on `justSent` can tell answers by what they answer. */
  followAnswers(): void {
    this.#asked ??= new Map();
  }

  /** The message that was sent in the last round; null: none such. */
  justSent({ from, words, answer = false }: MessageMatch): MessageId | null {
    const found = this.#sent.find((one) => {
      if ((answer ? one.to : one.from) !== from) return false;
      const said = answer ? this.#asked?.get(numberOf(one) ?? "") : messageWords(one.data);
      return said?.includes(words) ?? false;
    });
    return found?.message ?? null;
  }

  /** Who leads, as the members say; null before anyone does. */
  leader: ProcessId | null = null;

  #took(traced: TraceEvent): void {
    this.events += 1;
    this.fold.add(traced);
    const event = traced.event as WorldEvent | LabEvent | RoleTold;
    if (event.type === "role-changed" && event.role === "leader") this.leader = traced.process;
    if (this.#isLookedAt || this.#asked !== null) this.#keep(traced, event);
    this.#listener?.(traced);
  }

  #keep(traced: TraceEvent, event: WorldEvent | LabEvent | RoleTold): void {
    if (event.type === "sent" && traced.process !== null && event.segment?.part === "data") {
      const { connection, data } = event.segment;
      const sent: Sent = { message: event.message, from: traced.process, to: event.to, connection, data };
      this.#sent.push(sent);
      if (this.#asked !== null) this.#note(sent, this.#asked);
    } else if (event.type === "program-step" && traced.process !== null)
      this.#steps.push({ client: traced.process, step: event.step });
    else if (event.type === "lock-believes") this.#believes += 1;
  }

  #note(sent: Sent, asked: Map<string, string>): void {
    const words = sent.from.startsWith("c") ? messageWords(sent.data) : "";
    const number = words === "" ? null : numberOf(sent);
    // A stream is known by what was asked on it last.
    if (number !== null) asked.set(number, words);
  }
}

/** By what a question and its answer belong together: etcd's `call`, ZooKeeper's `xid`, the count of Redis. */
function numberOf({ connection, data }: Sent): string | null {
  const { call, xid, n } = (data ?? {}) as Readonly<Record<string, unknown>>;
  const number = [call, xid, n].find((one) => typeof one === "number");
  return number === undefined ? null : `${connection}#${number}`;
}

interface RoleTold {
  readonly type: "role-changed";
  readonly role: string;
}

/** A few words for what goes over a connection: an etcd method, a Redis command, or the kind of a frame. */
export function messageWords(data: unknown): string {
  if (typeof data !== "object" || data === null) return "";
  if ("method" in data && typeof data.method === "string") return data.method;
  if ("args" in data && Array.isArray(data.args)) return String(data.args[0]);
  // ZooKeeper's calls are named inside the request.
  if ("xid" in data && "call" in data && typeof data.call === "object" && data.call !== null && "call" in data.call)
    return String(data.call.call);
  if ("body" in data && typeof data.body === "object" && data.body !== null) {
    if ("createRequest" in data.body && data.body.createRequest !== null) return "watch-create";
    if ("createRequest" in data.body) return "watch";
    if ("type" in data && data.type === "send") return "keep-alive";
  }
  return "type" in data ? String(data.type) : "";
}
