/** The benchmarks of the product as people meet it: the built page, in Chromium. */
import { readFileSync } from "node:fs";
import { deflateRawSync } from "node:zlib";
import type { Page } from "@playwright/test";
import { type Benchmark, type Measured, median, quantile, spread } from "./benchmark.ts";
import { type Stand, taskSeconds, withStand } from "./browser.ts";
import { recordingOf } from "./engine.ts";
import type { RecordedRun } from "./recordings.ts";
import { measureWorkerSteps } from "./worker-steps.ts";

type Say = (line: string) => void;

export function pageBenchmarks(long: boolean): readonly Benchmark[] {
  const rows: readonly (readonly [Omit<Benchmark, "measure">, (stand: Stand, say: Say) => Promise<Measured>])[] = [
    [{ name: "first-view", unit: "ms", budget: 1_000, better: "lower" }, (stand) => firstView(stand, null)],
    [{ name: "first-view-slow-4g", unit: "ms", budget: 1_500, better: "lower" }, (stand) => firstView(stand, SLOW_4G)],
    [{ name: "initial-scripts", unit: "gzip bytes", budget: 150_000, better: "lower" }, initialScripts],
    [{ name: "frame-time", unit: "ms, p95", budget: 16.8, better: "lower" }, frameTime],
    [{ name: "frame-time-locks", unit: "ms, p95", budget: 16.8, better: "lower" }, frameTimeOfLocks],
    [{ name: "main-thread-idle", unit: "% busy", budget: 10, better: "lower" }, mainThread],
    [{ name: "worker-steps", unit: "steps/s", budget: 7_000, better: "higher" }, measureWorkerSteps],
    [
      { name: "memory", unit: "MB", budget: 300, better: "lower" },
      (stand, say) => memory(stand, say, long ? 3_600 : SCALED_S),
    ],
  ];
  return rows.map(([row, measure]) => ({
    ...row,
    measure: (say) => withStand(say, (stand) => measure(stand, say)),
  }));
}

// ── first view ──

/** 150 ms, 1.6 Mbit/s. */
const SLOW_4G = { offline: false, latency: 150, downloadThroughput: 1_600_000 / 8, uploadThroughput: 750_000 / 8 };

/** Notes the instant at which all members are painted and the clock has moved: the frame after the one that says so. */
const WATCH_FIRST_VIEW = `{
  let first = null;
  const look = () => {
    const members = document.querySelectorAll("[data-member]").length;
    const clock = document.querySelector("output")?.textContent ?? null;
    if (members > 0 && clock !== null) first ??= clock;
    if (first !== null && clock !== first)
      requestAnimationFrame(() => { globalThis.firstView = { members, ms: performance.now() }; });
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}`;

interface FirstView {
  readonly members: number;
  readonly ms: number;
}

async function firstView({ site, newPage }: Stand, network: typeof SLOW_4G | null): Promise<Measured> {
  const times: number[] = [];
  let members = 0;
  for (let i = 0; i < 7; i += 1) {
    // oxlint-disable-next-line no-await-in-loop -- one visit after the other
    const { page, cdp, context } = await newPage();
    await cdp.send("Network.enable");
    if (network !== null) await cdp.send("Network.emulateNetworkConditions", network);
    await page.addInitScript(WATCH_FIRST_VIEW);
    await page.goto(site.address);
    const seen = await page.waitForFunction(() => (globalThis as { firstView?: FirstView }).firstView);
    const view = (await seen.jsonValue()) as FirstView;
    times.push(view.ms);
    members = view.members;
    await context.close();
  }
  return { value: median(times), note: `${members} members, clock moving; cold cache, ${spread(times)}` };
}

// ── scripts ──

/** Notes when a leader first stands in the page: in the very change that put it there, not in the frame after. */
const WATCH_FIRST_LEADER = `new MutationObserver((_, observer) => {
  if (document.querySelector('[data-member][data-role="leader"]') === null) return;
  globalThis.firstLeaderMs = performance.now();
  observer.disconnect();
}).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ["data-role"] })`;

