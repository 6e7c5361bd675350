/**
 * Fixtures for tests of the Raft core, and a small world that drives several peers through random inputs.
 *
 * The world is the host at its plainest: messages in a bag, writes and applies in queues that are worked off when the
 * test says so. It checks what must hold while it runs (Figure 3): one leader a term, log matching, leader
 * completeness, state-machine safety.
 */
import { appendOnly, copyOf } from "../base/append-only.ts";
import { assert } from "../base/assert.ts";
import type { Rng } from "../base/rng.ts";
import { rngFor } from "../base/rng.ts";
import type { ConfChange } from "./conf-change.ts";
import { decodeConfChange } from "./conf-change.ts";
import type { RaftEvent } from "./events.ts";
import type { Input, Peer, PeerCheckpoint, PeerConfig, Persist, Restored } from "./peer.ts";
import { createPeer, restorePeer } from "./peer.ts";
import type { Ack, ConfState, Entry, EntryId, HardState, Message, NodeId, Snapshot } from "./types.ts";
import { nodeId } from "./types.ts";

export const N1: NodeId = nodeId("1");
export const N2: NodeId = nodeId("2");
export const N3: NodeId = nodeId("3");
export const N4: NodeId = nodeId("4");

export function conf(voters: readonly NodeId[], rest: Partial<ConfState> = {}): ConfState {
  return { voters, votersOutgoing: [], learners: [], learnersNext: [], autoLeave: false, ...rest };
}

export function entry(id: EntryId, rest: Partial<Entry> = {}): Entry {
  return { type: "normal", data: new Uint8Array(0), ...rest, ...id };
}

/** Entries 1, 2, … of these terms. */
export function log(...terms: readonly number[]): readonly Entry[] {
  return terms.map((term, i) => entry({ term, index: i + 1 }));
}

export function message(message: Message): Input {
  return { type: "message", message };
}

export interface Fixture extends Partial<Omit<PeerConfig, "restored">> {
  readonly restored?: Partial<Restored>;
}

/** Member 1 of three, with timeouts of 10 ticks and no randomness. */
export function configOf({ restored = {}, ...rest }: Fixture = {}): PeerConfig {
  return {
    id: N1,
    electionTicks: 10,
    heartbeatTicks: 1,
    asyncStorage: true,
    draw: () => 0,
    snapshot: () => null,
    emit: null,
    ...rest,
    restored: {
      hardState: null,
      conf: conf([N1, N2, N3]),
      base: { term: 0, index: 0 },
      entries: [],
      applied: 0,
      ...restored,
    },
  };
}

export function follower(fixture: Fixture = {}): Peer {
  return createPeer(configOf(fixture));
}

/** Does all that a Ready asks for at once, and returns what left for others, acknowledgements included. */
export function settle(peer: Peer): readonly Message[] {
  const sent: Message[] = [];
  for (let ready = peer.ready(); ready !== null; ready = peer.ready()) {
    sent.push(...ready.send);
    if (ready.persist !== null) {
      sent.push(...ready.persist.then.filter((ack) => ack.to !== peer.id));
      peer.advance({ type: "persisted", ...ready.persist });
    }
    for (const one of ready.apply)
      if (one.type !== "normal") peer.applyConfChange(decodeConfChange(one.type, one.data));
    if (ready.apply.length > 0) peer.advance({ type: "applied", entries: ready.apply });
  }
  return sent;
}

export function grant(from: NodeId, to: NodeId, term: number): Ack {
  return { type: "RequestVoteReply", from, to, term, pre: false, granted: true };
}

export function accept(from: NodeId, to: NodeId, term: number, index: number): Ack {
  return { type: "AppendEntriesReply", from, to, term, rejected: false, index, hint: { term: 0, index: 0 } };
}

/** Elected in the term after its last, its empty entry held by every other voter and committed. */
export function leader(fixture: Fixture = {}): Peer {
  const peer = follower({ ...fixture, preVote: false });
  peer.step({ type: "campaign" });
  settle(peer);
  const others = [...peer.conf.voters, ...peer.conf.learners].filter((id) => id !== peer.id);
  for (const id of others) peer.step(message(grant(id, peer.id, peer.term)));
  settle(peer);
  for (const id of others) peer.step(message(accept(id, peer.id, peer.term, peer.lastIndex)));
  settle(peer);
  if (fixture.preVote === true) peer.setPreVote(true);
  assert(peer.role === "leader" && peer.commit === peer.lastIndex, "the fixture leads");
  return peer;
}

