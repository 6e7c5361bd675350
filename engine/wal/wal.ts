/**
 * A member's write-ahead log: segments of records, written before anything is promised, read once at the start.
 *
 * Entries are only ever appended; one that replaces others has a lower index than the last, and reading cuts there, as
 * in etcd. Old segments are removed once a snapshot covers all that they hold.
 */
import { assert } from "../base/assert.ts";
import { ByteWriter } from "../base/bytes.ts";
import type { Entry, EntryId, HardState, Index, NodeId } from "../raft/types.ts";
import { readRecord, type WalRecord, writeEntry, writeMetadata, writeSnapshot, writeState } from "./record.ts";

/** A new segment is begun by the first write that finds this many bytes in the last one. etcd's are 64 MB. */
export const SEGMENT_BYTES = 64_000;

/** What the log needs of a disk; `sim` calls the same `Out`. */
export interface WalDisk {
  /** Copies the bytes. */
  append(file: string, bytes: Uint8Array): void;
  truncate(file: string, length: number): void;
  remove(file: string): void;
}

export interface WalFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** What a write adds to the log. */
export interface WalWrite {
  readonly hardState: HardState | null;
  readonly entries: readonly Entry[];
  readonly snapshot: EntryId | null;
}

export interface Recovered {
  readonly hardState: HardState | null;
  /** Where the newest snapshot mark stands; 0/0 when there is none. */
  readonly snapshot: EntryId;
  /** Those behind the snapshot, without a gap. */
  readonly entries: readonly Entry[];
  /** Bytes of a torn last record, cut off. */
  readonly tornBytes: number;
}

/** Not a torn tail but damage: sound records stand behind the bad one, or what they say cannot be. The member must not start. */
export class WalCorrupt extends Error {
  override readonly name = "WalCorrupt";
}

interface Segment {
  readonly name: string;
  bytes: number;
  /** The last entry that was written when the segment was left; what a snapshot must cover before it may go. */
  lastIndex: Index;
}

export interface WalCheckpoint {
  readonly segments: readonly Segment[];
  readonly lastIndex: Index;
  readonly state: HardState | null;
}

export class Wal {
  readonly #node: NodeId;
  readonly #disk: WalDisk;
  readonly #writer = new ByteWriter(4_096);
  #segments: Segment[] = [];
  #lastIndex: Index = 0;
  #state: HardState | null = null;

  constructor(node: NodeId, disk: WalDisk) {
    this.#node = node;
    this.#disk = disk;
  }

