/**
 * A file that `snapshot save` wrote: a member's store as it sends it to others, in whole pages though not a database of
 * bbolt's, and the SHA-256 of that behind it. Whether there is one the tool tells by the length.
 */
import { MalformedBytes } from "../../base/bytes.ts";
import { sha256, SHA256_BYTES } from "../../base/sha256.ts";
import { type Bytes, toArray } from "../api/bytes.ts";
import { EtcdState } from "../state.ts";

export interface Inspected {
  readonly revision: number;
  /** Stored versions of keys, tombstones among them. */
  readonly totalKeys: number;
}

/** What is in it, or what is wrong with it, in the words of the tool. */
export function inspectSnapshot(file: Bytes): Inspected | string {
  if (file.length < 8) return "file size too small";
  const state = new EtcdState({ compat: "3.4", minLeaseTtl: 1, quotaBytes: Number.MAX_SAFE_INTEGER, members: [] });
  try {
    state.restore(toArray(file));
  } catch (error) {
    if (error instanceof MalformedBytes) return "invalid database";
    throw error;
  }
  // the tool takes the revision from the last version that is stored: of none it says 0
  const { revision, changeCount } = state.mvcc;
  return { revision: changeCount === 0 ? 0 : revision, totalKeys: changeCount };
}

/** What is wrong with the hash at its end, in the words of `snapshot restore`; null when it fits. */
export function hashProblem(file: Bytes): string | null {
  if (file.length % 512 !== SHA256_BYTES) return "snapshot missing hash but --skip-hash-check=false";
  const bytes = toArray(file);
  const [stored, found] = [bytes.subarray(-SHA256_BYTES), sha256(bytes.subarray(0, -SHA256_BYTES))];
  const shown = (hash: Uint8Array): string => `[${hash.join(" ")}]`;
  return shown(stored) === shown(found) ? null : `expected sha256 ${shown(stored)}, got ${shown(found)}`;
}

/** Without the hash. */
export function databaseOf(file: Bytes): Bytes {
  return file.length % 512 === SHA256_BYTES ? file.slice(0, -SHA256_BYTES) : file;
}
