/**
 * One replicated process: a Raft peer, its write-ahead log and a service above them, driven by the world's inputs.
 *
 * It owns what the peer leaves to others: ticks are counted from the process's clock, `Persist` goes to the WAL and is
 * reported when its fsync has ended, acknowledgements leave then and not before, committed entries go to the service.
 * Several writes may be on their way to the disk at once (etcd's asynchronous storage writes); the peer is told of them
 * in order. The batch of one instant is one Ready, which is group commit.
 */
import { present } from "../base/assert.ts";
import { type Rng, rngFromState, type RngState } from "../base/rng.ts";
import type { Micros } from "../base/units.ts";
import { type BrokenRules, isRaftRule } from "../raft/broken.ts";
import {
  type ConfChange,
  confChangeProposal,
  decodeConfChange,
  leavesNoVoter,
  withoutSteps,
} from "../raft/conf-change.ts";
import type { RaftEvent } from "../raft/events.ts";
import {
  createPeer,
  type Done,
  type Peer,
  type PeerCheckpoint,
  type PeerConfig,
  type Persist,
  restorePeer,
  type Sendable,
} from "../raft/peer.ts";
import type {
  ConfState,
  Entry,
  EntryId,
  HardState,
  Index,
  Message,
  NodeId,
  Proposal,
  Snapshot,
} from "../raft/types.ts";
import type { ProcessId, Settings } from "../sim/command.ts";
import type { Ask, DiskFile, Env, Input, Out, Process, Stamp } from "../sim/process.ts";
import { Wal, type WalCheckpoint, WalCorrupt } from "../wal/wal.ts";
import type { Command } from "./command.ts";
import { decodeEnvelope, encodeEnvelope, type Envelope, envelopeOf, requestKey, shownOf } from "./envelope.ts";
import type { ReplicaEvent, RequestKey } from "./events.ts";
import type { Applied, Service, ServiceHost, Ticket } from "./service.ts";
import { decodeSnapshot, encodeSnapshot, isSnapshotFile, isWholeSnapshot, snapshotFileName } from "./snapshot-file.ts";

export interface ReplicaConfig {
  /** The voters of a cluster that starts anew. */
  readonly voters: readonly NodeId[];
  readonly tick: Micros;
  readonly electionTicks: number;
  readonly electionSpreadTicks: number;
  readonly heartbeatTicks: number;
  /** A snapshot is taken each time this many entries were applied since the last (etcd's --snapshot-count). */
  readonly snapshotEntries: number;
  /** Entries kept in memory behind a snapshot, for followers that lag (etcd's SnapshotCatchUpEntries). */
  readonly catchUpEntries: number;
}

/** A linearizable read that waits: for its index, then for that entry to be applied. */
interface Read {
  readonly ticket: Ticket;
  readonly index: Index | null;
}

/** What goes between the services of two members, beside Raft's messages. */
export interface ServiceMessage {
  readonly type: "service";
  readonly data: unknown;
}

/** A write on its way to the disk, with what may happen when it is there. */
interface Write {
  readonly token: number;
  readonly persist: Pick<Persist, "then" | "written" | "snapshot">;
  /** A snapshot of our own service that this write makes durable, and how many entries before its end stay. */
  readonly taken: { readonly snapshot: Snapshot; readonly keep: number } | null;
  /** Messages that wait for it, because it makes a new term or vote durable; null when it does not. */
  readonly held: readonly Sendable[] | null;
}

export interface ReplicaCheckpoint {
  readonly peer: PeerCheckpoint;
  readonly wal: WalCheckpoint;
  readonly service: unknown;
  readonly rng: RngState;
  readonly incarnation: number;
  readonly tickedAt: Micros;
  readonly wakeAt: Micros | null;
  readonly applied: EntryId;
  readonly snapshot: Snapshot | null;
  readonly tokens: number;
  readonly pledge: Pick<HardState, "term" | "vote">;
  readonly writes: readonly Write[];
  readonly tickets: number;
  readonly reads: readonly (readonly [string, Read])[];
  readonly askAgainAt: Micros | null;
  readonly snapshotsDue: readonly (readonly [NodeId, Micros])[];
  readonly settings: Settings;
  readonly serviceWakeAt: Micros | null;
}

const NOTHING: EntryId = { term: 0, index: 0 };

