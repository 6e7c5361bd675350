import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runTrace } from "./suite.ts";

const FOLDER = "../shared/conformance/zookeeper/traces";
const HERE = existsSync(FOLDER);
const FILES = HERE ? readdirSync(FOLDER).filter((name) => name.endsWith(".jsonl")) : [];

const trace = (...lines: readonly object[]): string =>
  [{ op: "case", name: "own", tickTime: 200 }, ...lines].map((line, i) => JSON.stringify({ i, ...line })).join("\n");
const opened = { op: "open", client: "A", askedTimeout: 4000, timeout: 4000 };
const create = { op: "request", client: "A", call: "create", args: ["/n", "v"] };

describe("traces of ZooKeeper 3.8.0", () => {
  it.skipIf(!HERE)("are in ../shared/conformance/zookeeper (skipped where that folder is not)", () => {
    expect(FILES.length).toBeGreaterThan(0);
  });

  it.each(FILES)("%s comes out the same with one member and with three", (name) => {
    expect(runTrace(readFileSync(join(FOLDER, name), "utf8"))).toBeNull();
  });
});

/** Our own recordings, with the same recorder and server: what the traces above leave open. */
const OWN = new URL("testdata/", import.meta.url);

describe("further traces of ZooKeeper 3.8.0", () => {
  it.each(readdirSync(OWN))("%s comes out the same with one member and with three", (name) => {
    expect(runTrace(readFileSync(new URL(name, OWN), "utf8"))).toBeNull();
  });
});

describe("a trace that differs", () => {
  it("is shown with what was wanted and what came, for both ensembles", () => {
    const failure = runTrace(trace(opened, create, { op: "reply", client: "A", err: "OK", path: "/m", zxid: 1 }));
    expect(failure).toMatch(/^1 member, line 2: .*"create".*\n {2}want .*"\/m".*\n {2}got {2}.*"\/n"/);
    expect(failure).toContain("3 members, line 2");
  });

  it("says which line it cannot read", () => {
    expect(runTrace('{"op":"case"}\n{')).toContain("line 2 is not JSON");
    expect(runTrace(trace(opened, { op: "fly", client: "A" }))).toContain("unknown op fly");
  });
});
