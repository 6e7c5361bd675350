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

/** The fold's own: copied when it is handed out or taken. What stands in it is never changed. */
interface State {
  at: Micros;
  servers: readonly ServerView[];
  primaries: readonly PrimarySpan[];
  readonly clients: Map<ProcessId, LabClientView>;
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

  constructor(config: LabConfig, saved: unknown = null) {
    this.#config = config;
    this.#truth = truthOf(config);
    this.#servers = new Set(serverIds(config));
    if (saved !== null) {
      const { state, truth } = saved as { readonly state: State; readonly truth: unknown };
      this.#state = copyOf(state);
      this.#truth.restore(truth);
      return;
    }
    this.#state = {
      at: 0,
      servers: [],
      primaries: [],
      clients: new Map(clientIds(config).map((id, i) => [id, newClient(id, programOf(config, i))])),
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
    const client = process === null ? undefined : this.#state.clients.get(process);
    if (client !== undefined) this.#client(client, event as LabEvent | WorldEvent, traced);
    else if (process === RESOURCE) this.#resource(event as ResourceEvent, traced);
    else if (process !== null) this.#server(process, event as RedisEvent | WorldEvent);
    if ((event as WorldEvent).type === "sent") this.#sent(process, event as Extract<WorldEvent, { type: "sent" }>);
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
    return { state: copyOf(this.#state), truth: this.#truth.state() };
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
      clients: [...clients.values()],
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
    if (holder?.to === null && (owner === undefined || isUp(owner.liveness))) return;
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
    for (const client of this.#state.clients.values()) if (client.identity === identity) return client.id;
    return null;
  }

  #queue(): readonly QueuePlace[] {
    const byIdentity = new Map<string | null, ProcessId>();
    for (const { id, identity } of this.#state.clients.values())
      if (!byIdentity.has(identity)) byIdentity.set(identity, id);
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

  #client(client: LabClientView, event: LabEvent | WorldEvent, traced: TraceEvent): void {
    switch (event.type) {
      case "program-step": {
        const { thread: name, step, waits } = event;
        const next: ThreadView = { name, step, since: traced.at, waits };
        const at = client.threads.findIndex((one) => one.name === name);
        const threads = at < 0 ? [...client.threads, next] : client.threads.with(at, next);
        return this.#put({ ...client, threads });
      }
      case "program-knows": {
        const at = client.knows.findIndex(({ name }) => name === event.name);
        if (event.value === null)
          return this.#put({ ...client, knows: client.knows.filter(({ name }) => name !== event.name) });
        const fact = { name: event.name, value: event.value };
        const knows = at < 0 ? [...client.knows, fact] : client.knows.with(at, fact);
        return this.#put({ ...client, knows });
      }
      case "program-state":
        return this.#put({ ...client, state: event.state });
      case "program-failed":
        return this.#put({ ...client, error: event.error });
      case "lock-identity":
        this.#put({ ...client, identity: event.identity });
        return event.identity === null ? undefined : this.#nameHolder();
      case "lock-watches":
        this.#state.watches.set(client.id, event.identity);
        return this.#set({});
      case "lock-believes":
        return event.holds ? this.#believes(client, event.token, traced) : this.#doubts(client);
      case "own-deadline":
        return this.#put({ ...client, deadline: event.endsIn === null ? null : traced.at + event.endsIn });
      case "notified":
        this.#put({ ...client, notifications: client.notifications + 1 });
        return this.#set({ notifications: this.#state.notifications + 1 });
      case "held-back":
        return this.#put({ ...client, held: event.on });
      case "crashed":
      case "panicked":
        this.#doubts(client);
        return this.#put({
          ...this.#known(client.id),
          liveness: event.type,
          threads: [],
          error: event.type === "panicked" ? event.message : client.error,
        });
      case "booted":
        return this.#put({ ...newClient(client.id, client.program), notifications: client.notifications });
      case "paused":
        return this.#put({ ...client, liveness: "paused" });
      case "resumed":
        return this.#put({ ...client, liveness: "running" });
      default:
    }
  }

  #known(id: ProcessId): LabClientView {
    return this.#state.clients.get(id) as LabClientView;
  }

  #put(client: LabClientView): void {
    const before = this.#state.clients.get(client.id);
    if (before?.state !== client.state || before.liveness !== client.liveness) this.#isWanted = null;
    this.#state.clients.set(client.id, client);
    this.#changed = true;
  }

  #believes(client: LabClientView, token: string | null, { at, id }: TraceEvent): void {
    const { clients, believed, overlaps, outOfTurn } = this.#state;
    const lock = lockOf(this.#config, client.id);
    const others = [...clients.values()].filter(
      (other) => other.believes && other.id !== client.id && lockOf(this.#config, other.id) === lock,
    );
    const found = others.map((other): Overlap => {
      return { first: other.id, second: client.id, from: at, to: null, event: id, why: this.#why(other, client) };
    });
    const queue = this.#truth.queue(at);
    const place = queue.findIndex(({ identity }) => identity === client.identity);
    const isEarly = place > 0 && queue[0]?.order !== null;
    const hold: Hold = { client: client.id, identity: client.identity, token, from: at, to: null, event: id };
    this.#put({ ...client, believes: true, token });
    this.#set({
      believed: [...believed, hold].slice(-HOLDS_SHOWN),
      overlaps: [...overlaps, ...found],
      outOfTurn: outOfTurn + (isEarly ? 1 : 0),
    });
  }

  #doubts(client: LabClientView): void {
    const { at, believed, overlaps } = this.#state;
    if (!client.believes) return;
    this.#put({ ...client, believes: false, token: null });
    this.#set({
      believed: believed.map((hold) => (hold.client === client.id && hold.to === null ? { ...hold, to: at } : hold)),
      overlaps: overlaps.map((overlap) =>
        overlap.to === null && (overlap.first === client.id || overlap.second === client.id)
          ? { ...overlap, to: at }
          : overlap,
      ),
    });
  }

  /** Whose belief is wrong, and how the servers see it. */
  #why(first: LabClientView, second: LabClientView): string {
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

  #sent(from: ProcessId | null, { to }: { readonly to: ProcessId }): void {
    const { clients } = this.#state;
    const servers = this.#servers;
    const ours = from !== null && ((clients.has(from) && servers.has(to)) || (clients.has(to) && servers.has(from)));
    if (!ours) return;
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
function isWanted(clients: ReadonlyMap<ProcessId, LabClientView>): boolean {
  for (const { state, liveness } of clients.values())
    if (liveness === "running" && (state === "acquiring" || state === "waiting")) return true;
  return false;
}

function copyOf(state: State): State {
  return { ...state, clients: new Map(state.clients), watches: new Map(state.watches) };
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