/** What is asked for in the very rendering that shows the leader is not before it. */
const ONE_RENDER_MS = 50;

async function initialScripts({ site, newPage }: Stand): Promise<Measured> {
  const { page } = await newPage();
  await page.addInitScript(WATCH_FIRST_LEADER);
  await page.goto(site.address);
  await page.waitForFunction(() => (globalThis as { firstLeaderMs?: number }).firstLeaderMs);
  const addresses = await page.evaluate((render) => {
    const until = ((globalThis as { firstLeaderMs?: number }).firstLeaderMs ?? 0) - render;
    const entries = performance.getEntriesByType("resource") as PerformanceResourceTiming[];
    return entries.filter((entry) => entry.name.endsWith(".js") && entry.startTime < until).map(({ name }) => name);
  }, ONE_RENDER_MS);
  const value = addresses.reduce((sum, address) => sum + site.bytesOf(new URL(address).pathname), 0);
  return { value, note: `${addresses.length} files fetched before the first leader, the workers' program in them` };
}

// ── frames ──

const FRAMES_MS = 12_000;

const frameTime = (stand: Stand, say: Say): Promise<Measured> =>
  frames(stand, say, { recording: "crowded", speed: 0.1, tab: "Log" });

/** The lock view: queue, beliefs over truth, the resource; beside it the stage with all clients, and the timeline. */
const frameTimeOfLocks = (stand: Stand, say: Say): Promise<Measured> =>
  frames(stand, say, { recording: "contending", speed: 1, tab: "Lock" });

interface Shown {
  readonly recording: "crowded" | "contending";
  readonly speed: number;
  /** The panel that is open. */
  readonly tab: string;
}

async function frames({ site, newPage }: Stand, say: Say, { recording, speed, tab }: Shown): Promise<Measured> {
  say("making the recording …");
  const run = await recordingOf(recording);
  say(run.note);
  const { page, cdp } = await newPage();
  await cdp.send("Performance.enable", { timeDomain: "threadTicks" });
  await page.goto(`${site.address}?autoplay=1&speed=${speed}${linkTo(run)}`);
  await page.getByRole("button", { name: "Pause", exact: true }).waitFor({ timeout: 180_000 });
  await page.getByRole("tab", { name: tab, exact: true }).click();
  await page.waitForTimeout(2_000);
  const before = await taskSeconds(cdp);
  const intervals = await page.evaluate(
    (span) =>
      new Promise<number[]>((resolve) => {
        const found: number[] = [];
        const began = performance.now();
        let last: number | null = null;
        const frame = (now: number): void => {
          if (last !== null) found.push(now - last);
          last = now;
          if (now - began < span) requestAnimationFrame(frame);
          else resolve(found);
        };
        requestAnimationFrame(frame);
      }),
    FRAMES_MS,
  );
  const busy = (await taskSeconds(cdp)) - before;
  const flights = await page.getByRole("tab", { name: /^Messages/ }).innerText();
  const alerts = await page.getByRole("alert").allInnerTexts();
  const late = intervals.filter((ms) => ms > 20).length;
  return {
    value: quantile(intervals, 0.95),
    note:
      `${run.note}; ${flights.replace(/\D+/g, "")} in flight at the end, page says: ${alerts.join(" ") || "nothing"}; ` +
      `median ${median(intervals).toFixed(1)} ms, ${late} of ${intervals.length} frames over 20 ms, ` +
      `${((busy * 1_000) / intervals.length).toFixed(1)} ms of main-thread work a frame`,
  };
}

// ── the main thread ──

const IDLE_S = 12;

