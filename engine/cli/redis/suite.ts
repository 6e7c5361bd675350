/**
 * The `redis` suite: traces of a real server, one JSON object a line, replayed on the servers of the page.
 *
 * An answer that differs is told with its line; the rest of the trace is replayed all the same.
 */
import { Buffer } from "node:buffer";
import { MS } from "../../base/units.ts";
import type { Reply } from "../../redis/reply.ts";
import type { Suite } from "../suite.ts";
import { TraceWorld } from "./trace-world.ts";

type WantedReply = Reply | { readonly type: "int"; readonly between: readonly [low: number, high: number] };

type Line = { readonly i: number } & (
  | { readonly op: "case"; readonly conf?: readonly string[] }
  | { readonly op: "open"; readonly conn: string; readonly node?: string }
  | { readonly op: "cmd"; readonly conn: string; readonly args: readonly string[]; readonly reply: WantedReply }
  | { readonly op: "sleep"; readonly ms: number }
  | { readonly op: "push"; readonly conn: string; readonly message: readonly string[] }
  | { readonly op: "nopush"; readonly conn: string }
  | { readonly op: "close"; readonly conn: string }
  | { readonly op: "node"; readonly node: string; readonly replicaof: string }
  | { readonly op: "cut"; readonly node: string; readonly from: string }
  | { readonly op: "kill"; readonly node: string }
  | { readonly op: "restart"; readonly node: string }
  | { readonly op: "note"; readonly text: string }
);

/** A message that is awaited may take as long as a key takes to expire. */
const PUSH_WITHIN = 600_000 * MS;

export const redisSuite: Suite = {
  isCase: (path) => path.endsWith(".jsonl"),
  run: (_, text) => Promise.resolve(replay(readLines(text))),
};

function readLines(text: string): readonly Line[] {
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line) as Line);
}

/** Null, or the lines that differ. */
export function replay(lines: readonly Line[]): string | null {
  const first = lines[0];
  const nodes = [...new Set(lines.flatMap((line) => (line.op === "node" ? [line.node] : [])))];
  const world = new TraceWorld(first?.op === "case" ? (first.conf ?? []) : [], nodes);
  const differences: string[] = [];
  for (const line of lines) {
    const difference = play(world, line);
    if (difference !== null) differences.push(`line ${line.i}: ${difference}`);
  }
  return differences.length === 0 ? null : differences.join("\n");
}

function play(world: TraceWorld, line: Line): string | null {
  switch (line.op) {
    case "case":
    case "note":
      return null;
    case "open":
      world.open(line.conn, line.node ?? "main");
      return null;
    case "cmd": {
      const reply = world.command(line.conn, line.args.map(toBytes));
      const got = reply === null ? null : readable(reply);
      if (got !== null && matches(line.reply, got)) return null;
      return `${line.conn}> ${line.args.join(" ")}\n  expected ${JSON.stringify(line.reply)}\n  got      ${got === null ? "a closed connection" : JSON.stringify(got)}`;
    }
    case "sleep":
      world.sleep(line.ms);
      return null;
    case "push": {
      const got = world.nextPush(line.conn, PUSH_WITHIN)?.map(toText) ?? null;
      if (JSON.stringify(got) === JSON.stringify(line.message)) return null;
      return `${line.conn} is sent\n  expected ${JSON.stringify(line.message)}\n  got      ${JSON.stringify(got)}`;
    }
    case "nopush": {
      const got = world.nextPush(line.conn, 0);
      return got === null ? null : `${line.conn} is sent ${JSON.stringify(got)}, and nothing was expected`;
    }
    case "close":
      world.close(line.conn);
      return null;
    case "node":
      world.node(line.node, line.replicaof);
      return null;
    case "cut":
      world.cut(line.node);
      return null;
    case "kill":
      world.kill(line.node);
      return null;
    case "restart":
      world.restart(line.node);
      return null;
  }
}

function toBytes(text: string): string {
  return Buffer.from(text, "utf8").toString("latin1");
}

function toText(bytes: string): string {
  return Buffer.from(bytes, "latin1").toString("utf8");
}

/** With its bytes as text, as the recorder has them. */
export function readable(reply: Reply): Reply {
  if (reply.type === "array") return { ...reply, items: reply.items.map(readable) };
  return "value" in reply && typeof reply.value === "string"
    ? ({ ...reply, value: toText(reply.value) } as Reply)
    : reply;
}

export function matches(wanted: WantedReply, got: Reply): boolean {
  if (wanted.type !== got.type) return false;
  if ("between" in wanted)
    return got.type === "int" && got.value >= wanted.between[0] && got.value <= wanted.between[1];
  if (wanted.type === "array" && got.type === "array")
    return (
      wanted.items.length === got.items.length && wanted.items.every((item, i) => matches(item, got.items[i] as Reply))
    );
  return !("value" in wanted) || ("value" in got && wanted.value === got.value);
}
