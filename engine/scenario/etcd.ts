/** A run of an etcd cluster: its members, and what they say to each other as a picture needs it. */
import { etcdClientConfig } from "../etcd/client/config.ts";
import { Workload, workloadClient, type WorkloadConfig } from "../etcd/client/workload.ts";
import { DEFAULT_QUOTA_BYTES, type EtcdMemberConfig, memberOf, PROGRESS_EVERY } from "../etcd/member/config.ts";
import { EtcdMember } from "../etcd/member/member.ts";
import { MS } from "../base/units.ts";
import type { NodeId } from "../raft/types.ts";
import { Replica, type ReplicaConfig } from "../replica/replica.ts";
import type { Env, Process, ProcessSpec } from "../sim/process.ts";
import type { WorldConfig } from "../sim/world.ts";
import { clientTimeout, MEMBER_IDS, memberIds, worldConfig } from "./build.ts";
import { type RunConfig, type RunSpec, TIMINGS } from "./config.ts";

export interface EtcdProcessConfig {
  readonly replica: ReplicaConfig;
  readonly etcd: EtcdMemberConfig;
}

export function etcdMemberConfig(config: RunConfig): EtcdMemberConfig {
  const { tick, electionTicks } = TIMINGS[config.timing];
  const { compat = "3.5", quotaBytes, progressEvery, leaseCheckpoints } = config.etcd ?? {};
  return {
    compat,
    electionTimeout: tick * electionTicks,
    quotaBytes: quotaBytes ?? DEFAULT_QUOTA_BYTES,
    leaseCheckpoints: leaseCheckpoints ?? false,
    progressEvery: progressEvery ?? PROGRESS_EVERY,
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
  const processes = world.processes.map((process): ProcessSpec => {
    if (process.kind === "client") return { ...process, config: client };
    return { ...process, config: { replica: process.config as ReplicaConfig, etcd } satisfies EtcdProcessConfig };
  });
  return { ...world, processes };
}

export function buildEtcd(spec: ProcessSpec, env: Env): Process {
  if (spec.kind === "client") return new Workload(spec.config as WorkloadConfig, env);
  const { replica, etcd } = spec.config as EtcdProcessConfig;
  return new Replica(replica, new EtcdMember(etcd), env);
}
