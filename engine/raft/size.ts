/**
 * How large things are: the length of etcd's protobuf encoding, by arithmetic alone.
 *
 * The limits of flow control count these bytes (etcd Entry.Size, payloadsSize, entsSize). An entry encodes its type,
 * term and index always and its data when there is any.
 */
import type { Entry } from "./types.ts";

/** Bytes of a protobuf varint: seven bits each. */
export function varintBytes(value: number): number {
  let bytes = 1;
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) bytes += 1;
  return bytes;
}

export function entryBytes(entry: Entry): number {
  const data = entry.data.length;
  const withData = data === 0 ? 0 : 1 + varintBytes(data) + data;
  return 4 + varintBytes(entry.term) + varintBytes(entry.index) + withData; // type: tag and one byte
}

export function entriesBytes(entries: readonly Entry[]): number {
  let bytes = 0;
  for (const entry of entries) bytes += entryBytes(entry);
  return bytes;
}

/** Data alone, without what an entry adds: what a leader counts as uncommitted, and as in flight. */
export function payloadBytes(entries: readonly { readonly data: Uint8Array }[]): number {
  let bytes = 0;
  for (const entry of entries) bytes += entry.data.length;
  return bytes;
}
