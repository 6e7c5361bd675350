/**
 * One random run of an etcd cluster under random faults, with clients that keep it busy: the Raft rules are checked as
 * it goes, and at the end the clients' history: linearizability of the whole store, local reads, and watches.
 *
 * The faults are those of `chaos.ts`, but its changes of membership, which for etcd are calls of its own.
 */
import { MS, type Micros } from "../base/units.ts";
import { Checks } from "../check/checks.ts";
import { EtcdHistory, type HistoryVerdict } from "../check/etcd-history.ts";
import type { Violation } from "../check/violation.ts";
import { etcdClientConfig } from "../etcd/client/config.ts";
import { Workload, workloadClient, type WorkloadConfig, type WorkloadEvent } from "../etcd/client/workload.ts";
import type { Command, Recorded } from "../sim/command.ts";
import type { TraceEvent, WorldEvent } from "../sim/events.ts";
import { InlineHost } from "../sim/host.ts";
import type { Build } from "../sim/process.ts";
import { World, type WorldConfig } from "../sim/world.ts";
import { clientTimeout, memberIds } from "./build.ts";
import { Chaos } from "./chaos.ts";
import type { RunSpec } from "./config.ts";
import type { Kit } from "./kit.ts";

export const ETCD_MEMBERS_MAX = 5;

export type EtcdViolation =
  | Violation
  | { readonly rule: "linearizability" | "local-reads" | "watch-guarantees" | "liveness"; readonly figures: object };

export interface EtcdSeedResult {
  readonly seed: number;
  readonly spec: RunSpec;
  readonly commands: readonly Recorded[];
  readonly n: number;
  readonly at: Micros;
  readonly events: number;
  /** Attempts to break something, of which the world took something, by name. */
  readonly faults: ReadonlyMap<string, number>;
  readonly history: HistoryVerdict;
  readonly violation: EtcdViolation | null;
}

export interface EtcdCampaignOptions {
  readonly length: Micros;
  readonly kit: Pick<Kit, "build" | "world">;
  readonly listener?: (event: TraceEvent) => void;
}

/** Answers that the clients must get after the last calm. */
const RECOVERED_ANSWERS = 5;

export function runEtcdSeed(seed: number, { length, kit, listener }: EtcdCampaignOptions): EtcdSeedResult {
  const chaos = new Chaos(seed, length);
  const spec = etcdSpec(chaos.spec);
  const checks = new Checks();
  const history = new EtcdHistory();
  let events = 0;
  const world = new World(withWorkload(spec, kit.world(spec)), (event) => {
    events += 1;
    checks.add(event);
    history.add(event as TraceEvent<WorldEvent | WorkloadEvent>);
    listener?.(event);
  });
  const host = new InlineHost(withWorkloadBuild(kit.build));
  const commands: Recorded[] = [];
  const faults = new Map<string, number>();
  let goal: number | null = null;
  while (checks.violation === null && chaos.nextAt < chaos.deadline) {
    if (goal !== null && history.answered >= goal) break;
    runUntil(world, host, chaos.nextAt, checks);
    if (checks.violation !== null) break;
    const attempt = chaos.act(world);
    let taken = 0;
    for (const command of attempt.commands.filter(isForEtcd)) {
      const { n, now: at } = world;
      if (world.command(command, host) !== null) continue;
      commands.push({ n, at, command });
      taken += 1;
    }
    if (taken > 0) faults.set(attempt.name, (faults.get(attempt.name) ?? 0) + 1);
    if (attempt.name === "calm" && world.now >= chaos.stormsEnd) goal ??= history.answered + RECOVERED_ANSWERS;
  }
  const verdict = history.judge();
  const stuck = goal === null || history.answered < goal;
  const violation = checks.violation ?? broken(verdict, stuck);
  return { seed, spec, commands, n: world.n, at: world.now, events, faults, history: verdict, violation };
}

function runUntil(world: World, host: InlineHost, to: Micros, checks: Checks): void {
  while (world.nextAt <= to) {
    world.runRoundHere(host);
    if (checks.violation !== null) return;
  }
  world.idleUntil(to);
}

/** What broke, if anything; undecided is not broken. */
function broken({ store, wrongLocalReads, watchBreaches }: HistoryVerdict, stuck: boolean): EtcdViolation | null {
  if (store.result === "not-linearizable") {
    const { stuck: operation, order } = store;
    return { rule: "linearizability", figures: { explained: order.length, last: order.at(-1) ?? null, operation } };
  }
  const [read] = wrongLocalReads;
  if (read !== undefined) return { rule: "local-reads", figures: read };
  const [breach] = watchBreaches;
  if (breach !== undefined) return { rule: "watch-guarantees", figures: breach };
  return stuck ? { rule: "liveness", figures: {} } : null;
}

export function etcdSpec({ seed, config }: RunSpec): RunSpec {
  const members = Math.min(ETCD_MEMBERS_MAX, config.members);
  return { seed, config: { ...config, system: "etcd", members, clients: Math.max(2, config.clients) } };
}

/** The world of a run, with busy clients in place of the system's own. */
function withWorkload({ config }: RunSpec, world: WorldConfig): WorldConfig {
  const timeout = clientTimeout(config);
  const workload: WorkloadConfig = {
    client: workloadClient(etcdClientConfig(memberIds(config)), timeout),
    keys: 4,
    thinkMax: Math.max(5 * MS, Math.floor(timeout / 10)),
    watches: 2,
  };
  const processes = world.processes.map((process) =>
    process.kind === "client" ? { ...process, config: workload } : process,
  );
  return { ...world, processes };
}

function withWorkloadBuild(build: Build): Build {
  return (spec, env) => (spec.kind === "client" ? new Workload(spec.config as WorkloadConfig, env) : build(spec, env));
}

function isForEtcd({ type }: Command): boolean {
  return type !== "membership" && type !== "spawn" && type !== "write" && type !== "read";
}
