/**
 * What a run starts from, besides its seed. Everything has a range; `app/player` and `scenario` refuse what is outside.
 */
import { MS, type Micros } from "../base/units.ts";
import type { LabConfig } from "../labs/config.ts";
import type { DiskQuality, LinkQuality } from "../sim/command.ts";

/** Timing of a Raft member. One tick is the unit in which Raft counts. */
export interface Timing {
  readonly tick: Micros;
  /** The shortest election timeout, in ticks. */
  readonly electionTicks: number;
  /** A timeout is drawn from [electionTicks, electionTicks + electionSpreadTicks). */
  readonly electionSpreadTicks: number;
  readonly heartbeatTicks: number;
}

/** `paper`: Raft §9.3; `wide`: what many articles and RaftScope-like pages use; `etcd`: its defaults. */
export type TimingProfile = "paper" | "wide" | "etcd";

export const TIMINGS: Readonly<Record<TimingProfile, Timing>> = {
  paper: { tick: 1 * MS, electionTicks: 150, electionSpreadTicks: 150, heartbeatTicks: 50 },
  wide: { tick: 1 * MS, electionTicks: 100, electionSpreadTicks: 400, heartbeatTicks: 40 },
  etcd: { tick: 100 * MS, electionTicks: 10, electionSpreadTicks: 10, heartbeatTicks: 1 },
};

export const MEMBERS_MAX = 9;

/** What runs on the members. */
export type SystemName = "register" | "etcd";

export interface EtcdOptions {
  /** Whose behaviour, where versions differ; "3.5" stands for what 3.5 and newer do, and is usual. */
  readonly compat?: "3.4" | "3.5";
  /** Bytes; --quota-backend-bytes. */
  readonly quotaBytes?: number;
  /** How often quiet watches are told of progress, if they asked for it. */
  readonly progressEvery?: Micros;
  /** How long a token holds without being used; 300 s when left out. */
  readonly authTokenTtl?: Micros;
  readonly leaseCheckpoints?: boolean;
  /** Whether a person's console stands beside the clients; it is the last of them. */
  readonly console?: boolean;
}

export interface RunConfig {
  /** The register when left out. */
  readonly system?: SystemName;
  /** A lock lab: then `members` are its servers, and its clients are its own. */
  readonly lab?: LabConfig;
  /** How etcd is set up, where it is not as usual. */
  readonly etcd?: EtcdOptions;
  /** 1 to `MEMBERS_MAX`. Their ids are n1, n2, … */
  readonly members: number;
  readonly timing: TimingProfile;
  readonly preVote: boolean;
  readonly checkQuorum: boolean;
  readonly network: LinkQuality;
  readonly disk: DiskQuality;
  /** 0 to 3. Their ids are c1, c2, … */
  readonly clients: number;
  /** A member takes a snapshot each time it has applied this many entries; 1,000 when left out. */
  readonly snapshotEntries?: number;
}

export const DEFAULT_CONFIG: RunConfig = {
  members: 5,
  timing: "paper",
  preVote: false,
  checkQuorum: true,
  network: { latencyMin: 8 * MS, latencyMax: 16 * MS, lossPerMillion: 0, duplicatePerMillion: 0, reorderPerMillion: 0 },
  disk: { fsyncMin: 1 * MS, fsyncMax: 3 * MS, tornWrites: true },
  clients: 1,
};

/** The start of a recording, and the whole of it once its commands are added. */
export interface RunSpec {
  /** An integer of [0, 2^53). */
  readonly seed: number;
  readonly config: RunConfig;
}
