/** A lock lab from a link: its story, its seed, its moment and the tab that was open; in a page, from a disk, in a frame. */
import type { Page } from "@playwright/test";
import { hashIn, member, pause, SEED, shareLink, virtualTime } from "./cluster.ts";
import { EMBED_FILE, expect, openSandboxed, test } from "./harness.ts";

/** Tells a story until two believe, and stands there. */
async function toOverlap(page: Page): Promise<void> {
  await page.goto(`/?seed=${SEED}`);
  await page.getByRole("button", { name: "Locks", exact: true }).click();
  await page.getByRole("tab", { name: "Stories" }).click();
  await page.getByRole("button", { name: "Tell: “Disconnected” is an event too (published)" }).click();
  await page.getByRole("combobox", { name: "Speed" }).selectOption({ label: "1×" });
  await page.getByRole("tab", { name: "Lock", exact: true }).click();
  await expect(page.getByText("A and B both believe that they hold the lock")).toBeVisible({ timeout: 30_000 });
  await pause(page);
}

test("a lab opens from a link at its moment, with the tab that was open, and goes on the same way", async ({
  page,
  context,
}) => {
  await toOverlap(page);
  await page.getByRole("tab", { name: "Code" }).click();
  const link = await shareLink(page);
  expect(hashIn(link)).toMatch(/^[0-9a-f]{16}$/);

  const other = await context.newPage();
  await other.goto(link);
  await expect(other.getByRole("tab", { name: "Code" })).toHaveAttribute("aria-selected", "true");
  await expect(
    other.getByRole("tabpanel").getByText("loop:").or(other.getByText("make the latch")).first(),
  ).toBeVisible();
  expect(await virtualTime(other)).toBe(await virtualTime(page));
  await expect(other.getByRole("alert").filter({ hasText: "differs" })).toHaveCount(0);
  expect(hashIn(await shareLink(other))).toBe(hashIn(link));
  await other.getByRole("tab", { name: "Lock", exact: true }).click();
  await expect(other.getByText("A and B both believe that they hold the lock")).toBeVisible();
});

test("a lab’s link opens in the single file from a disk, and in a sandboxed frame", async ({ page, context }) => {
  await toOverlap(page);
  const link = await shareLink(page);
  const [fragment, at] = [link.slice(link.indexOf("#")), await virtualTime(page)];

  const disk = await context.newPage();
  await disk.goto(`${EMBED_FILE}${fragment}`);
  await expect(member(disk, "n2")).toHaveAccessibleName(/crashed/);
  expect(await virtualTime(disk)).toBe(at);
  await expect(disk.getByRole("alert").filter({ hasText: /\S/ })).toHaveCount(0);

  const frame = await openSandboxed(page, fragment, 640);
  await expect(member(frame, "n2")).toHaveAccessibleName(/crashed/);
  expect(await virtualTime(frame)).toBe(at);
  await expect(frame.getByRole("alert").filter({ hasText: /\S/ })).toHaveCount(0);
  await page.screenshot({ path: ".tmp/shots/embed-lab.png" });
});

test("a story made by hand: a client is cut off, and reconnected", async ({ page }) => {
  await page.goto(`/?seed=${SEED}`);
  await page.getByRole("button", { name: "Locks", exact: true }).click();
  await page.getByRole("tab", { name: "Lab", exact: true }).click();
  const form = page.getByRole("form", { name: "Disturb" });
  await form.getByRole("combobox", { name: "Process" }).selectOption({ label: "A" });
  await form.getByRole("button", { name: "Do it" }).click();
  await expect(form.getByRole("button", { name: "Do it" })).toBeDisabled();
  await form.getByRole("combobox", { name: "Disturb" }).selectOption({ label: "reconnect" });
  await form.getByRole("button", { name: "Do it" }).click();
  await expect(form.getByRole("button", { name: "Do it" })).toBeDisabled();
  await form.getByRole("combobox", { name: "Disturb" }).selectOption({ label: "its wall clock jumps ahead" });
  await form.getByRole("button", { name: "Do it" }).click();
  await page.getByRole("tab", { name: "Events" }).click();
  await expect(page.getByRole("tabpanel").getByText(/clock/i).first()).toBeVisible();
});
