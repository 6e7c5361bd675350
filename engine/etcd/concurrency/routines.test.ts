import { describe, expect, it } from "vitest";
import type { LeaseId } from "../api/ids.ts";
import { create, type Descriptor } from "../api/proto.ts";
import {
  DeleteRangeResponse,
  Event,
  KeyValue,
  RangeResponse,
  ResponseHeader,
  ResponseOp,
  TxnResponse,
} from "../api/messages.ts";
import { beginCampaign, beginObserve, campaign, observe } from "./election.ts";
import { beginLock, lock, type LockState, lockKey, unlockRefused } from "./mutex.ts";
import { MUTEX_LOCKED, MUTEX_SESSION_EXPIRED, ownError, type Reply } from "./routine.ts";
import { beginStm, stm, type StmFunction } from "./stm.ts";

const lease = "255" as LeaseId;
const header = (revision: number) => create(ResponseHeader, { revision });
const answer = <T>(of: Descriptor<T>, given: Partial<T>): Reply => ({
  type: "answer",
  body: create(of, given) as object,
});
const kv = (key: string, createRevision: number, value = "", modRevision = createRevision) =>
  create(KeyValue, { key, createRevision, modRevision, value, version: 1 });
const range = (...kvs: KeyValue[]) => create(ResponseOp, { responseRange: create(RangeResponse, { kvs }) });
const put = create(ResponseOp, {});
const acquired = (revision: number, owner: KeyValue) =>
  answer(TxnResponse, { header: header(revision), succeeded: true, responses: [put, range(owner)] });
const deleted: Reply = {
  type: "events",
  header: header(9),
  events: [create(Event, { type: "DELETE", kv: kv("x", 0) })],
};

function waiting(compat: "3.4" | "3.5", tryOnly = false): LockState {
  return lock(beginLock("l", lease, compat, tryOnly).state, acquired(7, kv("l/1", 5))).state;
}

