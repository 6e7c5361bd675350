/**
 * From the events of a run to what the lock view shows: who believes and who really holds, overlaps with their reason,
 * the queue, the programs' cursors, and what became of the resource.
 *
 * Its state is plain data. With fifty clients most events concern one of them: the two maps are changed in place.
 */
import type { Micros } from "../base/units.ts";
import type { ProcessId } from "../sim/command.ts";
import type { RedisEvent } from "../redis/events.ts";
import type { TraceEvent, WorldEvent } from "../sim/events.ts";
import type { Liveness } from "../trace/liveness.ts";
import {
  type Hold,
  HOLDS_SHOWN,
  type LabClientView,
  type LabDelta,
  type LabView,
  type Overlap,
  type PrimarySpan,
  type QueuePlace,
  type ResourceView,
  type ResourceWrite,
  type ServerView,
  type ThreadView,
  WRITES_SHOWN,
} from "../trace/lab-view.ts";
import { clientIds, type LabConfig, lockOf, programOf, RESOURCE, serverIds } from "./config.ts";
import type { LabEvent, ResourceEvent } from "./events.ts";
import { isSmaller } from "./resource.ts";
import { isLock, truthOf } from "./systems.ts";
import type { Truth } from "./truth.ts";

/**
 * A client as it is now, changed in place from event to event, and as it was last shown: null when it has changed since.
 * What is shown never changes.
 */
interface Client {
  readonly id: ProcessId;
  readonly now: { -readonly [Key in keyof LabClientView]: LabClientView[Key] } & {
    threads: ThreadView[];
    knows: LabClientView["knows"][number][];
  };
  shown: LabClientView | null;
}

/** The fold's own: copied when it is handed out or taken. But for its maps, what stands in it is never changed. */
interface State {
  at: Micros;
  servers: readonly ServerView[];
  primaries: readonly PrimarySpan[];
  readonly clients: Map<ProcessId, Client>;
  readonly watches: Map<ProcessId, string | null>;
  believed: readonly Hold[];
  held: readonly Hold[];
  overlaps: readonly Overlap[];
  resource: ResourceView;
  notifications: number;
  messages: number;
  withoutHolder: Micros;
  outOfTurn: number;
}

/** As a checkpoint keeps it. */
interface Saved {
  readonly state: Omit<State, "clients"> & { readonly clients: readonly LabClientView[] };
  readonly truth: unknown;
}

export class LabFold {
  readonly #config: LabConfig;
  readonly #truth: Truth;
  #state: State;
  #changed = true;
  /** What was told last. */
  #told: LabView | null = null;
  /** Whether somebody wants the lock; null: to be looked up again. */
  #isWanted: boolean | null = null;
  readonly #servers: ReadonlySet<ProcessId>;
  #lastProcess: ProcessId | null = null;
  #lastClient: Client | undefined;

