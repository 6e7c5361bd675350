/**
 * The kit that knows all systems. It is for Node, for tests, and for the page's second program, which is fetched when a
 * run asks for more than the register.
 */
import { build } from "./build.ts";
import { buildEtcd, type EtcdProcessConfig, etcdWorld } from "./etcd.ts";
import { describeEtcd } from "./fold/describe-etcd.ts";
import { type Kit, REGISTER_KIT } from "./kit.ts";

export const SYSTEMS_KIT: Kit = {
  build: (spec, env) => (isEtcd(spec.config) ? buildEtcd(spec, env) : build(spec, env)),
  world: (spec) => (spec.config.system === "etcd" ? etcdWorld(spec) : REGISTER_KIT.world(spec)),
  parts: (config, states) =>
    config.system === "etcd" ? { describe: describeEtcd, etcd: null, lab: null } : REGISTER_KIT.parts(config, states),
};

/** A process's config tells whose it is; an etcd client's names its endpoints. */
function isEtcd(config: unknown): boolean {
  return "etcd" in (config as EtcdProcessConfig) || "client" in (config as object);
}
