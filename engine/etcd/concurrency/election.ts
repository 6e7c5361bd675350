/**
 * An election: the queue of a lock (mutex.ts), where each key carries its candidate's value
 * (etcd client/v3/concurrency/election.go).
 */
import { assert, unreachable } from "../../base/assert.ts";
import type { Bytes } from "../api/bytes.ts";
import type { EtcdError } from "../api/errors.ts";
import type { LeaseId } from "../api/ids.ts";
import type { KeyValue, RangeRequest, RangeResponse, ResponseHeader, TxnRequest } from "../api/messages.ts";
import { lockKey, lockPrefix } from "./mutex.ts";
import {
  answerOf,
  byCreate,
  call,
  createdAt,
  deleteOp,
  ELECTION_NO_LEADER,
  ELECTION_NOT_LEADER,
  putOp,
  rangeOp,
  type Reply,
  type Step,
  txn,
  type Turn,
} from "./routine.ts";
import { beginWait, waitDeletes, type WaitState } from "./wait-deletes.ts";

/** What tells a leadership apart from every other one. */
export interface Leadership {
  readonly key: Bytes;
  /** The create revision of the key. */
  readonly revision: number;
  readonly lease: LeaseId;
}

export const candidateKey = (name: Bytes, lease: LeaseId): Bytes => lockKey(lockPrefix(name), lease);

// ── campaign ──

export interface CampaignState {
  readonly prefix: Bytes;
  readonly value: Bytes;
  readonly lease: LeaseId;
  readonly at: "enter" | "proclaim" | "wait" | "resign";
  /** Null until the txn has told. */
  readonly leadership: Leadership | null;
  /** Of the first txn: it may be older than what came after. */
  readonly header: ResponseHeader | null;
  readonly wait: WaitState | null;
  readonly error: EtcdError | null;
}

export interface Elected {
  readonly leadership: Leadership;
  readonly header: ResponseHeader | null;
}

type CampaignTurn = Turn<CampaignState, Elected>;

export function campaignTxn(name: Bytes, lease: LeaseId, value: Bytes): TxnRequest {
  const key = candidateKey(name, lease);
  return txn([createdAt(key, 0)], [putOp({ key, value, lease })], [rangeOp({ key })]);
}

export function beginCampaign(name: Bytes, lease: LeaseId, value: Bytes): CampaignTurn {
  const prefix = lockPrefix(name);
  return {
    state: { prefix, value, lease, at: "enter", leadership: null, header: null, wait: null, error: null },
    step: call("KV/Txn", campaignTxn(name, lease, value)),
  };
}

export function campaign(state: CampaignState, reply: Reply): CampaignTurn {
  switch (state.at) {
    case "enter":
      return entered(state, reply);
    case "proclaim": {
      if (reply.type === "error") return resignAfter(state, reply.error);
      assert(reply.type === "answer", "a call is answered");
      const { succeeded } = answerOf("KV/Txn", reply);
      return succeeded ? queue(state) : resignAfter(state, ELECTION_NOT_LEADER);
    }
    case "wait": {
      assert(state.wait !== null && state.leadership !== null, "a waiter has its key");
      const { state: wait, step } = waitDeletes(state.wait, reply);
      const next: CampaignState = { ...state, wait };
      if (step.type !== "done") return { state: next, step };
      const { leadership, header } = state;
      return { state: next, step: { type: "done", result: { leadership, header } } };
    }
    case "resign":
      assert(state.error !== null, "there was a reason to resign");
      return { state, step: { type: "failed", error: state.error } };
    default:
      return unreachable(state.at);
  }
}

/** The caller's context is cancelled: the candidate's key is taken back. Null when that is being done already. */
export function abandonCampaign(state: CampaignState, error: EtcdError): CampaignTurn | null {
  if (state.at === "resign") return null;
  if (state.leadership === null) return { state, step: { type: "failed", error } };
  return resignAfter(state, error);
}

function entered(state: CampaignState, reply: Reply): CampaignTurn {
  if (reply.type === "error") return { state, step: { type: "failed", error: reply.error } };
  assert(reply.type === "answer", "a call is answered");
  const { header, succeeded, responses } = answerOf("KV/Txn", reply);
  const own = responses[0]?.responseRange?.kvs[0];
  const revision = succeeded ? (header?.revision ?? 0) : (own?.createRevision ?? 0);
  const { lease, prefix, value } = state;
  const leadership: Leadership = { key: lockKey(prefix, lease), revision, lease };
  const next: CampaignState = { ...state, leadership, header };
  if (succeeded || own?.value === value) return queue(next);
  return { state: { ...next, at: "proclaim" }, step: call("KV/Txn", proclaimTxn(leadership, value)) };
}

