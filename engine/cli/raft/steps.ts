/**
 * Changes of membership as a transcript writes them: `v1 l2 r3 u4`, and the errors that a wrong one is answered with.
 */
import type { ConfStep } from "../../raft/conf-change.ts";
import { nodeId } from "../../raft/types.ts";
import { quoted } from "./print.ts";
import { CommandError } from "./storage.ts";

const OPERATIONS: ReadonlyMap<string, ConfStep["operation"]> = new Map([
  ["v", "add-voter"],
  ["l", "add-learner"],
  ["r", "remove"],
  ["u", "update"],
] as const);

const UINT64_MAX = 0xffff_ffff_ffff_ffffn;

/** Tokens with one blank between them: what to do, and with whom. */
export function parseSteps(input: string): readonly ConfStep[] {
  if (input === "") return [];
  return input.split(" ").map((token) => {
    if (new TextEncoder().encode(token).length < 2) throw new CommandError(`unknown token ${token}`);
    const operation = OPERATIONS.get(token.slice(0, 1));
    if (operation === undefined) throw new CommandError(`unknown input: ${token}`);
    return { operation, id: nodeId(unsigned(token.slice(1)).toString(16)) };
  });
}

/** A whole number of 64 bits, refused in the words of Go's strconv. */
export function unsigned(text: string): bigint {
  const refuse = (why: string): never => {
    throw new CommandError(`strconv.ParseUint: parsing ${quoted(new TextEncoder().encode(text))}: ${why}`);
  };
  if (!/^\d+$/.test(text)) return refuse("invalid syntax");
  const value = BigInt(text);
  return value > UINT64_MAX ? refuse("value out of range") : value;
}
