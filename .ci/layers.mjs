/**
 * The import layers, held by dependency-cruiser from the table in `.dependency-cruiser.mjs`.
 *
 * A cruiser that can read no file finds no offence, so the number of modules that it saw is looked at too; and a folder
 * that the table has forgotten would be free to import anything, so each is looked up.
 */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import swc from "@swc/core";
import { cruise } from "dependency-cruiser";
import { forbidden, MAY, options } from "../.dependency-cruiser.mjs";

// The cruiser asks swc to read TypeScript and says nothing of TSX, at which swc stops.
const { parseFileSync } = swc;
Object.assign(swc, {
  parseFileSync: (/** @type {string} */ path, /** @type {import("@swc/core").ParseOptions} */ how) =>
    parseFileSync(path, path.endsWith(".tsx") ? { ...how, syntax: "typescript", tsx: true } : how),
});

/**
 * @param {string} root the folder that holds engine/ and app/
 * @returns {Promise<{ code: number, modules: number, problems: readonly string[] }>}
 */
export async function checkLayers(root) {
  const parts = ["engine", "app"].filter((part) => existsSync(join(root, part)));
  const problems = parts.flatMap((part) => forgotten(root, part));
  const { output } = await cruise(parts, {
    ...options,
    baseDir: root,
    ruleSet: { forbidden },
    validate: true,
  });
  if (typeof output === "string") throw new Error("the cruiser was asked for data");
  for (const { from, to, rule } of output.summary.violations) problems.push(`${from} → ${to}: ${rule.name}`);
  const sources = output.modules.filter(({ source }) => /^(?:engine|app)\/.*\.tsx?$/.test(source));
  const files = parts.flatMap((part) => sourceFiles(root, part));
  const unseen = files.filter((file) => !sources.some(({ source }) => source === file));
  if (files.length === 0 || unseen.length > 0) problems.push(`not read: ${unseen.join(", ") || "no file at all"}`);
  return { code: problems.length === 0 ? 0 : 1, modules: sources.length, problems };
}

/**
 * @param {string} root
 * @param {string} part
 */
function forgotten(root, part) {
  return readdirSync(join(root, part), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() || /\.tsx?$/.test(entry.name))
    .map((entry) => `${part}/${entry.name}`)
    .filter((path) => !Object.hasOwn(MAY, path) && !/\.(?:test|d)\.tsx?$/.test(path))
    .map((path) => `${path} is not in the table of .dependency-cruiser.mjs`);
}

/**
 * @param {string} root
 * @param {string} part
 */
function sourceFiles(root, part) {
  return readdirSync(join(root, part), { recursive: true, encoding: "utf8" })
    .map((name) => `${part}/${name.replaceAll("\\", "/")}`)
    .filter((name) => /\.tsx?$/.test(name) && !name.endsWith(".d.ts"));
}
