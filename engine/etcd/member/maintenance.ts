/** The Maintenance service (etcd v3rpc/maintenance.go), but for alarms, which go through the log. */
import { crc32c } from "../../base/bytes.ts";
import { sha256 } from "../../base/sha256.ts";
import type { Micros } from "../../base/units.ts";
import type { NodeId } from "../../raft/types.ts";
import type { Stamp } from "../../sim/process.ts";
import { fromArray } from "../api/bytes.ts";
import { CODES, type EtcdError, etcdError } from "../api/errors.ts";
import { type MemberId, NO_MEMBER } from "../api/ids.ts";
import * as m from "../api/messages.ts";
import type { Metadata, RequestOf } from "../api/methods.ts";
import { create } from "../api/proto.ts";
import { unlessAdmin, unmapped, withoutHeader } from "./answers.ts";
import { requestTimeout } from "./config.ts";
import { type Caller, type Core, type IsGone, isFailure, sooner } from "./core.ts";

const SNAPSHOT_CHUNK = 32 * 1024;
const PAGE_BYTES = 4_096;
const TRANSFER_TIMEOUT: EtcdError = {
  code: CODES.Unavailable,
  message: "etcdserver: request timed out, leader transfer took too long",
};

/** A hand-over that was asked for. */
interface Move {
  readonly caller: Caller;
  readonly to: NodeId;
  readonly deadline: Micros;
}

export interface MaintenanceCheckpoint {
  readonly moves: readonly Move[];
}

type MaintenanceMethod =
  | "Maintenance/Defragment"
  | "Maintenance/Hash"
  | "Maintenance/HashKV"
  | "Maintenance/MoveLeader";

export class Maintenance {
  readonly #core: Core;
  #moves: Move[] = [];

  constructor(core: Core) {
    this.#core = core;
  }

  call(caller: Caller, method: MaintenanceMethod, metadata: Metadata, body: object, stamp: Stamp): void {
    const core = this.#core;
    // anybody may move the leader: etcd does not ask who it is
    const refused = method === "Maintenance/MoveLeader" ? null : unlessAdmin(core, metadata);
    if (refused !== null) return core.answer(caller, unmapped(refused), stamp);
    const { mvcc } = core.state;
    switch (method) {
      case "Maintenance/Defragment":
        mvcc.defragment();
        return core.answer(caller, withoutHeader(create(m.DefragmentResponse)), stamp);
      case "Maintenance/Hash":
        mvcc.commit();
        return core.answer(caller, create(m.HashResponse, { hash: hashOf(core.state.snapshot()) }), stamp);
      case "Maintenance/HashKV": {
        const found = mvcc.hash((body as RequestOf<typeof method>).revision);
        if (isFailure(found)) return core.answer(caller, found, stamp);
        const { hash, compactRevision, revision } = found;
        const hashRevision = core.config.compat === "3.4" ? 0 : revision;
        return core.answer(caller, create(m.HashKVResponse, { hash, compactRevision, hashRevision }), stamp);
      }
      case "Maintenance/MoveLeader":
        return this.#moveLeader(caller, (body as RequestOf<typeof method>).targetId, stamp);
    }
  }

  status(): object {
    const { host, state, leader, config, isLearner } = this.#core;
    const status = host.status();
    const { total, inUse } = state.mvcc.size;
    const errors = leader === null ? ["etcdserver: no leader"] : [];
    for (const { memberId, alarm } of state.alarms) errors.push(`memberID:${memberId} alarm:${alarm} `);
    return create(m.StatusResponse, {
      version: config.version,
      dbSize: total,
      dbSizeInUse: inUse,
      leader: leader === null ? NO_MEMBER : (state.membership.byNode(leader)?.id ?? NO_MEMBER),
      raftIndex: status.commit,
      raftTerm: status.term,
      raftAppliedIndex: host.applied.index,
      isLearner,
      errors,
    });
  }

  /** The parts of a backup, in order: whole pages, as a database has them, then their SHA-256. Or why there is none. */
  snapshot(metadata: Metadata): readonly m.SnapshotResponse[] | EtcdError {
    const { state, config } = this.#core;
    const refused = unlessAdmin(this.#core, metadata);
    if (refused !== null) return unmapped(refused);
    state.mvcc.commit();
    const store = state.snapshot();
    const bytes = new Uint8Array(Math.ceil(store.length / PAGE_BYTES) * PAGE_BYTES);
    bytes.set(store);
    const version = config.compat === "3.4" ? "" : config.version;
    const parts: m.SnapshotResponse[] = [];
    for (let at = 0; at < bytes.length; at += SNAPSHOT_CHUNK) {
      const end = Math.min(bytes.length, at + SNAPSHOT_CHUNK);
      const blob = fromArray(bytes.subarray(at, end));
      parts.push(create(m.SnapshotResponse, { remainingBytes: bytes.length - end, blob, version }));
    }
    parts.push(create(m.SnapshotResponse, { blob: fromArray(sha256(bytes)), version }));
    return parts;
  }

  /** Somebody else leads: who asked for just that is answered. */
  leaderChanged(stamp: Stamp): void {
    const { leader } = this.#core;
    const moved = this.#moves.filter(({ to }) => to === leader);
    if (moved.length === 0) return;
    this.#moves = this.#moves.filter(({ to }) => to !== leader);
    for (const { caller } of moved) this.#core.answer(caller, withoutHeader(create(m.MoveLeaderResponse)), stamp);
  }

  drop(isGone: IsGone): void {
    this.#moves = this.#moves.filter(({ caller }) => !isGone(caller));
  }

  expire(stamp: Stamp): void {
    const late = this.#moves.filter(({ deadline }) => deadline <= stamp.awake);
    for (const { caller } of late) this.#core.answer(caller, TRANSFER_TIMEOUT, stamp);
    this.#moves = this.#moves.filter(({ deadline }) => deadline > stamp.awake);
  }

  nextDeadline(): Micros | null {
    let next: Micros | null = null;
    for (const { deadline } of this.#moves) next = sooner(next, deadline);
    return next;
  }

  checkpoint(): MaintenanceCheckpoint {
    return { moves: [...this.#moves] };
  }

  resume({ moves }: MaintenanceCheckpoint): void {
    this.#moves = [...moves];
  }

  // ── inside ──

  #moveLeader(caller: Caller, target: MemberId, stamp: Stamp): void {
    const core = this.#core;
    const { host } = core;
    if (core.leader !== host.id) return core.answer(caller, etcdError("NotLeader"), stamp);
    const member = core.state.membership.get(target);
    if (member === null || member.isLearner) return core.answer(caller, etcdError("BadLeaderTransferee"), stamp);
    if (member.node === host.id) return core.answer(caller, withoutHeader(create(m.MoveLeaderResponse)), stamp);
    const deadline = stamp.awake + requestTimeout(core.config);
    this.#moves.push({ caller, to: member.node, deadline });
    core.timers.requests = sooner(core.timers.requests, deadline);
    host.transferTo(member.node);
  }
}

function hashOf(bytes: Uint8Array): number {
  return crc32c(bytes, 0, bytes.length) >>> 0;
}
