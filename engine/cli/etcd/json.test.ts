import { describe, expect, it } from "vitest";
import { Compare, KeyValue, LeaseKeepAliveRequest, RangeRequest, TxnRequest } from "../../etcd/api/messages.ts";
import { create } from "../../etcd/api/proto.ts";
import { readMessage, readMessages, writeMessage } from "./json.ts";
import { JsonProblem } from "./json-text.ts";

const range = (text: string) => readMessage(RangeRequest, text);

describe("reading as the gateway of 3.4.23 does", () => {
  it("an empty text, blanks and null are a message with nothing in it", () => {
    for (const text of ["", " ", "null", "{}"]) expect(range(text)).toEqual(create(RangeRequest));
  });

  it("takes the first value and looks no further, but a stream takes all", () => {
    expect(range('{"key":"Zm9v"} trailing').key).toBe("foo");
    const ids = readMessages(LeaseKeepAliveRequest, '{"ID":9}{"ID":"10"}\n{}').map(({ id }) => id);
    expect(ids).toEqual(["9", "10", "0"]);
  });

  it("names in snake_case and camelCase, of which the latter counts; others are ignored, as are names in other letters", () => {
    expect(range('{"range_end":"YQ==","Key":"YQ==","bogus":[{}]}')).toMatchObject({ key: "", rangeEnd: "a" });
    expect(range('{"countOnly":true,"count_only":false}').countOnly).toBe(true);
    expect(range('{"count_only":false,"countOnly":true}').countOnly).toBe(true);
  });

  it.each([
    ['{"limit":"3"}', 3],
    ['{"limit":3}', 3],
    ['{"limit":-1}', -1],
    ['{"limit":" 1"}', 1],
    ['{"limit":null}', 0],
  ])("%s is a limit of %i", (text, limit) => {
    expect(range(text).limit).toBe(limit);
  });

  it.each([
    '{"limit":""}',
    '{"limit":"1e1"}',
    '{"limit":1e1}',
    '{"limit":1.0}',
    '{"limit":"+1"}',
    '{"limit":"01"}',
    '{"limit":true}',
    '{"limit":9223372036854775808}',
    '{"count_only":"true"}',
    '{"count_only":1}',
    '{"sort_order":"2"}',
    '{"sort_order":"descend"}',
    '{"sort_order":"UNRECOGNIZED"}',
    '{"sort_order":2.0}',
    '{"key":1}',
    '{"key":["Zm9v"]}',
    '{"key":"Zm9v="}',
    '{"key":"Zm9v===="}',
    '{"key":"Zg"}',
    '{"key":" Zm9v"}',
    '{"key":"Zm9v_-8="}',
    '{"key":"Zm9v",}',
    '{"key":"Zm9v"',
    "{'key':'Zm9v'}",
    '{"key":"a\nb"}',
    "\ufeff{}",
    "[]",
    '""',
    "0",
    "not json",
  ])("%s is refused", (text) => {
    expect(() => range(text)).toThrow(JsonProblem);
  });

  it("base64 may be broken into lines, and its unused bits may be set", () => {
    expect(range('{"key":"Zm\\r\\n9v"}').key).toBe("foo");
    expect(range('{"key":"Zh=="}').key).toBe("f");
  });

  it("enums by name or by number, also by one that has no name", () => {
    expect(range('{"sort_order":"DESCEND"}').sortOrder).toBe("DESCEND");
    expect(range('{"sort_order":2}').sortOrder).toBe("DESCEND");
    expect(range('{"sort_order":77}').sortOrder).toBe("UNRECOGNIZED");
  });

  it("what is null is left out, a list of objects is a list of messages", () => {
    const { compare, success } = readMessage(TxnRequest, '{"compare":[{"key":"YQ==","version":"1"}],"success":null}');
    expect([compare, success]).toEqual([[create(Compare, { key: "a", version: 1 })], []]);
    expect(() => readMessage(TxnRequest, '{"compare":{}}')).toThrow(JsonProblem);
  });
});

it("writes zero values not at all, 64-bit integers as strings, bytes in base64", () => {
  const kv = create(KeyValue, { key: "\xff", modRevision: 2 ** 40, lease: "-1" as KeyValue["lease"] });
  expect(writeMessage(KeyValue, kv)).toEqual({ key: "/w==", mod_revision: "1099511627776", lease: "-1" });
});
