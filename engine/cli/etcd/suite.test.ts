import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
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