  /** Appends to the newest segment. Durable after the disk's next sync. */
  write({ hardState, entries, snapshot }: WalWrite): void {
    if (hardState !== null) this.#state = hardState;
    const out = this.#writer;
    if (this.#segments.length === 0 || (this.#segments.at(-1) as Segment).bytes >= SEGMENT_BYTES) this.#begin();
    if (snapshot !== null) writeSnapshot(out, snapshot);
    for (const entry of entries) writeEntry(out, entry);
    if (hardState !== null) writeState(out, hardState);
    if (snapshot !== null && snapshot.index > this.#lastIndex) this.#lastIndex = snapshot.index;
    const last = entries.at(-1);
    if (last !== undefined) this.#lastIndex = last.index;
    const segment = this.#segments.at(-1) as Segment;
    segment.lastIndex = this.#lastIndex;
    if (out.length === 0) return;
    const bytes = out.takeView();
    segment.bytes += bytes.length;
    this.#disk.append(segment.name, bytes);
  }

  /** Removes the segments all of whose entries stand at or before `index`; never the newest. */
  release(index: Index): void {
    let keepFrom = 0;
    while (keepFrom < this.#segments.length - 1 && (this.#segments[keepFrom] as Segment).lastIndex <= index)
      keepFrom += 1;
    for (const segment of this.#segments.slice(0, keepFrom)) this.#disk.remove(segment.name);
    this.#segments = this.#segments.slice(keepFrom);
  }

  /**
   * Reads what the disk held at the start, and cuts off a torn tail so that writing can go on behind it.
   *
   * A snapshot's file and its mark are durable with the same sync, but a crash before that may keep the one and tear the
   * other. So a mark whose file is not whole was never durable, nor was what follows it: it counts as torn. (The file of
   * a mark that a newer one stands behind may be gone.)
   *
   * @param isWhole whether the snapshot file that a mark names is all there
   */
  recover(files: readonly WalFile[], isWhole: (last: EntryId) => boolean = () => true): Recovered {
    assert(this.#segments.length === 0, "a log is recovered before it is written");
    const segments = files.filter(({ name }) => name.startsWith("wal-"));
    const read = readSegments(segments);
    const newest = read.records.findLastIndex(({ record }) => record.type === "snapshot" && isWhole(record.last));
    const torn = read.records.findIndex(({ record }, i) => i > newest && record.type === "snapshot");
    const end = read.records[torn]?.at ?? read.end;
    this.#cut(segments, end);
    let hardState: HardState | null = null;
    let snapshot: EntryId = { term: 0, index: 0 };
    let entries: Entry[] = [];
    for (const { record, at } of torn < 0 ? read.records : read.records.slice(0, torn)) {
      const { name } = segments[at.segment] as WalFile;
      switch (record.type) {
        case "metadata":
          if (record.node !== this.#node)
            throw new WalCorrupt(`${name} belongs to ${record.node}, not to ${this.#node}`);
          break;
        case "entry":
          entries = appendRecovered(entries, snapshot, record.entry, name);
          break;
        case "state":
          hardState = record.state;
          break;
        case "snapshot":
          snapshot = record.last;
          entries = entriesBehind(entries, snapshot);
          break;
      }
      this.#lastIndex = entries.at(-1)?.index ?? snapshot.index;
      (this.#segments[at.segment] as Segment).lastIndex = this.#lastIndex;
    }
    const first = entries[0]?.index ?? snapshot.index + 1;
    if (first > snapshot.index + 1) throw new WalCorrupt(`entry ${first} does not follow ${snapshot.index}`);
    this.#state = hardState;
    const all = segments.reduce((sum, { bytes }) => sum + bytes.length, 0);
    const kept = this.#segments.reduce((sum, { bytes }) => sum + bytes, 0);
    return { hardState, snapshot, entries, tornBytes: all - kept };
  }

  /** Keeps the segments up to a place, and of that one what stands before it. */
  #cut(segments: readonly WalFile[], end: Place): void {
    for (const [k, { name, bytes }] of segments.entries()) {
      if (k > end.segment) this.#disk.remove(name);
      else {
        const length = k === end.segment ? end.offset : bytes.length;
        if (length < bytes.length) this.#disk.truncate(name, length);
        this.#segments.push({ name, bytes: length, lastIndex: 0 });
      }
    }
  }

  checkpoint(): WalCheckpoint {
    return {
      segments: this.#segments.map((segment) => ({ ...segment })),
      lastIndex: this.#lastIndex,
      state: this.#state,
    };
  }

  restore({ segments, lastIndex, state }: WalCheckpoint): void {
    this.#segments = segments.map((segment) => ({ ...segment }));
    this.#lastIndex = lastIndex;
    this.#state = state;
  }

  /** A segment can be read without those before it: it starts with whose it is, and with the hard state. */
  #begin(): void {
    const number = this.#segments.length === 0 ? 1 : Number((this.#segments.at(-1) as Segment).name.slice(4)) + 1;
    this.#segments.push({ name: `wal-${String(number).padStart(8, "0")}`, bytes: 0, lastIndex: this.#lastIndex });
    writeMetadata(this.#writer, this.#node);
    if (this.#state !== null && number > 1) writeState(this.#writer, this.#state);
  }
}

interface Place {
  readonly segment: number;
  readonly offset: number;
}

interface Placed {
  readonly record: WalRecord;
  readonly at: Place;
}

/** All sound records, and where they end. */
function readSegments(segments: readonly WalFile[]): { readonly records: readonly Placed[]; readonly end: Place } {
  const records: Placed[] = [];
  for (const [segment, { name, bytes }] of segments.entries()) {
    let offset = 0;
    while (offset < bytes.length) {
      const read = readRecord(bytes, offset);
      if (read === null) {
        if (segment < segments.length - 1 || soundRecordBehind(bytes, offset))
          throw new WalCorrupt(`${name}: the record at byte ${offset} is damaged and sound ones follow it`);
        return { records, end: { segment, offset } };
      }
      records.push({ record: read.record, at: { segment, offset } });
      offset = read.next;
    }
  }
  return { records, end: { segment: segments.length - 1, offset: segments.at(-1)?.bytes.length ?? 0 } };
}

/**
 * A torn write leaves a prefix of what was written, so nothing sound can stand behind its bad record. Every offset is
 * tried, since a damaged length says nothing of where the next record starts.
 */
function soundRecordBehind(bytes: Uint8Array, badAt: number): boolean {
  for (let at = badAt + 1; at < bytes.length; at += 1) if (readRecordOrNull(bytes, at) !== null) return true;
  return false;
}

function readRecordOrNull(bytes: Uint8Array, at: number): WalRecord | null {
  try {
    return readRecord(bytes, at)?.record ?? null;
  } catch {
    return null;
  }
}

function appendRecovered(entries: Entry[], snapshot: EntryId, entry: Entry, file: string): Entry[] {
  if (entry.index <= snapshot.index) return entries;
  // The oldest segment that is left may start anywhere; whether a snapshot covers what is gone is seen at the end.
  const first = entries[0]?.index ?? entry.index;
  const at = entry.index - first;
  if (at < 0 || at > entries.length) {
    throw new WalCorrupt(`${file}: entry ${entry.index} does not follow ${entries.at(-1)?.index ?? snapshot.index}`);
  }
  if (at < entries.length) entries.length = at;
  entries.push(entry);
  return entries;
}

/** What is left of the entries when a snapshot up to `last` stands: those behind it, if the log agrees with it. */
function entriesBehind(entries: readonly Entry[], last: EntryId): Entry[] {
  if (entries[0]?.index === last.index + 1) return [...entries];
  const at = entries.findIndex((entry) => entry.index === last.index);
  return at >= 0 && entries[at]?.term === last.term ? entries.slice(at + 1) : [];
}
