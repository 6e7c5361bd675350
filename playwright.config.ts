/**
 * End-to-end tests: on the built site, in a real Chromium. `CHROMIUM_PATH` names it, else it is Playwright's own.
 * Needs `npm run build` first; `npm test` does all of it.
 */
import { env } from "node:process";
import { defineConfig } from "@playwright/test";

const port = Number(env["E2E_PORT"] ?? 4_173);
const executablePath = env["CHROMIUM_PATH"];

export default defineConfig({
  testDir: "e2e",
  outputDir: ".tmp/e2e",
  forbidOnly: env["CI"] !== undefined,
  fullyParallel: true,
  workers: 2,
  timeout: 60_000,
  expect: { timeout: 15_000 },
  reporter: "list",
  use: {
    baseURL: `http://127.0.0.1:${port}`,
    viewport: { width: 1_280, height: 800 },
    locale: "en-US",
    trace: "retain-on-failure",
    screenshot: "only-on-failure",
    launchOptions: {
      ...(executablePath === undefined ? {} : { executablePath }),
      args: [
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    },
  },
  webServer: {
    command: `node node_modules/vite/bin/vite.js preview --host 127.0.0.1 --port ${port} --strictPort`,
    url: `http://127.0.0.1:${port}`,
    reuseExistingServer: false,
  },
});
