/** The page as a person meets it: by role and by name. English, unless a test says otherwise. */
import { inflateRawSync } from "node:zlib";
import { type FrameLocator, type Locator, type Page } from "@playwright/test";
import { expect } from "./harness.ts";

type Root = Page | FrameLocator;

/** Seeds are fixed: the run that a test sees is the same each time. */
export const SEED = 7;

export function member(root: Root, id: string): Locator {
  return root.getByRole("button", { name: new RegExp(`^${id}: `) });
}

export function members(root: Root): Locator {
  return root.getByRole("button", { name: /^n\d: / });
}

export function leader(root: Root): Locator {
  return root.getByRole("button", { name: /^n\d: leader, term \d+/ });
}

/** Opens the page on a fixed run and waits for its first leader. */
export async function openCluster(page: Page, query: Record<string, string> = {}): Promise<void> {
  await page.goto(`/?${new URLSearchParams({ seed: String(SEED), speed: "1", ...query }).toString()}`);
  await expect(leader(page)).toHaveCount(1);
}

/** Who leads, and in which term, as its name says. */
export async function whoLeads(root: Root): Promise<{ readonly id: string; readonly term: number }> {
  const name = (await leader(root).getAttribute("aria-label")) ?? "";
  const [, id = "", term = "0"] = /^(n\d): leader, term (\d+)/.exec(name) ?? [];
  return { id, term: Number(term) };
}

/** Brings a panel to the front, where the page is too narrow to show all. */
export async function openPanel(page: Page, name: string): Promise<void> {
  const tab = page.getByRole("tab", { name, exact: true });
  if ((await tab.count()) > 0) await tab.click();
}

/** @param through the member that the client asks; whoever leads when left out */
export async function write(page: Page, value: string, through?: string): Promise<void> {
  await openPanel(page, "Write");
  const panel = page.getByRole("region", { name: "Write" });
  if (through !== undefined) await panel.getByLabel("Through").selectOption(through);
  await panel.getByRole("textbox", { name: "Value" }).fill(value);
  await panel.getByRole("button", { name: "Write" }).click();
}

/** How far a write has come on each member, as the list of writes says: `n1: applied`. */
export async function progressOf(page: Page, value: string): Promise<Record<string, string>> {
  await openPanel(page, "Write");
  const row = page.getByRole("table", { name: "Writes" }).getByRole("row").filter({ hasText: value });
  const cells = await row.getByRole("cell").allInnerTexts();
  return Object.fromEntries(cells.map((cell) => cell.trim().split(": ")).map(([id = "", stage = ""]) => [id, stage]));
}

/** What the table of logs says of each member, its name left out: equal rows are equal logs. */
export async function logRows(page: Page): Promise<readonly string[]> {
  await openPanel(page, "Log");
  const rows = page.getByRole("table", { name: "Logs in figures" }).getByRole("row");
  const texts = await rows.allInnerTexts();
  return texts.slice(1).map((text) => text.replace(/^\s*n\d\s*/, "").replaceAll(/\s+/g, " "));
}

/** Pauses and gives the link that replays the run up to here. */
export async function shareLink(page: Page): Promise<string> {
  await page.getByRole("button", { name: "Share" }).first().click();
  const dialog = page.getByRole("dialog", { name: "A link to this moment" });
  const link = await dialog.getByRole("textbox", { name: "Link" }).inputValue();
  await dialog.getByRole("button", { name: "Close" }).click();
  return link;
}

/** The hash that a link carries: over every event of the run up to the moment shown. */
export function hashIn(link: string): string {
  const [, packed = ""] = /#s=1\.([\w-]+)/.exec(link) ?? [];
  const body: unknown = JSON.parse(inflateRawSync(Buffer.from(packed, "base64url")).toString());
  return typeof body === "object" && body !== null && "hash" in body ? String(body.hash) : "";
}

export async function pause(root: Root): Promise<void> {
  await root.getByRole("button", { name: "Pause", exact: true }).click();
  await expect(root.getByRole("button", { name: "Play", exact: true })).toBeVisible();
}

/** The virtual time shown, in seconds. */
export async function virtualTime(root: Root): Promise<number> {
  const shown = await root.getByRole("status", { name: "Virtual time" }).innerText();
  return Number(shown.replaceAll(",", ""));
}
