/**
 * HashKV while a compaction is under way: a real etcd has two right answers then.
 *
 * A compaction that is not `physical` is answered before anything is removed, and what it removed is committed with the
 * backend's next batch, up to 100 ms later. HashKV leaves out what is bound to go, but only if some key is left (3.4,
 * mvcc/kvstore.go, HashByRev). So with every key deleted its answer tells whether the compaction has got through, which
 * a recording on a wall clock cannot settle. The page's store compacts at once; here is what the hash is before that,
 * exactly: any other one is still a difference.
 */
import { toArray } from "../../etcd/api/bytes.ts";
import type { SnapshotResponse } from "../../etcd/api/messages.ts";
import type { Change } from "../../etcd/mvcc/history.ts";
import { hashOf } from "../../etcd/mvcc/hash.ts";
import { EtcdState } from "../../etcd/state.ts";
import type { EtcdCluster } from "./cluster.ts";

export class Compacting {
  readonly #cluster: EtcdCluster;
  /** What was stored before each compaction that may still be under way, oldest first. */
  #before: (readonly Change[])[] = [];

  constructor(cluster: EtcdCluster) {
    this.#cluster = cluster;
  }

  /** A compaction is about to be asked for. @returns what to tell when it was not refused */
  begin(isPhysical: boolean): () => void {
    if (isPhysical) return () => this.settled();
    const before = this.#stored();
    return () => {
      this.#before = [...this.#before, before];
    };
  }

  /** The real one has been waited for: by a physical compaction, which comes after all others, or for long enough. */
  settled(): void {
    this.#before = [];
  }

  /** What HashKV tells of a revision while compactions are under way, if that is something else. */
  hashes(revision: number): readonly number[] {
    if (this.#before.length === 0) return [];
    const found: number[] = [];
    const stored = new Map<string, Change>();
    // The last of them alone is not through; the last two; and so on.
    for (const part of [this.#stored(), ...this.#before.toReversed()]) {
      for (const change of part) stored.set(`${change.main}_${change.sub}`, change);
      const changes = [...stored.values()].toSorted((a, b) => a.main - b.main || a.sub - b.sub);
      if (isEverythingGone(changes, revision)) found.push(hashOf(changes, revision, -1));
    }
    return found.slice(1);
  }

  /** By way of a backup; nothing when that is refused. */
  #stored(): readonly Change[] {
    const stream = this.#cluster.open("Maintenance/Snapshot");
    this.#cluster.send(stream, {});
    this.#cluster.until(() => stream.ended);
    const parts = stream.got as SnapshotResponse[];
    this.#cluster.close(stream);
    if (parts.length === 0) return [];
    const state = new EtcdState({ compat: "3.4", minLeaseTtl: 1, quotaBytes: -1, members: [] });
    state.restore(toArray(parts.map(({ blob }) => blob).join("")));
    return state.mvcc.changesFrom(0);
  }
}

function isEverythingGone(changes: readonly Change[], revision: number): boolean {
  const newest = new Map<string, Change>();
  for (const change of changes) if (change.main <= revision) newest.set(change.kv.key, change);
  return newest.size > 0 && [...newest.values()].every(({ tombstone }) => tombstone);
}
