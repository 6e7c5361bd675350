/**
 * The static site, in `dist/`: `index.html` in several files, `embed.html` as one. Then looks at the size of what is
 * fetched before the first leader.
 */
import { copyFileSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { argv } from "node:process";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { installPackages } from "./install.mjs";
import { giveUp, ROOT, runPackage, say, TOOLS } from "./programs.mjs";

const DIST = join(ROOT, "dist");
const SINGLE = join(ROOT, "dist-single");
/** Gzip bytes of every script fetched before the first leader, workers included. */
const SCRIPT_BYTES_MAX = 150_000;

export async function build() {
  await installPackages();
  for (const args of [["build"], ["build", "--mode", "single"]]) {
    const { code } = await runPackage(TOOLS.vite, [...args, "--logLevel", "warn"]);
    if (code !== 0) giveUp("the build failed: see above");
  }
  const extra = readdirSync(SINGLE, { recursive: true }).filter((name) => /\.(?:js|css)$/.test(String(name)));
  if (extra.length > 0) giveUp(`the single file is not single: ${extra.join(", ")}`);
  copyFileSync(join(SINGLE, "index.html"), join(DIST, "embed.html"));
  rmSync(SINGLE, { recursive: true });
  checkSize();
}

function checkSize() {
  const scripts = initialScripts();
  const bytes = scripts.reduce((sum, path) => sum + gzipSync(readFileSync(path), { level: 9 }).length, 0);
  const embed = gzipSync(readFileSync(join(DIST, "embed.html")), { level: 9 }).length;
  const first = `${kilobytes(bytes)} of script in ${scripts.length} file${scripts.length === 1 ? "" : "s"}`;
  say(`dist/index.html: ${first}, of ${kilobytes(SCRIPT_BYTES_MAX)} allowed (gzip, workers included)`);
  say(`dist/embed.html: ${kilobytes(embed)} (gzip)`);
  if (scripts.length === 0) giveUp("no script was found in dist/index.html");
  if (bytes > SCRIPT_BYTES_MAX) giveUp("the scripts fetched at first are too large");
}

/** What index.html names, and what that imports statically: all is fetched before anything runs. */
function initialScripts() {
  const html = readFileSync(join(DIST, "index.html"), "utf8");
  const found = new Set(
    [...html.matchAll(/(?:src|href)="\.\/([^"]+\.js)"/g)].map(([, path]) => join(DIST, path ?? "")),
  );
  for (const path of found) {
    const code = readFileSync(path, "utf8");
    for (const [, name] of code.matchAll(/(?:^|[;}\n])import(?:[^"'();]*?from)?\s*["']\.\/([^"']+\.js)["']/g))
      found.add(join(path, "..", name ?? ""));
  }
  return [...found];
}

/** @param {number} bytes */
function kilobytes(bytes) {
  return `${(bytes / 1_000).toFixed(1)} kB`;
}

if (argv[1] !== undefined && import.meta.url === pathToFileURL(argv[1]).href) await build();
