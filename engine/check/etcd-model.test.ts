import fc from "fast-check";
import { expect, it } from "vitest";
import { checkTxn } from "../etcd/api/check.ts";
import { type LeaseId, NO_LEASE } from "../etcd/api/ids.ts";
import * as m from "../etcd/api/messages.ts";
import { create } from "../etcd/api/proto.ts";
import { Lessor } from "../etcd/lease/lessor.ts";
import { Mvcc } from "../etcd/mvcc/mvcc.ts";
import { deleteRange, isError, put, revisionHeader, txn, checkPutAgainst } from "../etcd/mvcc/txn.ts";
import { EMPTY_STORE, ETCD_MODEL, type StoreInput, type StoreOutput } from "./etcd-model.ts";

// Two descriptions of etcd's store, written apart: what the store answers the model must take, and refuse what it refuses.

const key = fc.constantFrom("a", "b", "c", "d");
const rangeEnd = fc.constantFrom("", "", "c", "e", "\0");
const lease = fc.constantFrom<LeaseId>(NO_LEASE, NO_LEASE, "1" as LeaseId, "2" as LeaseId);
const value = fc.constantFrom("", "1", "2");
const revision = fc.constantFrom(0, 0, 0, 1, 2, 3, 5, 9);
const small = fc.constantFrom(0, 0, 0, 2, 3, 4);

const range = fc
  .record({
    key,
    rangeEnd,
    revision,
    limit: fc.nat(3),
    sortOrder: fc.constantFrom("NONE" as const, "ASCEND" as const, "DESCEND" as const),
    sortTarget: fc.constantFrom(
      "KEY" as const,
      "VERSION" as const,
      "CREATE" as const,
      "MOD" as const,
      "VALUE" as const,
    ),
    keysOnly: fc.boolean(),
    countOnly: fc.nat(5).map((n) => n === 0),
    minModRevision: small,
    maxModRevision: small,
    minCreateRevision: small,
    maxCreateRevision: small,
  })
  .map((given) => create(m.RangeRequest, given));

const puts = fc
  .record({ key, value, lease, prevKv: fc.boolean(), ignoreValue: fc.nat(4), ignoreLease: fc.nat(4) })
  .map(({ ignoreValue, ignoreLease, ...given }) =>
    create(m.PutRequest, {
      ...given,
      ...(ignoreValue === 0 ? { ignoreValue: true, value: "" } : {}),
      ...(ignoreLease === 0 ? { ignoreLease: true, lease: NO_LEASE } : {}),
    }),
  );
const deletes = fc.record({ key, rangeEnd, prevKv: fc.boolean() }).map((given) => create(m.DeleteRangeRequest, given));

const compare = fc
  .record({
    key,
    rangeEnd,
    target: fc.constantFrom("VERSION" as const, "CREATE" as const, "MOD" as const, "VALUE" as const, "LEASE" as const),
    result: fc.constantFrom("EQUAL" as const, "NOT_EQUAL" as const, "GREATER" as const, "LESS" as const),
    figure: fc.nat(4),
    value,
    lease,
  })
  .map(({ target, figure, value: text, lease: id, ...given }) =>
    create(m.Compare, {
      ...given,
      target,
      version: target === "VERSION" ? figure : null,
      createRevision: target === "CREATE" ? figure : null,
      modRevision: target === "MOD" ? figure : null,
      value: target === "VALUE" ? text : null,
      lease: target === "LEASE" ? id : null,
    }),
  );

const plainOp = fc.oneof(
  puts.map((requestPut) => create(m.RequestOp, { requestPut })),
  deletes.map((requestDeleteRange) => create(m.RequestOp, { requestDeleteRange })),
  range.map((requestRange) => create(m.RequestOp, { requestRange })),
);
const txnOf = (op: fc.Arbitrary<m.RequestOp>): fc.Arbitrary<m.TxnRequest> =>
  fc.record({
    compare: fc.array(compare, { maxLength: 2 }),
    success: fc.array(op, { maxLength: 3 }),
    failure: fc.array(op, { maxLength: 3 }),
  });