export class Replica implements Process {
  readonly #id: NodeId;
  readonly #config: ReplicaConfig;
  readonly #service: Service;
  readonly #out: Out;
  readonly #emit: ((event: ReplicaEvent) => void) | null;
  readonly #label = (command: Command): string => this.#service.label(command);
  readonly #wal: Wal;
  #rng: Rng;
  #peer: Peer | null = null;
  #incarnation = 0;
  /** The instant of the last tick, in awake time. */
  #tickedAt: Micros = 0;
  #wakeAt: Micros | null = null;
  /** The awake time of the input at hand. */
  #now: Micros = 0;
  /** The last entry that the service has. */
  #applied: EntryId = NOTHING;
  /** The newest durable snapshot. */
  #snapshot: Snapshot | null = null;
  #tokens = 0;
  /** The term and the vote of the last write that had any. */
  #pledge: Pick<HardState, "term" | "vote"> = { term: 0, vote: null };
  #writes: Write[] = [];
  #tickets: Ticket = 0;
  /** Those of the batch at hand. */
  #proposals: { readonly ticket: Ticket; readonly proposal: Proposal }[] = [];
  /** By the context that the peer knows them by. */
  readonly #reads = new Map<string, Read>();
  /** Awake time at which reads without an index are asked for again: the message may have been lost. */
  #askAgainAt: Micros | null = null;
  /** Awake time by which a snapshot on its way to a member must have been acknowledged. */
  readonly #snapshotsDue = new Map<NodeId, Micros>();
  #settings: Settings = NO_SETTINGS;
  /** Awake time at which the service wants to be woken. */
  #serviceWakeAt: Micros | null = null;

  constructor(config: ReplicaConfig, service: Service, env: Env) {
    this.#id = env.id as string as NodeId;
    this.#config = config;
    this.#service = service;
    this.#out = env.out;
    this.#emit = env.out.emit;
    this.#rng = env.rng;
    this.#wal = new Wal(this.#id, env.out);
  }

  step(input: Input, stamp: Stamp): void {
    this.#now = stamp.awake;
    if (input.type === "boot") return this.#boot(input);
    this.#tick(stamp);
    switch (input.type) {
      case "wake":
        this.#wakeAt = null;
        return;
      case "message":
        return this.#message(input.from, input.message as Message | ServiceMessage, stamp);
      case "synced":
        return this.#synced(input.token);
      case "accepted":
        return this.#service.accepted(input.connection, input.from);
      case "received":
        return this.#service.received(input.connection, input.data, stamp);
      case "closed":
        return this.#service.closed(input.connection);
      case "asked":
        return this.#asked(input.ask);
      case "connected":
        return;
    }
  }

