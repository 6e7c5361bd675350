/** Which programs there are, over which client library, and who says who holds. */
import { present, unreachable } from "../base/assert.ts";
import type { Micros } from "../base/units.ts";
import type { ProcessId } from "../sim/command.ts";
import type { Env } from "../sim/process.ts";
import type { LabConfig, LabSystem } from "./config.ts";
import { serverIds } from "./config.ts";
import type { Driver } from "./driver.ts";
import { EtcdDriver } from "./drivers/etcd.ts";
import { RedisDriver } from "./drivers/redis.ts";
import { ZkDriver } from "./drivers/zookeeper.ts";
import type { AnyProgram } from "./program.ts";
import { ETCD_BY_HAND, REDIS_BY_HAND, ZOOKEEPER_BY_HAND } from "./programs/by-hand.ts";
import {
  ETCD_FAIR_GUARDED,
  ETCD_FAIR_HERD,
  ETCD_FAIR_MENDED,
  ETCD_FAIR_MENDED_NOTING,
  ETCD_FAIR_PUBLISHED,
  ETCD_FAIR_PUBLISHED_NOTING,
} from "./programs/etcd-fair.ts";
import { ETCD_TXN_PUBLISHED, ETCD_TXN_RETRY, ETCD_TXN_WATCH } from "./programs/etcd-txn.ts";
import { ETCD_MUTEX_34, ETCD_MUTEX_35 } from "./programs/etcd-mutex.ts";
import { ETCD_SERVICE } from "./programs/etcd-service.ts";
import { ETCD_ELECTION_MENDED, ETCD_ELECTION_OBSERVER, ETCD_ELECTION_PUBLISHED } from "./programs/etcd-election.ts";
import {
  ETCD_USES_FOLLOWER,
  ETCD_USES_MENDED,
  ETCD_USES_PUBLISHED,
  ETCD_USES_PUBLISHER,
} from "./programs/etcd-uses.ts";
import { OPTIMISTIC } from "./programs/optimistic.ts";
import {
  REDIS_TIMESTAMP_IF_LIVE,
  REDIS_TIMESTAMP_MENDED,
  REDIS_TIMESTAMP_PUBLISHED,
} from "./programs/redis-timestamp.ts";
import { REDIS_TOKEN, REDIS_TOKEN_FENCED } from "./programs/redis-token.ts";
import { REDLOCK } from "./programs/redlock.ts";
import {
  ZK_ROOT,
  ZOOKEEPER_ASKS_OWNER,
  ZOOKEEPER_BY_TEXT,
  ZOOKEEPER_HERD,
  ZOOKEEPER_MENDED,
  ZOOKEEPER_NO_REWATCH,
  ZOOKEEPER_PUBLISHED,
  ZOOKEEPER_TAKES_FOUND,
} from "./programs/zookeeper.ts";
import { EtcdTruth, NoTruth, RedisTruth, type Truth, ZooKeeperTruth } from "./truth.ts";

export const PROGRAMS: Readonly<Record<string, AnyProgram>> = Object.fromEntries(
  [
    ETCD_FAIR_PUBLISHED,
    ETCD_FAIR_MENDED,
    ETCD_FAIR_GUARDED,
    ETCD_FAIR_HERD,
    ETCD_FAIR_PUBLISHED_NOTING,
    ETCD_FAIR_MENDED_NOTING,
    ETCD_TXN_PUBLISHED,
    ETCD_TXN_RETRY,
    ETCD_TXN_WATCH,
    ETCD_MUTEX_34,
    ETCD_MUTEX_35,
    ETCD_SERVICE,
    ETCD_ELECTION_PUBLISHED,
    ETCD_ELECTION_MENDED,
    ETCD_ELECTION_OBSERVER,
    ETCD_USES_PUBLISHED,
    ETCD_USES_MENDED,
    ETCD_USES_FOLLOWER,
    ETCD_USES_PUBLISHER,
    ETCD_BY_HAND,
    REDIS_BY_HAND,
    ZOOKEEPER_BY_HAND,
    REDIS_TIMESTAMP_PUBLISHED,
    REDIS_TIMESTAMP_MENDED,
    REDIS_TIMESTAMP_IF_LIVE,
    REDIS_TOKEN,
    REDIS_TOKEN_FENCED,
    REDLOCK,
    OPTIMISTIC,
    ZOOKEEPER_PUBLISHED,
    ZOOKEEPER_MENDED,
    ZOOKEEPER_HERD,
    ZOOKEEPER_NO_REWATCH,
    ZOOKEEPER_BY_TEXT,
    ZOOKEEPER_TAKES_FOUND,
    ZOOKEEPER_ASKS_OWNER,
  ].map((program) => [program.id, program]),
);

/** The world's calendar at its start; lock values of Redis are of it. */
export const WALL_AT_START: Micros = 1_800_000_000_000_000;

export type Family = "etcd" | "zookeeper" | "redis";

export function familyOf(system: LabSystem): Family {
  switch (system) {
    case "etcd-fair":
    case "etcd-txn":
    case "etcd-mutex":
    case "etcd-election":
    case "etcd-uses":
    case "optimistic":
      return "etcd";
    case "zookeeper":
      return "zookeeper";
    case "redis-timestamp":
    case "redis-token":
    case "redlock":
      return "redis";
    default:
      return unreachable(system);
  }
}

/** Whether the first in the queue holds something. Services that register themselves are many, and none comes first. */
export function isLock(system: LabSystem): boolean {
  return system !== "etcd-uses" && system !== "optimistic";
}

export function programNamed(id: string): AnyProgram {
  return present(PROGRAMS[id], `program ${id}`);
}

/** @param ttl how long a session of ZooKeeper asks to last in silence; the server grants it within bounds of its own */
export function driverOf(program: string, servers: readonly ProcessId[], ttl: Micros, env: Env): Driver {
  if (program.startsWith("zookeeper")) {
    const givesUp = program === "zookeeper-takes-found" || program === "zookeeper-asks-owner";
    return new ZkDriver(env, { servers, timeout: ttl, watchesAgain: program !== "zookeeper-no-rewatch", givesUp });
  }
  return program.startsWith("redis") || program.startsWith("redlock")
    ? new RedisDriver(servers, env)
    : new EtcdDriver(servers, env);
}

export function truthOf(config: LabConfig): Truth {
  const { system, lock } = config;
  const servers = serverIds(config);
  switch (system) {
    case "etcd-fair":
    case "etcd-mutex":
    case "etcd-election":
    case "etcd-uses":
      return new EtcdTruth(lock, "prefix");
    case "etcd-txn":
      return new EtcdTruth(lock, "key");
    case "zookeeper":
      return new ZooKeeperTruth(ZK_ROOT, lock);
    case "redis-timestamp":
      return new RedisTruth(lock, "timestamp", servers, WALL_AT_START);
    case "redis-token":
      return new RedisTruth(lock, "value", servers, WALL_AT_START);
    case "redlock":
      return new RedisTruth(lock, "majority", servers, WALL_AT_START);
    case "optimistic":
      return new NoTruth();
    default:
      return unreachable(system);
  }
}