async function mainThread({ site, newPage }: Stand): Promise<Measured> {
  const { page, cdp } = await newPage();
  await cdp.send("Performance.enable", { timeDomain: "threadTicks" });
  await page.goto(site.address);
  await leader(page).waitFor();
  await page.waitForTimeout(2_000);
  const shares: number[] = [];
  for (let i = 0; i < 3; i += 1) {
    // oxlint-disable-next-line no-await-in-loop
    const [before, began] = [await taskSeconds(cdp), performance.now()];
    // oxlint-disable-next-line no-await-in-loop
    await page.waitForTimeout(IDLE_S * 1_000);
    // oxlint-disable-next-line no-await-in-loop
    shares.push((((await taskSeconds(cdp)) - before) / ((performance.now() - began) / 1_000)) * 100);
  }
  return { value: median(shares), note: `5 members, default speed, ${IDLE_S} s each; ${spread(shares, 1)}` };
}

// ── memory ──

/** Long enough for the recorder to have all the checkpoints that it keeps. */
const SCALED_S = 120;
const SPEED = 10;

/**
 * What the page's renderer holds for itself (workers are threads of it), all of it: heaps, code, canvases. It is run
 * under load at ten times real time, or as near to it as the machine comes. Most of what it holds is garbage that waits
 * for its collection; growth is therefore told from two moments after a forced one, and goes on for the hour.
 */
async function memory({ site, browser, newPage }: Stand, say: Say, spanS: number): Promise<Measured> {
  const run = await recordingOf("busy");
  say(run.note);
  const { page } = await newPage();
  await page.goto(`${site.address}?autoplay=1&speed=${SPEED}${linkTo(run)}`);
  await page.getByRole("button", { name: "Pause", exact: true }).waitFor({ timeout: 60_000 });
  const cdp = await browser.newBrowserCDPSession();
  const { processInfo } = await cdp.send("SystemInfo.getProcessInfo");
  const pids = processInfo.filter(({ type }) => type === "renderer").map(({ id }) => id);
  const held = (): number => Math.max(...pids.map(privateMb));
  const live = async (): Promise<number> => {
    await cdp.send("Tracing.start", { transferMode: "ReturnAsStream", categories: "disabled-by-default-memory-infra" });
    await cdp.send("Tracing.requestMemoryDump", { deterministic: true, levelOfDetail: "background" });
    await cdp.send("Tracing.end");
    return held();
  };
  const peaks: number[] = [];
  const watch = async (forS: number): Promise<void> => {
    for (const until = performance.now() + forS * 1_000; performance.now() < until; ) {
      // oxlint-disable-next-line no-await-in-loop
      await page.waitForTimeout(1_000);
      peaks.push(held());
    }
    say(`${peaks.length} s: ${held().toFixed(0)} MB`);
  };
  await watch((spanS * 2) / 3);
  const before = await live();
  await watch(spanS / 3);
  const after = await live();
  const virtual = await page.getByRole("status", { name: "Virtual time" }).innerText();
  const growth = Math.max(0, after - before) / (spanS / 3);
  const peak = Math.max(...peaks);
  return {
    value: peak + growth * (3_600 - spanS),
    note:
      `peak ${peak.toFixed(0)} MB in ${spanS} s (virtual ${virtual} s); after a collection ` +
      `${before.toFixed(0)} MB, and ${after.toFixed(0)} MB ${(spanS / 3).toFixed(0)} s later` +
      (spanS < 3_600 ? "; extrapolated to the hour" : ""),
  };
}

/** Linux's own account of what a process shares with nobody. */
function privateMb(pid: number): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  const kb = [...text.matchAll(/^Private_(?:Clean|Dirty):\s+(\d+) kB/gm)].map(([, figure]) => Number(figure));
  return kb.reduce((sum, one) => sum + one, 0) / 1_000;
}

// ── in common ──

function leader(page: Page) {
  return page.getByRole("button", { name: /^n\d: leader, term \d+/ });
}

/** The fragment that brings a page to the moment of a recording, as `app/player/link.ts` reads it. */
function linkTo({ spec, commands, at, n, hash }: RecordedRun): string {
  const body = JSON.stringify({ v: 1, ...spec, commands, at, n, hash, view: {} });
  return `#s=1.${deflateRawSync(body, { level: 9 }).toString("base64url")}`;
}
