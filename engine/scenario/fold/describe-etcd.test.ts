import { expect, it } from "vitest";
import type { LeaseId } from "../../etcd/api/ids.ts";
import * as m from "../../etcd/api/messages.ts";
import { create } from "../../etcd/api/proto.ts";
import { describeEtcd } from "./describe-etcd.ts";

const sent = (body: object): unknown => describeEtcd({ type: "send", call: 1, body }).figures["value"];
const told = (body: object): unknown => describeEtcd({ type: "message", call: 1, body }).figures["value"];
const put = create(m.Event, { type: "PUT", kv: create(m.KeyValue, { key: "a", modRevision: 5 }) });

it("a request on a stream is told by what it asks for", () => {
  const createRequest = create(m.WatchCreateRequest, { key: "a", rangeEnd: "b" });
  expect(sent(create(m.WatchRequest, { createRequest }))).toBe("watch a*");
  const cancelRequest = create(m.WatchCancelRequest, { watchId: 2 });
  expect(sent(create(m.WatchRequest, { cancelRequest }))).toBe("cancel 2");
  expect(sent(create(m.WatchRequest, { progressRequest: create(m.WatchProgressRequest) }))).toBe("progress");
  expect(sent(create(m.LeaseKeepAliveRequest, { id: "26" as LeaseId }))).toBe("keep-alive 1a");
});

it("a response of a stream is told by what it brings", () => {
  const header = create(m.ResponseHeader, { revision: 9 });
  expect(told(create(m.WatchResponse, { header, created: true }))).toBe("created");
  expect(told(create(m.WatchResponse, { header, events: [put, put, put] }))).toBe("put a@5 +2");
  expect(told(create(m.WatchResponse, { header }))).toBe("progress 9");
  expect(told(create(m.WatchResponse, { header, canceled: true }))).toBe("cancelled");
  expect(told(create(m.LeaseKeepAliveResponse, { id: "26" as LeaseId, ttl: 10 }))).toBe("keep-alive 1a 10 s");
});
