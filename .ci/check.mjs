/**
 * `npm run check`: types, lint, format, import layers, unit tests, a hundred seeds. The quick loop.
 *
 * All steps run even when one fails, so that one round shows everything. `--no-tests` leaves the tests to `npm test`.
 */
import { argv } from "node:process";
import { installPackages } from "./install.mjs";
import { ROOT, runPackage, say, TOOLS } from "./programs.mjs";

await installPackages();
const { checkLayers } = await import("./layers.mjs");

/** @type {readonly (readonly [name: string, step: () => Promise<{ code: number }>])[]} */
const steps = [
  ["types", () => runPackage(TOOLS.tsc, ["-b"])],
  ["lint", () => runPackage(TOOLS.oxlint, [])],
  ["format", () => runPackage(TOOLS.biome, ["format", "."])],
  ["layers", layers],
  ["unit tests", () => runPackage(TOOLS.vitest, ["run", "--reporter=dot"])],
  ["a hundred seeds", () => runPackage(TOOLS.tsx, ["engine/cli/main.ts", "sim", "--seeds", "1..100"])],
];

/** @type {string[]} */
const failed = [];
for (const [name, step] of steps) {
  if ((name === "unit tests" || name === "a hundred seeds") && argv.includes("--no-tests")) continue;
  const began = Date.now();
  const { code } = await step();
  if (code !== 0) failed.push(name);
  say(`${code === 0 ? "ok    " : "FAILED"} ${name} (${((Date.now() - began) / 1_000).toFixed(1)} s)`);
}
if (failed.length > 0) {
  say(`\nfailed: ${failed.join(", ")}`);
  process.exitCode = 1;
}

async function layers() {
  const { code, modules, problems } = await checkLayers(ROOT);
  for (const problem of problems) say(problem);
  say(`${modules} modules, ${problems.length} problems`);
  return { code };
}
