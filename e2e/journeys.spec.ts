import type { Page } from "@playwright/test";
import {
  hashIn,
  leader,
  logRows,
  member,
  members,
  openCluster,
  pause,
  progressOf,
  SEED,
  shareLink,
  virtualTime,
  whoLeads,
  write,
} from "./cluster.ts";
import { expect, test } from "./harness.ts";

test("a fresh page elects a leader, and virtual time advances", async ({ page }) => {
  await openCluster(page);
  await expect(members(page)).toHaveCount(5);
  const before = await virtualTime(page);
  await expect.poll(() => virtualTime(page)).toBeGreaterThan(before);
});

test("the leader is crashed with one click, and another rises in a higher term; a click brings the first back", async ({
  page,
}) => {
  await openCluster(page);
  const first = await whoLeads(page);
  await member(page, first.id).click();
  await expect(member(page, first.id)).toHaveAccessibleName(`${first.id}: crashed, last in term ${first.term}`);
  await expect(leader(page)).toHaveCount(1);
  const second = await whoLeads(page);
  expect(second.id).not.toBe(first.id);
  expect(second.term).toBeGreaterThan(first.term);
  await page.screenshot({ path: ".tmp/shots/re-election.png" });
  await member(page, first.id).click();
  await expect(member(page, first.id)).toHaveAccessibleName(`${first.id}: follower, term ${second.term}`);
});

test("a value that is written gets to every member", async ({ page }) => {
  await openCluster(page);
  await write(page, "apples");
  const everywhere = { n1: "applied", n2: "applied", n3: "applied", n4: "applied", n5: "applied" };
  await expect.poll(() => progressOf(page, "apples")).toStrictEqual(everywhere);
  await page.screenshot({ path: ".tmp/shots/written.png" });
});

test("split: a write on the minority's side is never committed; healed, the logs are made equal", async ({ page }) => {
  await openCluster(page);
  // Time stands still meanwhile: a leader that hears from no majority steps down within an election timeout.
  await pause(page);
  const old = await whoLeads(page);
  await page.getByRole("button", { name: "Split…" }).click();
  const dialog = page.getByRole("dialog", { name: "Split the cluster" });
  await dialog.getByRole("button", { name: "Split" }).click();
  await write(page, "lost", old.id);
  await page.getByRole("button", { name: "Play", exact: true }).click();
  await expect.poll(async () => (await progressOf(page, "lost"))[old.id]).toBe("uncommitted");

  // The other side elects a leader of its own, and goes on.
  const elsewhere = leader(page).and(page.locator(`:not([aria-label^="${old.id}:"])`));
  await expect(elsewhere).toHaveCount(1);
  await page.screenshot({ path: ".tmp/shots/split.png" });
  expect(
    Object.values(await progressOf(page, "lost")).filter((stage) => /^(?:committed|applied)$/.test(stage)),
  ).toEqual([]);

  await page.getByRole("button", { name: "Heal all" }).click();
  await expect.poll(async () => new Set(await logRows(page)).size, { timeout: 30_000 }).toBe(1);
  await page.screenshot({ path: ".tmp/shots/healed.png" });
  const stages = Object.values(await progressOf(page, "lost"));
  expect(stages.filter((stage) => stage === "committed" || stage === "applied")).toStrictEqual([]);
  await expect(leader(page)).toHaveCount(1);
});

