/** A run of a lock lab. */
import { MS } from "../base/units.ts";
import type { LabConfig } from "../labs/config.ts";
import { messageWords } from "../labs/lab-run.ts";
import { DEFAULT_CONFIG, type RunConfig } from "./config.ts";
import type { Described } from "./fold/describe.ts";

/** The run's config for a lab: what its members and clients are is the lab's. */
export function labConfig(lab: LabConfig): RunConfig {
  return {
    ...DEFAULT_CONFIG,
    members: lab.servers,
    clients: lab.clients.length,
    timing: "etcd",
    preVote: true,
    network: { ...DEFAULT_CONFIG.network, latencyMin: 5 * MS, latencyMax: 5 * MS },
    disk: { fsyncMin: 2 * MS, fsyncMax: 2 * MS, tornWrites: false },
    lab,
  };
}

const ANSWERS = new Set(["answer", "message", "end", "error", "pong", "reply", "push", "resource-answer"]);

/** For frames of Redis and of the resource; etcd's have a description of their own. */
export function describeLab(data: unknown): Described {
  const words = messageWords(data);
  const kind = ANSWERS.has(words) ? "response" : "request";
  return { kind, term: 0, entryTerms: [], entryCount: 0, figures: { value: words } };
}
