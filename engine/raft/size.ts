/**
 * How large things are: the length of etcd's protobuf encoding, by arithmetic alone.
 *
 * The limits of flow control count these bytes (etcd entsSize, payloadsSize; as of raft 3.7). An entry encodes its term
 * and index always, its type when it was given one (which proposals of data are not), and its data when there is any.
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
  const withType = entry.type === "normal" && entry.refused !== true ? 0 : 2;
  return 2 + varintBytes(entry.term) + varintBytes(entry.index) + withType + withData;
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
