/**
 * `mutants [--only TEXT] [--seeds N] [--transcripts PATH] [--json]`: plants each known fault and shows what caught it.
 *
 * First the engine as it is must pass what the mutants fail. Ends with 1 when a mutant lives, or only something else
 * than what was meant to has caught it.
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { CASE_NAMES } from "./mutants/cases.ts";
import { type Mutant, MUTANTS } from "./mutants/catalogue.ts";
import { plant, runTrial } from "./mutants/plant.ts";
import type { TrialResult } from "./mutants/trial.ts";
import { UsageError } from "./usage.ts";

const USAGE = "usage: mutants [--only TEXT] [--seeds N] [--transcripts PATH] [--json]";
const TRANSCRIPTS = "../shared/conformance/etcd-raft";

interface Options {
  readonly only: string;
  readonly seeds: number;
  readonly transcripts: string | null;
  readonly json: boolean;
}

interface Row extends TrialResult {
  readonly mutant: Mutant;
}

export async function mutants(args: readonly string[]): Promise<number> {
  const options = parse(args);
  const named = MUTANTS.filter(({ name }) => name.includes(options.only));
  const chosen = named.filter(({ meant }) => options.transcripts !== null || meant.some((by) => by !== "transcripts"));
  const folder = mkdtempSync(join(tmpdir(), "lockstep-mutants-"));
  try {
    const sound = await soundEngine(folder, options);
    if (sound !== null) {
      print(`the engine without a mutant fails: ${sound}`);
      return 1;
    }
    const rows = await tryAll(chosen, folder, options);
    const living = rows.filter(({ caughtBy }) => caughtBy === null);
    if (options.json)
      print(JSON.stringify(rows.map(({ mutant, ...rest }) => ({ name: mutant.name, meant: mutant.meant, ...rest }))));
    else {
      const left = named.length - chosen.length;
      const without =
        left > 0 ? `, ${left} not tried: they need go.etcd.io/raft's transcripts (--transcripts PATH)` : "";
      print(`${rows.length - living.length} caught, ${living.length} not${without}`);
    }
    return living.length === 0 ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function parse(args: readonly string[]): Options {
  const rest = [...args];
  let [only, seeds, json] = ["", 60, false];
  let transcripts = existsSync(TRANSCRIPTS) ? TRANSCRIPTS : null;
  for (let name = rest.shift(); name !== undefined; name = rest.shift()) {
    if (name === "--json") json = true;
    else if (name === "--only") only = rest.shift() ?? "";
    else if (name === "--seeds") seeds = Number(rest.shift());
    else if (name === "--transcripts") transcripts = rest.shift() ?? null;
    else throw new UsageError(USAGE);
  }
  if (!Number.isSafeInteger(seeds) || seeds < 1) throw new UsageError(USAGE);
  return { only, seeds, transcripts, json };
}

/** Null, or what a check finds where there is nothing to find. */
async function soundEngine(folder: string, { transcripts }: Options): Promise<string | null> {
  const program = await plant(null, folder, "sound");
  const meant = ["transcripts"] as const;
  for (const stage of CASE_NAMES) {
    const { caughtBy, how, also } = await runTrial(program, {
      meant,
      stage,
      seeds: 1,
      transcripts: stage === CASE_NAMES[0] ? transcripts : null,
    });
    if (caughtBy !== null || also.length > 0) return `${stage}: ${caughtBy ?? also.join(", ")} (${how})`;
  }
  return null;
}

async function tryAll(chosen: readonly Mutant[], folder: string, options: Options): Promise<readonly Row[]> {
  const rows: Row[] = [];
  const waiting = [...chosen.entries()];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [k, mutant] = next;
      const program = await plant(mutant, folder, `mutant-${k}`);
      const { seeds, transcripts } = options;
      const result = await runTrial(program, { meant: mutant.meant, stage: mutant.stage ?? null, seeds, transcripts });
      rows.push({ mutant, ...result });
      if (!options.json) print(line(mutant, result));
    }
  };
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), 4) }, work));
  return rows;
}

function line({ name, meant }: Mutant, { caughtBy, how, also }: TrialResult): string {
  const verdict = caughtBy ?? `NOT CAUGHT by ${meant.join(", ")}`;
  const others = also.length > 0 ? `; also ${also.join(", ")}` : "";
  return `${caughtBy === null ? "FAILED" : "ok    "} ${name.padEnd(76)} ${verdict.padEnd(22)} ${how}${others}`;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
