/**
 * What keeps the engine pure and the imports one way: each offence is planted in a copy of the tree, and the tool that
 * must see it is seen to see it.
 */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { checkLayers } from "./layers.mjs";
import { ROOT, TOOLS } from "./programs.mjs";

const COPIED = ["engine", "app", ".oxlintrc.json", "tsconfig.base.json"];
const copy = mkdtempSync(join(tmpdir(), "lockstep-guards-"));
/** @type {Set<string>} */
const planted = new Set();

beforeAll(() => {
  for (const name of COPIED) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"), "junction");
});

beforeEach(() => {
  for (const path of planted) rmSync(join(copy, path), { recursive: true });
  planted.clear();
});

afterAll(() => rmSync(copy, { recursive: true, force: true }));

/**
 * @param {string} path
 * @param {string} code
 */
function plant(path, code) {
  planted.add(path);
  mkdirSync(dirname(join(copy, path)), { recursive: true });
  writeFileSync(join(copy, path), `${code}\n`);
}

/**
 * @param {string} tool
 * @param {readonly string[]} args
 */
function sees(tool, args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(copy, "node_modules", tool), ...args], {
    cwd: copy,
    encoding: "utf8",
  });
  return { status, output: `${stdout}${stderr}` };
}

const typesOfEngine = () => sees(TOOLS.tsc, ["-p", "engine/tsconfig.json"]);
const lint = (/** @type {string} */ path) => sees(TOOLS.oxlint, ["--disable-nested-config", path]);

describe("the engine does not look outside", () => {
  it.each([
    ["document", "export const title = document.title;"],
    ["window", "export const width = window.innerWidth;"],
    ["performance", "export const now = performance.now();"],
    ["setTimeout", "setTimeout(() => undefined, 1);"],
    ["Worker", "export const worker = new Worker('x');"],
    ["process", "export const home = process.env;"],
  ])("types: %s does not compile", (name, code) => {
    plant("engine/raft/planted.ts", code);
    const { status, output } = typesOfEngine();
    expect(output).toContain(name);
    expect(status).not.toBe(0);
  });

  it("types: without an offence it compiles", () => {
    expect(typesOfEngine()).toStrictEqual({ status: 0, output: "" });
  });

  it.each([
    ["Date.now", "export const now = Date.now();"],
    ["new Date", "export const now = new Date().getTime();"],
    ["Math.random", "export const chance = Math.random();"],
    ["Math.log", "export const bits = Math.log(8);"],
    ["Math.pow", "export const eight = Math.pow(2, 3);"],
    ["Intl", "export const format = new Intl.NumberFormat();"],
    ["localeCompare", 'export const order = "a".localeCompare("b");'],
    ["console", 'console.log("here");'],
  ])("lint: %s is refused", (_name, code) => {
    plant("engine/raft/planted.ts", code);
    const { status, output } = lint("engine/raft/planted.ts");
    expect(output).toMatch(/no-restricted-(?:globals|properties)/);
    expect(status).not.toBe(0);
  });

  it("lint: without an offence it passes, and the app may ask for the time", () => {
    plant("engine/raft/planted.ts", "export const one = 1;");
    plant("app/player/planted.ts", "export const now = Date.now();");
    expect(lint("engine/raft/planted.ts").status).toBe(0);
    expect(lint("app/player/planted.ts").status).toBe(0);
  });
});

describe("imports point one way", () => {
  it("without an offence there is no problem", async () => {
    expect((await checkLayers(copy)).problems).toStrictEqual([]);
  });

  it.each([
    ["the engine imports the app", "engine/raft/planted.ts", "../../app/store/speed.ts", "layer: engine/raft"],
    ["raft imports sim, if only a type", "engine/raft/planted.ts", "../sim/command.ts", "layer: engine/raft"],
    ["the store goes past the front door", "app/store/planted.ts", "../../engine/trace/view.ts", "layer: app/store"],
    ["the store imports the player", "app/store/planted.ts", "../player/schema.ts", "layer: app/store"],
    ["the engine imports a package that is not pure", "engine/raft/planted.ts", "comlink", "pure packages"],
    ["the engine imports Node", "engine/raft/planted.ts", "node:fs", "node"],
    ["an import of nothing", "app/store/planted.ts", "./nowhere.ts", "resolvable"],
  ])("%s: refused", async (_name, path, from, rule) => {
    plant(path, `export type * from "${from}";`);
    const { code, problems } = await checkLayers(copy);
    expect(problems.join("\n")).toContain(`: ${rule}`);
    expect(code).toBe(1);
  });

  it("a folder that the table does not name: refused", async () => {
    plant("engine/paxos/types.ts", "export const one = 1;");
    const { code, problems } = await checkLayers(copy);
    expect(problems).toContain("engine/paxos is not in the table of .dependency-cruiser.mjs");
    expect(code).toBe(1);
    rmSync(join(copy, "engine/paxos"), { recursive: true });
    planted.clear();
  });

  it("two modules that import each other: refused", async () => {
    plant("app/store/one.ts", 'import "./two.ts"; export const one = 1;');
    plant("app/store/two.ts", 'import "./one.ts"; export const two = 2;');
    expect((await checkLayers(copy)).problems.join("\n")).toContain(": no cycle");
  });
});
