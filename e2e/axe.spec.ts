import { AxeBuilder } from "@axe-core/playwright";
import { SEED } from "./cluster.ts";
import { expect, test } from "./harness.ts";

const LOOKS = ["light", "dark"].flatMap((theme) => ["en", "zh-CN"].map((lang) => ({ theme, lang })));
const WIDTHS = [1_280, 360];

for (const page_ of ["", "embed.html"]) {
  for (const { theme, lang } of LOOKS) {
    test(`axe finds nothing: ${page_ === "" ? "page" : page_}, ${theme}, ${lang}`, async ({ page }) => {
      await page.goto(`/${page_}?seed=${SEED}&speed=1&autoplay=1&theme=${theme}&lang=${lang}`);
      await expect(page.getByRole("button", { name: /^n\d/ })).toHaveCount(5);
      await expect(page.locator("html")).toHaveAttribute("lang", lang);
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 800 });
        const { violations } = await new AxeBuilder({ page }).analyze();
        expect(
          violations.map(({ id, nodes }) => `${width}: ${id}: ${nodes.map(({ html }) => html).join("; ")}`),
        ).toEqual([]);
        await page.screenshot({ path: `.tmp/shots/${page_ === "" ? "page" : "embed"}-${theme}-${lang}-${width}.png` });
      }
    });
  }
}

const SUBJECTS = [
  { name: "etcd", en: "etcd", zh: "etcd", shows: "log" },
  { name: "locks", en: "Locks", zh: "锁", shows: "tabpanel" },
] as const;

for (const { name, en, zh, shows } of SUBJECTS) {
  for (const { theme, lang } of LOOKS) {
    test(`axe finds nothing: ${name}, ${theme}, ${lang}`, async ({ page }) => {
      await page.goto(`/?seed=${SEED}&theme=${theme}&lang=${lang}`);
      await page.getByRole("button", { name: lang === "en" ? en : zh, exact: true }).click();
      await expect(page.getByRole(shows)).toBeVisible();
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 800 });
        const { violations } = await new AxeBuilder({ page }).analyze();
        expect(
          violations.map(({ id, nodes }) => `${width}: ${id}: ${nodes.map(({ html }) => html).join("; ")}`),
        ).toEqual([]);
        await page.screenshot({ path: `.tmp/shots/${name}-${theme}-${lang}-${width}.png` });
      }
    });
  }
}

test("while the rest of the words is on its way, nothing stands on the page without a name", async ({ page }) => {
  let release = (): void => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route(/\/en-[^/]*\.js$/u, async (route) => {
    if (!route.request().url().includes("/en-first-")) await held;
    await route.continue();
  });
  await page.goto(`/?seed=${SEED}&speed=1&autoplay=1&lang=en`);
  await expect(page.getByRole("button", { name: /^n\d: leader/ })).toBeVisible();
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join("; ")}`)).toEqual([]);
  await expect(page.getByRole("button", { name: "Write", exact: true })).toHaveCount(0);
  release();
  await expect(page.getByRole("button", { name: "Write", exact: true })).toBeVisible();
});
