import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type LeaseId, NO_LEASE } from "../etcd/api/ids.ts";
import * as m from "../etcd/api/messages.ts";
import { create } from "../etcd/api/proto.ts";
import {
  EMPTY_STORE,
  ETCD_MODEL,
  modelWith,
  rangeIn,
  stateAt,
  type StoreInput,
  type StoreOutput,
  type StoreState,
  wrongLocalReads,
} from "./etcd-model.ts";
import { checkByPart, checkLinearizable, type Operation } from "./linearizability.ts";
import { REGISTER_MODEL, type RegisterInput, type RegisterOutput } from "./register-model.ts";

type StoreOp = Operation<StoreInput, StoreOutput>;
type RegisterOp = Operation<RegisterInput, RegisterOutput>;

const header = (revision: number) => create(m.ResponseHeader, { revision });
const kv = (
  key: string,
  value: string,
  modRevision: number,
  createRevision = modRevision,
  version = 1,
): m.KeyValue => ({
  key,
  value,
  modRevision,
  createRevision,
  version,
  lease: NO_LEASE,
});

function put(key: string, value: string, revision: number | null, call: number, end = call + 1): StoreOp {
  const output = revision === null ? null : create(m.PutResponse, { header: header(revision) });
  const input: StoreInput = { method: "KV/Put", body: create(m.PutRequest, { key, value }) };
  return { client: "a", input, output, call, return: revision === null ? null : end };
}

function get(key: string, found: m.KeyValue | null, revision: number, call: number, end = call + 1): StoreOp {
  const kvs = found === null ? [] : [found];
  const output = create(m.RangeResponse, { header: header(revision), kvs, count: kvs.length });
  return {
    client: "b",
    input: { method: "KV/Range", body: create(m.RangeRequest, { key }) },
    output,
    call,
    return: end,
  };
}

const judge = (history: readonly StoreOp[]) => checkLinearizable(ETCD_MODEL, history).result;

describe("the whole store, ordered by revision", () => {
  it("a read after a put that was answered sees it", () => {
    expect(judge([put("k", "1", 2, 0), get("k", kv("k", "1", 2), 2, 5)])).toBe("linearizable");
  });

  it("a stale read is found, and named", () => {
    const verdict = checkLinearizable(ETCD_MODEL, [put("k", "1", 2, 0), get("k", null, 1, 5)]);
    expect(verdict).toMatchObject({ result: "not-linearizable", stuck: { client: "b" } });
  });

  it("a read that overlaps a put may see it or not", () => {
    expect(judge([put("k", "1", 2, 0, 10), get("k", null, 1, 5)])).toBe("linearizable");
    expect(judge([put("k", "1", 2, 0, 10), get("k", kv("k", "1", 2), 2, 5)])).toBe("linearizable");
  });

  it("two reads that overlap a put may not see it and then not", () => {
    const history = [put("k", "1", 2, 0, 10), get("k", kv("k", "1", 2), 2, 2, 3), get("k", null, 1, 5, 6)];
    expect(judge(history)).toBe("not-linearizable");
  });

  it("a put without an answer may have happened, late, or never", () => {
    expect(judge([put("k", "1", null, 0), get("k", null, 1, 5)])).toBe("linearizable");
    expect(judge([put("k", "1", null, 0), get("k", null, 1, 5), get("k", kv("k", "1", 2), 2, 8)])).toBe("linearizable");
    expect(judge([put("k", "1", null, 0), get("k", kv("k", "1", 2), 2, 5), get("k", null, 1, 8)])).toBe(
      "not-linearizable",
    );
  });

  it("a put without an answer cannot happen before it was asked for", () => {
    expect(judge([get("k", kv("k", "1", 2), 2, 0), put("k", "1", null, 5)])).toBe("not-linearizable");
  });

  it("revisions that skip one need a write that nobody heard of", () => {
    expect(judge([put("k", "1", 3, 0)])).toBe("not-linearizable");
    expect(judge([put("x", "?", null, 0), put("k", "1", 3, 0)])).toBe("linearizable");
  });

  it("two writes cannot have one revision", () => {
    expect(judge([put("k", "1", 2, 0, 10), put("l", "1", 2, 0, 10)])).toBe("not-linearizable");
  });

  it("many writes of unknown outcome do not drown the search", () => {
    const unknown = Array.from({ length: 24 }, (_, i) => put(`u${i}`, "?", null, 0));
    const history = [...unknown, put("k", "1", 2, 5), put("k", "2", 3, 10), get("k", kv("k", "2", 3, 2, 2), 3, 20)];
    expect(judge(history)).toBe("linearizable");
    expect(judge([...history, get("k", kv("k", "1", 2), 2, 30)])).toBe("not-linearizable");
  });

  it("says undecided when the bound is met, and not what it does not know", () => {
    const unknown = Array.from({ length: 12 }, (_, i) => put(`u${i}`, "?", null, 0));
    const history = [...unknown, get("k", kv("k", "?", 9), 9, 5)];
    expect(checkLinearizable(ETCD_MODEL, history, 100).result).toBe("undecided");
  });

  it("a lease's end deletes its keys in one revision", () => {
    const id = "9" as LeaseId;
    const grant: StoreOp = {
      client: "a",
      input: { method: "Lease/LeaseGrant", body: create(m.LeaseGrantRequest, { id, ttl: 60 }) },
      output: create(m.LeaseGrantResponse, { header: header(1), id, ttl: 60 }),
      call: 0,
      return: 1,
    };
    const leased: StoreOp = {
      ...put("k", "1", 2, 2),
      input: { method: "KV/Put", body: create(m.PutRequest, { key: "k", value: "1", lease: id }) },
    };
    const revoke = (call: number): StoreOp => ({
      client: "a",
      input: { method: "Lease/LeaseRevoke", body: create(m.LeaseRevokeRequest, { id }) },
      output: create(m.LeaseRevokeResponse, { header: header(3) }),
      call,
      return: call + 1,
    });
    expect(judge([grant, leased, revoke(4), get("k", null, 3, 6)])).toBe("linearizable");
    expect(judge([grant, leased, revoke(4), get("k", { ...kv("k", "1", 2), lease: id }, 3, 6)])).toBe(
      "not-linearizable",
    );
    expect(judge([leased])).toBe("not-linearizable");
  });

  it("serializable reads are those of the state at their revision, however old", () => {
    const verdict = checkLinearizable(ETCD_MODEL, [put("k", "1", 2, 0), put("k", "2", 3, 5)]);
    if (verdict.result !== "linearizable") throw new Error("the history is fine");
    const read = (found: m.KeyValue, revision: number) => ({
      client: "c",
      request: create(m.RangeRequest, { key: "k", serializable: true }),
      response: create(m.RangeResponse, { header: header(revision), kvs: [found], count: 1 }),
    });
    expect(wrongLocalReads(verdict.state, [read(kv("k", "1", 2), 2)])).toEqual([]);
    expect(wrongLocalReads(verdict.state, [read(kv("k", "1", 2), 3)])).toHaveLength(1);
    expect(wrongLocalReads(verdict.state, [read(kv("k", "1", 2), 9)])).toHaveLength(1);
  });
});

