/**
 * `conformance SUITE PATH…`: runs external cases, prints how each failing one differs, and counts. With `redis --live`
 * or `etcd --live` it makes its own cases and asks a real server.
 *
 * A case is a file. A folder stands for all case files below it, in order of their paths.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Suite } from "./suite.ts";
import { UsageError } from "./usage.ts";

const SUITES: Readonly<Record<string, () => Promise<Suite>>> = {
  raft: async () => (await import("./raft/suite.ts")).raftSuite,
  zookeeper: async () => (await import("./zookeeper/suite.ts")).zookeeperSuite,
  etcd: async () => (await import("./etcd/suite.ts")).etcdSuite,
  etcdctl: async () => (await import("./etcdctl/suite.ts")).etcdctlSuite,
  redis: async () => (await import("./redis/suite.ts")).redisSuite,
};

export async function conformance([name, ...paths]: readonly string[]): Promise<number> {
  const load = name === undefined ? undefined : SUITES[name];
  if (load === undefined || paths.length === 0)
    throw new UsageError(`usage: conformance SUITE PATH…, where SUITE is one of: ${Object.keys(SUITES).join(", ")}`);
  if (name === "etcd" && paths[0] === "--live") return (await import("./etcd/live.ts")).live(paths.slice(1));
  if (name === "redis" && paths[0] === "--live") return (await import("./redis/live.ts")).live(paths.slice(1));
  const suite = await load();
  const files = paths.flatMap((path) => casesUnder(suite, path));
  if (files.length === 0) throw new UsageError(`no case under: ${paths.join(" ")}`);
  let failed = 0;
  for (const file of files) {
    const failure = await runCase(suite, file);
    if (failure === null) continue;
    failed += 1;
    process.stdout.write(`FAILED ${file}\n${indented(failure)}\n`);
  }
  process.stdout.write(`${files.length - failed} passed, ${failed} failed\n`);
  return failed === 0 ? 0 : 1;
}

function casesUnder(suite: Suite, path: string): readonly string[] {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) throw new UsageError(`no such file or folder: ${path}`);
  if (!stat.isDirectory()) return [path];
  const names = readdirSync(path, { recursive: true, encoding: "utf8" }).sort();
  return names
    .map((name) => join(path, name))
    .filter((file) => suite.isCase(file) && statSync(file, { throwIfNoEntry: false })?.isFile() === true);
}

async function runCase(suite: Suite, file: string): Promise<string | null> {
  try {
    return await suite.run(file, readFileSync(file, "utf8"));
  } catch (error) {
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
}

function indented(text: string): string {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => `  ${line}`)
    .join("\n");
}
