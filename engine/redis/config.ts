/** How a server is set up: plain data, part of its process's spec. */
import type { ProcessId } from "../sim/command.ts";

/** A server that others may name. `host` and `port` are what REPLICAOF is given. */
export interface RedisPeer {
  readonly id: ProcessId;
  readonly host: string;
  readonly port: number;
}

export interface RedisServerConfig {
  /** Whom it follows from the start; null: it is a primary. */
  readonly replicaOf: ProcessId | null;
  readonly peers: readonly RedisPeer[];
  /** As on a command line: `--appendonly yes --hz 100`. */
  readonly options: readonly string[];
}
