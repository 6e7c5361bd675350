/**
 * HashKV: one figure for all that the store holds up to a revision, equal on members that hold the same (etcd
 * mvcc/hash.go). CRC-32C over `key`, then for each change its backend key and its protobuf.
 */
import { ByteWriter, crc32c } from "../../base/bytes.ts";
import { KeyValue } from "../api/messages.ts";
import { create, encode } from "../api/proto.ts";
import type { Change } from "./history.ts";

export function hashOf(changes: readonly Change[], upTo: number, compacted: number): number {
  const out = new ByteWriter(4_096);
  out.raw(Uint8Array.of(0x6b, 0x65, 0x79));
  const newest = new Map<string, Change>();
  for (const change of changes) if (change.main <= upTo) newest.set(change.kv.key, change);
  // etcd looks only if there is some key left; it then finds all that compaction has not taken.
  const someLive = [...newest.values()].some(({ tombstone }) => !tombstone);
  for (const change of changes) {
    const { main, sub, tombstone, kv } = change;
    if (main > upTo) break;
    // Of what is compacted only what is each key's newest at the asked revision counts, and a tombstone does not.
    if (main <= compacted && (tombstone || (someLive && newest.get(kv.key) !== change))) continue;
    bigEndian(out, main);
    out.u8(0x5f);
    bigEndian(out, sub);
    if (tombstone) out.u8(0x74);
    out.raw(encode(KeyValue, tombstone ? create(KeyValue, { key: kv.key }) : kv));
  }
  return crc32c(out.takeView());
}

/** Eight bytes. */
function bigEndian(out: ByteWriter, value: number): void {
  for (let shift = 2 ** 56; shift >= 1; shift /= 256) out.u8(Math.floor(value / shift) % 256);
}
