/** All commands by name: those on data with their handlers, those on the connection or the server by their arity and flags. */
import { command, type CommandSpec } from "./call.ts";
import { bitCommands } from "./commands/bits.ts";
import { hashCommands } from "./commands/hashes.ts";
import { keyCommands, objectSubcommands } from "./commands/keys.ts";
import { listCommands } from "./commands/lists.ts";
import { setCommands } from "./commands/sets.ts";
import { sortedSetAlgebra } from "./commands/sorted-set-algebra.ts";
import { sortedSetCommands } from "./commands/sorted-sets.ts";
import { stringCommands } from "./commands/strings.ts";

/** Carried out by `executor.ts` or by the server around it. */
const OTHERS: readonly CommandSpec[] = [
  command("ping", -1, "pubsub stale"),
  command("echo", 2, "stale"),
  command("time", 1, "stale"),
  command("select", 2, "stale"),
  command("quit", -1, "pubsub noscript stale"),
  command("reset", 1, "pubsub noscript stale"),
  command("hello", -1, "noscript stale"),
  command("auth", -2, "noscript stale"),
  command("multi", 1, "noscript stale"),
  command("exec", 1, "noscript stale"),
  command("discard", 1, "noscript stale"),
  command("watch", -2, "noscript stale"),
  command("unwatch", 1, "noscript stale"),
  command("eval", -3, "noscript"),
  command("evalsha", -3, "noscript"),
  command("eval_ro", -3, "noscript"),
  command("evalsha_ro", -3, "noscript"),
  command("script", -2, "noscript"),
  command("subscribe", -2, "pubsub noscript stale"),
  command("psubscribe", -2, "pubsub noscript stale"),
  command("unsubscribe", -1, "pubsub noscript stale"),
  command("punsubscribe", -1, "pubsub noscript stale"),
  command("publish", 3, "stale"),
  command("pubsub", -2, "stale"),
  command("wait", 3, "noscript"),
  command("blpop", -3, "write noscript"),
  command("brpop", -3, "write noscript"),
  command("blmove", 6, "write noscript"),
  command("brpoplpush", 4, "write noscript"),
  command("bzpopmin", -3, "write noscript"),
  command("bzpopmax", -3, "write noscript"),
  command("config", -2, "noscript stale"),
  command("client", -2, "noscript stale"),
  command("command", -1, "stale"),
  command("debug", -2, "noscript stale"),
  command("info", -1, "stale"),
  command("role", 1, "noscript stale"),
  command("replicaof", 3, "noscript stale"),
  command("slaveof", 3, "noscript stale"),
  command("object", -2, ""),
  command("bgrewriteaof", 1, "noscript"),
  command("save", 1, "noscript nomulti"),
  command("bgsave", -1, "noscript"),
  command("lastsave", 1, "stale"),
  command("slowlog", -2, "stale"),
  command("acl", -2, "noscript stale"),
  command("cluster", -2, "stale"),
  command("readonly", 1, "stale"),
  command("readwrite", 1, "stale"),
  command("asking", 1, ""),
];

export const COMMANDS: ReadonlyMap<string, CommandSpec> = new Map(
  [
    ...stringCommands,
    ...keyCommands,
    ...hashCommands,
    ...listCommands,
    ...setCommands,
    ...sortedSetCommands,
    ...sortedSetAlgebra,
    ...bitCommands,
    ...OTHERS,
  ].map((spec) => [spec.name, spec]),
);

/** Those whose first argument picks one of several, each with its own arity. */
export const CONTAINERS: Readonly<Record<string, readonly CommandSpec[]>> = {
  object: objectSubcommands,
  script: [
    command("load", 3, "noscript"),
    command("exists", -3, "noscript"),
    command("flush", -2, "noscript"),
    command("kill", 2, "noscript"),
  ],
  config: [
    command("get", -3, "noscript"),
    command("set", -4, "noscript"),
    command("resetstat", 2, "noscript"),
    command("rewrite", 2, "noscript"),
  ],
  client: [
    command("id", 2, "noscript"),
    command("getname", 2, "noscript"),
    command("setname", 3, "noscript"),
    command("list", -2, "noscript"),
    command("kill", -3, "noscript"),
    command("unblock", -3, "noscript"),
    command("getredir", 2, "noscript"),
    command("trackinginfo", 2, "noscript"),
    command("info", 2, "noscript"),
    command("reply", 3, "noscript"),
    command("no-evict", 3, "noscript"),
  ],
  slowlog: [command("get", -2, "stale"), command("len", 2, "stale"), command("reset", 2, "stale")],
  acl: [command("whoami", 2, "noscript stale"), command("list", 2, "noscript stale")],
  pubsub: [command("channels", -2, ""), command("numsub", -2, ""), command("numpat", 2, "")],
};