// ── generated histories ──

const KEYS = ["a", "b", "c"] as const;

const request: fc.Arbitrary<StoreInput> = fc.oneof(
  fc.record({ key: fc.constantFrom(...KEYS), value: fc.constantFrom("1", "2") }).map(
    (given): StoreInput => ({
      method: "KV/Put",
      body: create(m.PutRequest, { ...given, prevKv: given.value === "1" }),
    }),
  ),
  fc
    .constantFrom(...KEYS)
    .map((key): StoreInput => ({ method: "KV/Range", body: create(m.RangeRequest, { key, rangeEnd: "d" }) })),
  fc
    .constantFrom(...KEYS)
    .map((key): StoreInput => ({ method: "KV/DeleteRange", body: create(m.DeleteRangeRequest, { key }) })),
  fc.record({ key: fc.constantFrom(...KEYS), modRevision: fc.nat(4) }).map(
    ({ key, modRevision }): StoreInput => ({
      method: "KV/Txn",
      body: {
        compare: [create(m.Compare, { key, target: "MOD", result: "LESS", modRevision })],
        success: [create(m.RequestOp, { requestPut: create(m.PutRequest, { key, value: "t" }) })],
        failure: [create(m.RequestOp, { requestRange: create(m.RangeRequest, { key }) })],
      },
    }),
  ),
);

/** What a store that does one thing after the other answers: read off the states, not asked of the model's judgement. */
function answerOf(before: StoreState, after: StoreState, { method, body }: StoreInput): StoreOutput {
  const at = header(after.revision);
  const prevs = after === before ? [] : after.events.map(({ prevKv }) => prevKv);
  switch (method) {
    case "KV/Put":
      return create(m.PutResponse, { header: at, prevKv: body.prevKv ? (prevs[0] ?? null) : null });
    case "KV/Range":
      return { header: at, ...rangeIn(before, body) };
    case "KV/DeleteRange":
      return create(m.DeleteRangeResponse, { header: at, deleted: prevs.length });
    case "KV/Txn": {
      const succeeded = after !== before;
      const [read] = body.failure;
      const op = succeeded
        ? create(m.ResponseOp, { responsePut: create(m.PutResponse) })
        : create(m.ResponseOp, {
            responseRange: { header: at, ...rangeIn(before, read?.requestRange ?? create(m.RangeRequest)) },
          });
      return { header: at, succeeded, responses: [op] };
    }
    default:
      throw new Error(`${method} is not generated`);
  }
}

