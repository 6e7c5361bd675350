/**
 * The kit that knows all systems. It is for Node, for tests, and for the page's second program, which is fetched when a
 * run asks for more than the register.
 */
import { LabFold } from "../labs/fold.ts";
import { familyOf } from "../labs/systems.ts";
import { LAB_KIT } from "../labs/world.ts";
import type { Build } from "../sim/process.ts";
import type { WorldConfig } from "../sim/world.ts";
import { build, consoleId } from "./build.ts";
import type { RunConfig, RunSpec } from "./config.ts";
import { showDisks } from "./disks.ts";
import { buildEtcd, etcdWorld } from "./etcd.ts";
import { describeEtcd } from "./fold/describe-etcd.ts";
import { DESCRIBE_FAMILY, describeLab, describePlainly } from "./fold/describe-lab.ts";
import { EtcdFold } from "./fold/etcd.ts";
import { labNote } from "./fold/lab-notes.ts";
import type { Parts, PartStates } from "./fold/parts.ts";
import { type Kit, REGISTER_KIT } from "./kit.ts";
import { LabSteps } from "./lab-steps.ts";
import { recordLabStory } from "./labs.ts";

export const SYSTEMS_KIT: Kit = { build: buildAny, world, parts, disks: showDisks, labSteps, recordLabStory };

function labSteps({ lab }: RunConfig): LabSteps | null {
  return lab === undefined ? null : new LabSteps();
}

/** A process's config tells whose it is. */
function buildAny(...[spec, env]: Parameters<Build>): ReturnType<Build> {
  const config = spec.config as object;
  if ("kind" in config || "type" in config) return LAB_KIT.build(spec, env);
  if ("etcd" in config || "client" in config || "program" in config) return buildEtcd(spec, env);
  return build(spec, env);
}

function world(spec: RunSpec): WorldConfig {
  const { lab, system } = spec.config;
  if (lab !== undefined) return LAB_KIT.world(lab, spec.seed);
  return system === "etcd" ? etcdWorld(spec) : REGISTER_KIT.world(spec);
}

function parts(config: RunConfig, states: PartStates | null): Parts {
  const { lab, system } = config;
  if (lab !== undefined) {
    const family = familyOf(lab.system);
    const describe = describeLab(DESCRIBE_FAMILY[family] ?? describePlainly);
    const etcd = family === "etcd" ? new EtcdFold(null, states?.etcd ?? null) : null;
    return { describe, note: labNote, etcd, lab: new LabFold(lab, states?.lab ?? null) };
  }
  if (system !== "etcd") return REGISTER_KIT.parts(config, states);
  const etcd = new EtcdFold(consoleId(config), states?.etcd ?? null);
  return { describe: describeEtcd, note: () => etcd.takeNote(), etcd, lab: null };
}
