/**
 * One configuration, two outputs: the site in several files, and with `--mode single` the same page as one file.
 *
 * Workers are classic and come from a blob, so that they run from file:// and in a sandboxed frame too, where a browser
 * refuses module workers and workers with a URL of their own. Each runs one of two programs, which the page holds as text.
 */
import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { build, defineConfig, type Plugin } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";

export default defineConfig(({ mode }) => {
  const single = mode === "single";
  return {
    base: "./",
    // React's hook for its developer tools is left out.
    define: { __REACT_DEVTOOLS_GLOBAL_HOOK__: "undefined" },
    css: { modules: { generateScopedName: shortNames() } },
    plugins: [
      react(),
      classNamesByName(),
      workerProgram("program"),
      workerProgram("program-systems"),
      ...(single ? [viteSingleFile()] : []),
      contentSecurityPolicy(single),
    ],
    build: {
      target: "es2022",
      outDir: single ? "dist-single" : "dist",
      assetsInlineLimit: single ? Number.MAX_SAFE_INTEGER : 4_096,
      chunkSizeWarningLimit: 2_000, // in kB, unpacked; .ci/build.mjs looks at what counts
      rolldownOptions: {
        checks: { pluginTimings: false },
        optimization: { inlineConst: { mode: "all", pass: 2 } },
        // The engine's modules do nothing by being imported: those that only give types away are left out.
        treeshake: { moduleSideEffects: (id) => !id.includes("/engine/") },
      },
      copyPublicDir: !single,
      modulePreload: {
        polyfill: false, // it would fetch, and every browser that we name knows modulepreload
        // A table of what each later chunk imports would come with the first page; styles must be there before it.
        resolveDependencies: (_file, needed, { hostType }) =>
          hostType === "js" ? needed.filter((name) => name.endsWith(".css")) : needed,
      },
    },
  };
});

/**
 * A style sheet's class names are looked up one by one, `css["name"]`: as names of a namespace the bundler puts each in
 * its place, and the table of all is left out. The sheet itself stays.
 */
function classNamesByName(): Plugin[] {
  return [
    {
      name: "class-names-by-name",
      apply: "build",
      transform: {
        filter: { id: /\/app\/.*\.tsx?$/ },
        handler: (code) => code.replace(/import (\w+) from ("[^"]+\.module\.css")/g, "import * as $1 from $2"),
      },
    },
    {
      name: "class-names-by-name:sheets",
      apply: "build",
      enforce: "post",
      transform: {
        filter: { id: /\.module\.css$/ },
        handler: (code) => ({ code, map: null, moduleSideEffects: "no-treeshake" }),
      },
    },
  ];
}

/** Class names as short as can be told apart: a hash in each would be a thousand bytes that no packing makes smaller. */
function shortNames(): (name: string, file: string) => string {
  const files = new Map<string, number>();
  return (name, file) => {
    if (!files.has(file)) files.set(file, files.size);
    return `${name}_${files.get(file)}`;
  };
}

/** `virtual:worker-…`: a program of workers, bundled into one classic script, as a string. */
function workerProgram(program: "program" | "program-systems"): Plugin {
  const name = `virtual:worker-${program}`;
  const resolved = `\0${name}`;
  const entry = fileURLToPath(new URL(`engine/worker/${program}.ts`, import.meta.url));
  return {
    name: `worker-${program}`,
    resolveId: (id) => (id === name ? resolved : null),
    async load(id) {
      if (id !== resolved) return null;
      const built = await build({
        configFile: false,
        logLevel: "warn",
        build: {
          write: false,
          target: "es2022",
          rolldownOptions: { input: entry, output: { format: "iife", codeSplitting: false } },
          modulePreload: false,
        },
      });
      if (!("output" in built)) throw new Error("the worker's program was not built");
      const [chunk] = built.output;
      // What has no file of its own is made by the bundler.
      for (const file of Object.keys(chunk.modules)) if (!file.startsWith("\0")) this.addWatchFile(file);
      return `export default ${JSON.stringify(chunk.code)};`;
    },
  };
}

/**
 * Puts the policy into the built page; the development server goes without, since it needs inline scripts.
 *
 * The site's scripts are its own files; the single file's are named by their hashes. Workers are blobs that the page
 * makes, and inherit the policy. There is no connect-src: nothing is sent anywhere, and nothing fetched.
 */
function contentSecurityPolicy(single: boolean): Plugin {
  return {
    name: "content-security-policy",
    apply: "build",
    enforce: "post",
    generateBundle: {
      order: "post",
      handler(_options, bundle) {
        for (const file of Object.values(bundle)) {
          if (file.type !== "asset" || !file.fileName.endsWith(".html")) continue;
          const html = String(file.source);
          const policy = single ? policyOfSingle(html) : policyOfSite();
          const meta = `<meta http-equiv="Content-Security-Policy" content="${policy}">`;
          const charset = /<meta charset="?utf-8"?\s*\/?>/i; // first of all, and the policy next
          if (!charset.test(html)) throw new Error(`${file.fileName} names no charset to put the policy after`);
          file.source = html.replace(charset, (found) => `${found}\n    ${meta}`);
        }
      },
    },
  };
}

const ALWAYS = ["default-src 'none'", "base-uri 'none'", "form-action 'none'"];

function policyOfSite(): string {
  return [...ALWAYS, "script-src 'self'", "style-src 'self'", "img-src 'self' data:", "worker-src blob:"].join("; ");
}

function policyOfSingle(html: string): string {
  const scripts = hashes(html, /<script[^>]*>([\s\S]*?)<\/script>/g);
  const styles = hashes(html, /<style[^>]*>([\s\S]*?)<\/style>/g);
  const own = [`script-src ${scripts}`, `style-src ${styles}`, "img-src data:", "worker-src blob:"];
  return [...ALWAYS, ...own].join("; ");
}

function hashes(html: string, element: RegExp): string {
  const found = [...html.matchAll(element)].map(([, content = ""]) => sourceHash(content));
  return found.length === 0 ? "'none'" : found.join(" ");
}

function sourceHash(content: string): string {
  // HTML reads CR LF as LF before anything is hashed.
  return `'sha256-${createHash("sha256").update(content.replaceAll("\r\n", "\n")).digest("base64")}'`;
}
