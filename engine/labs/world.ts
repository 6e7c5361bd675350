/** From a lab's config to its world: servers, clients and the resource, and how each is built. */
import { MS, type Micros } from "../base/units.ts";
import {
  DEFAULT_QUOTA_BYTES,
  type EtcdMemberConfig,
  memberOf,
  AUTH_TOKEN_TTL,
  PROGRESS_EVERY,
} from "../etcd/member/config.ts";
import { EtcdMember } from "../etcd/member/member.ts";
import type { NodeId } from "../raft/types.ts";
import { buildRedis, type RedisSpec } from "../redis/build.ts";
import { Replica, type ReplicaConfig } from "../replica/replica.ts";
import type { ProcessId } from "../sim/command.ts";
import type { Env, Process, ProcessSpec } from "../sim/process.ts";
import type { WorldConfig } from "../sim/world.ts";
import { DEFAULT_ZOOKEEPER, type ZooKeeperConfig } from "../zookeeper/server.ts";
import { ZooKeeperService } from "../zookeeper/service.ts";
import { clientIds, type LabConfig, paramsOf, programOf, RESOURCE, serverIds } from "./config.ts";
import { LabClient, type LabClientConfig } from "./lab-client.ts";
import { Resource, type ResourceConfig } from "./resource.ts";
import { ZK_ROOT } from "./programs/zookeeper.ts";
import { driverOf, familyOf, programNamed } from "./systems.ts";

/** What a lab's world is made of: what a run's kit needs of it. */
export interface LabKit {
  world(config: LabConfig, seed: number): WorldConfig;
  build(spec: ProcessSpec, env: Env): Process;
}

const SNAPSHOT_ENTRIES = 10_000;
export const SENTINEL = "s1" as ProcessId;
/** A primary that was silent for so long is replaced by a replica. */
const DOWN_AFTER = 450 * MS;
const SENTINEL_PERIOD = 100 * MS;

/** Every write is on the disk before it is answered. */
const DURABLE = ["--appendonly", "yes", "--appendfsync", "always"];

export const LAB_KIT: LabKit = { world: labWorld, build: buildLab };

/** etcd's own timing. */
const TICK: Micros = 100 * MS;
const ELECTION_TICKS = 10;

function labWorld(config: LabConfig, seed: number): WorldConfig {
  return {
    seed,
    processes: [
      ...serverSpecs(config),
      ...clientSpecs(config),
      { id: RESOURCE, kind: "client", present: true, config: resourceConfig(config) },
    ],
    settings: { preVote: true, checkQuorum: true, readOnly: "safe", broken: [] },
    network: {
      latencyMin: 5 * MS,
      latencyMax: 5 * MS,
      lossPerMillion: 0,
      duplicatePerMillion: 0,
      reorderPerMillion: 0,
    },
    disk: { fsyncMin: 2 * MS, fsyncMax: 2 * MS, tornWrites: false },
  };
}

function buildLab(spec: ProcessSpec, env: Env): Process {
  const config = spec.config as LabClientConfig | ResourceConfig | RedisSpec | EtcdSpec | ZooKeeperSpec;
  if ("etcd" in config) return new Replica(config.replica, new EtcdMember(config.etcd), env);
  if ("type" in config && config.type === "zookeeper")
    return new Replica(config.replica, new ZooKeeperService(spec.id, config.zookeeper), env);
  if ("type" in config) return buildRedis(config, env);
  if (config.kind === "lab-resource") return new Resource(config, env);
  const { program, servers, params } = config;
  return new LabClient(config, programNamed(program), driverOf(program, servers, params.ttl, env), env);
}

function serverSpecs(config: LabConfig): readonly ProcessSpec[] {
  switch (familyOf(config.system)) {
    case "etcd":
      return etcdSpecs(config);
    case "zookeeper":
      return zookeeperSpecs(config);
    case "redis":
      return redisSpecs(config);
  }
}