/** Requests in the order in which they take effect, each with an interval around that moment. */
const history = fc
  .array(fc.record({ input: request, before: fc.nat(6), after: fc.nat(6), lost: fc.nat(9) }), { maxLength: 24 })
  .map((drawn) => {
    let state = EMPTY_STORE;
    const operations = drawn.map(({ input, before, after, lost }, i): StoreOp => {
      const next = ETCD_MODEL.step(state, input, null) ?? state;
      const output = lost === 0 ? null : answerOf(state, next, input);
      state = next;
      const at = i * 3;
      return { client: `c${i}`, input, output, call: at - before, return: output === null ? null : at + after };
    });
    return { operations, state };
  });

describe("generated histories", () => {
  it("what a sequential store answered is linearizable, whatever overlaps and whatever was not heard of", () => {
    fc.assert(
      fc.property(history, ({ operations }) => {
        expect(checkLinearizable(ETCD_MODEL, operations).result).toBe("linearizable");
      }),
      { numRuns: 200 },
    );
  });

  it("with a stale read planted at the end it is not", () => {
    fc.assert(
      fc.property(history, fc.nat(), ({ operations, state }, draw) => {
        fc.pre(state.revision > 1 && operations.every(({ output }) => output !== null));
        const old = stateAt(state, 1 + (draw % (state.revision - 1)));
        if (old === null) return;
        const body = create(m.RangeRequest, { key: "a", rangeEnd: "d" });
        const output: StoreOutput = { header: header(old.revision), ...rangeIn(old, body) };
        const at = 1_000_000;
        const stale: StoreOp = { client: "z", input: { method: "KV/Range", body }, output, call: at, return: at + 1 };
        expect(checkLinearizable(ETCD_MODEL, [...operations, stale]).result).toBe("not-linearizable");
      }),
      { numRuns: 200 },
    );
  });
});

describe("key by key", () => {
  const op = (input: RegisterInput, output: RegisterOutput | null, call: number, end = call + 1): RegisterOp => ({
    client: "a",
    input,
    output,
    call,
    return: output === null ? null : end,
  });
  const nx = (key: string, value: string, done: boolean, call: number) =>
    op({ type: "set-nx", key, value }, { type: "done", done }, call);
  const results = (operations: readonly RegisterOp[]) =>
    [...checkByPart(REGISTER_MODEL, operations, ({ key }) => key)].map(([key, { result }]) => [key, result]);

  it("a lock that two got is found in its key, and the other key is fine", () => {
    expect(results([nx("k", "1", true, 0), nx("l", "1", true, 0), nx("k", "2", true, 5)])).toEqual([
      ["k", "not-linearizable"],
      ["l", "linearizable"],
    ]);
  });

  it("a delete of unknown outcome explains it", () => {
    const release = op({ type: "delete-if", key: "k", value: "1" }, null, 3);
    expect(results([nx("k", "1", true, 0), release, nx("k", "2", true, 5)])).toEqual([["k", "linearizable"]]);
  });

  it("an acknowledged write that a failover forgot is found", () => {
    const set = op({ type: "set", key: "k", value: "1" }, { type: "done", done: true }, 0);
    const read = op({ type: "get", key: "k" }, { type: "value", value: null }, 5);
    expect(results([set, read])).toEqual([["k", "not-linearizable"]]);
  });
});

describe("what is known besides the answers", () => {
  const lost = [put("k", "x", null, 0), put("l", "y", null, 0)];
  const event: m.Event = { type: "PUT", kv: kv("l", "y", 2), prevKv: null };

  it("decides which of two writes without an answer it was", () => {
    const history = [...lost, put("m", "1", 3, 5)];
    const verdict = checkLinearizable(modelWith([event]), history);
    expect(verdict).toMatchObject({ result: "linearizable", order: [{ input: { body: { key: "l" } } }, {}] });
  });

  it("makes the order go on until it has happened", () => {
    const verdict = checkLinearizable(modelWith([event]), lost);
    expect(verdict).toMatchObject({ result: "linearizable", order: [{ input: { body: { key: "l" } } }] });
  });

  it("is not to be explained when nobody can have done it", () => {
    expect(checkLinearizable(modelWith([{ ...event, kv: kv("z", "y", 2) }]), lost).result).toBe("not-linearizable");
  });
});
