/**
 * A snapshot on disk: where it stands, the membership there, the machine's bytes; before that the file's length, by
 * which a torn write is told from damage, and a CRC-32C over all that follows it.
 */
import { ByteReader, ByteWriter, crc32c } from "../base/bytes.ts";
import type { ConfState, EntryId, NodeId, Snapshot } from "../raft/types.ts";
import { WalCorrupt } from "../wal/wal.ts";

const HEAD_BYTES = 8;
const PREFIX = "snap-";

export function isSnapshotFile(name: string): boolean {
  return name.startsWith(PREFIX);
}

export function snapshotFileName({ index }: EntryId): string {
  return `${PREFIX}${String(index).padStart(12, "0")}`;
}

export function encodeSnapshot({ last, conf, data }: Snapshot): Uint8Array {
  const out = new ByteWriter(data.length + 128);
  out.u32(0);
  out.u32(0);
  out.varint(last.term);
  out.varint(last.index);
  for (const ids of [conf.voters, conf.votersOutgoing, conf.learners, conf.learnersNext]) {
    out.varint(ids.length);
    for (const id of ids) out.text(id);
  }
  out.u8(conf.autoLeave ? 1 : 0);
  out.bytes(data);
  out.patchU32(4, out.length);
  out.patchU32(0, out.crc(4));
  return out.take();
}

/** Whether the file has come to the disk as a whole; what then does not fit its checksum is damaged. */
export function isWholeSnapshot(bytes: Uint8Array): boolean {
  return bytes.length >= HEAD_BYTES && bytes.length >= new ByteReader(bytes, 4).u32();
}

export function decodeSnapshot(name: string, bytes: Uint8Array): Snapshot {
  const reader = new ByteReader(bytes);
  if (bytes.length < HEAD_BYTES || reader.u32() !== crc32c(bytes, 4) || reader.u32() !== bytes.length)
    throw new WalCorrupt(`${name} is damaged: its checksum does not fit`);
  const last = { term: reader.varint(), index: reader.varint() };
  const ids = (): NodeId[] => Array.from({ length: reader.varint() }, () => reader.text() as NodeId);
  const conf: ConfState = {
    voters: ids(),
    votersOutgoing: ids(),
    learners: ids(),
    learnersNext: ids(),
    autoLeave: reader.u8() === 1,
  };
  return { last, conf, data: reader.bytes().slice() };
}
