import { describe, expect, it } from "vitest";
import { leaseFromHex, leaseHex, type LeaseId } from "./ids.ts";
import {
  InternalRaftRequest,
  KeyValue,
  LeaseGrantRequest,
  PutRequest,
  RangeRequest,
  TxnRequest,
  Compare,
  RequestOp,
  WatchCreateRequest,
} from "./messages.ts";
import { create, decode, encode, protoName } from "./proto.ts";

const hex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

describe("protocol buffers", () => {
  it("leaves zero fields out and orders the others by number", () => {
    const kv = create(KeyValue, { key: "a", value: "\xff\0", modRevision: 300, version: 1 });
    expect(hex(encode(KeyValue, kv))).toBe("0a016118ac0220012a02ff00");
  });

  it("a negative int64 takes ten bytes, an id of 64 bits comes back as it was", () => {
    const grant = create(LeaseGrantRequest, { ttl: -1, id: "-9223372036854775808" as LeaseId });
    const bytes = encode(LeaseGrantRequest, grant);
    expect(hex(bytes)).toBe("08ffffffffffffffffff011080808080808080808001");
    expect(decode(LeaseGrantRequest, bytes)).toEqual(grant);
  });

  it("a revision beyond 32 bits comes back as it was", () => {
    const range = create(RangeRequest, { key: "k", revision: 2 ** 52 + 5 });
    expect(decode(RangeRequest, encode(RangeRequest, range))).toEqual(range);
  });

  it("a message that holds itself, oneofs and packed enums come back as they were", () => {
    const inner = create(TxnRequest, {
      compare: [create(Compare, { target: "LEASE", result: "NOT_EQUAL", key: "k", lease: "7" as LeaseId })],
      success: [create(RequestOp, { requestPut: create(PutRequest, { key: "é".normalize("NFC"), value: "v" }) })],
    });
    const entry = create(InternalRaftRequest, {
      txn: create(TxnRequest, { failure: [create(RequestOp, { requestTxn: inner })] }),
    });
    expect(decode(InternalRaftRequest, encode(InternalRaftRequest, entry))).toEqual(entry);
    const watch = create(WatchCreateRequest, { filters: ["NODELETE", "NOPUT"] });
    expect(decode(WatchCreateRequest, encode(WatchCreateRequest, watch))).toEqual(watch);
  });

  it("the name in the .proto file is the key in snake_case, unless it is said", () => {
    expect(Object.entries(LeaseGrantRequest.fields).map(([key, f]) => protoName(key, f))).toEqual(["TTL", "ID"]);
    expect(protoName("createRevision", (KeyValue.fields as never)["createRevision"])).toBe("create_revision");
  });
});

describe("lease ids", () => {
  it("are written as Go's %x does, and read back", () => {
    expect(leaseHex("-255" as LeaseId)).toBe("-ff");
    expect(leaseFromHex("7fffffffffffffff")).toBe("9223372036854775807");
    expect(leaseFromHex("8000000000000000")).toBeNull();
  });
});
