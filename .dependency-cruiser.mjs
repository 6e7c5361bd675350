/**
 * Which folder may import which: the one table, the same that ARCHITECTURE.md draws. Every folder of engine/ and app/
 * stands in it; `.ci/layers.mjs` sees to that. A folder may always import from itself. Tests stand outside: they may
 * put together what they like.
 */

const engine = ["engine/base"];
const machine = [...engine, "engine/raft", "engine/wal", "engine/replica", "engine/sim"];
const systems = [...machine, "engine/etcd", "engine/zookeeper", "engine/redis"];
const world = [...systems, "engine/trace", "engine/check", "engine/labs", "engine/scenario"];
const door = ["engine/index.ts", "engine/stories.ts", "engine/lab-stories.ts", "engine/console.ts"];
const screen = [...door, "app/store", "app/player", "app/ui", "app/i18n", "app/styles"];
const stage = [...screen, "app/scene", "app/panels"];

/** @type {Readonly<Record<string, readonly string[]>>} */
export const MAY = {
  "engine/base": [],
  "engine/raft": engine,
  "engine/wal": [...engine, "engine/raft"],
  "engine/sim": engine,
  "engine/replica": machine,
  "engine/etcd": machine,
  "engine/zookeeper": machine,
  "engine/redis": [...engine, "engine/sim"],
  "engine/trace": [...engine, "engine/sim"],
  "engine/check": [...machine, "engine/etcd", "engine/trace"],
  "engine/labs": [...systems, "engine/trace"],
  "engine/scenario": world,
  "engine/worker": world,
  "engine/cli": world,
  "engine/index.ts": [...world, "engine/worker/protocol.ts"],
  "engine/stories.ts": ["engine/scenario"],
  "engine/lab-stories.ts": world,
  "engine/console.ts": ["engine/etcd"],
  "app/ui": ["app/styles"],
  "app/i18n": [],
  "app/styles": [],
  "app/store": door,
  "app/player": [...door, "engine/worker", "app/store"],
  "app/scene": screen,
  "app/panels": screen,
  "app/lessons": stage,
  "app/embed": stage,
  "app/pages": [...stage, "app/lessons"],
  "app/main.tsx": [...stage, "app/pages", "app/embed"],
};

/** The packages that compute and nothing else: no clock, no chance, no I/O. */
const PURE = ["pure-rand", "sorted-btree", "tinyqueue"];

const TESTS = "\\.test\\.tsx?$";

/** @param {string} path */
const literally = (path) => path.replaceAll(".", "\\.");

const layers = Object.entries(MAY).map(([folder, allowed]) => ({
  name: `layer: ${folder}`,
  comment: `${folder} may import ${["itself", ...allowed].join(", ")}`,
  severity: /** @type {const} */ ("error"),
  from: { path: `^${literally(folder)}(/|$)`, pathNot: TESTS },
  to: { path: "^(engine|app)/", pathNot: `^(${[folder, ...allowed].map(literally).join("|")})(/|$)` },
}));

/** @type {import("dependency-cruiser").IForbiddenRuleType[]} */
export const forbidden = [
  ...layers,
  {
    name: "pure packages",
    comment: `of packages, the engine may import ${PURE.join(", ")}`,
    severity: "error",
    from: { path: "^engine/", pathNot: `^engine/(worker|cli)/|${TESTS}` },
    to: { path: "node_modules/|^[^.]", pathNot: `^(engine|app)/|node_modules/(${PURE.join("|")})/` },
  },
  {
    name: "node",
    comment: "only engine/cli and tests may use Node",
    severity: "error",
    from: { path: "^(engine|app)/", pathNot: `^engine/cli/|${TESTS}` },
    to: { dependencyTypes: ["core"] },
  },
  {
    name: "no cycle",
    comment: "modules import one another one way",
    severity: "error",
    from: { path: "^(engine|app)/" },
    to: { circular: true },
  },
  {
    name: "resolvable",
    comment: "an import names something that is there",
    severity: "error",
    from: { path: "^(engine|app)/" },
    to: { couldNotResolve: true, pathNot: "^virtual:" }, // what the build makes
  },
];

/** @type {import("dependency-cruiser").ICruiseOptions} */
export const options = {
  doNotFollow: { path: "node_modules" },
  tsPreCompilationDeps: true, // types count too
  parser: "swc", // TypeScript 7 has no API that the cruiser can use
  enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "types", "default"] },
};