function queue(state: CampaignState): CampaignTurn {
  assert(state.leadership !== null, "a candidate has its key");
  const { state: wait, step } = beginWait(state.prefix, state.leadership.revision - 1);
  return { state: { ...state, at: "wait", wait }, step: step as Step<Elected> };
}

function resignAfter(state: CampaignState, error: EtcdError): CampaignTurn {
  assert(state.leadership !== null, "a candidate has its key");
  return { state: { ...state, at: "resign", wait: null, error }, step: call("KV/Txn", resignTxn(state.leadership)) };
}

// ── a leader's calls ──

export function proclaimTxn({ key, revision, lease }: Leadership, value: Bytes): TxnRequest {
  return txn([createdAt(key, revision)], [putOp({ key, value, lease })]);
}

/** A failed compare is not an error: somebody else leads already. */
export function resignTxn({ key, revision }: Leadership): TxnRequest {
  return txn([createdAt(key, revision)], [deleteOp({ key })]);
}

/** Null when the proclamation stands. */
export function proclaimRefused(succeeded: boolean): EtcdError | null {
  return succeeded ? null : ELECTION_NOT_LEADER;
}

export function leaderRequest(name: Bytes): RangeRequest {
  return byCreate(lockPrefix(name), "first");
}

export function leaderOf({ kvs, header }: RangeResponse): Observed | EtcdError {
  const [kv] = kvs;
  return kv === undefined ? ELECTION_NO_LEADER : { header, kv };
}

// ── observe ──

/** A leader, or a new value of it. */
export interface Observed {
  readonly header: ResponseHeader | null;
  readonly kv: KeyValue;
}

export interface ObserveState {
  readonly prefix: Bytes;
  /** `get`: asks for the leader. `first`: watches the prefix for the first candidate. `follow`: watches the leader's key. */
  readonly at: "get" | "first" | "follow";
  /** The key that is followed. */
  readonly key: Bytes | null;
}

/** Observing goes on for ever: leaders are told with each turn. */
export interface ObserveTurn extends Turn<ObserveState, never> {
  readonly told: readonly Observed[];
}

export function beginObserve(name: Bytes): ObserveTurn {
  return askLeader({ prefix: lockPrefix(name), at: "get", key: null }, []);
}

export function observe(state: ObserveState, reply: Reply): ObserveTurn {
  switch (reply.type) {
    case "error":
    case "watch-ended":
      return { state, step: { type: "failed", error: reply.error }, told: [] };
    case "answer": {
      const answer = answerOf("KV/Range", reply);
      const [kv] = answer.kvs;
      if (kv !== undefined) return follow(state, { header: answer.header, kv });
      const { prefix } = state;
      const { rangeEnd } = byCreate(prefix, "first");
      return {
        state: { prefix, at: "first", key: null },
        step: { type: "watch", key: prefix, rangeEnd, startRevision: answer.header?.revision ?? 0 },
        told: [],
      };
    }
    case "events": {
      if (state.at === "first") {
        const kv = reply.events.find(({ type }) => type === "PUT")?.kv ?? null;
        if (kv === null) return { state, step: { type: "watch-on" }, told: [] };
        return follow(state, { header: at(reply.header, kv.modRevision), kv });
      }
      const told: Observed[] = [];
      for (const { type, kv } of reply.events) {
        if (type === "DELETE") return askLeader({ ...state, at: "get", key: null }, told);
        if (kv !== null) told.push({ header: at(reply.header, kv.modRevision), kv });
      }
      return { state, step: { type: "watch-on" }, told };
    }
    default:
      return unreachable(reply);
  }
}

function askLeader(state: ObserveState, told: readonly Observed[]): ObserveTurn {
  return { state, step: call("KV/Range", byCreate(state.prefix, "first")), told };
}

function follow({ prefix }: ObserveState, seen: Observed): ObserveTurn {
  const { key } = seen.kv;
  return {
    state: { prefix, at: "follow", key },
    step: { type: "watch", key, rangeEnd: "", startRevision: (seen.header?.revision ?? 0) + 1 },
    told: [seen],
  };
}

function at(header: ResponseHeader | null, revision: number): ResponseHeader | null {
  return header === null ? null : { ...header, revision };
}
