/**
 * One trial of the engine as it is bundled here, perhaps with a mutant in it: the case that leads to it, random seeds,
 * then transcripts, until what is meant to has caught it. Prints one line of JSON.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { argv } from "node:process";
import { SECOND } from "../../base/units.ts";
import { runSeed } from "../../scenario/campaign.ts";
import { runTranscript } from "../raft/suite.ts";
import { type CaseName, playCase } from "./cases.ts";
import type { Catcher } from "./catalogue.ts";

export interface TrialRequest {
  readonly meant: readonly Catcher[];
  readonly stage: CaseName | null;
  readonly seeds: number;
  /** A folder of transcripts; null for none. */
  readonly transcripts: string | null;
}

export interface TrialResult {
  readonly caughtBy: Catcher | null;
  /** Where: the case, the seeds or the transcripts, and how many it took. */
  readonly how: string;
  /** What else caught it before. */
  readonly also: readonly string[];
}

const CASE_SEEDS = 10;
const SECONDS = 6;

export function trial({ meant, stage, seeds, transcripts }: TrialRequest): TrialResult {
  const also = new Set<string>();
  const judge = (rule: Catcher | undefined): rule is Catcher => {
    if (rule === undefined) return false;
    if (!meant.includes(rule)) also.add(rule);
    return meant.includes(rule);
  };
  const found = (caughtBy: Catcher, how: string): TrialResult => ({ caughtBy, how, also: [...also] });
  if (stage !== null)
    for (let seed = 1; seed <= CASE_SEEDS; seed += 1) {
      const rule = playCase(stage, seed)?.rule;
      if (judge(rule)) return found(rule, `case ${stage}, run ${seed}`);
    }
  if (meant.includes("transcripts") && transcripts !== null) {
    const failed = failedTranscripts(transcripts);
    const [first] = failed;
    if (first !== undefined)
      return found("transcripts", `${first}${failed.length > 1 ? ` and ${failed.length - 1} more` : ""}`);
  }
  if (meant.some((catcher) => catcher !== "transcripts"))
    for (let seed = 1; seed <= seeds; seed += 1) {
      const rule = runSeed(seed, { length: SECONDS * SECOND }).violation?.rule;
      if (judge(rule)) return found(rule, `seed ${seed}`);
    }
  return { caughtBy: null, how: `${seeds} seeds`, also: [...also] };
}

function failedTranscripts(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".txt"))
    .sort()
    .filter((name) => runTranscript(readFileSync(join(folder, name), "utf8")) !== null);
}

const [, , request] = argv;
if (request !== undefined && request.startsWith("{"))
  process.stdout.write(`${JSON.stringify(trial(JSON.parse(request) as TrialRequest))}\n`);
