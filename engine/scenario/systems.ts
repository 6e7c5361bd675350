/**
 * The kit that knows all systems. It is for Node, for tests, and for the page's second program, which is fetched when a
 * run asks for more than the register.
 */
import { LabFold } from "../labs/fold.ts";
import { LAB_KIT } from "../labs/world.ts";
import { build } from "./build.ts";
import { buildEtcd, type EtcdProcessConfig, etcdWorld } from "./etcd.ts";
import { describeEtcd } from "./fold/describe-etcd.ts";
import { describeLab } from "./labs.ts";
import { type Kit, REGISTER_KIT } from "./kit.ts";

export const SYSTEMS_KIT: Kit = {
  build: (spec, env) => {
    if (isLab(spec.config)) return LAB_KIT.build(spec, env);
    return isEtcd(spec.config) ? buildEtcd(spec, env) : build(spec, env);
  },
  world: (spec) => {
    const { system, lab } = spec.config;
    if (lab !== undefined) return LAB_KIT.world(lab, spec.seed);
    return system === "etcd" ? etcdWorld(spec) : REGISTER_KIT.world(spec);
  },
  parts: (config, states) => {
    const { system, lab } = config;
    if (lab !== undefined) return { describe: describeLab, etcd: null, lab: new LabFold(lab, states?.lab ?? null) };
    return system === "etcd" ? { describe: describeEtcd, etcd: null, lab: null } : REGISTER_KIT.parts(config, states);
  },
};

/** Clients of labs, the resource, and Redis; a lab's etcd members are as any. */
function isLab(config: unknown): boolean {
  return "kind" in (config as object) || "type" in (config as object);
}

/** A process's config tells whose it is; an etcd client's names its endpoints. */
function isEtcd(config: unknown): boolean {
  return "etcd" in (config as EtcdProcessConfig) || "client" in (config as object);
}
