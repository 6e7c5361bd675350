/**
 * The records of a write-ahead log, as bytes.
 *
 * A record is its payload's length (4 bytes), the CRC-32C of type and payload (4), a type (1) and the payload. The kinds
 * are etcd's (server/storage/wal: metadata, entry, state, snapshot), the encoding is our own.
 */
import { ByteReader, ByteWriter, crc32c } from "../base/bytes.ts";
import { unreachable } from "../base/assert.ts";
import type { Entry, EntryId, EntryType, HardState, NodeId } from "../raft/types.ts";

export type WalRecord =
  /** The first record of every segment: whose log this is. */
  | { readonly type: "metadata"; readonly node: NodeId }
  | { readonly type: "entry"; readonly entry: Entry }
  | { readonly type: "state"; readonly state: HardState }
  /** A snapshot file covers the log up to here. */
  | { readonly type: "snapshot"; readonly last: EntryId };

const HEAD_BYTES = 8;
const TYPES = ["metadata", "entry", "state", "snapshot"] as const;
const ENTRY_TYPES: readonly EntryType[] = ["normal", "conf-change", "conf-change-v2"];

export function writeRecord(out: ByteWriter, record: WalRecord): void {
  const start = out.length;
  out.u32(0);
  out.u32(0);
  out.u8(TYPES.indexOf(record.type));
  switch (record.type) {
    case "metadata":
      out.text(record.node);
      break;
    case "entry":
      out.varint(record.entry.term);
      out.varint(record.entry.index);
      out.u8(ENTRY_TYPES.indexOf(record.entry.type));
      out.bytes(record.entry.data);
      break;
    case "state":
      out.varint(record.state.term);
      out.text(record.state.vote ?? "");
      out.varint(record.state.commit);
      break;
    case "snapshot":
      out.varint(record.last.term);
      out.varint(record.last.index);
      break;
    default:
      unreachable(record);
  }
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
  const type = TYPES[reader.u8()];
  if (type === undefined) return null;
  switch (type) {
    case "metadata":
      return { type, node: reader.text() as NodeId };
    case "entry": {
      const term = reader.varint();
      const index = reader.varint();
      const kind = ENTRY_TYPES[reader.u8()];
      return kind === undefined ? null : { type, entry: { term, index, type: kind, data: reader.bytes().slice() } };
    }
    case "state": {
      const term = reader.varint();
      const vote = reader.text();
      return { type, state: { term, vote: vote === "" ? null : (vote as NodeId), commit: reader.varint() } };
    }
    case "snapshot":
      return { type, last: { term: reader.varint(), index: reader.varint() } };
  }
}
