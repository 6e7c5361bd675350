/** For tests: requests in few words, and a store that takes them. */
import type { Micros } from "../base/units.ts";
import type { Bytes } from "./api/bytes.ts";
import type { EtcdError } from "./api/errors.ts";
import { type LeaseId, NO_LEASE } from "./api/ids.ts";
import {
  Compare,
  DeleteRangeRequest,
  type DeleteRangeResponse,
  InternalRaftRequest,
  PutRequest,
  type PutResponse,
  RangeRequest,
  type RangeResponse,
  RequestOp,
  TxnRequest,
  type TxnResponse,
} from "./api/messages.ts";
import { create } from "./api/proto.ts";
import { isError } from "./mvcc/txn.ts";
import { EtcdState, type EtcdStateConfig, type Outcome } from "./state.ts";

export const lease = (id: number | string): LeaseId => String(id) as LeaseId;

export const putOf = (key: Bytes, value: Bytes = "", more: Partial<PutRequest> = {}): PutRequest =>
  create(PutRequest, { key, value, ...more });
export const rangeOf = (key: Bytes, more: Partial<RangeRequest> = {}): RangeRequest =>
  create(RangeRequest, { key, ...more });
export const deleteOf = (key: Bytes, rangeEnd: Bytes = "", prevKv = false): DeleteRangeRequest =>
  create(DeleteRangeRequest, { key, rangeEnd, prevKv });
export const compareOf = (key: Bytes, given: Partial<Compare>): Compare => create(Compare, { key, ...given });
export const txnOf = (given: Partial<TxnRequest>): TxnRequest => create(TxnRequest, given);

export const op = {
  put: (...args: Parameters<typeof putOf>): RequestOp => create(RequestOp, { requestPut: putOf(...args) }),
  get: (...args: Parameters<typeof rangeOf>): RequestOp => create(RequestOp, { requestRange: rangeOf(...args) }),
  del: (...args: Parameters<typeof deleteOf>): RequestOp =>
    create(RequestOp, { requestDeleteRange: deleteOf(...args) }),
  txn: (given: Partial<TxnRequest>): RequestOp => create(RequestOp, { requestTxn: txnOf(given) }),
};

/** A state that is asked as a member asks it, and has applied one entry a request. */
export class Bench {
  readonly state: EtcdState;
  now: Micros = 0;
  #index = 0;

  constructor(given: Partial<EtcdStateConfig> = {}) {
    this.state = new EtcdState({ compat: "3.5", minLeaseTtl: 2, quotaBytes: 2 ** 31, members: [], ...given });
  }

  apply(request: Partial<InternalRaftRequest>): Outcome {
    this.#index += 1;
    return this.state.apply(create(InternalRaftRequest, request), this.#index, this.now);
  }

  put(...args: Parameters<typeof putOf>): PutResponse {
    return answered(this.apply({ put: putOf(...args) }).response) as PutResponse;
  }

  del(...args: Parameters<typeof deleteOf>): DeleteRangeResponse {
    return answered(this.apply({ deleteRange: deleteOf(...args) }).response) as DeleteRangeResponse;
  }

  txn(given: Partial<TxnRequest>): TxnResponse {
    return answered(this.apply({ txn: txnOf(given) }).response) as TxnResponse;
  }

  get(...args: Parameters<typeof rangeOf>): RangeResponse {
    return answered(this.state.range(rangeOf(...args))) as RangeResponse;
  }

  compact(revision: number): object {
    return this.apply({ compaction: { revision, physical: false } }).response;
  }

  grant(id: number | string, ttl = 60): object {
    return this.apply({ leaseGrant: { id: lease(id), ttl } }).response;
  }

  revoke(id: number | string): Outcome {
    return this.apply({ leaseRevoke: { id: lease(id) } });
  }

  get revision(): number {
    return this.state.mvcc.revision;
  }

  /** Keys and values, as people write them. */
  all(revision = 0): readonly string[] {
    return this.get("\0", { rangeEnd: "\0", revision }).kvs.map(({ key, value }) => `${key}=${value}`);
  }

  leaseOf(key: Bytes): LeaseId {
    return this.get(key).kvs[0]?.lease ?? NO_LEASE;
  }
}

/** The text of an error, without the `etcdserver: ` before it; null when it is none. */
export function textOf(response: object | EtcdError | null): string | null {
  return response !== null && isError(response) ? response.message.replace("etcdserver: ", "") : null;
}

function answered(response: object | EtcdError): object {
  if (isError(response)) throw new Error(response.message);
  return response;
}