function replicaConfig(config: LabConfig): ReplicaConfig {
  return {
    voters: serverIds(config).map((id) => id as string as NodeId),
    tick: TICK,
    electionTicks: ELECTION_TICKS,
    electionSpreadTicks: ELECTION_TICKS,
    heartbeatTicks: 1,
    snapshotEntries: SNAPSHOT_ENTRIES,
    catchUpEntries: SNAPSHOT_ENTRIES / 2,
  };
}

interface ZooKeeperSpec {
  readonly type: "zookeeper";
  readonly replica: ReplicaConfig;
  readonly zookeeper: ZooKeeperConfig;
}

function zookeeperSpecs(config: LabConfig): readonly ProcessSpec[] {
  const counters = { [ZK_ROOT]: config.setup?.sequenceFrom ?? 0 };
  const zookeeper = { ...DEFAULT_ZOOKEEPER, tree: { ...DEFAULT_ZOOKEEPER.tree, counters } };
  const spec: ZooKeeperSpec = { type: "zookeeper", replica: replicaConfig(config), zookeeper };
  return serverIds(config).map((id): ProcessSpec => ({ id, kind: "member", present: true, config: spec }));
}

interface EtcdSpec {
  readonly replica: ReplicaConfig;
  readonly etcd: EtcdMemberConfig;
}

function etcdSpecs(config: LabConfig): readonly ProcessSpec[] {
  const nodes = serverIds(config).map((id) => id as string as NodeId);
  const compat = config.setup?.compat ?? (config.variant === "3.4" ? "3.4" : "3.5");
  const spec: EtcdSpec = {
    replica: replicaConfig(config),
    etcd: {
      compat,
      electionTimeout: TICK * ELECTION_TICKS,
      quotaBytes: DEFAULT_QUOTA_BYTES,
      leaseCheckpoints: config.setup?.checkpoints ?? false,
      progressEvery: PROGRESS_EVERY,
      authTokenTtl: AUTH_TOKEN_TTL,
      version: compat === "3.4" ? "3.4.23" : "3.5.21",
      members: nodes.map(memberOf),
      addresses: {},
      names: {},
    },
  };
  return serverIds(config).map((id): ProcessSpec => ({ id, kind: "member", present: true, config: spec }));
}

function clientSpecs(config: LabConfig): readonly ProcessSpec[] {
  return clientIds(config).map((id, i): ProcessSpec => {
    const spec: LabClientConfig = {
      kind: "lab-client",
      program: programOf(config, i),
      params: paramsOf(config, i),
      startAt: config.warmUp + (config.clients[i]?.startAt ?? 0),
      stepTime: config.stepTime,
      resource: RESOURCE,
      servers: serversFor(config, i),
    };
    return { id, kind: "client", present: true, config: spec };
  });
}

/** Each talks to all servers; which comes first may be said, and else they take turns. */
function serversFor(config: LabConfig, client: number): readonly ProcessId[] {
  const servers = serverIds(config);
  if (familyOf(config.system) === "redis") return servers;
  const only = config.clients[client]?.server;
  if (only !== undefined) return servers.slice(only, only + 1);
  const first = client % servers.length;
  return [...servers.slice(first), ...servers.slice(0, first)];
}

function resourceConfig({ fenced }: LabConfig): ResourceConfig {
  return { kind: "lab-resource", fenced };
}

function redisSpecs(config: LabConfig): readonly ProcessSpec[] {
  const servers = serverIds(config);
  const peers = servers.map((id) => ({ id, host: id as string, port: 6_379 }));
  const primary = servers[0] as ProcessId;
  const follows = config.system !== "redlock";
  const specs = servers.map((id, i): ProcessSpec => {
    const replicaOf = follows && i > 0 ? primary : null;
    const options = config.setup?.durable === true ? DURABLE : [];
    const spec: RedisSpec = { type: "redis-server", config: { replicaOf, peers, options } };
    return { id, kind: "member", present: true, config: spec };
  });
  if (!follows || servers.length < 2) return specs;
  const sentinel: RedisSpec = {
    type: "redis-sentinel",
    config: { name: "mymaster", servers: peers, primary, downAfter: DOWN_AFTER, period: SENTINEL_PERIOD },
  };
  return [...specs, { id: SENTINEL, kind: "client", present: true, config: sentinel }];
}
