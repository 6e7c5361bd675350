/**
 * Running other programs, for the scripts beside this one. Node's own modules only.
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository. */
export const ROOT = fileURLToPath(new URL("..", import.meta.url));

/**
 * @typedef {object} Ended
 * @property {number} code its exit code; 1 when it could not be started or was killed by a signal
 * @property {string} output all that it printed, when asked to keep it
 */

/**
 * Runs a program in the repository to its end.
 *
 * @param {string} program
 * @param {readonly string[]} args
 * @param {{ env?: Record<string, string>, output?: "show" | "keep" | "both" }} [options] what becomes of its output
 * @returns {Promise<Ended>}
 */
export function run(program, args, { env = {}, output = "show" } = {}) {
  return new Promise((resolve) => {
    const windows = process.platform === "win32" && !program.endsWith(".exe");
    const child = spawn(program, args, {
      cwd: ROOT,
      env: { ...process.env, ...env },
      stdio: output === "show" ? "inherit" : ["ignore", "pipe", "pipe"],
      shell: windows, // npm and npx are .cmd files there
    });
    let kept = "";
    const onData = (/** @type {Buffer} */ chunk) => {
      kept += chunk.toString();
      if (output === "both") process.stdout.write(chunk);
    };
    child.stdout?.on("data", onData);
    child.stderr?.on("data", onData);
    child.on("error", (error) => resolve({ code: 1, output: `${kept}${error.message}\n` }));
    child.on("close", (code) => resolve({ code: code ?? 1, output: kept }));
  });
}

/**
 * Runs a program of one of the installed packages with this very Node.
 *
 * @param {string} path below node_modules
 * @param {readonly string[]} args
 * @param {Parameters<typeof run>[2]} [options]
 */
export function runPackage(path, args, options) {
  return run(process.execPath, [join(ROOT, "node_modules", path), ...args], options);
}

/** The packages' programs that the scripts call. */
export const TOOLS = {
  biome: "@biomejs/biome/bin/biome",
  oxlint: "oxlint/bin/oxlint",
  playwright: "@playwright/test/cli.js",
  tsc: "typescript/bin/tsc",
  tsx: "tsx/dist/cli.mjs",
  vite: "vite/bin/vite.js",
  vitest: "vitest/vitest.mjs",
};

/**
 * Where a program is on the PATH.
 *
 * @param {string} name
 * @returns {string | null}
 */
export function which(name) {
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  const names = process.platform === "win32" ? [`${name}.exe`, `${name}.cmd`] : [name];
  return folders.flatMap((folder) => names.map((file) => join(folder, file))).find((path) => existsSync(path)) ?? null;
}

/** @param {string} line */
export function say(line) {
  process.stdout.write(`${line}\n`);
}

/**
 * Ends the program with a sentence instead of a stack.
 *
 * @param {string} sentence
 * @returns {never}
 */
export function giveUp(sentence) {
  process.stderr.write(`\n${sentence}\n`);
  process.exit(1);
}
