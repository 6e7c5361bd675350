/**
 * `conformance redis --live COUNT [FIRST]`: random programs, run by a real redis-server on loopback and by the page's
 * own; every answer and every published event is compared.
 *
 * What Redis leaves to chance is compared as far as it goes: sets and KEYS without their order. What a real server cannot
 * repeat (times left in milliseconds) is compared with a margin.
 */
import { MS } from "../../base/units.ts";
import type { Reply } from "../../redis/reply.ts";
import { UsageError } from "../usage.ts";
import { Generator, type Step } from "./generator.ts";
import { installedServer, pause, RealConnection, startServer } from "./real-server.ts";
import { TraceWorld } from "./trace-world.ts";

const OPTIONS = ["--notify-keyspace-events", "KEA"];
const BARRIER = "__barrier__";
const UNORDERED = new Set([
  "smembers",
  "sinter",
  "sunion",
  "sdiff",
  "keys",
  "scan",
  "sscan",
  "srandmember",
  "spop",
  "pubsub",
]);
const MARGIN_MS = 2_000;

/** @returns the exit code */
export async function live(args: readonly string[]): Promise<number> {
  const [count, first] = [Number(args[0] ?? "200"), Number(args[1] ?? "1")];
  if (!Number.isSafeInteger(count) || !Number.isSafeInteger(first) || count < 1)
    throw new UsageError("usage: conformance redis --live COUNT [FIRST]");
  const version = installedServer();
  if (version === null) {
    process.stdout.write("skipped: no redis-server is installed\n");
    return 0;
  }
  process.stdout.write(`against ${version}\n`);
  let failed = 0;
  let server = await startServer(OPTIONS);
  for (let seed = first; seed < first + count; seed += 1) {
    let difference: string | null;
    try {
      // Programs share a server: one after the other.
      // oxlint-disable-next-line no-await-in-loop
      difference = await compare(seed, server.port);
    } catch (error) {
      // `error({})` in a script ends Redis 7.0.15 itself; there is nothing to compare with then.
      process.stdout.write(`seed ${seed}: ${error instanceof Error ? error.message : String(error)}\n`);
      difference = null;
      // oxlint-disable-next-line no-await-in-loop
      await server.stop();
      // oxlint-disable-next-line no-await-in-loop
      server = await startServer(OPTIONS);
    }
    if (difference === null) continue;
    failed += 1;
    process.stdout.write(`FAILED seed ${seed}: ${difference}\n`);
  }
  await server.stop();
  process.stdout.write(`${count - failed} passed, ${failed} failed\n`);
  return failed === 0 ? 0 : 1;
}

/** Null, or the first difference. */
async function compare(seed: number, port: number): Promise<string | null> {
  const program = new Generator(seed).program();
  const page = new TraceWorld(OPTIONS, []);
  const names = ["A", "B", "S"] as const;
  const [a, b, s] = await Promise.all(names.map(() => RealConnection.open(port)));
  if (a === undefined || b === undefined || s === undefined) return "no connection";
  const real = { A: a, B: b, S: s };
  for (const name of names) page.open(name, "main");
  const both = async (conn: keyof typeof real, args: readonly string[]): Promise<readonly [Reply, Reply | null]> => [
    await real[conn].command(args),
    page.command(conn, args),
  ];
  try {
    // oxlint-disable-next-line no-await-in-loop
    for (const args of [
      ["FLUSHALL"],
      ["SCRIPT", "FLUSH"],
      ["DEBUG", "SET-ACTIVE-EXPIRE", "0"],
      ["CONFIG", "SET", ...OPTIONS.map((word) => word.replace(/^--/, "")), "hz", "10"],
    ])
      await both("A", args);
    await both("S", ["PSUBSCRIBE", "__key*@0__:*", "lock:*"]);
    await both("S", ["SUBSCRIBE", BARRIER]);
    await pause(1);
    const [realBegan, pageBegan] = [Date.now(), page.now];
    for (const [i, step] of program.entries()) {
      // A real server takes its time, on a busy machine even enough for a key to end: the page's time goes along.
      page.sleep(Math.max(0, Date.now() - realBegan - Math.floor((page.now - pageBegan) / MS)));
      // oxlint-disable-next-line no-await-in-loop
      const difference = await take(step, both, real.S, page, port);
      if (difference !== null)
        return `step ${i}\n${program
          .slice(Math.max(0, i - 6), i + 1)
          .map(shownStep)
          .join("\n")}\n${difference}`;
    }
    return null;
  } finally {
    for (const connection of Object.values(real)) connection.close();
  }
}

