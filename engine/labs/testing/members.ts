/** For tests: one etcd member without a log in place of a cluster. */
import type { ProcessId } from "../../sim/command.ts";
import type { ProcessSpec } from "../../sim/process.ts";
import { serverIds } from "../config.ts";
import type { Members } from "../world.ts";
import { TestEtcd } from "./etcd-server.ts";

export const testMembers: Members = {
  specs: (config) =>
    serverIds(config).map((id): ProcessSpec => ({ id, kind: "member", present: true, config: { type: "test-etcd", first: id === ("n1" as ProcessId) } })),
  build: (_spec, env) => new TestEtcd(env),
};
