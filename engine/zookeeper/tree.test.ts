import { expect, it } from "vitest";
import type { CreateMode, MultiOp, SessionId, WriteCall } from "./api.ts";
import { Tree } from "./tree.ts";

const A = "0x1" as SessionId;
const LAST = 2_147_483_647;

function treeOf(overflow: "wraps" | "sticks" = "wraps", counters: Readonly<Record<string, number>> = {}) {
  const tree = new Tree({ overflow, counters });
  let zxid = 0;
  const write = (call: WriteCall) => {
    zxid += 1;
    return tree.write(call, { session: A, zxid, time: 0, ids: [] });
  };
  const made = (path: string, mode: CreateMode = "PERSISTENT") => {
    const { answer } = write(create(path, mode));
    return answer.err === "OK" ? answer.result.path : answer.err;
  };
  return { tree, write, made };
}

const create = (path: string, mode: CreateMode = "PERSISTENT"): MultiOp => ({ call: "create", path, data: "", mode });

it("a counter that wraps goes on at -2147483648", () => {
  const { made } = treeOf("wraps", { "/q": LAST });
  made("/q");
  const names = [1, 2, 3].map(() => made("/q/n", "PERSISTENT_SEQUENTIAL"));
  expect(names).toEqual(["/q/n2147483647", "/q/n-2147483648", "/q/n-2147483647"]);
});

it("a counter that sticks gives the last number for ever, and goes on only within a multi (as 3.8.0 was seen to)", () => {
  const { tree, write, made } = treeOf("sticks", { "/q": LAST });
  made("/q");
  expect([1, 2].map(() => made("/q/n", "PERSISTENT_SEQUENTIAL"))).toEqual(["/q/n2147483647", "NodeExists"]);
  const op = create("/q/r", "PERSISTENT_SEQUENTIAL");
  expect(write({ call: "multi", ops: [op, op, op] }).answer).toMatchObject({
    result: { results: [{ path: "/q/r2147483647" }, { path: "/q/r-2147483648" }, { path: "/q/r-2147483647" }] },
  });
  expect(tree.stat("/q")).toMatchObject({ cversion: -6, numChildren: 4, pzxid: 1 });
});

it("children are read in order, also after some came and went since they were read first", () => {
  const { tree, write, made } = treeOf();
  made("/d");
  const names = ["m", "c", "x", "a", "n", "b", "z"];
  const read = () => {
    const answer = tree.getChildren("/d", []);
    return answer.err === "OK" ? answer.result.children : answer.err;
  };
  const there = new Set<string>();
  for (const [i, name] of names.entries()) {
    made(`/d/${name}`);
    there.add(name);
    const before = read();
    expect(before).toEqual([...there].sort());
    if (i % 3 !== 2) continue;
    write({ call: "delete", path: `/d/${names[i - 1]}`, version: -1 });
    there.delete(names[i - 1] ?? "");
    expect(read()).toEqual([...there].sort());
    // Who was given the list before still has it.
    expect(before).toHaveLength(there.size + 1);
  }
});

it("a multi that fails leaves no trace: nodes, counters, versions, ephemerals, changes", () => {
  const { tree, write, made } = treeOf();
  for (const path of ["/m", "/m/old"]) made(path);
  made("/m/e", "EPHEMERAL");
  const before = JSON.stringify(tree.state());
  const { answer, changes } = write({
    call: "multi",
    ops: [
      create("/m/s", "EPHEMERAL_SEQUENTIAL"),
      { call: "setData", path: "/m", data: "x", version: 0 },
      { call: "delete", path: "/m/e", version: -1 },
      { call: "delete", path: "/m/old", version: 0 },
      { call: "check", path: "/m", version: 9 },
      create("/never"),
    ],
  });
  const errors = ["OK", "OK", "OK", "OK", "BadVersion", "RuntimeInconsistency"];
  expect(answer).toEqual({ err: "OK", result: { results: errors.map((err) => ({ err })) } });
  expect(changes).toEqual([]);
  const sorted = (text: string) => text.split(/[,[\]{}]/).sort();
  expect(sorted(JSON.stringify(tree.state()))).toEqual(sorted(before));
});

it("the end of a session takes its ephemeral nodes and nothing else, and a loaded tree goes on the same", () => {
  const { tree, made } = treeOf();
  made("/p");
  made("/p/e", "EPHEMERAL");
  made("/p/keep");
  const copy = new Tree({ overflow: "wraps", counters: {} });
  copy.load(tree.state());
  for (const each of [tree, copy]) {
    expect(each.endSession(A, 9)).toMatchObject([{ type: "NodeDeleted", path: "/p/e" }]);
    expect(each.getChildren("/p", [])).toMatchObject({
      result: { children: ["keep"], stat: { pzxid: 9, cversion: 3 } },
    });
  }
});

it("a checkpoint stays as it was, and trees that go on from it do not see each other's changes", () => {
  const { tree, made } = treeOf();
  made("/p");
  made("/p/e", "EPHEMERAL");
  const saved = tree.checkpoint();
  expect(tree.checkpoint()).toBe(saved);
  const before = JSON.stringify(tree.state());
  const others = [0, 1].map(() => {
    const other = new Tree({ overflow: "wraps", counters: {} });
    other.resume(saved);
    return other;
  });
  made("/p/later");
  others[0]?.write(
    { call: "setData", path: "/p", data: "other", version: -1 },
    { session: A, zxid: 9, time: 0, ids: [] },
  );
  others[0]?.endSession(A, 10);
  expect(JSON.stringify(others[1]?.state())).toBe(before);
  const again = new Tree({ overflow: "wraps", counters: {} });
  again.resume(saved);
  expect(JSON.stringify(again.state())).toBe(before);
});

it("a container that has had children and a node that was not written for its ttl are over once they are empty", () => {
  const { tree, made } = treeOf();
  made("/c", "CONTAINER");
  const write = (call: WriteCall, zxid: number) => tree.write(call, { session: A, zxid, time: 0, ids: [] });
  write({ call: "create", path: "/t", data: "", mode: "PERSISTENT_WITH_TTL", ttl: 100 }, 5);
  expect(tree.over(100)).toEqual([]);
  expect(tree.over(101)).toEqual(["/t"]);
  made("/c/a");
  expect(tree.over(0)).toEqual([]);
  write({ call: "delete", path: "/c/a", version: -1 }, 8);
  expect(tree.over(0)).toEqual(["/c"]);
  expect(tree.clean("/c", 9)).toMatchObject([{ type: "NodeDeleted", path: "/c" }]);
});
