/** A file that `snapshot save` wrote: a member's store as it sends it to others, not a database of bbolt's. */
import { MalformedBytes } from "../../base/bytes.ts";
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
