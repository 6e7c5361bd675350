/**
 * Installs what is missing: the packages of the lock file and, for tests, a Chromium. Needs nothing but Node.
 *
 * Called by start, test, check, build and CI alike; when nothing is missing it takes some milliseconds.
 * By hand: `node .ci/install.mjs [--browser]`.
 */
import { existsSync, lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { argv } from "node:process";
import { pathToFileURL } from "node:url";
import { giveUp, ROOT, run, runPackage, say, TOOLS, which } from "./programs.mjs";

const NODE_MIN = [20, 19];

/** @typedef {{ packages?: Record<string, { version?: string, optional?: boolean, link?: boolean }> }} Lock */

/** Packages as the lock file names them; else the script ends with a sentence. */
export async function installPackages() {
  checkNode();
  if (!isStale()) return;
  say("installing packages (npm ci) …");
  const { code } = await run("npm", ["ci", "--no-audit", "--no-fund"]);
  if (code !== 0) giveUp("npm could not install the packages: see above. A connection to its registry is needed once.");
}

function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const [majorMin = 0, minorMin = 0] = NODE_MIN;
  if (major > majorMin || (major === majorMin && minor >= minorMin)) return;
  giveUp(`Node ${NODE_MIN.join(".")} or newer is needed; this is ${process.versions.node}.`);
}

/** Whether some package that the lock file asks for is not there, or there in another version. */
function isStale() {
  const folder = join(ROOT, "node_modules");
  const installed = join(folder, ".package-lock.json");
  if (!existsSync(installed)) return true;
  if (lstatSync(folder).isSymbolicLink()) return false; // somebody else's, shared: not ours to change
  const wanted = readLock(join(ROOT, "package-lock.json"));
  const present = readLock(installed);
  return Object.entries(wanted).some(
    ([path, { version, optional, link }]) =>
      path !== "" && optional !== true && link !== true && present[path]?.version !== version,
  );
}

/**
 * @param {string} path
 * @returns {NonNullable<Lock["packages"]>}
 */
function readLock(path) {
  /** @type {Lock} */
  const lock = JSON.parse(readFileSync(path, "utf8"));
  return lock.packages ?? {};
}

/**
 * A Chromium that runs; the packages must be there already. Else the script ends with a sentence.
 *
 * @returns {Promise<string>} its path
 */
export async function installBrowser() {
  const found = await findBrowser();
  if (found !== null) return found;
  await installByApt("Chromium", ["chromium", "fonts-noto-cjk"]);
  const byApt = await findBrowser();
  if (byApt !== null) return byApt;
  say("installing Playwright's Chromium …");
  await runPackage(TOOLS.playwright, ["install", "chromium"]);
  return (
    (await findBrowser()) ??
    giveUp(
      "The end-to-end tests need a Chromium, and none could be installed. Install Chromium or Chrome, " +
        "or set CHROMIUM_PATH to the program of one.",
    )
  );
}

/** @returns {Promise<string | null>} */
async function findBrowser() {
  const named = process.env["CHROMIUM_PATH"];
  if (named !== undefined && named !== "") {
    if (await works(named)) return named;
    giveUp(`CHROMIUM_PATH is ${named}, and that does not run.`);
  }
  const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
  const candidates = [
    ...names.map((name) => which(name)),
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    join(process.env["PROGRAMFILES"] ?? "", "Google/Chrome/Application/chrome.exe"),
    await playwrightsOwn(),
  ];
  for (const path of candidates) if (path !== null && existsSync(path) && (await works(path))) return path;
  return null;
}

/**
 * Being there is not enough: on some systems the program of that name only says how to install it.
 *
 * @param {string} path
 */
async function works(path) {
  if (process.platform === "win32") return existsSync(path); // there it opens a window instead of answering
  const { code, output } = await run(path, ["--version"], { output: "keep" });
  return code === 0 && /chrom/i.test(output);
}

/** @returns {Promise<string | null>} */
async function playwrightsOwn() {
  try {
    const { chromium } = await import("@playwright/test");
    return chromium.executablePath();
  } catch {
    return null;
  }
}

/**
 * A real etcd, for comparison. It is fetched only where nobody minds: in CI.
 *
 * @returns {Promise<boolean>} whether there is one
 */
export async function installEtcd() {
  if (which("etcd") === null && process.env["CI"] !== undefined) await installByApt("etcd", ["etcd-server"]);
  return which("etcd") !== null;
}

/**
 * @param {string} what
 * @param {readonly string[]} packages
 */
async function installByApt(what, packages) {
  if (process.platform !== "linux" || which("apt-get") === null) return;
  const root = process.getuid?.() === 0;
  if (!root && (which("sudo") === null || (await run("sudo", ["-n", "true"], { output: "keep" })).code !== 0)) return;
  const apt = async (/** @type {string[]} */ ...args) => {
    const command = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", ...args];
    const [program = "", ...rest] = root ? command : ["sudo", "-n", ...command];
    return await run(program, rest);
  };
  say(`installing ${what} by apt …`);
  await apt("update", "-q");
  await apt("install", "-q", "-y", "--no-install-recommends", ...packages);
}

if (argv[1] !== undefined && import.meta.url === pathToFileURL(argv[1]).href) {
  await installPackages();
  if (argv.includes("--browser")) say(`Chromium: ${await installBrowser()}`);
}
