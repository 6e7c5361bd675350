/** What a member puts on record of its store: each entry that it applies, what a snapshot brought, figures that changed. */
import { requestKey } from "../../replica/envelope.ts";
import type { Applied } from "../../replica/service.ts";
import type * as m from "../api/messages.ts";
import type { EtcdEvent } from "../events.ts";
import type { Outcome } from "../state.ts";
import { type Core, isFailure } from "./core.ts";

export type Figures = Extract<EtcdEvent, { readonly type: "etcd-figures" }>;

export function tellApplied(
  { emit, state }: Core,
  request: m.InternalRaftRequest,
  { entry, origin }: Applied,
  outcome: Outcome,
): void {
  if (emit === null) return;
  const { leaseGrant, leaseRevoke, compaction } = request;
  const failed = isFailure(outcome.response);
  const granted =
    leaseGrant !== null && !failed
      ? { lease: leaseGrant.id, ttl: (outcome.response as m.LeaseGrantResponse).ttl }
      : null;
  emit({
    type: "etcd-applied",
    key: origin === null ? "" : requestKey(origin),
    index: entry.index,
    revision: state.mvcc.revision,
    changes: outcome.changes,
    granted,
    ended: leaseRevoke !== null && !failed ? leaseRevoke.id : null,
    compacted: compaction !== null && !failed ? compaction.revision : null,
  });
}

export function tellRestored({ emit, state }: Core): void {
  if (emit === null) return;
  const { mvcc, lessor } = state;
  emit({
    type: "etcd-restored",
    revision: mvcc.revision,
    compactRevision: mvcc.compactRevision,
    changes: mvcc.changesFrom(0),
    leases: lessor.ids().map((lease) => ({ lease, ttl: lessor.grantedTtl(lease) ?? 0 })),
  });
}

/** @returns what was told last */
export function tellFigures(core: Core, watchers: number, before: Figures | null): Figures | null {
  if (core.emit === null) return before;
  const { mvcc, alarms } = core.state;
  const figures: Figures = {
    type: "etcd-figures",
    revision: mvcc.revision,
    compactRevision: mvcc.compactRevision,
    keys: mvcc.keyCount,
    dbSize: mvcc.size.total,
    dbSizeInUse: mvcc.size.inUse,
    alarms: alarms.map(({ alarm }) => alarm),
    watchers,
    isLearner: core.isLearner,
  };
  if (before !== null && isSame(figures, before)) return before;
  core.emit(figures);
  return figures;
}

function isSame(a: Figures, b: Figures): boolean {
  return (
    a.revision === b.revision &&
    a.compactRevision === b.compactRevision &&
    a.keys === b.keys &&
    a.dbSize === b.dbSize &&
    a.dbSizeInUse === b.dbSizeInUse &&
    a.watchers === b.watchers &&
    a.isLearner === b.isLearner &&
    a.alarms.join() === b.alarms.join()
  );
}