type Both = (conn: "A" | "B" | "S", args: readonly string[]) => Promise<readonly [Reply, Reply | null]>;

async function take(
  step: Step,
  both: Both,
  listener: RealConnection,
  page: TraceWorld,
  port: number,
): Promise<string | null> {
  if (step.op === "sleep") {
    await pause(step.ms);
    page.sleep(step.ms);
    return null;
  }
  const [wanted, got] = await both(step.conn, step.args);
  const difference = got === null || !alike(step.args, wanted, got) ? answers(wanted, got) : null;
  if (difference !== null) return difference;
  // What a walk finds to be over, it removes in its own order.
  return drained(listener, page, port, (step.args[0] ?? "").toLowerCase() === "scan");
}

function answers(wanted: Reply, got: Reply | null): string {
  return `  redis ${JSON.stringify(wanted)}\n  page  ${JSON.stringify(got)}`;
}

/** Null, or how what was published differs. */
async function drained(
  listener: RealConnection,
  page: TraceWorld,
  port: number,
  isUnordered: boolean,
): Promise<string | null> {
  const sender = await RealConnection.open(port);
  await sender.command(["PUBLISH", BARRIER, "b"]);
  while (!listener.pushes.some((push) => push[1] === BARRIER)) await pause(1);
  sender.close();
  const wanted = listener.pushes.splice(0).filter((push) => push[1] !== BARRIER);
  const got: (readonly string[])[] = [];
  for (let push = page.nextPush("S", 0); push !== null; push = page.nextPush("S", 0)) got.push(push);
  const lines = (pushes: readonly (readonly string[])[]): string => {
    const all = pushes.map((push) => JSON.stringify(push));
    return (isUnordered ? all.sort() : all).join("\n");
  };
  if (lines(wanted) === lines(got)) return null;
  const line = (pushes: readonly (readonly string[])[]): string =>
    pushes.map((push) => push.slice(2).join(" ")).join(" | ");
  return `  published by redis: ${line(wanted)}\n  by the page:        ${line(got)}`;
}

function alike(args: readonly string[], wanted: Reply, got: Reply): boolean {
  const name = (args[0] ?? "").toLowerCase();
  if (name === "pttl" && wanted.type === "int" && got.type === "int") return closeTimes(wanted.value, got.value);
  if (name === "exec" && wanted.type === "array" && got.type === "array" && wanted.items.length === got.items.length)
    return wanted.items.every((item, i) => same(item, got.items[i] as Reply, true));
  // How a string is stored depends on how it came to be, and nobody sees it but here.
  if (name === "object" && isTextEncoding(wanted) && isTextEncoding(got)) return true;
  return same(wanted, got, UNORDERED.has(name));
}

function isTextEncoding(reply: Reply): boolean {
  return reply.type === "bulk" && ["int", "embstr", "raw"].includes(reply.value);
}

/** The two clocks show different dates, which only a time near the end of days depends on. */
function closeTimes(a: number, b: number): boolean {
  return Math.abs(a - b) < MARGIN_MS || (a > 2 ** 53 && b > 2 ** 53);
}

/** Where a table lies in memory is nobody's business. */
function text(reply: Reply): string {
  return JSON.stringify(reply).replaceAll(/0x[0-9a-f]{6,16}/g, "0x");
}

function same(wanted: Reply, got: Reply, isUnordered: boolean): boolean {
  if (text(wanted) === text(got)) return true;
  if (wanted.type === "int" && got.type === "int" && isUnordered)
    return wanted.value > 50_000 && closeTimes(wanted.value, got.value);
  if (!isUnordered || wanted.type !== "array" || got.type !== "array") return false;
  return sorted(wanted) === sorted(got);
}

function sorted(reply: Reply): string {
  return reply.type === "array" ? `[${reply.items.map(sorted).sort().join()}]` : JSON.stringify(reply);
}

function shownStep(step: Step): string {
  return step.op === "sleep"
    ? `  sleep ${step.ms}`
    : `  ${step.conn}> ${step.args.map((arg) => JSON.stringify(arg)).join(" ")}`;
}