test("a path drawn round a member splits it off, one drawn across a link cuts that", async ({ page }) => {
  await openCluster(page);
  await pause(page);
  const heal = page.getByRole("button", { name: "Heal all" });
  await expect(heal).toBeDisabled();

  const box = (await member(page, "n3").boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  const [x, y, radius] = [box.x + box.width / 2, box.y + box.height / 2, Math.max(box.width, box.height) * 0.75];
  await draw(
    page,
    Array.from({ length: 25 }, (_, i) => [
      x + radius * Math.cos((i * Math.PI) / 12),
      y + radius * Math.sin((i * Math.PI) / 12),
    ]),
  );
  await expect(page.getByText(/up .* split 4 \| 1/)).toBeVisible();
  await heal.click();
  await expect(heal).toBeDisabled();

  const [a, b] = [await centre(page, "n4"), await centre(page, "n3")];
  const middle = [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2] as const;
  await draw(page, [
    [middle[0], middle[1] - 30],
    [middle[0], middle[1] + 30],
  ]);
  await expect(heal).toBeEnabled();
  await page.getByRole("tab", { name: "Network" }).click();
  await expect(page.getByRole("button", { name: "Mend n4 to n3" })).toBeVisible();
});

test("a member's menu, by keyboard: pause and resume", async ({ page }) => {
  await openCluster(page);
  const { id } = await whoLeads(page);
  await member(page, id).focus();
  await page.keyboard.press("m");
  await page.getByRole("menuitem", { name: "Pause" }).press("Enter");
  await expect(member(page, id)).toHaveAccessibleName(/paused/);
  await expect(leader(page).and(page.locator(`:not([aria-label^="${id}:"])`))).toHaveCount(1);
  await member(page, id).focus();
  await page.keyboard.press("m");
  await page.getByRole("menuitem", { name: "Resume" }).press("Enter");
  await expect(member(page, id)).toHaveAccessibleName(/follower/);
});

test("a shared link replays to the same hash", async ({ page, context }) => {
  await openCluster(page);
  await member(page, (await whoLeads(page)).id).click();
  await expect(leader(page)).toHaveCount(1);
  await write(page, "pears");
  await expect.poll(async () => Object.values(await progressOf(page, "pears")).includes("applied")).toBe(true);
  await pause(page);
  const link = await shareLink(page);
  expect(hashIn(link)).toMatch(/^[0-9a-f]{16}$/);

  const other = await context.newPage();
  await other.goto(link);
  await expect(leader(other)).toHaveCount(1);
  expect(await virtualTime(other)).toBe(await virtualTime(page));
  await expect(other.getByRole("alert").filter({ hasText: "differs" })).toHaveCount(0);
  expect(hashIn(await shareLink(other))).toBe(hashIn(link));
});

test("step back undoes a step forward, and playing on goes the same way again", async ({ page }) => {
  await openCluster(page);
  await pause(page);
  const hash = async (): Promise<string> => hashIn(await shareLink(page));
  const step = (name: string) => page.getByRole("button", { name }).click();
  // The clock is written a few times a second: it has come to rest by the time the link is there.
  const before = { hash: await hash(), at: await virtualTime(page) };
  await step("Step forward: event");
  await step("Step forward: event");
  await expect.poll(hash).not.toBe(before.hash);
  const after = await hash();
  await step("Step back: event");
  await expect.poll(hash).not.toBe(after);
  await step("Step forward: event");
  await expect.poll(hash).toBe(after);
  await step("Step back: event");
  await step("Step back: event");
  await expect.poll(async () => (await virtualTime(page)) <= before.at).toBe(true);
});

test("a command that makes no sense now is answered with the reason", async ({ page }) => {
  await openCluster(page, { members: "1" });
  await member(page, "n1").click();
  await expect(member(page, "n1")).toHaveAccessibleName(/crashed/);
  await write(page, "too late", "n1");
  await expect(page.getByRole("status").filter({ hasText: "n1 is down" })).toBeVisible();
});

test("a bad address is told, and the page runs all the same", async ({ page }) => {
  await page.goto(`/?seed=${SEED}&members=99&speed=1#s=1.AAAA`);
  await expect(page.getByRole("alert").filter({ hasText: "members=99" })).toBeVisible();
  await expect(page.getByRole("alert").filter({ hasText: "damaged" })).toBeVisible();
  await expect(leader(page)).toHaveCount(1);
});

test("as fast as it goes and back: the same run goes on", async ({ page }) => {
  await openCluster(page);
  await page.getByLabel("Speed").selectOption("max");
  const before = await virtualTime(page);
  await expect.poll(() => virtualTime(page)).toBeGreaterThan(before + 20);
  await page.getByLabel("Speed").selectOption("1");
  const slow = await virtualTime(page);
  await expect.poll(() => virtualTime(page)).toBeGreaterThan(slow);
  await expect(leader(page)).toHaveCount(1);
});

test("with keys alone: L crashes the leader, space pauses, arrows step", async ({ page }) => {
  await openCluster(page);
  const first = await whoLeads(page);
  await page.keyboard.press("l");
  await expect(member(page, first.id)).toHaveAccessibleName(/crashed/);
  await page.keyboard.press(" ");
  await expect(page.getByRole("button", { name: "Play", exact: true })).toBeVisible();
  const at = await virtualTime(page);
  // Several events may share an instant: time moves on after the last of them.
  await expect(async () => {
    await page.keyboard.press("ArrowRight");
    expect(await virtualTime(page)).toBeGreaterThan(at);
  }).toPass();
});

test("where workers are forbidden, the cluster runs in the page and says so", async ({ page }) => {
  await page.addInitScript(() => {
    Reflect.deleteProperty(globalThis, "Worker");
  });
  await openCluster(page);
  await expect(page.getByRole("alert").filter({ hasText: "Workers are not allowed here" })).toBeVisible();
});

test("a machine is added as a learner, catches up, is promoted, and counts", async ({ page }) => {
  await openCluster(page);
  await write(page, "apples");
  await page.getByRole("tab", { name: "Cluster" }).click();
  const region = page.getByRole("region", { name: "Members" });
  await region.getByRole("button", { name: "Add n6 as learner" }).click();
  await expect(member(page, "n6")).toHaveAccessibleName(/^n6: learner/);
  await expect(page.getByText("1 learner", { exact: false })).toBeVisible();
  await expect.poll(async () => (await progressOf(page, "apples"))["n6"]).toBe("applied");

  await menuOf(page, "n6", "Promote to voter");
  await expect(member(page, "n6")).toHaveAccessibleName(/^n6: follower/);
  await expect(page.getByText("6 of 6 up")).toBeVisible();
  await menuOf(page, "n6", "Remove from the cluster");
  await expect(member(page, "n6")).toHaveAccessibleName(/^n6: no member/);
  await menuOf(page, "n6", "Take the machine away");
  await expect(members(page)).toHaveCount(5);
});

test("leadership is handed over to a member, and a snapshot takes the place of its entries", async ({ page }) => {
  await openCluster(page);
  const { id, term } = await whoLeads(page);
  const heir = id === "n2" ? "n3" : "n2";
  await menuOf(page, heir, "Hand leadership over to it");
  await expect(member(page, heir)).toHaveAccessibleName(`${heir}: leader, term ${term + 1}`);
  await menuOf(page, heir, "Take a snapshot");
  await expect.poll(async () => (await logRows(page)).some((row) => row.startsWith("to "))).toBe(true);
});

test("a story with its rule broken stops where the rule is, and the list leads back there", async ({ page }) => {
  await openCluster(page);
  await page.getByRole("button", { name: /rules hold/ }).click();
  const stories = page.getByRole("region", { name: "Stories" });
  await stories.getByText("Two leaders of one term").click();
  await stories.getByRole("button", { name: "Two leaders of one term: Rule broken" }).click();
  await expect(page.getByRole("note")).toContainText("Rules switched off: Forget the vote in a restart");

  await expect(page.getByRole("button", { name: /^Rule broken/ })).toBeVisible();
  await expect(page.getByRole("button", { name: "Play", exact: true })).toBeVisible();
  await expect(page.getByRole("region", { name: "What just happened" })).toContainText("n1 had the vote");
  const jump = page.getByRole("button", { name: /^Go to event \d+/ });
  const at = Number(/at ([\d.]+) s/.exec(await jump.innerText())?.[1]);
  await page.getByRole("button", { name: "Play", exact: true }).click();
  await expect.poll(() => virtualTime(page)).toBeGreaterThan(at + 0.05);
  await jump.click();
  await expect.poll(() => virtualTime(page)).toBe(at);

  await stories.getByRole("button", { name: "Two leaders of one term: Rule kept" }).click();
  await expect.poll(() => virtualTime(page)).toBeGreaterThan(0.6);
  await expect(page.getByRole("button", { name: /rules hold/ })).toBeVisible();
});

test("PreVote is switched on while it runs; a read is answered with the value", async ({ page }) => {
  await openCluster(page);
  await page.getByRole("tab", { name: "Cluster" }).click();
  const setting = page.getByRole("checkbox", { name: "PreVote" });
  await setting.click();
  await expect(setting).toBeChecked();
  await write(page, "pears");
  await expect.poll(async () => Object.values(await progressOf(page, "pears")).includes("applied")).toBe(true);
  const panel = page.getByRole("region", { name: "Write" });
  await panel.getByRole("button", { name: "Read" }).click();
  await expect(panel.getByRole("list", { name: "Reads" })).toContainText("read pears");
});

test("a command in the past leaves a future, and one can go back to it", async ({ page }) => {
  await openCluster(page);
  await pause(page);
  const { id } = await whoLeads(page);
  await page.getByRole("slider", { name: "Shown moment" }).press("Home");
  await expect.poll(() => virtualTime(page)).toBe(0);
  await member(page, id).click();
  await page.getByRole("button", { name: "1 other future" }).click();
  await page.getByRole("button", { name: /^Go there/ }).click();
  const moment = page.getByRole("slider", { name: "Shown moment" });
  // Its end is where that future has come to, once the page has been told.
  await expect(moment).not.toHaveAttribute("aria-valuemax", "0");
  await moment.press("End");
  await expect(member(page, id)).toHaveAccessibleName(/leader/);
});

/** Chooses from a member's menu, by keyboard. */
async function menuOf(page: Page, id: string, entry: string): Promise<void> {
  await member(page, id).focus();
  await page.keyboard.press("m");
  await page.getByRole("menuitem", { name: entry }).press("Enter");
}

/** Moves the pressed pointer along a path. */
async function draw(page: Page, [first, ...rest]: readonly (readonly number[])[]): Promise<void> {
  await page.mouse.move(first?.[0] ?? 0, first?.[1] ?? 0);
  await page.mouse.down();
  for (const [x = 0, y = 0] of rest) await page.mouse.move(x, y, { steps: 4 });
  await page.mouse.up();
}

async function centre(page: Page, id: string): Promise<readonly [number, number]> {
  const box = await member(page, id).boundingBox();
  return box === null ? [0, 0] : [box.x + box.width / 2, box.y + box.height / 2];
}

test("etcd: a key put at the console is seen under Keys; the leader is crashed, and the next put is answered", async ({
  page,
}) => {
  await page.goto(`/?seed=${SEED}`);
  await page.getByRole("button", { name: "etcd", exact: true }).click();
  await expect(leader(page)).toHaveCount(1);
  const line = page.getByRole("textbox", { name: "Command" });
  const output = page.getByRole("log");
  await line.fill("put greeting hello");
  await line.press("Enter");
  await expect(output).toContainText("OK");
  await page.getByRole("tab", { name: "Keys" }).click();
  await expect(page.getByRole("row", { name: /^greeting hello/ })).toBeVisible();
  const { id } = await whoLeads(page);
  await member(page, id).click();
  await expect(member(page, id)).toHaveAccessibleName(/crashed/);
  // A put that is asked for while nobody leads may run into etcdctl's deadline, as with etcd.
  await expect(leader(page)).toHaveCount(1);
  await page.getByRole("tab", { name: "Console" }).click();
  await line.fill("put greeting again");
  await line.press("Enter");
  await expect(output).toContainText(/OK[\s\S]*put greeting again[\s\S]*OK/);
  await page.getByRole("tab", { name: "Keys" }).click();
  await expect(page.getByRole("row", { name: /^greeting again/ })).toBeVisible();
  await page.screenshot({ path: ".tmp/shots/etcd-failover.png" });
});

test("locks: a holder that was paused goes on believing, and its late write is told", async ({ page }) => {
  await page.goto(`/?seed=${SEED}`);
  await page.getByRole("button", { name: "Locks", exact: true }).click();
  await page.getByRole("tab", { name: "Stories" }).click();
  await page.getByRole("button", { name: "The pause: Redis token" }).click();
  await expect(page.getByRole("heading", { name: /is the primary$/ })).toBeVisible();
  await page.getByRole("combobox", { name: "Speed" }).selectOption({ label: "10×" });
  await page.getByRole("tab", { name: "Lock", exact: true }).click();
  await expect(page.getByText("A and B both believe that they hold the lock")).toBeVisible();
  await expect(page.getByText("1 update was lost")).toBeVisible();
  await page.screenshot({ path: ".tmp/shots/lock-overlap.png" });
});