export function appended(peer: Peer, ...data: readonly string[]): void {
  for (const text of data)
    peer.step({ type: "propose", proposals: [{ type: "normal", data: new Uint8Array(text.length).fill(97) }] });
}

/** A checkpoint without what its log array holds beyond it: for comparing. */
export function canonical(peer: Peer): PeerCheckpoint {
  const saved = peer.checkpoint();
  return { ...saved, log: { ...saved.log, entries: appendOnly(copyOf(saved.log.entries)) } };
}

// The world

interface Disk {
  hardState: HardState;
  snapshot: { readonly last: EntryId; readonly conf: ConfState; readonly applied: readonly string[] };
  entries: Entry[];
}

interface Member {
  readonly id: NodeId;
  rng: Rng;
  peer: Peer;
  disk: Disk;
  writes: Persist[];
  applies: (readonly Entry[])[];
  /** The state machine: what was applied, and the membership and last entry with it. */
  applied: string[];
  conf: ConfState;
  last: EntryId;
}

export interface WorldOptions {
  readonly seed: number;
  readonly members: number;
  readonly config?: Fixture;
  /** Instead of all ticks at once as far as they do nothing: one by one. */
  readonly singleTicks?: boolean;
  /** Posts a checkpoint to somewhere else and back: structuredClone, which the engine itself does not have. */
  readonly clone: (saved: PeerCheckpoint) => PeerCheckpoint;
  /** Every so many operations each peer is replaced by one that goes on from its checkpoint; 0 for never. */
  readonly restoreEvery?: number;
}

/** One thing that happens; numbers choose among what there is. */
export type Operation = readonly [kind: number, a: number, b: number];

const PEER_EVENTS_MAX = 1_000_000;

export class World {
  readonly events: RaftEvent[] = [];
  readonly #options: WorldOptions;
  readonly #members: Member[] = [];
  #messages: Message[] = [];
  readonly #leaders = new Map<number, NodeId>();
  readonly #applied = new Map<number, string>();
  #count = 0;

  constructor(options: WorldOptions) {
    this.#options = options;
    const ids = Array.from({ length: options.members }, (_, i) => nodeId(String(i + 1)));
    const voters = ids.slice(0, Math.max(1, options.members - 1));
    const learners = ids.slice(voters.length);
    for (const id of ids) this.#members.push(this.#newMember(id, conf(voters, { learners })));
  }

  get peers(): readonly Peer[] {
    return this.#members.map(({ peer }) => peer);
  }

  get appliedCount(): number {
    return this.#applied.size;
  }

  get termsLed(): number {
    return this.#leaders.size;
  }

