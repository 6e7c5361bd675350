import { leader, member, members, openCluster, pause, SEED, shareLink, virtualTime, whoLeads } from "./cluster.ts";
import { EMBED_FILE, expect, openSandboxed, test } from "./harness.ts";

const QUERY = `?seed=${SEED}&speed=1&autoplay=1`;

test("embed.html runs from a disk", async ({ page }) => {
  await page.goto(`${EMBED_FILE}${QUERY}`);
  await expect(leader(page)).toHaveCount(1);
  const first = await whoLeads(page);
  await member(page, first.id).click();
  await expect(member(page, first.id)).toHaveAccessibleName(/crashed/);
  await expect(leader(page)).toHaveCount(1);
});

test("embed.html runs in a sandboxed frame of 320 px, and nothing sticks out", async ({ page }) => {
  const frame = await openSandboxed(page, QUERY, 320);
  await expect(leader(frame)).toHaveCount(1);
  await expect(members(frame)).toHaveCount(5);
  const { over, control } = await frame.locator("html").evaluate((html) => ({
    over: html.scrollWidth - html.clientWidth,
    control: [...document.querySelectorAll("button, select, [role=button]")].every((element) => {
      const { left, right, bottom } = element.getBoundingClientRect();
      return left >= 0 && right <= innerWidth && bottom <= innerHeight;
    }),
  }));
  expect({ over, control }).toStrictEqual({ over: 0, control: true });
  const first = await whoLeads(frame);
  await member(frame, first.id).click();
  await expect(member(frame, first.id)).toHaveAccessibleName(/crashed/);
  await page.screenshot({ path: ".tmp/shots/embed-320.png" });
});

test("an embed waits to be played", async ({ page }) => {
  const frame = await openSandboxed(page, `?seed=${SEED}&speed=1`, 480);
  await expect(members(frame)).toHaveCount(5);
  expect(await virtualTime(frame)).toBe(0);
  await frame.getByRole("button", { name: "Play", exact: true }).click();
  await expect(leader(frame)).toHaveCount(1);
});

test("an embed shows the moment that a link names", async ({ page }) => {
  await openCluster(page);
  await pause(page);
  const link = await shareLink(page);
  const [at, { id, term }] = [await virtualTime(page), await whoLeads(page)];
  const frame = await openSandboxed(page, link.slice(link.indexOf("#")), 640);
  await expect(member(frame, id)).toHaveAccessibleName(`${id}: leader, term ${term}`);
  expect(await virtualTime(frame)).toBe(at);
});

test("an embed never takes the focus from its host", async ({ page }) => {
  const frame = await openSandboxed(page, QUERY, 640);
  await expect(leader(frame)).toHaveCount(1);
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe("BODY");
});
