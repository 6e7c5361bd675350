import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "./harness.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

test("npm start serves the page and prints its address", async ({ page }) => {
  test.setTimeout(180_000); // the development server bundles on the first visit
  // It builds, and the other tests read what was built; so here it serves the sources, which is its other half.
  const child = spawn(process.execPath, [".ci/start.mjs", "--dev", "--no-open", "--port", "0"], { cwd: ROOT });
  try {
    await page.goto(await printedAddress(child));
    await expect(page.getByRole("button", { name: /^n\d: / })).toHaveCount(5);
  } finally {
    child.kill();
  }
});

function printedAddress(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      printed += chunk.toString();
      const [, address] = /Lockstep: (\S+)/.exec(printed) ?? [];
      if (address !== undefined) resolve(address);
    });
    child.on("exit", () => reject(new Error(`it ended, and printed: ${printed}`)));
  });
}
