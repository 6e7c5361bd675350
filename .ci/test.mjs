/**
 * `npm test`: installs what is missing, Chromium too, and runs every test there is. The last line is always
 * `N passed, M failed`, summed over all runners; a runner that crashed, or that ran nothing, counts as one failure.
 */
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { join, relative } from "node:path";
import { build } from "./build.mjs";
import { installBrowser, installEtcd, installPackages } from "./install.mjs";
import { ROOT, runPackage, say, TOOLS } from "./programs.mjs";

/** @typedef {{ passed: number, failed: number }} Sum */

const REPORTS = join(ROOT, ".tmp/test");
/** What other implementations said and did, kept beside a checkout by those who have it. */
const RECORDED = join(ROOT, "../shared/conformance");
/** Each suite of `npm run conformance`, and the folder of its cases. */
const SUITES = Object.entries({
  raft: "etcd-raft",
  etcd: "etcd-kv",
  etcdctl: "etcdctl",
  redis: "redis",
  zookeeper: "zookeeper",
});

const CAMPAIGN_SEEDS = 300;
const ETCD_SEEDS = 60;
/** Programs that a real etcd answers too, about a second and a half each. */
const LIVE_PROGRAMS = 100;
const LAB_SEEDS = 60;

await installPackages();
const chromium = await installBrowser();
rmSync(REPORTS, { recursive: true, force: true });
mkdirSync(REPORTS, { recursive: true });

/** @type {readonly (readonly [name: string, runner: () => Promise<Sum | null>])[]} */
const runners = [
  ["unit and world tests", unitTests],
  ...SUITES.map(
    ([suite, folder]) =>
      /** @type {const} */ ([`conformance: ${suite}`, () => conformance(suite, join(RECORDED, folder))]),
  ),
  ["live: etcd", liveEtcd],
  ["campaign", () => campaign(CAMPAIGN_SEEDS, [])],
  ["campaign: etcd", () => campaign(ETCD_SEEDS, ["--system", "etcd"])],
  ["campaign: lock labs", () => campaign(LAB_SEEDS, ["--labs"])],
  ["mutants", mutants],
  ["end-to-end tests", endToEnd],
];

const total = { passed: 0, failed: 0 };
for (const [name, runner] of runners) {
  say(`\n── ${name}`);
  const sum = await runner();
  if (sum === null) continue;
  say(`── ${name}: ${line(sum)}`);
  total.passed += sum.passed;
  total.failed += sum.failed;
}
process.exitCode = total.failed > 0 ? 1 : 0;
say(`\n${line(total)}`);

/** @returns {Promise<Sum>} */
async function unitTests() {
  const report = join(REPORTS, "vitest.json");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const { code } = await runPackage(TOOLS.vitest, ["run", ...reporters], { env: { CHROMIUM_PATH: chromium } });
  const { numPassedTests = 0, numFailedTests = 0 } = readReport(report);
  return counted(code, Number(numPassedTests), Number(numFailedTests));
}

/**
 * @param {string} suite
 * @param {string} folder
 * @returns {Promise<Sum | null>}
 */
async function conformance(suite, folder) {
  if (!existsSync(folder)) {
    say(`skipped: no cases at ${relative(ROOT, folder)}`);
    return null;
  }
  const args = ["engine/cli/main.ts", "conformance", suite, folder];
  const { code, output } = await runPackage(TOOLS.tsx, args, { output: "both" });
  const [, passed = 0, failed = 0] = /(\d+) passed, (\d+) failed\s*$/.exec(output) ?? [];
  return counted(code, Number(passed), Number(failed));
}

/** @returns {Promise<Sum | null>} */
async function liveEtcd() {
  if (!existsSync(RECORDED)) {
    say(`skipped: no recorder at ${relative(ROOT, RECORDED)}`);
    return null;
  }
  if (!(await installEtcd())) {
    say("skipped: no etcd is installed");
    return null;
  }
  const args = ["engine/cli/main.ts", "conformance", "etcd", "--live", String(LIVE_PROGRAMS)];
  const { code, output } = await runPackage(TOOLS.tsx, args, { output: "both" });
  const [, passed = 0, failed = 0] = /(\d+) passed, (\d+) failed\s*$/.exec(output) ?? [];
  return counted(code, Number(passed), Number(failed));
}

/**
 * Random clusters under random faults; the seeds are not those of `npm run check`.
 *
 * @param {number} seeds
 * @param {readonly string[]} options
 * @returns {Promise<Sum>}
 */
async function campaign(seeds, options) {
  const args = ["engine/cli/main.ts", "sim", ...options, "--seeds", `1001..${1000 + seeds}`];
  const { code } = await runPackage(TOOLS.tsx, args);
  return counted(code, code === 0 ? seeds : 0, 0);
}

/** @returns {Promise<Sum>} */
async function mutants() {
  const { code, output } = await runPackage(TOOLS.tsx, ["engine/cli/main.ts", "mutants"], { output: "both" });
  const [, caught = 0, living = 0] = /(\d+) caught, (\d+) not/.exec(output) ?? [];
  return counted(code, Number(caught), Number(living));
}

/** @returns {Promise<Sum>} */
async function endToEnd() {
  await build();
  const report = join(REPORTS, "playwright.json");
  const { code } = await runPackage(TOOLS.playwright, ["test", "--reporter=list,json"], {
    env: { CHROMIUM_PATH: chromium, E2E_PORT: String(await freePort()), PLAYWRIGHT_JSON_OUTPUT_NAME: report },
  });
  const { expected = 0, flaky = 0, unexpected = 0 } = readReport(report)["stats"] ?? {};
  return counted(code, Number(expected) + Number(flaky), Number(unexpected));
}

/**
 * @param {number} code
 * @param {number} passed
 * @param {number} failed
 * @returns {Sum}
 */
function counted(code, passed, failed) {
  const broken = failed === 0 && (code !== 0 || passed === 0);
  if (broken) say(code !== 0 ? `the runner ended with exit code ${code}` : "the runner ran nothing");
  return { passed, failed: failed + (broken ? 1 : 0) };
}

/**
 * @param {string} path
 * @returns {Record<string, any>}
 */
function readReport(path) {
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
}

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

/** @param {Sum} sum */
function line({ passed, failed }) {
  return `${passed} passed, ${failed} failed`;
}
