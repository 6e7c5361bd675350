/** The run that each subject begins with. */
import { DEFAULT_CONFIG, type RunSpec } from "../../engine/index.ts";
import type { Subject } from "../store/subject.ts";
import { DEFAULT_SEED } from "./start.ts";

const RAFT: RunSpec = { seed: DEFAULT_SEED, config: DEFAULT_CONFIG };
const ETCD: RunSpec = {
  seed: DEFAULT_SEED,
  config: {
    ...DEFAULT_CONFIG,
    system: "etcd",
    members: 3,
    timing: "etcd",
    preVote: true,
    clients: 1,
    etcd: { console: true },
  },
};

/** The labs begin with a story, not with a run of their own. */
export const SUBJECT_SPECS: Readonly<Record<Exclude<Subject, "labs">, RunSpec>> = { raft: RAFT, etcd: ETCD };
