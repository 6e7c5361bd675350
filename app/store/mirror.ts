/**
 * The page's copy of the engine's fold. `applyDelta` carries it from one moment to the next; the fold itself stays in
 * the engine.
 *
 * What did not change keeps its identity, member by member and field by field, also across a keyframe, so that a
 * selector sees a change only where there is one.
 */
import {
  assert,
  byLengthThenUnits,
  type ClientView,
  type Delta,
  type EtcdDelta,
  type EtcdView,
  FAULTS_KEPT,
  type Flight,
  type LabDelta,
  type LabView,
  type LogChange,
  type LogView,
  type MemberView,
  type MessageId,
  type Note,
  NOTES_KEPT,
  type ProcessId,
  type Reign,
  type View,
} from "../../engine/index.ts";
import { isClientId, isProcessId } from "./ids.ts";
import { share } from "./share.ts";

/** A view, and the lists of ids that the screen goes over; they change only when someone comes or goes. */
export interface Mirror extends View {
  readonly memberIds: readonly ProcessId[];
  readonly clientIds: readonly ProcessId[];
}

/** Before the first keyframe. */
export const EMPTY_MIRROR: Mirror = {
  at: 0,
  n: 0,
  members: new Map(),
  logs: new Map(),
  clients: new Map(),
  flights: new Map(),
  cuts: new Set(),
  network: { latencyMin: 0, latencyMax: 0, lossPerMillion: 0, duplicatePerMillion: 0, reorderPerMillion: 0 },
  settings: { preVote: false, checkQuorum: false, readOnly: "safe", broken: [] },
  violation: null,
  reigns: [],
  notes: [],
  faults: [],
  etcd: null,
  lab: null,
  memberIds: [],
  clientIds: [],
};

export function applyDelta(before: Mirror, delta: Delta): Mirror {
  const { whole } = delta;
  const members = applyById<ProcessId, MemberView>(before.members, delta.members, delta.gone, whole);
  const clients = applyById<ProcessId, ClientView>(before.clients, delta.clients, delta.gone, whole);
  return {
    at: delta.at,
    n: delta.n,
    members,
    logs: applyLogs(before.logs, delta),
    clients,
    flights: applyById<MessageId, Flight>(before.flights, delta.flights, delta.landed, whole),
    cuts: applyCuts(before.cuts, delta.cuts, whole),
    network: delta.network === undefined ? before.network : share(before.network, delta.network),
    settings: delta.settings === undefined ? before.settings : share(before.settings, delta.settings),
    violation: applyViolation(before, delta),
    reigns: applyReigns(before.reigns, delta.reigns, whole),
    notes: applyNotes(before.notes, delta.notes, whole, NOTES_KEPT),
    faults: applyNotes(before.faults, delta.faults, whole, FAULTS_KEPT),
    etcd: applyEtcd(before.etcd, delta.etcd, whole),
    lab: applyLab(before.lab, delta.lab, whole),
    memberIds: members === before.members ? before.memberIds : share(before.memberIds, sortedIds(members)),
    clientIds:
      clients === before.clients ? before.clientIds : share(before.clientIds, sortedIds(clients).filter(isClientId)),
  };
}

/** Whole, it has every field; else those that changed, and the clients that did. */
function applyLab(before: LabView | null, delta: LabDelta | undefined, whole: boolean): LabView | null {
  if (delta === undefined) return whole ? null : before;
  if (whole || before === null) return share(before, delta as LabView);
  const changed = new Map(delta.clients?.map((client) => [client.id, client]));
  const clients = before.clients.map((client) => share(client, changed.get(client.id) ?? client));
  return share(before, { ...before, ...delta, clients });
}

function applyEtcd(before: EtcdView | null, delta: EtcdDelta | undefined, whole: boolean): EtcdView | null {
  if (delta === undefined) return whole ? null : before;
  const from = before ?? NO_ETCD;
  return {
    revision: delta.revision,
    compactRevision: delta.compactRevision,
    keys: applyById(from.keys, delta.keys, delta.keysGone, delta.whole),
    leases: applyById(from.leases, delta.leases, delta.leasesGone, delta.whole),
    watches: applyById(from.watches, delta.watches, delta.watchesGone, delta.whole),
    requests: applyById(from.requests, delta.requests, delta.requestsGone, delta.whole),
    members: applyById(from.members, delta.members, delta.membersGone, delta.whole),
    console: delta.console === undefined ? (delta.whole ? null : from.console) : share(from.console, delta.console),
  };
}

