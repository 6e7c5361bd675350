/**
 * `npm run conformance | sim | mutants | bench -- …`: installs what is missing, then hands over to `engine/cli/`.
 * On standard output stands nothing but what the program says; the exit code is its own.
 */
import { argv } from "node:process";
import { installBrowser, installPackages } from "./install.mjs";
import { runPackage, TOOLS } from "./programs.mjs";

const [command = "", ...args] = argv.slice(2);
await installPackages();
/** @type {Record<string, string>} */
const env = command === "bench" ? { CHROMIUM_PATH: await installBrowser() } : {};
const { code } = await runPackage(TOOLS.tsx, ["engine/cli/main.ts", command, ...args], { env });
process.exitCode = code;