describe("Mutex", () => {
  it("the own key is name, slash and lease in hex, and one txn makes it and tells the owner", () => {
    const { step } = beginLock("l", lease, "3.5");
    expect(lockKey("l/", lease)).toBe("l/ff");
    expect(step).toMatchObject({
      method: "KV/Txn",
      body: {
        compare: [{ target: "CREATE", result: "EQUAL", key: "l/ff", createRevision: 0 }],
        success: [{ requestPut: { key: "l/ff", lease } }, { requestRange: { key: "l/", rangeEnd: "l0", limit: 1 } }],
        failure: [{ requestRange: { key: "l/ff" } }, { requestRange: { sortOrder: "ASCEND", sortTarget: "CREATE" } }],
      },
    });
  });

  it("the first in the queue owns at once, with the header of the txn", () => {
    const { step } = lock(beginLock("l", lease, "3.5").state, acquired(7, kv("l/ff", 7)));
    expect(step).toMatchObject({ type: "done", result: { key: "l/ff", ownRevision: 7, header: { revision: 7 } } });
  });

  it("a session that holds the lock gets it again, with the create revision of its key", () => {
    const own = kv("l/ff", 4);
    const again = answer(TxnResponse, { header: header(9), succeeded: false, responses: [range(own), range(own)] });
    expect(lock(beginLock("l", lease, "3.5").state, again).step).toMatchObject({ result: { ownRevision: 4 } });
  });

  it("a waiter watches its direct predecessor from the get's revision, and asks again after the delete", () => {
    const asked = lock(beginLock("l", lease, "3.5").state, acquired(7, kv("l/1", 5)));
    expect(asked.step).toMatchObject({ body: { key: "l/", sortOrder: "DESCEND", maxCreateRevision: 6, limit: 1 } });
    const watched = lock(asked.state, answer(RangeResponse, { header: header(8), kvs: [kv("l/2", 6)] }));
    expect(watched.step).toMatchObject({ type: "watch", key: "l/2", startRevision: 8 });
    expect(lock(watched.state, { type: "events", header: header(8), events: [] }).step.type).toBe("watch-on");
    expect(lock(watched.state, deleted).step).toMatchObject({ method: "KV/Range", body: { maxCreateRevision: 6 } });
  });

  it("3.5 reads the own key before it owns: gone means that the session expired", () => {
    const recheck = lock(waiting("3.5"), answer(RangeResponse, { header: header(9) }));
    expect(recheck.step).toMatchObject({ method: "KV/Range", body: { key: "l/ff" } });
    expect(lock(recheck.state, answer(RangeResponse, { header: header(9) })).step).toEqual({
      type: "failed",
      error: MUTEX_SESSION_EXPIRED,
    });
    const kept = lock(recheck.state, answer(RangeResponse, { header: header(10), kvs: [kv("l/ff", 7)] }));
    expect(kept.step).toMatchObject({ type: "done", result: { header: { revision: 10 } } });
  });

  it("3.4 owns without looking, also when its key is gone", () => {
    expect(lock(waiting("3.4"), answer(RangeResponse, { header: header(9) })).step.type).toBe("done");
  });

  it("a wait that fails takes the own key back, then tells why", () => {
    const error = ownError("lost");
    const back = lock(waiting("3.5"), { type: "error", error });
    expect(back.step).toMatchObject({ method: "KV/DeleteRange", body: { key: "l/ff" } });
    expect(lock(back.state, answer(DeleteRangeResponse, {})).step).toEqual({ type: "failed", error });
  });

  it("TryLock deletes its key when somebody else owns", () => {
    const back = lock(beginLock("l", lease, "3.5", true).state, acquired(7, kv("l/1", 5)));
    expect(back.step).toMatchObject({ method: "KV/DeleteRange", body: { key: "l/ff" } });
    expect(lock(back.state, answer(DeleteRangeResponse, {})).step).toEqual({ type: "failed", error: MUTEX_LOCKED });
  });

  it("a second Unlock is refused from 3.6 on", () => {
    expect(unlockRefused("l/", null, "3.5")).toBeNull();
    expect(unlockRefused("l/", null, "3.6")?.message).toBe("mutex: lock has already been released");
    expect(unlockRefused("l/", "l/ff", "3.6")).toBeNull();
  });
});

describe("Election", () => {
  it("a candidate with another value on its key proclaims the new one, then waits; the header is the first txn's", () => {
    const found = answer(TxnResponse, { header: header(9), responses: [range(kv("e/ff", 4, "old"))] });
    const proclaim = campaign(beginCampaign("e", lease, "new").state, found);
    expect(proclaim.step).toMatchObject({
      body: { compare: [{ createRevision: 4 }], success: [{ requestPut: { key: "e/ff", value: "new", lease } }] },
    });
    const wait = campaign(proclaim.state, answer(TxnResponse, { header: header(10), succeeded: true }));
    expect(wait.step).toMatchObject({ method: "KV/Range", body: { maxCreateRevision: 3 } });
    expect(campaign(wait.state, answer(RangeResponse, { header: header(11) })).step).toMatchObject({
      type: "done",
      result: { leadership: { key: "e/ff", revision: 4 }, header: { revision: 9 } },
    });
  });

  it("observe tells the leader, each new value, and starts over when its key goes", () => {
    const first = observe(beginObserve("e").state, answer(RangeResponse, { header: header(3) }));
    expect(first.step).toMatchObject({ type: "watch", key: "e/", rangeEnd: "e0", startRevision: 3 });
    const events = [create(Event, { type: "PUT", kv: kv("e/1", 5, "a") }), create(Event, { kv: kv("e/2", 6) })];
    const led = observe(first.state, { type: "events", header: header(6), events });
    expect(led.told).toMatchObject([{ header: { revision: 5 }, kv: { key: "e/1" } }]);
    expect(led.step).toMatchObject({ type: "watch", key: "e/1", startRevision: 6 });
    const more = [
      create(Event, { type: "PUT", kv: kv("e/1", 5, "b", 7) }),
      create(Event, { type: "DELETE", kv: kv("e/1", 0) }),
    ];
    const over = observe(led.state, { type: "events", header: header(8), events: more });
    expect(over.told).toMatchObject([{ header: { revision: 7 }, kv: { value: "b" } }]);
    expect(over.step).toMatchObject({ method: "KV/Range" });
  });
});

