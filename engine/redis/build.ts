/** From a process's spec to a process of this folder. */
import type { Env, Process } from "../sim/process.ts";
import type { RedisServerConfig } from "./config.ts";
import { Sentinel, type SentinelConfig } from "./sentinel.ts";
import { RedisServer } from "./server.ts";

export type RedisSpec =
  | { readonly type: "redis-server"; readonly config: RedisServerConfig }
  | { readonly type: "redis-sentinel"; readonly config: SentinelConfig };

export function buildRedis(spec: RedisSpec, env: Env): Process {
  switch (spec.type) {
    case "redis-server":
      return new RedisServer(spec.config, env);
    case "redis-sentinel":
      return new Sentinel(spec.config, env);
  }
}