  constructor(config: LabConfig, saved: unknown = null) {
    this.#config = config;
    this.#truth = truthOf(config);
    this.#servers = new Set(serverIds(config));
    if (saved !== null) {
      const { state, truth } = saved as Saved;
      const clients = new Map(state.clients.map((view) => [view.id, clientFrom(view)]));
      this.#state = { ...state, clients, watches: new Map(state.watches) };
      this.#truth.restore(truth);
      return;
    }
    this.#state = {
      at: 0,
      servers: [],
      primaries: [],
      clients: new Map(clientIds(config).map((id, i) => [id, clientFrom(newClient(id, programOf(config, i)))])),
      watches: new Map(),
      believed: [],
      held: [],
      overlaps: [],
      resource: {
        id: RESOURCE,
        fenced: config.fenced,
        value: null,
        writer: null,
        greatest: null,
        writes: [],
        lostUpdates: 0,
        refused: 0,
      },
      notifications: 0,
      messages: 0,
      withoutHolder: 0,
      outOfTurn: 0,
    };
  }

  add(traced: TraceEvent): void {
    this.#pass(traced.at);
    const { process, event } = traced;
    if (this.#truth.add(traced)) this.#settleHolder(traced.id);
    const client = this.#clientAt(process);
    if (client !== undefined) this.#client(client, event as LabEvent | WorldEvent, traced);
    else if (process === RESOURCE) this.#resource(event as ResourceEvent, traced);
    else if (process !== null) this.#server(process, event as RedisEvent | WorldEvent);
    if ((event as WorldEvent).type !== "sent") return;
    const { to } = event as Extract<WorldEvent, { type: "sent" }>;
    if (client === undefined ? this.#isToClient(process, to) : this.#servers.has(to)) this.#counts();
  }

  settle(at: Micros): void {
    this.#pass(at);
  }

  delta(): LabDelta | null {
    if (!this.#changed) return null;
    const told = this.#told;
    const view = this.keyframe();
    return told === null ? view : changesOf(told, view);
  }

  keyframe(): LabView {
    this.#changed = false;
    this.#told = this.view();
    return this.#told;
  }

  state(): unknown {
    const { clients, watches } = this.#state;
    const state = { ...this.#state, clients: Array.from(clients.values(), shown), watches: new Map(watches) };
    return { state, truth: this.#truth.state() } satisfies Saved;
  }

  view(): LabView {
    const { clients, believed, held, ...rest } = this.#state;
    return {
      lab: this.#config.system,
      variant: this.#config.variant,
      startsAt: this.#config.warmUp,
      lock: this.#config.lock,
      servers: rest.servers,
      primaries: rest.primaries,
      clients: Array.from(clients.values(), shown),
      queue: this.#queue(),
      believed,
      held,
      overlaps: rest.overlaps,
      resource: rest.resource,
      notifications: rest.notifications,
      messages: rest.messages,
      withoutHolder: rest.withoutHolder,
      outOfTurn: rest.outOfTurn,
    };
  }

  // ── time ──

  /** Time has passed in which nothing was told; a hold that ends by itself ends on the way. */
  #pass(to: Micros): void {
    const { at } = this.#state;
    if (to <= at) return;
    const end = this.#truth.endsAt(at);
    if (end !== null && end <= to) {
      this.#count(end);
      this.#settleHolder(0);
    }
    this.#count(to);
  }

  #count(to: Micros): void {
    const { at, clients } = this.#state;
    if (to <= at) return;
    this.#state.at = to;
    this.#isWanted ??= isWanted(clients);
    if (!this.#isWanted || !isLock(this.#config.system)) return;
    const holder = this.#state.held.at(-1);
    const owner = holder?.to === null && holder.client !== null ? clients.get(holder.client) : undefined;
    if (holder?.to === null && (owner === undefined || isUp(owner.now.liveness))) return;
    this.#state.withoutHolder += to - at;
    this.#changed = true;
  }

  // ── the servers ──

  #server(id: ProcessId, event: RedisEvent | WorldEvent): void {
    if (event.type === "crashed" || event.type === "panicked") return this.#isPrimary(id, false);
    if (event.type !== "redis-role") return;
    const { servers } = this.#state;
    const at = servers.findIndex((server) => server.id === id);
    const server: ServerView = { id, role: event.role };
    this.#set({ servers: at < 0 ? [...servers, server] : servers.with(at, server) });
    this.#isPrimary(id, event.role === "primary");
  }

  #isPrimary(server: ProcessId, is: boolean): void {
    const { primaries, at } = this.#state;
    const open = primaries.findIndex((span) => span.server === server && span.to === null);
    const span = primaries[open];
    if (is === (span !== undefined)) return;
    if (span !== undefined) return this.#set({ primaries: primaries.with(open, { ...span, to: at }) });
    this.#set({ primaries: [...primaries, { server, from: at, to: null }].slice(-HOLDS_SHOWN) });
  }

  #settleHolder(event: number): void {
    this.#changed = true;
    if (!isLock(this.#config.system)) return;
    const { held, at } = this.#state;
    const [first] = this.#truth.queue(at);
    const last = held.at(-1);
    const open = last?.to === null ? last : null;
    if ((open?.identity ?? null) === (first?.identity ?? null)) return;
    const closed = open === null ? held : [...held.slice(0, -1), { ...open, to: at }];
    if (first === undefined) return this.#set({ held: closed });
    const hold: Hold = {
      client: this.#clientOf(first.identity),
      identity: first.identity,
      token: first.order === null ? null : String(first.order),
      from: at,
      to: null,
      event,
    };
    this.#set({ held: [...closed, hold].slice(-HOLDS_SHOWN) });
  }

  /** An identity is told after the servers know of it, in some systems. */
  #nameHolder(): void {
    const { held } = this.#state;
    const last = held.at(-1);
    if (last?.to !== null || last.client !== null || last.identity === null) return;
    const client = this.#clientOf(last.identity);
    if (client !== null) this.#set({ held: [...held.slice(0, -1), { ...last, client }] });
  }

  #clientOf(identity: string): ProcessId | null {
    for (const { id, now } of this.#state.clients.values()) if (now.identity === identity) return id;
    return null;
  }

  #queue(): readonly QueuePlace[] {
    const byIdentity = new Map<string | null, ProcessId>();
    for (const { id, now } of this.#state.clients.values())
      if (!byIdentity.has(now.identity)) byIdentity.set(now.identity, id);
    return this.#truth.queue(this.#state.at).map((place) => {
      const client = byIdentity.get(place.identity) ?? null;
      return { ...place, client, watches: client === null ? null : (this.#state.watches.get(client) ?? null) };
    });
  }

  /** How many stand before it in the servers' queue; 0 when it is first, or in none. */
  ahead(identity: string): number {
    const queue = this.#truth.queue(this.#state.at);
    if (queue[0]?.order === null) return 0;
    return Math.max(
      0,
      queue.findIndex((place) => place.identity === identity),
    );
  }

  /** The present holder, as the servers have it. */
  get holder(): Hold | null {
    const last = this.#state.held.at(-1);
    return last?.to === null ? last : null;
  }

  // ── clients ──

  #client(client: Client, event: LabEvent | WorldEvent, traced: TraceEvent): void {
    const { now } = client;
    switch (event.type) {
      case "program-step": {
        const { thread: name, step, waits } = event;
        put(now.threads, { name, step, since: traced.at, waits });
        return this.#touch(client);
      }
      case "program-knows": {
        const { name, value } = event;
        if (value === null) now.knows = now.knows.filter((fact) => fact.name !== name);
        else put(now.knows, { name, value });
        return this.#touch(client);
      }
      case "program-state":
        now.state = event.state;
        return this.#wants(client);
      case "program-failed":
        now.error = event.error;
        return this.#touch(client);
      case "lock-identity":
        now.identity = event.identity;
        this.#touch(client);
        return event.identity === null ? undefined : this.#nameHolder();
      case "lock-watches":
        this.#state.watches.set(client.id, event.identity);
        return this.#set({});
      case "lock-believes":
        return event.holds ? this.#believes(client, event.token, traced) : this.#doubts(client);
      case "own-deadline":
        now.deadline = event.endsIn === null ? null : traced.at + event.endsIn;
        return this.#touch(client);
      case "notified":
        now.notifications += 1;
        this.#state.notifications += 1;
        return this.#touch(client);
      case "held-back":
        now.held = event.on;
        return this.#touch(client);
      case "crashed":
      case "panicked":
        this.#doubts(client);
        now.liveness = event.type;
        now.threads = [];
        if (event.type === "panicked") now.error = event.message;
        return this.#wants(client);
      case "booted":
        Object.assign(now, newClient(client.id, now.program), { notifications: now.notifications });
        return this.#wants(client);
      case "paused":
      case "resumed":
        now.liveness = event.type === "paused" ? "paused" : "running";
        return this.#wants(client);
      default:
    }
  }

  /** Several events of one process follow each other, and a map is slower than a look at the last. */
  #clientAt(process: ProcessId | null): Client | undefined {
    if (process !== this.#lastProcess) {
      this.#lastProcess = process;
      this.#lastClient = process === null ? undefined : this.#state.clients.get(process);
    }
    return this.#lastClient;
  }

  #touch(client: Client): void {
    client.shown = null;
    this.#changed = true;
  }

  /** Its state or its liveness may be another one: whether somebody wants the lock is to be looked up. */
  #wants(client: Client): void {
    this.#isWanted = null;
    this.#touch(client);
  }

  #believes(client: Client, token: string | null, { at, id }: TraceEvent): void {
    const { clients, believed, overlaps, outOfTurn } = this.#state;
    const { now } = client;
    const lock = lockOf(this.#config, client.id);
    const others = [...clients.values()].filter(
      (other) => other.now.believes && other !== client && lockOf(this.#config, other.id) === lock,
    );
    const found = others.map((other): Overlap => {
      return { first: other.id, second: client.id, from: at, to: null, event: id, why: this.#why(other.now, now) };
    });
    const queue = this.#truth.queue(at);
    const place = queue.findIndex(({ identity }) => identity === now.identity);
    const isEarly = place > 0 && queue[0]?.order !== null;
    const hold: Hold = { client: client.id, identity: now.identity, token, from: at, to: null, event: id };
    now.believes = true;
    now.token = token;
    this.#touch(client);
    this.#set({
      believed: [...believed, hold].slice(-HOLDS_SHOWN),
      overlaps: [...overlaps, ...found],
      outOfTurn: outOfTurn + (isEarly ? 1 : 0),
    });
  }

  #doubts(client: Client): void {
    const { at, believed, overlaps } = this.#state;
    const { id, now } = client;
    if (!now.believes) return;
    now.believes = false;
    now.token = null;
    this.#touch(client);
    this.#set({
      believed: believed.map((hold) => (hold.client === id && hold.to === null ? { ...hold, to: at } : hold)),
      overlaps: overlaps.map((overlap) =>
        overlap.to === null && (overlap.first === id || overlap.second === id) ? { ...overlap, to: at } : overlap,
      ),
    });
  }

  /** Whose belief is wrong, and how the servers see it. */
  #why(first: Client["now"], second: Client["now"]): string {
    const holder = this.holder?.identity ?? null;
    const wrong = holder !== null && holder === first.identity ? second : first;
    if (wrong.identity === null) return "no-place";
    const isQueued = this.#truth.queue(this.#state.at).some(({ identity }) => identity === wrong.identity);
    if (isQueued) return holder === wrong.identity ? "both" : "not-first";
    return this.#truth.whyGone(wrong.identity) ?? "no-place";
  }

  // ── the resource ──

  #resource(event: ResourceEvent, { at, id }: TraceEvent): void {
    const { resource } = this.#state;
    switch (event.type) {
      case "resource-fence":
        return this.#set({ resource: { ...resource, fenced: event.on } });
      case "resource-refused": {
        const { client, value, token, greatest } = event;
        const write = { client, value, token, at, event: id, taken: false, greatest, lostUpdate: false };
        const { refused, writes } = resource;
        return this.#set({ resource: { ...resource, refused: refused + 1, writes: lastOf(writes, write) } });
      }
      case "resource-wrote": {
        const { client, value, token } = event;
        const { writer, greatest, lostUpdates, writes } = resource;
        const isOld = token !== null && isSmaller(token, greatest);
        const isHolders = writer !== null && writer !== client && this.holder?.client === writer;
        const lostUpdate = isOld || isHolders;
        const write = { client, value, token, at, event: id, taken: true, greatest: null, lostUpdate };
        return this.#set({
          resource: {
            ...resource,
            value,
            writer: client,
            greatest: token === null || isOld ? greatest : token,
            lostUpdates: lostUpdates + (lostUpdate ? 1 : 0),
            writes: lastOf(writes, write),
          },
        });
      }
      default:
    }
  }

  #isToClient(from: ProcessId | null, to: ProcessId): boolean {
    return from !== null && this.#servers.has(from) && this.#state.clients.has(to);
  }

  /** One more between a client and a server. */
  #counts(): void {
    this.#state.messages += 1;
    this.#changed = true;
  }

  #set(changes: Partial<State>): void {
    this.#changed = true;
    Object.assign(this.#state, changes);
  }
}

