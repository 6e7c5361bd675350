/**
 * One random lock lab under random faults: what its programs believed and what reached the resource is judged by
 * `check/locks.ts`, and held against what this lab promises. A breach of what is promised is a fault of ours; a breach of
 * what is not is what such a lock is known for, and the shortest story of it is worth keeping.
 */
import { MS, SECOND } from "../base/units.ts";
import { type Rng, rngFor } from "../base/rng.ts";
import { type LockBreach, LockChecks, type LockRule } from "../check/locks.ts";
import { clientIds, DEFAULT_PARAMS, type LabConfig, type LabSystem, lockOf, serverIds } from "../labs/config.ts";
import { LabRun } from "../labs/lab-run.ts";
import type { LabStory, StoryStep } from "../labs/story.ts";
import { familyOf } from "../labs/systems.ts";
import { LAB_KIT } from "../labs/world.ts";
import type { Command, ProcessId } from "../sim/command.ts";

interface Kind {
  readonly system: LabSystem;
  readonly variant: string;
  /** Its servers agree on an order, and it takes nothing for its turn that is not. */
  readonly fifo: boolean;
  /** Its tokens are of that order: a fence that checks them lets no update be lost. */
  readonly tokens: boolean;
  /** It counts its own hold: only a pause or a clock that runs wrong makes two believe. */
  readonly counts: boolean;
}

const KINDS: readonly Kind[] = [
  { system: "etcd-fair", variant: "published", fifo: false, tokens: true, counts: false },
  { system: "etcd-fair", variant: "mended", fifo: true, tokens: true, counts: true },
  { system: "etcd-txn", variant: "retry", fifo: true, tokens: true, counts: true },
  { system: "etcd-txn", variant: "watch", fifo: true, tokens: true, counts: true },
  { system: "etcd-mutex", variant: "3.4", fifo: false, tokens: true, counts: false },
  { system: "etcd-mutex", variant: "3.5", fifo: true, tokens: true, counts: false },
  { system: "zookeeper", variant: "published", fifo: false, tokens: true, counts: false },
  { system: "zookeeper", variant: "mended", fifo: true, tokens: true, counts: false },
  { system: "zookeeper", variant: "herd", fifo: true, tokens: true, counts: false },
  { system: "zookeeper", variant: "asks-owner", fifo: true, tokens: true, counts: false },
  { system: "redis-timestamp", variant: "published", fifo: false, tokens: false, counts: false },
  { system: "redis-timestamp", variant: "mended", fifo: false, tokens: false, counts: false },
  { system: "redis-token", variant: "published", fifo: false, tokens: false, counts: false },
  { system: "redis-token", variant: "counted", fifo: false, tokens: false, counts: false },
  { system: "redlock", variant: "published", fifo: false, tokens: false, counts: false },
];

export interface LabSeedResult {
  readonly story: LabStory;
  /** For a table: the system with its variant, and whether the resource is fenced. */
  readonly kind: string;
  readonly events: number;
  readonly breaches: readonly LockBreach[];
  /** Of what this lab promises. */
  readonly broken: readonly LockBreach[];
}

const ENDS_AT = 40;

export function runLabSeed(seed: number): LabSeedResult {
  const rng = rngFor(seed, "lab-campaign");
  const kind = KINDS[rng.below(KINDS.length)] as Kind;
  const lab = randomLab(kind, rng);
  const steps = randomFaults(lab, rng);
  const story: LabStory = { id: `seed-${seed}`, lab, seed, steps, endsAt: ENDS_AT, expect: [] };
  const { breaches, events, taken } = judgeLab(story);
  const promised = promises(kind, lab, taken);
  const broken = breaches.filter(({ rule }) => promised.has(rule));
  const name = `${kind.system} ${kind.variant}${lab.fenced ? " fenced" : ""}`;
  return { story: { ...story, steps: taken }, kind: name, events, breaches, broken };
}

export interface Judged {
  readonly breaches: readonly LockBreach[];
  readonly events: number;
  /** The steps of which the world took the command. */
  readonly taken: readonly StoryStep[];
}

/** Tells a story of commands at instants, with every check. */
export function judgeLab({ lab, seed, steps, endsAt }: LabStory): Judged {
  const run: LabRun = new LabRun(lab, seed, LAB_KIT, (event) => checks.add(event));
  const checks = new LockChecks({
    lockOf: (client) => lockOf(lab, client),
    ahead: (identity) => run.fold.ahead(identity),
  });
  const taken: StoryStep[] = [];
  for (const step of steps) {
    if (!("at" in step.when) || step.deed.do !== "command") continue;
    run.runTo(Math.round(step.when.at * SECOND));
    if (run.command(step.deed.command) === null) taken.push(step);
  }
  run.runTo(endsAt * SECOND);
  return { breaches: checks.breaches, events: run.events, taken };
}