describe("STM", () => {
  const transfer: StmFunction = (s) => {
    const from = Number(s.get("a"));
    const to = Number(s.get("b"));
    s.put("a", String(from - 1));
    s.put("b", String(to + 1));
  };
  const read = (revision: number, found: KeyValue | null) =>
    answer(TxnResponse, {
      succeeded: true,
      header: header(revision),
      responses: [
        create(ResponseOp, {
          responseRange: create(RangeResponse, { header: header(revision), kvs: found === null ? [] : [found] }),
        }),
      ],
    });
  function toCommit(isolation: Parameters<typeof beginStm>[0]) {
    const one = beginStm(isolation, transfer);
    const two = stm(one.state, read(10, kv("a", 2, "5", 8)), transfer);
    return { one, two, three: stm(two.state, read(10, null), transfer) };
  }

  it("serializable-snapshot pins reads to the first one's revision and compares reads and writes", () => {
    const { one, two, three } = toCommit("serializable-snapshot");
    expect(one.step).toMatchObject({
      body: { success: [{ requestRange: { key: "a", revision: 0, serializable: false } }] },
    });
    expect(two.step).toMatchObject({
      body: { success: [{ requestRange: { key: "b", revision: 10, serializable: true } }] },
    });
    expect(three.step).toMatchObject({
      body: {
        compare: [
          { key: "a", target: "MOD", result: "EQUAL", modRevision: 8 },
          { key: "b", target: "MOD", result: "EQUAL", modRevision: 0 },
          { key: "a", target: "MOD", result: "LESS", modRevision: 11 },
          { key: "b", target: "MOD", result: "LESS", modRevision: 11 },
        ],
        success: [{ requestPut: { key: "a", value: "4" } }, { requestPut: { key: "b", value: "1" } }],
        failure: [{ requestRange: { key: "a" } }, { requestRange: { key: "b" } }],
      },
    });
  });

  it("a conflict runs the function again over what the failed commit brought, without another read", () => {
    const { three } = toCommit("serializable");
    const failed = answer(TxnResponse, {
      header: header(12),
      responses: [range(kv("a", 2, "7", 11)), range(kv("b", 12, "1", 12))],
    });
    const again = stm(three.state, failed, transfer);
    expect(again.step).toMatchObject({
      body: { compare: [{ modRevision: 11 }, { modRevision: 12 }], success: [{ requestPut: { value: "6" } }, {}] },
    });
    expect(again.state.conflicts).toBe(1);
    expect(stm(again.state, answer(TxnResponse, { succeeded: true, header: header(13) }), transfer).step).toMatchObject(
      {
        type: "done",
        result: { conflicts: 1, committed: true, header: { revision: 13 } },
      },
    );
  });

  it("repeatable reads compare what was read, read-committed compares nothing; both read locally", () => {
    const compared = ({ step }: { step: object }) => (step as { body: { compare: unknown[] } }).body.compare;
    expect(compared(toCommit("repeatable-reads").three)).toHaveLength(2);
    expect(compared(toCommit("read-committed").three)).toEqual([]);
    expect(toCommit("read-committed").two.step).toMatchObject({
      body: { success: [{ requestRange: { revision: 0, serializable: true } }] },
    });
  });

  it("reads see the own writes, and a state that was posted goes on", () => {
    const own: StmFunction = (s) => {
      s.put("k", "mine");
      s.put("seen", s.get("k"));
    };
    const { state, step } = beginStm("serializable", own);
    expect(step).toMatchObject({ body: { success: [{}, { requestPut: { key: "seen", value: "mine" } }] } });
    expect(structuredClone(state)).toEqual(state);
  });
});