const nestedOp = fc.oneof(
  { weight: 3, arbitrary: plainOp },
  { weight: 1, arbitrary: txnOf(plainOp).map((requestTxn) => create(m.RequestOp, { requestTxn })) },
);

const request: fc.Arbitrary<StoreInput> = fc.oneof(
  range.map((body): StoreInput => ({ method: "KV/Range", body })),
  puts.map((body): StoreInput => ({ method: "KV/Put", body })),
  deletes.map((body): StoreInput => ({ method: "KV/DeleteRange", body })),
  txnOf(nestedOp).map((body): StoreInput => ({ method: "KV/Txn", body })),
  fc.nat(9).map((at): StoreInput => ({ method: "KV/Compact", body: create(m.CompactionRequest, { revision: at }) })),
  fc
    .constantFrom<LeaseId>("1" as LeaseId, "2" as LeaseId)
    .map((id): StoreInput => ({ method: "Lease/LeaseGrant", body: create(m.LeaseGrantRequest, { id, ttl: 60 }) })),
  fc
    .constantFrom<LeaseId>("1" as LeaseId, "2" as LeaseId)
    .map((id): StoreInput => ({ method: "Lease/LeaseRevoke", body: create(m.LeaseRevokeRequest, { id }) })),
);

/** The store's answer; null when it refuses. */
function ask(store: Mvcc, lessor: Lessor, { method, body }: StoreInput): StoreOutput | null {
  switch (method) {
    case "KV/Range": {
      const found = store.range(body);
      return isError(found) ? null : { ...found.response, header: revisionHeader(found.revision) };
    }
    case "KV/Put":
      if (checkPutAgainst(store, lessor, body, false) !== null) return null;
      return store.write(() => put(store, body)).result;
    case "KV/DeleteRange":
      return store.write(() => deleteRange(store, body)).result;
    case "KV/Txn": {
      if (checkTxn(body, false) !== null) return null;
      const { result } = store.write(() => txn(store, lessor, body));
      return isError(result) ? null : result;
    }
    case "KV/Compact":
      if (store.compact(body.revision) !== null) return null;
      return create(m.CompactionResponse, { header: revisionHeader(store.revision) });
    case "Lease/LeaseGrant": {
      const granted = lessor.grant(body.id, body.ttl, 0);
      if (isError(granted)) return null;
      const header = revisionHeader(store.revision);
      return create(m.LeaseGrantResponse, { header, id: body.id, ttl: body.ttl });
    }
    case "Lease/LeaseRevoke": {
      const keys = lessor.revoke(body.id);
      if (isError(keys)) return null;
      store.write(() => {
        for (const attached of [...keys].sort()) store.deleteRange({ key: attached, rangeEnd: "" });
      });
      return create(m.LeaseRevokeResponse, { header: revisionHeader(store.revision) });
    }
    default:
      throw new Error("no such method");
  }
}

it("the model takes every answer of the store, and no other revision, and refuses what it refuses", () => {
  fc.assert(
    fc.property(fc.array(request, { maxLength: 30 }), (requests) => {
      const lessor = new Lessor(2);
      const store = new Mvcc("3.5", lessor);
      let state = EMPTY_STORE;
      const found: string[] = [];
      for (const input of requests) {
        if (input.method === "KV/Txn" && checkTxn(input.body, false) !== null) continue;
        const output = ask(store, lessor, input);
        const after = ETCD_MODEL.step(state, input, output);
        if (output === null) {
          if (after !== state) found.push(`changed by what was refused: ${JSON.stringify(input)}`);
          continue;
        }
        const wrong = { ...output, header: revisionHeader((output.header?.revision ?? 0) + 1) } as StoreOutput;
        if (ETCD_MODEL.step(state, input, wrong) !== null) found.push(`another revision: ${JSON.stringify(input)}`);
        if (after?.revision !== store.revision) found.push(JSON.stringify({ input, output }));
        state = after ?? state;
      }
      expect(found).toEqual([]);
    }),
    { numRuns: 400 },
  );
});
