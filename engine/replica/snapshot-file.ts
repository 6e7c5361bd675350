/** A snapshot on disk: where it stands, the membership there, the machine's bytes, and a CRC-32C over all of it. */
import { ByteReader, ByteWriter, crc32c } from "../base/bytes.ts";
import type { ConfState, EntryId, NodeId, Snapshot } from "../raft/types.ts";
import { WalCorrupt } from "../wal/wal.ts";

export function snapshotFileName({ index }: EntryId): string {
  return `snap-${String(index).padStart(12, "0")}`;
}

export function encodeSnapshot({ last, conf, data }: Snapshot): Uint8Array {
  const out = new ByteWriter(data.length + 128);
  out.u32(0);
  out.varint(last.term);
  out.varint(last.index);
  for (const ids of [conf.voters, conf.votersOutgoing, conf.learners, conf.learnersNext]) {
    out.varint(ids.length);
    for (const id of ids) out.text(id);
  }
  out.u8(conf.autoLeave ? 1 : 0);
  out.bytes(data);
  out.patchU32(0, out.crc(4));
  return out.take();
}

export function decodeSnapshot(name: string, bytes: Uint8Array): Snapshot {
  const reader = new ByteReader(bytes);
  if (bytes.length < 5 || reader.u32() !== crc32c(bytes, 4))
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
