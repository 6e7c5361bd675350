/**
 * What an etcd cluster looks like, from its members' events and Raft's: the keyspace, leases, watches, the way of each
 * request, and what each member has.
 *
 * Everything it keeps is plain data that is replaced and never changed, so its state costs no copies.
 */
import type { Micros } from "../../base/units.ts";
import { leaseHex, memberHex } from "../../etcd/api/ids.ts";
import type { EtcdEvent } from "../../etcd/events.ts";
import type { Change } from "../../etcd/mvcc/history.ts";
import type { ReplicaEvent } from "../../replica/events.ts";
import type { ProcessId } from "../../sim/command.ts";
import type { TraceEvent, WorldEvent } from "../../sim/events.ts";
import type { ConsoleView, EtcdDelta, EtcdMemberView } from "../../trace/etcd-view.ts";
import type { PartFold } from "./parts.ts";
import { textOf } from "./etcd-text.ts";
import { emptyConsole, Screen } from "./etcd-screen.ts";
import { Keys, type KeysState, NO_KEYS } from "./etcd-keys.ts";
import { Leases, type LeasesState, NO_LEASES } from "./etcd-leases.ts";
import { NO_REQUESTS, Requests, type RequestsState } from "./etcd-requests.ts";
import { NO_WATCHES, Watches, type WatchesState } from "./etcd-watches.ts";
import { Kept } from "./kept.ts";
import type { NoteMade } from "./lab-notes.ts";

interface EtcdFoldState {
  readonly keys: KeysState;
  readonly leases: LeasesState;
  readonly watches: WatchesState;
  readonly requests: RequestsState;
  readonly members: readonly EtcdMemberView[];
  /** The last change of membership that was told, and of whom: one entry may change several. */
  readonly changed: { readonly index: number; readonly members: readonly string[] };
  readonly console: ConsoleView | null;
}

const NOTHING: EtcdFoldState = {
  keys: NO_KEYS,
  leases: NO_LEASES,
  watches: NO_WATCHES,
  requests: NO_REQUESTS,
  members: [],
  changed: { index: 0, members: [] },
  console: null,
};

export class EtcdFold implements PartFold<EtcdDelta> {
  readonly #keys: Keys;
  readonly #leases: Leases;
  readonly #watches: Watches;
  readonly #requests: Requests;
  readonly #members: Kept<ProcessId, EtcdMemberView>;
  readonly #screen: Screen | null;
  #changed: EtcdFoldState["changed"];
  #toldRevision = -1;
  #toldCompact = -1;
  #note: NoteMade | null = null;

  /**
   * @param console where a person types; null without one
   * @param state of another one that goes on here; null at the start of a run
   */
  constructor(console: ProcessId | null, state: unknown = null) {
    const known = (state as EtcdFoldState | null) ?? NOTHING;
    const { keys, leases, watches, requests, members, console: screen } = known;
    this.#keys = new Keys(keys);
    this.#leases = new Leases(leases);
    this.#watches = new Watches(watches);
    this.#requests = new Requests(requests);
    this.#members = new Kept(members);
    this.#changed = known.changed;
    this.#screen = console === null ? null : new Screen(screen ?? emptyConsole(console));
  }

  add(traced: TraceEvent): void {
    const { process } = traced;
    this.#screen?.add(traced);
    if (process === null) return;
    const event = traced.event as WorldEvent | ReplicaEvent | EtcdEvent;
    switch (event.type) {
      case "sent":
        return this.#requests.sent(traced, event);
      case "delivered":
        return this.#requests.delivered(event.message);
      case "lost":
        return this.#requests.lost(traced, event.message);
      case "entries-shown":
        return this.#requests.shown(traced, event);
      case "stable-advanced":
        return this.#requests.durable(traced, event.to);
      case "commit-advanced":
        return this.#requests.committed(traced, event.to);
      case "entries-truncated":
        return this.#requests.truncated(process, event.from);
      default:
        if (event.type.startsWith("etcd-")) this.#addEtcd(traced, process, event as EtcdEvent);
        else this.#addLife(traced, process, event as WorldEvent);
    }
  }

  settle(at: Micros): void {
    this.#leases.settle(at);
    this.#watches.settle(at);
    this.#requests.settle(this.#members.size);
  }

  /** What the last event was worth telling. */
  takeNote(): NoteMade | null {
    const note = this.#note;
    this.#note = null;
    return note;
  }

  delta(): EtcdDelta | null {
    const keys = this.#keys.kept.takeChanges();
    const leases = this.#leases.kept.takeChanges();
    const watches = this.#watches.kept.takeChanges();
    const requests = this.#requests.kept.takeChanges();
    const members = this.#members.takeChanges();
    const screen = this.#screen?.takeChange() ?? null;
    const { revision, compactRevision } = this.#keys;
    const same = revision === this.#toldRevision && compactRevision === this.#toldCompact;
    if (same && [keys, leases, watches, requests, members, screen].every((each) => each === null)) return null;
    this.#toldRevision = revision;
    this.#toldCompact = compactRevision;
    return {
      whole: false,
      revision,
      compactRevision,
      ...(keys !== null && { keys: keys.changed, keysGone: keys.gone }),
      ...(leases !== null && { leases: leases.changed, leasesGone: leases.gone }),
      ...(watches !== null && { watches: watches.changed, watchesGone: watches.gone }),
      ...(requests !== null && { requests: requests.changed, requestsGone: requests.gone }),
      ...(members !== null && { members: members.changed, membersGone: members.gone }),
      ...(screen !== null && { console: screen }),
    };
  }