const NO_ETCD: EtcdView = {
  revision: 1,
  compactRevision: -1,
  keys: new Map(),
  leases: new Map(),
  watches: new Map(),
  requests: new Map(),
  members: new Map(),
  console: null,
};

function applyViolation({ violation }: Mirror, { whole, violation: told }: Delta): Mirror["violation"] {
  if (told === undefined) return whole ? null : violation;
  return share(violation, told);
}

/** Puts `changed` and takes `gone` away; gives `before` back when nothing came of it. */
function applyById<Id, Item extends { readonly id: Id }>(
  before: ReadonlyMap<Id, Item>,
  changed: readonly Item[] | undefined,
  gone: readonly Id[] | undefined,
  whole: boolean,
): ReadonlyMap<Id, Item> {
  if (!whole && changed === undefined && gone === undefined) return before;
  const after = new Map(whole ? [] : before);
  let same = true;
  for (const item of changed ?? []) {
    const old = before.get(item.id);
    const kept = share(old, item);
    after.set(item.id, kept);
    if (kept !== old) same = false;
  }
  for (const id of gone ?? []) if (after.delete(id)) same = false;
  return same && after.size === before.size ? before : after;
}

function sortedIds(items: ReadonlyMap<ProcessId, unknown>): readonly ProcessId[] {
  return [...items.keys()].toSorted(byLengthThenUnits);
}

function applyLogs(before: ReadonlyMap<ProcessId, LogView>, delta: Delta): ReadonlyMap<ProcessId, LogView> {
  if (!delta.whole && delta.logs === undefined && delta.gone === undefined) return before;
  const after = new Map(delta.whole ? [] : before);
  let same = true;
  for (const [id, change] of Object.entries(delta.logs ?? {})) {
    assert(isProcessId(id), "a log belongs to a process");
    const old = before.get(id);
    const log = share(old, delta.whole ? { firstIndex: change.firstIndex, cells: change.cells } : spliced(old, change));
    after.set(id, log);
    if (log !== old) same = false;
  }
  for (const id of delta.gone ?? []) if (after.delete(id)) same = false;
  return same && after.size === before.size ? before : after;
}

function spliced(old: LogView | undefined, change: LogChange): LogView {
  if (old === undefined || change.from <= change.firstIndex)
    return { firstIndex: change.firstIndex, cells: change.cells };
  assert(change.firstIndex >= old.firstIndex, "a log's window moves forwards only, except at its very start");
  assert(change.from <= old.firstIndex + old.cells.length, "a change of a log leaves no gap before it");
  const kept = old.cells.slice(change.firstIndex - old.firstIndex, change.from - old.firstIndex);
  return { firstIndex: change.firstIndex, cells: kept.concat(change.cells) };
}

function applyCuts(
  before: ReadonlySet<string>,
  cuts: readonly string[] | undefined,
  whole: boolean,
): ReadonlySet<string> {
  if (cuts === undefined && !whole) return before;
  const after = new Set(cuts);
  return after.size === before.size && [...after].every((cut) => before.has(cut)) ? before : after;
}

function applyReigns(before: readonly Reign[], change: Delta["reigns"], whole: boolean): readonly Reign[] {
  if (change === undefined) return whole && before.length > 0 ? [] : before;
  return share(before, whole ? change.reigns : [...before.slice(0, change.from), ...change.reigns]);
}

function applyNotes(
  before: readonly Note[],
  notes: readonly Note[] | undefined,
  whole: boolean,
  kept: number,
): readonly Note[] {
  if (whole) return share(before, notes ?? []);
  if (notes === undefined || notes.length === 0) return before;
  return [...before, ...notes].slice(-kept);
}