/** What stands in a view is never changed: a part that is the same object says the same. The queue is made anew each time. */
function changesOf(told: LabView, { clients, queue, ...rest }: LabView): LabDelta {
  const before = new Map(told.clients.map((client) => [client.id, client]));
  const others = clients.filter((client) => before.get(client.id) !== client);
  const fields = Object.entries(rest).filter(([name, value]) => told[name as keyof LabView] !== value);
  const isSameQueue =
    queue.length === told.queue.length && queue.every((place, i) => isSamePlace(place, told.queue[i]));
  return {
    ...Object.fromEntries(fields),
    ...(others.length > 0 && { clients: others }),
    ...(!isSameQueue && { queue }),
  };
}

function isSamePlace(a: QueuePlace, b: QueuePlace | undefined): boolean {
  return (
    b !== undefined &&
    a.identity === b.identity &&
    a.client === b.client &&
    a.order === b.order &&
    a.watches === b.watches &&
    a.expiresAt === b.expiresAt &&
    a.renewedAt === b.renewedAt &&
    a.span === b.span
  );
}

/** Whether somebody who is up asks for the lock, or waits for it. */
function isWanted(clients: ReadonlyMap<ProcessId, Client>): boolean {
  for (const { now } of clients.values())
    if (now.liveness === "running" && (now.state === "acquiring" || now.state === "waiting")) return true;
  return false;
}

function clientFrom(view: LabClientView): Client {
  return { id: view.id, now: { ...view, threads: [...view.threads], knows: [...view.knows] }, shown: view };
}

function shown(client: Client): LabClientView {
  const { now } = client;
  client.shown ??= { ...now, threads: [...now.threads], knows: [...now.knows] };
  return client.shown;
}

/** In place of the one of this name, or behind all others. */
function put<Item extends { readonly name: string }>(items: Item[], item: Item): void {
  const at = items.findIndex(({ name }) => name === item.name);
  if (at < 0) items.push(item);
  else items[at] = item;
}

function lastOf(writes: readonly ResourceWrite[], write: ResourceWrite): readonly ResourceWrite[] {
  return [...writes, write].slice(-WRITES_SHOWN);
}

function isUp(liveness: Liveness): boolean {
  return liveness === "running" || liveness === "paused";
}

function newClient(id: ProcessId, program: string): LabClientView {
  return {
    id,
    liveness: "running",
    program,
    threads: [],
    state: "not-started",
    knows: [],
    believes: false,
    token: null,
    identity: null,
    deadline: null,
    held: false,
    error: null,
    notifications: 0,
  };
}
