/** From a run's config to the processes of its world, and from a process's spec to the process. */
import { unreachable } from "../base/assert.ts";
import type { Micros } from "../base/units.ts";
import type { NodeId } from "../raft/types.ts";
import { type ClientConfig, RegisterClient } from "../replica/client.ts";
import { Register } from "../replica/register.ts";
import { Replica, type ReplicaConfig } from "../replica/replica.ts";
import type { ProcessId, Settings } from "../sim/command.ts";
import type { Env, Process, ProcessSpec } from "../sim/process.ts";
import type { WorldConfig } from "../sim/world.ts";
import { MEMBERS_MAX, type RunConfig, type RunSpec, TIMINGS } from "./config.ts";

/** etcd's 10,000 and 5,000 are for a server; a page shows compaction sooner. */
const SNAPSHOT_ENTRIES = 1_000;

/** All machines that there can be: those that a run does not start with can be spawned later. */
export const MEMBER_IDS: readonly ProcessId[] = Array.from({ length: MEMBERS_MAX }, (_, i) => `n${i + 1}` as ProcessId);

export function memberIds(config: RunConfig): readonly ProcessId[] {
  return MEMBER_IDS.slice(0, config.members);
}

export function clientIds(config: RunConfig): ProcessId[] {
  const count = config.lab?.clients.length ?? config.clients + (hasConsole(config) ? 1 : 0);
  return Array.from({ length: count }, (_, i) => `c${i + 1}` as ProcessId);
}

/** The one of `clientIds` at which a person types; null without any. */
export function consoleId(config: RunConfig): ProcessId | null {
  return hasConsole(config) ? (`c${config.clients + 1}` as ProcessId) : null;
}

function hasConsole({ lab, system, etcd }: RunConfig): boolean {
  return lab === undefined && system === "etcd" && etcd?.console === true;
}

/** How long a client waits for an answer: time for two elections, as etcd's 7 s are for its timing. */
export function clientTimeout(config: RunConfig): Micros {
  const { tick, electionTicks, electionSpreadTicks } = TIMINGS[config.timing];
  return 4 * (electionTicks + electionSpreadTicks) * tick;
}

export function startSettings({ preVote, checkQuorum }: RunConfig): Settings {
  return { preVote, checkQuorum, readOnly: "safe", broken: [] };
}

export function worldConfig({ seed, config }: RunSpec): WorldConfig {
  const members = memberIds(config);
  const snapshotEntries = config.snapshotEntries ?? SNAPSHOT_ENTRIES;
  const replica: ReplicaConfig = {
    voters: members.map((id) => id as string as NodeId),
    ...TIMINGS[config.timing],
    snapshotEntries,
    catchUpEntries: Math.floor(snapshotEntries / 2),
  };
  const client: ClientConfig = { members, timeout: clientTimeout(config) };
  return {
    seed,
    processes: [
      ...MEMBER_IDS.map((id): ProcessSpec => ({ id, kind: "member", config: replica, present: members.includes(id) })),
      ...clientIds(config).map((id): ProcessSpec => ({ id, kind: "client", config: client, present: true })),
    ],
    settings: startSettings(config),
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