  run(operations: readonly Operation[]): this {
    for (const operation of operations) {
      this.#count += 1;
      this.#perform(operation);
      const every = this.#options.restoreEvery ?? 0;
      if (every > 0 && this.#count % every === 0) for (const member of this.#members) this.#replace(member);
      this.#check();
    }
    return this;
  }

  #newMember(id: NodeId, initial: ConfState): Member {
    const none = { term: 0, index: 0 };
    const disk: Disk = {
      hardState: { term: 0, vote: null, commit: 0 },
      snapshot: { last: none, conf: initial, applied: [] },
      entries: [],
    };
    const rng = this.#rngFor(id);
    const state = { id, rng, disk, writes: [], applies: [], applied: [], conf: initial, last: none };
    const member: Member = { ...state, peer: createPeer(this.#config(id, disk, rng, () => member)) };
    return member;
  }

  #rngFor(id: NodeId): Rng {
    return rngFor(this.#options.seed, `${id} ${this.#count}`);
  }

  #config(id: NodeId, disk: Disk, rng: Rng, self: () => Member): PeerConfig {
    return {
      ...configOf(this.#options.config),
      id,
      draw: (n) => rng.below(n),
      snapshot: () => snapshotOf(self()),
      emit: (event) => {
        assert(this.events.length < PEER_EVENTS_MAX, "the world does not come to rest");
        this.events.push(event);
      },
      restored: {
        hardState: disk.hardState,
        conf: disk.snapshot.conf,
        base: disk.snapshot.last,
        entries: disk.entries,
        applied: disk.snapshot.last.index,
      },
    };
  }

  #perform([kind, a, b]: Operation): void {
    const member = this.#members[a % this.#members.length];
    assert(member !== undefined, "there is a member");
    const other = this.#members[b % this.#members.length]?.id ?? member.id;
    switch (kind % 20) {
      case 0:
      case 1:
        return this.#tick(member, (b % 25) + 1);
      case 2:
        return this.#drop(a);
      case 3:
        return this.#duplicate(a);
      case 4:
        return void member.peer.step({ type: "campaign" });
      case 5:
      case 6:
        return this.#propose(member, b);
      case 7:
        return this.#changeMembers(member, other, b);
      case 8:
        return void member.peer.step({ type: "transfer-leadership", to: other });
      case 9:
        return void member.peer.step({ type: "read-index", context: `${this.#count}` });
      case 10:
        return this.#crash(member);
      case 11:
        return this.#compact(member);
      case 12:
        return void member.peer.step({ type: b % 2 === 0 ? "forget-leader" : "campaign" });
      case 13:
        return void member.peer.step({ type: "unreachable", peer: other });
      case 14:
        return void member.peer.step({ type: "snapshot-status", peer: other, ok: b % 3 === 0 });
      case 15:
        return this.#workOff(member, b);
      default:
        return this.#flow(a, b);
    }
  }

  /** As many messages and as much work as `b` says, so that most runs get somewhere. */
  #flow(a: number, b: number): void {
    for (let i = 0; i < (b % 16) + 1; i += 1) {
      for (const member of this.#members) this.#workOff(member, 2);
      this.#deliver(a + i * 7);
    }
  }

  #deliver(at: number): void {
    const [taken] = this.#messages.splice(at % Math.max(1, this.#messages.length), 1);
    if (taken === undefined) return;
    const to = this.#members.find(({ id }) => id === taken.to);
    to?.peer.step({ type: "message", message: taken });
  }

