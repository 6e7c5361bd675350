import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { redisSuite } from "./suite.ts";

const TRACES = join(import.meta.dirname, "../../../../shared/conformance/redis/traces");
const line = (value: object): string => JSON.stringify(value);
const CASE = line({ i: 0, op: "case", name: "x", conf: [] });
const OPEN = line({ i: 1, op: "open", conn: "A" });
const cmd = (i: number, args: readonly string[], reply: object): string =>
  line({ i, op: "cmd", conn: "A", args, reply });

describe("the redis suite", () => {
  for (const file of readdirSync(TRACES))
    it(`${file}: answers as the real server did`, async () => {
      expect(await redisSuite.run(file, readFileSync(join(TRACES, file), "utf8"))).toBeNull();
    });

  /** Our own, with the same recorder and server: traces that showed a difference once. */
  const own = join(import.meta.dirname, "testdata");
  for (const file of readdirSync(own))
    it(`${file}, of our own: answers as the real server did`, async () => {
      expect(await redisSuite.run(file, readFileSync(join(own, file), "utf8"))).toBeNull();
    });

  it("tells each answer that differs, with its line", async () => {
    const text = [
      CASE,
      OPEN,
      cmd(2, ["PING"], { type: "status", value: "PANG" }),
      cmd(3, ["PING"], { type: "status", value: "PONG" }),
    ];
    expect(await redisSuite.run("x", text.join("\n"))).toMatch(
      /^line 2: A> PING\n {2}expected .*PANG.*\n {2}got .*PONG/,
    );
  });

  it("a message that was published and is not in the trace is told", async () => {
    const subscribed = {
      type: "array",
      items: [
        { type: "bulk", value: "subscribe" },
        { type: "bulk", value: "c" },
        { type: "int", value: 1 },
      ],
    };
    const text = [
      CASE,
      OPEN,
      line({ i: 2, op: "open", conn: "S" }),
      line({ i: 3, op: "cmd", conn: "S", args: ["SUBSCRIBE", "c"], reply: subscribed }),
      cmd(4, ["PUBLISH", "c", "m"], { type: "int", value: 1 }),
      line({ i: 5, op: "nopush", conn: "S" }),
    ];
    expect(await redisSuite.run("x", text.join("\n"))).toMatch(/nothing was expected/);
  });

  it("restart: the file is what is left, whole, as after SIGKILL", async () => {
    const text = (conf: readonly string[], reply: object): string =>
      [
        line({ i: 0, op: "case", name: "x", conf }),
        OPEN,
        cmd(2, ["SET", "k", "v"], { type: "status", value: "OK" }),
        line({ i: 3, op: "restart", node: "main" }),
        line({ i: 4, op: "open", conn: "B" }),
        line({ i: 5, op: "cmd", conn: "B", args: ["GET", "k"], reply }),
      ].join("\n");
    expect(await redisSuite.run("x", text(["--appendonly", "yes"], { type: "bulk", value: "v" }))).toBeNull();
    expect(await redisSuite.run("x", text([], { type: "nil" }))).toBeNull();
  });
});
