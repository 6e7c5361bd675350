import { describe, expect, it } from "vitest";
import { MS, SECOND } from "../base/units.ts";
import { textToBytes } from "./bytes.ts";
import { globMatches } from "./glob.ts";
import { addLongDouble } from "./long-double.ts";
import { formatDouble } from "./numbers.ts";
import { judgeRedlock, quorum, validity } from "./recipes.ts";
import { sha1 } from "../base/sha1.ts";
import { RedisWorld } from "./testing.ts";

const server = (): ((...args: readonly string[]) => unknown) => {
  const world = new RedisWorld({ servers: ["a"] });
  return (...args) => world.value("a", ...args);
};

describe("small parts", () => {
  it("SHA-1 of FIPS 180's examples", () => {
    expect(sha1("")).toBe("da39a3ee5e6b4b0d3255bfef95601890afd80709");
    expect(sha1("abc")).toBe("a9993e364706816aba3e25717850c26c9cd0d89d");
    expect(sha1("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")).toBe(
      "84983e441c3bd26ebaae4aa1f95129e5e54670f1",
    );
    expect(sha1("a".repeat(1_000))).toBe("291e9a6c66994949b57ba5e650361e98fc36b1ba");
  });

  it("patterns: classes, ranges, escapes; many stars cost no more than pattern × text", () => {
    expect(globMatches("h[^e]llo*", "hallo")).toBe(true);
    expect(globMatches("h[a-b]?", "hbx")).toBe(true);
    expect(globMatches("\\*", "x")).toBe(false);
    expect(globMatches("a*b*c", "aXbYc")).toBe(true);
    expect(globMatches("a*a*a*a*a*a*a*a*a*a*b", "a".repeat(5_000))).toBe(false);
  });

  it("long doubles come out as x86 writes them", () => {
    expect(addLongDouble("10.5", "0.1")).toEqual({ value: "10.6" });
    expect(addLongDouble("5.0e3", "2.0e2")).toEqual({ value: "5200" });
    expect(addLongDouble("0", "-0.000001")).toEqual({ value: "-0.000001" });
    expect(addLongDouble("1", "x")).toBe("not-a-float");
  });

  it("scores are answered with 17 digits", () => {
    expect([0.1, 3, -2.5, 1e21, 1e-5].map(formatDouble)).toEqual([
      "0.10000000000000001",
      "3",
      "-2.5",
      "1e+21",
      "1.0000000000000001e-05",
    ]);
  });

  it("Redlock: a majority within the time that is left after drift", () => {
    expect([1, 2, 3, 4, 5].map(quorum)).toEqual([1, 2, 2, 3, 3]);
    expect(validity(10_000, 50)).toBe(10_000 - 50 - 102);
    expect(judgeRedlock(5, 2, 10_000, 10)).toMatchObject({ type: "failed", why: "no-quorum", needed: 3 });
    expect(judgeRedlock(5, 3, 10_000, 9_900)).toMatchObject({ type: "failed", why: "no-time-left" });
    expect(judgeRedlock(5, 3, 10_000, 10)).toEqual({ type: "acquired", validMs: 9_888 });
  });
});

