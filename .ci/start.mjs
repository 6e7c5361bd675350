/**
 * `npm start`: installs what is missing, builds, serves the page, prints its address and opens it.
 *
 * What is served is the built site, which is the page as everybody gets it: same policy, same workers; building takes
 * two seconds. `--dev` serves the sources instead and reloads as they change. `--port N`, `--no-open`.
 */
import { spawn } from "node:child_process";
import { argv, env, platform } from "node:process";
import { parseArgs } from "node:util";
import { build } from "./build.mjs";
import { installPackages } from "./install.mjs";
import { giveUp, ROOT, say } from "./programs.mjs";

const { values } = parseArgs({
  args: argv.slice(2),
  options: {
    dev: { type: "boolean", default: false },
    open: { type: "boolean", default: true },
    port: { type: "string", default: "4173" },
  },
  allowNegative: true,
});
const port = Number(values.port);
if (!Number.isInteger(port) || port < 0 || port > 65_535) giveUp(`--port ${values.port}: a port is 0 to 65535`);

await installPackages();
const address = values.dev ? await serveSources() : await serveBuilt();
say(`\n  Lockstep: ${address}\n\n  Ctrl+C ends it.`);
if (values.open) openInBrowser(address);

async function serveSources() {
  const { createServer } = await import("vite");
  const server = await createServer({ root: ROOT, server: { host: "127.0.0.1", port } });
  await server.listen();
  return addressOf(server.resolvedUrls);
}

async function serveBuilt() {
  await build();
  const { preview } = await import("vite");
  return addressOf((await preview({ root: ROOT, preview: { host: "127.0.0.1", port } })).resolvedUrls);
}

/** @param {{ local: string[] } | null} urls */
function addressOf(urls) {
  return urls?.local[0] ?? giveUp("the server has no address");
}

/**
 * As far as there is a screen; where there is none, the printed address is enough.
 *
 * @param {string} url
 */
function openInBrowser(url) {
  if (platform === "linux" && env["DISPLAY"] === undefined && env["WAYLAND_DISPLAY"] === undefined) return;
  const [program, args] =
    platform === "darwin"
      ? ["open", [url]]
      : platform === "win32"
        ? ["cmd", ["/c", "start", "", url]]
        : ["xdg-open", [url]];
  const child = spawn(program, args, { stdio: "ignore", detached: true });
  child.on("error", () => say("  (no browser could be opened)"));
  child.unref();
}
