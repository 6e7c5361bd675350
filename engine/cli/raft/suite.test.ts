import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runTranscript } from "./suite.ts";
import { parseTranscript } from "./transcript.ts";

const FOLDER = "../shared/conformance/etcd-raft";
const OWN = join(import.meta.dirname, "testdata");
const HERE = existsSync(FOLDER);
const FILES = HERE
  ? readdirSync(FOLDER, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".txt"))
  : [];

describe("go.etcd.io/raft's transcripts", () => {
  it.skipIf(!HERE)("are in ../shared/conformance/etcd-raft (skipped where that folder is not)", () => {
    expect(FILES.length).toBeGreaterThan(0);
  });

  it.each(FILES)("%s comes out to the byte", (name) => {
    expect(runTranscript(readFileSync(join(FOLDER, name), "utf8"))).toBeNull();
  });
});

/** Recorded from go.etcd.io/raft 3.7.0, of commands written for this suite. */
describe("our own transcripts", () => {
  it.each(readdirSync(OWN).filter((name) => name.endsWith(".txt")))("%s comes out to the byte", (name) => {
    expect(runTranscript(readFileSync(join(OWN, name), "utf8"))).toBeNull();
  });
});

describe("the form of a transcript", () => {
  it("has comments and blank lines between commands, continued lines, lists, and input", () => {
    const [command] = parseTranscript(
      "# note\n\nadd-nodes 3 \\\n voters=(1, 2,3) index=10 x=\ninput\n# kept\n----\nok\n\n",
    );
    expect(command).toMatchObject({
      line: 3,
      name: "add-nodes",
      args: [
        { key: "3", values: null },
        { key: "voters", values: ["1", "2", "3"] },
        { key: "index", values: ["10"] },
        { key: "x", values: [""] },
      ],
      input: "input\n# kept",
      expected: "ok\n",
    });
  });

  it("lets an output hold blank lines between doubled rules", () => {
    const [first, second] = parseTranscript("a\n----\n----\none\n\ntwo\n----\n----\n\nb\n----\nok\n");
    expect(first?.expected).toBe("one\n\ntwo\n");
    expect(second?.name).toBe("b");
  });

  it("is refused in words when it is broken", () => {
    expect(runTranscript("campaign 1\n")).toMatch(/line 1: no ----/);
    expect(runTranscript("campaign (\n----\n")).toMatch(/campaign/);
    expect(runTranscript("campaign 1\n----\nok\n")).toMatch(/there is no node 1/);
    expect(runTranscript("add-nodes x\n----\nok\n")).toMatch(/whole number/);
    expect(runTranscript("add-nodes 1 what=1\n----\nok\n")).toMatch(/unknown option what=1/);
    expect(runTranscript("add-nodes 1 voters=(1\n----\nok\n")).toMatch(/unbalanced/);
    expect(runTranscript("")).toMatch(/no command/);
  });

  it("answers an unknown command as etcd does", () => {
    expect(runTranscript("fly 1\n----\nunknown command\n")).toBeNull();
  });

  it("shows what was expected and what came", () => {
    expect(runTranscript("add-nodes 0\n----\nnot ok\n")).toBe("line 1: add-nodes 0\n- not ok\n+ ok\n  ");
  });
});
