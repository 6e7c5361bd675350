/**
 * A member's write-ahead log: segments of records, written before anything is promised, read once at the start.
 *
 * Entries are only ever appended; one that replaces others has a lower index than the last, and reading cuts there, as
 * in etcd. Old segments are removed once a snapshot covers all that they hold.
 */
import { assert } from "../base/assert.ts";
import { ByteWriter } from "../base/bytes.ts";
import type { Entry, EntryId, HardState, Index, NodeId } from "../raft/types.ts";
import { readRecord, type WalRecord, writeRecord } from "./record.ts";

/** A new segment is begun by the first write that finds this many bytes in the last one. etcd's are 64 MB. */
export const SEGMENT_BYTES = 64_000;

/** What the log needs of a disk; `sim` calls the same `Out`. */
export interface WalDisk {
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
    if (snapshot !== null) writeRecord(out, { type: "snapshot", last: snapshot });
    for (const entry of entries) writeRecord(out, { type: "entry", entry });
    if (hardState !== null) writeRecord(out, { type: "state", state: hardState });
    if (snapshot !== null && snapshot.index > this.#lastIndex) this.#lastIndex = snapshot.index;
    const last = entries.at(-1);
    if (last !== undefined) this.#lastIndex = last.index;
    const segment = this.#segments.at(-1) as Segment;
    segment.lastIndex = this.#lastIndex;
    if (out.length === 0) return;
    const bytes = out.take();
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

  /** Reads what the disk held at the start, and cuts off a torn tail so that writing can go on behind it. */
  recover(files: readonly WalFile[]): Recovered {
    assert(this.#segments.length === 0, "a log is recovered before it is written");
    let hardState: HardState | null = null;
    let snapshot: EntryId = { term: 0, index: 0 };
    let entries: Entry[] = [];
    let tornBytes = 0;
    const segments = files.filter(({ name }) => name.startsWith("wal-"));
    for (const [k, { name, bytes }] of segments.entries()) {
      let at = 0;
      while (at < bytes.length) {
        const read = readRecord(bytes, at);
        if (read === null) {
          const last = k === segments.length - 1;
          if (!last || soundRecordBehind(bytes, at)) {
            throw new WalCorrupt(`${name}: the record at byte ${at} is damaged and sound ones follow it`);
          }
          tornBytes = bytes.length - at;
          this.#disk.truncate(name, at);
          break;
        }
        at = read.next;
        const { record } = read;
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
      }
      this.#lastIndex = entries.at(-1)?.index ?? snapshot.index;
      this.#segments.push({
        name,
        bytes: bytes.length - (k === segments.length - 1 ? tornBytes : 0),
        lastIndex: this.#lastIndex,
      });
    }
    const first = entries[0]?.index ?? snapshot.index + 1;
    if (first > snapshot.index + 1) throw new WalCorrupt(`entry ${first} does not follow ${snapshot.index}`);
    this.#state = hardState;
    return { hardState, snapshot, entries, tornBytes };
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
    writeRecord(this.#writer, { type: "metadata", node: this.#node });
    if (this.#state !== null && number > 1) writeRecord(this.#writer, { type: "state", state: this.#state });
  }
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
