import { expect, it } from "vitest";
import { sequenceSuffix } from "./path.ts";
import { findByGuid, lockPath, lockQueue, parseLockNode, placeOf } from "./recipes.ts";

const node = (lock: string, number: number): string => `${lock}_lock_${sequenceSuffix(number)}`;

it("takes a name apart, with a guid before the lock and a number below 0", () => {
  expect(parseLockNode("/locks/g1-job_lock_0000000007")).toMatchObject({ prefix: "g1-job_lock_", number: 7 });
  expect(parseLockNode(node("job", -2_147_483_648))).toMatchObject({ prefix: "job_lock_", number: -2_147_483_648 });
  expect(parseLockNode("config")).toBeNull();
});

it("orders by number and not by name, and leaves other locks out", () => {
  const children = ["b-job_lock_0000000001", "a-job_lock_0000000002", node("other", 0), "a-job_lock_0000000000"];
  expect(lockQueue(children, "job").map(({ number }) => number)).toEqual([0, 1, 2]);
});

it("keeps the order across the overflow, where order by name gives the lock to the newest", () => {
  const children = [-2_147_483_648, 2_147_483_646, 2_147_483_647].map((number) => node("job", number));
  const holder = (order: "serial" | "text") => lockQueue(children, "job", order)[0]?.number;
  expect(holder("serial")).toBe(2_147_483_646);
  expect(holder("text")).toBe(-2_147_483_648);
});

it("the first holds, the others wait for the one before, and who is not there has lost", () => {
  const queue = lockQueue([node("job", 4), node("job", 7)], "job");
  expect(placeOf(`/locks/${node("job", 4)}`, queue)).toEqual({ type: "holder", token: 4 });
  const waiter = { type: "waiter", predecessor: `/locks/${node("job", 4)}`, ahead: 1 };
  expect(placeOf(`/locks/${node("job", 7)}`, queue)).toEqual(waiter);
  expect(placeOf(`/locks/${node("job", 5)}`, queue)).toEqual({ type: "lost" });
});

it("finds the node of a create whose answer was lost by its guid", () => {
  expect(lockPath("/locks", "job", "g7")).toBe("/locks/g7-job_lock_");
  expect(findByGuid([node("job", 1), "g7-job_lock_0000000002"], "g7")).toBe("g7-job_lock_0000000002");
});
