/** What locks are for, judged from neutral events. */
import { describe, expect, it } from "vitest";
import type { ProcessId } from "../sim/command.ts";
import { LockChecks } from "./locks.ts";

const A = "c1" as ProcessId;
const B = "c2" as ProcessId;
const R = "r1" as ProcessId;

function judge(events: readonly (readonly [ProcessId, object])[], ahead = 0) {
  const checks = new LockChecks({ lockOf: () => "lock", ahead: () => ahead });
  for (const [i, [process, event]] of events.entries())
    checks.add({ id: i + 1, cause: 0, at: i, process, incarnation: 1, event });
  return checks.breaches.map(({ rule, client, other }) => [rule, client, other]);
}

const believes = (holds: boolean, token: string | null = null) => ({ type: "lock-believes", holds, token });
const wrote = (client: ProcessId, token: string | null = null) => ({ type: "resource-wrote", client, token });

describe("lock checks", () => {
  it("one after the other breaks nothing", () => {
    const events = [
      [A, believes(true, "1")],
      [R, wrote(A, "1")],
      [A, believes(false)],
      [B, believes(true, "2")],
      [R, wrote(B, "2")],
    ] as const;
    expect(judge(events)).toEqual([]);
  });
  it("two who believe at once break exclusion", () => {
    expect(
      judge([
        [A, believes(true)],
        [B, believes(true)],
      ]),
    ).toEqual([["exclusion", B, A]]);
  });
  it("who has crashed believes no more", () => {
    expect(
      judge([
        [A, believes(true)],
        [A, { type: "crashed" }],
        [B, believes(true)],
      ]),
    ).toEqual([]);
  });
  it("a write of an earlier turn over a later one's is a lost update, by token", () => {
    const events = [
      [R, wrote(B, "2")],
      [R, wrote(A, "1")],
    ] as const;
    expect(judge(events)).toEqual([["lost-update", A, B]]);
  });
  it("with equal tokens, or none, the order of beliefs decides", () => {
    const events = [
      [A, believes(true, "1")],
      [A, { type: "crashed" }],
      [B, believes(true, "1")],
      [R, wrote(B, "1")],
      [R, wrote(A, "1")],
    ] as const;
    expect(judge(events)).toEqual([["lost-update", A, B]]);
  });
  it("who believes while another stands before it is out of turn", () => {
    const identity = { type: "lock-identity", identity: "key" };
    expect(
      judge(
        [
          [A, identity],
          [A, believes(true)],
        ],
        1,
      ),
    ).toEqual([["fairness", A, null]]);
    expect(
      judge(
        [
          [A, identity],
          [A, believes(true)],
        ],
        0,
      ),
    ).toEqual([]);
  });
});
