import { expect, it } from "vitest";
import { JavaSet } from "./java-set.ts";

it("is walked as a copy of Java's HashSet is (ZooKeeper 3.8.0 deleted these in this order)", () => {
  const set = new JavaSet();
  const names = ["b", "a", "zz", "lock-0", "x_lock_0000000004", "c", "d", "node-15", "node-7", "Q"];
  for (const name of names) set.add(`/d/${name}`);
  set.add("/top");
  const order = ["node-15", "a", "Q", "/top", "x_lock_0000000004", "lock-0", "d", "node-7", "b", "zz", "c"];
  expect(set.inOrderOfCopy()).toEqual(order.map((name) => (name === "/top" ? name : `/d/${name}`)));
});

it("keeps the table that it grew to when items go", () => {
  const set = new JavaSet();
  const name = (n: number) => `/d/n00000000${n}`;
  for (let n = 10; n < 40; n += 1) set.add(name(n));
  for (let n = 10; n < 35; n += 3) set.delete(name(n));
  const order = [27, 38, 26, 15, 37, 29, 18, 17, 39, 30, 21, 32, 20, 23, 12, 11, 33, 14, 36, 24, 35];
  expect(set.inOrderOfCopy()).toEqual(order.map(name));
  expect(new JavaSet(set.state()).inOrderOfCopy()).toEqual(set.inOrderOfCopy());
});