describe("commands", () => {
  it("counters are 64 bits wide, and say when they would overflow", () => {
    const redis = server();
    redis("SET", "n", "9223372036854775806");
    redis("INCR", "n");
    expect(redis("GET", "n")).toBe("9223372036854775807");
    expect(redis("INCR", "n")).toBe("ERR increment or decrement would overflow");
  });

  it("texts that are not ASCII count in bytes and come back as text", () => {
    const redis = server();
    redis("SET", "k", "naïve €");
    expect(redis("STRLEN", "k")).toBe(textToBytes("naïve €").length);
    expect(redis("GET", "k")).toBe("naïve €");
  });

  it("a walk with cursors meets every key that stays, whatever comes and goes", () => {
    const world = new RedisWorld({ servers: ["a"] });
    for (let i = 0; i < 40; i += 1) world.ask("a", "SET", `k${i}`, "v");
    const met = new Set<string>();
    let cursor = "0";
    do {
      const reply = world.ask("a", "SCAN", cursor, "COUNT", "7");
      if (reply?.type !== "array") throw new Error("SCAN answers two items");
      const [next, names] = reply.items;
      cursor = next?.type === "bulk" ? next.value : "0";
      for (const name of names?.type === "array" ? names.items : []) met.add(name.type === "bulk" ? name.value : "");
      world.ask("a", "SET", `new${met.size}`, "v");
      world.ask("a", "DEL", `new${met.size - 7}`);
    } while (cursor !== "0");
    for (let i = 0; i < 40; i += 1) expect(met).toContain(`k${i}`);
  });

  it("a key goes away at the first background cycle after its time", () => {
    const world = new RedisWorld({ servers: ["a"] });
    world.ask("a", "SET", "k", "v", "PX", "1000");
    world.run(900 * MS);
    expect(world.value("a", "DBSIZE")).toBe(1);
    world.run(300 * MS);
    expect(world.value("a", "DBSIZE")).toBe(0);
  });

  it("WATCH: EXEC is refused when the key's time ran out, and not when it was over before", () => {
    const world = new RedisWorld({ servers: ["a"] });
    world.ask("a", "DEBUG", "SET-ACTIVE-EXPIRE", "0");
    const exec = (): unknown => {
      world.ask("a", "MULTI");
      world.ask("a", "PING");
      return world.value("a", "EXEC");
    };
    world.ask("a", "SET", "k", "v", "PX", "500");
    world.ask("a", "WATCH", "k");
    world.run(SECOND);
    expect(exec()).toBe("nilarray");
    world.ask("a", "WATCH", "k");
    expect(exec()).toBe("array");
  });

  it("a client whose answer does not come in time loses the call and connects anew", () => {
    const world = new RedisWorld({ servers: ["a"] });
    world.ask("a", "PING");
    world.ask("a", "DEBUG", "SLEEP", "0");
    world.cut("a", "client");
    const ticket = world.client.conn("a").call(["SET", "k", "v"], world.now, SECOND);
    world.send("a", "PING");
    world.run(3 * SECOND);
    expect(world.client.events).toContainEqual({ type: "lost", from: "a", ticket, sent: true, why: "timeout" });
    world.does({ type: "heal" });
    world.run(5 * SECOND);
    expect(world.client.events.at(-1)).toMatchObject({ type: "connected" });
  });
});

describe("scripts", () => {
  const run = (source: string, ...args: readonly string[]): unknown => server()("EVAL", source, "0", ...args);

  it("closures, loops and metatables work as in Lua 5.1", () => {
    expect(run("local t = {} for i = 1, 3 do t[i] = function() return i end end return t[1]() + t[3]()")).toBe(4);
    expect(run("local function fib(n) if n < 2 then return n end return fib(n-1) + fib(n-2) end return fib(15)")).toBe(
      610,
    );
    expect(run("local v = setmetatable({}, {__add = function(a, b) return 7 end}) return v + 1")).toBe(7);
    expect(run("local s = 0 repeat local x = s s = s + 1 until x >= 4 return s")).toBe(5);
    expect(run("return (string.gsub('hello world', '(%w+)', '<%1>'))")).toBe("<hello> <world>");
    expect(run("return tostring(2^53) .. ' ' .. 1e15 .. ' ' .. 0.1")).toBe("9.007199254741e+15 1e+15 0.1");
  });

  it("a script that would run for ever is ended", () => {
    expect(run("while true do end")).toMatch(/budget of steps/);
    expect(run("local ok = pcall(function() while true do end end) while true do end")).toMatch(/budget of steps/);
    expect(run("local function f() return f() + 1 end return f()")).toMatch(/stack overflow/);
    expect(run("return string.rep('x', 1e9)")).toMatch(/too large/);
    expect(run("return string.find(string.rep('a', 50000), string.rep('a-', 200) .. 'b')")).toMatch(/too complex/);
  });

  it("what Lua returns becomes a reply: numbers lose their fraction, a list ends at its first nil", () => {
    const redis = new RedisWorld({ servers: ["a"] });
    expect(redis.ask("a", "EVAL", "return {3.99, 'x', true, {ok='fine'}, nil, 4}", "0")).toEqual({
      type: "array",
      items: [
        { type: "int", value: 3 },
        { type: "bulk", value: "x" },
        { type: "int", value: 1 },
        { type: "status", value: "fine" },
      ],
    });
  });
});
