/** Plants a mutant: bundles the trial with one source changed in memory, and runs it in a process of its own. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { execPath } from "node:process";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "vite";
import type { Mutant } from "./catalogue.ts";
import type { TrialRequest, TrialResult } from "./trial.ts";

const ENGINE = fileURLToPath(new URL("../..", import.meta.url));
const TRIAL = fileURLToPath(new URL("trial.ts", import.meta.url));
/** A mutant may loop forever; that is a way to be caught too, but nobody's meaning. */
const TRIAL_MS_MAX = 120_000;

export function sourceOf({ file }: Mutant): string {
  return readFileSync(join(ENGINE, file), "utf8");
}

/** How often what the mutant changes stands in its file: it must be once. */
export function matches(mutant: Mutant): number {
  return sourceOf(mutant).split(mutant.find).length - 1;
}

function plugin(mutant: Mutant): Plugin {
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
export async function plant(mutant: Mutant | null, folder: string, name: string): Promise<string> {
  await build({
    configFile: false,
    logLevel: "silent",
    plugins: mutant === null ? [] : [plugin(mutant)],
    ssr: { noExternal: true },
    build: {
      ssr: TRIAL,
      outDir: folder,
      emptyOutDir: false,
      minify: false,
      target: "node20",
      rollupOptions: { output: { entryFileNames: `${name}.mjs`, format: "es", codeSplitting: false } },
    },
  });
  return join(folder, `${name}.mjs`);
}

export function runTrial(program: string, request: TrialRequest): Promise<TrialResult> {
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
      if (code === 0) resolve(JSON.parse(out) as TrialResult);
      else resolve({ caughtBy: null, how: `ended with ${code ?? "a signal"}: ${errors.slice(-300)}`, also: [] });
    });
  });
}
