/** A run of an etcd cluster: its members, and what they say to each other as a picture needs it. */
import { etcdClientConfig } from "../etcd/client/config.ts";
import { Workload, workloadClient, type WorkloadConfig } from "../etcd/client/workload.ts";
import {
  DEFAULT_QUOTA_BYTES,
  type EtcdMemberConfig,
  memberOf,
  AUTH_TOKEN_TTL,
  PROGRESS_EVERY,
} from "../etcd/member/config.ts";
import { EtcdMember } from "../etcd/member/member.ts";
import { MS } from "../base/units.ts";
import { Console, type ConsoleConfig } from "../etcd/ctl/console.ts";
import type { NodeId } from "../raft/types.ts";
import { Replica, type ReplicaConfig } from "../replica/replica.ts";
import type { ProcessId } from "../sim/command.ts";
import type { Env, Process, ProcessSpec } from "../sim/process.ts";
import type { WorldConfig } from "../sim/world.ts";
import { clientTimeout, consoleId, MEMBER_IDS, memberIds, worldConfig } from "./build.ts";
import { type RunConfig, type RunSpec, TIMINGS } from "./config.ts";

export interface EtcdProcessConfig {
  readonly replica: ReplicaConfig;
  readonly etcd: EtcdMemberConfig;
}

export function etcdMemberConfig(config: RunConfig): EtcdMemberConfig {
  const { tick, electionTicks } = TIMINGS[config.timing];
  const { compat = "3.5", quotaBytes, progressEvery, authTokenTtl, leaseCheckpoints } = config.etcd ?? {};
  return {
    compat,
    electionTimeout: tick * electionTicks,
    quotaBytes: quotaBytes ?? DEFAULT_QUOTA_BYTES,
    leaseCheckpoints: leaseCheckpoints ?? false,
    progressEvery: progressEvery ?? PROGRESS_EVERY,
    authTokenTtl: authTokenTtl ?? AUTH_TOKEN_TTL,
    version: compat === "3.4" ? "3.4.23" : "3.5.21",
    members: memberIds(config).map((id) => memberOf(id as string as NodeId)),
    addresses: Object.fromEntries(MEMBER_IDS.map((id) => [`${id}:2380`, id as string as NodeId])),
    names: Object.fromEntries(MEMBER_IDS.map((id) => [id, { name: id, clientUrls: [`http://${id}:2379`] }])),
  };
}

export function etcdWorld(spec: RunSpec): WorldConfig {
  const world = worldConfig(spec);
  const etcd = etcdMemberConfig(spec.config);
  const timeout = clientTimeout(spec.config);
  const client: WorkloadConfig = {
    client: workloadClient(etcdClientConfig(memberIds(spec.config)), timeout),
    keys: 4,
    thinkMax: Math.max(5 * MS, Math.floor(timeout / 10)),
    watches: 2,
  };
  const typedAt = consoleId(spec.config);
  const processes = world.processes.map((process): ProcessSpec => {
    if (process.id === typedAt) return { ...process, config: consoleConfig(spec.config) };
    if (process.kind === "client") return { ...process, config: client };
    return { ...process, config: { replica: process.config as ReplicaConfig, etcd } satisfies EtcdProcessConfig };
  });
  return { ...world, processes };
}

/** It knows each machine by its name, and the first also as etcdctl's own default has it. */
function consoleConfig(config: RunConfig): ConsoleConfig {
  const [first] = MEMBER_IDS as readonly [ProcessId];
  const machines = MEMBER_IDS.map((id) => [`${id}:2379`, id] as const);
  return {
    program: "console",
    addresses: Object.fromEntries([...machines, ["127.0.0.1:2379", first], ["localhost:2379", first]]),
    endpoints: memberIds(config)
      .map((id) => `${id}:2379`)
      .join(","),
    compat: config.etcd?.compat ?? "3.5",
  };
}

export function buildEtcd(spec: ProcessSpec, env: Env): Process {
  if ("program" in (spec.config as object)) return new Console(spec.config as ConsoleConfig, env);
  if (spec.kind === "client") return new Workload(spec.config as WorkloadConfig, env);
  const { replica, etcd } = spec.config as EtcdProcessConfig;
  return new Replica(replica, new EtcdMember(etcd), env);
}
