/**
 * All that a member replicates: the store, leases, users, alarms and the membership; and what each request of the log
 * does to them (etcd server/etcdserver/apply). Members that have applied the same entries hold the same, and answer
 * HashKV alike.
 */
import { ByteReader } from "../base/bytes.ts";
import { NestedWriter } from "../base/nested-writer.ts";
import type { Micros } from "../base/units.ts";
import { type EtcdError, etcdError } from "./api/errors.ts";
import { type LeaseId, type MemberId, NO_LEASE } from "./api/ids.ts";
import {
  AlarmMember,
  type AlarmRequest,
  type AlarmType,
  AlarmResponse,
  CompactionResponse,
  DowngradeResponse,
  type InternalRaftRequest,
  LeaseGrantResponse,
  LeaseRevokeResponse,
  type PutRequest,
  type RangeRequest,
  type RangeResponse,
  type TxnRequest,
  type TxnResponse,
} from "./api/messages.ts";
import { create } from "./api/proto.ts";
import { AuthStore, type AuthCheckpoint, type AuthInfo } from "./auth/auth-store.ts";
import { type ClusterMember, Membership, type MembershipCheckpoint } from "./cluster/membership.ts";
import { Lessor, type LessorCheckpoint } from "./lease/lessor.ts";
import type { Change } from "./mvcc/history.ts";
import { type Compat, Mvcc, type MvccCheckpoint } from "./mvcc/mvcc.ts";
import { checkPutAgainst, deleteRange, isError, put, revisionHeader, txn } from "./mvcc/txn.ts";

export interface EtcdStateConfig {
  readonly compat: Compat;
  /** Seconds. */
  readonly minLeaseTtl: number;
  /** Bytes of the backend; etcd's --quota-backend-bytes. A negative one is none. */
  readonly quotaBytes: number;
  readonly members: readonly ClusterMember[];
}

/** What an entry came to. */
export interface Outcome {
  /** A response, whose header knows the revision at most; or etcd's error. */
  readonly response: object | EtcdError;
  /** The keys that it changed, for the watches. */
  readonly changes: readonly Change[];
}

export interface EtcdCheckpoint {
  readonly mvcc: MvccCheckpoint;
  readonly lessor: LessorCheckpoint;
  readonly auth: AuthCheckpoint;
  readonly membership: MembershipCheckpoint;
  readonly alarms: readonly AlarmMember[];
  readonly guard: AlarmType;
  readonly downgrade: string | null;
}

/** What etcd reckons that a key-value pair, or a lease, costs besides its bytes. */
const KV_OVERHEAD = 256;
const LEASE_OVERHEAD = 64;

export class EtcdState {
  readonly lessor: Lessor;
  readonly mvcc: Mvcc;
  readonly auth: AuthStore;
  readonly membership: Membership;
  readonly #quotaBytes: number;
  #alarms: AlarmMember[] = [];
  /**
   * The alarm that holds back requests: with two kinds raised, up to etcd 3.5 the one that was raised last, and none once
   * the last alarm of either kind was taken back (each replaces the other's applier).
   */
  #guard: AlarmType = "NONE";
  readonly #compat: Compat;
  #downgrade: string | null = null;

  constructor({ compat, minLeaseTtl, quotaBytes, members }: EtcdStateConfig) {
    this.lessor = new Lessor(minLeaseTtl);
    this.auth = new AuthStore(compat);
    this.mvcc = new Mvcc(compat, this.lessor);
    this.membership = new Membership(members);
    this.#quotaBytes = quotaBytes;
    this.#compat = compat;
  }

  /** The cluster's version, which has no patch. */
  get clusterVersion(): string {
    return `${this.#compat}.0`;
  }

  /** The version that a downgrade which was enabled leads to; null while none is under way. */
  get downgrade(): string | null {
    return this.#downgrade;
  }

  get alarms(): readonly AlarmMember[] {
    return this.#alarms;
  }

  hasAlarm(type: AlarmType): boolean {
    return this.#alarms.some(({ alarm }) => alarm === type);
  }

  // ── reading ──

  /** Alarms forbid no reads: etcd answers them past the log, where alarms are looked at. */
  range(request: RangeRequest): RangeResponse | EtcdError {
    const found = this.mvcc.range(request);
    return isError(found) ? found : { ...found.response, header: revisionHeader(found.revision) };
  }

  /** A transaction that has only ranges. */
  readTxn(request: TxnRequest): TxnResponse | EtcdError {
    return txn(this.mvcc, this.lessor, request);
  }

  /**
   * Whether the quota leaves room for what the request would add; one that adds nothing needs none. What the backend has
   * not committed counts for nothing: a burst can go beyond the quota.
   */
  hasRoom(request: Partial<InternalRaftRequest>): boolean {
    const cost = costOf(request);
    return cost === 0 || this.#quotaBytes < 0 || this.mvcc.size.total + cost < this.#quotaBytes;
  }

  // ── the log ──

