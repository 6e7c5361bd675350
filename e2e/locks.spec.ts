/** The Locks page: its servers, and how it stands on a phone. */
import type { Page } from "@playwright/test";
import { expect, test } from "./harness.ts";
import { member, SEED } from "./cluster.ts";

/** Opens the first lock story, and from it a lab of one's own. */
async function openLab(page: Page, lock: string): Promise<void> {
  await page.goto(`/?seed=${SEED}`);
  await page.getByRole("button", { name: "Locks", exact: true }).click();
  await page.getByRole("tab", { name: "Lab", exact: true }).click();
  await page.getByRole("combobox", { name: "Lock" }).selectOption({ label: lock });
  await page.getByRole("button", { name: "Start" }).click();
}

test("with Redis it is the primary that is crashed with one button", async ({ page }) => {
  await openLab(page, "Redis: SET NX PX with a token · as published");
  await expect(page.getByRole("heading", { name: "n1 is the primary" })).toBeVisible();
  await expect(page.getByRole("button", { name: "Crash the leader" })).toHaveCount(0);
  await page.getByRole("button", { name: "Crash the primary" }).click();
  await expect(member(page, "n1")).toHaveAccessibleName("n1: crashed");
  await expect(page.getByRole("button", { name: "Crash the primary" })).toBeDisabled();
});

test("Redlock’s servers stand alone: nobody is there whose crash would end it", async ({ page }) => {
  await openLab(page, "Redlock over five servers · as published");
  await expect(page.getByRole("heading", { name: "5 servers, each on its own" })).toBeVisible();
  await expect(page.getByRole("button", { name: "Split…" })).toBeVisible();
  await expect(page.getByRole("button", { name: /^Crash the/ })).toHaveCount(0);
});

test("on a phone the panels take the place of the stage, and give it back", async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 780 });
  await page.goto(`/?seed=${SEED}`);
  await page.getByRole("button", { name: "Locks", exact: true }).click();
  await page.getByRole("tab", { name: "Code" }).click();
  const panel = page.getByRole("tabpanel");
  await expect(panel.getByText("start heartbeat")).toBeVisible();
  const height = async (): Promise<number> => (await panel.boundingBox())?.height ?? 0;
  const before = await height();
  expect(before).toBeGreaterThan(200);
  const larger = page.getByRole("button", { name: "Panels in place of the stage" });
  await larger.click();
  await expect(member(page, "n1")).toBeHidden();
  expect(await height()).toBeGreaterThan(before + 200);
  await larger.click();
  await expect(member(page, "n1")).toBeVisible();
});
