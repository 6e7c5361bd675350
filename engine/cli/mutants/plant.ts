/** Plants a mutant: bundles the trial with one source changed in memory, and runs it in a process of its own. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { execPath } from "node:process";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "vite";
import type { Change } from "./change.ts";
import type { TrialRequest, TrialResult } from "./trial.ts";

const ENGINE = fileURLToPath(new URL("../..", import.meta.url));
/** What is bundled, for mutants of Raft, of etcd's store, and of etcd's member and client. */
const TRIALS = { raft: "trial.ts", store: "store-trial.ts", member: "member-trial.ts" } as const;
/** A mutant may loop forever; that is a way to be caught too, but nobody's meaning. */
const TRIAL_MS_MAX = 120_000;

export function sourceOf({ file }: Change): string {
  return readFileSync(join(ENGINE, file), "utf8");
}

/** How often what the mutant changes stands in its file: it must be once. */
export function matches(mutant: Change): number {
  return sourceOf(mutant).split(mutant.find).length - 1;
}

function plugin(mutant: Change): Plugin {
  const path = join(ENGINE, mutant.file);
  return {
    name: "mutant",
    enforce: "pre",
    load(module) {
      if (module !== path) return null;
      const parts = sourceOf(mutant).split(mutant.find);
      if (parts.length !== 2) throw new Error(`${mutant.name}: matches ${parts.length - 1} times in ${mutant.file}`);
      return parts.join(mutant.replace);
    },
  };
}

/** The trial's program, with the mutant in it. */
export async function plant(
  mutant: Change | null,
  folder: string,
  name: string,
  trial: keyof typeof TRIALS = "raft",
): Promise<string> {
  await build({
    configFile: false,
    logLevel: "silent",
    plugins: mutant === null ? [] : [plugin(mutant)],
    ssr: { noExternal: true },
    build: {
      ssr: fileURLToPath(new URL(TRIALS[trial], import.meta.url)),
      outDir: folder,
      emptyOutDir: false,
      minify: false,
      target: "node20",
      rollupOptions: { output: { entryFileNames: `${name}.mjs`, format: "es", codeSplitting: false } },
    },
  });
  return join(folder, `${name}.mjs`);
}

export async function runTrial(program: string, request: TrialRequest): Promise<TrialResult> {
  const { out, failure } = await run(program, request);
  return failure === null ? (JSON.parse(out) as TrialResult) : { caughtBy: null, how: failure, also: [] };
}

/** Of the store, or of the member: which cases failed. */
export interface CasesResult {
  readonly failed: readonly { readonly name: string; readonly wrong: string }[];
}

export async function runCases(program: string): Promise<CasesResult> {
  const { out, failure } = await run(program, {});
  if (failure !== null) throw new Error(failure);
  return JSON.parse(out) as CasesResult;
}

/** What it printed, and how it ended if not well. */
function run(program: string, request: object): Promise<{ readonly out: string; readonly failure: string | null }> {
  return new Promise((resolve) => {
    const child = spawn(execPath, [program, JSON.stringify(request)], {
      stdio: ["ignore", "pipe", "pipe"],
      timeout: TRIAL_MS_MAX,
      killSignal: "SIGKILL",
    });
    let out = "";
    let errors = "";
    child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
    child.on("close", (code) => {
      resolve({ out, failure: code === 0 ? null : `ended with ${code ?? "a signal"}: ${errors.slice(-300)}` });
    });
  });
}