  /**
   * @param index of the entry: it completes a token
   * @param now the member's own clock, by which a leader counts leases
   */
  apply(request: InternalRaftRequest, index: number, now: Micros): Outcome {
    const info: AuthInfo | null =
      request.header === null ? null : { username: request.header.username, revision: request.header.authRevision };
    const refused = this.#capped(request) ?? this.#unpermitted(request, info);
    if (refused !== null) return { response: refused, changes: NONE };
    const room = this.hasRoom(request);
    const outcome = this.#change(request, info, index, now);
    // Applied all the same: the quota is looked at before, and told after.
    if (!room && !isError(outcome.response)) return { ...outcome, response: etcdError("NoSpace") };
    return outcome;
  }

  /** What alarms forbid. */
  #capped(request: InternalRaftRequest): EtcdError | null {
    const { range, put: asked, deleteRange: deleted, txn: asTxn, compaction, leaseGrant, leaseRevoke } = request;
    if (
      this.#guard === "CORRUPT" &&
      (range ?? asked ?? deleted ?? asTxn ?? compaction ?? leaseGrant ?? leaseRevoke) !== null
    )
      return etcdError("Corrupt");
    return this.#guard === "NOSPACE" && costOf(request) > 0 ? etcdError("NoSpace") : null;
  }

  #unpermitted(request: InternalRaftRequest, info: AuthInfo | null): EtcdError | null {
    const { auth } = this;
    if (!auth.enabled) return null;
    if (request.put !== null)
      return (
        auth.checkPut(info, request.put) ??
        (request.put.lease === NO_LEASE ? null : this.#leaseUnpermitted(request.put.lease, info))
      );
    if (request.range !== null) return auth.checkRange(info, request.range);
    if (request.deleteRange !== null)
      return (
        auth.checkWrite(info, request.deleteRange) ??
        (request.deleteRange.prevKv ? auth.checkRange(info, request.deleteRange) : null)
      );
    if (request.txn !== null) return auth.checkTxn(info, request.txn);
    if (request.leaseRevoke !== null) return this.#leaseUnpermitted(request.leaseRevoke.id, info);
    return null;
  }

  /** Who ends a lease, or takes it over, deletes its keys. */
  #leaseUnpermitted(lease: LeaseId, info: AuthInfo | null): EtcdError | null {
    for (const key of this.lessor.keysOf(lease)) {
      const problem = this.auth.checkWrite(info, { key, rangeEnd: "" });
      if (problem !== null) return problem;
    }
    return null;
  }

  #change(request: InternalRaftRequest, info: AuthInfo | null, index: number, now: Micros): Outcome {
    const { mvcc, lessor } = this;
    const r = request;
    if (r.put !== null) {
      const asked = r.put;
      const problem = checkPutAgainst(mvcc, lessor, asked, false);
      if (problem !== null) return { response: problem, changes: NONE };
      const { result, changes } = mvcc.write(() => put(mvcc, asked));
      return { response: result, changes };
    }
    if (r.txn !== null) {
      const asked = r.txn;
      const { result, changes } = mvcc.write(() => txn(mvcc, lessor, asked));
      return { response: result, changes };
    }
    if (r.deleteRange !== null) {
      const asked = r.deleteRange;
      const { result, changes } = mvcc.write(() => deleteRange(mvcc, asked));
      return { response: result, changes };
    }
    if (r.range !== null) return only(this.range(r.range));
    if (r.compaction !== null)
      return only(mvcc.compact(r.compaction.revision) ?? create(CompactionResponse, { header: this.#header() }));
    if (r.leaseGrant !== null) {
      const granted = lessor.grant(r.leaseGrant.id, r.leaseGrant.ttl, now);
      return only(isError(granted) ? granted : create(LeaseGrantResponse, { header: this.#header(), ...granted }));
    }
    if (r.leaseRevoke !== null) return this.#revoke(r.leaseRevoke.id);
    if (r.leaseCheckpoint !== null) {
      for (const { id, remainingTtl } of r.leaseCheckpoint.checkpoints) lessor.setRemaining(id, remainingTtl, now);
      return only({ header: this.#header() });
    }
    if (r.alarm !== null) return only(this.#alarm(r.alarm));
    if (r.clusterMemberAttrSet !== null) {
      const { memberId, name, clientUrls } = r.clusterMemberAttrSet;
      this.membership.setAttributes(memberId, name, clientUrls);
      return only({});
    }
    if (r.downgradeInfoSet !== null) {
      const { enabled, ver } = r.downgradeInfoSet;
      this.#downgrade = enabled ? ver : null;
      return only(create(DowngradeResponse, { header: this.#header(), version: this.clusterVersion }));
    }
    if (r.authenticate !== null) {
      const { name, simpleToken } = r.authenticate;
      if (!this.auth.enabled) return only(etcdError("AuthNotEnabled"));
      return only({ header: this.#header(), token: this.auth.addToken(name, simpleToken, index) });
    }
    const done = this.auth.apply(request, info);
    return only(isError(done) ? done : { header: this.#header(), ...done });
  }

  /** The keys go with their lease, in one revision, in the order of their bytes. */
  #revoke(id: LeaseId): Outcome {
    const keys = this.lessor.revoke(id);
    if (isError(keys)) return { response: keys, changes: NONE };
    const { changes } = this.mvcc.write(() => {
      for (const key of keys) this.mvcc.deleteRange({ key, rangeEnd: "" });
    });
    return { response: create(LeaseRevokeResponse, { header: this.#header() }), changes };
  }

  #alarm({ action, memberId, alarm }: AlarmRequest): AlarmResponse {
    const matches = (other: AlarmMember): boolean => other.memberId === memberId && other.alarm === alarm;
    switch (action) {
      case "GET":
        return create(AlarmResponse, {
          alarms: this.#alarms.filter((other) => alarm === "NONE" || other.alarm === alarm),
        });
      case "ACTIVATE": {
        if (alarm === "NONE") return create(AlarmResponse);
        const isFirst = !this.hasAlarm(alarm);
        const raised = this.#alarms.find(matches) ?? create(AlarmMember, { memberId, alarm });
        if (!this.#alarms.includes(raised)) this.#alarms.push(raised);
        if (isFirst) this.#guard = alarm;
        return create(AlarmResponse, { alarms: [raised] });
      }
      case "DEACTIVATE": {
        const gone = this.#alarms.find(matches);
        if (gone === undefined) return create(AlarmResponse);
        this.#alarms = this.#alarms.filter((other) => other !== gone);
        if (!this.hasAlarm(alarm)) this.#guard = "NONE";
        return create(AlarmResponse, { alarms: [gone] });
      }
    }
  }

  /** Since an alarm is a member's, it goes with the member. */
  forgetMember(id: MemberId): void {
    this.#alarms = this.#alarms.filter(({ memberId }) => memberId !== id);
  }

  #header(): ReturnType<typeof revisionHeader> {
    return revisionHeader(this.mvcc.revision);
  }

  // ── state ──

  snapshot(): Uint8Array {
    const out = new NestedWriter(4_096);
    this.lessor.snapshot(out);
    this.mvcc.snapshot(out);
    this.auth.snapshot(out);
    this.membership.snapshot(out);
    out.varint(this.#alarms.length);
    for (const { memberId, alarm } of this.#alarms) {
      out.text(memberId);
      out.text(alarm);
    }
    out.text(this.#guard);
    if (this.#downgrade !== null) out.text(this.#downgrade);
    return out.take();
  }

  restore(snapshot: Uint8Array): void {
    const reader = new ByteReader(snapshot);
    this.lessor.restore(reader);
    this.mvcc.restore(reader);
    this.auth.restore(reader);
    this.membership.restore(reader);
    this.#alarms = [];
    for (let left = reader.varint(); left > 0; left -= 1)
      this.#alarms.push({ memberId: reader.text() as MemberId, alarm: reader.text() as AlarmType });
    this.#guard = reader.text() as AlarmType;
    // Behind it a backup has nothing but the rest of its last page.
    const downgrade = reader.left > 0 ? reader.text() : "";
    this.#downgrade = downgrade === "" ? null : downgrade;
    for (const { key, lease } of this.mvcc.live(EVERYTHING)) if (lease !== NO_LEASE) this.lessor.attach(lease, key);
  }

  checkpoint(): EtcdCheckpoint {
    return {
      mvcc: this.mvcc.checkpoint(),
      lessor: this.lessor.checkpoint(),
      auth: this.auth.checkpoint(),
      membership: this.membership.checkpoint(),
      alarms: [...this.#alarms],
      guard: this.#guard,
      downgrade: this.#downgrade,
    };
  }

  resume({ mvcc, lessor, auth, membership, alarms, guard, downgrade }: EtcdCheckpoint): void {
    this.mvcc.resume(mvcc);
    this.lessor.resume(lessor);
    this.auth.resume(auth);
    this.membership.resume(membership);
    this.#alarms = [...alarms];
    this.#guard = guard;
    this.#downgrade = downgrade;
  }
}

const NONE: readonly Change[] = [];
const EVERYTHING = { key: "\0", rangeEnd: "\0" };

function only(response: object): Outcome {
  return { response, changes: NONE };
}

function costOf({ put: asked = null, txn: asTxn = null, leaseGrant = null }: Partial<InternalRaftRequest>): number {
  if (asked !== null) return costOfPut(asked);
  if (asTxn !== null) return costOfTxn(asTxn);
  return leaseGrant === null ? 0 : LEASE_OVERHEAD;
}

/** Of the dearer branch. What nested transactions put is not counted: etcd does not look into them. */
function costOfTxn({ success, failure }: TxnRequest): number {
  const sum = (ops: TxnRequest["success"]): number =>
    ops.reduce((total, { requestPut }) => (requestPut === null ? total : total + costOfPut(requestPut)), 0);
  return Math.max(sum(success), sum(failure));
}

function costOfPut({ key, value }: PutRequest): number {
  return KV_OVERHEAD + key.length + value.length;
}
