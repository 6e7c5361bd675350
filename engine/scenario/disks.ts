/**
 * The files of the members' disks, read for a picture. A segment is read on from where it was left the last time: what
 * stands in a buffer of the disk never changes (`sim/disk.ts`), so what was read of one is kept beside it.
 */
import type { Index } from "../raft/types.ts";
import { decodeSnapshot, isSnapshotFile } from "../replica/snapshot-file.ts";
import type { DiskState } from "../sim/disk.ts";
import type { World } from "../sim/world.ts";
import type { DiskFileView, DiskView, RecordCounts } from "../trace/disk-view.ts";
import { readRecord } from "../wal/record.ts";

/** A file as it stands: not a copy, so only to be read, and at once. */
interface FileShown {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** How much of it a crash would leave for certain. */
  readonly durable: number;
}

/** What a segment holds up to `at`. */
interface SegmentRead {
  at: number;
  readonly counts: { -readonly [K in keyof RecordCounts]: number };
  /** Each entry and where its record ends. */
  readonly entries: { readonly index: Index; readonly end: number }[];
}

interface SnapshotRead {
  readonly term: number;
  readonly index: Index;
  readonly sound: boolean;
}

const SEGMENTS = new WeakMap<ArrayBufferLike, SegmentRead>();
const SNAPSHOTS = new WeakMap<ArrayBufferLike, SnapshotRead & { readonly length: number }>();

/** Those of members that have files: of etcd, ZooKeeper and the register. */
export function showDisks(world: World): readonly DiskView[] {
  return world
    .disks()
    .map(({ id, disk }) => ({ member: id, files: showFiles(filesOf(disk)) }))
    .filter(({ files }) => files.length > 0);
}

/** By name. What a crash would bring back (a removal that is not durable) is not among them. */
function filesOf({ files, undo }: DiskState): FileShown[] {
  return files
    .map(([name, { buffer, length }]) => {
      const oldest = undo.find(({ file }) => file === name);
      const durable = oldest === undefined ? length : Math.min(length, oldest.before?.length ?? 0);
      return { name, bytes: buffer.bytes.subarray(0, length), durable };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function showFiles(files: readonly FileShown[]): readonly DiskFileView[] {
  const snapshots: DiskFileView[] = [];
  const segments: DiskFileView[] = [];
  let before: Index = 0;
  for (const file of files) {
    if (isSnapshotFile(file.name)) snapshots.push(showSnapshot(file));
    else if (file.name.startsWith("wal-")) {
      const shown = showSegment(file, before);
      segments.push(shown);
      if (shown.kind === "wal" && shown.lastIndex > 0) before = shown.lastIndex;
    }
  }
  return [...snapshots, ...segments];
}

function showSegment(file: FileShown, before: Index): DiskFileView {
  const { counts, entries, at } = readSegment(file.bytes);
  const firstIndex = entries[0]?.index ?? 0;
  // etcd counts segments from 0; the second half of a name is the first entry that was to come.
  const number = Number(file.name.slice(4)) - 1;
  const toCome = number === 0 ? 0 : firstIndex > 0 ? firstIndex : before + 1;
  return {
    kind: "wal",
    name: `${hex16(number)}-${hex16(toCome)}.wal`,
    file: file.name,
    bytes: file.bytes.length,
    durableBytes: file.durable,
    badBytes: file.bytes.length - at,
    records: { ...counts },
    firstIndex,
    lastIndex: entries.at(-1)?.index ?? 0,
    durableIndex: entries.findLast(({ end }) => end <= file.durable)?.index ?? 0,
  };
}

function readSegment(bytes: Uint8Array): SegmentRead {
  let read = SEGMENTS.get(bytes.buffer);
  if (read === undefined || read.at > bytes.length) {
    read = { at: 0, counts: { metadata: 0, entry: 0, state: 0, snapshot: 0 }, entries: [] };
    SEGMENTS.set(bytes.buffer, read);
  }
  for (;;) {
    const found = recordAt(bytes, read.at);
    if (found === null) return read;
    const { record, next } = found;
    read.counts[record.type] += 1;
    if (record.type === "entry") read.entries.push({ index: record.entry.index, end: next });
    read.at = next;
  }
}

/** Bytes that are none may say anything, also of their own lengths. */
function recordAt(bytes: Uint8Array, at: number): ReturnType<typeof readRecord> {
  try {
    return readRecord(bytes, at);
  } catch {
    return null;
  }
}

function showSnapshot(file: FileShown): DiskFileView {
  const { term, index, sound } = readSnapshot(file);
  return {
    kind: "snapshot",
    name: `${hex16(term)}-${hex16(index)}.snap`,
    file: file.name,
    bytes: file.bytes.length,
    durableBytes: file.durable,
    badBytes: sound ? 0 : file.bytes.length,
    term,
    index,
  };
}

function readSnapshot({ name, bytes }: FileShown): SnapshotRead {
  const known = SNAPSHOTS.get(bytes.buffer);
  if (known?.length === bytes.length) return known;
  let read: SnapshotRead = { term: 0, index: 0, sound: false };
  try {
    read = { ...decodeSnapshot(name, bytes).last, sound: true };
  } catch {
    // Torn or damaged: that is what is shown.
  }
  SNAPSHOTS.set(bytes.buffer, { ...read, length: bytes.length });
  return read;
}

function hex16(value: number): string {
  return value.toString(16).padStart(16, "0");
}
