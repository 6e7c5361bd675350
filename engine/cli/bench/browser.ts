/** A Chromium, and the page in it as a person would have it. */
import { existsSync } from "node:fs";
import { env } from "node:process";
import { type Browser, type BrowserContext, type CDPSession, chromium, type Page } from "@playwright/test";
import { openSite, type Site } from "./site.ts";

export interface Opened {
  readonly page: Page;
  readonly cdp: CDPSession;
  readonly context: BrowserContext;
}

/** Site and browser of one benchmark. */
export interface Stand {
  readonly site: Site;
  readonly browser: Browser;
  /** A page in a context of its own, with nothing in its cache; not yet at any address. */
  readonly newPage: () => Promise<Opened>;
}

/** `.ci/cli.mjs` names the browser; where nobody does, it is Debian's, or Playwright's own. */
const DEBIANS = "/usr/bin/chromium";

export async function withStand<T>(say: (line: string) => void, work: (stand: Stand) => Promise<T>): Promise<T> {
  const site = await openSite(say);
  const path = env["CHROMIUM_PATH"] ?? (existsSync(DEBIANS) ? DEBIANS : undefined);
  const browser = await chromium.launch({
    ...(path === undefined ? {} : { executablePath: path }),
    args: [
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
  try {
    return await work({ site, browser, newPage: () => newPage(browser) });
  } finally {
    await browser.close();
    site.close();
  }
}

async function newPage(browser: Browser): Promise<Opened> {
  const context = await browser.newContext({ viewport: { width: 1_280, height: 800 }, locale: "en-US" });
  const page = await context.newPage();
  // The loader that runs this file marks functions with their names; those that are sent to the page too.
  await page.addInitScript("globalThis.__name = (what) => what");
  return { page, context, cdp: await context.newCDPSession(page) };
}

/** Seconds of main-thread tasks since the page began: processor time of that thread, once `threadTicks` are asked for. */
export async function taskSeconds(cdp: CDPSession): Promise<number> {
  const { metrics } = await cdp.send("Performance.getMetrics");
  return metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN;
}