  keyframe(): EtcdDelta {
    this.delta();
    const { revision, compactRevision, kept } = this.#keys;
    return {
      whole: true,
      revision,
      compactRevision,
      keys: kept.all(),
      leases: this.#leases.kept.all(),
      watches: this.#watches.kept.all(),
      requests: this.#requests.kept.all(),
      members: this.#members.all(),
      ...(this.#screen !== null && { console: this.#screen.view }),
    };
  }

  state(): EtcdFoldState {
    return {
      keys: this.#keys.state(),
      leases: this.#leases.state(),
      watches: this.#watches.state(),
      requests: this.#requests.state(),
      members: this.#members.all(),
      changed: this.#changed,
      console: this.#screen?.view ?? null,
    };
  }

  #addLife(traced: TraceEvent, process: ProcessId, event: WorldEvent): void {
    switch (event.type) {
      case "crashed":
      case "panicked":
        this.#leases.uncounted(process);
        this.#watches.memberDown(process, traced.at);
        return this.#requests.processDown(traced, process);
      case "retired":
        return this.#members.remove(process);
      case "spawned":
        return this.#leases.clockChanged(process, 0, traced.at);
      case "clock":
        return this.#leases.clockChanged(process, event.driftPpm, traced.at);
      default:
    }
  }

  #addEtcd(traced: TraceEvent, process: ProcessId, event: EtcdEvent): void {
    const { at } = traced;
    switch (event.type) {
      case "etcd-received":
        return this.#requests.received(traced, event);
      case "etcd-proposed":
        return this.#requests.proposed(traced, event);
      case "etcd-read-confirmed":
        return this.#requests.confirmed(traced, event.call);
      case "etcd-answered":
        return this.#requests.answered(traced, event);
      case "etcd-applied":
        return this.#applied(traced, event);
      case "etcd-figures":
        return this.#figures(process, event);
      case "etcd-lease-counted":
        if (event.by === "leader-change")
          this.#note = { what: "etcd-lease-extended", figures: { lease: leaseHex(event.lease), ttl: event.ttl } };
        return this.#leases.counted(process, at, event);
      case "etcd-lease-expired":
        this.#note = { what: "etcd-lease-expired", figures: { lease: leaseHex(event.lease) } };
        return this.#leases.expired(event.lease);
      case "etcd-leases-uncounted":
        return this.#leases.uncounted(process);
      case "etcd-watch-created":
        return this.#watches.created(process, at, event);
      case "etcd-watch-told":
        return this.#watches.told(at, event);
      case "etcd-watch-slowed":
        return this.#watches.slowed(at, event);
      case "etcd-watch-ended":
        if (event.why !== null) this.#note = { what: "etcd-watch-cancelled", figures: { why: event.why } };
        return this.#watches.ended(event.watch, event.why, at);
      case "etcd-member-changed":
        return this.#memberChanged(event);
      case "etcd-restored":
        this.#watches.restored(process, event.revision, at);
        return this.#restored(at, event);
    }
  }

  /** All members apply it, and again after a restart; the first one's word is noted. */
  #memberChanged({ index, change, id, member }: EtcdEvent & { type: "etcd-member-changed" }): void {
    const told = this.#changed;
    if (index < told.index || (index === told.index && told.members.includes(member))) return;
    this.#changed = { index, members: index === told.index ? [...told.members, member] : [member] };
    this.#note = { what: `etcd-member-${change}`, figures: { member, id: memberHex(id) } };
  }

  #applied(traced: TraceEvent, event: EtcdEvent & { type: "etcd-applied" }): void {
    const { at } = traced;
    const { key, index, revision, changes, granted, ended, compacted } = event;
    this.#requests.applied(traced, key);
    const how = this.#keys.advance(index, key, revision);
    if (how === "again") return;
    if (how === "instead")
      for (const { id, lease } of this.#keys.rewind(changes.length > 0 ? revision - 1 : revision))
        this.#leases.attach(id, lease);
    const client = this.#requests.ownerOf(key);
    if (granted !== null) this.#leases.granted(granted.lease, granted.ttl, at, client);
    for (const change of changes) this.#change(change, at, client);
    if (ended !== null) this.#leases.ended(ended, at);
    if (compacted !== null) {
      this.#keys.compact(compacted);
      this.#note = { what: "etcd-compacted", figures: { revision: compacted } };
    }
  }

  #change(change: Change, at: Micros, client: ProcessId | null): void {
    const lease = this.#keys.put(change, at, client).lease;
    this.#leases.attach(textOf(change.kv.key), lease);
  }

  #restored(at: Micros, event: EtcdEvent & { type: "etcd-restored" }): void {
    const { revision, compactRevision, changes, leases } = event;
    if (revision <= this.#keys.revision) return;
    this.#keys.clear(revision, compactRevision);
    this.#leases.replace(leases, at);
    for (const change of changes) this.#change(change, at, null);
  }

  #figures(process: ProcessId, figures: EtcdEvent & { type: "etcd-figures" }): void {
    const before = this.#members.get(process)?.alarms ?? [];
    const [raised] = figures.alarms.filter((alarm) => !before.includes(alarm));
    if (raised !== undefined) this.#note = { what: "etcd-alarm", figures: { alarm: raised } };
    const { revision, compactRevision, keys, dbSize, dbSizeInUse, alarms, watchers, isLearner } = figures;
    const store = { revision, compactRevision, keys, dbSize, dbSizeInUse };
    this.#members.put({ id: process, ...store, alarms, watchers, isLearner });
  }
}