/** As few commands as still break the rule, and no more time than that takes. */
export function shorten(story: LabStory, rule: LockRule): LabStory {
  let best = story;
  for (let i = best.steps.length - 1; i >= 0; i -= 1) {
    const fewer = { ...best, steps: best.steps.toSpliced(i, 1) };
    if (judgeLab(fewer).breaches.some((one) => one.rule === rule)) best = fewer;
  }
  const first = judgeLab(best).breaches.find((one) => one.rule === rule);
  if (first === undefined) return best;
  const endsAt = Math.ceil((first.at - story.lab.warmUp) / SECOND);
  return { ...best, endsAt, steps: best.steps.filter(({ when }) => "at" in when && when.at <= endsAt) };
}

function promises(kind: Kind, lab: LabConfig, steps: readonly StoryStep[]): ReadonlySet<LockRule> {
  const promised = new Set<LockRule>();
  if (kind.tokens && lab.fenced) promised.add("lost-update");
  if (kind.fifo) promised.add("fairness");
  const isTroubled = steps.some(
    ({ deed }) => deed.do === "command" && (deed.command.type === "pause" || deed.command.type === "clock"),
  );
  if (kind.counts && lab.params.ownDeadline && !isTroubled) promised.add("exclusion");
  return promised;
}

function randomLab({ system, variant, counts }: Kind, rng: Rng): LabConfig {
  const family = familyOf(system);
  const ttl = family === "zookeeper" ? 4 * SECOND : rng.between(2, 6) * SECOND;
  const clients = Array.from({ length: rng.between(2, 4) }, () => ({ startAt: rng.below(3 * SECOND) }));
  return {
    system,
    variant,
    lock: "lock",
    servers: system === "redlock" ? 5 : family === "redis" ? rng.between(1, 3) : 3,
    fenced: rng.below(2) === 0,
    params: {
      ...DEFAULT_PARAMS,
      lock: "lock",
      ttl,
      work: rng.between(1, 12) * SECOND,
      writes: [0, 500 * MS, 2 * SECOND, 5 * SECOND, 9 * SECOND],
      beatFirst: family === "etcd" ? 0 : null,
      beatEvery: Math.floor(ttl / (counts ? 3 : rng.between(1, 3))),
      retry: 200 * MS,
      limit: system === "zookeeper" && variant === "published" ? 8 * SECOND : null,
      ownDeadline: counts,
      servers: 5,
    },
    clients,
    stepTime: 100,
    warmUp: 5 * SECOND,
  };
}

/** Some faults at instants, each undone a while later. */
function randomFaults(lab: LabConfig, rng: Rng): readonly StoryStep[] {
  const clients = clientIds(lab);
  const servers = serverIds(lab);
  const steps: { readonly at: number; readonly command: Command }[] = [];
  for (let left = rng.between(1, 6); left > 0; left -= 1) {
    const at = rng.between(200, 25_000) / 1_000;
    const until = at + rng.between(300, 14_000) / 1_000;
    const client = clients[rng.below(clients.length)] as ProcessId;
    const server = servers[rng.below(servers.length)] as ProcessId;
    switch (rng.below(7)) {
      case 0:
        steps.push({ at, command: { type: "crash", process: client } });
        steps.push({ at: until, command: { type: "restart", process: client } });
        break;
      case 1:
      case 2:
        steps.push({ at, command: { type: "pause", process: client } });
        steps.push({ at: until, command: { type: "resume", process: client } });
        break;
      case 3:
        steps.push({ at, command: { type: "crash", process: server } });
        steps.push({ at: until, command: { type: "restart", process: server } });
        break;
      case 4: {
        const away = [client, server];
        const rest = [...clients, ...servers].filter((id) => !away.includes(id));
        steps.push({ at, command: { type: "partition", groups: [away, rest] } });
        steps.push({ at: until, command: { type: "heal" } });
        break;
      }
      case 5:
        steps.push({ at, command: { type: "pause", process: server } });
        steps.push({ at: until, command: { type: "resume", process: server } });
        break;
      default: {
        const process = rng.below(2) === 0 ? client : server;
        const jumpUs = rng.between(-5_000, 5_000) * MS;
        steps.push({ at, command: { type: "clock", process, driftPpm: 0, jumpUs } });
      }
    }
  }
  return steps
    .sort((a, b) => a.at - b.at)
    .map(({ at, command }) => ({ when: { at }, deed: { do: "command", command } }));
}