  flush(stamp: Stamp): void {
    const peer = this.#running();
    if (this.#proposals.length > 0) this.#proposeAll(stamp);
    for (let ready = peer.ready(); ready !== null; ready = peer.ready()) {
      if (ready.soft !== null) this.#service.roleChanged(peer.status(), stamp);
      if (ready.persist !== null) this.#persist(ready.persist);
      if (ready.send.length > 0) this.#sendOrHold(ready.send);
      if (ready.apply.length > 0) this.#apply(ready.apply, stamp);
      for (const { context, index } of ready.readStates) this.#readIsAt(context, index, stamp);
      // What the service made of it belongs to this batch too.
      if (this.#proposals.length > 0) this.#proposeAll(stamp);
    }
    let wakeAt = this.#tickedAt + peer.ticksUntilDue() * this.#config.tick;
    if (this.#askAgainAt !== null && this.#askAgainAt < wakeAt) wakeAt = this.#askAgainAt;
    if (this.#serviceWakeAt !== null && this.#serviceWakeAt < wakeAt) wakeAt = this.#serviceWakeAt;
    if (wakeAt !== this.#wakeAt) {
      this.#wakeAt = wakeAt;
      this.#out.wake(wakeAt === Number.POSITIVE_INFINITY ? null : wakeAt);
    }
  }

  checkpoint(): ReplicaCheckpoint {
    return {
      peer: this.#running().checkpoint(),
      wal: this.#wal.checkpoint(),
      service: this.#service.checkpoint(),
      rng: this.#rng.state(),
      incarnation: this.#incarnation,
      tickedAt: this.#tickedAt,
      wakeAt: this.#wakeAt,
      applied: this.#applied,
      snapshot: this.#snapshot,
      tokens: this.#tokens,
      pledge: this.#pledge,
      writes: [...this.#writes],
      tickets: this.#tickets,
      reads: [...this.#reads],
      askAgainAt: this.#askAgainAt,
      snapshotsDue: [...this.#snapshotsDue],
      settings: this.#settings,
      serviceWakeAt: this.#serviceWakeAt,
    };
  }

  restore(checkpoint: unknown): void {
    const saved = checkpoint as ReplicaCheckpoint;
    this.#rng = rngFromState(saved.rng);
    this.#snapshot = saved.snapshot;
    this.#service.resume(saved.service);
    this.#wal.restore(saved.wal);
    this.#incarnation = saved.incarnation;
    this.#tickedAt = saved.tickedAt;
    this.#wakeAt = saved.wakeAt;
    this.#applied = saved.applied;
    this.#tokens = saved.tokens;
    this.#pledge = saved.pledge;
    this.#writes = [...saved.writes];
    this.#tickets = saved.tickets;
    for (const [context, read] of saved.reads) this.#reads.set(context, read);
    this.#askAgainAt = saved.askAgainAt;
    for (const [member, due] of saved.snapshotsDue) this.#snapshotsDue.set(member, due);
    this.#settings = saved.settings;
    this.#serviceWakeAt = saved.serviceWakeAt;
    this.#peer = restorePeer(this.#peerConfig(null), saved.peer);
    this.#service.start(this.#serviceHost());
  }

  // ── start ──

  #boot({ incarnation, files, settings }: Input & { type: "boot" }): void {
    this.#incarnation = incarnation;
    this.#settings = settings;
    const recovered = this.#wal.recover(files, (last) => hasWholeSnapshot(files, last));
    this.#snapshot = readSnapshot(files, recovered.snapshot);
    this.#removeSnapshotsBut(recovered.snapshot, files);
    if (this.#snapshot !== null) this.#service.restore(this.#snapshot.data);
    this.#applied = recovered.snapshot;
    const { hardState, snapshot, entries, tornBytes } = recovered;
    this.#pledge = { term: hardState?.term ?? 0, vote: hardState?.vote ?? null };
    this.#emit?.({
      type: "recovered",
      term: hardState?.term ?? 0,
      vote: hardState?.vote ?? null,
      commit: hardState?.commit ?? snapshot.index,
      snapshot,
      entries: entries.map((entry) => shownOf(entry, this.#label)),
      tornBytes,
      summary: this.#service.summary(),
    });
    // Machines are not switched on at the same instant: the first tick comes after a part of a tick.
    this.#tickedAt = this.#now - this.#rng.below(this.#config.tick);
    const conf: ConfState = this.#snapshot?.conf ?? {
      voters: this.#config.voters,
      votersOutgoing: [],
      learners: [],
      learnersNext: [],
      autoLeave: false,
    };
    this.#peer = createPeer(this.#peerConfig({ hardState, conf, base: snapshot, entries, applied: snapshot.index }));
    this.#service.start(this.#serviceHost());
  }

  #serviceHost(): ServiceHost {
    const applied = (): EntryId => this.#applied;
    const peer = this.#running();
    return {
      id: this.#id,
      incarnation: this.#incarnation,
      propose: (command) => this.#propose(command),
      proposeConfChange: (change) => this.#proposeConfChange(change),
      readIndex: () => this.#readIndex(),
      forget: (ticket) => this.#forget(ticket),
      keyOf: (ticket) => this.#keyOf(ticket),
      transferTo: (to) => void this.#running().step({ type: "transfer-leadership", to }),
      send: (to, data) => this.#out.send(to as string as ProcessId, { type: "service", data } satisfies ServiceMessage),
      transmit: (connection, data) => this.#out.transmit(connection, data),
      close: (connection) => this.#out.close(connection),
      wakeAt: (awake) => void (this.#serviceWakeAt = awake),
      get applied() {
        return applied();
      },
      get commit() {
        return peer.commit;
      },
      get term() {
        return peer.term;
      },
      status: () => peer.status(),
      progress: () => peer.progress(),
      takeSnapshot: () => this.#takeSnapshot(this.#config.catchUpEntries),
      rng: this.#rng,
      emit: this.#emit as ((event: object) => void) | null,
    };
  }

  #peerConfig(restored: PeerConfig["restored"] | null): PeerConfig {
    const { electionTicks, electionSpreadTicks, heartbeatTicks } = this.#config;
    const { preVote, checkQuorum, readOnly } = this.#settings;
    return {
      id: this.#id,
      restored: restored ?? { hardState: null, conf: NO_CONF, base: NOTHING, entries: [], applied: 0 },
      electionTicks,
      electionSpreadTicks,
      heartbeatTicks,
      preVote,
      checkQuorum,
      readOnly,
      // One that went on leading would take no proposals and let nobody else lead.
      stepDownOnRemoval: true,
      broken: brokenIn(this.#settings),
      asyncStorage: true,
      draw: (n) => this.#rng.below(n),
      snapshot: () => (this.#applied.index === 0 ? null : this.#snapshotNow()),
      emit: this.#emit === null ? null : (event) => this.#pass(event),
    };
  }

  #running(): Peer {
    return present(this.#peer, "a replica runs after its boot");
  }

  // ── time ──

  /** Brings the peer's ticks up to the present instant, and wakes the service when its time has come. */
  #tick(stamp: Stamp): void {
    const peer = this.#running();
    const { tick } = this.#config;
    let ticks = Math.floor((this.#now - this.#tickedAt) / tick);
    while (ticks > 0) {
      const some = Math.min(ticks, Math.max(1, peer.ticksUntilDue()));
      this.#tickedAt += some * tick;
      peer.tick(some);
      ticks -= some;
    }
    // Asked first: to walk through an empty map makes an iterator, and time passes at every input.
    if (this.#snapshotsDue.size > 0)
      for (const [member, due] of this.#snapshotsDue) if (this.#now >= due) this.#snapshotIsLate(member);
    if (this.#askAgainAt !== null && this.#now >= this.#askAgainAt) this.#askForReads();
    if (this.#serviceWakeAt !== null && this.#now >= this.#serviceWakeAt) {
      this.#serviceWakeAt = null;
      this.#service.woke(stamp);
    }
  }

  #message(from: ProcessId, message: Message | ServiceMessage, stamp: Stamp): void {
    if (message.type === "service") return this.#service.message(from as string as NodeId, message.data, stamp);
    this.#peer?.step({ type: "message", message });
  }

  /** The longest election timeout; etcd waits 5 s for the answer to a snapshot (rafthttp). */
  get #snapshotTimeout(): Micros {
    const { tick, electionTicks, electionSpreadTicks } = this.#config;
    return (electionTicks + electionSpreadTicks) * tick;
  }

  /**
   * A leader feeds a member nothing while a snapshot travels to it, so somebody has to say that it got lost (etcd
   * ReportSnapshot). Of one that has arrived the leader knows, and takes no notice.
   */
  #snapshotIsLate(member: NodeId): void {
    this.#snapshotsDue.delete(member);
    this.#running().step({ type: "snapshot-status", peer: member, ok: false });
  }

  /**
   * Nobody hears of a term or vote that is not durable: a candidate that wins by the votes of others, crashes and forgets
   * could be elected twice in one term. A leader's entries need not wait for its disk (thesis §10.2.1), as in etcd.
   */
  #sendOrHold(messages: readonly Sendable[]): void {
    let last = this.#writes.length - 1;
    while (last >= 0 && this.#writes[last]?.held === null) last -= 1;
    if (last < 0) return this.#sendAll(messages);
    const write = this.#writes[last] as Write;
    this.#writes[last] = { ...write, held: [...(write.held ?? []), ...messages] };
  }

  #sendAll(messages: readonly Sendable[]): void {
    for (const message of messages) {
      if (message.type === "InstallSnapshot") this.#snapshotsDue.set(message.to, this.#now + this.#snapshotTimeout);
      this.#out.send(message.to as string as ProcessId, message);
    }
  }

  // ── the disk ──

  #persist(asked: Persist): void {
    const persist = this.#settings.broken.includes("answer-before-fsync") ? this.#answeredEarly(asked) : asked;
    const { hardState, entries, snapshot, mustSync } = persist;
    if (snapshot !== null) this.#writeSnapshotFile(snapshot);
    if (hardState !== null || entries.length > 0 || snapshot !== null) {
      this.#emitPersist(persist);
      this.#wal.write({ hardState, entries, snapshot: snapshot?.last ?? null });
    }
    const held = hardState !== null && this.#isNewPledge(hardState) ? [] : null;
    if (mustSync || snapshot !== null) {
      this.#writes.push({ token: this.#sync(), persist, taken: null, held });
    } else if (this.#writes.length > 0) {
      // Nothing of its own to wait for, but what it promises rests on the writes before it.
      this.#writes.push({ token: this.#tokens, persist, taken: null, held });
    } else {
      this.#written({ token: 0, persist, taken: null, held });
    }
  }

  /** Whether the term or the vote is another than in the write before. */
  #isNewPledge({ term, vote }: HardState): boolean {
    const before = this.#pledge;
    if (term === before.term && vote === before.vote) return false;
    this.#pledge = { term, vote };
    return true;
  }

  /**
   * The broken rule `answer-before-fsync`: a vote or an acknowledgement leaves when what it rests on is durable (Figure
   * 2, thesis §3.8). Without it a crash takes back what others count on: a write that was confirmed is gone.
   */
  #answeredEarly(persist: Persist): Persist {
    this.#answer(persist.then);
    return { ...persist, then: persist.then.filter(({ to }) => to === this.#id) };
  }

  #answer(acks: Persist["then"]): void {
    for (const ack of acks) if (ack.to !== this.#id) this.#out.send(ack.to as string as ProcessId, ack);
  }

  #sync(): number {
    this.#tokens += 1;
    this.#out.sync(this.#tokens);
    return this.#tokens;
  }

  #synced(token: number): void {
    while (this.#writes.length > 0 && (this.#writes[0] as Write).token <= token) {
      this.#written(this.#writes.shift() as Write);
    }
  }

  /** A write is durable: what rested on it may happen. */
  #written({ persist, taken, held }: Write): void {
    const { then, written, snapshot } = persist;
    if (taken !== null) {
      this.#keepSnapshot(taken.snapshot);
      const upTo = taken.snapshot.last.index - taken.keep;
      if (upTo >= this.#running().firstIndex) this.#running().compact(upTo);
    }
    if (snapshot !== null) {
      this.#keepSnapshot(snapshot);
      this.#service.restore(snapshot.data);
      this.#applied = snapshot.last;
      this.#emit?.({ type: "machine-restored", last: snapshot.last, summary: this.#service.summary() });
    }
    if (held !== null) this.#sendAll(held);
    this.#answer(then);
    this.#advance({ type: "persisted", then, written });
  }

  #advance(done: Done): void {
    this.#running().advance(done);
  }

  // ── the service ──

  #apply(entries: readonly Entry[], stamp: Stamp): void {
    for (const entry of entries) {
      if (entry.type !== "normal") {
        this.#applyConfChange(entry, stamp);
      } else if (entry.data.length > 0) {
        this.#applyCommand(entry, stamp);
      }
      this.#applied = { term: entry.term, index: entry.index };
    }
    this.#advance({ type: "applied", entries });
    this.#answerReads(stamp);
    const since = this.#applied.index - (this.#snapshot?.last.index ?? 0);
    if (since >= this.#config.snapshotEntries) this.#takeSnapshot(this.#config.catchUpEntries);
  }

  #applyConfChange(entry: Entry, stamp: Stamp): void {
    const peer = this.#running();
    const change = decodeConfChange(entry.type, entry.data);
    const { conf } = peer;
    const envelope = change.context.length === 0 ? null : decodeEnvelope(change.context);
    const own = { ...change, context: envelope?.command.bytes ?? change.context };
    const taken = !leavesNoVoter(conf.voters, change);
    if (!taken) this.#emit?.({ type: "conf-change-refused", change: own, conf, why: { rule: "last-voter" } });
    const vetoed = this.#service.vetoes?.(own) ?? false;
    const after = peer.applyConfChange(taken && !vetoed ? change : withoutSteps(change));
    this.#service.confApplied(own, after, this.#appliedAs(entry, envelope), stamp);
  }

  #applyCommand(entry: Entry, stamp: Stamp): void {
    const envelope = envelopeOf(entry);
    const { command } = envelope;
    this.#service.apply(command, this.#appliedAs(entry, envelope), stamp);
    if (this.#emit !== null) {
      const { index, label } = shownOf(entry, this.#label);
      this.#emit({ type: "command-applied", index, label, summary: this.#service.summary() });
    }
  }

  #appliedAs({ term, index }: Entry, envelope: Envelope | null): Applied {
    const own = envelope !== null && envelope.origin === this.#id && envelope.incarnation === this.#incarnation;
    return {
      entry: { term, index },
      ticket: own ? envelope.serial : null,
      origin: envelope,
    };
  }

  // ── what the service asks for ──

  #nextTicket(): Ticket {
    this.#tickets += 1;
    return this.#tickets;
  }

