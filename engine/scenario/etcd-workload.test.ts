import { expect, it } from "vitest";
import { SECOND } from "../base/units.ts";
import { FakeEtcd, FakeStore, NO_MISTAKES } from "../check/fake-etcd.ts";
import { etcdClientConfig } from "../etcd/client/config.ts";
import { Workload, workloadClient, type WorkloadConfig, type WorkloadEvent } from "../etcd/client/workload.ts";

import { InlineHost } from "../sim/host.ts";
import { World, type WorldConfig } from "../sim/world.ts";
import { TraceHash } from "../trace/hash.ts";
import { worldConfig } from "./build.ts";
import { DEFAULT_CONFIG } from "./config.ts";

const END = 6 * SECOND;

const config = ((): WorldConfig => {
  const world = worldConfig({ seed: 11, config: { ...DEFAULT_CONFIG, members: 1, clients: 3 } });
  const [member] = world.processes;
  const workload: WorkloadConfig = {
    client: workloadClient(etcdClientConfig(member === undefined ? [] : [member.id]), 1 * SECOND),
    keys: 3,
    thinkMax: 20_000,
    watches: 2,
  };
  const processes = world.processes.map((spec) => (spec.kind === "client" ? { ...spec, config: workload } : spec));
  return { ...world, processes };
})();

function hostOf(): InlineHost {
  const store = new FakeStore();
  return new InlineHost((spec, env) =>
    spec.kind === "client" ? new Workload(spec.config as WorkloadConfig, env) : new FakeEtcd(NO_MISTAKES, store, env),
  );
}

it("a client that goes on from a checkpoint does what the one that never stopped does", () => {
  const hash = new TraceHash();
  let answers = 0;
  const world = new World(config, (event) => {
    hash.add(event);
    if ((event.event as WorkloadEvent).type === "operation-answered") answers += 1;
  });
  const host = hostOf();
  world.runHere(host, END / 2);
  const middle = {
    world: world.state(),
    hash: hash.state(),
    processes: world.living().map(({ id }) => structuredClone(host.get(id).checkpoint())),
  };
  world.runHere(host, END);

  const laterHash = new TraceHash(middle.hash);
  const later = new World(config, (event) => laterHash.add(event), middle.world);
  const laterHost = hostOf();
  later.living().forEach((spec, i) => laterHost.restore(spec, middle.processes[i], later.outOf(spec.id)));
  later.runHere(laterHost, END);

  expect(answers).toBeGreaterThan(100);
  expect(later.n).toBe(world.n);
  expect(laterHash.digits()).toBe(hash.digits());
});
