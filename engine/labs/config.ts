/** What a lab starts from: which system and program, who takes part, and the figures; each has a range. */
import { MS, type Micros, SECOND } from "../base/units.ts";
import type { ProcessId } from "../sim/command.ts";
import type { LockParams } from "./program.ts";

export const LAB_SYSTEMS = [
  "etcd-fair",
  "etcd-txn",
  "etcd-mutex",
  "etcd-election",
  "etcd-uses",
  "zookeeper",
  "redis-timestamp",
  "redis-token",
  "redlock",
  "optimistic",
] as const;
export type LabSystem = (typeof LAB_SYSTEMS)[number];

export interface LabClientSpec {
  /** From the start of the story. */
  readonly startAt: Micros;
  /** What differs for it from the lab's. */
  readonly params?: Partial<LockParams>;
  readonly variant?: string;
  /** A program of another kind, by its whole name. */
  readonly program?: string;
  /** The only server that it talks to, by its place; left out: all of them. */
  readonly server?: number;
}

export interface LabConfig {
  readonly system: LabSystem;
  /** `published` or `mended`, and others that a system has; names the program with the system. */
  readonly variant: string;
  readonly lock: string;
  readonly servers: number;
  readonly fenced: boolean;
  readonly params: LockParams;
  readonly clients: readonly LabClientSpec[];
  /** How long a line of a program takes. */
  readonly stepTime: Micros;
  /** When the story begins: the cluster has had a leader for a while. */
  readonly warmUp: Micros;
  /** How its servers are set up, where that is not as they come. */
  readonly setup?: LabSetup;
}

export interface LabSetup {
  /** Of etcd: 3.5 unless said, or told by the variant. */
  readonly compat?: "3.4" | "3.5";
  /** Whether etcd tells the others what is left of long leases. */
  readonly checkpoints?: boolean;
  /** Whether a server of Redis puts each write on its disk before it answers. */
  readonly durable?: boolean;
  /** The number of the first node under ZooKeeper's root. */
  readonly sequenceFrom?: number;
}

/** The variants of each system; those of programs of another kind are named in full (`LabClientSpec.program`). */
export const LAB_VARIANTS: Readonly<Record<LabSystem, readonly string[]>> = {
  "etcd-fair": ["published", "mended", "guarded", "herd", "published-noting", "mended-noting"],
  "etcd-txn": ["published", "retry", "watch"],
  "etcd-mutex": ["3.4", "3.5", "service"],
  "etcd-election": ["published", "mended", "observer"],
  "etcd-uses": ["published", "mended", "follower", "publisher"],
  zookeeper: ["published", "mended", "herd", "no-rewatch", "by-text", "takes-found", "asks-owner"],
  "redis-timestamp": ["published", "mended", "if-live"],
  "redis-token": ["published", "counted"],
  redlock: ["published"],
  optimistic: ["published"],
};

/** All programs by their ids (labs/systems.ts has them). */
export const PROGRAM_IDS: ReadonlySet<string> = new Set([
  ...LAB_SYSTEMS.flatMap((system) => LAB_VARIANTS[system].map((variant) => `${system}-${variant}`)),
  "etcd-by-hand",
  "redis-by-hand",
  "zookeeper-by-hand",
]);

export const LAB_CLIENTS_MAX = 50;
export const LAB_WRITES_MAX = 50;
export const RESOURCE = "r1" as ProcessId;

const RANGES = {
  ttl: [1 * MS, 3_600 * SECOND],
  work: [0, 3_600 * SECOND],
  beatFirst: [0, 3_600 * SECOND],
  beatEvery: [10 * MS, 3_600 * SECOND],
  retry: [1 * MS, 3_600 * SECOND],
  limit: [0, 3_600 * SECOND],
  replicas: [0, 9],
  servers: [1, 9],
  rounds: [1, 1_000],
} as const satisfies Partial<Record<keyof LockParams, readonly [number, number]>>;

export interface OutOfRange {
  readonly field: string;
  readonly min: number;
  readonly max: number;
  readonly given: number;
}

/** A client is to run a program that there is not. */
export interface NoProgram {
  readonly field: "program";
  readonly program: string;
}

/** The first figure outside its range, or program that there is not; null when all is well. */
export function checkLab(lab: LabConfig): OutOfRange | NoProgram | null {
  const { clients, servers, params, stepTime, warmUp } = lab;
  const unknown = clients.map((_, i) => programOf(lab, i)).find((program) => !PROGRAM_IDS.has(program));
  if (unknown !== undefined) return { field: "program", program: unknown };
  const figures: (readonly [string, number, number, number])[] = [
    ["clients", clients.length, 1, LAB_CLIENTS_MAX],
    ["servers", servers, 1, 9],
    ["stepTime", stepTime, 0, SECOND],
    ["warmUp", warmUp, 0, 60 * SECOND],
    ["sequenceFrom", lab.setup?.sequenceFrom ?? 0, 0, 2_147_483_647],
    ...clients.map(({ startAt }) => ["startAt", startAt, 0, 3_600 * SECOND] as const),
  ];
  for (const one of [params, ...clients.map((client) => client.params ?? {})])
    for (const [field, [min, max]] of Object.entries(RANGES)) {
      const given = one[field as keyof typeof RANGES];
      if (given !== undefined && given !== null) figures.push([field, given, min, max]);
    }
  for (const { writes } of [params, ...clients.map((client) => client.params ?? {})]) {
    if (writes === undefined) continue;
    figures.push(["writes", writes.length, 0, LAB_WRITES_MAX]);
    for (const write of writes) figures.push(["writes", write, 0, 3_600 * SECOND]);
  }
  const bad = figures.find(([, given, min, max]) => !Number.isSafeInteger(given) || given < min || given > max);
  if (bad === undefined) return null;
  const [field, given, min, max] = bad;
  return { field, min, max, given };
}

export function clientIds({ clients }: LabConfig): readonly ProcessId[] {
  return clients.map((_, i) => `c${i + 1}` as ProcessId);
}

export function serverIds({ servers }: LabConfig): readonly ProcessId[] {
  return Array.from({ length: servers }, (_, i) => `n${i + 1}` as ProcessId);
}

export function programOf({ system, variant, clients }: LabConfig, client: number): string {
  return clients[client]?.program ?? `${system}-${clients[client]?.variant ?? variant}`;
}

/** How many servers there are is the lab's, whatever its parameters say. */
export function paramsOf({ params, lock, clients, servers }: LabConfig, client: number): LockParams {
  return { ...params, lock, ...clients[client]?.params, servers };
}

export function lockOf(config: LabConfig, id: ProcessId): string {
  return paramsOf(config, Number(id.slice(1)) - 1).lock;
}

export const DEFAULT_PARAMS: LockParams = {
  lock: "/lock/mylock",
  ttl: 15 * SECOND,
  work: 6 * SECOND,
  writes: [0],
  beatFirst: 1 * SECOND,
  beatEvery: 12 * SECOND,
  retry: 1 * SECOND,
  limit: null,
  ownDeadline: false,
  replicas: 0,
  servers: 5,
  rounds: 1,
};
