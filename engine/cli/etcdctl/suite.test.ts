import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { etcdctlSuite } from "./suite.ts";

const FOLDER = "../shared/conformance/etcdctl/sessions";
const HERE = existsSync(FOLDER);

const run = (path: string): Promise<string | null> => etcdctlSuite.run(path, readFileSync(path, "utf8"));

/** Our own, with the same recorder: sessions that showed a difference once. They need the recording's normalize.mjs. */
const OWN = join(import.meta.dirname, "testdata");

describe("further sessions of etcdctl 3.4.23", () => {
  it.skipIf(!HERE).each(readdirSync(OWN))("%s comes out the same", async (name) => {
    expect(await run(join(OWN, name))).toBeNull();
  });
});
