/** What a command is, and what one sees while it is carried out. */
import type { Rng } from "../base/rng.ts";
import type { Keyspace } from "./keyspace.ts";
import type { Reply } from "./reply.ts";

/** What the handler of a data command has. `args[0]` is the command's name as it was typed. */
export interface Call {
  readonly keys: Keyspace;
  readonly args: readonly string[];
  readonly rng: Rng;
  /** What replicas and the file are told in place of the command itself: times made absolute, chance made fact. */
  rewrite(...commands: readonly (readonly string[])[]): void;
}

export type Handler = (call: Call) => Reply;

export interface CommandSpec {
  readonly name: string;
  /** With the name; negative: at least so many. */
  readonly arity: number;
  /**
   * `write`: refused by a replica. `noscript`: not for scripts. `pubsub`: allowed while subscribed. `nomulti`: not
   * between MULTI and EXEC.
   */
  readonly flags: ReadonlySet<CommandFlag>;
  /** Null for those that need a connection or the server (`connection-commands.ts`). */
  readonly handler: Handler | null;
}

export type CommandFlag = "write" | "noscript" | "pubsub" | "nomulti" | "stale";

/** Reads a table row: name, arity, flags apart by spaces. */
export function command(name: string, arity: number, flags: string, handler: Handler | null = null): CommandSpec {
  return { name, arity, flags: new Set(flags.split(" ").filter((flag) => flag !== "") as CommandFlag[]), handler };
}

/** An argument that the arity promises. */
export function arg({ args }: { readonly args: readonly string[] }, i: number): string {
  return args[i] as string;
}
