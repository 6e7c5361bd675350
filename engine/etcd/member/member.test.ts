import { describe, expect, it } from "vitest";
import { MS, SECOND } from "../../base/units.ts";
import type { NodeId } from "../../raft/types.ts";
import { Command } from "../../replica/command.ts";
import type { ServiceHost } from "../../replica/service.ts";
import type { Stamp } from "../../sim/process.ts";
import { InternalRaftRequest } from "../api/messages.ts";
import { create, encode } from "../api/proto.ts";
import { BATCH_LIMIT } from "../mvcc/mvcc.ts";
import { op, putOf, txnOf } from "../testing.ts";
import { AUTH_TOKEN_TTL, DEFAULT_QUOTA_BYTES, memberOf, PROGRESS_EVERY } from "./config.ts";
import { EtcdMember } from "./member.ts";

const N1 = "n1" as NodeId;
const at = (awake: number): Stamp => ({ mono: awake, wall: awake, awake });

/** A member whose host only notes for when it is asked to wake it. */
class Bench {
  readonly wakes: (number | null)[] = [];
  readonly member = new EtcdMember({
    compat: "3.5",
    electionTimeout: 1 * SECOND,
    quotaBytes: DEFAULT_QUOTA_BYTES,
    leaseCheckpoints: false,
    progressEvery: PROGRESS_EVERY,
    authTokenTtl: AUTH_TOKEN_TTL,
    version: "3.5.0",
    members: [memberOf(N1)],
    addresses: {},
    names: {},
  });
  #index = 0;

  constructor() {
    const host: Partial<ServiceHost> = { id: N1, emit: null, term: 1, wakeAt: (awake) => void this.wakes.push(awake) };
    this.member.start(host as ServiceHost);
  }

  apply(request: Partial<InternalRaftRequest>, awake: number): void {
    this.#index += 1;
    const command = new Command(encode(InternalRaftRequest, create(InternalRaftRequest, request)));
    const entry = { term: 1, index: this.#index };
    this.member.apply(command, { entry, ticket: null, origin: null }, at(awake));
  }

  get size(): number {
    return this.member.state.mvcc.size.total;
  }
}

describe("the backend's commit", () => {
  it("comes every 100 ms while there is something to commit", () => {
    const bench = new Bench();
    const before = bench.size;
    bench.apply({ put: putOf("a", "x".repeat(50_000)) }, 130 * MS);
    bench.apply({ put: putOf("b", "x".repeat(50_000)) }, 190 * MS);
    expect([bench.wakes, bench.size]).toEqual([[200 * MS], before]);
    bench.member.woke(at(200 * MS));
    expect(bench.size).toBeGreaterThan(before + 100_000);
    expect(bench.wakes).toEqual([200 * MS]);
    bench.apply({ put: putOf("c") }, 200 * MS);
    expect(bench.wakes).toEqual([200 * MS, 300 * MS]);
  });

  it("asks for no wake when nothing was written", () => {
    const bench = new Bench();
    bench.member.woke(at(1 * SECOND));
    bench.apply({ txn: txnOf({ success: [op.get("a")] }) }, 2 * SECOND);
    bench.apply({ alarm: { action: "GET", memberId: memberOf(N1).id, alarm: "NONE" } }, 3 * SECOND);
    expect(bench.wakes).toEqual([]);
  });

  it("does not wait once 10,000 changes are pending", () => {
    const bench = new Bench();
    const success = Array.from({ length: 100 }, (_, i) => op.put(`k${i}`));
    for (let i = 1; i < BATCH_LIMIT / 100; i += 1) bench.apply({ txn: txnOf({ success }) }, 1 * MS);
    expect(bench.member.state.mvcc.pending).toBe(BATCH_LIMIT - 100);
    bench.apply({ txn: txnOf({ success }) }, 1 * MS);
    expect(bench.member.state.mvcc.pending).toBe(0);
  });

  it("goes on over a checkpoint", () => {
    const bench = new Bench();
    bench.apply({ put: putOf("a", "x".repeat(50_000)) }, 130 * MS);
    const resumed = new Bench();
    resumed.member.resume(structuredClone(bench.member.checkpoint()));
    for (const { member } of [bench, resumed]) member.woke(at(200 * MS));
    expect(resumed.size).toBe(bench.size);
  });
});
