/** The built site, served as a static host would: compressed, from memory. */
import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const DIST = join(ROOT, "dist");
const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

interface File {
  readonly type: string;
  readonly packed: Buffer;
}

export interface Site {
  readonly address: string;
  /** Gzip bytes of a path that is served; 0 for one that is not. */
  readonly bytesOf: (path: string) => number;
  readonly close: () => void;
}

export async function openSite(say: (line: string) => void): Promise<Site> {
  if (isStale()) await build(say);
  const files = new Map<string, File>();
  for (const name of readdirSync(DIST, { recursive: true, encoding: "utf8" })) {
    const path = join(DIST, name);
    const type = TYPES[extname(name)];
    if (type === undefined || !statSync(path).isFile()) continue;
    files.set(`/${name.replaceAll("\\", "/")}`, { type, packed: gzipSync(readFileSync(path), { level: 9 }) });
  }
  const server = createServer(({ url = "/" }, response) => {
    const { pathname } = new URL(url, "http://localhost");
    const file = files.get(pathname === "/" ? "/index.html" : pathname);
    if (file === undefined) return void response.writeHead(404).end();
    response.writeHead(200, {
      "content-type": file.type,
      "content-encoding": "gzip",
      "content-length": file.packed.length,
      "cache-control": "no-store",
    });
    response.end(file.packed);
  });
  const port = await listen(server);
  return {
    address: `http://127.0.0.1:${port}/`,
    bytesOf: (path) => files.get(path)?.packed.length ?? 0,
    close: () => server.close(),
  };
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });
}

/** Older than some source that it is made from. */
function isStale(): boolean {
  const built = join(DIST, "index.html");
  if (!existsSync(built)) return true;
  const at = statSync(built).mtimeMs;
  const sources = ["app", "engine"].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
      .map((name) => join(folder, name))
      .filter((name) => /\.(?:tsx?|css)$/.test(name) && !/\.test\.|^engine.cli/.test(name)),
  );
  return [...sources, "index.html", "vite.config.ts", "package-lock.json"].some(
    (name) => statSync(join(ROOT, name)).mtimeMs > at,
  );
}

/** A build that is over its size has still been made: here that is a figure like the others. */
async function build(say: (line: string) => void): Promise<void> {
  say("building the site …");
  try {
    await promisify(execFile)(process.execPath, [join(ROOT, ".ci/build.mjs")]);
  } catch (error) {
    if (isStale()) throw error;
  }
}
