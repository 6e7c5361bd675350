/** From a run's config to the processes of its world, and from a process's spec to the process. */
import { unreachable } from "../base/assert.ts";
import type { Micros } from "../base/units.ts";
import type { NodeId } from "../raft/types.ts";
import { type ClientConfig, RegisterClient } from "../replica/client.ts";
import { Register } from "../replica/register.ts";
import { Replica, type ReplicaConfig } from "../replica/replica.ts";
import type { ProcessId } from "../sim/command.ts";
import type { Env, Process, ProcessSpec } from "../sim/process.ts";
import type { WorldConfig } from "../sim/world.ts";
import { type RunConfig, type RunSpec, TIMINGS } from "./config.ts";

/** etcd's 10,000 and 5,000 are for a server; a page shows compaction sooner. */
const SNAPSHOT_ENTRIES = 1_000;

export function memberIds(config: RunConfig): ProcessId[] {
  return Array.from({ length: config.members }, (_, i) => `n${i + 1}` as ProcessId);
}

export function clientIds(config: RunConfig): ProcessId[] {
  return Array.from({ length: config.clients }, (_, i) => `c${i + 1}` as ProcessId);
}

/** How long a client waits for an answer: time for two elections, as etcd's 7 s are for its timing. */
export function clientTimeout(config: RunConfig): Micros {
  const { tick, electionTicks, electionSpreadTicks } = TIMINGS[config.timing];
  return 4 * (electionTicks + electionSpreadTicks) * tick;
}

export function worldConfig({ seed, config }: RunSpec): WorldConfig {
  const members = memberIds(config);
  const snapshotEntries = config.snapshotEntries ?? SNAPSHOT_ENTRIES;
  const replica: ReplicaConfig = {
    voters: members.map((id) => id as string as NodeId),
    ...TIMINGS[config.timing],
    preVote: config.preVote,
    checkQuorum: config.checkQuorum,
    snapshotEntries,
    catchUpEntries: Math.floor(snapshotEntries / 2),
  };
  const client: ClientConfig = { members, timeout: clientTimeout(config) };
  return {
    seed,
    processes: [
      ...members.map((id): ProcessSpec => ({ id, kind: "member", config: replica })),
      ...clientIds(config).map((id): ProcessSpec => ({ id, kind: "client", config: client })),
    ],
    network: config.network,
    disk: config.disk,
  };
}

export function build(spec: ProcessSpec, env: Env): Process {
  switch (spec.kind) {
    case "member":
      return new Replica(spec.config as ReplicaConfig, new Register(), env);
    case "client":
      return new RegisterClient(spec.config as ClientConfig, env);
    default:
      return unreachable(spec.kind);
  }
}
