/** The clients: where their programs stand, and what became of their requests. */
import type { ClientEvent } from "../../replica/client.ts";
import type { ReplicaEvent, RequestKey } from "../../replica/events.ts";
import type { ProcessId } from "../../sim/command.ts";
import type { TraceEvent } from "../../sim/events.ts";
import type { ClientView } from "../../trace/view.ts";
import { type Notes, reasonFigures } from "./notes.ts";

export type ClientDraft = { -readonly [K in keyof ClientView]: ClientView[K] } & {
  changed: boolean;
  /** Lists that nobody was told of yet: they may change in place. */
  untold: { writes: boolean; reads: boolean };
};

/** Which client's request a log entry stands for. */
interface Owner {
  readonly client: ProcessId;
  readonly request: number;
}

export interface ClientsState {
  readonly clients: readonly ClientView[];
  readonly owners: readonly (readonly [RequestKey, Owner])[];
}

const REQUESTS_SHOWN = 20;
const OWNERS_KEPT = 1_000;

export class Clients {
  readonly #clients: ClientDraft[];
  readonly #owners = new Map<RequestKey, Owner>();
  readonly #notes: Notes;

  constructor(notes: Notes, state: ClientsState) {
    this.#notes = notes;
    this.#clients = state.clients.map((client) => ({
      ...client,
      changed: false,
      untold: { writes: false, reads: false },
    }));
    for (const [key, owner] of state.owners) this.#owners.set(key, owner);
  }

  /** For an event of this client's; null when it is no client. There are few: looking is faster than a map. */
  draft(id: ProcessId): ClientDraft | null {
    const client = this.#find(id);
    if (client !== null) client.changed = true;
    return client;
  }

  #find(id: ProcessId): ClientDraft | null {
    for (const client of this.#clients) if (client.id === id) return client;
    return null;
  }

  add(traced: TraceEvent, client: ClientDraft, event: ClientEvent): void {
    switch (event.type) {
      case "client-step":
        client.step = event.step;
        client.member = event.member;
        return;
      case "write-asked": {
        const { request, value, member } = event;
        const asked = {
          request,
          value,
          member,
          askedAt: traced.at,
          outcome: "pending",
          why: null,
          entry: null,
        } as const;
        add(client, "writes", asked);
        return this.#notes.add(traced, "write-asked", { value, member });
      }
      case "read-asked": {
        const { request, serializable, member } = event;
        const asked = {
          request,
          serializable,
          member,
          askedAt: traced.at,
          outcome: "pending",
          value: null,
          why: null,
        } as const;
        add(client, "reads", asked);
        return this.#notes.add(traced, "read-asked", { member, serializable: String(serializable) });
      }
      case "request-sent":
        set(client, "reads", event.request, { member: event.member });
        return set(client, "writes", event.request, { member: event.member });
      case "write-done":
        set(client, "writes", event.request, { outcome: "done" });
        return this.#notes.add(traced, "write-done", { value: event.value });
      case "read-done":
        set(client, "reads", event.request, { outcome: "done", value: event.value });
        return this.#notes.add(traced, "read-done", { value: event.value, member: event.member });
      case "write-refused":
      case "write-unknown": {
        const outcome = event.type === "write-refused" ? "refused" : "unknown";
        set(client, "writes", event.request, { outcome, why: event.why.rule });
        return this.#notes.add(traced, event.type, { value: event.value, ...reasonFigures(event.why) });
      }
      case "read-refused":
      case "read-unknown": {
        const outcome = event.type === "read-refused" ? "refused" : "unknown";
        set(client, "reads", event.request, { outcome, why: event.why.rule });
        return this.#notes.add(traced, event.type, reasonFigures(event.why));
      }
    }
  }

  /** Its program is gone with all it knew. */
  wentDown(client: ClientDraft): void {
    client.step = "idle";
    client.member = null;
  }

  /** Whose request an entry with this key will be. */
  owns({ client, request, key }: ReplicaEvent & { type: "request-received" }): void {
    this.#owners.set(key, { client: client as ProcessId, request });
    if (this.#owners.size > OWNERS_KEPT) deleteOldest(this.#owners);
  }

  /** Some log holds the entry of a request. */
  found(key: RequestKey, term: number, index: number): void {
    const owner = this.#owners.get(key);
    const client = owner === undefined ? null : this.#find(owner.client);
    const write = client?.writes.find(({ request }) => request === owner?.request);
    if (owner !== undefined) this.#owners.delete(key); // the first log to hold it tells where it stands
    if (client === null || write === undefined || write.entry !== null) return;
    set(client, "writes", write.request, { entry: { term, index } });
    client.changed = true;
  }

  all(): ClientView[] {
    return this.#clients.map(viewOf);
  }

  takeChanges(): ClientView[] {
    const changed = this.#clients.filter((client) => client.changed).map(viewOf);
    for (const client of this.#clients) client.changed = false;
    return changed;
  }

  state(): ClientsState {
    return { clients: this.all(), owners: [...this.#owners] };
  }
}

/** What it shows is told from now on, and does not change any more. */
function viewOf(client: ClientDraft): ClientView {
  const { id, liveness, step, member, writes, reads, untold } = client;
  untold.writes = false;
  untold.reads = false;
  return { id, liveness, step, member, writes, reads };
}

type Requests = "writes" | "reads";
type RequestOf<Kind extends Requests> = ClientView[Kind][number];

function own<Kind extends Requests>(client: ClientDraft, kind: Kind): RequestOf<Kind>[] {
  const list = client.untold[kind] ? client[kind] : [...client[kind]];
  client.untold[kind] = true;
  client[kind] = list as ClientDraft[Kind];
  return list as RequestOf<Kind>[];
}

/** The oldest goes when there are too many. */
function add<Kind extends Requests>(client: ClientDraft, kind: Kind, request: RequestOf<Kind>): void {
  const list = own(client, kind);
  list.push(request);
  if (list.length > REQUESTS_SHOWN) list.shift();
}

function set<Kind extends Requests>(
  client: ClientDraft,
  kind: Kind,
  request: number,
  change: Partial<RequestOf<Kind>>,
): void {
  const at = client[kind].findLastIndex((one) => one.request === request);
  if (at < 0) return;
  const list = own(client, kind);
  list[at] = Object.assign({ ...(list[at] as RequestOf<Kind>) }, change);
}

export function newClient(id: ProcessId): ClientView {
  return { id, liveness: "running", step: "idle", member: null, writes: [], reads: [] };
}

function deleteOldest(owners: Map<RequestKey, Owner>): void {
  for (const key of owners.keys()) {
    owners.delete(key);
    return;
  }
}
