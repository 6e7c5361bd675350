import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { KeyValue } from "../../etcd/api/messages.ts";
import { create } from "../../etcd/api/proto.ts";
import { hashOf } from "../../etcd/mvcc/hash.ts";
import { etcdSuite } from "./suite.ts";

const FOLDER = "../shared/conformance/etcd-kv";
const HERE = existsSync(FOLDER);
const FILES = HERE ? readdirSync(FOLDER).filter((name) => etcdSuite.isCase(name)) : [];

const run = (path: string): Promise<string | null> => etcdSuite.run(path, readFileSync(path, "utf8"));

describe("recordings of etcd 3.4.23", () => {
  it.skipIf(!HERE)("are in ../shared/conformance/etcd-kv (skipped where that folder is not)", () => {
    expect(FILES.length).toBeGreaterThan(0);
  });

  it.each(FILES)("%s comes out the same with one member and with three", async (name) => {
    expect(await run(join(FOLDER, name))).toBeNull();
  });
});

/** Our own, with the same recorder and server: what the recordings above leave open. */
const OWN = join(import.meta.dirname, "testdata");

describe("further recordings of etcd 3.4.23", () => {
  it.each(readdirSync(OWN))("%s comes out the same with one member and with three", async (name) => {
    expect(await run(join(OWN, name))).toBeNull();
  });
});

describe("a recording that differs", () => {
  it("is shown by its step, with what was recorded and what was answered", async () => {
    const lines = [
      { t: "meta", name: "own" },
      { n: 1, t: "call", path: "/v3/kv/put", req: { key: "YQ==" }, status: 200, res: { header: { revision: "9" } } },
    ];
    const failure = await etcdSuite.run("own.jsonl", lines.map((line) => JSON.stringify(line)).join("\n"));
    expect(failure).toContain("with one member: step 1 call");
    expect(failure).toMatch(/recorded .*"revision":"9".*\nanswered .*"revision":"2"/u);
  });
});

describe("a hash that was asked while a compaction was under way", () => {
  const change = (main: number, key: string, value: string | null, createRevision: number, version: number) => ({
    main,
    sub: 0,
    tombstone: value === null,
    kv: create(KeyValue, value === null ? { key } : { key, value, createRevision, modRevision: main, version }),
  });
  const ALL = [change(2, "a", "1", 2, 1), change(3, "a", "2", 2, 2), change(4, "a", null, 0, 0)];
  const header = (revision: number) => ({ header: { revision: String(revision) } });
  const put = (key: string, revision: number, value: string) => ({
    t: "call",
    path: "/v3/kv/put",
    req: { key, value },
    status: 200,
    res: header(revision),
  });
  const compact = (physical: boolean) => ({
    t: "call",
    path: "/v3/kv/compaction",
    req: { revision: "3", ...(physical && { physical }) },
    status: 200,
    res: header(4),
  });
  const hash = (value: number, revision = 4) => ({
    t: "call",
    path: "/v3/maintenance/hashkv",
    req: {},
    status: 200,
    res: { ...header(revision), hash: value, compact_revision: "3" },
  });
  const played = (...steps: readonly object[]): Promise<string | null> => {
    const deleted = { t: "call", path: "/v3/kv/deleterange", req: { key: "YQ==" }, status: 200 };
    const lines = [
      { t: "meta", name: "own" },
      put("YQ==", 2, "MQ=="),
      put("YQ==", 3, "Mg=="),
      { ...deleted, res: { ...header(4), deleted: "1" } },
      ...steps,
    ];
    return etcdSuite.run("own.jsonl", lines.map((line, n) => JSON.stringify({ n, ...line })).join("\n"));
  };
  const before = hashOf(ALL, 4, -1);
  const after = hashOf(ALL.slice(1), 4, 3);

  it("may tell of what was there before it, or after it, if no key is left", async () => {
    expect(before).not.toBe(after);
    expect(await played(compact(false), hash(before))).toBeNull();
    expect(await played(compact(false), hash(after))).toBeNull();
  });

  it("may tell nothing else", async () => {
    expect(await played(compact(false), hash(before + 1))).toContain("hashkv");
  });

  it("tells of what is after it once a physical one was waited for", async () => {
    expect(await played(compact(true), hash(before))).toContain("hashkv");
    expect(await played(compact(true), hash(after))).toBeNull();
  });

  it("leaves out what is bound to go as long as a key is left", async () => {
    const more = [...ALL, change(5, "b", "1", 5, 1)];
    const b = put("Yg==", 5, "MQ==");
    expect(await played(compact(false), b, hash(hashOf(more, 5, -1), 5))).toContain("hashkv");
    expect(await played(compact(false), b, hash(hashOf(more, 5, 3), 5))).toBeNull();
  });
});
