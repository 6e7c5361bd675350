/**
 * What stands in the log: a command, and the place that it has in its member's pipe.
 *
 * ZooKeeper's members send the leader their clients' writes over TCP, which keeps them in order and loses none while it
 * stands. Raft's proposals may be lost, doubled or overtaken. So each member numbers what it proposes, and the machine
 * takes from each member the next number only; the member proposes again what has not come. A pipe ends with the
 * leader that it was opened to, as the TCP connection does.
 */
import { MalformedBytes, utf8Decode, utf8Encode } from "../base/bytes.ts";
import type { Micros } from "../base/units.ts";
import type { ProcessId } from "../sim/command.ts";
import type { Id } from "./acl.ts";
import type { MultiOp, SessionId, WriteCall } from "./api.ts";

/** A pipe: `era` counts the pipes of one incarnation of a member. */
export interface Pipe {
  readonly incarnation: number;
  readonly era: number;
}

export type Body =
  | { readonly type: "open"; readonly timeout: Micros }
  /** A client comes back: takes no zxid. */
  | { readonly type: "renew"; readonly session: SessionId; readonly password: string; readonly timeout: Micros }
  /** `ids`: what the client has shown of itself, beside its address. */
  | { readonly type: "write"; readonly session: SessionId; readonly call: WriteCall; readonly ids?: readonly Id[] }
  /** The leader found a container or a node with a ttl whose time is over. */
  | { readonly type: "clean"; readonly path: string }
  | { readonly type: "close"; readonly session: SessionId; readonly why: "asked" | "expired" }
  /** Nothing but its place in the log; takes no zxid. */
  | { readonly type: "sync"; readonly session: SessionId; readonly path: string };

export interface Command extends Pipe {
  readonly member: ProcessId;
  /** From 1 in each pipe. */
  readonly number: number;
  /** Milliseconds of the member's wall clock. */
  readonly time: number;
  readonly body: Body;
}

export function encodeCommand(command: Command): Uint8Array {
  return utf8Encode(JSON.stringify(command));
}

export function decodeCommand(bytes: Uint8Array): Command {
  try {
    return JSON.parse(utf8Decode(bytes)) as Command;
  } catch {
    throw new MalformedBytes("not a ZooKeeper command");
  }
}

/** A few characters for a picture of the log. */
export function labelOf({ body }: Command): string {
  switch (body.type) {
    case "open":
      return "open session";
    case "renew":
      return `renew ${body.session}`;
    case "write":
      return callLabel(body.call);
    case "close":
      return body.why === "expired" ? `expire ${body.session}` : `close ${body.session}`;
    case "clean":
      return `clean ${body.path}`;
    case "sync":
      return `sync ${body.path}`;
  }
}

function callLabel(call: WriteCall): string {
  if (call.call === "setACL") return `setACL ${call.path}`;
  return call.call === "multi" ? `multi ${call.ops.map(opLabel).join(", ")}` : opLabel(call);
}

function opLabel(op: MultiOp): string {
  return op.call === "setData" ? `setData ${op.path} ${op.data}` : `${op.call} ${op.path}`;
}
