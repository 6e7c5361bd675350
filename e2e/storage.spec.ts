/** The Storage tab of the etcd page: the files on each member's disk. */
import { expect, test } from "./harness.ts";
import { leader, member, SEED, whoLeads } from "./cluster.ts";

test("each member's segment is listed with its records; a snapshot taken by hand becomes a file beside it", async ({
  page,
}) => {
  await page.goto(`/?seed=${SEED}`);
  await page.getByRole("button", { name: "etcd", exact: true }).click();
  await expect(leader(page)).toHaveCount(1);
  await page.getByRole("textbox", { name: "Command" }).fill("put greeting hello");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("log")).toContainText("OK");

  await page.getByRole("tab", { name: "Storage" }).click();
  const disks = page.getByRole("list", { name: "Files" });
  await expect(disks).toHaveCount(3);
  for (const i of [0, 1, 2]) {
    const segment = disks.nth(i).getByRole("listitem");
    // oxlint-disable-next-line no-await-in-loop
    await expect(segment).toContainText(/^[0-9a-f]{16}-[0-9a-f]{16}\.wal\d+ Bentries 1 to \d+ · .*fsynced/);
    // oxlint-disable-next-line no-await-in-loop
    await expect(segment).toContainText(/records: entry [1-9]\d*, state [1-9]\d*, snapshot 0, metadata 1$/);
  }

  const { id } = await whoLeads(page);
  await member(page, id).focus();
  await page.keyboard.press("m");
  await page.getByRole("menuitem", { name: "Take a snapshot" }).press("Enter");
  const snapshot = page.getByRole("listitem").filter({ hasText: /^[0-9a-f]{16}-[0-9a-f]{16}\.snap/ });
  await expect(snapshot).toHaveCount(1);
  await expect(snapshot).toContainText(/all up to index [1-9]\d*, term 1 · fsynced$/);

  // What the disk holds is what is left of a member that is down.
  await member(page, id).click();
  await expect(page.getByText("Down: this is what it will start from.")).toBeVisible();
  await expect(snapshot).toHaveCount(1);
});
