/**
 * `conformance etcd --live COUNT [FIRST]`: random programs, recorded from a real etcd on loopback by the recordings' own
 * recorder, and played against the page's clusters of one and three.
 *
 * What depends on timing is not in the recordings that are kept, but can be in a fresh one. So a program that differs is
 * recorded twice more, and counts only if a real etcd answers alike both times. Some programs end a real 3.4.23 itself,
 * and have nothing to be compared with.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { UsageError } from "../usage.ts";
import { etcdSuite } from "./suite.ts";

const RECORDER = "../shared/conformance/etcd-kv/record.mjs";

/** @returns the exit code */
export async function live(args: readonly string[]): Promise<number> {
  const [count, first] = [Number(args[0] ?? "100"), Number(args[1] ?? "1001")];
  if (!Number.isSafeInteger(count) || !Number.isSafeInteger(first) || count < 1)
    throw new UsageError("usage: conformance etcd --live COUNT [FIRST]");
  const lacking = whatIsLacking();
  if (lacking !== null) {
    process.stdout.write(`skipped: ${lacking}\n`);
    return 0;
  }
  const folder = mkdtempSync(join(tmpdir(), "lockstep-etcd-"));
  try {
    return await compareAll(first, first + count - 1, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function whatIsLacking(): string | null {
  if (!existsSync(RECORDER)) return `there is no ${RECORDER}`;
  return spawnSync("etcd", ["--version"]).status === 0 ? null : "no etcd is installed";
}

async function compareAll(first: number, last: number, folder: string): Promise<number> {
  process.stderr.write(`recording ${last - first + 1} programs, about a second each\n`);
  await record(first, last, folder, []);
  let passed = 0;
  let skipped = 0;
  let failed = 0;
  for (let seed = first; seed <= last; seed += 1) {
    // One after the other: a second recording needs the real server.
    // oxlint-disable-next-line no-await-in-loop
    const outcome = await compare(seed, folder);
    if (outcome.type === "alike") passed += 1;
    else if (outcome.type === "skipped") skipped += 1;
    else failed += 1;
    if (outcome.type !== "alike") process.stdout.write(`${outcome.type} seed ${seed}: ${outcome.why}\n`);
  }
  process.stdout.write(`${skipped} skipped\n${passed} passed, ${failed} failed\n`);
  return failed === 0 ? 0 : 1;
}

type Outcome = { readonly type: "alike" } | { readonly type: "skipped" | "FAILED"; readonly why: string };

async function compare(seed: number, folder: string): Promise<Outcome> {
  const file = join(folder, `seed-${String(seed).padStart(3, "0")}.jsonl`);
  if (!existsSync(file)) return { type: "skipped", why: "the real etcd did not survive it" };
  const once = await etcdSuite.run(file, readFileSync(file, "utf8"));
  if (once === null) return { type: "alike" };
  rmSync(file);
  await record(seed, seed, folder, ["--verify"]);
  if (!existsSync(file)) return { type: "skipped", why: "the real etcd answers now so, now so" };
  const again = await etcdSuite.run(file, readFileSync(file, "utf8"));
  return again === null ? { type: "alike" } : { type: "FAILED", why: again };
}

/** What the recorder cannot record it leaves out; it says so, and fails. */
async function record(first: number, last: number, folder: string, more: readonly string[]): Promise<void> {
  const ports = ["--client-port", String(await freePort()), "--peer-port", String(await freePort())];
  const args = [
    realpathSync(RECORDER),
    "--out",
    folder,
    "--seeds",
    `${first}-${last}`,
    "--jobs",
    "2",
    ...ports,
    ...more,
  ];
  const child = spawn(process.execPath, args, { stdio: "ignore" });
  await new Promise<void>((resolve, reject) => {
    child.once("exit", () => resolve());
    child.once("error", reject);
  });
}

/** The recorder takes the next one too. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      const port = address === null || typeof address === "string" ? 0 : address.port;
      server.close(() => resolve(port));
    });
  });
}