  #envelope(serial: Ticket, command: Uint8Array): Uint8Array {
    return encodeEnvelope({ origin: this.#id, incarnation: this.#incarnation, serial }, command);
  }

  #keyOf(serial: Ticket): RequestKey {
    return requestKey({ origin: this.#id, incarnation: this.#incarnation, serial });
  }

  #propose(command: Uint8Array): Ticket {
    const ticket = this.#nextTicket();
    this.#proposals.push({ ticket, proposal: { type: "normal", data: this.#envelope(ticket, command) } });
    return ticket;
  }

  #proposeConfChange(change: ConfChange): Ticket {
    const ticket = this.#nextTicket();
    const context = this.#envelope(ticket, change.context);
    this.#proposals.push({ ticket, proposal: confChangeProposal({ ...change, context }) });
    return ticket;
  }

  /** What came in at one instant is proposed as one: one append to each follower, one write to the disk. */
  #proposeAll(stamp: Stamp): void {
    const proposals = this.#proposals;
    this.#proposals = [];
    const problem = this.#running().step({ type: "propose", proposals: proposals.map(({ proposal }) => proposal) });
    if (problem === undefined) return;
    for (const { ticket } of proposals) this.#service.refused(ticket, problem.why, stamp);
  }

  #readIndex(): Ticket | null {
    if (this.#running().leader === null) return null;
    const ticket = this.#nextTicket();
    this.#askForRead({ ticket, index: null });
    this.#askAgainAt ??= this.#now + this.#config.electionTicks * this.#config.tick;
    return ticket;
  }

  #forget(ticket: Ticket): void {
    for (const [context, read] of this.#reads) if (read.ticket === ticket) this.#reads.delete(context);
  }

  /** The read may be answered once entry `index` is applied. */
  #readIsAt(context: string, index: Index, stamp: Stamp): void {
    const read = this.#reads.get(context);
    if (read === undefined || read.index !== null) return;
    this.#reads.set(context, { ...read, index });
    this.#answerReads(stamp);
  }

  #answerReads(stamp: Stamp): void {
    if (this.#reads.size === 0) return;
    for (const [context, read] of this.#reads) {
      if (read.index === null || read.index > this.#applied.index) continue;
      this.#reads.delete(context);
      this.#service.readable(read.ticket, stamp);
    }
    if (this.#reads.size === 0) this.#askAgainAt = null;
  }

  /**
   * Those that have no index yet: the question or its answer may be lost (etcd asks again every 500 ms). Under a new
   * name, so that a late answer to the first question is not taken for one to the second.
   */
  #askForReads(): void {
    this.#askAgainAt = this.#now + this.#config.electionTicks * this.#config.tick;
    for (const [context, read] of Array.from(this.#reads)) {
      if (read.index !== null) continue;
      this.#reads.delete(context);
      this.#askForRead(read);
    }
  }

  #askForRead(read: Read): void {
    const context = this.#keyOf(this.#nextTicket());
    this.#reads.set(context, read);
    this.#running().step({ type: "read-index", context });
  }

  /** A person asks this member to do something. What the peer refuses, it says itself. */
  #asked(ask: Ask): void {
    const peer = this.#running();
    switch (ask.type) {
      case "membership": {
        const steps = ask.steps.map(({ operation, id }) => ({ operation, id: id as string as NodeId }));
        peer.step({
          type: "propose-conf-change",
          change: { transition: ask.transition, steps, context: new Uint8Array() },
        });
        return;
      }
      case "transfer":
        peer.step({ type: "transfer-leadership", to: this.#id });
        return;
      case "snapshot":
        return this.#takeSnapshot(0);
      case "settings":
        this.#settings = ask.settings;
        peer.setPreVote(ask.settings.preVote);
        peer.setCheckQuorum(ask.settings.checkQuorum);
        peer.setReadOnly(ask.settings.readOnly);
        peer.setBroken(brokenIn(ask.settings));
        this.#emit?.({ type: "settings-taken", settings: ask.settings });
        return;
      case "write":
      case "read":
      case "console":
      case "hold-back":
      case "step-client":
      case "fence":
        return;
    }
  }

  // ── snapshots ──

  /** Of all that is applied; entries before the last `keep` are then forgotten. One at a time. */
  #takeSnapshot(keep: number): void {
    const underWay = this.#writes.some(({ taken, persist }) => taken !== null || persist.snapshot !== null);
    if (underWay || this.#applied.index <= (this.#snapshot?.last.index ?? 0)) return;
    const snapshot = this.#snapshotNow();
    this.#writeSnapshotFile(snapshot);
    this.#wal.write({ hardState: null, entries: [], snapshot: snapshot.last });
    const persist = { then: [], written: null, snapshot: null };
    this.#writes.push({ token: this.#sync(), persist, taken: { snapshot, keep }, held: null });
    this.#emit?.({ type: "snapshot-taken", last: snapshot.last, bytes: snapshot.data.length });
  }

  /** A follower is sent the state as of now, not the newest file: that may not know of the follower yet. */
  #snapshotNow(): Snapshot {
    return { last: this.#applied, conf: this.#running().status().conf, data: this.#service.snapshot() };
  }

  /** What a crash left of snapshots that never became durable: the next one of that index begins a new file. */
  #removeSnapshotsBut(kept: EntryId, files: readonly DiskFile[]): void {
    for (const { name } of files) if (isSnapshotFile(name) && name !== snapshotFileName(kept)) this.#out.remove(name);
  }

  #writeSnapshotFile(snapshot: Snapshot): void {
    this.#out.append(snapshotFileName(snapshot.last), encodeSnapshot(snapshot));
  }

  /** It is durable: what it covers may go. */
  #keepSnapshot(snapshot: Snapshot): void {
    if (this.#snapshot !== null) this.#out.remove(snapshotFileName(this.#snapshot.last));
    this.#snapshot = snapshot;
    this.#wal.release(snapshot.last.index);
  }

  // ── the record ──

  #emitPersist({ hardState, entries, snapshot }: Persist): void {
    if (this.#emit === null) return;
    const [first, last] = [entries[0], entries.at(-1)];
    const span = first === undefined || last === undefined ? null : { first: idOf(first), last: idOf(last) };
    this.#emit({ type: "persist-begun", hardState, entries: span, snapshot: snapshot?.last ?? null });
  }

  /** Passes on what the peer says; entries get their label, timers an instant. */
  #pass(event: RaftEvent): void {
    const emit = this.#emit;
    if (emit === null) return;
    switch (event.type) {
      case "entries-appended":
        return emit({ type: "entries-shown", entries: event.entries.map((entry) => shownOf(entry, this.#label)) });
      case "election-timer-reset":
        return emit({
          type: "timer-set",
          timer: "election",
          firesIn: this.#until(event.timeoutTicks - event.elapsedTicks),
        });
      case "heartbeat-timer-reset":
        return emit({ type: "timer-set", timer: "heartbeat", firesIn: this.#until(event.timeoutTicks) });
      default:
        return emit(event);
    }
  }

  /** The time until the tick that many ticks from now. */
  #until(ticks: number): Micros {
    return this.#tickedAt + ticks * this.#config.tick - this.#now;
  }
}

/** Those that are Raft's; the rest are kept, or not, here. */
function brokenIn({ broken }: Settings): BrokenRules {
  return new Set(broken.filter(isRaftRule));
}

const NO_SETTINGS: Settings = { preVote: false, checkQuorum: false, readOnly: "safe", broken: [] };
const NO_CONF: ConfState = { voters: [], votersOutgoing: [], learners: [], learnersNext: [], autoLeave: false };

function idOf({ term, index }: EntryId): EntryId {
  return { term, index };
}

function hasWholeSnapshot(files: readonly DiskFile[], last: EntryId): boolean {
  const file = files.find(({ name }) => name === snapshotFileName(last));
  return file !== undefined && isWholeSnapshot(file.bytes);
}

function readSnapshot(files: readonly DiskFile[], last: EntryId): Snapshot | null {
  if (last.index === 0) return null;
  const name = snapshotFileName(last);
  const file = files.find((candidate) => candidate.name === name);
  if (file === undefined) throw new WalCorrupt(`the log names ${name}, which is not on the disk`);
  return decodeSnapshot(name, file.bytes);
}
