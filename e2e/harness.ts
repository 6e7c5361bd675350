/**
 * What every end-to-end test stands on: a page on which nothing may go wrong unseen. An error on the console (which is
 * where a broken policy shows), an exception, or a request to anywhere else than the page's own server fails the test.
 */
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, type FrameLocator, type Page, test as base } from "@playwright/test";

export { expect };

export const test = base.extend<{ readonly faultless: void }>({
  faultless: [
    async ({ page }, use) => {
      const faults: string[] = [];
      page.on("console", (message) => {
        if (message.type() === "error") faults.push(`console: ${message.text()}`);
      });
      page.on("pageerror", (error) => faults.push(`exception: ${error.stack ?? error.message}`));
      page.on("request", (request) => {
        if (!isOurs(request.url())) faults.push(`request: ${request.url()}`);
      });
      await use();
      expect(faults, "the page is without faults").toStrictEqual([]);
    },
    { auto: true },
  ],
});

/** The built site, and the one that `npm start` serves. */
const OWN_SERVERS = "http://127.0.0.1:";

/** Local schemes reach nobody; the two made-up hosts are served by the test itself. */
function isOurs(url: string): boolean {
  return (
    /^(?:file|data|blob|about):/.test(url) || [OWN_SERVERS, HOST, PUBLISHED].some((place) => url.startsWith(place))
  );
}

const EMBED_PATH = fileURLToPath(new URL("../dist/embed.html", import.meta.url));
/** The single file as somebody has it on a disk. */
export const EMBED_FILE = pathToFileURL(EMBED_PATH).href;

/** A page of somebody else's, on which the embed stands. */
const HOST = "https://host.example/";
/** Where the embed comes from, for that page: a server that sends no special headers. */
const PUBLISHED = "https://lockstep.example/";

/**
 * Opens a stranger's page that holds the embed in a frame which may run scripts and nothing else: its origin is opaque,
 * and there is no storage.
 *
 * @param query what stands behind the embed's address, with its `?` or `#`
 */
export async function openSandboxed(page: Page, query: string, width: number): Promise<FrameLocator> {
  const src = `${PUBLISHED}embed.html${query}`;
  const frame = `<iframe title="Lockstep" sandbox="allow-scripts" src="${src}" width="${width}" height="480"></iframe>`;
  const body = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Host</title><h1>Host</h1>${frame}`;
  await page.route(`${HOST}**`, (route) => route.fulfill({ contentType: "text/html", body }));
  await page.route(`${PUBLISHED}**`, (route) => route.fulfill({ contentType: "text/html", path: EMBED_PATH }));
  await page.goto(HOST);
  return page.frameLocator("iframe");
}
