/** A ZooKeeper trace: its lines, as conformance/zookeeper/README.md has them. */
import type { Acl } from "../../zookeeper/acl.ts";
import type { Call, CreateMode, MultiOp, WatcherType } from "../../zookeeper/api.ts";

export interface Line {
  readonly i: number;
  readonly op: string;
  readonly client?: string;
  readonly [field: string]: unknown;
}

export class TraceError extends Error {
  override readonly name = "TraceError";
}

export function parseTrace(text: string): readonly Line[] {
  const lines = text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line, n): Line => {
      try {
        return JSON.parse(line) as Line;
      } catch {
        throw new TraceError(`line ${n + 1} is not JSON: ${line}`);
      }
    });
  if (lines[0]?.op !== "case") throw new TraceError("a trace begins with its case");
  return lines;
}

type Args = readonly unknown[];

/** A request of the trace as a call. `base`: the zxid that the trace counts from. */
export function callOf(name: string, args: Args, base: number): Call {
  switch (name) {
    case "create":
    case "create2":
    case "delete":
    case "setData":
    case "check":
      return opOf(name, args);
    case "exists":
    case "getData":
    case "getChildren":
      return { call: name, path: text(args[0]), watch: args[1] === true };
    case "sync":
      return { call: name, path: text(args[0]) };
    case "getEphemerals":
      return { call: name, prefix: text(args[0]) };
    case "getACL":
    case "getAllChildrenNumber":
      return { call: name, path: text(args[0]) };
    case "setACL":
      return { call: name, path: text(args[0]), acl: args[1] as readonly Acl[], version: version(args[2]) };
    case "whoAmI":
      return { call: name };
    case "addAuth":
      return { call: name, scheme: text(args[0]), auth: text(args[1]) };
    case "multi":
      return { call: name, ops: (args as readonly Args[]).map(([op, ...rest]) => opOf(text(op), rest)) };
    case "addWatch":
      return { call: name, path: text(args[0]), mode: args[1] === "recursive" ? "recursive" : "persistent" };
    case "removeWatches":
      return { call: name, path: text(args[0]), type: args[1] as WatcherType };
    case "setWatches": {
      const { data = [], exist = [], child = [], persistent = [], recursive = [], lastZxid } = args[0] as WatchArgs;
      return { call: name, data, exist, child, persistent, recursive, lastZxid: lastZxid + base };
    }
    default:
      throw new TraceError(`unknown call ${name}`);
  }
}

interface WatchArgs {
  readonly data?: readonly string[];
  readonly exist?: readonly string[];
  readonly child?: readonly string[];
  readonly persistent?: readonly string[];
  readonly recursive?: readonly string[];
  readonly lastZxid: number;
}

/** Beyond the README's: a create may have `{ acl, ttl }` as its last argument. */
function opOf(name: string, [path, second, third, fourth]: Args): MultiOp {
  switch (name) {
    case "create":
    case "create2": {
      const more = (fourth ?? {}) as { readonly acl?: readonly Acl[]; readonly ttl?: number };
      return { call: name, path: text(path), data: text(second), mode: (third ?? "PERSISTENT") as CreateMode, ...more };
    }
    case "setData":
      return { call: name, path: text(path), data: text(second), version: version(third) };
    case "delete":
    case "check":
      return { call: name, path: text(path), version: version(second) };
    default:
      throw new TraceError(`unknown call ${name} in a multi`);
  }
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function version(value: unknown): number {
  return value === undefined ? -1 : Number(value);
}
