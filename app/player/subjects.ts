/** The run that each subject begins with. */
import { DEFAULT_CONFIG, type RunSpec } from "../../engine/index.ts";
import type { Subject } from "../store/subject.ts";
import { DEFAULT_SEED } from "./start.ts";

const RAFT: RunSpec = { seed: DEFAULT_SEED, config: DEFAULT_CONFIG };
const ETCD: RunSpec = {
  seed: DEFAULT_SEED,
  config: { ...DEFAULT_CONFIG, system: "etcd", members: 3, timing: "etcd", preVote: true, clients: 1 },
};

export const SUBJECT_SPECS: Readonly<Record<Subject, RunSpec>> = { raft: RAFT, etcd: ETCD, labs: ETCD };
