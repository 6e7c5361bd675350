/**
 * The records of a write-ahead log, as bytes.
 *
 * A record is its payload's length (4 bytes), the CRC-32C of type and payload (4), a type (1) and the payload. The kinds
 * are etcd's (server/storage/wal: metadata, entry, state, snapshot), the encoding is our own.
 */
import { ByteReader, ByteWriter, crc32c } from "../base/bytes.ts";
import type { Entry, EntryId, EntryType, HardState, NodeId } from "../raft/types.ts";

export type WalRecord =
  /** The first record of every segment: whose log this is. */
  | { readonly type: "metadata"; readonly node: NodeId }
  | { readonly type: "entry"; readonly entry: Entry }
  | { readonly type: "state"; readonly state: HardState }
  /** A snapshot file covers the log up to here. */
  | { readonly type: "snapshot"; readonly last: EntryId };

const HEAD_BYTES = 8;
const [METADATA, ENTRY, STATE, SNAPSHOT] = [0, 1, 2, 3] as const;
const ENTRY_TYPES: readonly EntryType[] = ["normal", "conf-change", "conf-change-v2"];

export function writeMetadata(out: ByteWriter, node: NodeId): void {
  const start = begin(out, METADATA);
  out.text(node);
  end(out, start);
}

export function writeEntry(out: ByteWriter, { term, index, type, data }: Entry): void {
  const start = begin(out, ENTRY);
  out.varint(term);
  out.varint(index);
  out.u8(ENTRY_TYPES.indexOf(type));
  out.bytes(data);
  end(out, start);
}

export function writeState(out: ByteWriter, { term, vote, commit }: HardState): void {
  const start = begin(out, STATE);
  out.varint(term);
  out.text(vote ?? "");
  out.varint(commit);
  end(out, start);
}

export function writeSnapshot(out: ByteWriter, { term, index }: EntryId): void {
  const start = begin(out, SNAPSHOT);
  out.varint(term);
  out.varint(index);
  end(out, start);
}

/** @returns where the record starts; its head is filled in at its end */
function begin(out: ByteWriter, type: number): number {
  const start = out.length;
  out.u32(0);
  out.u32(0);
  out.u8(type);
  return start;
}

function end(out: ByteWriter, start: number): void {
  out.patchU32(start, out.length - start - HEAD_BYTES);
  out.patchU32(start + 4, out.crc(start + HEAD_BYTES));
}

/** A record and where the next one starts; null when no whole and sound record stands at `at`. */
export function readRecord(
  bytes: Uint8Array,
  at: number,
): { readonly record: WalRecord; readonly next: number } | null {
  if (bytes.length - at < HEAD_BYTES + 1) return null;
  const head = new ByteReader(bytes, at);
  const length = head.u32();
  const crc = head.u32();
  const body = at + HEAD_BYTES;
  const next = body + length;
  if (length < 1 || next > bytes.length || crc32c(bytes, body, next) !== crc) return null;
  const record = readBody(new ByteReader(bytes, body, next));
  return record === null ? null : { record, next };
}

function readBody(reader: ByteReader): WalRecord | null {
  switch (reader.u8()) {
    case METADATA:
      return { type: "metadata", node: reader.text() as NodeId };
    case ENTRY: {
      const term = reader.varint();
      const index = reader.varint();
      const kind = ENTRY_TYPES[reader.u8()];
      if (kind === undefined) return null;
      return { type: "entry", entry: { term, index, type: kind, data: reader.bytes().slice() } };
    }
    case STATE: {
      const term = reader.varint();
      const vote = reader.text();
      return { type: "state", state: { term, vote: vote === "" ? null : (vote as NodeId), commit: reader.varint() } };
    }
    case SNAPSHOT:
      return { type: "snapshot", last: { term: reader.varint(), index: reader.varint() } };
    default:
      return null;
  }
}
