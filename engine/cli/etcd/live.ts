/**
 * `conformance etcd --live COUNT [FIRST] [--topics NAMES]`: random programs, recorded from a real etcd on loopback by the
 * recordings' own recorder, and played against the page's clusters of one and three. Without topics they are the
 * recorder's own; with them, those of `programs/` in turn (`--topics all`, or a few: `--topics reads,users`).
 *
 * What depends on timing is not in the recordings that are kept, but can be in a fresh one. So a program that differs is
 * recorded twice more, and counts only if a real etcd answers alike both times. Some programs end a real 3.4.23 itself,
 * and have nothing to be compared with.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { UsageError } from "../usage.ts";
import { TOPICS } from "./programs/index.ts";
import { etcdSuite } from "./suite.ts";

const RECORDER = "../shared/conformance/etcd-kv/record.mjs";

const USAGE = "usage: conformance etcd --live COUNT [FIRST] [--topics all|NAME,…]";

/** Where programs come from: what the recorder is told, and how it calls the file of a seed. */
interface Source {
  readonly args: (first: number, last: number) => readonly string[];
  readonly env: (first: number, last: number) => Readonly<Record<string, string>>;
  readonly isOf: (file: string, seed: number) => boolean;
}

const OWN: Source = {
  args: (first, last) => ["--seeds", `${first}-${last}`],
  env: () => ({}),
  isOf: (file, seed) => file === `seed-${String(seed).padStart(3, "0")}.jsonl`,
};

function topicsOf(names: readonly string[]): Source {
  return {
    args: () => ["--topics", fileURLToPath(new URL("programs/index.ts", import.meta.url))],
    env: (first, last) => ({ LOCKSTEP_SEEDS: `${first}-${last}`, LOCKSTEP_TOPICS: names.join() }),
    isOf: (file, seed) => file.endsWith(`-${seed}.jsonl`),
  };
}

/** @returns the exit code */
export async function live(args: readonly string[]): Promise<number> {
  const rest = [...args];
  const at = rest.indexOf("--topics");
  const named = at < 0 ? null : (rest.splice(at, 2)[1] ?? "").split(",");
  const names = named?.join() === "all" ? Object.keys(TOPICS) : named;
  const [count, first] = [Number(rest[0] ?? "100"), Number(rest[1] ?? "1001")];
  const isKnown = names === null || names.every((name) => name in TOPICS);
  if (!Number.isSafeInteger(count) || !Number.isSafeInteger(first) || count < 1 || !isKnown)
    throw new UsageError(USAGE);
  const lacking = whatIsLacking();
  if (lacking !== null) {
    process.stdout.write(`skipped: ${lacking}\n`);
    return 0;
  }
  const folder = mkdtempSync(join(tmpdir(), "lockstep-etcd-"));
  try {
    return await new Comparison(names === null ? OWN : topicsOf(names), folder).all(first, first + count - 1);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function whatIsLacking(): string | null {
  if (!existsSync(RECORDER)) return `there is no ${RECORDER}`;
  return spawnSync("etcd", ["--version"]).status === 0 ? null : "no etcd is installed";
}

type Outcome = { readonly type: "alike" } | { readonly type: "skipped" | "FAILED"; readonly why: string };

class Comparison {
  readonly #source: Source;
  readonly #folder: string;

  constructor(source: Source, folder: string) {
    this.#source = source;
    this.#folder = folder;
  }

  async all(first: number, last: number): Promise<number> {
    process.stderr.write(`recording ${last - first + 1} programs, about a second each\n`);
    await this.#record(first, last, []);
    let passed = 0;
    let skipped = 0;
    let failed = 0;
    for (let seed = first; seed <= last; seed += 1) {
      // One after the other: a second recording needs the real server.
      // oxlint-disable-next-line no-await-in-loop
      const outcome = await this.#one(seed);
      if (outcome.type === "alike") passed += 1;
      else if (outcome.type === "skipped") skipped += 1;
      else failed += 1;
      if (outcome.type !== "alike") process.stdout.write(`${outcome.type} seed ${seed}: ${outcome.why}\n`);
    }
    process.stdout.write(`${skipped} skipped\n${passed} passed, ${failed} failed\n`);
    return failed === 0 ? 0 : 1;
  }

  async #one(seed: number): Promise<Outcome> {
    const file = this.#fileOf(seed);
    if (file === null) return { type: "skipped", why: "the real etcd did not survive it" };
    const once = await play(file);
    if (once === null) return { type: "alike" };
    rmSync(file);
    await this.#record(seed, seed, ["--verify"]);
    const verified = this.#fileOf(seed);
    if (verified === null) return { type: "skipped", why: "the real etcd answers now so, now so" };
    const again = await play(verified);
    return again === null ? { type: "alike" } : { type: "FAILED", why: again };
  }

  #fileOf(seed: number): string | null {
    const found = readdirSync(this.#folder).find((file) => this.#source.isOf(file, seed));
    return found === undefined ? null : join(this.#folder, found);
  }

  /** What the recorder cannot record it leaves out; it says so, and fails. */
  async #record(first: number, last: number, more: readonly string[]): Promise<void> {
    const ports = ["--client-port", String(await freePort()), "--peer-port", String(await freePort())];
    const own = this.#source.args(first, last);
    const args = [realpathSync(RECORDER), "--out", this.#folder, ...own, "--jobs", "2", ...ports, ...more];
    // As this process was started: the programs are TypeScript.
    const child = spawn(process.execPath, [...process.execArgv, ...args], {
      stdio: "ignore",
      env: { ...process.env, ...this.#source.env(first, last) },
    });
    await new Promise<void>((resolve, reject) => {
      child.once("exit", () => resolve());
      child.once("error", reject);
    });
  }
}

/** What differs; null when nothing does. */
async function play(file: string): Promise<string | null> {
  return etcdSuite.run(file, readFileSync(file, "utf8"));
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
