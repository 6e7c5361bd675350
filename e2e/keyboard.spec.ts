/** The etcd and the Locks page by keyboard alone: no pointer is used anywhere here. */
import type { Page } from "@playwright/test";
import { expect, test } from "./harness.ts";
import { leader, member, SEED, whoLeads } from "./cluster.ts";

/** Tab until the focus is on what is wanted: whoever cannot come there by Tab does not come there. */
async function tabTo(
  page: Page,
  role: "button" | "tab" | "textbox" | "checkbox",
  name: string | RegExp,
): Promise<void> {
  const wanted = page.getByRole(role, { name, exact: typeof name === "string" });
  for (let i = 0; i < 80; i += 1) {
    // oxlint-disable-next-line no-await-in-loop
    if (await wanted.evaluate((element) => element === document.activeElement)) return;
    // oxlint-disable-next-line no-await-in-loop
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab never came to ${String(name)}`);
}

test("etcd: a command is typed, its key looked at, and the member that served it crashed and restarted", async ({
  page,
}) => {
  await page.goto(`/?seed=${SEED}`);
  await expect(leader(page)).toHaveCount(1);
  await tabTo(page, "button", "etcd");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("log")).toBeVisible();
  await expect(leader(page)).toHaveCount(1);

  await tabTo(page, "textbox", "Command");
  await page.keyboard.type("put greeting hello");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("log")).toContainText("OK");

  // Tabs are one stop; arrows go between them.
  await page.getByRole("tab", { name: "Console" }).focus();
  await page.keyboard.press("ArrowRight");
  await expect(page.getByRole("tab", { name: "Keys" })).toBeFocused();
  await expect(page.getByRole("row", { name: /^greeting hello/ })).toBeVisible();

  const { id } = await whoLeads(page);
  await tabTo(page, "button", new RegExp(`^${id}: `));
  await page.keyboard.press("Enter");
  await expect(member(page, id)).toHaveAccessibleName(/crashed/);
  await expect(member(page, id)).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(member(page, id)).toHaveAccessibleName(/follower|leader/);
});

test("locks: a client is held back and stepped, and the resource made to check tokens", async ({ page }) => {
  await page.goto(`/?seed=${SEED}`);
  await expect(leader(page)).toHaveCount(1);
  await tabTo(page, "button", "Locks");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("tab", { name: "Lock", exact: true })).toBeVisible();

  await tabTo(page, "checkbox", "Check tokens");
  await page.keyboard.press("Space");
  await expect(page.getByRole("checkbox", { name: "Check tokens" })).toBeChecked();

  await page.getByRole("tab", { name: "Lock", exact: true }).focus();
  await page.keyboard.press("ArrowRight");
  await expect(page.getByRole("tab", { name: "Code" })).toBeFocused();
  const hold = page.getByRole("button", { name: "Hold back A before its next line" });
  await tabTo(page, "button", "Hold back A before its next line");
  await page.keyboard.press("Enter");
  await expect(hold).toHaveAttribute("aria-pressed", "true");
});