  #drop(at: number): void {
    this.#messages.splice(at % Math.max(1, this.#messages.length), 1);
  }

  #duplicate(at: number): void {
    const copy = this.#messages[at % Math.max(1, this.#messages.length)];
    if (copy !== undefined && this.#messages.length < 200) this.#messages.push(copy);
  }

  #tick({ peer }: Member, ticks: number): void {
    let left = ticks;
    while (left > 0) {
      const step = this.#options.singleTicks === true ? 1 : Math.min(left, peer.ticksUntilDue());
      peer.tick(step);
      left -= step;
    }
  }

  #propose({ peer }: Member, b: number): void {
    const data = bytesOf(`${this.#count}`);
    peer.step({ type: "propose", proposals: Array.from({ length: (b % 3) + 1 }, () => ({ type: "normal", data })) });
  }

  #changeMembers({ peer }: Member, other: NodeId, b: number): void {
    const operation = (["add-voter", "add-learner", "remove"] as const)[b % 3] ?? "add-voter";
    const first = this.#members[(b >> 3) % this.#members.length]?.id ?? other;
    const two = (b >> 2) % 2 === 1 && first !== other;
    const change: ConfChange = {
      transition: "auto",
      steps: two
        ? [
            { operation: "add-voter", id: first },
            { operation, id: other },
          ]
        : [{ operation, id: other }],
      context: new Uint8Array(0),
    };
    const left = peer.conf.voters.filter((id) => id !== other);
    // A change that leaves no voter would be refused by the host before it is proposed.
    if (operation === "add-voter" || left.length > 1) peer.step({ type: "propose-conf-change", change });
  }

  /** Takes a Ready, and finishes the oldest writes and applies. */
  #workOff(member: Member, b: number): void {
    const ready = member.peer.ready();
    if (ready !== null) {
      this.#messages.push(...ready.send);
      if (ready.persist !== null) member.writes.push(ready.persist);
      if (ready.apply.length > 0) member.applies.push(ready.apply);
    }
    for (let i = 0; i < b % 4; i += 1) {
      const write = member.writes.shift();
      if (write !== undefined) this.#finishWrite(member, write);
      const apply = member.applies.shift();
      if (apply !== undefined) this.#finishApply(member, apply);
    }
  }

  #finishWrite(member: Member, write: Persist): void {
    const { disk, peer } = member;
    if (write.hardState !== null) disk.hardState = write.hardState;
    if (write.snapshot !== null) {
      const { last, conf, data } = write.snapshot;
      disk.snapshot = { last, conf, applied: decodeApplied(data) };
      disk.entries = [];
    }
    const first = write.entries[0];
    if (first !== undefined) {
      disk.entries = disk.entries.filter(({ index }) => index < first.index);
      disk.entries.push(...write.entries.filter(({ index }) => index > disk.snapshot.last.index));
    }
    this.#messages.push(...write.then.filter((ack) => ack.to !== peer.id));
    if (write.snapshot !== null) {
      member.applied = [...disk.snapshot.applied];
      member.conf = write.snapshot.conf;
      member.last = write.snapshot.last;
    }
    peer.advance({ type: "persisted", ...write });
  }

  #finishApply(member: Member, entries: readonly Entry[]): void {
    for (const { term, index, type, data } of entries) {
      if (index <= member.last.index) continue;
      assert(index === member.last.index + 1, "entries are applied in order");
      const text = `${term} ${type} ${data.join(",")}`;
      const known = this.#applied.get(index);
      assert(known === undefined || known === text, `state-machine safety: ${index} is ${known}, and now ${text}`);
      this.#applied.set(index, text);
      if (type !== "normal") member.conf = member.peer.applyConfChange(decodeConfChange(type, data));
      member.applied.push(text);
      member.last = { term, index };
    }
    member.peer.advance({ type: "applied", entries });
  }

  #compact(member: Member): void {
    const { last, conf, applied, disk, peer } = member;
    if (last.index <= disk.snapshot.last.index || last.index > peer.applied) return;
    disk.snapshot = { last, conf, applied: [...applied] };
    disk.entries = disk.entries.filter(({ index }) => index > last.index);
    peer.compact(last.index);
  }

  /** Memory is gone, and every write that was not finished. */
  #crash(member: Member): void {
    const { disk, id } = member;
    member.writes = [];
    member.applies = [];
    member.applied = [...disk.snapshot.applied];
    member.conf = disk.snapshot.conf;
    member.last = disk.snapshot.last;
    member.rng = this.#rngFor(id);
    member.peer = createPeer(this.#config(id, disk, member.rng, () => member));
  }

  #replace(member: Member): void {
    const { rng, id, disk } = member;
    const saved = this.#options.clone(member.peer.checkpoint());
    member.peer = restorePeer(
      this.#config(id, disk, rng, () => member),
      saved,
    );
  }

  #check(): void {
    for (const { peer } of this.#members) {
      if (peer.role !== "leader") continue;
      const known = this.#leaders.get(peer.term);
      assert(known === undefined || known === peer.id, `election safety: ${known} and ${peer.id} lead ${peer.term}`);
      if (known !== undefined) continue;
      this.#leaders.set(peer.term, peer.id);
      this.#checkCompleteness(peer);
    }
    for (const one of this.#members)
      for (const two of this.#members) if (one.id < two.id) checkLogs(one.peer, two.peer);
  }

  /** Leader completeness (§5.4): what was ever applied is in a new leader's log. */
  #checkCompleteness(peer: Peer): void {
    for (const [index, text] of this.#applied) {
      if (index < peer.firstIndex) continue;
      const entry = peer.entry(index);
      assert(
        entry !== null && `${entry.term} ${entry.type} ${entry.data.join(",")}` === text,
        `leader completeness: ${peer.id} of term ${peer.term} lacks ${index}`,
      );
    }
  }
}

/** Log matching (§5.3): where two logs hold an entry of the same id, they are equal up to it. */
function checkLogs(one: Peer, two: Peer): void {
  const first = Math.max(one.firstIndex, two.firstIndex);
  let matched = false;
  for (let index = Math.min(one.lastIndex, two.lastIndex); index >= first; index -= 1) {
    const same = one.entry(index)?.term === two.entry(index)?.term;
    assert(same || !matched, `log matching: ${one.id} and ${two.id} differ at ${index} below an equal entry`);
    matched ||= same;
  }
}

function snapshotOf({ last, conf, applied }: Member): Snapshot | null {
  return last.index === 0 ? null : { last, conf, data: bytesOf(JSON.stringify(applied)) };
}

/** Of text that is ASCII. */
function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(text, (char) => char.charCodeAt(0));
}

function decodeApplied(data: Uint8Array): readonly string[] {
  const parsed: unknown = JSON.parse(Array.from(data, (byte) => String.fromCharCode(byte)).join(""));
  assert(Array.isArray(parsed), "a snapshot of the world's state machine is a list");
  return parsed.map(String);
}
